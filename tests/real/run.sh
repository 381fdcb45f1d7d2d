#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Programs from Debian that nobody here wrote, with and without the preload, in each mode. Each run's output and exit
# status must be those without it (after the filter that stands in the program's file); printed are also the ratio of
# the CPU time (median of the rounds, each with a run of its own without the preload), the weights' sum against the
# CPU time, and the share of complete stacks.
#
#   FLAMEGATE_BUILD=build run.sh [PROGRAM...]      all by default; ROUNDS=5, SCALE=8, MODES="cpu-perf heap"
#
# Resumes where it stopped, unless the library has changed. Exit 1 if anything differed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
export FLAMEGATE_BUILD
build=$(cd "${FLAMEGATE_BUILD:-build}" && pwd) && FLAMEGATE_BUILD=$build || exit 3
state=$build/real
scale=${SCALE:-8}
rounds=${ROUNDS:-5}
# shellcheck source=tests/real/lib.sh
. "$here/lib.sh"

mkdir -p "$state" || exit 3
stamp="$(cat "$build/libflamegate.so" "$build/libflamegate-heap.so" | sha256sum) $scale"
if [ "$(cat "$state/stamp" 2>/dev/null)" != "$stamp" ]; then
	rm -rf "$state" && mkdir -p "$state" && echo "$stamp" >"$state/stamp" || exit 3
fi

# One run; its line: alike CPU-seconds weight-permille complete-permille counted lost damaged
measure() { # program mode
	local verdict=yes
	one "$1" "$2" || return 1
	if [ "$2" = plain ]; then
		[ -e "$state/$1/plain.status" ] || keep_plain "$1"
	fi
	alike "$1" >"$state/$1/difference.$2" || { verdict=NO; sed "s/^/# $1 $2: /" "$state/$1/difference.$2" >&2; }
	[ "$2" = plain ] || read_captures "$1"
	echo "$verdict $(cat "$state/$1/cpu") $(value "$1" weight_permille) $(complete "$1") $(value "$1" lost)" \
		"$(value "$1" damaged)"
}

# Per mille of what was counted, of whatever kind, and how much that is.
complete() { # program
	awk '$1 ~ /^(cpu|off_cpu|heap|mapped|mutex|rwlock|condition|futex)_count$/ { all += $2 }
		$1 ~ /^(cpu|off_cpu|heap|mapped|mutex|rwlock|condition|futex)_complete$/ { complete += $2 }
		END { printf "%d %d", all ? complete * 1000 / all : 0, all }' "$state/$1/dump" 2>/dev/null
}

round() { # program round
	local mode result

	mkdir -p "$state/$1"
	for mode in plain $modes; do
		result=$state/$1/$2.$mode
		[ -s "$result" ] || { measure "$1" "$mode" >"$result.new" && mv "$result.new" "$result"; } || return 1
	done
}

median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# Column n of the mode's lines, over all rounds.
column() { # program mode column
	cat "$state/$1/"[0-9]*."$2" | cut -d' ' -f"$3"
}
ratios() { # program mode
	local n
	for ((n = 1; n <= rounds; n++)); do
		echo "$(cut -d' ' -f2 "$state/$1/$n.$2") $(cut -d' ' -f2 "$state/$1/$n.plain")"
	done | awk '{ print $1 / $2 }'
}

row() { # program mode
	printf '%-12s %-10s %5s %8.3f %8.3f %8.3f %9s %6s\n' "$1" "$2" \
		"$(column "$1" "$2" 1 | grep -c yes)/$rounds" "$(ratios "$1" "$2" | median)" \
		"$(column "$1" "$2" 3 | awk '{ print $1 / 1000 }' | median)" \
		"$(column "$1" "$2" 4 | awk '{ print $1 / 1000 }' | median)" \
		"$(column "$1" "$2" 5 | median)" "$(cut -d' ' -f6- "$state/$1/"[0-9]*."$2" | awk '{ print $1 + $2 }' | median)"
}

modes=${MODES:-$(modes)}
differing=0
printf '%-12s %-10s %5s %8s %8s %8s %9s %6s\n' program mode alike CPU 'sum(w)/T' complete counted lost
[ $# -gt 0 ] || mapfile -t all < <(programs)
for program in "${@:-${all[@]}}"; do
	absent=$(missing "$program")
	if [ -n "$absent" ]; then
		echo "$program: $absent is not installed"
		continue
	fi
	for ((n = 1; n <= rounds; n++)); do
		round "$program" "$n" || { echo "$program: could not run"; differing=1; continue 2; }
	done
	for mode in $modes; do
		row "$program" "$mode"
		! column "$program" "$mode" 1 | grep -q NO || differing=1
	done
done
exit "$differing"
