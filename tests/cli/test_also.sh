#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The formats of other tools in a check's folder: written where they are asked for, and never an earlier check's.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
replay=$(cd "$(dirname "$0")/../../testdata/replay" && pwd)
cd "$work" || exit 1

run "$flamegate" check --replay "$replay/slow2" -o report --also sarif --also junit --also codequality --also metrics
expect "a check that finds a regression writes them" 1
for format in sarif junit codequality metrics; do
	case $format in
	sarif) file=report.sarif ;;
	junit) file=report.junit.xml ;;
	codequality) file=report.codequality.json ;;
	metrics) file=report.metrics.txt ;;
	esac
	"$flamegate" report --from report/report.json --format $format -o again
	check "$file has what report renders of report.json" cmp report/$file again
done
check "the regression is in SARIF" grep -q '"ruleId":"regression"' report/report.sarif
check "in JUnit" grep -q '<failure message="' report/report.junit.xml
check "in Code Quality" grep -q '"check_name":"flamegate-regression"' report/report.codequality.json
check "in the metrics" grep -q '^flamegate_status{.*} 2$' report/report.metrics.txt

echo theirs >report/junit.xml
run "$flamegate" check --replay "$replay/aa" -o report --also junit
expect "the next check passes" 0
check "what it does not write is gone" test ! -e report/report.sarif -a ! -e report/report.metrics.txt
check "what it writes is new" grep -q 'failures="0"' report/report.junit.xml
check "what is not ours stays" grep -qx theirs report/junit.xml

for wrong in sarfi workflow json html terminal ''; do
	run "$flamegate" check --replay "$replay/aa" -o other --also "$wrong"
	expect "--also '$wrong' is told before anything is done" 2 "--also is sarif, junit, codequality or metrics, not '$wrong'"
done
check "and leaves nothing" test ! -e other
finish
