#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Runs test programs and scripts that print TAP, side by side, and ends with one plain line:
# "N passed, M failed, K skipped". Exit status 1 if anything failed, or if nothing ran.
#
#   run.pl [--jobs N] FILE...     *.sh by bash, everything else is executed. What takes longer than a quarter of an
#                                 hour hangs: it is ended, and has failed.
use strict;
use warnings;
use File::Temp qw(tempdir);
use TAP::Harness;
use TAP::Parser::Aggregator;

my $jobs = 2;
my @limit = ('timeout', '-k', '10', '900');
if (@ARGV && $ARGV[0] eq '--jobs') { shift; $jobs = shift; }
my @files = @ARGV or die "run.pl: no tests given\n";

# cmocka 1.1 prints a skipped test as "not ok N # SKIP name".
sub program {
	my ($file) = @_;
	my $mend = 's/^not ok \([0-9]*\) # SKIP/ok \1 # SKIP/';
	return [@limit, 'bash', '-c', 'set -o pipefail; "$1" | sed "$2"', 'run', $file, $mend];
}

$ENV{CMOCKA_MESSAGE_OUTPUT} = 'TAP';
# A make that a test calls is not a part of the make that called us.
$ENV{MAKEFLAGS} =~ s/^[a-zA-Z]+| ?-j\d*\b| ?--jobserver-\S+//g if defined $ENV{MAKEFLAGS};
# Where python3 is a shim that looks for the interpreter each time, that takes longer than most of what tests do with it.
my $bin = tempdir(CLEANUP => 1);
my ($python, $found) = qx(python3 -c 'import sys; print(sys.executable)' 2>/dev/null; command -v python3);
chomp($python //= '', $found //= '');
if ($python ne $found && -x $python && symlink $python, "$bin/python3") {
	$ENV{PATH} = "$bin:$ENV{PATH}";
}
$ENV{ASAN_OPTIONS} //= 'allow_user_segv_handler=0';
my $harness = TAP::Harness->new({
	verbosity => 0, jobs => $jobs, merge => 0, timer => 1, errors => 1, failures => 1,
	exec => sub { my ($h, $file) = @_; return $file =~ /\.sh$/ ? [@limit, 'bash', $file] : program($file) },
});
# What a failed test says of itself is printed too.
$harness->callback(made_parser => sub {
	my ($parser) = @_;
	my $is_bad = 0;
	$parser->callback(test => sub { $is_bad = !$_[0]->is_ok });
	$parser->callback(comment => sub { print $_[0]->as_string, "\n" if $is_bad });
});
my $sum = $harness->runtests(@files);

# A file that died, or ran another number of tests than it planned, is one more failure.
my $broken = grep { $_->exit || $_->wait || @{[$_->parse_errors]} } grep { !$_->failed } $sum->parsers;
my $skipped = $sum->skipped;
$skipped++ for grep { $_->skip_all } $sum->parsers;
for my $parser ($sum->parsers) {
	print "skipped: $_\n" for grep { defined } $parser->skip_all;
}
my $passed = $sum->passed - $sum->skipped;
my $failed = $sum->failed + $broken;
print "$passed passed, $failed failed, $skipped skipped\n";
exit($failed || !$passed ? 1 : 0);
