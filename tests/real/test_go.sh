#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A real Go module's benchmarks (google/btree's, pinned; go.sh has fetched it), linked by the C compiler: profiled
# alone, and two versions compared with each other in turns. What was not fetched is not tried.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
go_programs=$(sh "$here/go.sh" kept)
if [ ! -x "$go_programs/btree.test" ] || ! command -v go >/dev/null; then
	echo "1..0 # SKIP no Go, or google/btree was not fetched (make go-programs)"
	exit 0
fi

repo btree
cp -r "$go_programs/btree/." .
printf 'btree.test\nstatic.test\nprofile/\nflamegate-*/\n' >.gitignore
# Comparable work: a number of operations, not of seconds. The tree is filled by chance.
cat >.flamegate.yml <<Y
version: 1
build: go test -c -ldflags=-linkmode=external -o btree.test .
benchmarks:
  - name: get
    command: ./btree.test -test.run=NONE -test.bench=^BenchmarkGetG\$ -test.benchtime=400000x
    work: fixed
    repeat: 1
    budget: 1s
    slices: 20ms
policy:
  pairs: {min: 16, max: 32}
Y
commit "google/btree"

# ---- one run
run go test -c -ldflags=-linkmode=external -o btree.test .
expect "a module's tests are linked by the C compiler" 0
run "$flamegate" run -o profile -- ./btree.test -test.bench='Insert|Get' -test.benchtime=150000x
expect "they run under the sampler as they are" 0 "BenchmarkGetG" "PASS"
cat >stacks.py <<'P'
import json, sys

benchmark = json.load(open("profile/report.json"))["benchmarks"][0]
nodes, functions, strings = benchmark["nodes"], benchmark["functions"], benchmark["strings"]
total = nodes["total_head"]


def name(node):
    function = nodes["function"][node]
    return strings[functions["name"][function]] if node and function is not None and function >= 0 else ""


def share(chosen):
    return sum(total[n] for n in chosen) / total[0]


def module(n):
    return name(n).startswith(("github.com/google/btree", "sort.", "testing."))


# What calls a test or a benchmark in Go's runtime; what it calls by itself is none of them.
ROOTS = ("runtime.goexit", "runtime.main", "runtime.doInit", "runtime.asyncPreempt")
ours = [n for n in range(nodes["count"]) if n and module(n)]
bottoms = [n for n in range(nodes["count"]) if n and nodes["parent"][n] == 0]
goexit = [n for n in bottoms if name(n) == "runtime.goexit"]
strange = [n for n in ours if name(nodes["parent"][n]).startswith("runtime.")
           and not name(nodes["parent"][n]).startswith(ROOTS)]
places = {strings[functions["name"][f]]: strings[functions["file"][f]] for f in range(functions["count"])}
checks = {
    "goexit": share(goexit) > 0.5,
    "bottoms": not any(module(n) for n in bottoms),
    "callers": share(strange) < 0.01,
    "inlined": places.get("sort.Search", "").endswith("/sort/search.go"),
}
sys.exit(not checks[sys.argv[1]])
P
check "runtime.goexit is where goroutines begin" python3 stacks.py goexit
check "and nothing of the module is where stacks begin" python3 stacks.py bottoms
check "nothing that an earlier call left on a stack is a caller" python3 stacks.py callers
check "what was inlined has its file" python3 stacks.py inlined

# ---- two versions
git checkout -qb words
echo >>README.md && commit "other words"
run "$flamegate" check --base main
expect "a change that reaches no program passes" 0
git checkout -q main && git checkout -qb slower
sed -i 's|^\ti := sort.Search(len(s), func(i int) bool {|\tfor i := 1; i < len(s); i++ {\n\t\tif less(s[i], s[i-1]) {\n\t\t\tpanic("not in order")\n\t\t}\n\t}\n&|' btree_generic.go
commit "looks at all items"
run "$flamegate" check --base main
expect "a slower function fails, and is named" 1 "find"
check "in turns" grep -q "at the same time, in turns of 20 ms" flamegate-report/report.md
"$flamegate" report --format culprit >"$work/culprit"
check "where it is" grep -q '^github.com/google/btree.items.*find.* btree_generic.go:' "$work/culprit"

# ---- and what is not linked by it
run env CGO_ENABLED=0 go test -c -o static.test .
expect "a static program can be built" 0
run "$flamegate" run -o profile -- ./static.test -test.run=NONE
expect "it is refused, and it is said how to link it" 3 "-linkmode=external"
finish
