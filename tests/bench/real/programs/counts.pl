#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# What callgrind counted (its file written with --compress-strings=no --compress-pos=no): the total, then
# each function's own instructions and calls, largest first. A function's recursive calls, which callgrind
# keeps apart ("f'2"), count with it.
#
# usage: counts.pl FILE        prints "total N", then lines "SELF CALLS FUNCTION"
use strict;
use warnings;

sub plain { return $_[0] =~ s/'\d+$//r }

my (%self, %calls, $function, $callee, $total);
my $inclusive = 0; # the next line of costs is a call's, and counted in the callee
while (my $line = <>) {
	if ($line =~ /^fn=(.*)$/) {
		$function = plain($1);
	} elsif ($line =~ /^cfn=(.*)$/) {
		$callee = plain($1);
	} elsif ($line =~ /^calls=(\d+)/) {
		$calls{$callee} += $1;
		$inclusive = 1;
	} elsif ($line =~ /^(?:0x[0-9a-f]+|\d+) (\d+)$/) {
		$self{$function} += $1 unless $inclusive;
		$inclusive = 0;
	} elsif ($line =~ /^(?:summary|totals): (\d+)/) {
		$total = $1;
	}
}
defined $total or die "no total: not a file of callgrind's\n";
print "total $total\n";
for my $name (sort { $self{$b} <=> $self{$a} || $a cmp $b } keys %self) {
	printf "%d %d %s\n", $self{$name}, $calls{$name} // 0, $name;
}
