#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Whom more allocations of a C++ program are blamed on: not operator new or a container's allocator, but who asked for
# the memory; where that is library code, also the nearest function of the repository, at a line of it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
if ! command -v g++ >/dev/null 2>&1; then
	skip "allocations of C++: g++ is not installed"
	finish
	exit 0
fi

# cxx COUNT: bench.cc, whose functions allocate COUNT times as often, each in another way
cxx() {
	cat >bench.cc <<'C'
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>
#define NOINLINE __attribute__((noinline))
#define KEEP(pointer) __asm__ volatile("" ::"r"(pointer) : "memory")
struct alignas(64) Wide {
	char bytes[64];
};
struct Own {
	static NOINLINE void *operator new(std::size_t bytes) { return std::malloc(bytes + 16); }
	static void operator delete(void *block) { std::free(block); }
	int x;
};
NOINLINE void growing(int n)
{
	std::vector<int> v;
	for (int i = 0; i < n * 4; i++)
		v.reserve(v.capacity() + 1);
	KEEP(v.data());
}
NOINLINE void text(int n)
{
	for (int i = 0; i < n * 4; i++) {
		std::string s(20, 'x');
		s += "more than is in there";
		KEEP(s.data());
	}
}
NOINLINE void array(int n)
{
	for (int i = 0; i < n * 6; i++) {
		int *block = new int[5];
		KEEP(block);
		delete[] block;
	}
}
NOINLINE void quiet(int n)
{
	for (int i = 0; i < n * 5; i++) {
		char *block = new (std::nothrow) char[9];
		KEEP(block);
		delete[] block;
	}
}
NOINLINE void aligned(int n)
{
	for (int i = 0; i < n * 7; i++) {
		Wide *block = new Wide;
		KEEP(block);
		delete block;
	}
}
NOINLINE void aligned_quiet(int n)
{
	for (int i = 0; i < n; i++) {
		Wide *block = new (std::nothrow) Wide[2];
		KEEP(block);
		delete[] block;
	}
}
NOINLINE void own(int n)
{
	for (int i = 0; i < n * 2; i++) {
		Own *block = new Own;
		KEEP(block);
		delete block;
	}
}
NOINLINE void copying(int n)
{
	for (int i = 0; i < n * 3; i++)
		std::free(strdup("libc's"));
}
int main(void)
{
	volatile unsigned long sink = 0;
	for (unsigned long i = 0; i < BURN; i++)
		sink = sink * 31 + i;
	growing(100);
	text(100);
	array(100);
	quiet(100);
	aligned(100);
	aligned_quiet(100);
	own(100);
	copying(100);
	return 0;
}
C
	sed -i "1i #define BURN $(rounds 30)" bench.cc
	cat >Makefile <<'M'
bench: bench.cc
	g++ -std=c++17 -O1 -g -o bench bench.cc
M
	printf 'bench\n' >.gitignore
}
line_of() { awk -v text="$1" 'index($0, text) { print NR; exit }' bench.cc; }
# found PYTHON: of the findings f of allocations, by the name of the function of bench.cc
found() {
	python3 - flamegate-report/report.json "$1" <<'P'
import json, sys
b = json.load(open(sys.argv[1]))["benchmarks"][0]
reference = next(s for s in b["references"] if s["profile_type"] == "alloc_objects")
f = {x.get("caller", x["name"]).split("(")[0]: x for x in reference["findings"]}
def place(x): return (x["caller_file"], x["caller_line"]) if "caller" in x else (x["file"], x["line"])
if not eval(sys.argv[2]):
    print(json.dumps(reference["findings"], indent=1))
    sys.exit(1)
P
}

repo cxx; cxx
config "    profiles: [cpu, heap]" "policy:" "  pairs: {min: 16, max: 32}"
commit base; git checkout -qb topic
sed -i 's/i < n/i < 2 * n/; s/strdup("libc/strdup("longer than libc/' bench.cc
commit "everything twice"
run "$flamegate" check --base main --also codequality
expect "twice the allocations fail" 1 "more allocations than the base"
check "each function that allocates more is named, and nothing else" found \
	'set(f) == {"growing", "text", "array", "quiet", "aligned", "aligned_quiet", "Own::operator new", "copying"}'
check "those that call operator new in any form are blamed themselves" found \
	'not any("caller" in f[x] for x in ("array", "quiet", "aligned", "aligned_quiet", "Own::operator new"))'
check "by as much as they allocate more" found \
	'[round(f[x]["change"] / f["aligned_quiet"]["change"]) for x in ("array", "quiet", "aligned", "Own::operator new", "copying")] == [6, 5, 7, 2, 3]'
check "what libc and the C++ library allocate is blamed on them, for whom it was" found \
	'f["copying"]["name"] == "__strdup" and "vector" in f["growing"]["name"].lower() and "basic_string" in f["text"]["name"]'
check "no allocator's own function is blamed" found \
	'not any(x["name"].startswith(("operator new", "std::allocator", "std::__new_allocator", "malloc")) for x in reference["findings"])'
check "at their definition or, of callers, at the line that changed" found \
	"place(f['array']) == ('bench.cc', $(line_of 'void array(')) and place(f['copying']) == ('bench.cc', $(line_of 'strdup('))"
check "Markdown has who asked, with file and line" grep -qF "\`aligned(int)\` in \`bench.cc:$(line_of 'void aligned(')\`: +" \
	flamegate-report/report.md
check "and for whom a library did" grep -qE "\`std::[^\`]*\`, for \`growing\(int\)\` in \`bench.cc:[0-9]+\`: \+" flamegate-report/report.md
check "every annotation of Code Quality is a line of the file" python3 - flamegate-report/report.codequality.json <<'P'
import json, sys
found = [(x["location"]["path"], x["location"]["lines"]["begin"] > 1) for x in json.load(open(sys.argv[1]))]
print(found)
sys.exit(not found or set(found) != {("bench.cc", True)})
P
run "$flamegate" report --from flamegate-report/report.json --format workflow
expect "so is every workflow command's" 0 "::error file=bench.cc,line=$(line_of 'void array(')," "for growing(int) in bench.cc:"
grep '^::error' "$work/out" | grep -qv 'file=bench.cc,line=' && not_ok "none is without" || ok "none is without"

cp flamegate-report/report.json "$work/live.json"
run "$flamegate" check --replay flamegate-report/recordings -o "$work/replayed"
expect "a replay decides the same" 1 "more allocations than the base"
check "with the same bytes" cmp "$work/live.json" "$work/replayed/report.json"

make -s
run "$flamegate" run --profile heap -o "$work/heap" -- ./bench
expect "run shows who asked for memory" 0 "array(int)" "aligned(int)" "Own::operator new"
grep -qE "  operator new|_allocator<" "$work/out" && not_ok "and no allocator" || ok "and no allocator"

finish
