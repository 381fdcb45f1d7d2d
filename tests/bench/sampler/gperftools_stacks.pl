#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Counts the samples of a gperftools CPU profile whose outermost frame lies in [LOW, HIGH): `FILE LOW HIGH`, the
# addresses in hexadecimal. Prints "samples complete". The format: 64-bit words; a header of five, then records of
# count, depth and depth addresses (leaf first), ended by a record of count 0.
use strict;
use warnings;
my ($path, $low, $high) = ($ARGV[0], hex $ARGV[1], hex $ARGV[2]);
open(my $file, '<:raw', $path) or die "$path: $!\n";
my $bytes = do { local $/; <$file> };
my @words = unpack 'Q<*', substr($bytes, 0, length($bytes) & ~7);
my ($samples, $complete, $at) = (0, 0, 5);
while ($at + 2 <= @words && $words[$at] != 0) {
	my ($count, $depth) = @words[$at, $at + 1];
	my $root = $words[$at + 1 + $depth];
	$samples += $count;
	$complete += $count if $root >= $low && $root < $high;
	$at += 2 + $depth;
}
print "$samples $complete\n";
