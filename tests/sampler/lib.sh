# shellcheck shell=sh disable=SC2034 # what is set here is for the scripts that read this file
# SPDX-License-Identifier: Apache-2.0
# What the sampler's tests share. A test sources this, calls check and skip, and ends with finish.
# A program runs under the preload by: mechanism=perf|posix|auto; sampled PROGRAM ARGUMENT...
# with rate=HZ and options="NAME=VALUE ..." (environment) where wanted.
set -u

build=$(cd "${FLAMEGATE_BUILD:-build}" && pwd) || exit 1
here=$(cd "$(dirname "$0")" && pwd)
library=$build/libflamegate.so
heap_library=$build/libflamegate-heap.so # takes the allocator's names; the same otherwise
target=$build/tests/sampler/target
dump=$build/tests/sampler/dump_capture
control=$build/tests/sampler/control_tool
scratch=$(mktemp -d "${TMPDIR:-/tmp}/flamegate-sampler-XXXXXX") || exit 1
captures=$scratch/captures
mechanism=auto

cleanup() {
	[ -z "${mounted:-}" ] || umount "$mounted" 2>/dev/null
	rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

number=0
failures=0

report() { # verdict description
	verdict=$1
	number=$((number + 1))
	if [ "$1" = ok ]; then
		echo "ok $number - $2"
	else
		failures=$((failures + 1))
		echo "not ok $number - $2"
		[ ! -s "$scratch/dump" ] || sed 's/^/# /' "$scratch/dump"
		[ ! -s "$scratch/out" ] || head -n 5 "$scratch/out" | sed 's/^/# out: /'
	fi
}

skip() { # description reason
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

# Twice as many want to run as can.
is_busy() {
	awk -v cpus="$(getconf _NPROCESSORS_ONLN)" '{ exit $1 < 2 * cpus }' /proc/loadavg
}

# What fails on a busy machine is tried again, twice: there a thread may not run when it should. A defect fails each time.
check() { # description command...
	what=$1
	shift
	for try in 1 2 3; do
		if "$@"; then
			report ok "$what"
			return
		fi
		is_busy || break
		echo "# try $try of '$what' failed on a busy machine"
	done
	report no "$what"
}

fresh() {
	rm -rf "$captures"
	mkdir "$captures"
	: >"$scratch/dump"
}

# As the runner chooses: where the heap is asked for, its library.
library_for() { case $1 in *heap*) echo "$heap_library" ;; *) echo "$library" ;; esac; }

# Runs a program under the preload. Its output is in $scratch/out, its status in $status.
sampled() {
	fresh
	# shellcheck disable=SC2086 # zero or one assignment
	env LD_PRELOAD="$(library_for "${options:-}")" FLAMEGATE_CAPTURE_DIR="$captures" FLAMEGATE_MECHANISM="$mechanism" \
		FLAMEGATE_RATE="${rate:-997}" ${options:-} "$@" >"$scratch/out" 2>&1 </dev/null
	status=$?
	"$dump" "$captures" >"$scratch/dump" 2>&1
}

value() {
	sed -n "s/^$1 //p" "$scratch/dump"
}

between() { # name low high
	[ -n "$(value "$1")" ] && [ "$(value "$1")" -ge "$2" ] && [ "$(value "$1")" -le "$3" ]
}

is_sound() { # status, nothing damaged or lost, stacks complete, weights = CPU time
	[ "$status" -eq 0 ] && between damaged 0 0 && between lost 0 0 &&
		between complete_permille 950 1000 && between weight_permille "$1" "$2"
}

# Is perf to be had here?
perf_opens() {
	mechanism=perf
	sampled "$target" busy 20
	grep -q ' mechanism perf ' "$scratch/dump"
}

finish() {
	echo "1..$number"
	[ "$failures" -eq 0 ]
}

# Parked from the start it cannot end; a slow machine can make this pass wrongly but never fail.
stands_until_let_go() { # page command...
	page=$1
	shift
	fresh
	"$control" "$page" park 1 || return 1
	env LD_PRELOAD="$library" FLAMEGATE_CAPTURE_DIR="$captures" FLAMEGATE_CONTROL="$page" \
		FLAMEGATE_MECHANISM="$mechanism" "$@" >"$scratch/out" 2>&1 &
	parked=$!
	sleep 1.5
	kill -0 "$parked" 2>/dev/null
	standing=$?
	"$control" "$page" park 0
	wait "$parked"
	status=$?
	"$dump" "$captures" >"$scratch/dump" 2>&1
	[ "$standing" -eq 0 ] && [ "$status" -eq 0 ]
}
