#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Markdown of reports in which every name is hostile, through what GitHub renders and sanitizes it with: no mention,
# no link but ours, no picture, no reference to an issue or a commit, and the structure that a harmless name has.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
cd "$(dirname "$0")/../.." || exit 1
checks=tests/actions

"$build/tests/browser/make_reports" --names "$work/names" >"$work/out" 2>&1 || not_ok "the hostile reports are made"
harmless=$work/names/harmless.md
names=("$work"/names/name-*.md)
check "there is one for each name" [ "${#names[@]}" -ge 80 ]
linked=("$work"/names/linked-name-*.md)
check "and one with links" [ "${#linked[@]}" -eq "${#names[@]}" ]
goldens=(testdata/report/md/*.md)
# What the checks must find: a report with everything in it that they look for.
printf '%s\n' '@org/team <img src=x> https://x.invalid/ #1 a5c3785ed8d6a35868bc169f07e40e889087fd2e' | cat "$harmless" - >"$work/bad.md"

# tool NAME COMMAND...: with HARMLESS FILE... behind it
tool() {
	local name=$1
	shift
	check "$name: hostile names do nothing" "$@" "$harmless" "${names[@]}"
	check "$name: nor do they where the report is linked" "$@" "$work/names/linked-harmless.md" "${linked[@]}"
	check "$name: a link elsewhere would be found" strays "$@"
	check "$name: nor do the golden reports have a link" lenient "$@"
	check "$name: it would find them" finds "$@"
}
# Other reports have another structure: as if their names had lines.
lenient() {
	local file
	mkdir -p "$work/lines"
	for file in "${goldens[@]}"; do cp "$file" "$work/lines/"; done
	"$@" "$harmless" "$work"/lines/*.md
}
# A link to another page than the report's.
strays() {
	sed 's|https://pages.example/7/report.html#b=0&v|https://pages.example.evil/7/report.html#b=0\&v|' \
		"$work/names/linked-harmless.md" >"$work/names/linked-stray.md"
	! "$@" "$work/names/linked-harmless.md" "$work/names/linked-stray.md" >"$work/found" && grep -q '<a>' "$work/found"
}
finds() {
	! "$@" "$harmless" "$work/bad.md" >"$work/found" && grep -q '<a>' "$work/found" && grep -q '<img>' "$work/found" &&
		grep -q 'text outside of code: @\|@org' "$work/found" && grep -q 'another structure' "$work/found"
}

if folder=$(sh $checks/markdown_tools.sh 2>"$work/out"); then
	tool "remark-github and rehype-sanitize" node $checks/github_markdown.mjs "$folder"
else
	skip "npm is missing, or nothing can be fetched"
fi
if ruby -e 'require "html/pipeline"; require "commonmarker"; require "sanitize"; require "rinku"' 2>/dev/null; then
	tool "html-pipeline" ruby $checks/github_markdown.rb
else
	skip "ruby-html-pipeline, ruby-commonmarker, ruby-sanitize or ruby-rinku is not installed"
fi
finish
