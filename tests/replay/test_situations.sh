#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What can happen between two versions, one situation each, on recordings: one version of the demo program
# was measured (testdata/replay/slow2), its other pairs stand for the other version, and plant.c does to
# that what a change of the code or of the machine would have done. No clock; the same bytes every time.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/cli/lib.sh
. "$here/../cli/lib.sh"
# shellcheck source=tests/replay/situations.sh
. "$here/situations.sh"

begin
decide
passes "the same program twice passes" 0 "no regression"
asks "and its bound and detectable effect are printed" 'b["bound"] > 0 and b["mde_total"] > 0 and b["mde_function"] > 0'

# ---- slower ---------------------------------------------------------------------------------------
begin src/spelling.c 1 200
change self edit_distance 2 1
decide
expect "a function whose own code takes twice as long fails" 1 "FAIL" "edit_distance"
blames "and it is the culprit" edit_distance
asks "by its own cost, which the diff touches" 'b["culprits"][0]["blame"] == "self" and word("touched", "edit_distance")'
asks "whose increase is what was planted" 'abs(b["culprits"][0]["change"] - 0.0289) < 0.006 and b["culprits"][0]["low"] > 0'

begin
change called path_template 2 2
decide
expect "a function that is called twice as often fails" 1 "FAIL" "path_template" "its callees take longer"
asks "and it or its caller is blamed for the calls" 'b["culprits"][0]["blame"] == "called" and names[b["culprits"][0]["function"]] == "path_template"'

begin
change add agent_scan agent_check 0.6 3
decide
expect "a new function that nothing makes up for fails" 1 "FAIL" "agent_check"
blames "and is the culprit" agent_check

begin
change all 1.06 4
decide
expect "a slowdown all over fails by the total" 1 "FAIL"
asks "which is what grew" 'b["total"]["state"] == "confirmed" and abs(b["total"]["change"] - 0.06) < 0.02'

# However much larger head's total is: a function that takes all of it explains it.
for factor in 7 120 420; do
	begin src/spelling.c 1 200
	change self edit_distance $factor $factor
	decide
	expect "a function whose own code takes $factor times as long fails" 1 "FAIL" "edit_distance"
	asks "and explains what the whole takes more ($factor times)" 'names[b["culprits"][0]["function"]] == "edit_distance" and b["culprits"][0]["explained"] > 0.97'
	asks "which is confirmed, down from the root of the tree ($factor times)" 'b["total"]["state"] == "confirmed" and b["nodes"]["state"][0] == 2 and not any("not in functions that count" in line for line in b["warnings"])'
done
asks "the last total is more than ten times base's" 'b["total"]["head"] > 10 * b["total"]["base"]'
begin
change all 15 31
decide
expect "what takes fifteen times as long all over fails by the total" 1 "FAIL"
asks "which is confirmed" 'b["total"]["state"] == "confirmed" and abs(b["total"]["change"] - 14) < 0.5'

begin
change self edit_distance 2 5
change self glob_match 0.7 6
decide
passes "what a decrease elsewhere makes up for is cost that moved" 0 "edit_distance takes 34 ms a run (3.0 % of the benchmark) more, offset by a"

# ---- cost that moved ------------------------------------------------------------------------------
begin src/glob.c 1 200
change split glob_match glob_tail 7
decide
passes "a function split in two passes" 0
begin
change split glob_match glob_tail 7
decide
passes "also where the diff is not known" 0
begin
change rename glob_match wildcard_match
decide
passes "a renamed function passes" 0
begin
change move glob_match src/match.c
decide
passes "a function that moved to another file passes" 0 "no regression"
asks "and is known to be the same" 'word("match", "glob_match") not in (2, 3, "new", "vanished")'
begin
change inline combined_field
decide
passes "a function that is inlined, as debug information says, passes" 0 "no regression"
begin src/combined.c 1 300
change absorb combined_field
decide
passes "a function that is inlined, and nothing says so, passes" 0
begin
change absorb edit_distance
decide
passes "also where the diff is not known" 0

# One decrease makes up for only so much.
begin
change self edit_distance 0.1 21
change add combined_field field_check 0.55 22
change add agent_scan agent_check 0.9 23
change add hash_text hash_check 1.1 24
decide
expect "three new functions fail beside a decrease that could make up for any one of them" 1 "FAIL" "takes longer"
asks "and the largest of them are blamed" 'len(b["culprits"]) >= 2 and names[b["culprits"][0]["function"]] in ("field_check", "agent_check")'

# Less time in all is the news, though a part of it came up elsewhere.
begin src/glob.c 1 200
change self glob_match 0.3 25
change self edit_distance 1.6 26
decide
passes "an improvement of which a part moved is one" 0 "PASS" "less CPU time"
check "and its function is named" grep -q '^### PASS: .*`glob_match` takes less time in its own code' "$work/report/report.md"
asks "and what moved is in the report, as from where the change is" 'b["shifts"] and names[b["shifts"][0]["from"]] == "glob_match" and not b["warnings"]'

# A refactor does not hide what got slower with it.
begin
change rename glob_match wildcard_match
change self edit_distance 2 8
decide
# As long as the old name looks gone its decrease makes up for any increase, as the shift finder has it.
if python3 -c 'import json, sys
b = json.load(open(sys.argv[1]))["benchmarks"][0]
names = [b["strings"][i] for i in b["functions"]["name"]]
sys.exit("glob_match" not in names)' "$work/report/report.json"; then
	skip "a regression beside a rename: this rename is not matched"
else
	expect "a regression beside a rename fails" 1 "FAIL" "edit_distance"
	blames "and is the culprit" edit_distance
fi
begin
change rename edit_distance word_distance
change self word_distance 2.2 9
decide
expect "a function that is renamed and slower fails" 1 "FAIL"

# ---- faster ---------------------------------------------------------------------------------------
begin
change self glob_match 0.5 10
decide
passes "an improvement passes" 0 "PASS"
asks "and is listed" 'f("glob_match") in b["improvements"]'
asks "and its call is coloured as less, and nothing as more" '6 in [b["nodes"]["state"][v] for v in range(b["nodes"]["count"]) if b["nodes"]["function"][v] == f("glob_match")] and 2 not in b["nodes"]["state"]'
begin
change all 0.85 27
decide
passes "a program that is faster all over passes" 0 "PASS" "less CPU time"
asks "and is coloured as less in all, and in its main()" 'b["total"]["state"] == "improved" and 6 in [b["nodes"]["state"][v] for v in range(b["nodes"]["count"]) if b["nodes"]["function"][v] == f("main")]'

# ---- noise ----------------------------------------------------------------------------------------
begin
change pair 5 1.9 11
change pair 21 1.6 12
decide
passes "runs that were disturbed do not fail" 0
asks "and are dropped, and said so" 'b["dropped_pairs"] >= 2 and any("outlier" in line for line in b["excluded"]) and b["pairs"]["dropped"][5] and b["pairs"]["dropped"][21]'
begin
change self edit_distance 2 13
change pair 5 1.9 14
change pair 21 1.6 15
decide
expect "nor do they hide a regression" 1 "FAIL" "edit_distance"
for seed in 1 2 3; do
	begin
	change noise 12 $seed
	decide
	passes "a noisy machine (seed $seed) does not fail" 0
	asks "and says what it could not see (seed $seed)" 'b["mde_total"] > 0.05'
done

finish
