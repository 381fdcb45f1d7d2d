#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# The tables of `make bench-verdict-real`, in Markdown, from what run.sh has measured and judged.
#
#   table.pl FOLDER PROGRAM...
use strict;
use warnings;
my ($folder, @programs) = @ARGV;

# rows FILE: a hash for each line of a CSV file with a header
sub rows {
	my ($file) = @_;
	open(my $in, '<', $file) or return ();
	chomp(my $header = <$in> // '');
	my @names = split /,/, $header;
	my @rows;
	while (<$in>) {
		chomp;
		my %row;
		@row{@names} = split /,/, $_, -1;
		push @rows, \%row;
	}
	return @rows;
}

my %truth;
for my $program (@programs) {
	$truth{$program}{ $_->{branch} } = $_ for rows("$folder/$program/truth.csv");
}
my %judged = map { ("$_->{program},$_->{kind},$_->{number}" => $_) } rows("$folder/judged.csv");
# A gate is what was measured, with what was made of it; an error has nothing but its line.
my @gates = map { +{ %$_, %{ $judged{"$_->{program},$_->{kind},$_->{number}"} // {} } } } rows("$folder/gates.csv");
my %drawn;
for my $program (@programs) {
	for my $file (glob "$folder/drawn/$program/*") {
		next if $file =~ /\.part$/;
		open(my $in, '<', $file) or next;
		while (<$in>) {
			chomp;
			my ($number, $flagged, $strict, $status, $threshold, $mann_whitney, $functions) = split /,/;
			push @{ $drawn{$program} }, { kind => 'drawn', flagged => $flagged, strict => $strict, status => $status,
				threshold => $threshold, mann_whitney => $mann_whitney, functions => $functions, exit => 0 };
		}
	}
}

sub of { my ($program, @kinds) = @_; return grep { my $g = $_; $g->{program} eq $program && grep { $_ eq $g->{kind} } @kinds } @gates }
sub count(&@) { my ($test, @items) = @_; return scalar grep { $test->() } @items }
sub mean { my @values = @_; my $sum = 0; $sum += $_ for @values; return @values ? $sum / @values : 0 }
sub percent { return sprintf '%.2f %%', 100 * $_[0] }

# Blamed first: the function and the file that it was planted in.
sub is_right {
	my ($gate) = @_;
	my $truth = $truth{ $gate->{program} }{ $gate->{branch} } or return 0;
	return ($gate->{culprit} // '') eq $truth->{function} && ($gate->{file} // '') eq $truth->{file};
}

my @unchanged = grep { $_->{kind} eq 'aa' || $_->{kind} eq 'aa-noisy' } @gates;
my %modes;
$modes{ ($_->{turns_ms} // 0) > 0 ? "turns of $_->{turns_ms} ms" : 'whole runs' }++ for grep { defined $_->{turns_ms} && $_->{kind} ne 'shortcut' } @gates;
print "Pairs were run as: ", join(', ', map { "$_ ($modes{$_} gates)" } sort keys %modes), ".\n\n";

print "| program | change | gates | failed the build | right culprit first | warned | errors | seconds each |\n";
print "|---|---|--:|--:|--:|--:|--:|--:|\n";
my %names = (aa => 'none (A/A), strict', plus1 => '+1 % planted', plus2 => '+2 % planted', refactor => 'refactors',
	'aa-noisy' => 'none (A/A), strict, noisy neighbour', 'plus2-noisy' => '+2 % planted, noisy neighbour');
for my $program (@programs) {
	for my $kind (qw(aa plus1 plus2 refactor aa-noisy plus2-noisy)) {
		my @of = of($program, $kind) or next;
		my $status = $kind =~ /^aa/ ? 'strict' : 'status';
		printf "| %s | %s | %d | %d | %s | %d | %d | %.0f |\n", $program, $names{$kind}, scalar @of,
			count(sub { ($_->{$status} // '') eq 'fail' }, @of), $kind =~ /^plus/ ? count(\&is_right_here, @of) : '–',
			count(sub { ($_->{$status} // '') eq 'warn' }, @of), count(sub { $_->{exit} == 3 || !defined $_->{$status} }, @of),
			mean(map { $_->{seconds} } @of);
	}
}
sub is_right_here { return $_->{status} && $_->{status} eq 'fail' && is_right($_) }

print "\nThe unchanged again, judged strictly (without the shortcut for identical files, and unchanged code is not excused), then with both:\n\n";
print "| program | gates | of them | strict: failed | wanted stage 2 | not strict: failed | with the shortcut as well |\n|---|---|--:|--:|--:|--:|--:|\n";
for my $program (@programs) {
	my ($shortcut) = of($program, 'shortcut');
	# No turns: it was not measured.
	my $is_short = $shortcut && $shortcut->{exit} == 0 && !($shortcut->{cpu_seconds} // 0);
	my %kinds = (plain => [ of($program, 'aa') ], 'noisy neighbour' => [ of($program, 'aa-noisy') ], 'drawn from the pairs of the plain' => $drawn{$program} // []);
	for my $name ('plain', 'noisy neighbour', 'drawn from the pairs of the plain') {
		my @of = @{ $kinds{$name} } or next;
		printf "| %s | %s | %d | %d | %d | %d | %s |\n", $program, $name, scalar @of, count(sub { ($_->{strict} // '') eq 'fail' }, @of),
			count(sub { $_->{flagged} // (($_->{stage2} // 0) > 0) }, @of), count(sub { ($_->{status} // '') eq 'fail' }, @of),
			$is_short ? '0: both builds execute the same files' : $shortcut ? 'does not apply: the files differ' : 'not tried';
	}
}

print "\nSide by side on the same recordings: how many would have failed the build. Mann–Whitney is two-sided at p < 0.05, as benchstat has it.\n\n";
print "| program | change | gates | flamegate | total +5 % | Mann–Whitney on totals | any function +5 % |\n|---|---|--:|--:|--:|--:|--:|\n";
my %side = (aa => 'none', drawn => 'none, drawn', refactor => 'refactor', plus1 => '+1 %', plus2 => '+2 %',
	'aa-noisy' => 'none, noisy', 'plus2-noisy' => '+2 %, noisy');
for my $program (@programs) {
	for my $kind (qw(aa drawn refactor plus1 plus2 aa-noisy plus2-noisy)) {
		my @of = grep { defined $_->{status} } $kind eq 'drawn' ? @{ $drawn{$program} // [] } : of($program, $kind);
		next unless @of;
		printf "| %s | %s | %d | %d | %d | %d | %d |\n", $program, $side{$kind}, scalar @of, count(sub { $_->{status} eq 'fail' }, @of),
			map { my $rule = $_; count(sub { $_->{$rule} }, @of) } qw(threshold mann_whitney functions);
	}
}

print "\n| program | pairs of A/A gates | SD of log(T1/T0) | with a noisy neighbour | printed noise, mean | unchanged gate, s | 40 pairs, s | share | measuring alone |\n";
print "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";
# Pooled within gates: a gate's own mean is no noise of its pairs.
sub deviation {
	my ($squares, $freedom) = (0, 0);
	for (grep { $_->{log_deviation} } @_) {
		my $pairs = $_->{stage1} + $_->{stage2};
		$squares += ($pairs - 1) * $_->{log_deviation}**2;
		$freedom += $pairs - 1;
	}
	return $freedom ? percent(sqrt($squares / $freedom)) : '–';
}
for my $program (@programs) {
	my @aa = grep { $_->{log_deviation} } of($program, 'aa') or next;
	my @full = grep { ($_->{stage2} // 0) > 0 } of($program, 'plus1', 'plus2');
	my ($cost, $most) = (mean(map { $_->{seconds} } @aa), mean(map { $_->{seconds} } @full));
	printf "| %s | %d | %s | %s | %s | %.0f | %.0f | %s | %s |\n", $program, eval { my $n = 0; $n += $_->{stage1} + $_->{stage2} for @aa; $n },
		deviation(@aa), deviation(of($program, 'aa-noisy')), percent(mean(map { $_->{noise} } @aa)), $cost, $most,
		$most ? sprintf('%.0f %%', 100 * $cost / $most) : '–',
		@full ? sprintf('%.0f %%', 100 * mean(map { $_->{cpu_seconds} } @aa) / mean(map { $_->{cpu_seconds} } @full)) : '–';
}

print "\n| program | branch | planted in | instructions | gates | found | right first | estimates of the culprit's change |\n|---|---|---|--:|--:|--:|--:|---|\n";
for my $program (@programs) {
	for my $branch (sort grep { /^plus/ } keys %{ $truth{$program} }) {
		my @of = grep { $_->{branch} eq $branch && $_->{kind} =~ /^plus\d$/ } of($program, 'plus1', 'plus2') or next;
		my $truth = $truth{$program}{$branch};
		printf "| %s | %s | `%s` | %+.2f %% | %d | %d | %d | %s |\n", $program, $branch, $truth->{function}, $truth->{instructions_percent},
			scalar @of, count(sub { ($_->{status} // '') eq 'fail' }, @of), count(\&is_right_here, @of),
			join(', ', map { length($_->{culprit_change} // '') ? sprintf('%+.2f %% (%.2f to %.2f)', map { 100 * $_ } @{$_}{qw(culprit_change culprit_low culprit_high)}) : '–' } @of);
	}
}

my @odd = grep { my $g = $_; !($g->{kind} eq 'shortcut') && ($g->{kind} =~ /^plus/ ? !(($g->{status} // '') eq 'fail' && is_right($g)) : ($g->{strict} // $g->{status} // 'error') =~ /fail|error/ || ($g->{status} // 'error') =~ /fail|error/) } @gates;
print "\nWhat was not as it should be:\n\n" if @odd;
for (@odd) {
	my $found = length($_->{culprit} // '') ? "blames `$_->{culprit}` ($_->{file})" : 'blames nobody';
	printf "- %s, %s %d (%s): %s, strict %s; %s; total %+.2f %% (%.2f to %.2f)\n", @{$_}{qw(program kind number branch)}, $_->{status} // 'error', $_->{strict} // 'error',
		$found, map { 100 * ($_ || 0) } @{$_}{qw(change low high)};
}
