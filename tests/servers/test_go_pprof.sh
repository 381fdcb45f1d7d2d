#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A real Go program with net/http/pprof, whose profiles are known (tests/servers/go).
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
# shellcheck source=tests/servers/lib.sh
. "$(dirname "$0")/lib.sh"
need_go net/http/pprof
pull=$build/tests/servers/pull_profile

# cost NAME self|total: of the last run's function; 0 if it is not there
cost() {
	local column=2
	[ "$2" = self ] || column=3
	awk -v name="$1" -v column=$column '$1 == "function" && $4 == name { sum += $column }
		END { printf "%d\n", sum }' "$work/out"
}
# within NAME VALUE LOW HIGH
within() {
	if [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then ok "$1"; else not_ok "$1 ($2 is not in $3..$4)"; fi
}
mebibyte=1048576

start_pprofdemo
url=http://$demo/debug/pprof

run "$pull" "$url/heap"
expect 'heap is read, and the space in use is what counts' 0 'type default inuse_space/bytes' 'snapshot'
within 'what is kept is in use' "$(cost main.allocateKept total)" $((48 * mebibyte)) $((49 * mebibyte))
within 'what was dropped is not' "$(cost main.allocateDropped total)" 0 0
run "$pull" "$url/heap" alloc_space
within 'but it was allocated' "$(cost main.allocateDropped total)" $((16 * mebibyte)) $((17 * mebibyte))
run "$pull" "$url/heap?gc=1&debug=0"
expect 'parameters that Go knows are passed on' 0 'type default inuse_space/bytes'

run "$pull" "$url/allocs"
expect 'allocs counts what was allocated' 0 'type default alloc_space/bytes'
within 'dropped or not' "$(cost main.allocateDropped total)" $((16 * mebibyte)) $((17 * mebibyte))
run "$pull" "$url/allocs?seconds=1"
expect 'and so does its delta, for which Go names no default' 0 'type default alloc_space/bytes' 'delta over 1 s'
within 'what was allocated before is not in the delta' "$(cost main.allocateDropped total)" 0 0
within 'what is allocated all the time is' "$(cost main.allocateBriefly total)" $((mebibyte / 2)) 1000000000000000
for _ in 1 2 3; do # on a busy machine Go may start a thread meanwhile
	run "$pull" "$url/threadcreate?seconds=1"
	[ "$status" -eq 3 ] && break
done
expect 'a delta of nothing says so' 3 'nothing of it changed meanwhile'

run "$pull" "$url/mutex"
expect 'mutex is read' 0 'type default delay/nanoseconds'
within 'who held the lock is there' "$(cost main.contend total)" 10000000 100000000000
run "$pull" "$url/block"
within 'who waited is there' "$(cost main.waitOnChannel total)" 10000000 100000000000
run "$pull" "$url/goroutine"
expect 'goroutine is read' 0 'type default goroutine/count'
within 'the busy one is there' "$(cost main.work total)" 1 1

run "$pull" "$url/profile?seconds=1"
expect 'a CPU profile is taken' 0 'type default cpu/nanoseconds' 'CPU profile of' 'over 1 s'
hot=$(cost main.spinHot total) cold=$(cost main.spinCold total)
within 'spinHot takes more than spinCold' $((hot - cold)) 1 100000000000

run "$pull" "$url/heap?seconds=2&release=1"
expect 'a delta of heap is read although it is negative' 0 'counts negative'
within 'what was freed meanwhile is negative' "$(cost main.allocateKept total)" $((-49 * mebibyte)) $((-48 * mebibyte))

http_get "http://$demo/start-cpu-profile"
run "$pull" "$url/profile?seconds=1"
expect 'a profile that is already being taken is explained' 3 'another CPU profile' 'try again' "$demo"
http_get "http://$demo/stop-cpu-profile"
run "$pull" "$url/nonsense"
expect 'an unknown profile is refused with the list of what there is' 3 \
	'has no profile "nonsense"' 'allocs' 'goroutine' 'profile'
run "$pull" "http://$demo/nothing/heap"
expect 'a path without profiles is told apart' 3 'no list of profiles' 'net/http/pprof'
run "$pull" "http://$demo/text/heap"
expect 'text is no profile' 3 'answered with text' 'heap profile'
for seconds in 1.5 0 -1 abc '' 3601 1x; do
	run "$pull" "$url/profile?seconds=$seconds"
	expect "seconds=$seconds is refused before anything is asked" 2 'whole number'
done
run "$pull" "$url/heap?debug=1"
expect 'debug=1 is refused before anything is asked' 2 'leave "debug" out'
run "$pull" "$url/trace"
expect 'a trace is no profile' 2 'is no profile'
run "$pull" "$url/heap?from=now-1h"
expect 'a running program knows no past' 2 'knows no past'
finish
