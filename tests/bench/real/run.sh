#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How often is a real, live check right? On real programs, with known changes planted (programs/*.sh):
# checks of what has not changed, of what is 1 and 2 % slower, of what only looks different, and of the
# demo beside a noisy neighbour. Takes hours, and goes on where it was stopped, at any gate.
#
#   run.sh measure    checks; one line each in FOLDER/gates.csv, recordings in FOLDER/recordings
#   run.sh judge      what the shipped code, and what simpler rules, make of the recordings; gates drawn
#                     from the pairs of the unchanged: FOLDER/judged.csv, FOLDER/drawn
#   run.sh table      Markdown, from these
#   run.sh            all three
# By environment:
#   TOOLS      judge, resample and burner (build/tests/bench/real)
#   FLAMEGATE  the program that measures; copied into FOLDER at first, so that one build measures all
#   FOLDER     where everything is kept
#   PROGRAMS   names of programs/*.sh (all)        KINDS  of gates (all: see plan() below)
#   NUMBER     gates of a kind (10)                SLICES instead of the default mode: auto, off, 20ms
#   PREFIX     stands before each measurement: "taskset -c 1"
#   NOISY      CPUs with a noisy neighbour (all); with two series side by side, each on its own CPU, that one
#   MOST       seconds after which no further gate is begun (none)
#   GATES      drawn from each program's pairs (1000)
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${FOLDER:?}" "${TOOLS:?}" "${FLAMEGATE:?}"
mkdir -p "$FOLDER"
FOLDER=$(cd "$FOLDER" && pwd)
: "${PROGRAMS:=$(cd "$here/programs" && ls ./*.sh | grep -vx ./common.sh | sed -n 's|^\./\(.*\)\.sh$|\1|p' | tr '\n' ' ')}"
: "${KINDS:=aa plus1 plus2 refactor aa-noisy plus2-noisy shortcut}" "${NUMBER:=10}" "${SLICES:=default}" "${PREFIX:=}" "${GATES:=1000}" "${MOST:=999999}" "${NOISY:=$(seq -s " " 0 $(($(nproc --all) - 1)))}"
unset CI GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_BASE_REF # an experiment, not the gate of this run
export FLAMEGATE_CACHE=$FOLDER/cache LC_ALL=C
csv=$FOLDER/gates.csv
part=50 # gates drawn by one process

# ---- measuring ----------------------------------------------------------------------------------------
wanted() { case " $KINDS " in *" $1 "*) ;; *) false ;; esac; }

# "program kind number branch", in the order of measuring: whatever is done is balanced.
plan() {
	local number program five
	local refactors=(rename split inline moved reorder comment)

	for number in $(seq "$NUMBER"); do
		five=$(((number - 1) % 5 + 1))
		for program in $PROGRAMS; do
			[ "$number" -gt 1 ] || echo "$program shortcut 1 aa"
			echo "$program aa $number aa"
			echo "$program plus1 $number plus1-$five"
			echo "$program plus2 $number plus2-$five"
			[ "$number" -gt ${#refactors[@]} ] || echo "$program refactor $number ${refactors[number - 1]}"
			[ "$program" = demo ] || continue
			echo "$program aa-noisy $number aa"
			echo "$program plus2-noisy $number plus2-$five"
		done
	done
}

# The mode stands in the configuration of the work tree, which counts at a desk.
choose_slices() {
	git -C "$FOLDER/$1/repo" checkout -q -f base -- .flamegate.yml
	[ "$SLICES" = default ] || sed -i "s/^\( *\)work: .*/&\n\1slices: $SLICES/" "$FOLDER/$1/repo/.flamegate.yml"
}

# Ends with the check, whatever becomes of that.
begin_noise() {
	local cpu

	burners=
	for cpu in $NOISY; do
		taskset -c "$cpu" "$TOOLS/burner" "$1$cpu" &
		burners="$burners $!"
	done
}
end_noise() {
	# shellcheck disable=SC2086 # process ids
	kill $burners
	# shellcheck disable=SC2086
	wait $burners 2>/dev/null
}

# one PROGRAM KIND NUMBER BRANCH
one() {
	local gate=$FOLDER/recordings/$1-$2-$3 options=(--measure-identical) status start

	case $2 in aa*) options+=(--strict) ;; shortcut) options=() ;; esac
	choose_slices "$1"
	rm -rf "$gate.part" "$gate"
	mkdir -p "$gate.part"
	start=$(date +%s)
	case $2 in *-noisy) begin_noise "$3" ;; esac
	# shellcheck disable=SC2086 # PREFIX is a command and its arguments
	$PREFIX "$FOLDER/tool/flamegate" check -C "$FOLDER/$1/repo" --base base --head "$4" --no-baseline "${options[@]}" \
		-o "$gate.part/report" >"$gate.part/log" 2>&1
	status=$?
	case $2 in *-noisy) end_noise ;; esac
	# Interrupted, or out of time: not a gate.
	[ $status -le 3 ] || return $status
	mv "$gate.part/report/recordings" "$gate.part/" 2>/dev/null
	mv "$gate.part/report/report.json" "$gate.part/report/report.md" "$gate.part/" 2>/dev/null
	rm -rf "$gate.part/report"
	mv "$gate.part" "$gate"
	echo "$1,$2,$3,$4,$SLICES,$status,$(($(date +%s) - start)),$tool" >>"$csv"
	echo "$(date -u +%T) $1 $2 $3 ($4): exit $status, $(($(date +%s) - start)) s"
}

measure() {
	local program kind number branch made=

	if [ ! -x "$FOLDER/tool/flamegate" ]; then
		mkdir -p "$FOLDER/tool.part"
		cp "$FLAMEGATE" "$(dirname "$FLAMEGATE")"/libflamegate*.so "$FOLDER/tool.part/" && mv "$FOLDER/tool.part" "$FOLDER/tool" || exit 3
	fi
	tool=$(cat "$FOLDER/tool/"* | sha256sum | cut -c 1-8)
	mkdir -p "$FOLDER/recordings"
	[ -f "$csv" ] || echo "program,kind,number,branch,slices,exit,seconds,tool" >"$csv"
	for program in $PROGRAMS; do
		bash "$here/programs/$program.sh" "$FOLDER" || exit 3
	done
	while read -r program kind number branch; do
		wanted "$kind" || continue
		[ $SECONDS -lt "$MOST" ] || break
		grep -q "^$program,$kind,$number," "$csv" || one "$program" "$kind" "$number" "$branch" </dev/null || exit
	done < <(plan)
}

# ---- judging ------------------------------------------------------------------------------------------
judge() {
	local program kind number rest kept drawn first count

	"$TOOLS/judge" --header >"$FOLDER/judged.part"
	tail -n +2 "$csv" | while IFS=, read -r program kind number rest; do
		[ ! -f "$FOLDER/recordings/$program-$kind-$number/recordings/check.json" ] || echo "$program,$kind,$number"
	done | xargs -r -P "$(nproc)" -I '{}' bash -c \
		'gate={}; line=$("$0" "$1/recordings/${gate//,/-}/recordings") && echo "$gate,$line"' "$TOOLS/judge" "$FOLDER" |
		sort >>"$FOLDER/judged.part"
	mv "$FOLDER/judged.part" "$FOLDER/judged.csv"
	for program in $PROGRAMS; do
		kept=$(find "$FOLDER/recordings" -path "*/$program-aa-[0-9]*/recordings/check.json" | sort -V)
		[ -n "$kept" ] || continue
		# What another build judged, or was drawn from other pairs, does not count.
		drawn=$FOLDER/drawn/$program-$({ cat "$TOOLS/resample"; echo "$kept"; } | sha256sum | cut -c 1-12)
		mkdir -p "$drawn"
		# shellcheck disable=SC2046,SC2086 # folders without blanks
		for first in $(seq 1 "$part" "$GATES"); do
			count=$((GATES - first + 1 < part ? GATES - first + 1 : part))
			[ -f "$drawn/$first-$count" ] || echo "$first $count"
		done | xargs -r -P "$(nproc)" -L 1 bash -c \
			'set -- "$0" "$@"; first=${*: -2:1} count=${*: -1}; "$1" "$first" "$count" "${@:3:$#-4}" >"$2/$first.part" &&
			mv "$2/$first.part" "$2/$first-$count"' "$TOOLS/resample" "$drawn" $(dirname $kept)
		ln -sfn "$(basename "$drawn")" "$FOLDER/drawn/$program"
	done
}

table() {
	echo "# $(date -u +%F), $(nproc --all) CPUs, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), Linux $(uname -r)"
	perl "$here/table.pl" "$FOLDER" $PROGRAMS
}

case ${1:-all} in
measure | judge | table) "$1" ;;
all) measure && judge && table ;;
*) sed -n '3,22s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
