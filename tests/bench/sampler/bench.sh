#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The sampler beside other profilers, in one run: known truths, complete stacks, what a sample, a walk, a stack, an
# allocation and a lock cost, and the start. Nothing here decides a test.
#
#   bench.sh BUILD [LINE...]     a line is one of the functions below whose name begins with line_
#
# Each line's result is kept in BUILD/bench-sampler, with the load at the time: what is there is not measured again,
# unless the library has changed. Each figure is a median of rounds in which all that is compared runs in turn.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) || exit 3
shift
export FLAMEGATE_BUILD=$build
library=$build/libflamegate.so
programs=$build/tests/bench/sampler
state=$build/bench-sampler
rounds=${ROUNDS:-7}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/flamegate-bench.XXXXXX") || exit 3
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

value() { sed -n "s/^$1 //p" "$2"; }
median() {
	sort -n | awk '{ v[NR] = $1 }
		END { if (NR) printf "%.10g\n", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2; else print "-" }'
}
# row WHAT VALUE UNIT [REMARK]
row() { printf "%-66s %10s %-7s %s\n" "$@"; }
calculate() { awk "BEGIN { printf \"$1\", $2 }"; }

# under KINDS MECHANISM COMMAND...: by the preload, with a fresh folder of captures. NAME=VALUE may stand before COMMAND.
under() {
	local kinds=$1 mechanism=$2 library=$library
	shift 2
	case $kinds in *heap*) library=$build/libflamegate-heap.so ;; esac
	rm -rf "$scratch/captures" && mkdir "$scratch/captures"
	env LD_PRELOAD="$library" FLAMEGATE_CAPTURE_DIR="$scratch/captures" FLAMEGATE_PROFILE="$kinds" \
		FLAMEGATE_MECHANISM="$mechanism" FLAMEGATE_RATE=997 "$@"
}
captured() { "$build/tests/sampler/dump_capture" "$scratch/captures" >"$scratch/dump" && value "$1" "$scratch/dump"; }

mechanisms() {
	under cpu perf "$build/tests/sampler/target" busy 20 >"$scratch/out"
	"$build/tests/sampler/dump_capture" "$scratch/captures" | grep -q ' mechanism perf ' && echo perf
	echo posix
}

# ---- known truths: shares of functions against the program's own CPU clock ------------------------------------------

truth() { # mechanism mode arguments...
	local mechanism=$1 samples
	shift
	under cpu "$mechanism" "$build/tests/sampler/truths" "$@" >"$scratch/truth" || return 1
	nm -n --defined-only "$build/tests/sampler/truths" |
		"$build/tests/sampler/shares" -s 0 -p 20 "$scratch/captures" "$scratch/truth" >"$scratch/shares"
	local verdict=$?
	samples=$(captured samples)
	row "$mechanism: $*" "$samples" samples \
		"$([ "$verdict" -eq 0 ] && echo 'within 2 points' || echo 'MORE THAN 2 POINTS'), sum(w)/T $(captured weight_permille)"
	sed 's/^/    /' "$scratch/shares"
}
line_truths() {
	local mechanism
	for mechanism in $(mechanisms); do
		truth "$mechanism" duty 9500 4000 300
		truth "$mechanism" duty 9500 1000 100
		truth "$mechanism" duty 9500 10000 700
		for mode in split recursion short reading faulting; do
			truth "$mechanism" "$mode" 9500
		done
		# Many of the children end before their first sample: 8,000 need more time.
		truth "$mechanism" forks 14000
	done
}

# ---- complete stacks of real programs at arbitrary points ------------------------------------------------------------

line_complete() { bash "$here/complete.sh"; }

# ---- what a sample costs beyond an empty handler under the same timer ------------------------------------------------

# The gap that one signal tears into a loop of clock reads, ours and an empty handler's by turns in one run. FRAMES in
# all: six of them are not `deep`.
beyond() { # frames what
	local round
	for ((round = 1; round <= rounds; round++)); do
		echo $(($(value "sample_$2" "$scratch/$1.$round") - $(value "signal_$2" "$scratch/$1.$round")))
	done | median
}
own_cost() { # mechanism timer
	local round frames
	for ((round = 1; round <= rounds; round++)); do
		for frames in 10 30 100; do
			under cpu "$1" "$programs/gaps" "$2" $((frames - 6)) 3 >"$scratch/$frames.$round" || return 1
		done
	done
	row "$1: signal with an empty handler ($2)" "$(cat "$scratch"/*0.* | sed -n 's/^signal_ns //p' | median)" ns \
		"$(cat "$scratch"/*0.* | sed -n 's/^signals_per_s //p' | median)/s"
	for frames in 10 30 100; do
		row "$1: our handler beyond it, $frames frames, median gap" "$(beyond "$frames" ns)" ns \
			"$(cat "$scratch/$frames".* | sed -n 's/^samples_per_s //p' | median)/s"
		row "$1: the same, mean, without the longest hundredth" "$(beyond "$frames" mean_ns)" ns
		row "$1: the same, lowest tenth (what other programs disturb least)" "$(beyond "$frames" low_ns)" ns
	done
}
line_own_perf() { [ "$(mechanisms | head -n 1)" = perf ] && own_cost perf timer-perf; }
line_own_posix() { own_cost posix timer-clock; }

line_walk() {
	local frames
	for frames in 10 30 100; do
		"$build/tests/bench/bench_unwind" "$frames" || return 1
	done
}

# ---- what a delivered complete stack costs, 33 frames, no frame pointers ----------------------------------------------

seconds_of() { awk '{ print $1 + $2 }' "$1"; }
# timed FILE COMMAND...: its CPU seconds and its children's, to FILE
timed() {
	local TIMEFORMAT='%U %S' file=$1
	shift
	{ time "$@" >"$scratch/out" 2>"$scratch/err" </dev/null; } 2>"$file"
}
spin=("$programs/gaps" none 27 3)

stacks_perf_events() {
	timed "$scratch/after" perf script -i "$scratch/perf.data" -F ip,sym
	awk 'NF { last = $NF; next }
		last != "" { total++; if (last == "_start") complete++; last = "" }
		END { print total + 0, complete + 0 }' "$scratch/out"
}
stacks_ours() {
	timed "$scratch/after" "$build/tests/sampler/dump_capture" -s "$scratch/captures"
	echo "$(value cpu_count "$scratch/out") $(value cpu_complete "$scratch/out")"
}
stacks_gperftools() {
	local start
	start=$(nm -n "$programs/gaps" | awk '$3 == "_start" { low = $1; getline; print low, $1 }')
	timed "$scratch/after" google-pprof --text "$programs/gaps" "$scratch/gperftools"
	# shellcheck disable=SC2086 # two words
	perl "$here/gperftools_stacks.pl" "$scratch/gperftools" $start
}
run_who() { # who
	case $1 in
	none) timed "$scratch/times" "${spin[@]}" ;;
	ours-*) timed "$scratch/times" under cpu "${1#ours-}" "${spin[@]}" ;;
	gperftools) timed "$scratch/times" env LD_PRELOAD=libprofiler.so.0 CPUPROFILE="$scratch/gperftools" \
		CPUPROFILE_FREQUENCY=997 "${spin[@]}" ;;
	perf-g) timed "$scratch/times" perf record -q -e cpu-clock -F 997 -g -o "$scratch/perf.data" -- "${spin[@]}" ;;
	perf-dwarf) timed "$scratch/times" perf record -q -e cpu-clock -F 997 --call-graph dwarf -o "$scratch/perf.data" \
		-- "${spin[@]}" ;;
	esac
}
count_who() { # who
	case $1 in
	none) : >"$scratch/after" && echo 0 0 ;;
	ours-*) stacks_ours ;;
	gperftools) stacks_gperftools ;;
	perf-*) stacks_perf_events ;;
	esac
}
# A line a run: torn microseconds, all CPU seconds beyond the useful, CPU seconds afterwards, samples, complete ones
stack_run() { # who
	local file=$scratch/spin
	run_who "$1"
	cp "$scratch/out" "$file"
	local counts
	counts=$(count_who "$1")
	echo "$(calculate %.1f "$(value torn_us_per_s "$file") * $(value useful_s "$file")")" \
		"$(calculate %.6f "$(seconds_of "$scratch/times") - $(value useful_s "$file")")" \
		"$(seconds_of "$scratch/after" | tail -n 1) $counts"
}
stack_rows() { # who
	paste -d' ' "$scratch/rows.$1" "$scratch/rows.none" | awk '{ if ($5) printf "%d\n", ($1 - $6) * 1000 / $5 }' | median >"$scratch/torn"
	paste -d' ' "$scratch/rows.$1" "$scratch/rows.none" | awk '{ if ($5) printf "%d\n", ($2 - $7) * 1e9 / $5 }' | median >"$scratch/all"
	row "$1: complete of all samples" "$(cut -d' ' -f5 "$scratch/rows.$1" | median)" stacks \
		"of $(cut -d' ' -f4 "$scratch/rows.$1" | median)"
	row "$1: torn from the program per complete stack" "$(cat "$scratch/torn")" ns
	row "$1: all CPU time per complete stack" "$(cat "$scratch/all")" ns "recording process included"
	row "$1: afterwards, to read" "$(cut -d' ' -f3 "$scratch/rows.$1" | median)" s
}
line_stack_cost() {
	local round who whos
	whos="none $(mechanisms | sed 's/^/ours-/' | tr '\n' ' ')"
	ls /usr/lib/*/libprofiler.so.0 >/dev/null 2>&1 && whos="$whos gperftools"
	perf record -q -e cpu-clock -o "$scratch/perf.data" true 2>/dev/null && whos="$whos perf-g perf-dwarf"
	for ((round = 1; round <= rounds; round++)); do
		for who in $whos; do
			stack_run "$who" >>"$scratch/rows.$who"
		done
	done
	for who in $whos; do
		[ "$who" = none ] || stack_rows "$who"
	done
}

# ---- nanoseconds per malloc and free at 33 frames ----------------------------------------------------------------------

pair() { "${@:2}" | sed -n 's/^pair_ns //p' >>"$scratch/pair.$1"; }
pair_row() { # file what
	[ ! -s "$scratch/pair.$1" ] || row "$2" "$(median <"$scratch/pair.$1")" ns
}
line_malloc() {
	local round many=("$programs/pairs" malloc 27 1000000) few=("$programs/pairs" malloc 27 30000)
	for ((round = 1; round <= rounds; round++)); do
		pair plain "${many[@]}"
		pair asleep env LD_PRELOAD="$library" "${many[@]}"
		pair unasked under cpu auto "${many[@]}"
		pair exact under heap auto "${many[@]}"
		pair sampled under heap auto env FLAMEGATE_HEAP_PERIOD=524288 "${many[@]}"
		! command -v heaptrack >/dev/null || pair heaptrack heaptrack -o "$scratch/heaptrack" "$programs/pairs" malloc 27 100000
		if [ -e /usr/lib/x86_64-linux-gnu/libtcmalloc.so.4 ]; then
			pair tcmalloc env LD_PRELOAD=libtcmalloc.so.4 "${many[@]}"
			pair gperftools env LD_PRELOAD=libtcmalloc.so.4 HEAPPROFILE="$scratch/heap" "${few[@]}" 2>/dev/null
		fi
		if [ -e /usr/lib/x86_64-linux-gnu/libjemalloc.so.2 ]; then
			pair jemalloc env LD_PRELOAD=libjemalloc.so.2 "${many[@]}"
			pair jemalloc-prof env LD_PRELOAD=libjemalloc.so.2 MALLOC_CONF=prof:true,lg_prof_sample:19 "${many[@]}"
		fi
	done 2>/dev/null
	pair_row plain 'malloc+free: plain'
	pair_row asleep 'malloc+free: preloaded, nothing asked for'
	pair_row unasked 'malloc+free: preloaded, CPU time asked for'
	pair_row exact 'malloc+free: heap, exact'
	pair_row sampled 'malloc+free: heap, sampled, 512 KiB'
	pair_row heaptrack 'malloc+free: heaptrack'
	pair_row tcmalloc 'malloc+free: tcmalloc'
	pair_row gperftools 'malloc+free: tcmalloc with HEAPPROFILE'
	pair_row jemalloc 'malloc+free: jemalloc'
	pair_row jemalloc-prof 'malloc+free: jemalloc with prof, lg_prof_sample 19'
}

# ---- nanoseconds per uncontended lock and unlock -------------------------------------------------------------------------

line_lock() {
	local round many=("$programs/pairs" lock 27 2000000)
	for ((round = 1; round <= rounds; round++)); do
		pair lock-plain "${many[@]}"
		pair lock-asleep env LD_PRELOAD="$library" "${many[@]}"
		pair lock-unasked under cpu auto "${many[@]}"
		pair lock-asked under lock auto "${many[@]}"
	done
	pair_row lock-plain 'lock+unlock: plain'
	pair_row lock-asleep 'lock+unlock: preloaded, nothing asked for'
	pair_row lock-unasked 'lock+unlock: preloaded, CPU time asked for'
	pair_row lock-asked 'lock+unlock: locks asked for'
}

# ---- start-up --------------------------------------------------------------------------------------------------------------

line_startup() {
	local kinds
	for kinds in cpu heap lock wall; do
		rm -rf "$scratch/captures" && mkdir "$scratch/captures"
		FLAMEGATE_PROFILE=$kinds "$programs/startup" 400 "$(dirname "$library")/libflamegate$([ "$kinds" != heap ] || echo -heap).so" "$scratch/captures" /bin/true >"$scratch/startup" || return 1
		row "start and end of a program, $kinds: more CPU time" \
			$(($(value loaded_cpu_us "$scratch/startup") - $(value plain_cpu_us "$scratch/startup"))) us \
			"of $(value plain_cpu_us "$scratch/startup")"
		row "start and end of a program, $kinds: more wall time" \
			$(($(value loaded_wall_us "$scratch/startup") - $(value plain_wall_us "$scratch/startup"))) us \
			"of $(value plain_wall_us "$scratch/startup")"
	done
}

mkdir -p "$state" || exit 3
stamp=$(cat "$library" "$build/libflamegate-heap.so" | sha256sum)
if [ "$(cat "$state/stamp" 2>/dev/null)" != "$stamp" ]; then
	rm -rf "$state" && mkdir -p "$state" && echo "$stamp" >"$state/stamp" || exit 3
fi
[ $# -gt 0 ] || set -- own_perf own_posix walk stack_cost malloc lock startup truths complete
for line in "$@"; do
	if [ ! -e "$state/$line" ]; then
		echo "measuring: $line" >&2
		if ! "line_$line" >"$state/$line.new"; then
			echo "$line: failed" >&2
			continue
		fi
		mv "$state/$line.new" "$state/$line"
		echo "load $(cut -d' ' -f1-3 /proc/loadavg), $(date -u +%Y-%m-%dT%H:%MZ)" >"$state/$line.load"
	fi
	echo "== $line ($(cat "$state/$line.load"))"
	cat "$state/$line"
done
