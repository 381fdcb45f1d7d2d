# SPDX-License-Identifier: Apache-2.0
# The benchmarks that a harness's list holds, one a line, from the standard input.
#
#   names.pl HARNESS
use strict;
use warnings;

# divan draws a tree, and each level is three characters wide; a leaf's path is without the crate's name, as its filters are.
sub leaves {
	my (@path, @leaves);
	my $depth = 0;
	for (@_) {
		s/\s+$//;
		my ($branches, $name) = /^((?:[\xe2][\x80-\xbf]{2}|[ ])*)(\S.*)$/ or next;
		$branches =~ s/\xe2[\x80-\xbf]{2}/x/g;
		$depth = length($branches) / 3;
		# A line that is deeper than the last one makes that one a group.
		pop @leaves if @leaves && $depth > @path - 1;
		splice @path, $depth;
		push @path, $name;
		push @leaves, join '::', @path[1 .. $#path] if $depth;
	}
	return @leaves;
}

my %read = (
	'google-benchmark' => sub { grep { length } map { s/^\s+|\s+$//gr } @_ },
	catch2 => sub { grep { length } map { s/^\s+|\s+$//gr } @_ },
	criterion => sub { map { /^(\S.*): bench(?:mark)?$/ ? $1 : () } @_ },
	divan => \&leaves,
	go => sub { map { /^(Benchmark\S*)$/ ? $1 : () } @_ },
);
my $harness = shift // '';
my $read = $read{$harness} or die "names.pl: no harness is called '$harness'\n";
print "$_\n" for $read->(map { chomp; $_ } <STDIN>);
