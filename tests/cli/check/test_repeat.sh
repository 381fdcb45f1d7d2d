#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Short benchmarks: several runs make a round, the same number for both versions.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../lib.sh"

repo short; program 20; config "policy:" "  pairs: {min: 16, max: 32}"; sed -i 's/repeat: 1/repeat: 3/' .flamegate.yml
commit base; git checkout -qb topic; sed -i 's|puts("done")|puts("changed")|' main.c; commit change
run "$flamegate" check --base main
# A busy machine may leave too little to decide on: not what is tested here.
[ "$status" = 3 ] && grep -q "^Report: " "$work/out" && status=0
expect "three runs make a round, and the report says so" 0 "3 runs of each version make a"
cat >"$work/rounds.py" <<'P'
import json, sys
for version in ("base", "head"):
    recording = json.load(open(f"flamegate-report/recordings/bench/{version}/recording.json"))
    rounds = recording["rounds"]
    assert len(rounds) in (16, 32), len(rounds)
    assert all(one["iterations"] == 3 and one["processes"] % 3 == 0 for one in rounds), rounds
    assert all(one["cpu_seconds"] >= 0.05 for one in rounds), rounds
    assert all(one["threads"] == 1 for one in rounds), rounds
total = json.load(open("flamegate-report/report.json"))["benchmarks"][0]["total"]
runs = [one["cpu_seconds"] / 3 for one in rounds]
assert min(runs) <= total["head"] <= max(runs), (total, runs)
P
check "each round holds three, and costs are those of one" python3 "$work/rounds.py"
cp -r flamegate-report "$work/first"
run "$flamegate" check --replay flamegate-report/recordings -o again
check "a replay says the same" cmp "$work/first/report.json" again/report.json
sed -i "s|command: ./bench|command: pwd >>$work/order; exec ./bench|" .flamegate.yml
run "$flamegate" check --base main
# Without the runs before the pairs: which files are used, and whether the work is fixed.
tail -n 96 "$work/order" >"$work/pairs"
check "the versions take turns at the runs of a pair, too" \
	awk 'NR % 2 { first = $0; next } $0 == first { exit bad = 1 } END { exit bad || NR < 96 }' "$work/pairs"
sed -i 's/repeat: 3/repeat: 0/' .flamegate.yml
run "$flamegate" check --base main
expect "no run at all is refused" 2 "'repeat' must be auto or a number of runs"

finish
