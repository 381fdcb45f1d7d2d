#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Much at once: threads, forks, code that comes and goes, memory that is scarce, by each timer and with all that can be
# counted. Nothing may crash, hang or go uncounted. `make stress` runs the long form (STRESS=long, ten minutes of churn
# for each), which resumes where it stopped as long as the library is the same; MECHANISMS="posix"
# and ONLY=REGEX try only these mechanisms and cases.
# shellcheck disable=SC2154 # lib.sh
# shellcheck source=tests/sampler/lib.sh
. "$(dirname "$0")/lib.sh"
stress=$build/tests/sampler/stress
plugins="$build/tests/sampler/plugin_one.so $build/tests/sampler/plugin_two.so"
threads=500 forks=250 rounds=1500 seconds=1 patience=300
if [ "${STRESS:-}" = long ]; then
	threads=20000 forks=5000 rounds=300000 seconds=600 patience=7200
	done_before=$build/stress-$(cat "$library" "$heap_library" | cksum | cut -d ' ' -f 1)
	touch "$done_before"
fi

# Like check; in the long form not again what has gone well.
stress_check() { # description command...
	expr "$1" : ".*${ONLY:-}" >/dev/null || return
	if [ -n "${done_before:-}" ] && grep -qxF "$1" "$done_before"; then
		report ok "$1 (before)"
		return
	fi
	check "$@"
	[ -z "${done_before:-}" ] || [ "$verdict" != ok ] || echo "$1" >>"$done_before"
}

# Where does it stand? Into the output, then it is ended.
end_hanging() { # pid
	echo "hangs after $patience seconds" >>"$scratch/out"
	if command -v gdb >/dev/null 2>&1; then
		gdb -p "$1" -batch -ex 'thread apply all backtrace 12' >"$scratch/stacks" 2>/dev/null
		grep -E '^(Thread|#)' "$scratch/stacks" | sed 's/^/# /' | head -n 200 >&2
	fi
	kill -9 "$1"
}

# Like sampled, but it does not wait for ever.
stressed() {
	fresh
	# shellcheck disable=SC2086 # assignments
	env LD_PRELOAD="$(library_for "$kinds")" FLAMEGATE_CAPTURE_DIR="$captures" FLAMEGATE_MECHANISM="$mechanism" \
		FLAMEGATE_RATE="${rate:-997}" FLAMEGATE_PROFILE="$kinds" ${options:-} \
		"$stress" "$@" >"$scratch/out" 2>&1 </dev/null &
	running=$!
	waited=0
	while kill -0 "$running" 2>/dev/null && [ "$waited" -lt $((patience * 5)) ]; do
		sleep 0.2
		waited=$((waited + 1))
	done
	[ "$waited" -lt $((patience * 5)) ] || end_hanging "$running"
	wait "$running"
	status=$?
	"$dump" "$captures" >"$scratch/dump" 2>&1
}

own() { sed -n "s/^$1 //p" "$scratch/out"; }

# Every sample that was taken lies in an entry or is counted as lost.
adds_up() {
	delivered=$("$stress" delivered 0 0 "$captures"/*) &&
		[ "$delivered" -eq $(($(value cpu_count) + $(value lost))) ]
}

# Of the stacks that were recorded; what was lost has none.
stacks_are_whole() { [ "$(value cpu_complete)" -ge $(($(value cpu_count) * 99 / 100)) ]; }

went_well() { # low high (of the weights against the CPU time) mode...
	low=$1 high=$2
	shift 2
	stressed "$@"
	[ "$status" -eq 0 ] && grep -qx fine "$scratch/out" && between damaged 0 0 && adds_up || return 1
	[ "$kinds" = heap ] || { stacks_are_whole && between complete_permille "${least_whole:-950}" 1000 &&
		between weight_permille "$low" "$high"; }
}

# Allocations: the program's own count, and the few that libraries make for it. Its memory comes first: at times it leaves
# the capture no room to grow (0 to 8 % of the samples in ten minutes), which must be counted, as adds_up() sees.
churn_is_counted() { # low high cap
	least_whole=800
	went_well "$1" "$2" churn "$seconds" "$3" || { unset least_whole && return 1; }
	unset least_whole
	case $kinds in *heap*) ;; *) return 0 ;; esac
	counted=$(($(value heap_count) + $(value counter_heap_lost)))
	[ "$counted" -ge "$(own own_allocations)" ] && [ "$counted" -le $(($(own own_allocations) + 100)) ] &&
		[ $((counted - $(value heap_gone_count) - $(value counter_heap_lost))) -le $(($(value counter_untracked) + 100)) ]
}

# A reader meets the writer in the middle of its work.
is_readable_meanwhile() {
	fresh
	env LD_PRELOAD="$(library_for "$kinds")" FLAMEGATE_CAPTURE_DIR="$captures" FLAMEGATE_MECHANISM="$mechanism" \
		FLAMEGATE_RATE=4000 FLAMEGATE_PROFILE="$kinds" "$stress" forks "$forks" 1 >"$scratch/out" 2>&1 &
	running=$!
	reads=0 before=0
	rm -f "$scratch/read"
	while kill -0 "$running" 2>/dev/null; do
		if ! "$dump" "$captures" >"$scratch/dump" 2>&1 || ! between damaged 0 0 ||
			! between samples "$before" 10000000; then
			cp "$scratch/dump" "$scratch/read"
			break
		fi
		before=$(value samples)
		reads=$((reads + 1))
	done
	wait "$running"
	status=$?
	echo "exit $status after $reads reads, $before samples before the last" >>"$scratch/out"
	[ ! -f "$scratch/read" ] || grep -E '^(samples|damaged|processes) |rror' "$scratch/read" >>"$scratch/out"
	[ "$status" -eq 0 ] && [ "$reads" -ge 3 ] && grep -qx fine "$scratch/out" && between damaged 0 0
}

# What of the kinds has interposers in these libraries.
all_kinds() {
	symbols=$(nm "$library" "$heap_library")
	list=cpu
	case $symbols in *' T malloc'*) list=$list,heap ;; esac
	case $symbols in *' T pthread_mutex_lock'*) list=$list,lock ;; esac
	case $symbols in *' t fg_off_cpu'* | *' T fg_off_cpu'*) list=$list,wall ;; esac
	echo "$list"
}

stress_all() { # low high
	stress_check "$mechanism, $kinds: $threads threads" went_well "$1" "$2" threads "$threads" 1
	stress_check "$mechanism, $kinds: $forks forks beside running threads" went_well "$1" "$2" forks "$forks" 1
	# shellcheck disable=SC2086 # two words
	stress_check "$mechanism, $kinds: $rounds rounds of dlopen and dlclose" \
		went_well "$1" "$2" plugins "$rounds" 0 $plugins
	stress_check "$mechanism, $kinds: $seconds CPU-seconds of churn under 64 MB" churn_is_counted "$1" "$2" 64
	stress_check "$mechanism, $kinds: captures can be read while they are written" is_readable_meanwhile
}

everything=$(all_kinds)
mechanisms=${MECHANISMS:-perf posix}
kinds=cpu
if ! perf_opens; then
	mechanisms=posix
	skip "perf: all" "perf task-clock with the kernel included does not open here"
fi
for mechanism in $mechanisms; do
	for kinds in $(printf '%s\n' cpu "$everything" | uniq); do
		if [ "$mechanism" = perf ]; then stress_all 900 1100; else stress_all 600 1400; fi
	done
done
case $everything in
*heap*)
	kinds=heap options=FLAMEGATE_HEAP_PERIOD=65536
	stress_check "sampled heap: $seconds CPU-seconds of churn under 64 MB" went_well 0 0 churn "$seconds" 64
	;;
esac
finish
