#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The notes ref is rewritten while many write to it: what was pruned does not come back, and what is
# new is not lost.
# shellcheck source=tests/baseline/lib.sh
. "$(dirname "$0")/lib.sh"
mapfile -t fresh < <(seq 1001 $((1000 + writers)))

scene prune
old=()
for i in $(seq 20); do old+=("$(printf 'f%039x' "$i")"); done
export FLAMEGATE_CACHE=$PWD/cache
run "$records" put repo notes: 1 "${old[@]}"
expect "twenty old commits are recorded" 0 "attempts 1"
before=$(git -C remote.git rev-parse $notes)

SECONDS=0
for i in "${fresh[@]}"; do writer "$i" "$PWD/cache.$i" & done
prunes=0
while [ "$(find . -name "status.*" | wc -l)" -lt "$writers" ]; do
	"$records" prune repo notes: 0 >>prunes 2>&1 && prunes=$((prunes + 1))
done
wait
is_summary() { [ "$(note_of "$1" | wc -l)" = 1 ] && note_of "$1" | grep -q '"detail":"summary"'; }
old_are_summaries() {
	local commit
	for commit in "${old[@]}"; do
		if ! is_summary "$commit"; then echo "$commit is not pruned"; return 1; fi
	done
}
history_is_gone() { ! git -C remote.git merge-base --is-ancestor "$before" $notes; }
check "the ref was rewritten while others wrote" [ "$prunes" -ge 1 ]
check "no writer fails" none_failed
check "nothing new is lost" all_there "${fresh[@]}"
check "nothing pruned comes back" old_are_summaries
check "nor does the old history" history_is_gone
check "nobody needs more than 20 attempts" at_most_20
check "the ref is valid" valid
echo "# $prunes prunes in the race"
totals "with prune"

run "$records" verify repo notes:
expect "what is there can be read" 0 "$((20 + 2 * writers)) entries, 0 bad"
run "$records" prune repo notes: 3
expect "three commits stay as they are" 0 " full, "
finish
