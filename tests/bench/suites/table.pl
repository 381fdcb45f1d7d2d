# SPDX-License-Identifier: Apache-2.0
# What run.sh keeps of a check, and the table of all that it kept.
#
#   table.pl case SUITE FOLDER STATUS SECONDS     a check's lines, from FOLDER/report/report.json
#   table.pl table VERSION                        standard input: a suite's folder, its results' and their names' beginning
#
# Exit 1: a verdict that was tried is another than README.md promises.
use strict;
use warnings;
use JSON::PP;

sub slurp {
	open my $file, '<:raw', shift or return '';
	local $/;
	return scalar <$file>;
}
# "name: value" lines
sub lines { map { /^([\w-]+): *(.*)$/ ? ($1 => $2) : () } split /\n/, shift }
sub median {
	my @sorted = sort { $a <=> $b } @_ or return;
	return ($sorted[$#sorted / 2] + $sorted[@sorted / 2]) / 2;
}

# The first culprit's function, and whether it is the one that was planted into.
sub culprit {
	my ($benchmark, $function) = @_;
	my $first = $benchmark->{culprits}[0] or return ('', 'no');
	my $name = $benchmark->{strings}[$benchmark->{functions}{name}[$first->{function}]];
	return ($name, $name =~ /(?<!\w)\Q$function\E(?!\w)/ ? 'yes' : 'no');
}

sub one_case {
	my ($suite, $folder, $status, $seconds) = @_;
	my %suite = lines(slurp("$suite/suite"));
	my $text = slurp("$folder/report/report.json");
	my $report = length $text ? decode_json($text) : {benchmarks => []};
	my @all = @{$report->{benchmarks}};
	my @measured = grep { $_->{outcome} eq 'measured' } @all;
	my @failed = grep { $_->{status} eq 'fail' } @all;
	print "status: $status\nseconds: $seconds\nbenchmarks: ", scalar @all, "\nmeasured: ", scalar @measured,
		"\nfailed: ", scalar @failed, "\nrefused: ", scalar(grep { $_->{status} eq 'error' } @all), "\n";
	my $cpu = median(map { $_->{total}{base} } @measured);
	print "cpu: $cpu\n" if defined $cpu;
	my $mde = median(map { $_->{mde_total} // () } @measured);
	print "mde: $mde\n" if defined $mde;
	# The benchmark that the suite's file names, wherever flamegate put it, else the first that failed.
	(my $wanted = $suite{benchmark}) =~ s{[^\w./-]}{_}ag;
	my ($named) = grep { $_->{name} =~ m{(?:^|/|__)\Q$wanted\E$} } @measured;
	print "change: $named->{total}{change}\n" if $named;
	my $shown = $named && $named->{status} eq 'fail' ? $named : $failed[0] or return;
	my ($name, $right) = culprit($shown, $suite{function});
	print "culprit: $name\nright: $right\n";
}

# ---- the table

my %promised = (comment => 0, identical => 0, planted => 1);
my %word = (0 => 'pass', 1 => 'FAIL', 2 => 'usage', 3 => 'refused');

sub said {
	my %result = @_;
	return '-' if !defined $result{status};
	my $word = $word{$result{status}} // $result{status};
	return $result{status} == 1 ? "$word ($result{failed})" : $word;
}
sub verdict {
	my ($case, %result) = @_;
	my $word = said(%result);
	return $word if !defined $result{status};
	my $right = $result{status} == $promised{$case} && ($case ne 'planted' || ($result{right} // '') eq 'yes');
	return $right ? $word : "$word !";
}
sub percent { defined $_[0] ? sprintf '%+.1f %%', 100 * $_[0] : '-' }
sub number { defined $_[0] && length $_[0] ? sprintf '%.3g', $_[0] : '-' }
# How much more CPU time 30 % more work in one function is, in a harness that runs as it is, and at a fixed count.
sub plain_columns {
	my %plain = @_;
	my $share = $plain{base} ? percent($plain{planted} / $plain{base} - 1) : '-';
	my ($base, $head) = split ' ', $plain{fixed} // '';
	return ($plain{benchmarks} // '-', number($plain{elapsed}), number($plain{base}), $share,
		$base ? percent($head / $base - 1) : '-');
}

sub row {
	my ($folder, $results, $prefix) = @_;
	my %suite = lines(slurp("$folder/suite"));
	my $name = $folder =~ s{.*/}{}r;
	return ($name, $suite{harness}, 'not to be had here', ('-') x 12) if !defined $prefix;
	my %plain = lines(slurp("$results/plain"));
	my %init = lines(slurp("$results/${prefix}init"));
	my %case = map { $_ => {lines(slurp("$results/$prefix$_"))} } keys %promised;
	my %planted = %{$case{planted}};
	my %seen = lines(slurp("$results/${prefix}seen"));
	return ($name, $suite{harness}, plain_columns(%plain), percent($seen{change}), $init{edits} // '-',
		$planted{seconds} // '-', number($planted{cpu}), percent($planted{mde}) =~ s/^\+//r,
		(map { verdict($_, %{$case{$_}}) } qw(comment identical planted)), $planted{culprit} // '-');
}

# What others would say of one benchmark, beside flamegate's check of all that were checked.
my @rules = ([benchstat => 'benchstat: slower, p < 0.05'], [mean => 'the mean is 10 % slower']);

sub beside_rows {
	my ($folder, $results, $prefix) = @_;
	my %suite = lines(slurp("$folder/suite"));
	my %beside = lines(defined $prefix ? slurp("$results/beside") : '') or return;
	my ($identical, $planted) = map { {lines(slurp("$results/$prefix$_"))} } qw(identical planted);
	my $name = $folder =~ s{.*/}{}r;
	my @rows = map { [$name, $suite{benchmark}, "$beside{experiments} of $beside{runs} + $beside{runs} runs", $_->[1], $beside{"identical-$_->[0]"},
		$beside{"planted-$_->[0]"}] } @rules;
	my ($checked) = grep { defined } map { $_->{benchmarks} } $planted, $identical;
	push @rows, [$name, "all $checked", 'one check', 'flamegate', said(%$identical), said(%$planted)] if defined $checked;
	return @rows;
}

sub show {
	my @rows = @_;
	for my $n (0 .. $#rows) {
		print '| ', join(' | ', map { s/\|/\\|/gr } @{$rows[$n]}), " |\n";
		print '|', '---|' x @{$rows[$n]}, "\n" if !$n;
	}
}

sub table {
	my ($version) = @_;
	my @tried = map { chomp; [split / /] } <STDIN>;
	my @rows = (['suite', 'harness', 'benchmarks', 's', 'CPU s', '30 % as it is', 'fixed count', 'replayed', 'edits', 'check s',
		'CPU a run', 'MDE', 'comment', 'A/A', 'planted 10 %', 'first culprit']);
	push @rows, map { [row(@$_)] } @tried;
	print "$version\n\n";
	show(@rows);
	my @beside = map { beside_rows(@$_) } @tried;
	if (@beside) {
		print "\n";
		show(['suite', 'benchmark', 'experiments', 'rule', 'false alarms (A/A)', 'detections (planted 10 %)'], @beside);
	}
	return grep { grep { / !$/ } @$_ } @rows;
}

binmode STDOUT, ':utf8';
my $order = shift // '';
if ($order eq 'case') { one_case(@ARGV) }
elsif ($order eq 'table') { exit(table(@ARGV) ? 1 : 0) }
else { die "table.pl: case or table\n" }
