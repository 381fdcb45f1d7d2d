#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make demo: the whole main job on a real program. Makes a git repository of logstat (testdata/demo/)
# with a base and six kinds of change, checks each against the base, and compares the verdicts with
# what was planted. Exit 0 only if all six are right.
#
#   demo.sh FLAMEGATE FOLDER
set -u
flamegate=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
demo=$here/../testdata/demo
unset CI GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_BASE_REF # a demonstration, not the gate of this run
export FLAMEGATE_CACHE=$folder/cache
started=$(date +%s)

mkdir -p "$folder"
rm -rf "$folder/repo"
sh "$demo/make-repo.sh" "$folder/repo" >"$folder/make-repo.log" 2>&1 || { cat "$folder/make-repo.log"; exit 3; }

right=0 wrong=0
summary=

# changed_line BRANCH FILE LINE: the branch changes that line
changed_line() {
	git -C "$folder/repo" diff -U0 base "$1" -- "$2" | sed -n 's/^@@ .* +\([0-9,]*\) @@.*/\1/p' | awk -F, -v line="$3" '
		line >= $1 && line < $1 + ($2 == "" ? 1 : $2) { found = 1 } END { exit !found }'
}

# one BRANCH STATUS OUTCOME TITLE [FUNCTION FILE]
one() {
	local branch=$1 wanted=$2 outcome=$3 title=$4 function=${5:-} file=${6:-} status verdict=wrong culprit
	echo
	echo "=== $title"
	rm -rf "$folder/$branch"
	"$flamegate" check -C "$folder/repo" --base base --head "$branch" --output "$folder/$branch"
	status=$?
	culprit=$("$flamegate" report --from "$folder/$branch/report.json" --format culprit 2>/dev/null | head -n 1)
	if [ "$status" = "$wanted" ]; then
		verdict=right
		if [ -n "$function" ]; then
			case $culprit in "$function $file:"*) ;; *) verdict=wrong ;; esac
			changed_line "$branch" "$file" "${culprit##*:}" || verdict=wrong
		fi
	fi
	grep -q "\"outcome\": *\"$outcome\"" "$folder/$branch/report.json" || verdict=wrong
	if [ $verdict = right ]; then right=$((right + 1)); else wrong=$((wrong + 1)); fi
	case $status in 0) status=pass ;; 1) status=fail ;; *) status="exit $status" ;; esac
	summary=$summary$(printf '%-34s %-7s %-40s %s' "$title" "$status" "$culprit" "$verdict")$'\n'
	echo "=== $title: $status ($verdict), $(($(date +%s) - started)) s since the start"
}

# The planted function and its file; written beside the patches, where they were made.
# shellcheck source=/dev/null
. "$demo/expected.sh"

one slow5 1 measured "one function slower, total +5 %" "$SLOW_FUNCTION" "$SLOW_FILE"
one slow2 1 measured "the same function, total +2 %" "$SLOW_FUNCTION" "$SLOW_FILE"
one refactor-large 0 measured "refactor of a function above 10 %"
one refactor-small 0 measured "refactor of one of 1 to 3 %"
one unrelated 0 measured "an unrelated change"
one comment 0 identical "comments only (unmeasured)"

echo
printf '%-34s %-7s %-40s %s\n' change verdict culprit "as planted?"
printf '%s' "$summary"
echo
echo "$right of $((right + wrong)) verdicts right, $(($(date +%s) - started)) s"
echo "the first report: $folder/slow5/report.html"
[ $wrong = 0 ]
