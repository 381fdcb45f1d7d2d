#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The static picture in a real browser: a valid image, with each name inside its box, whatever the names.
# shellcheck source=tests/browser/lib.sh
. "$(dirname "$0")/lib.sh"
goldens=$here/../../testdata/report/json

"$build/tests/browser/make_reports" "$work/made" >"$work/out" 2>&1 || not_ok "the reports are made"
mkdir "$work/svg"
for report in "$goldens"/*.json "$work"/made/{hostile,script,large}/report.json; do
	name=$(basename "$report" .json)
	[ "$name" != report ] || name=$(basename "$(dirname "$report")")
	"$flamegate" report --from "$report" --format svg -o "$work/svg/$name.svg" || not_ok "$name is rendered"
done

# page: every picture as an image and in the page itself
page() {
	local file name
	echo '<!doctype html><html><head><meta charset="utf-8"></head><body>'
	for file in "$work"/svg/*.svg; do
		name=$(basename "$file" .svg)
		printf '<img data-name="%s" src="svg/%s.svg"><div data-name="%s">' "$name" "$name" "$name"
		cat "$file"
		echo '</div>'
	done
	echo '</body></html>'
}
count() { grep -cE -- "$1" "$work/dom" || true; }
look() { page >"$work/page.html" && open_driven "$work/page.html" cases/svg.js; }

files=$(find "$work/svg" -name '*.svg' | wc -l)
look
check "all pictures are there" test "$files" -ge 20
check "each is a valid image of the right width" test "$(count '^image .*: 1200 pixels$')" -eq "$files"
check "no name sticks out of its box" test "$(count '^inline .*, 0 names stick out$')" -eq "$files"
check "most have names" test "$(count '^inline .*: true, ')" -ge 12
check "no line sticks out of the picture" test "$(count '^inline .*: 0 lines stick out$')" -eq "$files"
check "nothing of the names ran" test "$(count '^alert$')" -eq 0
check "the browser complains of nothing" test "$(grep -c CONSOLE "$work/log")" -eq 0
if command -v xmllint >/dev/null; then
	check "an XML parser reads each" xmllint --noout --nonet "$work"/svg/*.svg
else
	skip "xmllint is not installed"
fi

# The test itself would notice.
sed -i "0,/<text x=\"[0-9.]*\" y=\"[0-9]*\">/s//&$(printf 'M%.0s' {1..200})/" "$work/svg/script.svg"
sed -i 's/&amp;/\&/; s/<title>/<title>\&/' "$work/svg/fail.svg"
look
check "a name that sticks out is noticed" test "$(count '^inline .*, [1-9][0-9]* names stick out$')" -eq 1
check "an image that is no XML is noticed" test "$(count '^image fail: 1200 pixels$')" -eq 0
finish
