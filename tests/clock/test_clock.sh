#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A clock that is recorded and replayed: whatever asks for the time in whatever way does the same in every run; waits
# until a point of time are real; what cannot be replayed exactly is refused with the reason, and nothing hangs.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
clock_run=$build/tests/clock/clock_run
export FLAMEGATE_LIBRARY=$build/libflamegate.so
cc -std=gnu17 -O2 -g -Wall -Wextra -o "$work/traps" "$(dirname "$0")/traps.c" -lpthread -lrt || exit 1
cd "$work" || exit 1

# record SPEED COMMAND...: in $work/recorded what it printed, "CPU wall calls sequences processes" first
record() { rm -rf "$work/record" && timeout 60 "$clock_run" record "$work/record" "$@" >"$work/recorded"; }
# replay SPEED COMMAND...: the same in $work/out
replay() { run timeout 60 "$clock_run" replay "$work/record" "$@"; }
calls() { head -n 1 "$1" | cut -d ' ' -f 3-; }
# same NAME: what was replayed printed and called what was recorded
same() {
	if [ "$status" -eq 0 ] && [ "$(calls recorded)" = "$(calls out)" ] && cmp -s <(tail -n +2 recorded) <(tail -n +2 out); then
		ok "$1"
	else
		sed 's/^/# recorded: /' recorded
		not_ok "$1 (exit $status)"
	fi
}
# took WALL_AT_LEAST: of the last run
took() { awk -v least="$1" 'NR == 1 { exit !($2 >= least) }' "$work/out"; }

# ---- the same in every run
for trap in clocks threads forks date sleeps; do
	record 1 ./traps "$trap"
	check "$trap: recorded" test -s recorded
	replay 1 ./traps "$trap"
	same "$trap: replayed"
	SLOWDOWN=1 replay 1 ./traps "$trap"
	same "$trap: replayed by a program that is twice as slow"
done
record 1 ./traps clocks
check "each way to ask for the time is a sequence of its own" test "$(calls recorded | cut -d ' ' -f 2)" -eq 14
record 1 ./traps threads
check "so is each thread, and each clock in it" test "$(calls recorded | cut -d ' ' -f 2)" -eq 18
record 1 ./traps forks
check "and each process" test "$(calls recorded | cut -d ' ' -f 3)" -eq 5

# ---- waits
record 1 ./traps deadlines
for speed in recorded replayed; do
	if [ "$speed" = recorded ]; then cp recorded out; status=0; else replay 1 ./traps deadlines; fi
	cp out waited
	is_over=$(tail -n +2 out | grep -c ' 1$')
	check "deadlines: $speed, all are over" test "$is_over" -eq 16
	cp waited out
	if took 1.59; then ok "deadlines: $speed, they were waited for"; else not_ok "deadlines: $speed, they were waited for"; fi
done
record 50 ./traps deadlines
cp recorded out
if took 1.59; then ok "deadlines are real in a run whose clock runs 50 times as fast"; else not_ok "deadlines of a fast clock"; fi
replay 50 ./traps deadlines
same "deadlines: replayed at that speed"
record 1 ./traps predicate
replay 1 ./traps predicate
same "a wait with a predicate, whose deadline is long past, is not evaluated again and again"

# ---- faster
record 1 ./traps threads
slow=$(sed -n 2p recorded | tr ' ' '\n' | awk '{ n += $1 } END { print n }')
record 10 ./traps threads
fast=$(sed -n 2p recorded | tr ' ' '\n' | awk '{ n += $1 } END { print n }')
check "a clock that runs ten times as fast makes it do a fraction of the work ($slow, $fast)" test "$((fast * 3))" -lt "$slow"
replay 10 ./traps threads
same "and its replay the same fraction"

# ---- refused
record 1 ./traps spins
replay 1 ./traps spins
expect "threads that wait for each other by the clock call it another number of times" 3 "its clock cannot be replayed: traps called clock_gettime(CLOCK_MONOTONIC)" \
	"times where base's recorded run did" "so it does not do the same work"
record 1 ./traps io_uring
check "a deadline of io_uring's cannot be moved" grep -q 'it waits by io_uring, whose deadlines cannot be moved' recorded
record 1 ./traps date
replay 1 ./traps clocks
expect "another program under a clock that was recorded of one is refused" 3 "its clock cannot be replayed"
record 1 sh -c './traps date; ./traps date'
replay 1 sh -c './traps date'
expect "a process too few is refused" 3 "called clock_gettime" "0 times where base's recorded run did"
replay 1 sh -c './traps date; ./traps date; ./traps date'
expect "so is one too many" 3 "where base's recorded run did 0 times"
record 1 ./traps date
rm -f record/[0-9a-f]*
replay 1 ./traps date
expect "a record without its files is none" 3 "where base's recorded run did 0 times"

# ---- who is in between
record 1 timeout 30 env X=1 ./traps date
replay 1 timeout 30 env X=1 ./traps date
same "wrappers have clocks of their own"
record 1 env -u FLAMEGATE_CLOCK ./traps date
check "without the variable the real clock is read" test "$(calls recorded)" = '0 0 0'
record 1 sh -c 'ulimit -f 1; ./traps date; :'
check "a limit on the size of files is no signal, but said" grep -q 'could not make the file of its clock' recorded

# ---- a clock that is stepped
run timeout 60 "$clock_run" step 100000 10 ./traps date
expect "a stepped clock makes as many rounds as steps" 0 ' 299'
run timeout 60 "$clock_run" step 1 0.5 ./traps threads
expect "one whose steps do not suit is stopped" 3 "with a clock that goes on by the same step at each call it does not come to an end"
finish
