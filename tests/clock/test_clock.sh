#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A clock that is recorded and replayed: whatever asks for the time in whatever way does the same in every run; waits
# until a point of time are real; what cannot be replayed exactly is refused with the reason, and nothing hangs.
# shellcheck source=tests/clock/recorded.sh
. "$(dirname "$0")/recorded.sh"
for program in traps breaks; do
	cc -std=gnu17 -O2 -g -Wall -Wextra -o "$work/$program" "$here/$program.c" -lpthread -lrt || exit 1
done

# took FILE LEAST MOST NAME: seconds of the real clock; the most is several times what is needed, as the machine may be busy
took() { check "$4 ($(head -n 1 "$1"))" awk -v least="$2" -v most="$3" 'NR == 1 { exit !($2 >= least && $2 <= most) }' "$1"; }

# ---- the same in every run
for trap in 'traps clocks' 'traps threads' 'traps forks' 'traps date' 'traps sleeps' 'traps zone' \
	'breaks execs' 'breaks vforks' 'breaks spawns' 'breaks forks_in_threads' 'breaks ends' 'breaks strangers' 'breaks cancelled_sleeps'; do
	name=${trap#* }
	record 1 "./${trap% *}" "$name"
	check "$name: recorded" test -s recorded
	replay 1 "./${trap% *}" "$name"
	same "$name: replayed"
	SLOWDOWN=1 replay 1 "./${trap% *}" "$name"
	same "$name: replayed by a program that is twice as slow"
done
record 1 ./traps clocks
check "each way to ask for the time is a sequence of its own" test "$(calls recorded | cut -d ' ' -f 2)" -eq 14
record 1 ./traps threads
check "so is each thread, and each clock in it" test "$(calls recorded | cut -d ' ' -f 2)" -eq 18
record 1 ./breaks strangers
check "also one that the C library makes for a timer" test "$(calls recorded | cut -d ' ' -f 2)" -eq 4
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
	took out 1.59 8 "deadlines: $speed, they were waited for"
done
record 50 ./traps deadlines
took recorded 1.59 8 "deadlines are real in a run whose clock runs 50 times as fast"
replay 50 ./traps deadlines
same "deadlines: replayed at that speed"
# Each would take several times as long if it were shifted by a time that was told long before.
for trap in 'passes_deadline 0.51 4' 'asks_coarsely 0.2 4' 'asks_seconds 1.9 8'; do
	read -r name least most <<<"$trap"
	record 20 ./traps "$name"
	took recorded "$least" "$most" "$name: recorded, waits as long as it meant to"
	replay 20 ./traps "$name"
	same "$name: replayed"
	[ "$name" = asks_seconds ] || least=0.01
	took out "$least" "$most" "$name: replayed, it waits as long, too"
done
record 1 ./traps predicate
replay 1 ./traps predicate
same "a wait with a predicate, whose deadline is long past, is not evaluated again and again"

if c++ -std=c++17 -O1 -g -Wall -Wextra -o waits "$here/waits.cc" -lpthread; then
	for name in conditions locks futures sleeps c11; do
		record 20 ./waits "$name"
		is_over=$(tail -n +2 recorded | grep -vc ' 1 1$')
		check "C++ $name: all are over, and were waited for" test "$(calls recorded | cut -d ' ' -f 3)-$is_over" = 1-0
		replay 20 ./waits "$name"
		same "C++ $name: replayed"
	done
	record 1 ./waits turns
	replay 1 ./waits turns
	either "C++ turns: threads that wait for each other with a limit"
else
	skip "no C++ compiler here"
fi

# ---- faster
record 1 ./traps threads
slow=$(sed -n 2p recorded | tr ' ' '\n' | awk '{ n += $1 } END { print n }')
record 10 ./traps threads
fast=$(sed -n 2p recorded | tr ' ' '\n' | awk '{ n += $1 } END { print n }')
check "a clock that runs ten times as fast makes it do a fraction of the work ($slow, $fast)" test "$((fast * 3))" -lt "$slow"
replay 10 ./traps threads
same "and its replay the same fraction"

record 20 ./traps other_clocks
check "clocks that few know run as fast, from the same day" grep -qE '^(1 [0-9]+ )+$' recorded
replay 20 ./traps other_clocks
same "and so do they replayed"

# ---- refused
record 1 ./traps spins
replay 1 ./traps spins
expect "threads that wait for each other by the clock call it another number of times" 3 "its clock cannot be replayed: traps called clock_gettime(CLOCK_MONOTONIC)" \
	"times where base's recorded run did" "so it does not do the same work"
record 1 ./traps handler
replay 1 ./traps handler
either "a clock that a signal handler reads"
record 1 ./breaks cancelled_readers
replay 1 ./breaks cancelled_readers
either "threads that are cancelled while they read a clock"
for name in jumps waiting_handler; do
	record 1 ./breaks "$name"
	check "$name: who jumps out of a call by a signal handler, or waits there for the clock, is refused" \
		grep -q 'a signal handler jumps out of a call that reads a clock, or waits for the clock that it interrupted' recorded
done
record 1 ./breaks first_jumps
check "a jump out of a process's first call leaves no lock held" grep -qx '50 of 50' recorded
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
expect "one whose steps do not suit is stopped" 3 "with a clock that goes on by the same step at each call a process of it was stopped"
finish
