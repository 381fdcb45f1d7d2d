#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Names the frames of one program: reads its symbols (nm -S) and the output of dump_capture -s, prints
# "COUNT END name;name;..." for each stack, leaf first; frames of other objects have the object's name.
# usage: stack_names.pl PROGRAM SYMBOLS STACKS
use strict;
use warnings;

my ($program, $symbols, $stacks) = @ARGV;
my @functions;

open my $in, '<', $symbols or die "$symbols: $!\n";
while (<$in>) {
	my ($start, $size, $type, $name) = split;
	push @functions, [hex $start, hex $size, $name] if defined $name && $type =~ /^[tTwW]$/;
}
close $in;

sub name_of {
	my ($object, $address, $exact) = @_;
	return $object if $object ne $program;
	my $at = hex($address) - ($exact ? 0 : 1);
	for my $function (@functions) {
		return $function->[2] if $at >= $function->[0] && $at < $function->[0] + $function->[1];
	}
	return $object;
}

open $in, '<', $stacks or die "$stacks: $!\n";
while (<$in>) {
	next unless /^stack (\d+) .*?end (\d+)[^:]*:(.*)/;
	my ($count, $end, $frames) = ($1, $2, $3);
	my @names = map { /^(.*)\+([0-9a-f]+)(!?)$/ ? name_of($1, $2, $3) : () } split ' ', $frames;
	print "$count $end ", join(';', @names), "\n";
}
