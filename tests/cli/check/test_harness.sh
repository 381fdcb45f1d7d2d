#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One program, many benchmarks: what a harness lists becomes benchmarks of their own, in check, record, replay,
# acceptances and stored baselines. First with a program that obeys google-benchmark's flags and nothing more, then with
# Debian's google-benchmark.
# shellcheck disable=SC2016 # make's variables
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../lib.sh"
without_valgrind

# suite CPU_MS: a program whose benchmarks are named "parse", "fib 20" and "odd<int>/8"; N_FIB times as much in one
suite() {
	cat >suite.c <<'C'
#include <stdio.h>
#include <string.h>
#include "size.h"
static const char help[] = "--benchmark_min_time"; /* what its harness is known by */
static volatile unsigned long sink;
#define WORK(name, times) \
	static __attribute__((noinline)) void name(void) \
	{ \
		for (unsigned long i = 0; i < (times) * ROUNDSUL; i++) \
			sink = sink * 31 + i; \
	}
WORK(parse_text, 1)
WORK(fibonacci, N_FIB)
WORK(odd_one, 1)
static const struct { const char *name, *filter; void (*run)(void); } all[] = {
	{"parse", "^parse$", parse_text},
#ifndef NO_FIB
	{"fib 20", "^fib 20$", fibonacci},
#endif
#ifdef MORE
	{"more", "^more$", parse_text},
#endif
	{"odd<int>/8", "^odd<int>/8$", odd_one},
};
int main(int argc, char **argv)
{
	const char *filter = ".", *key = "--benchmark_filter=";
	int list = 0;
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--benchmark_list_tests=true") == 0)
			list = 1;
		else if (strncmp(argv[i], key, strlen(key)) == 0)
			filter = argv[i] + strlen(key);
	puts("a suite of mine"); /* a banner is no benchmark */
#ifdef BROKEN
	if (list) { fprintf(stderr, "no %s today\n", help); return 3; }
#endif
	for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (strcmp(filter, ".") == 0 || strcmp(filter, all[i].filter) == 0) {
			if (list) puts(all[i].name); else all[i].run();
		}
	return help[0] == 0;
}
C
	sed -i "s/ROUNDSUL/$(rounds "$1")UL/" suite.c
	echo '#define N_FIB 1' >size.h
	printf 'suite: suite.c size.h\n\t$(CC) -O1 -g $(DEFINES) -o suite suite.c\n' >Makefile
	printf 'suite\n' >.gitignore
}
configure() { # [LINE...] of the one benchmark
	cat >.flamegate.yml <<Y
version: 1
build: make -s
benchmarks:
  - name: mine
    command: ./suite
    work: fixed
    repeat: 1
    budget: 1s
    slices: off
Y
	for line in "$@"; do printf '    %s\n' "$line" >>.flamegate.yml; done
	printf 'policy:\n  on_mde: warn\n' >>.flamegate.yml
}
edit() { sed -i "$1" suite.c size.h Makefile; commit "${2:-an edit}"; }
lacks() { local name=$1; shift; if grep -qF -- "$1" "$work/out"; then not_ok "$name"; else ok "$name"; fi; }
# says NAME TEXT: in the report, where no line is broken
says() { if grep -qF -- "$2" flamegate-report/report.json; then ok "$1"; else not_ok "$1"; fi; }
named() { python3 -c 'import json; print(*(b["name"] + ":" + b["status"] for b in json.load(open("flamegate-report/report.json"))["benchmarks"]))'; }
is_named() { if [ "$(named)" = "$2" ]; then ok "$1"; else named >"$work/out"; not_ok "$1"; fi; }

# ---- what it lists
repo lists; suite 20; configure; commit base; git checkout -qb topic
edit 's/N_FIB 1/N_FIB 2/' slower
run "$flamegate" check --base main
expect "a slowdown is found in the one benchmark that has it" 1 "mine: 3 benchmarks, listed by google-benchmark" \
	"FAIL   mine/fib_20 takes" "fibonacci"
lacks "parse does not fail" "FAIL   mine/parse"
lacks "nor does the odd one" "FAIL   mine/odd"
check "each is a benchmark, and none is the banner" test "$(named | tr ' ' '\n' | cut -d: -f1 | tr '\n' ' ')" = "mine/parse mine/fib_20 mine/odd_int_/8 "
check "the report shows the command as one would type it" grep -qF "./suite '--benchmark_filter=^fib 20\$'" flamegate-report/report.json
cp flamegate-report/report.json "$work/live.json"
run "$flamegate" check --replay flamegate-report/recordings -o replayed
expect "a replay knows them" 1 "mine/fib_20 takes"
check "and is the same byte for byte" cmp "$work/live.json" replayed/report.json

# ---- one of them
run "$flamegate" check --base main --benchmark mine/parse
expect "one of them can be chosen" 0 "mine: 1 benchmark"
is_named "and is the only one" "mine/parse:$(named | sed 's/.*://')"
run "$flamegate" check --base main --benchmark '*/[op]*'
expect "or some, by a glob" 0 "mine: 2 benchmarks"
is_named "and no other" "mine/parse:$(named | sed 's/.*parse:\([a-z]*\).*/\1/') mine/odd_int_/8:$(named | sed 's/.*://')"
sed -i 's/^policy/  - {name: sort, command: .\/suite, work: fixed, repeat: 1, budget: 1s, harness: none}\n  - {name: parse, command: "true", work: fixed, repeat: 1, budget: 1s}\npolicy/' .flamegate.yml; commit "two more entries"
run "$flamegate" record --rounds 1 --benchmark '*sort' --output some
expect "what lists nothing is not recorded for a glob that it could have fitted" 0 "INFO   recorded 1 benchmark of"
git reset -q --hard HEAD^
run "$flamegate" check --base main --benchmark 'mine/nosuch*'
expect "a glob that fits none is a wrong name" 2 "no benchmark fits 'mine/nosuch*'"
run "$flamegate" check --base main --benchmark 'nosuch/*'
expect "and so before anything is built, where no entry could fit" 2 "no benchmark fits 'nosuch/*'"
lacks "no build for it" "building"
run "$flamegate" check --base main --benchmark mine/nosuch
expect "one that is not listed is a wrong name" 2 "no benchmark is called 'mine/nosuch'"
run "$flamegate" check --base main --benchmark nosuch/parse
expect "one of no entry is so before anything is built" 2 "no benchmark is called 'nosuch/parse'"
lacks "nothing was built" "building"

# ---- acceptances
git commit -q --allow-empty -m "accepted

Flamegate-Accept: mine/fib_20/fibonacci it is worth it"
printf '  accept_by: [trailer]\n' >>.flamegate.yml; commit "trailers count"
run "$flamegate" check --base main --benchmark mine/fib_20
expect "a trailer accepts by the name that is listed" 0 "it is worth it"
sed -i '/accept_by/d' .flamegate.yml
cat >>.flamegate.yml <<Y
accept:
  - {benchmark: mine/fib_20, function: fibonacci, reason: planned, until: 2099-01-01}
  - {benchmark: mine/nosuch, reason: misspelt, until: 2099-01-01}
Y
commit "an entry"
run "$flamegate" check --base main --benchmark mine/fib_20
expect "so does an entry of the configuration, and one of none is said" 0 "planned" "no benchmark has this name"

# ---- new and gone
repo changes; suite 20; configure; commit base; git checkout -qb topic
edit 's/$(DEFINES)/-DMORE -DNO_FIB/' "one more, one less"
run "$flamegate" check --base main --measure-identical
expect "what only head lists is new, what only base lists is said to be gone" 0 "mine/more: New: ran in " \
	"benchmark mine/fib_20: removed (head's program does not list it)"
configure 'include: ["mor*"]'; commit "include"
run "$flamegate" check --base main
is_named "include chooses" "mine/more:neutral"
configure 'include: ["nosuch*"]'; commit "include nothing"
run "$flamegate" check --base main
expect "a glob that fits nothing is an error" 3 "mine could not be measured"
says "with its line and what to do" ".flamegate.yml:4: benchmark mine: of the 3 that its program lists, 'include' and 'exclude' leave none in head: change them"
configure 'exclude: ["odd*"]'; commit "exclude"
run "$flamegate" check --base main --measure-identical
lacks "exclude leaves out" "mine/odd"

# ---- what cannot be asked
repo broken; suite 20; configure "harness: google-benchmark"; commit base; git checkout -qb topic
edit 's/$(DEFINES)/-DBROKEN/' "a list that fails"
run "$flamegate" check --base main
expect "a program that fails at listing is an error" 3 "mine could not be measured"
says "with its line and its last words" ".flamegate.yml:4: benchmark mine, harness google-benchmark: head's program: with --benchmark_list_tests=true it exited with status 3: no --benchmark_min_time today"
configure; commit auto
run "$flamegate" check --base main --measure-identical
expect "where nobody named the harness it is measured as one" 0 "mine: no regression" "Measured as one benchmark"
git checkout -q main; git checkout -qb named; configure "harness: none"; commit none
run "$flamegate" check --base main
expect "none is one benchmark" 0 "PASS   mine: "
lacks "which is not asked" "Measured as one benchmark"
configure; sed -i 's|command: ./suite|command: ./suite --benchmark_filter=.|' .flamegate.yml; commit "all"
run "$flamegate" check --base main
expect "a filter for all is none" 0 "3 benchmarks, listed by google-benchmark"
sed -i 's|_filter=.*|_filter=^parse$|' .flamegate.yml; commit "one"
run "$flamegate" check --base main
lacks "a command that selects one is not asked" "listed by"
is_named "and is one benchmark" "mine:$(named | sed 's/.*://')"
git checkout -q main; sed -i 's/$(DEFINES)/-DBROKEN/' Makefile; commit "base cannot be asked"
git checkout -qb mended; edit 's/-DBROKEN/$(DEFINES)/' mended
run "$flamegate" check --base main
expect "a base that cannot be asked is the policy's to judge" 0 "mine/parse: the base does not build or run"
says "with its last words" "base's program: with --benchmark_list_tests=true it exited with status 3: no --benchmark_min_time today"

# ---- record, and what is stored
repo stored; suite 20; configure; commit base
run "$flamegate" record
expect "record knows them" 0 "3 benchmarks, listed by google-benchmark"
run "$flamegate" baseline push --store "dir:$work/store"
expect "they are pushed" 0 "3 baselines of"
run "$flamegate" baseline list --store "dir:$work/store"
expect "by their names" 0 "mine/fib_20" "mine/odd_int_/8"
git checkout -qb topic; edit 's/N_FIB 1/N_FIB 2/' slower
run "$flamegate" check --base main --store "dir:$work/store" --benchmark mine/fib_20
expect "and found again" 1 "mine/fib_20: stored baseline of" "the base itself"

# ---- one that runs for a fixed time, and whose older version takes whole seconds alone
repo older
cat >suite.c <<'C'
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static const char help[] = "CARGO_CRITERION_PORT"; /* what its harness is known by */
static const char *const all[] = {"req/req", "req/req_short"};
static volatile unsigned long sink;
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
__attribute__((noinline)) static void parse(void) { for (int i = 0; i < 100000; i++) sink = sink * 31 + i; }
static int refuse(const char *why) { printf("error: %s\n", why); return 1; }
int main(int argc, char **argv)
{
	const char *filter = "";
	int list = 0;
	long seconds = 3;
	regex_t wanted;
	for (int i = 1; i < argc; i++) {
		char *end, *value = strchr(argv[i], '=');
		if (strcmp(argv[i], "--list") == 0)
			list = 1;
		else if (value && strstr(argv[i], "-time=")) {
			seconds = strtol(value + 1, &end, 10);
			if (*end || seconds < 1)
				return refuse("Invalid value");
		} else if (argv[i][0] != '-')
			filter = argv[i];
		else if (!value && strcmp(argv[i], "--bench") != 0 && strcmp(argv[i], "--noplot") != 0)
			return refuse("Found argument which wasn't expected");
	}
	if (regcomp(&wanted, filter, REG_EXTENDED | REG_NOSUB))
		return refuse(help);
	for (int i = 0; i < 2; i++) {
		if (regexec(&wanted, all[i], 0, NULL, 0))
			continue;
		for (double end = now() + seconds; !list && now() < end;)
			parse();
		puts(list ? "" : all[i]);
		if (list) printf("%s: bench\n", all[i]);
	}
	return 0;
}
C
printf 'suite: suite.c\n\t$(CC) -O1 -g -o suite suite.c\n' >Makefile; printf 'suite\n' >.gitignore
configure; sed -i '/work: fixed/d' .flamegate.yml; commit base
run "$flamegate" record --rounds 1
expect "an older criterion gets whole seconds, and its clock is recorded" 0 "mine: 2 benchmarks, listed by criterion" \
	"mine/req/req_short: its clock is recorded" "recorded 2 benchmarks of HEAD"
lacks "nobody asks whether what always runs for a time is fixed" "is its work fixed"

# ---- the real one
if ! echo '#include <benchmark/benchmark.h>' | g++ -E -x c++ - >/dev/null 2>&1; then
	skip "google-benchmark is not installed (libbenchmark-dev)"
	finish
	exit 0
fi
repo google
cat >work.h <<C
#define N_SORT 1
static volatile unsigned long sink;
#define WORK(name, times) \\
	__attribute__((noinline)) static void name(unsigned long rounds) \\
	{ \\
		for (unsigned long i = 0; i < (times) * rounds; i++) \\
			sink = sink * 31 + i; \\
	}
WORK(parse_text, 1)
WORK(sort_rows, N_SORT)
WORK(hash_keys, 1)
#define ROUNDS $(($(rounds 40) / 100))UL
C
cat >suite.cc <<'C'
#include <benchmark/benchmark.h>
#include "work.h"
static void BM_Parse(benchmark::State &state) { for (auto _ : state) parse_text(ROUNDS); }
static void BM_Sort(benchmark::State &state) { for (auto _ : state) sort_rows(ROUNDS * state.range(0)); }
template <class T> static void BM_Hash(benchmark::State &state) { for (auto _ : state) hash_keys(ROUNDS); }
BENCHMARK(BM_Parse)->Iterations(100);
BENCHMARK(BM_Sort)->Arg(1)->Iterations(100);
BENCHMARK_TEMPLATE(BM_Hash, unsigned long)->Iterations(100);
BENCHMARK_MAIN();
C
printf 'suite: suite.cc work.h\n\t$(CXX) -O1 -g -o suite suite.cc -lbenchmark -lpthread\n' >Makefile
printf 'suite\n' >.gitignore
configure; commit base; git checkout -qb topic
sed -i 's/N_SORT 1/N_SORT 2/' work.h; commit slower
run "$flamegate" check --base main
expect "google-benchmark: three results, the slowdown in the right one" 1 "mine: 3 benchmarks, listed by google-benchmark" \
	"FAIL   mine/BM_Sort/1/iterations_100 takes" "sort_rows takes longer in its own code"
check "what it has between main() and a benchmark is one frame" python3 - <<'P'
import json
b = next(b for b in json.load(open("flamegate-report/report.json"))["benchmarks"] if "BM_Sort" in b["name"])
names = [b["strings"][n] for n in b["functions"]["name"]]
path = [names[f] for f in b["culprits"][0]["path"]]
own = [n for n in path if n.startswith("benchmark::")]
assert "(google-benchmark)" in path and not own, path
P
lacks "BM_Parse does not fail" "FAIL   mine/BM_Parse"
lacks "nor does BM_Hash" "FAIL   mine/BM_Hash"
check "a template's name is made plain" sh -c 'test -d "flamegate-report/recordings/mine_BM_Hash_unsigned_long__iterations_100"'
finish
