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

# The policy is what stops a script: the same page with a planted one reports the violation.
sed 's|<footer>|<script>document.documentElement.dataset.planted = "1"</script><footer>|' \
	"$work/reports/fail/report.html" >"$work/planted.html"
open_page "$work/planted.html"
! grep -q 'data-planted' "$work/dom" && grep -q 'CONSOLE.*Content Security Policy' "$work/log"
report_result "policy_stops_a_planted_script" $?

# A reader's clicks and keys, in a copy without the policy that would not let the driver run.
open_driven "$work/reports/fail/report.html" drive.js
saw() { # NAME ATTRIBUTE VALUE
	grep -q "<html[^>]* data-$2=\"$3\"" "$work/dom"
	report_result "$1" $?
}
saw hover_names_the_function tooltip 'read_records'
saw click_selects_and_zooms clicked 'read_records, total 672 ms, +5.1 %'
saw back_is_off_at_first back-at-first true
saw click_can_be_undone back-after-click false
saw escape_goes_back back-after-escape true
saw arrow_down_walks_to_the_widest_child walked 'parse_record, total 411 ms, +5.0 %'
saw search_counts_a_cost_once share '2 boxes, 35.9 % of base, 39.0 % of head'
saw a_bad_pattern_is_said_to_be_one bad-pattern 'not a regular expression'
saw table_begins_with_what_is_significant first-row 'parse_field'
saw table_filters_by_place filtered 2
saw table_sorts_by_name sorted 'hash_string'
saw card_leads_to_its_box revealed 'parse_field, total 151 ms, +5.0 %'

finish
