#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Proves that dependencies point one way: every #include of a project header is one that the tables allow, no folder of
# a room depends on one that depends on it, and each foreign library is included in one place alone. Also: every header
# compiles alone, and declares what it only points to where many files stand behind the header that has it.
#
#   tests/check-layers.pl [--headers]     from anywhere
use strict;
use warnings;
use File::Basename qw(dirname basename);
use File::Find;
chdir dirname($0) . '/..' or die;

# Of rooms: what each may include besides itself.
my %room = map { my ($name, $rest) = /^\s*(\S+?):\s*(.*)/ or die; ($name => [split ' ', $rest]) } split /\n/, <<'END';
gate/base:
gate/launch:
gate/vcs: gate/base
gate/net: gate/base
gate/profile: gate/base gate/sampler/capture/capture.h gate/sampler/environment.h gate/sampler/unwind/unwind.h
gate/verdict: gate/base
gate/sampler:
gate/clock: gate/sampler/raw.h
gate/bench: gate/base gate/vcs gate/net gate/profile gate/clock/clock_file.h gate/clock/clock_variable.h gate/sampler/control.h gate/sampler/environment.h
gate/compare: gate/base gate/profile gate/verdict
baseline: gate/base gate/vcs gate/net gate/profile gate/bench
gate/check: gate/base gate/vcs gate/net gate/profile gate/verdict gate/bench gate/compare baseline/store.h baseline/choose.h baseline/source.h
report: gate/base gate/net gate/check/result.h gate/check/status.h gate/check/whole.h
gate/cli: gate report baseline/store.h
END

# Within rooms: what each folder may include of its own room. A room's own files may include all of its folders.
my %inner = map { my ($name, $rest) = /^\s*(\S+?):\s*(.*)/ or die; ($name => [split ' ', $rest]) } split /\n/, <<'END';
baseline/directory: instant.h line store_internal.h
baseline/line: instant.h store.h store_internal.h
baseline/notes: instant.h line store_internal.h
baseline/parca: instant.h server source_internal.h store_internal.h
baseline/pyroscope: instant.h server source_internal.h store_internal.h
baseline/server: instant.h source_internal.h store.h store_internal.h
gate/base/process: arena.h error.h file.h strbuf.h
gate/bench/build: config elf environment.h leavings.h untrusted_file.h
gate/bench/cmake: untrusted_file.h
gate/bench/config:
gate/bench/detect: cmake harness preload untrusted_file.h
gate/bench/elf: untrusted_file.h
gate/bench/harness: config elf preload
gate/bench/instructions: elf environment.h leavings.h preload machine run untrusted_file.h
gate/bench/machine: build config environment.h
gate/bench/recording: config machine run untrusted_file.h
gate/bench/preload: elf
gate/bench/run: environment.h leavings.h preload untrusted_file.h
gate/check/accept: result.h measurements
gate/check/analysis: measurements whole.h
gate/check/calls: analysis runs
gate/check/decide: accept analysis findings result.h measurements source version.h
gate/check/expand: plan
gate/check/findings: analysis production result.h measurements source
gate/check/measure: analysis calls check.h decide expand output_folder.h plan production runs measurements fixed_work
gate/check/plan: accept check.h output_folder.h measurements
gate/check/production: analysis result.h measurements
gate/check/runs: analysis plan version.h
gate/check/self_test: analysis check.h decide measure result.h runs status.h measurements
gate/check/measurements: status.h version.h work_done.h
gate/check/source: analysis result.h measurements
gate/check/fixed_work: runs version.h
gate/cli/completion: commands.h
gate/cli/doctor: output.h version
gate/cli/init: output.h
gate/profile/callgrind: profile.h profile_kind.h symbolize
gate/profile/capture:
gate/profile/code: object
gate/profile/frames: profile.h profile_kind.h
gate/profile/object:
gate/profile/reader: code object
gate/profile/symbolize: capture code frames profile.h profile_kind.h reader
gate/sampler/capture: context.h environment.h paused_time.h raw.h real.h regions.h sampler.h signal slowdown.h
gate/sampler/heap: capture context.h offcpu raw.h regions.h sampler.h thread
gate/sampler/interpose: heap offcpu raw.h real.h sampler.h signal thread waits
gate/sampler/offcpu: context.h raw.h real.h regions.h sampler.h thread unwind
gate/sampler/signal: context.h environment.h offcpu raw.h real.h sampler.h thread unwind
gate/sampler/thread: heap raw.h sampler.h signal
gate/sampler/timer: raw.h sampler.h thread
gate/sampler/unwind: raw.h
gate/sampler/waits: context.h raw.h regions.h sampler.h signal
gate/vcs/notes: repo.h repo_internal.h
gate/verdict/estimate: check_input.h verdict.h
gate/verdict/localise: estimate gate.h stage.h verdict.h
gate/verdict/screen: check_input.h estimate verdict.h
report/ci: clean.h findings markup.h view words
report/findings: clean.h words
report/html: clean.h findings json markup.h view words
report/json: view words
report/markdown: ci clean.h findings view words
report/svg: clean.h findings markup.h view words
report/terminal: clean.h findings view words
report/view: json
report/words: clean.h
END

# Folders that may depend on each other: a thread's state is the sampler's, and a report's schema is its view's.
my @circles = ([qw(gate/sampler/capture gate/sampler/heap gate/sampler/offcpu gate/sampler/signal gate/sampler/thread)],
	[qw(report/json report/view)]);

# Foreign headers, and the files that may include them.
my @foreign = (
	[qr{^git2\.h}, qr{^gate/vcs/}],
	[qr{^cjson/}, qr{^gate/net/json}],
	[qr{^curl/}, qr{^gate/net/}],
	[qr{^protobuf-c}, qr{^(gate/profile/pprof|baseline/parca/|baseline/pyroscope/)}],
	[qr{^profile\.pb-c\.h}, qr{^gate/profile/pprof}],
	[qr{^parca\.pb-c\.h}, qr{^baseline/parca/}],
	[qr{^pyroscope\.pb-c\.h}, qr{^baseline/pyroscope/}],
	[qr{^(elfutils/|dwarf\.h|libdw|gelf\.h|libelf\.h|demangle\.h|libiberty/)}, qr{^gate/profile/(object|reader|code|symbolize)/}],
	[qr{^yaml\.h}, qr{^gate/bench/config/}],
	[qr{^zlib\.h}, qr{^gate/base/gzip}],
	[qr{^capstone/}, qr{^gate/profile/code/code_decode}],
);

my $broken = 0;
sub complain { print "$_[0]\n"; $broken++ }

sub room_of {
	my ($path) = @_;
	return $path =~ m{^(gate/[^/]+)/} ? $1 : $path =~ m{^([^/]+)/} ? $1 : $path;
}

sub permits {
	my ($list, $header) = @_;
	return grep { $header eq $_ || index($header, "$_/") == 0 } @$list;
}

# A file without its comments.
sub code_of {
	my ($file) = @_;
	open my $in, '<', $file or die "$file: $!";
	local $/;
	return <$in> =~ s{/\*.*?\*/}{ }gsr;
}

sub is_first_of_its_own {
	my ($header) = @_;
	(my $own = $header) =~ s/\.h$/.c/;
	return -f $own && code_of($own) =~ /^\s*#\s*include\s*["<]([^">]+)/m && $1 eq $header;
}

my (@sources, %used);
find({no_chdir => 1, wanted => sub { push @sources, $_ if /\.[ch]$/ && -f }}, qw(gate report baseline));

sub check_project {
	my ($file, $line, $header) = @_;
	my ($from, $to) = (dirname($file), dirname($header));
	my $room = room_of($file);
	return complain("$file:$line: there is no $header") unless -f $header;
	if (room_of($header) ne $room) {
		complain("$file:$line: $room may not include $header") unless permits($room{$room} // [], $header);
		return;
	}
	return if $from eq $to || $from eq $room;
	$used{$from}{$to} = 1;
	complain("$file:$line: $from may not include $header")
		unless permits([map { "$room/$_" } @{$inner{$from} // []}], $header);
}

for my $file (sort @sources) {
	open my $in, '<', $file or die "$file: $!";
	while (my $text = <$in>) {
		next unless $text =~ /^\s*#\s*include\s*(["<])([^">]+)/;
		my ($header, $line) = ($2, $.);
		check_project($file, $line, $header) if $header =~ m{^(gate|report|baseline)/};
		for my $rule (@foreign) {
			complain("$file:$line: <$header> is not for this place") if $header =~ $rule->[0] && $file !~ $rule->[1];
		}
	}
}

# What many files stand behind is included by headers only where they hold one, or use its constants.
for my $header (qw(gate/base/error.h gate/bench/recording/recording.h gate/check/result.h)) {
	my $text = code_of($header);
	my $structs = join '|', $text =~ /^struct (\w+) \{/mg;
	my @constants = map { /\b([A-Z]\w+)\b/g } $text =~ /^enum[^{};]*\{(.*?)\}/msg;
	my $names = join '|', @constants, $text =~ /^enum (\w+)/mg, $text =~ /^#define (\w+)/mg, $text =~ /^[\w *]*?\b(\w+)\([^;{]*;/mg;
	for my $file (grep { /\.h$/ && $_ ne $header } sort @sources) {
		my $user = code_of($file);
		next unless $user =~ s/^#include "\Q$header\E"\n//m;
		complain("$file includes $header, of which it uses nothing but pointers: declare their structs")
			unless $user =~ /\b(?:$names)\b|\bstruct (?:$structs)\b(?!\s*[*;])|->/;
	}
}

# What the tables allow must be needed, and must not go round.
for my $name (sort keys %inner) {
	complain("the table has $name, which is no folder") unless -d $name;
	my $room = room_of($name);
	for my $permit (@{$inner{$name}}) {
		my $path = "$room/$permit";
		complain("the table allows $name $permit, which is not there") unless -e $path;
		complain("the table allows $name $permit, which it does not need") if -d $path && !$used{$name}{$path};
	}
}

my (%state, %circle);
for my $i (0 .. $#circles) { $circle{$_} = $i for @{$circles[$i]} }
sub visit {
	my ($name, @way) = @_;
	return if ($state{$name} // '') eq 'done';
	if (($state{$name} // '') eq 'open') {
		complain('a circle: ' . join(' -> ', @way, $name));
		return;
	}
	$state{$name} = 'open';
	for my $to (sort keys %{$used{$name} // {}}) {
		next if $to eq room_of("$name/x");
		next if defined $circle{$name} && defined $circle{$to} && $circle{$name} == $circle{$to};
		visit($to, @way, $name);
	}
	$state{$name} = 'done';
}
visit($_) for sort keys %used;

if (@ARGV && $ARGV[0] eq '--headers') {
	my $flags = `pkg-config --cflags libgit2 libprotobuf-c libcjson libcurl zlib libdw yaml-0.1`;
	chomp $flags;
	# What its own .c includes before all else has been compiled alone.
	my @headers = sort grep { /\.h$/ && !is_first_of_its_own($_) } @sources;
	open my $out, '|-', 'xargs', '-P', '2', '-I', '{}', 'sh', '-c',
		"printf '#include \"{}\"\\n' | gcc -std=gnu17 -D_GNU_SOURCE -I. $flags -Wall -Wextra -Werror -fsyntax-only -x c - || " .
		"{ echo '{} does not compile alone'; exit 1; }" or die;
	print $out "$_\n" for @headers;
	close $out or $broken++;
}
print $broken ? "layers: $broken broken\n" : "layers: fine\n";
exit($broken ? 1 : 0);
