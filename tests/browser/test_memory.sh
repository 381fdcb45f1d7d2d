#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The heap over time: what the chart says, to whom, and in which colours.
# shellcheck source=tests/browser/real.sh
. "$(dirname "$0")/real.sh"

# A run alone, whose program tells no iterations: head's line, without base's.
mkdir -p "$work/reports/memory_alone"
grep -v '"memory_base"' "$here/../../testdata/report/json/memory.json" | sed 's/"iterations":\[[0-9,]*\]/"iterations":['"$(printf '0,%.0s' {1..39})"'0]/' >"$work/alone.json" &&
	"$flamegate" report --from "$work/alone.json" --format html >"$work/reports/memory_alone/report.html" || {
	echo "Bail out! the report of a run alone could not be written"
	exit 1
}
# No iterations either, but two versions: one takes longer
mkdir -p "$work/reports/memory_short"
sed 's/"iterations":\[[0-9,]*\]/"iterations":['"$(printf '0,%.0s' {1..39})"'0]/' "$here/../../testdata/report/json/memory.json" >"$work/short.json" &&
	"$flamegate" report --from "$work/short.json" --format html >"$work/reports/memory_short/report.html" || {
	echo "Bail out! the report of a longer run could not be written"
	exit 1
}
# Times and sizes that no program has
mkdir -p "$work/reports/memory_tiny"
sed -E '/"memory_/{s/"seconds":\[[^]]*\]/"seconds":['"$(printf '5e-324,%.0s' {1..39})"'5e-324]/; s/"iterations":\[[^]]*\]/"iterations":['"$(printf '0,%.0s' {1..39})"'0]/
s/"inuse":\[[^]]*\]/"inuse":['"$(printf '0,%.0s' {1..39})"'0]/; s/"most":\[[^]]*\]/"most":['"$(printf '5e-324,%.0s' {1..39})"'1e-300]/}' "$here/../../testdata/report/json/memory.json" >"$work/tiny.json" &&
	"$flamegate" report --from "$work/tiny.json" --format html >"$work/reports/memory_tiny/report.html" || {
	echo "Bail out! the report of impossible sizes could not be written"
	exit 1
}
# A real program's, with regions and labels
"$flamegate" check --replay "$here/../../testdata/replay/heap" -o "$work/reports/heap" >"$work/out" 2>&1
[ -s "$work/reports/heap/report.html" ] || {
	echo "Bail out! the report of a real program could not be written"
	exit 1
}
drive memory.js
