#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How often is a real, live check right? Twenty A/A checks of the demo program, measured although
# identical, and ten each of +5 % and +2 %: verdict, culprit, estimate, one line each in
# FOLDER/gates.csv. Stopped and started again it goes on where it was.
#
#   gates.sh FLAMEGATE FOLDER [KIND...]     kinds: aa slow5 slow2 (default: all)
set -u
flamegate=$1
folder=$2
shift 2
kinds=${*:-aa slow5 slow2}
here=$(cd "$(dirname "$0")" && pwd)
demo=$here/../../testdata/demo
# shellcheck source=testdata/demo/expected.sh
. "$demo/expected.sh"
unset CI GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_BASE_REF
export FLAMEGATE_CACHE=$folder/cache
mkdir -p "$folder"
csv=$folder/gates.csv
[ -d "$folder/repo" ] || sh "$demo/make-repo.sh" "$folder/repo" >/dev/null || exit 3
[ -f "$csv" ] || echo "kind,number,exit,culprit,change,wall_seconds" >"$csv"

wanted() { case $1 in aa) echo 20 ;; *) echo 10 ;; esac; }

# one KIND NUMBER
one() {
	local head=$1 extra= status culprit change wall
	[ "$1" = aa ] && head=comment extra=--measure-identical
	# shellcheck disable=SC2086 # one word or none
	"$flamegate" check -C "$folder/repo" --base base --head "$head" $extra -o "$folder/last" >"$folder/last.log" 2>&1
	status=$?
	culprit=$("$flamegate" report --from "$folder/last/report.json" --format culprit 2>/dev/null | head -n 1)
	change=$(sed -n 's/.*"total": *{.*"change": *\([-0-9.e]*\).*/\1/p' "$folder/last/report.json" | head -n 1)
	wall=$(sed -n 's/.*"wall_seconds": *\([0-9.]*\).*/\1/p' "$folder/last/report.json" | head -n 1)
	echo "$1,$2,$status,$culprit,$change,$wall" >>"$csv"
	if [ "$status" != "$( [ "$1" = aa ] && echo 0 || echo 1)" ]; then
		rm -rf "$folder/missed-$1-$2" && cp -r "$folder/last" "$folder/missed-$1-$2"
	fi
}

for kind in $kinds; do
	for number in $(seq "$(wanted "$kind")"); do
		grep -q "^$kind,$number," "$csv" || one "$kind" "$number"
	done
done
awk -F, -v blame="$SLOW_FUNCTION $SLOW_FILE:" 'NR > 1 {
	n[$1]++; fail[$1] += $3 == 1; error[$1] += $3 != 0 && $3 != 1
	right[$1] += $3 == 1 && index($4, blame) == 1; wall[$1] += $6
} END { for (k in n) printf "%s: %d checks, %d failed the build, %d with the right culprit, %d errors, %.0f s each\n",
	k, n[k], fail[k], right[k], error[k], wall[k] / n[k] }' "$csv" | sort
