#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a culprit weighs in production, where a check has read a profile of it. The profile is base's
# own recording: what the culprit takes there is known.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/cli/lib.sh
. "$here/../cli/lib.sh"
mutate=$build/tests/replay/mutate
data=$here/../../testdata/replay
cd "$work" || exit 1

replay() { run "$flamegate" check --replay "$1" -o "$work/report"; }
fresh() { rm -rf recorded && cp -r "$data/slow2" recorded; }
# weight: what the culprit's member says, or "none"
weight() {
	python3 -c 'import json, sys
weight = json.load(open(sys.argv[1]))["benchmarks"][0]["culprits"][0].get("production")
print("none" if weight is None else " ".join("%.4f" % weight[key] for key in ("share", "impact", "low", "high")))' "$1/report.json"
}
is() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1 ($2, not $3)"; fi; }

fresh
replay recorded
is "without a profile the report has no weight" "$(weight report)" none
if grep -rqi "in production" report "$work/out"; then not_ok "and no word of one"; else ok "and no word of one"; fi

"$mutate" production recorded recorded/logstat/base/cpu.pb.gz
replay recorded
expect "with one the verdict is the same, and the terminal says what it weighs" 1 "in production: 4.13 % of CPU time, so about +2.71 %"
is "share, impact and its interval are in report.json" "$(weight report)" "0.0413 0.0271 0.0225 0.0317"
check "the Markdown says it" grep -q '^In production, `hash_text`: 4.13 % of CPU time' report/report.md
check "the card says it" grep -q '<dt>in production</dt><dd>4.13 % of CPU time, so about +2.71 % (+2.25 to +3.17 %) there</dd>' report/report.html
for format in markdown html json; do
	case $format in markdown) file=report.md ;; *) file=report.$format ;; esac
	run "$flamegate" report --from report/report.json --format $format -o again
	check "$format rendered from report.json has check's bytes" cmp again report/$file
done

"$mutate" carry recorded
run "$flamegate" compare recorded/logstat/base recorded/logstat/head -o compared
expect "compare needs no profile: the recordings have what was read" 1 "in production: 4.13 %"
is "and gives the same weight" "$(weight compared)" "$(weight report)"

"$mutate" rename recorded/logstat/base hash_text renamed_text
"$mutate" rename recorded/logstat/head hash_text renamed_text
replay recorded
expect "a function that production does not have is not seen there" 1 "in production: not seen"

# ---- what is called more often
rm -rf recorded && cp -r "$data/called" recorded
replay recorded
expect "the culprit is called more often" 1 "is called more often"
"$mutate" production recorded recorded/logstat/base/cpu.pb.gz
replay recorded
expect "calls weigh what is spent in them and below" 1 "% of CPU time in these calls and below, so about +"
asks() { python3 -c 'import json, sys
benchmark = json.load(open("report/report.json"))["benchmarks"][0]
culprit = benchmark["culprits"][0]
weight, nodes, names = culprit["production"], benchmark["nodes"], benchmark["functions"]["name"]
sys.exit(not eval(sys.argv[1]))' "$1"; }
# Production is base: the share is that of these calls in base, and what the change adds to it that of the culprit. The
# share is of all runs and the culprit's cost of those of stage 2, whose samples differ by chance.
check "their share in production" asks 'weight["of"] == "call" and abs(weight["share"] - culprit["base"] / benchmark["total"]["base"]) < 0.01'
check "and what the change adds" asks 'abs(weight["impact"] / (weight["share"] * culprit["relative"]) - 1) < 0.001 and weight["low"] < weight["impact"] < weight["high"]'
for format in markdown html json; do
	case $format in markdown) file=report.md ;; *) file=report.$format ;; esac
	run "$flamegate" report --from report/report.json --format $format -o again
	check "$format of a call rendered from report.json has check's bytes" cmp again report/$file
done
"$mutate" carry recorded
run "$flamegate" compare recorded/logstat/base recorded/logstat/head -o compared
expect "compare knows them from the recordings" 1 "in these calls and below"

hostile() { # NAME SED
	fresh
	"$mutate" production recorded recorded/logstat/base/cpu.pb.gz
	sed -i "$2" recorded/check.json
	replay recorded
	expect "$1" 3 "check.json" "production"
}
hostile "a share of more than the whole is refused" '0,/"share":[0-9.e-]*/s//"share":1.5/'
hostile "a share that is no number is refused" '0,/"share":[0-9.e-]*/s//"share":null/'
hostile "shares that are no list are refused" 's/"production": \[/"production": 3, "x": [/'

finish
