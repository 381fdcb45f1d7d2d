#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make bench-suites itself, without a network and without a measurement: the suites' files, fetch.sh against a client of
# ours, lists as harnesses print them, and run.sh with a flamegate that says what it is told to.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/cli/lib.sh
. "$here/../../cli/lib.sh"
# Whoever runs it need have told git no name.
unset GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
value() { sed -n "s/^$2: *//p" "$1/suite"; }

# Why a suite's file cannot be right; nothing if it can.
faults() { # suite
	local key file
	for key in harness registry package version checksum needs build program list one include benchmark function file \
		rounds-10 rounds-30; do
		[ "$(grep -c "^$key: ." "$1/suite")" -eq 1 ] || echo "$key"
	done
	grep -qE '^checksum: ([0-9a-f]{64}|h1:[A-Za-z0-9+/]{43}=)$' "$1/suite" || echo "a checksum"
	[ "$(value "$1" rounds-10)" -lt "$(value "$1" rounds-30)" ] || echo "more rounds for 30 than for 10"
	perl "$here/names.pl" "$(value "$1" harness)" </dev/null || echo "a harness that names.pl knows"
	! grep -q '^beside:' "$1/suite" || {
		[ "$(value "$1" beside)" = yes ] || echo "beside: yes"
		perl "$here/beside.pl" time "$(value "$1" harness)" x </dev/null 2>/dev/null
		[ $? -eq 1 ] || echo "a harness that beside.pl reads"
	}
	file=$(value "$1" file)
	for key in comment planted; do
		[ "$(grep -c '^+++ b/' "$1/$key.patch")" -eq 1 ] && grep -qxF "+++ b/$file" "$1/$key.patch" || echo "$key.patch to $file alone"
		[ $key = planted ] || ! grep -qE "^-[^-]" "$1/$key.patch" || echo "$key.patch that takes nothing away"
	done
	[ "$(grep -cE '^\+[^+]' "$1/comment.patch")" -eq 1 ] && grep -qE '^\+\s*//' "$1/comment.patch" || echo "comment.patch of one comment"
	[ "$(grep -cF @ROUNDS@ "$1/planted.patch")" -eq 1 ] || echo "planted.patch with @ROUNDS@"
}
for suite in "$here"/suites/*; do
	faults "$suite" >"$work/faults" 2>&1
	check "the file of $(basename "$suite") says all that is needed" diff /dev/null "$work/faults"
done

names() { perl "$here/names.pl" "$1" | tr '\n' ' ' >"$work/names"; }
is() { [ "$(cat "$work/names")" = "$1" ] || { cat "$work/names"; false; }; }
printf 'BM_a/0\nBM_a/1\n' | names google-benchmark
check "google-benchmark's list is read" is "BM_a/0 BM_a/1 "
printf 'WARNING: HTML\nGnuplot not found\nreq/req: bench\n\nu64[max]/itoa: benchmark\n' | names criterion
check "criterion's list is read in both of its forms" is "req/req u64[max]/itoa "
printf 'crate\n├─ a\n│  ├─ x\n│  ╰─ y\n├─ b\n╰─ c\n   ╰─ d\n      ╰─ z\n' | names divan
check "divan's tree is read: its leaves, by the names that its filters know" is "a::x a::y b c::d::z "
printf 'BenchmarkA\nBenchmarkB\nok  \tx\t0.1s\n' | names go
check "go's list is read" is "BenchmarkA BenchmarkB "

# What the harnesses printed, word for word but for what stands around it; beside each benchmark stands its neighbour.
ns() { run bash -c '"$@" <"$0"' "$work/printed" perl "$here/beside.pl" time "$@"; cp "$work/out" "$work/ns"; }
is_ns() { [ "$status" -eq 0 ] && [ "$(cat "$work/ns")" = "$1" ] || { cat "$work/ns"; false; }; }
cat >"$work/printed" <<'P'
Load Average: 4.60, 4.02, 3.20
***WARNING*** Library was built as DEBUG. Timings may be affected.
---------------------------------------------------------------------
Benchmark           Time             CPU   Iterations UserCounters...
---------------------------------------------------------------------
BM_ZFlat/0     130537 ns        68680 ns        11742 bytes_per_second=1.38859G/s html (22.31 %)
BM_ZFlat/01       1.5 us          1.4 us       411742
BM_twice           10 ns           10 ns            1
BM_twice           10 ns           10 ns            1
P
ns google-benchmark BM_ZFlat/0
check "google-benchmark's elapsed time is read, not its CPU time" is_ns 130537
ns google-benchmark BM_ZFlat/01
check "and is nanoseconds, whatever its unit is" is_ns 1500
ns google-benchmark BM_ZFlat
expect "a benchmark that did not run has no time" 1 "0 times of BM_ZFlat"
ns google-benchmark BM_twice
expect "and one that ran twice has none" 1 "2 times of BM_twice"
printf 'goos: linux\ncpu: AMD EPYC\nBenchmarkStepString \t   37446\t     35973 ns/op\n' >"$work/printed"
printf 'BenchmarkStep-2 \t 1000000\t      1003.5 ns/op\t     320 B/op\nPASS\n' >>"$work/printed"
ns go BenchmarkStepString
check "go's time is read" is_ns 35973
ns go BenchmarkStep
check "and where it says how many processors there were" is_ns 1003.5
ns divan BenchmarkStep
expect "of other harnesses nothing is guessed" 2 "the output of 'divan' is not read"

# benchstat's answer as it prints it, p by whether the runs of both versions overlap.
cat >"$work/benchstat" <<'B'
#!/usr/bin/perl
use strict;
my ($format, $csv, @files) = @ARGV;
my @times = map { open my $in, '<', $_ or exit 1; [sort { $a <=> $b } map { m{^BenchmarkOne 1 (\S+) ns/op$} ? $1 : exit 1 } <$in>] } @files;
my ($base, $head) = @times;
my ($b, $h) = map { ($_->[$#$_ / 2] + $_->[@$_ / 2]) / 2 } @times;
my $apart = $base->[-1] < $head->[0] || $head->[-1] < $base->[0];
"$format $csv" eq '-format csv' or exit 1;
print ",base,,head,,,\n,sec/op,CI,sec/op,CI,vs base,P\n";
printf "One,%.10g,∞,%.10g,∞,%s,p=%s n=%d\n", $b / 1e9, $h / 1e9, $apart ? sprintf('%+.2f%%', 100 * $h / $b - 100) : '~', $apart ? '0.029' : '0.343', scalar @$base;
printf "geomean,%.10g,,%.10g,,%+.2f%%,\n", $b / 1e9, $h / 1e9, 100 * $h / $b - 100;
B
chmod +x "$work/benchstat"
times() { { printf 'base %s\n' ${1//,/ }; printf 'head %s\n' ${2//,/ }; } >"$work/times-$3"; }
says() { perl "$here/beside.pl" count "$work/benchstat" "$work"/times-* | diff - <(printf 'benchstat: %s\nmean: %s\n' "$@"); }
times 100,101,102,103 104,105,106,107 1
check "a rule that asks for significance sees 4 %, a threshold of 10 % does not" says 1 0
times 100,100,100,100 110,110,110,110 2
check "and 10 % is enough for both" says 2 1
times 100,100,100,100 100,100,100,150 3
check "one slow run moves the mean, and is not significant" says 2 2
times 104,105,106,107 100,101,102,103 4
check "what is faster is no alarm" says 2 2
run perl "$here/beside.pl" count false "$work/times-1"
check "a benchstat that says nothing is an error" test "$status" -ne 0
echo 'base 100' >"$work/times-5"
run perl "$here/beside.pl" count "$work/benchstat" "$work/times-5"
check "and so is half an experiment" test "$status" -ne 0

# A registry's client of ours, and a suite that it serves.
mkdir -p "$work/bin" "$work/small"
cat >"$work/bin/go" <<'G'
#!/bin/sh
echo "go $*" >>"${0%/bin/go}/asked"
case "$*" in
"mod download -json example.org/small@v1.0.0")
	mkdir -p dir && cd dir || exit 1
	printf '#!/bin/sh\n[ "$1" != --benchmark_list_tests ] || printf "BM_a\\nBM_b\\n"\n# one\n# two\n# three\n[ -n "$1" ] || . "$FAKE/run"\n' >program.sh
	chmod +x program.sh && printf '{\n\t"Dir": "%s",\n\t"Sum": "%s"\n}\n' "$PWD" "$(cat "${0%/bin/go}/sum")" ;;
"mod download -json golang.org/x/perf@"*) printf '{\n\t"Sum": "%s"\n}\n' "$(cat "${0%/bin/go}/perf-sum")" ;;
"install golang.org/x/perf/cmd/benchstat@"*) cp "${0%/bin/go}/benchstat" "$GOBIN/" ;;
"mod download") ;;
*) exit 1 ;;
esac
G
chmod +x "$work/bin/go"
sum="h1:$(printf 'A%.0s' $(seq 43))="
echo "$sum" >"$work/sum"
cat >"$work/small/suite" <<S
harness: google-benchmark
registry: go
package: example.org/small
version: v1.0.0
checksum: $sum
needs: sh
build: mkdir -p build && cp program.sh build/program
program: build/program
list: "\$program" --benchmark_list_tests
one: "\$program"
include: BM_a
benchmark: BM_a
function: parse
file: program.sh
rounds-10: 1
rounds-30: 3
S
patch_of() { printf -- '--- a/program.sh\n+++ b/program.sh\n@@ -3,3 +3,4 @@\n # one\n # two\n+%s\n # three\n' "$1"; }
patch_of '# a comment' >"$work/small/comment.patch"
patch_of ': @ROUNDS@' >"$work/small/planted.patch"
export PATH=$work/bin:$PATH

run bash "$here/fetch.sh" "$work/small" "$work/sources"
expect "what has the checksum is fetched" 0 /package
run bash "$here/fetch.sh" "$work/small" "$work/sources"
check "and not a second time" test "$(grep -c json "$work/asked")" -eq 1
echo h1:other >"$work/sum"
run bash "$here/fetch.sh" "$work/small" "$work/elsewhere"
expect "another checksum is refused" 3 "another checksum"
check "and nothing of it is kept" test -z "$(ls "$work/elsewhere")"
mkdir "$work/gone" && cp "$work/small"/* "$work/gone" && sed -i 's/v1.0.0/v9.0.0/' "$work/gone/suite"
run bash "$here/fetch.sh" "$work/gone" "$work/elsewhere"
expect "a registry's refusal is final, and said" 3 "example.org/small v9.0.0: go does not get it"
echo "$sum" >"$work/sum"

# flamegate, as run.sh asks it: what it was asked, and the status and culprit that it was told to give.
cat >"$work/bin/flamegate" <<'F'
#!/bin/sh
here=${0%/*}
echo "$*" >>"$FAKE/asked"
case "$*" in
--version) echo "flamegate of the test"; exit ;;
"init --try") printf 'version: 1\nbenchmarks:\n  - name: all\n' >.flamegate.yml
	exit ;;
*--measure-identical*) which=identical ;;
*planted-10* | *planted-30*) which=planted ;;
*) which=comment ;;
esac
status=$(sed -n "s/^$which //p" "$FAKE/statuses")
while [ "$1" != -o ]; do shift; done
mkdir -p "$2"
word=pass culprits= change=0.1
case $2 in *-seen/*) change=0.29 ;; esac
[ "$status" -ne 1 ] || { word=fail culprits='{"function": 1}'; }
cat >"$2/report.json" <<J
{"benchmarks": [{"name": "all/crate__BM_a", "outcome": "measured", "status": "$word", "mde_total": 0.013,
 "total": {"base": 0.25, "change": $change}, "culprits": [$culprits], "strings": ["main", "ns::parse(int)"], "functions": {"name": [0, 1]}}]}
J
exit "$status"
F
chmod +x "$work/bin/flamegate"
export FAKE=$work/fake FLAMEGATE=$work/bin/flamegate FLAMEGATE_SUITES=$work/kept PREFIX=env
mkdir "$FAKE"
say() { printf 'comment %s\nidentical %s\nplanted %s\n' "$@" >"$FAKE/statuses"; }
checks() { grep -c '^check ' "$FAKE/asked"; }

say 0 0 1
run bash "$here/run.sh" "$work/small"
expect "a suite goes from init --try to its verdicts" 0 "| small | google-benchmark | 2 |" "| +29.0 % | 0 |" \
	"| 0.25 | 1.3 % | pass | pass | FAIL (1) | ns::parse(int) |"
check "the configuration is what flamegate wrote" grep -qx 'init --try' "$FAKE/asked"
check "each change is checked once, and 30 % by the one benchmark" test "$(checks)" -eq 4
check "whose name is a glob" grep -q -- 'check .*--head planted-30 .*-B \*\[/_\]BM_a -o' "$FAKE/asked"
run bash "$here/run.sh" "$work/small"
expect "a second run says the same" 0 "| pass | pass | FAIL (1) | ns::parse(int) |"
check "and measures nothing" test "$(checks)" -eq 4
rm "$work"/kept/rows/small-*/results/*-identical
say 0 1 1
run bash "$here/run.sh" "$work/small"
expect "what is missing is measured again, and a false alarm makes the exit status 1" 1 "| pass | FAIL (1) ! | FAIL (1) |"
check "what is missing alone" test "$(checks)" -eq 5
rm "$work"/kept/rows/small-*/results/*-{identical,planted}
say 0 0 1
sed -i 's/"function": 1/"function": 0/' "$work/bin/flamegate"
run bash "$here/run.sh" "$work/small"
expect "another build of flamegate is another measurement, and another culprit is red" 1 "| pass | pass | FAIL (1) ! | main |"
SHORT=yes run bash "$here/run.sh" "$work/small"
check "the short form checks what the suite includes, of whatever entry" \
	grep -q -- 'check .*--head comment .*-B \*/BM_a -o' "$FAKE/asked"
check "and nothing else" test -z "$(grep 'BM_b' "$FAKE/asked")"
mkdir "$work/by-hand" && printf 'version: 1\nbenchmarks:\n  - name: mine\n' >"$work/by-hand/small.yml"
CONFIG=$work/by-hand FLAMEGATE_SUITES=$work/kept-2 run bash "$here/run.sh" "$work/small"
expect "a configuration by hand counts as edits" 1 "| +29.0 % | 3 |"
run bash "$here/run.sh" "$work/gone"
expect "what its registry refuses is said, and is no failure" 0 "| gone | google-benchmark | not to be had here |"

# The case beside, with a harness whose times are 100 to 102 ns, and 20 more where 10 % are planted.
cat >"$FAKE/run" <<'R'
basename "$0" >>"$FAKE/runs"
ns=$((100 + $(wc -l <"$FAKE/runs") % 3))
! grep -qx ': 1' "$0" || ns=$((ns + 20))
printf 'BM_a %14d ns %14d ns %11d\n' $ns 50 1000
R
asked() { grep -c "$1" "$work/asked"; }
runs() { wc -l <"$FAKE/runs"; }
export EXPERIMENTS=2 RUNS=4
sed -i 's/"function": 0/"function": 1/' "$work/bin/flamegate"
: >"$FAKE/runs"
CASES=beside run bash "$here/run.sh" "$work/small"
check "a suite that does not say so is not asked for times" test "$(runs)" -eq 0
echo 'beside: yes' >>"$work/small/suite"
echo h1:other >"$work/perf-sum"
CASES=beside run bash "$here/run.sh" "$work/small"
expect "a benchstat with another checksum is refused" 0 "golang.org/x/perf" "another checksum" "beside: no result"
check "and nothing is measured" test "$(runs)" -eq 0
sed -n 's/^checksum=//p' "$here/benchstat.sh" >"$work/perf-sum"
before=$(checks)
CASES="init beside comment" run bash "$here/run.sh" "$work/small"
expect "the same code and the planted change are counted by each rule" 0 \
	"| small | BM_a | 2 of 4 + 4 runs | benchstat: slower, p < 0.05 | 0 | 2 |" "| small | BM_a | 2 of 4 + 4 runs | the mean is 10 % slower | 0 | 2 |"
check "first all runs of base, then all of head" diff <(uniq -c "$FAKE/runs" | awk '{ print $1, $2 }') \
	<(printf '12 base\n4 planted-10\n12 base\n4 planted-10\n')
check "what flamegate had checked before is kept" test "$(checks)" -eq "$before"
run bash "$here/run.sh" "$work/small"
expect "flamegate's own verdicts stand beside them" 0 "| small | BM_a | 2 of 4 + 4 runs |" "| small | all 1 | one check | flamegate | pass | FAIL (1) |"
: >"$FAKE/runs"
CASES=beside EXPERIMENTS=3 run bash "$here/run.sh" "$work/small"
expect "more experiments are added to those there are" 0 "| 3 of 4 + 4 runs | the mean is 10 % slower | 0 | 3 |"
check "which are not run again" test "$(runs)" -eq 16
check "benchstat is built once" test "$(asked '^go install')" -eq 1
rm "$work"/kept/rows/small-*/beside/planted-4-2
: >"$FAKE/runs"
cp "$FAKE/run" "$FAKE/right"
printf '. "$FAKE/right"\n[ $(wc -l <"$FAKE/runs") -ne 6 ] || exit 1\n' >"$FAKE/run"
CASES=beside EXPERIMENTS=3 run bash "$here/run.sh" "$work/small"
expect "a run that fails ends the case" 0 "run 2 of head failed" "beside: no result"
check "and its experiment is none" test ! -e "$(echo "$work"/kept/rows/small-*/beside)/planted-4-2"
cp "$FAKE/right" "$FAKE/run"
: >"$FAKE/runs"
CASES=beside FLAMEGATE_SUITES=$work/kept-3 run bash "$here/run.sh" "$work/small"
expect "it needs no configuration of flamegate's" 0 "| benchstat: slower, p < 0.05 | 0 | 2 |"
run env FLAMEGATE_SUITES="$work/kept-3" bash "$here/run.sh" "$work/small"
expect "and leaves what flamegate checks as it is" 0 "| pass | pass | FAIL (1) | ns::parse(int) |"
for kept in kept kept-3; do
	check "the planted change lies on what init --try wrote, whichever came first ($kept)" \
		git -C "$(echo "$work/$kept"/rows/small-*/repo)" merge-base --is-ancestor start planted-10
done
EXPERIMENTS=many run bash "$here/run.sh" "$work/small"
expect "how many is a number" 2 "EXPERIMENTS and RUNS are numbers"
run bash "$here/run.sh" nothing
expect "a suite that is none is a usage error" 2 "no suite nothing"
finish
