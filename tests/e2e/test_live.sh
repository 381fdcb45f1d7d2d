#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The whole line once, live: a function that does three times its work must fail the build and be
# named; the same must come out of a replay. Each step waits for the one before it, so that thrice the
# steps are thrice the time on any processor; the effect is fifty times the noise: no clock decides.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/cli/lib.sh
. "$here/../cli/lib.sh"

repo live
cat >main.c <<'C'
#include <stdio.h>
static volatile unsigned long sink;
__attribute__((noinline)) static void parse(unsigned long n)
{
	for (unsigned long i = sink; n--;)
		sink = i = i * 6364136223846793005 + n;
}
__attribute__((noinline)) static void render(unsigned long n)
{
	for (unsigned long i = sink; n--;)
		sink = i = i * 2862933555777941757 + n;
}
int main(void)
{
	for (int round = 0; round < 20; round++) {
		parse(400000);
		render(1000000);
	}
	puts("done");
	return 0;
}
C
printf 'bench: main.c\n\t$(CC) -O1 -g -o bench main.c\n' >Makefile
printf 'bench\nflamegate-report/\n' >.gitignore
config 'policy:' '  pairs: {min: 16, max: 32}'
commit base
git checkout -qb topic
sed -i 's|		sink = i = i \* 63|		for (int k = 0; k < 3; k++)\n			sink = i = i * 63|' main.c
commit slower

run "$flamegate" check --base main
expect "a function that does three times its work fails the build" 1 "FAIL" "parse" "main.c:"
culprit=$("$flamegate" report --format culprit | head -n 1)
case $culprit in "parse main.c:"[5-8]) ok "the culprit is parse, at a line of its loop ($culprit)" ;; *) not_ok "the culprit is parse, at a line of its loop ($culprit)" ;; esac
cp -r flamegate-report/recordings "$work/recordings"
run "$flamegate" check --replay "$work/recordings" -o "$work/replayed"
expect "its replay fails as well" 1 "parse"
check "and writes the same bytes" diff -r -x recordings flamegate-report "$work/replayed"
run "$flamegate" compare "$work"/recordings/bench/base "$work"/recordings/bench/head -o "$work/compared"
expect "so does a comparison of the two recordings alone" 1 "parse"
facts() { perl "$here/../replay/report_facts.pl" "$1" bench "$2"; }
check "and prints the same" diff <(facts flamegate-report json) <(facts "$work/compared" json)
check "in Markdown too" diff <(facts flamegate-report markdown) <(facts "$work/compared" markdown)
[ "$(git worktree list | wc -l)" = 1 ] && ok "no worktree is left" || not_ok "no worktree is left"
run "$flamegate" check --base topic
expect "a commit against itself passes unmeasured" 0 "same files"

# The sampler on programs that nobody here wrote.
head -c 3000000 /dev/urandom | base64 >input
share() { sed -n 's/.*; \([0-9.]*\) % complete stacks.*/\1/p' "$work/out"; }
complete() {
	run "$flamegate" run -o "$work/profile" -- "${@:2}"
	if [ "$status" -eq 0 ] && awk -v s="$(share)" 'BEGIN { exit !(s >= 95) }'; then
		ok "$1: $(share) % complete stacks"
	else
		not_ok "$1: $(share) % complete stacks"
	fi
}
complete gzip gzip -9 -c input
complete python3 python3 -c 'print(sum(i * i for i in range(3000000)))'
cat >workers.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned long sink;
static void *work(void *argument)
{
	for (unsigned long i = 0; i < 60000000; i++)
		sink = sink * 31 + i;
	return argument;
}
int main(int count, char **words)
{
	pthread_t threads[4];

	(void)words;
	for (int i = 0; i < 4; i++) {
		if (count == 1)
			pthread_create(&threads[i], NULL, work, NULL);
		else if (!fork())
			_exit(work(NULL) != NULL);
	}
	for (int i = 0; i < 4; i++) {
		if (count == 1)
			pthread_join(threads[i], NULL);
		else
			wait(NULL);
	}
	return 0;
}
C
gcc -O1 -g -pthread -o workers workers.c || not_ok "the threaded program builds"
complete "four threads" ./workers
complete "four forked children" ./workers fork
grep -q ' in 5 processes' "$work/out" && ok "the children and their parent are five processes" || not_ok "the children and their parent are five processes"
pprof=$(command -v pprof || echo "$HOME/go/bin/pprof")
if [ -x "$pprof" ]; then
	ours=$(sed -n 's/.*: \([0-9.]*\) of [0-9.]* CPU seconds sampled.*/\1/p' "$work/out")
	theirs=$("$pprof" -top -unit=s "$work/profile/cpu.pb.gz" 2>/dev/null | sed -n 's/.* of \([0-9.]*\)s total.*/\1/p')
	[ -n "$ours" ] && [ "$ours" = "$theirs" ] && ok "pprof -top has the same total ($theirs s)" || not_ok "pprof -top has the same total ($theirs s, not $ours s)"
else
	skip "pprof is not installed"
fi
complete "a shell that runs programs" sh -c 'gzip -1 -c input | gzip -d >/dev/null'

run "$flamegate" run -o "$work/killed" -- sh -c 'gzip -9 -c input input input input >/dev/null; kill -9 $$'
expect "kill -9 in the middle: says what happened" 3 "SIGKILL"
[ -s "$work/killed/cpu.pb.gz" ] && "$flamegate" compare "$work/killed/cpu.pb.gz" "$work/killed/cpu.pb.gz" -o "$work/c" >/dev/null &&
	ok "the profile so far is readable" || not_ok "the profile so far is readable"

finish
