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

# A registry's client of ours, and a suite that it serves.
mkdir -p "$work/bin" "$work/small"
cat >"$work/bin/go" <<'G'
#!/bin/sh
echo "go $*" >>"${0%/bin/go}/asked"
case "$*" in
"mod download -json example.org/small@v1.0.0")
	mkdir -p dir && cd dir || exit 1
	printf '#!/bin/sh\n[ "$1" != --benchmark_list_tests ] || printf "BM_a\\nBM_b\\n"\n# one\n# two\n# three\n' >program.sh
	chmod +x program.sh && printf '{\n\t"Dir": "%s",\n\t"Sum": "%s"\n}\n' "$PWD" "$(cat "${0%/bin/go}/sum")" ;;
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
*planted-10*) which=planted ;;
*) which=comment ;;
esac
status=$(sed -n "s/^$which //p" "$FAKE/statuses")
while [ "$1" != -o ]; do shift; done
mkdir -p "$2"
word=pass culprits=
[ "$status" -ne 1 ] || { word=fail culprits='{"function": 1}'; }
cat >"$2/report.json" <<J
{"benchmarks": [{"name": "all/crate__BM_a", "outcome": "measured", "status": "$word", "mde_total": 0.013,
 "total": {"base": 0.25, "change": 0.1}, "culprits": [$culprits], "strings": ["main", "ns::parse(int)"], "functions": {"name": [0, 1]}}]}
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
expect "a suite goes from init --try to its verdicts" 0 "| small | google-benchmark | 2 |" "| +10.0 % | 0 |" \
	"| 0.25 | 1.3 % | pass | pass | FAIL (1) | ns::parse(int) |"
check "the configuration is what flamegate wrote" grep -qx 'init --try' "$FAKE/asked"
check "each change is checked once" test "$(checks)" -eq 3
run bash "$here/run.sh" "$work/small"
expect "a second run says the same" 0 "| pass | pass | FAIL (1) | ns::parse(int) |"
check "and measures nothing" test "$(checks)" -eq 3
rm "$work"/kept/rows/small-*/results/*-identical
say 0 1 1
run bash "$here/run.sh" "$work/small"
expect "what is missing is measured again, and a false alarm makes the exit status 1" 1 "| pass | FAIL (1) ! | FAIL (1) |"
check "what is missing alone" test "$(checks)" -eq 4
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
expect "a configuration by hand counts as edits" 1 "| +10.0 % | 3 |"
run bash "$here/run.sh" "$work/gone"
expect "what its registry refuses is said, and is no failure" 0 "| gone | google-benchmark | not to be had here |"
run bash "$here/run.sh" nothing
expect "a suite that is none is a usage error" 2 "no suite nothing"
finish
