#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# One benchmark of a report, without what a comparison of two folders cannot know: the command that
# made the report, what git calls the commits, and the culprits' source, which stands in their trees.
#
#   report_facts.pl FOLDER NAME json|markdown|terminal   (FOLDER/report.json, report.md, out.txt)
use strict;
use warnings;
use JSON::PP;

my ($folder, $name, $format) = @ARGV;
my %file = (json => 'report.json', markdown => 'report.md', terminal => 'out.txt');
open(my $in, '<:raw', "$folder/$file{$format}") or die "$folder/$file{$format}: $!\n";
local $/;
my $text = <$in>;

# The columns' strings are the source's too: without it they have other places.
sub without_source {
	my ($benchmark) = @_;
	my $strings = delete $benchmark->{strings};
	delete $_->{source} for @{$benchmark->{culprits}};
	for my $functions (map { $_->{functions} } $benchmark, @{$benchmark->{profiles} || []}) {
		$_ = [map { $strings->[$_] } @$_] for grep { defined } @$functions{qw(name module file)};
	}
}

if ($format eq 'json') {
	my $report = JSON::PP->new->utf8->decode($text);
	delete $report->{kind};
	delete $report->{$_}{name}, delete $report->{$_}{subject}, delete $report->{$_}{dirty} for qw(base head);
	$report->{benchmarks} = [grep { $_->{name} eq $name } @{$report->{benchmarks}}];
	die "no benchmark '$name'\n" unless @{$report->{benchmarks}};
	# What is said of several benchmarks is not one benchmark's.
	delete @$report{qw(status exit_status warnings notes)} if $ENV{ONE_OF_SEVERAL};
	without_source($_) for @{$report->{benchmarks}};
	print JSON::PP->new->canonical->pretty->encode($report);
} elsif ($format eq 'markdown') {
	$text =~ s/^Base `.*, head `.*`.*\n//m or die "no line with the commits\n";
	$text =~ s/^What .*the changed lines of `.*:\n\n(`{3,})diff\n.*?^\1\n\n//msg;
	print $text;
} else {
	$text =~ s/\A.*?^(?=policy )//ms or die "no line with the policy's origin\n";
	$text =~ s/^Report: .*\n//mg;
	print $text;
}
