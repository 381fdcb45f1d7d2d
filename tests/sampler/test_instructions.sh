#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Instructions of real programs, by valgrind, TAP. Everything here is counted, so nothing depends on the
# machine's speed, and equal runs are asked for equal numbers.
# usage: FLAMEGATE_BUILD=build sh tests/sampler/test_instructions.sh   (after: make sampler-test-files)
# shellcheck source=tests/sampler/lib.sh
. "$(dirname "$0")/lib.sh"

program=$build/tests/sampler/instructions_target
tool=$build/tests/sampler/count_instructions
engine=callgrind

if ! command -v valgrind >/dev/null 2>&1; then
	echo "1..0 # SKIP valgrind is not installed"
	exit 0
fi

# What was counted is in $scratch/dump, by function in $scratch/costs; what was printed in $scratch/out.
counted() { # command...
	: >"$scratch/out"
	TMPDIR=$scratch OUTPUT=$scratch/out "$tool" "$engine" "$@" >"$scratch/costs" 2>&1 </dev/null
	status=$?
	grep -v '^\(self\|total\|file\):' "$scratch/costs" >"$scratch/dump"
	return $status
}

cost() { # self:FUNCTION or total:FUNCTION
	sed -n "s/^$1 //p" "$scratch/costs"
}

same_three_times() { # command...
	first='' again=0
	while [ $again -lt 3 ]; do
		counted "$@" || return 1
		[ -z "$first" ] || [ "$first" = "$(value instructions)" ] || {
			echo "first $first" >>"$scratch/dump"
			return 1
		}
		first=$(value instructions)
		again=$((again + 1))
	done
	adds_up
}

# The samples' sum is what valgrind counted, and nothing had to be made fit.
adds_up() {
	[ -n "$(value instructions)" ] && [ "$(value profile)" = "$(value instructions)" ] &&
		between lost 0 0 && ! grep -q '^comment warning' "$scratch/dump"
}

callers_are_exact() {
	counted "$program" callers 10000 && adds_up || return 1
	own=$(cost self:spin) left=$(cost total:left) right=$(cost total:right)
	left=$((left - $(cost self:left))) right=$((right - $(cost self:right)))
	# three times as many turns, but one call each
	[ "$((left + right))" -eq "$own" ] && [ "$((3 * left - right))" -ge 0 ] &&
		[ "$((3 * left - right))" -lt 50 ]
}

one_percent_is_seen() {
	counted "$program" callers 20000 || return 1
	total=$(value instructions) spin=$(cost self:spin) main=$(cost self:main)
	counted "$program" callers 20200 || return 1
	more=$(($(cost self:spin) - spin))
	permyriad=$((more * 10000 / spin))
	[ "$permyriad" -ge 99 ] && [ "$permyriad" -le 101 ] && [ "$(cost self:main)" = "$main" ] &&
		[ "$(($(value instructions) - total))" -eq "$more" ]
}

cycle_is_kept() {
	counted "$program" cycle 101 && adds_up || return 1
	first=$(cost self:even) other=$(cost self:odd)
	counted "$program" cycle 201 && adds_up || return 1
	[ "$(cost self:even)" -gt "$first" ] && [ "$(cost self:odd)" -gt "$other" ] &&
		[ "$(cost total:even)" -ge "$(($(cost self:even) + $(cost self:odd)))" ]
}

virtual_is_named() {
	counted "$program" virtual 5000 && adds_up && [ "$(cost 'self:shapes::square::area(long)')" -ge 15000 ]
}

forks_count_once() {
	counted "$program" forks 50000 && adds_up && between processes 4 4 &&
		[ "$(cost self:spin)" -ge $((2 * 53000)) ] && [ "$(cost self:spin)" -le $((6 * 53000 + 1000)) ] &&
		[ "$(cost total:forked)" -ge 6000 ] && [ "$(cost total:forked)" -le 20000 ]
}

chain_counts_the_program() {
	counted "$program" callers 3000 && alone=$(value instructions) || return 1
	counted sh -c "true; '$program' callers 3000; :" && adds_up || return 1
	grep -q '^left_out not counted: .*sh (' "$scratch/dump" && between processes 2 2 || return 1
	# The shell adds to the environment, which the loader reads.
	difference=$(($(value instructions) - alone))
	[ "${difference#-}" -lt 20000 ]
}

exec_counts_the_program() {
	counted sh -c "exec '$program' callers 3000" && adds_up && between processes 1 1 &&
		[ -n "$(cost total:left)" ]
}

output_is_its_own() {
	counted "$program" callers 10 0 && [ "$(cat "$scratch/out")" = "callers: fine" ] || return 1
	counted "$program" callers 10 7
	[ $status -eq 3 ] && grep -q 'exited with status 7' "$scratch/dump" &&
		[ "$(cat "$scratch/out")" = "callers: fine" ]
}

threads_are_counted() {
	counted "$program" threads 5000 && adds_up && [ "$(cost self:spin)" -ge 40000 ]
}

check "callgrind: three runs of one program are identical" same_three_times "$program" callers 30000
check "two callers share a function by the cost of their calls" callers_are_exact
check "one percent more shows in its function, to the instruction, and nowhere else" one_percent_is_seen
check "mutual recursion adds up" cycle_is_kept
check "C++ functions are named" virtual_is_named
check "exceptions leave functions without returning: totals are exact all the same" \
	same_three_times "$program" exceptions 200
check "coroutines jump between stacks: totals are exact all the same" \
	same_three_times "$program" coroutines 200
check "threads are counted" threads_are_counted
check "forked children count from their fork on" forks_count_once
check "of a shell and a program the program counts" chain_counts_the_program
check "what a shell execs counts" exec_counts_the_program
check "output and exit status are the program's own" output_is_its_own
for real in "gzip -9kc $program" "/usr/bin/perl -e print(sort(map{\$_*7%13}(1..500)))" \
	"/usr/bin/python3 -S -c print(sum(range(1000)))" "sqlite3 :memory: select(1)"; do
	# shellcheck disable=SC2086 # words
	set -- $real
	if command -v "$1" >/dev/null 2>&1; then
		PYTHONHASHSEED=0 PERL_HASH_SEED=0
		export PYTHONHASHSEED PERL_HASH_SEED
		check "${1##*/}: three runs are identical" same_three_times "$@"
	else
		skip "${1##*/}: three runs are identical" "not installed"
	fi
done
engine=cachegrind
check "cachegrind: three runs of one program are identical" same_three_times "$program" callers 30000
check "cachegrind: one percent more shows in its function, and nowhere else" one_percent_is_seen
engine=hardware
if counted "$program" callers 10; then
	check "hardware: a count, in one frame" same_three_times "$program" callers 10
else
	skip "hardware: a count, in one frame" "$(value error)"
fi
finish
