#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The formats of other tools in a check's folder: written where they are asked for, and never an earlier check's.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
replay=$(cd "$(dirname "$0")/../../testdata/replay" && pwd)
cd "$work" || exit 1

run "$flamegate" check --replay "$replay/slow2" -o report --also sarif --also junit --also codequality --also metrics --also svg
expect "a check that finds a regression writes them" 1
for format in sarif junit codequality metrics svg; do
	case $format in
	sarif) file=report.sarif ;;
	junit) file=report.junit.xml ;;
	codequality) file=report.codequality.json ;;
	metrics) file=report.metrics.txt ;;
	svg) file=report.svg ;;
	esac
	"$flamegate" report --from report/report.json --format $format -o again
	check "$file has what report renders of report.json" cmp report/$file again
done
check "the regression is in SARIF" grep -q '"ruleId":"regression"' report/report.sarif
check "in JUnit" grep -q '<failure message="' report/report.junit.xml
check "in Code Quality" grep -q '"check_name":"flamegate-regression"' report/report.codequality.json
check "in the picture" grep -q '<text class="w"[^>]*>FAIL</text>' report/report.svg
check "in the metrics" grep -q '^flamegate_status{.*} 2$' report/report.metrics.txt

echo theirs >report/junit.xml
run "$flamegate" check --replay "$replay/aa" -o report --also junit
expect "the next check passes" 0
check "what it does not write is gone" test ! -e report/report.sarif -a ! -e report/report.metrics.txt -a ! -e report/report.svg
check "what it writes is new" grep -q 'failures="0"' report/report.junit.xml
check "what is not ours stays" grep -qx theirs report/junit.xml

# Whatever the names are that it begins with: they leave no room for the writer's.
cp -r "$replay/slow2" long
for name in base slow2; do
	perl -pi -e 's/"name": "'$name'"/"\"name\": \"" . "W" x 300 . "\""/e' long/check.json
done
check "the test makes long names" test "$(grep -c WWW long/check.json)" = 2
"$flamegate" check --replay long -o report --also sarif --also junit --also codequality --also metrics --also svg >/dev/null
"$flamegate" check --replay "$replay/aa" -o report >/dev/null
check "names however long do not keep an earlier check's formats" \
	test ! -e report/report.sarif -a ! -e report/report.junit.xml -a ! -e report/report.codequality.json -a ! -e report/report.metrics.txt -a ! -e report/report.svg

# `run` writes into the same folder.
burn='i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done'
"$flamegate" check --replay "$replay/slow2" -o report --also sarif --also junit --also codequality --also metrics --also svg >/dev/null
run "$flamegate" run --process all -o report -- sh -c "$burn"
expect "a run into a check's folder" 0
check "leaves none of the check's formats" \
	test ! -e report/report.sarif -a ! -e report/report.junit.xml -a ! -e report/report.codequality.json -a ! -e report/report.metrics.txt -a ! -e report/report.svg
check "and its own report" grep -q '"kind": "run"' report/report.json
"$flamegate" check --replay "$replay/aa" -o report --also codequality >/dev/null
run "$flamegate" run --process all -o report -- sh -c "$burn"
check "nor one without findings" test ! -e report/report.codequality.json
echo theirs | tee report/report.sarif >report/report.junit.xml
run "$flamegate" run --process all -o report -- sh -c "$burn"
expect "somebody else's files do no harm" 0
check "and stay" grep -qx theirs report/report.sarif report/report.junit.xml
mkdir linked; echo theirs >linked/report.md; ln -s linked link
run "$flamegate" run -o link -- true
expect "a link is no folder to write into" 2 "link is not a folder"
check "and nothing is removed through it" grep -qx theirs linked/report.md

for wrong in sarfi workflow json html terminal ''; do
	run "$flamegate" check --replay "$replay/aa" -o other --also "$wrong"
	expect "--also '$wrong' is told before anything is done" 2 "--also is svg, sarif, junit, codequality or metrics, not '$wrong'"
done
check "and leaves nothing" test ! -e other
finish
