#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# compile-commands.pl PRODUCT-FLAGS SAMPLER-FLAGS TEST-FLAGS: a compilation database of all C files, for clangd.
use strict;
use warnings;
use Cwd qw(getcwd);
use JSON::PP;
my ($product, $sampler, $test) = @ARGV;
my @entries;
for my $file (grep { !m{^(testdata|tests/bench/stories)/|/fixture/|/programs/} } split /\n/, `git ls-files '*.c'`) {
	my $flags = $file =~ m{^gate/sampler/} ? $sampler : $file =~ m{^tests/} ? $test : $product;
	push @entries, {directory => getcwd(), file => $file, command => "cc $flags -c $file"};
}
print JSON::PP->new->canonical->pretty->encode(\@entries);
