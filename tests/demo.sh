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
started=$(date +%s)
mkdir -p "$folder"

# changed_line BRANCH FILE LINE: the branch changes that line
changed_line() {
	git -C "$repo" diff -U0 base "$1" -- "$2" | sed -n 's/^@@ .* +\([0-9,]*\) @@.*/\1/p' | awk -F, -v line="$3" '
		line >= $1 && line < $1 + ($2 == "" ? 1 : $2) { found = 1 } END { exit !found }'
}

# one BRANCH STATUS OUTCOME TITLE [FUNCTION FILE]: in a lane; its line of the table goes to $folder/BRANCH.row
one() {
	local branch=$1 wanted=$2 outcome=$3 title=$4 function=${5:-} file=${6:-} status verdict=wrong culprit
	echo
	echo "=== $title"
	rm -rf "${folder:?}/$branch"
	"$flamegate" check -C "$repo" --base base --head "$branch" --output "$folder/$branch"
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
	case $status in 0) status=pass ;; 1) status=fail ;; *) status="exit $status" ;; esac
	printf '%-34s %-7s %-40s %s\n' "$title" "$status" "$culprit" "$verdict" >"$folder/$branch.row"
	echo "=== $title: $status ($verdict), $(($(date +%s) - started)) s since the start"
}

# The planted function and its file; written beside the patches, where they were made.
# shellcheck source=/dev/null
. "$demo/expected.sh"

LINES_READ=190000 # of the log instead of 255,000: runs of 0.8 CPU-s

first_lane() {
	one slow5 1 measured "one function slower, total +5 %" "$SLOW_FUNCTION" "$SLOW_FILE"
	one refactor-small 0 measured "refactor of one of 1 to 3 %"
	one comment 0 identical "comments only (unmeasured)"
}
second_lane() {
	one slow2 1 measured "the same function, total +2 %" "$SLOW_FUNCTION" "$SLOW_FILE"
	one refactor-large 0 measured "refactor of a function above 10 %"
	one unrelated 0 measured "an unrelated change"
}

# lane NAME CPUS COMMAND: with a repository and a cache of its own, on these CPUs; both versions of a check share them.
lane() {
	repo=$folder/repo-$1
	export FLAMEGATE_CACHE=$folder/cache-$1
	taskset -cp "$2" "$BASHPID" >/dev/null
	rm -rf "$repo"
	sh "$demo/make-repo.sh" "$repo" "$LINES_READ" >"$repo.log" 2>&1 || { cat "$repo.log"; exit 3; }
	"$3"
}

# The numbers of the first two CPUs that we may use, of different cores where there are; a line each.
two_cpus() {
	local allowed
	allowed=$(taskset -cp $$ | sed 's/.*: //')
	lscpu -p=CPU,CORE 2>/dev/null | awk -F, -v allowed="$allowed" '
		BEGIN {
			for (n = split(allowed, ranges, ","); n; n--) {
				split(ranges[n], ends, "-")
				for (cpu = ends[1]; cpu <= (ranges[n] ~ /-/ ? ends[2] : ends[1]); cpu++) may[cpu + 0] = 1
			}
		}
		/^#/ || !($1 + 0 in may) { next }
		seen[$2]++ { later[++count] = $1; next }
		{ print $1 }
		END { for (i = 1; i <= count; i++) print later[i] }' | head -n 2
}

# A check measures on one CPU: two of them side by side take half the time, and decide no worse, as each compares runs
# that met the same neighbour.
rm -f "$folder"/*.row
mapfile -t cpus < <(two_cpus)
if [ ${#cpus[@]} -eq 2 ]; then
	echo "two checks at a time, on CPUs ${cpus[0]} and ${cpus[1]}; the second's words come after the first's"
	set -m # a process group of its own, to be stopped as a whole
	(lane second "${cpus[1]}" second_lane) >"$folder/second.log" 2>&1 </dev/null &
	second=$!
	set +m
	trap 'kill -TERM -- "-$second" 2>/dev/null; wait; exit 130' INT TERM
	(lane first "${cpus[0]}" first_lane)
	wait
	cat "$folder/second.log"
else
	both_lanes() { first_lane; second_lane; }
	(lane only "$(taskset -cp $$ | sed 's/.*: //')" both_lanes)
fi

echo
printf '%-34s %-7s %-40s %s\n' change verdict culprit "as planted?"
for branch in slow5 slow2 refactor-large refactor-small unrelated comment; do
	cat "$folder/$branch.row" 2>/dev/null
done
right=$(cat "$folder"/*.row 2>/dev/null | grep -c ' right$')
echo
echo "$right of 6 verdicts right, $(($(date +%s) - started)) s"
echo "the first report: $folder/slow5/report.html"
[ "$right" = 6 ]
