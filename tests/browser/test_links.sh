#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The links that Markdown has into the report's page: each opens it where its text says.
# shellcheck source=tests/browser/lib.sh
. "$(dirname "$0")/lib.sh"
page=https://pages.example/7/report.html
"$build/tests/browser/make_reports" "$work/reports" >"$work/out" 2>&1 || {
	echo "Bail out! the reports could not be written"
	exit 1
}

# follow REPORT: opens what its culprits and its functions link to, each once. The page says what it selected, and what
# is in the middle of the sandwich, by the names that $work/hashes has.
follow() {
	"$flamegate" report --from "$1/report.json" --format markdown --report-url "$page" |
		grep -o "]($page#[^)]*)" | sed "s|^](\($page\)||; s|)\$||" | sort -u >"$work/hashes"
}
# shows HASH WORD...: the page that the hash opens says all the words of what it shows
shows() {
	local word
	open_page "$folder/report.html$1"
	! grep CONSOLE "$work/log" || return 1
	shift
	for word in "$@"; do grep -qF -- "$word" "$work/dom" || return 1; done
}

folder=$work/reports/fail
follow "$folder"
check "a culprit and a function are linked" [ "$(wc -l <"$work/hashes")" -ge 2 ]
culprit=$(grep -m1 '&n=' "$work/hashes") function=$(grep -m1 '&v=sandwich&f=' "$work/hashes")
check "the culprit's link selects its call-tree node" shows "$culprit" '>parse_field, total 151 ms, +5.1 %'
check "the function's link shows who calls it" shows "$function" 'aria-pressed="true">Sandwich<'
check "and shows it in the middle" shows "$function" '>parse_field, '
unlinked() { ! shows '' '>parse_field, total 151 ms' && ! shows '' 'aria-pressed="true">Sandwich<'; }
check "without a link neither is shown" unlinked

# Hostile names: the page writes the same place back, however it spells it, and not one is lost.
for name in hostile script; do
	folder=$work/reports/$name
	follow "$folder"
	check "$name names are linked" [ "$(wc -l <"$work/hashes")" -ge 3 ]
	lost=0
	while read -r hash; do
		shows "$hash" || lost=$((lost + 1))
		case $hash in *'&f='*) grep -q 'aria-pressed="true">Sandwich<' "$work/dom" || lost=$((lost + 1)) ;; esac
		grep -q 'role="status"[^>]*>[^<]' "$work/dom" || lost=$((lost + 1))
		! grep -q data-alerted "$work/dom" && ! grep -q '<img' "$work/dom" || lost=$((lost + 1))
	done <"$work/hashes"
	check "and each leads to its place" [ "$lost" -eq 0 ]
done
finish
