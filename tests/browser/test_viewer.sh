#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Opens reports in a headless browser: the viewer draws every node, no name becomes a script, and the
# page's own policy is never broken. Usage: test_viewer.sh [MAKE_REPORTS], the program that writes them
# shellcheck source=tests/browser/lib.sh
. "$(dirname "$0")/lib.sh"
make_reports=${1:-$build/tests/browser/make_reports}

"$make_reports" "$work/reports" || {
	echo "Bail out! the reports could not be written"
	exit 1
}
report_result() { # NAME STATUS
	if [ "$2" -eq 0 ]; then ok "$1"; else not_ok "$1"; fi
}

# Call-tree nodes of the first benchmark.
nodes_of() {
	sed -n 's/.*"nodes": {"count":\([0-9]*\),.*/\1/p' "$1" | head -n 1
}

# fail, many, run: ordinary; large: deep and pruned; hostile, script: every name is an attack.
for name in fail shift run large hostile script; do
	page=$work/reports/$name/report.html
	nodes=$(nodes_of "$work/reports/$name/report.json")
	open_page "$page"
	grep -q "<html[^>]* data-ready=\"$nodes\"" "$work/dom"
	report_result "viewer_draws_all_nodes_of_$name" $?
	! grep -q 'CONSOLE' "$work/log"
	report_result "console_stays_empty_for_$name" $?
	grep -q "default-src 'none'; script-src 'sha256-[A-Za-z0-9+/]*=*'; style-src" "$page"
	report_result "policy_is_in_the_page_of_$name" $?
	[ "$(grep -c '<canvas' "$work/dom")" -ge 1 ]
	report_result "canvas_is_in_the_page_of_$name" $?
done

# Nothing in the hostile pages became an element, although it is all there as text.
for name in hostile script; do
	open_page "$work/reports/$name/report.html"
	grep -q '&lt;img src=x onerror=alert(1)&gt;' "$work/dom" && ! grep -qi '<img' "$work/dom"
	report_result "names_stay_text_in_$name" $?
done

# All benchmarks have their tab, and pages without a profile open too.
open_page "$work/reports/many/report.html"
[ "$(sed -n 's/.*<nav\(.*\)<\/nav>.*/\1/p' "$work/dom" | grep -o '<button ' | wc -l)" -eq 6 ]
report_result "every_benchmark_has_a_tab" $?
open_page "$work/reports/error/report.html"
grep -q '<html[^>]* data-ready="0"' "$work/dom" && ! grep -q CONSOLE "$work/log"
report_result "page_without_a_profile_opens" $?

# Intervals of totals are a column where the report has them.
open_page "$work/reports/called/report.html"
grep -q '>95 % interval of total<' "$work/dom" && grep -q '<code>hash_string</code>' "$work/dom"
report_result "totals_have_their_intervals" $?
open_page "$work/reports/fail/report.html"
! grep -q '>95 % interval of total<' "$work/dom" && grep -q '>95 % interval<' "$work/dom"
report_result "an_older_report_has_no_such_column" $?

# The policy is what stops a script: the same page with a planted one reports the violation.
sed 's|<footer>|<script>document.documentElement.dataset.planted = "1"</script><footer>|' \
	"$work/reports/fail/report.html" >"$work/planted.html"
open_page "$work/planted.html"
! grep -q 'data-planted' "$work/dom" && grep -q 'CONSOLE.*Content Security Policy' "$work/log"
report_result "policy_stops_a_planted_script" $?

finish
