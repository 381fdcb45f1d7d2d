#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# The ten largest differences of own cost that flamegate reports between two versions, beside what
# callgrind counts for the same functions: a table in Markdown. A difference whose interval excludes 0 and
# that has another sign there is marked.
#
#   lua_table.pl FOLDER BASE HEAD BENCHMARK...
#
# FOLDER/BENCHMARK/report.json is flamegate's; FOLDER/callgrind-BENCHMARK-VERSION.out has callgrind's
# costs by instruction, and FOLDER/host-VERSION is the program that they are of. flamegate takes inlined
# functions apart, callgrind does not: so the instructions are given to functions here, by the
# program's line table (addr2line), and not as callgrind names them.
use strict;
use warnings;
use JSON::PP;

my ($folder, $base, $head, @benchmarks) = @ARGV;
die "usage: lua_table.pl FOLDER BASE HEAD BENCHMARK...\n" unless @benchmarks;
my $listed = 10;

# libc chooses among variants of its string functions by the CPU, and valgrind's is another one.
sub plain_name {
	my ($name) = @_;

	$name =~ s/\@.*//;
	$name =~ s/'\d+$//;
	if ($name =~ /^_*(\w+?)_(?:sse|avx|evex|erms|ssse)\w*$/) {
		$name = $1;
		$name =~ s/^memcpy$/memmove/;
	}
	$name =~ s/_unaligned$//;
	$name =~ s/\.(?:part|constprop|isra|cold|lto_priv)\b.*//;
	return $name;
}

# The innermost function at each address, inlined ones included.
sub functions_at {
	my ($program, @addresses) = @_;
	my (%name, @pending);

	open(my $list, '>', "$folder/addresses") or die "$folder/addresses: $!\n";
	printf $list "0x%x\n", $_ for @addresses;
	close $list;
	open(my $in, '-|', "addr2line -a -f -i -e '$program' <'$folder/addresses'") or die "addr2line: $!\n";
	my $address;
	while (my $line = <$in>) {
		chomp $line;
		if ($line =~ /^0x([0-9a-f]+)$/) {
			$address = hex $1;
		} elsif (!exists $name{$address}) {
			$name{$address} = $line; # the first pair of lines is the innermost
		}
	}
	close $in or die "addr2line failed\n";
	unlink "$folder/addresses";
	return \%name;
}

# Instructions per function, from callgrind's output by instruction.
sub instructions {
	my ($file, $program) = @_;
	my (%by_address, %by_function, %total);
	my ($object, $function, $calls) = ('', '', 0);

	open(my $in, '<', $file) or die "$file: $!\n";
	while (<$in>) {
		if (/^ob=(.*)/) {
			$object = $1;
		} elsif (/^fn=(?:\(\d+\)\s*)?(.*)/) {
			$function = $1;
		} elsif (/^calls=/) {
			$calls = 1;
		} elsif (/^0x([0-9a-f]+) \d+ (\d+)$/) {
			my ($address, $cost) = (hex $1, $2);
			# The line after calls= is the callee's cost, which is counted there.
			if ($calls) {
				$calls = 0;
			} elsif ($object =~ m{/host$}) {
				$by_address{$address} += $cost;
			} else {
				$by_function{plain_name($function)} += $cost;
			}
		} elsif (/^(?:summary|totals): (\d+)/) {
			$total{stated} = $1;
		}
	}
	close $in;
	my $names = functions_at($program, sort { $a <=> $b } keys %by_address);
	$by_function{plain_name($names->{$_} // '??')} += $by_address{$_} for keys %by_address;
	$total{sum} += $_ for values %by_function;
	die "$file: the costs add up to $total{sum}, but $total{stated} are stated\n"
		unless $total{stated} && $total{sum} == $total{stated};
	return (\%by_function, $total{sum});
}

sub report {
	my ($benchmark) = @_;
	local $/;
	open(my $in, '<:raw', "$folder/$benchmark/report.json") or die "$folder/$benchmark/report.json: $!\n";
	my $report = JSON::PP->new->utf8->decode(<$in>);
	return (grep { $_->{name} eq $benchmark } @{$report->{benchmarks}})[0] // die "no $benchmark in its report\n";
}

# A column of numbers, or of places in the table of strings.
sub names_of {
	my ($from, $column) = @_;
	return map { $from->{strings}[$_] } @{$from->{functions}{$column}};
}

my @rows;
for my $benchmark (@benchmarks) {
	my $from = report($benchmark);
	my ($counts_base, $all_base) = instructions("$folder/callgrind-$benchmark-$base.out", "$folder/host-$base");
	my ($counts_head, $all_head) = instructions("$folder/callgrind-$benchmark-$head.out", "$folder/host-$head");
	my $all = ($all_base + $all_head) / 2;
	my @name = names_of($from, 'name');
	my $functions = $from->{functions};

	printf "%s: %.3f -> %.3f s of CPU time (%+.1f %%, 95 %% interval %+.1f to %+.1f), %s; callgrind: %.0f -> %.0f million instructions (%+.1f %%).\n",
		$benchmark, $from->{total}{base}, $from->{total}{head}, map({ 100 * $from->{total}{$_} } qw(change low high)),
		uc $from->{status}, $all_base / 1e6, $all_head / 1e6, 100 * ($all_head / $all_base - 1);
	for my $i (0 .. $functions->{count} - 1) {
		my ($old, $new) = ($counts_base->{plain_name($name[$i])} // 0, $counts_head->{plain_name($name[$i])} // 0);

		next unless defined $functions->{low}[$i] && defined $functions->{high}[$i];
		push @rows, {benchmark => $benchmark, name => $name[$i],
			base => $functions->{self_base}[$i], head => $functions->{self_head}[$i],
			change => $functions->{change}[$i], low => $functions->{low}[$i], high => $functions->{high}[$i],
			old => $old, new => $new, counted => ($new - $old) / $all};
	}
}

@rows = sort { abs($b->{change}) <=> abs($a->{change}) || $a->{name} cmp $b->{name} } @rows;
splice @rows, $listed if @rows > $listed;
print "\n| benchmark | function | CPU ms a run, base | head | change of the total, 95 % interval | million instructions, base | head | change of the total | sign |\n";
print "|---|---|--:|--:|--:|--:|--:|--:|---|\n";
my $against = 0;
for my $row (@rows) {
	my $certain = $row->{low} > 0 || $row->{high} < 0;
	my $same = $row->{change} * $row->{counted} > 0;

	$against++ if $certain && !$same;
	printf "| %s | `%s` | %.1f | %.1f | %+.2f %% (%+.2f to %+.2f) | %.2f | %.2f | %+.2f %% | %s |\n",
		@$row{qw(benchmark name)}, 1e3 * $row->{base}, 1e3 * $row->{head},
		map({ 100 * $row->{$_} } qw(change low high)), $row->{old} / 1e6, $row->{new} / 1e6,
		100 * $row->{counted}, $same ? 'same' : $certain ? '**other**' : 'uncertain';
}
printf "\n%d of %d have another sign.\n", $against, scalar @rows;
