# SPDX-License-Identifier: Apache-2.0
# What others would say of the times that a harness prints: benchstat by its defaults, and a threshold on the mean.
#
#   beside.pl time HARNESS BENCHMARK      standard input: what a run printed; its time per operation, in nanoseconds
#   beside.pl count BENCHSTAT FILE...     a file is an experiment, of lines "base NANOSECONDS" and "head NANOSECONDS":
#                                         in how many each rule says that head is slower
use strict;
use warnings;
use File::Temp;
use List::Util qw(sum);

my $percent = 10; # the threshold: README.md says whose

# ---- what harnesses print: a benchmark's line, and the elapsed time in it

my %ns = (ns => 1, us => 1e3, ms => 1e6, s => 1e9);
my $number = qr/[\d.]+(?:e[+-]?\d+)?/;
my %read = (
	'google-benchmark' => sub { $_[0] =~ /^\Q$_[1]\E +($number) (ns|us|ms|s) +$number \2 +\d/ ? $1 * $ns{$2} : () },
	go => sub { $_[0] =~ m{^\Q$_[1]\E(?:-\d+)?\s+\d+\s+($number) ns/op\b} ? $1 : () },
);

sub time_of {
	my ($harness, $benchmark) = @_;
	my $read = $read{$harness} or do { warn "beside.pl: the output of '$harness' is not read\n"; return 2 };
	my @times = map { $read->($_, $benchmark) } <STDIN>;
	if (@times != 1) {
		warn "beside.pl: ", scalar @times, " times of $benchmark instead of one\n";
		return 1;
	}
	print "$times[0]\n";
	return 0;
}

# ---- rules: is head slower?

sub experiment {
	my ($file) = @_;
	my %times = (base => [], head => []);
	open my $in, '<', $file or die "beside.pl: $file: $!\n";
	while (<$in>) {
		/^(base|head) ($number)$/ or die "beside.pl: $file is no experiment\n";
		push @{$times{$1}}, $2;
	}
	@{$times{$_}} or die "beside.pl: $file has no times of $_\n" for keys %times;
	return \%times;
}

sub mean { sum(@_) / @_ }
sub mean_is_slower {
	my ($times) = @_;
	return 100 * mean(@{$times->{head}}) >= (100 + $percent) * mean(@{$times->{base}});
}

# Go's own format has one line a run.
sub benchmark_format { join '', map { "BenchmarkOne 1 $_ ns/op\n" } @_ }

# name, base's median, its interval, head's median, its interval, the difference or ~, p
sub benchstat_is_slower {
	my ($benchstat, $times) = @_;
	my $folder = File::Temp->newdir;
	for my $version (qw(base head)) {
		open my $out, '>', "$folder/$version" or die "beside.pl: $folder: $!\n";
		print $out benchmark_format(@{$times->{$version}});
		close $out or die "beside.pl: $folder: $!\n";
	}
	my $said = `'$benchstat' -format csv '$folder/base' '$folder/head' 2>'$folder/log'`;
	my ($row) = grep { $_->[0] eq 'One' } map { [split /,/] } split /\n/, $? ? '' : $said;
	$row && @$row == 7 && $row->[6] =~ /^p=/ or die "beside.pl: benchstat does not say anything of One:\n$said";
	return $row->[5] ne '~' && $row->[3] > $row->[1];
}

sub count {
	my ($benchstat, @files) = @_;
	my @experiments = map { experiment($_) } @files;
	print 'benchstat: ', scalar(grep { benchstat_is_slower($benchstat, $_) } @experiments), "\n";
	print 'mean: ', scalar(grep { mean_is_slower($_) } @experiments), "\n";
	return 0;
}

my $order = shift // '';
if ($order eq 'time' && @ARGV == 2) { exit time_of(@ARGV) }
if ($order eq 'count' && @ARGV > 1) { exit count(@ARGV) }
warn "beside.pl: time or count\n";
exit 2;
