# SPDX-License-Identifier: Apache-2.0
# TAP and fixtures for shell tests. Source it; call `check NAME COMMAND...` or ok/not_ok; end with `finish`.
# shellcheck shell=bash
set -u
export LC_ALL=C
build=${FLAMEGATE_BUILD:?run the tests by make test}
flamegate=$build/flamegate
work=$(mktemp -d "${TMPDIR:-/tmp}/flamegate-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
tests=0
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.invalid GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.invalid
export GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z'
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
# The tests say themselves when they play CI.
unset FLAMEGATE_REPORT_URL CI GITHUB_ACTIONS GITHUB_BASE_REF GITHUB_STEP_SUMMARY GITHUB_OUTPUT GITHUB_TOKEN GITHUB_SHA GITHUB_REF GITHUB_EVENT_NAME GITHUB_EVENT_PATH
export FLAMEGATE_CACHE=$work/cache

ok() { tests=$((tests + 1)); echo "ok $tests - $1"; }
not_ok() { tests=$((tests + 1)); echo "not ok $tests - $1"; [ -f "$work/out" ] && sed 's/^/# /' "$work/out" | head -60; }
skip() { tests=$((tests + 1)); echo "ok $tests # SKIP $1"; }
finish() { echo "1..$tests"; }

# run COMMAND...: output in $work/out, exit status in $status
run() { "$@" >"$work/out" 2>&1 </dev/null; status=$?; }
# expect NAME STATUS TEXT...: the last run's exit status, and texts its output must hold
expect() {
	local name=$1 wanted=$2 text
	shift 2
	if [ "$status" -ne "$wanted" ]; then
		not_ok "$name (exit $status, wanted $wanted)"
		return
	fi
	for text in "$@"; do
		if ! grep -qF -- "$text" "$work/out"; then
			not_ok "$name (no '$text' in the output)"
			return
		fi
	done
	ok "$name"
}
check() { local name=$1; shift; if "$@" >"$work/out" 2>&1; then ok "$name"; else not_ok "$name"; fi; }

# without_valgrind: from here on one that always fails, so that no failing check counts calls under it, a minute each:
# for tests of other things
without_valgrind() {
	mkdir -p "$work/no-valgrind"
	printf '#!/bin/sh\nexit 1\n' >"$work/no-valgrind/valgrind"
	chmod +x "$work/no-valgrind/valgrind"
	PATH=$work/no-valgrind:$PATH
}

# repo NAME: an empty repository in $work/NAME, and cd into it
repo() { rm -rf "${work:?}/$1"; git init -q -b main "$work/$1" && cd "$work/$1" || exit 1; }
commit() { git add -A && git commit -qm "$1"; }

# rounds MS: how often this machine does `sink = sink * 31 + i`, sink being volatile, in MS milliseconds of CPU time:
# for programs of fixed work that must be long enough to be sampled. Machines differ by a factor of five in it.
rounds() {
	if [ ! -s "$work/rounds" ]; then
		cat >"$work/rounds.c" <<'C'
#include <stdio.h>
#include <time.h>
static volatile unsigned long sink;
int main(void)
{
	clock_t least = 0;
	for (int run = 0; run < 5; run++) {
		clock_t begin = clock(), took;
		for (unsigned long i = 0; i < 10000000; i++)
			sink = sink * 31 + i;
		took = clock() - begin;
		if (!run || took < least)
			least = took;
	}
	printf("%.0f\n", 1e7 * CLOCKS_PER_SEC / 1e3 / (double)least);
	return 0;
}
C
		cc -O1 -o "$work/rounds.bin" "$work/rounds.c" && "$work/rounds.bin" >"$work/rounds"
	fi
	echo $(($(cat "$work/rounds") * $1))
}

# program CPU_MS: main.c burns about that much CPU time in hot(), always by the same work
program() {
	cat >main.c <<'C'
#include <stdio.h>
static volatile unsigned long sink;
__attribute__((noinline)) void hot(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink = sink * 31 + i;
}
int main(void)
{
	for (int i = 0; i < 100; i++)
		hot(ROUNDS);
	puts("done");
	return 0;
}
C
	sed -i "s/ROUNDS/$(($(rounds "$1") / 100))/" main.c
	cat >Makefile <<'M'
bench: main.c
	$(CC) -O1 -g -o bench main.c
M
	printf 'bench\n' >.gitignore
}
# config [LINE...]: .flamegate.yml with one benchmark; more lines are appended. A small program detects little: it
# is run once a round, and no more often than policy.pairs says.
config() {
	cat >.flamegate.yml <<Y
version: 1
build: make -s
benchmarks:
  - name: bench
    command: ./bench
    work: fixed
    repeat: 1
    budget: 1s
    slices: ${SLICES:-off}
Y
	for line in "$@"; do printf '%s\n' "$line" >>.flamegate.yml; done
}
