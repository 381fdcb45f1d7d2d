#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What there is nothing to compare with must work all the same: new benchmarks, and a base that does not build. A
# first configuration that is broken is no pass.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../lib.sh"
sources=$(cd "$(dirname "$0")/../../.." && pwd)

# new NAME COMMAND: one more benchmark
new() { printf '  - name: %s\n    command: %s\n    work: fixed\n    repeat: 1\n    budget: 1s\n' "$1" "$2" >>.flamegate.yml; }
as_ci() { CI=true GITHUB_BASE_REF=main run "$flamegate" check --no-baseline "$@"; }
lacks() { local name=$1; shift; if grep -qF -- "$1" "$work/out"; then not_ok "$name"; else ok "$name"; fi; }

# ---- the first configuration
repo first; program 60; commit base; git checkout -qb topic; config; commit "add configuration"
run "$flamegate" check --base main --also junit --also metrics --also sarif --also svg
expect "a first configuration is built and run once, and is no pass" 0 "INFO" "Nothing to compare yet" \
	"bench: New: ran in " "not in base, so not compared"
lacks "nothing says PASS" "PASS"
check "the report is neutral" grep -q '"status": "neutral"' flamegate-report/report.json
check "so is the page" grep -q '<span class="badge info">INFO</span>' flamegate-report/report.html
check "and the Markdown" grep -q '^### INFO: Nothing to compare yet' flamegate-report/report.md
check "for JUnit it was skipped" grep -q '<skipped/>' flamegate-report/report.junit.xml
check "OpenMetrics have its cost and no status" sh -c '! grep -q "^flamegate_status{" flamegate-report/report.metrics.txt && grep -q "^flamegate_cost{" flamegate-report/report.metrics.txt'
check "its run is shown" grep -q '"hot"' flamegate-report/report.json
cp flamegate-report/report.json "$work/live.json"
run "$flamegate" check --replay flamegate-report/recordings -o replayed
expect "a replay says the same" 0 "Nothing to compare yet"
check "byte for byte" cmp "$work/live.json" replayed/report.json
GITHUB_ACTIONS=true GITHUB_BASE_REF=main run "$flamegate" check --no-baseline
expect "on GitHub it is a notice" 0 "::notice title=flamegate::bench: New: ran in "
sed -i 's|command: ./bench|command: ./nosuch|' .flamegate.yml; commit "a command that is not there"
run "$flamegate" check --base main
expect "a first configuration whose command is not there could not be measured" 3 "ERROR" "head does not run" "nosuch"
as_ci
expect "nor in CI" 3 "ERROR" "nosuch"
config; sed -i 's|build: make -s|build: make -s nosuch|' .flamegate.yml; commit "a build that fails"
run "$flamegate" check --base main
expect "a first configuration that does not build could not be measured" 3 "ERROR" "make -s nosuch"
# What it names of our environment is not handed to it before somebody has merged it.
config; sed -i 's|build: make -s|build: echo "got [$SECRET]" >\&2; exit 1|; 1a pass: [SECRET]' .flamegate.yml; commit "asks for a variable"
SECRET=hidden as_ci
expect "in CI head's own configuration gets none of our variables" 3 "got []" '`pass` takes effect after the merge'

# ---- a second one
repo second; program 60; config; commit base; git checkout -qb topic; new second ./bench; commit "second benchmark"
run "$flamegate" check --base main
expect "a new benchmark beside one that passes: the whole passes" 0 "second: New: ran in " "PASS" "1 new, not compared"
as_ci
expect "in CI, where it is head's own: the same" 0 "second: New: ran in " "PASS" "1 new, not compared" "benchmark second: added"
git checkout -q main; git checkout -qb own
printf 'other: main.c\n\t$(CC) -O1 -g -o other main.c\n' >>Makefile; echo other >>.gitignore
sed -i 's|build: make -s|build: make -s bench other|' .flamegate.yml; new third ./other; commit "its own build command"
as_ci
expect "a new benchmark is built by head's own commands" 0 "third: New: ran in "
sed -i 's|make -s bench other|make -s bench nosuch|' .flamegate.yml; commit "which fail"
as_ci
expect "which must work, though base's do" 3 "third could not be measured" "make -s bench nosuch"
sed -i 's|make -s bench nosuch|make -s bench other|; s|command: ./other|command: ./other; exit 7|' .flamegate.yml; commit "a benchmark that fails"
as_ci
expect "and so must the benchmark" 3 "third could not be measured" "status 7"
as_ci --benchmark bench
expect "which does not concern the others" 0 "PASS"
# Only commands are head's: the policy stays the target branch's.
printf 'policy:\n  pairs: {min: 8, max: 16}\n' >>.flamegate.yml
sed -i 's|command: ./other; exit 7|command: ./other|' .flamegate.yml; sed -i 's|puts("done")|puts("changed")|' main.c; commit "its own policy"
as_ci
expect "nothing else of head's configuration counts" 0 "stage 1, 16 pairs" "third: New: ran in "

repo folders; program 60; config; sed -i 's|name: bench|name: a/b|' .flamegate.yml; commit base; git checkout -qb topic
sed -i 's|name: a/b|name: a_b|' .flamegate.yml; sed -i 's|puts("done")|puts("changed")|' main.c; commit renamed
as_ci
expect "a new benchmark whose recordings would lie where another's do" 0 "a_b: New: ran in"
cp flamegate-report/report.json "$work/live.json"
run "$flamegate" check --replay flamegate-report/recordings -o replayed
check "leaves these alone: a replay says the same" cmp "$work/live.json" replayed/report.json
cd "$work/second" || exit 1

# A branch that is older than the benchmark: neither its file nor the benchmark's sources are there.
git checkout -q main; git checkout -qb old; echo '/* old */' >>main.c; commit old
git checkout -q main; new later ./later; commit "a later benchmark"; git checkout -q old
as_ci
expect "what only the target branch has is not run" 0 "later: New: head does not have it yet" "PASS"
as_ci --benchmark later
expect "and is nothing to compare" 0 "Nothing to compare yet"

# ---- a base that does not build
repo neither; program 60; config; sed -i 's|build: make -s|build: make -s \&\& test -e /nonexistent/package|' .flamegate.yml; commit base
git checkout -qb topic; sed -i 's|puts("done")|puts("changed")|' main.c; commit change
run "$flamegate" check --base main
expect "where neither base nor head builds, nothing could be measured" 3 "ERROR" "neither base nor head builds" "/nonexistent/package"

repo breaks; program 60; config; echo 'this is not C' >>main.c; commit base
git checkout -qb topic; sed -i '$d' main.c; sed -i 's/return 0;/return 7;/' main.c; commit "mended, and fails"
run "$flamegate" check --base main
expect "where base does not build and head does not run, neither" 3 "head does not run" "status 7"
sed -i 's/return 7;/return 0;/' main.c; commit "mended"
run "$flamegate" check --base main
expect "where head works, on_base_failure decides" 0 "WARN" "base does not build" "one run of head alone"

repo unread; program 60; echo 'nonsense: 1' >.flamegate.yml; commit base
git checkout -qb topic; config; sed -i 's/return 0;/return 7;/' main.c; commit "mended, and fails"
run "$flamegate" check --base main
expect "nor where base's configuration cannot be read" 3 "head does not run" "status 7"

"$flamegate" report --from "$sources/testdata/report/json/new.json" --format workflow >"$work/notice"
check "a notice that all is new" grep -q '^::notice title=flamegate::logstat: New: ran in 1.2' "$work/notice"
finish
