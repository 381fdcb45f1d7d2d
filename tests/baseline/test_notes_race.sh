#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Many writers of the notes ref at once: each gets its records there, in at most 20 attempts, also
# while others are killed.
# shellcheck source=tests/baseline/lib.sh
. "$(dirname "$0")/lib.sh"
mapfile -t all < <(seq "$writers")
killed=$((writers * 2 / 5))

scene apart
SECONDS=0
for i in "${all[@]}"; do writer "$i" "$PWD/cache.$i" & done
wait
check "no writer fails" none_failed
check "every writer's records are there" all_there "${all[@]}"
check "nobody needs more than 20 attempts" at_most_20
check "the ref is valid" valid
totals "a cache for each"

scene shared
SECONDS=0
for i in "${all[@]}"; do writer "$i" "$PWD/cache" & done
wait
one_attempt() { ! sed -n 's/^attempts //p' out.* | grep -v '^1$'; }
check "writers who share a cache wait for each other" none_failed
check "and every record is there" all_there "${all[@]}"
check "and one attempt is enough" one_attempt
totals "one cache for all"

scene killed
SECONDS=0
for i in "${all[@]}"; do
	FLAMEGATE_CACHE=$PWD/cache.$i "$records" put repo notes: "$i" "$(commit_of "$i")" \
		"$(commit_of $((i + 1)))" >"out.$i" 2>"err.$i" &
	pids[i]=$!
done
for i in $(seq "$killed"); do
	{ sleep "$((RANDOM % 8)).$((RANDOM % 10))" && kill -KILL "${pids[i]}"; } 2>/dev/null &
	killers[i]=$!
done
for i in "${all[@]}"; do
	wait "${pids[i]}" 2>/dev/null
	echo $? >"status.$i"
done
wait "${killers[@]}" 2>/dev/null
mapfile -t successful < <(grep -lx 0 status.* | sed 's/status\.//')
survivors_succeed() { [ "${#successful[@]}" -ge $((writers - killed)) ] && ! grep -Lxe 0 -e 137 status.* | grep .; }
check "after SIGKILL the ref is valid" valid
check "and who was not killed succeeded" survivors_succeed
check "and who reported success has its records there" all_there "${successful[@]}"
echo "# $(grep -lx 137 status.* | wc -l) writers were killed, ${#successful[@]} reported success"
totals "with SIGKILL"
for i in $(seq "$killed"); do writer "$i" "$PWD/cache.$i"; done
check "a killed writer's cache works again" none_failed
check "and its records are there" all_there "${all[@]}"
finish
