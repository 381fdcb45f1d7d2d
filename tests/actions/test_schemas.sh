#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The formats of other tools, compared with those tools' own schemas and parsers: every hand-built result, and one
# in which every name is hostile.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
cd "$(dirname "$0")/../.." || exit 1

folder=$(sh tests/actions/schemas.sh 2>"$work/out") || {
	echo "1..0 # SKIP no schemas: npm or pip is missing, or nothing can be fetched"
	exit 0
}
"$build/tests/browser/make_reports" "$work/made" >"$work/out" 2>&1 || not_ok "the hostile report is made"
reports=(testdata/report/json/*.json "$work"/made/{hostile,script}/report.json)

# rendered FORMAT: each report in it, in $work/FORMAT.N
rendered() {
	local number=0 report
	for report in "${reports[@]}"; do
		"$flamegate" report --from "$report" --format "$1" -o "$work/$1.$((number += 1))" || return 1
	done
	[ $number -ge 15 ]
}
# each FORMAT COMMAND...: with the files of the format behind it, one after the other
each() {
	local format=$1 file
	shift
	rendered "$format" || return 1
	for file in "$work/$format".*; do
		"$@" "$file" >"$work/out" 2>&1 || { cat "$file" >>"$work/out"; return 1; }
	done
}
# valid FORMAT: all of them at once
valid() { rendered "$1" && node tests/actions/validate.js "$folder" "$1" "$work/$1".*; }

check "SARIF keeps to its schema" valid sarif
check "Code Quality is what GitLab's page asks for" valid codequality
check "report.json keeps to the schema that we publish" valid json
refuses() {
	sed "$1" testdata/report/json/fail.json >"$work/wrong"
	! cmp -s "$work/wrong" testdata/report/json/fail.json && ! node tests/actions/validate.js "$folder" json "$work/wrong"
}
check "the schema refuses another format" refuses 's/"format": 1,/"format": 2,/'
check "a word that is none" refuses 's/"outcome": "measured"/"outcome": "good"/'
check "a report without a status" refuses '/"status": "fail",/d'
check "text for a number" refuses 's/"low":[^,]*/"low":"0"/'
if command -v xmllint >/dev/null; then
	check "JUnit keeps to Jenkins' schema" each junit xmllint --noout --nonet --schema "$folder/junit-10.xsd"
else
	skip "xmllint is not installed"
fi
# Debian's, where another interpreter stands before it.
for python in python3 /usr/bin/python3; do
	"$python" -c 'import prometheus_client.openmetrics.parser' 2>/dev/null && break
	python=
done
if [ -n "$python" ]; then
	check "the metrics are OpenMetrics" each metrics "$python" -c '
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
families = list(text_string_to_metric_families(open(sys.argv[1]).read()))
assert any(family.name == "flamegate_status" for family in families), families'
	check "with a status in all of them but where there is nothing to compare yet" \
		[ "$(grep -L '^flamegate_status{' "$work"/metrics.* | wc -l)" = "$(grep -l '^ "status": "neutral",$' "${reports[@]}" | wc -l)" ]
else
	skip "python3-prometheus-client is not installed"
fi
finish
