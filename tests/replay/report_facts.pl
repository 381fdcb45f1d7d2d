#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# One benchmark of a report, without what a comparison of two folders cannot know: the command that
# made the report, and what git calls the commits.
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

if ($format eq 'json') {
	my $report = JSON::PP->new->utf8->decode($text);
	delete $report->{kind};
	delete $report->{$_}{name}, delete $report->{$_}{subject}, delete $report->{$_}{dirty} for qw(base head);
	$report->{benchmarks} = [grep { $_->{name} eq $name } @{$report->{benchmarks}}];
	die "no benchmark '$name'\n" unless @{$report->{benchmarks}};
	# What is said of several benchmarks is not one benchmark's.
	delete @$report{qw(status exit_status warnings notes)} if $ENV{ONE_OF_SEVERAL};
	print JSON::PP->new->canonical->pretty->encode($report);
} elsif ($format eq 'markdown') {
	$text =~ s/^Base `.*, head `.*`.*\n//m or die "no line with the commits\n";
	print $text;
} else {
	$text =~ s/\A.*?^(?=policy )//ms or die "no line with the policy's origin\n";
	$text =~ s/^Report: .*\n//mg;
	print $text;
}
