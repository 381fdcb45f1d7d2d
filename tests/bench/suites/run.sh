#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make bench-suites: unmodified benchmark suites from package registries, from `flamegate init --try` to a verdict.
# README.md says what is tried and what the table's columns mean.
#
#   run.sh [SUITE...]      all of suites/ by default; a folder with a `suite` file that lies elsewhere is one, too
#
# By environment: FLAMEGATE (the program); FLAMEGATE_SUITES (where sources, repositories and results stay:
# ~/.cache/flamegate-tests/suites); CASES (default: "plain init comment identical planted seen"; "beside" is one more); SHORT=yes
# (only the benchmarks that the suite's `include` names); EXPERIMENTS of each kind in the case beside (20), and RUNS of
# each version in one (10); PREFIX (stands before each build and run: "taskset -c 1"); CONFIG (a folder with SUITE.yml: taken
# instead of what `init --try` writes, and shown as an edit).
#
# Each case's result is kept by the program's build, the suite's content and the settings: a second run does what is left.
# Exit 1: a suite that was tried and whose verdict is another than README.md promises.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${FLAMEGATE:?}" "${PREFIX:=nice}" "${CASES:=plain init comment identical planted seen}" "${SHORT:=no}" "${CONFIG:=}"
: "${EXPERIMENTS:=20}" "${RUNS:=10}"
cache=${FLAMEGATE_SUITES:-${XDG_CACHE_HOME:-$HOME/.cache}/flamegate-tests/suites}
unset CI GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_BASE_REF # an experiment, not the gate of this run
export LC_ALL=C.UTF-8 GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_COMMON_DIR GIT_NAMESPACE

case $EXPERIMENTS-$RUNS in -* | *- | *[!0-9-]*) echo "run.sh: EXPERIMENTS and RUNS are numbers" >&2; exit 2 ;; esac
libraries=$(dirname "$FLAMEGATE")
tool=$(cat "$FLAMEGATE" "$libraries"/libflamegate*.so 2>/dev/null | sha256sum | cut -c 1-12)
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
exec 9>"$cache/lock"
flock -n 9 || echo "waiting for another run" >&2
flock 9

value() { sed -n "s/^$1: *//p" "$suite/suite"; }
say() { echo "$(date -u +%T) $name: $*" >&2; }

# Never the measured one of another build: a tool of its own, so that a build under way does no harm.
keep_tool() {
	[ -x "$cache/tools/$tool/flamegate" ] && return
	rm -rf "$cache/tools/$tool.new"
	mkdir -p "$cache/tools/$tool.new"
	cp "$FLAMEGATE" "$cache/tools/$tool.new/" || return
	cp "$libraries"/libflamegate*.so "$cache/tools/$tool.new/" 2>/dev/null
	mv "$cache/tools/$tool.new" "$cache/tools/$tool"
}
flamegate() { FLAMEGATE_CACHE=$cache/build $PREFIX "$cache/tools/$tool/flamegate" "$@"; }

# A case of a suite: a file of "name: value" lines, complete or not there. What it was measured with is in its folder's name.
result_of() { case $1 in plain | beside) echo "$place/results/$1" ;; *) echo "$place/results/$tool-$SHORT-$1" ;; esac; }
# What is kept of beside are its experiments: they are counted again, there may be more.
is_done() { [ "$1" != beside ] && [ -f "$(result_of "$1")" ]; }
keep() { # case: its lines come from the standard input
	local result
	result=$(result_of "$1")
	mkdir -p "${result%/*}"
	cat >"$result.new" && mv "$result.new" "$result"
}

# Both versions are built at one place in turn, so that the second compiles what has changed; its program is kept, and its
# presence says that it is complete.
build() { # tag
	local tree=$place/tree programs=() file TIMEFORMAT='%R %U %S'
	[ ! -x "$place/programs/$1" ] || return 0
	mkdir -p "$place/programs"
	[ -d "$tree" ] || git clone -q --no-checkout "$place/repo" "$tree" || return
	git -C "$tree" fetch -q origin "refs/tags/$1" && git -C "$tree" checkout -q -f --detach FETCH_HEAD || return
	say "builds $1"
	{ time (cd "$tree" && $PREFIX bash -c "$(value build)" >"$place/build-$1.log" 2>&1); } 2>"$place/time-$1" || {
		say "$1 does not build: $place/build-$1.log"
		return 1
	}
	for file in "$tree"/$(value program); do
		case $file in *.d) ;; *) [ ! -x "$file" ] || programs+=("$file") ;; esac
	done
	[ ${#programs[@]} -eq 1 ] || { say "${#programs[@]} programs are called $(value program)"; return 1; }
	cp "${programs[0]}" "$place/programs/$1.new" && mv "$place/programs/$1.new" "$place/programs/$1"
}

# A command of the suite's file, in its folder and with one version's program. Harnesses that keep something from one run
# to the next get an empty folder for it.
with() { # tag command
	rm -rf "$place/state"
	mkdir -p "$place/state"
	(cd "$place/tree" && program=$place/programs/$1 state=$place/state $PREFIX bash -c "$2")
}
listed() { with base "$(value list)" 2>/dev/null | perl "$here/names.pl" "$(value harness)"; }

cpu_of() { # tag command: its CPU seconds, and elapsed ones
	local TIMEFORMAT='%R %U %S'
	{ time with "$1" "$2" >"$place/output" 2>&1 || echo failed; } 2>&1 |
		awk '/failed/ { bad = 1 } NF == 3 { print $2 + $3, $1 } END { exit bad }'
}
median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
medians() { # command: of both versions five runs in turns, the medians of their CPU seconds, and of base's elapsed ones
	local turn
	for turn in base planted-30 base planted-30 base planted-30 base planted-30 base planted-30; do
		echo "$turn $(cpu_of "$turn" "$1")"
	done >"$place/runs"
	[ "$(grep -cE '^[^ ]+ [0-9.]+ [0-9.]+$' "$place/runs")" -eq 10 ] || { say "a run failed: $place/output"; return 1; }
	echo "$(awk '$1 == "base" { print $2 }' "$place/runs" | median) $(awk '$1 != "base" { print $2 }' "$place/runs" | median)" \
		"$(awk '$1 == "base" { print $3 }' "$place/runs" | median)"
}

# As the harness runs by itself, without flamegate: how much of 30 % more work is to be seen in its CPU time?
case_plain() {
	local base head elapsed fixed
	build base && build planted-30 || return
	read -r base head elapsed < <(medians "$(value one)")
	[ -n "${elapsed:-}" ] || return
	fixed=$(value fixed)
	[ -z "$fixed" ] || fixed=$(medians "$fixed") || return
	{
		echo "benchmarks: $(listed | wc -l)"
		echo "build: $(cut -d' ' -f1 "$place/time-base")"
		echo "base: $base"
		echo "planted: $head"
		echo "elapsed: $elapsed"
		echo "fixed: $fixed"
	} | keep plain
}

edits() { # lines of the configuration that nobody but flamegate wrote: 0, or all of one that came from elsewhere
	if [ -n "$CONFIG" ]; then wc -l <"$place/repo/.flamegate.yml"; else echo 0; fi
}

# What flamegate writes is committed as it is, as the tag `start`; the changes follow on it.
case_init() {
	local kind start status=0
	cd "$place/repo" && git checkout -q -f main && git clean -q -d -f -x && git reset -q --hard base || return
	start=$(date +%s)
	if [ -n "$CONFIG" ]; then
		cp "$CONFIG/$name.yml" .flamegate.yml || return
	else
		flamegate init --try >"$place/init.log" 2>&1 || status=$?
	fi
	[ -f .flamegate.yml ] || { say "init --try wrote nothing: $place/init.log"; status=3; }
	bash "$here/repo.sh" start "$suite" "$place/repo" || return
	for kind in comment planted-10 planted-30; do
		bash "$here/repo.sh" change "$suite" "$place/repo" "$kind" start || return
	done
	{
		echo "status: $status"
		echo "seconds: $(($(date +%s) - start))"
		[ $status -ne 0 ] || echo "edits: $(edits)"
	} | keep init
}

# In the short form, the benchmarks that the suite names, of whatever entry.
chosen() {
	local glob
	[ "$SHORT" = yes ] || return
	set -f
	for glob in $(value include); do printf '%s\n' -B "*/$glob"; done
	set +f
}

# The one benchmark that the suite's file names; each odd character is "_" in flamegate's names, and a harness that lists a
# tree has more names before it.
the_one() { printf '%s\n' -B "*[/_]$(value benchmark | sed 's|[^A-Za-z0-9_./-]|_|g')"; }

case_check() { # case of head option...
	local case=$1 of=$2 head=$3 folder=$place/reports/$tool-$1 status=0 start only
	shift 3
	grep -qx 'status: 0' "$(result_of init)" 2>/dev/null || { say "$case: there is no configuration"; return 1; }
	mapfile -t only < <($of)
	rm -rf "$folder"
	mkdir -p "$folder"
	start=$(date +%s)
	flamegate check -C "$place/repo" --base start --head "$head" --no-baseline "$@" "${only[@]}" -o "$folder/report" \
		>"$folder/terminal" 2>"$folder/log" || status=$?
	[ $status -le 3 ] || exit $status # interrupted
	perl "$here/table.pl" case "$suite" "$folder" "$status" "$(($(date +%s) - start))" | keep "$case"
	say "$case: exit $status, $(($(date +%s) - start)) s"
}
case_comment() { case_check comment chosen comment; }
case_identical() { case_check identical chosen start --measure-identical; }
case_planted() { case_check planted chosen planted-10; }
# What a check sees of the 30 % that `plain` looks for.
case_seen() { case_check seen the_one planted-30; }

# One run as the harness does it by itself: its time per operation, by what it prints.
time_of() { # tag
	with "$1" "$(value one)" >"$place/output" 2>&1 &&
		perl "$here/beside.pl" time "$(value harness)" "$(value benchmark)" <"$place/output"
}

# As a CI does it: all runs of one version, then all of the other. Both may be the same program.
experiment() { # number kind head
	local file=$place/beside/$2-$RUNS-$1 version program ns run
	[ ! -f "$file" ] || return 0
	mkdir -p "${file%/*}"
	for version in "base base" "head $3"; do
		read -r version program <<<"$version"
		for run in $(seq "$RUNS"); do
			ns=$(time_of "$program") || { say "run $run of $version failed: $place/output"; return 1; }
			echo "$version $ns"
		done
	done >"$file.new"
	mv "$file.new" "$file"
	say "beside: experiment $1 of $EXPERIMENTS, $2"
}

counted() { # kind: in how many of its experiments each rule says that head is slower
	local files
	mapfile -t files < <(seq -f "$place/beside/$1-$RUNS-%.0f" "$EXPERIMENTS")
	perl "$here/beside.pl" count "$benchstat" "${files[@]}" >"$place/counted" && sed "s/^/$1-/" "$place/counted"
}

# What others would say of the same code measured twice, and of 10 % more work.
case_beside() {
	local benchstat number identical planted
	[ "$(value beside)" = yes ] || return 0
	benchstat=$($PREFIX bash "$here/benchstat.sh" "$cache/tools") || return
	# After the case init it is there, and the same but for the configuration.
	git -C "$place/repo" rev-parse -q --verify refs/tags/planted-10 >/dev/null ||
		bash "$here/repo.sh" change "$suite" "$place/repo" planted-10 base || return
	build base && build planted-10 || return
	for number in $(seq "$EXPERIMENTS"); do
		experiment "$number" identical base && experiment "$number" planted planted-10 || return
	done
	identical=$(counted identical) && planted=$(counted planted) || return
	printf '%s\n' "experiments: $EXPERIMENTS" "runs: $RUNS" "$identical" "$planted" | keep beside
}

prepare() { # sets suite, name, place
	local sources need
	suite=$1
	name=$(basename "$suite")
	for need in $(value needs); do
		command -v "$need" >/dev/null || { say "$need is not installed"; return 1; }
	done
	# Whether others are asked, too, changes nothing that is kept.
	place=$cache/rows/$name-$(cd "$suite" && { grep -v '^beside:' suite; cat ./*.patch "$here/repo.sh"; } | sha256sum | cut -c 1-12)
	mkdir -p "$place/results"
	cp "$suite/suite" "$place/suite"
	sources=$($PREFIX bash "$here/fetch.sh" "$suite" "$cache/sources") || return
	[ -d "$place/repo" ] && return
	rm -rf "$place/repo.new"
	bash "$here/repo.sh" make "$suite" "$sources" "$place/repo.new" &&
		bash "$here/repo.sh" change "$suite" "$place/repo.new" planted-30 base && mv "$place/repo.new" "$place/repo"
}

one() { # suite
	local case
	prepare "$1" || { echo "$1 -" >>"$rows"; return; }
	for case in $CASES; do
		is_done "$case" || "case_$case" || say "$case: no result"
	done
	echo "$1 $place/results $tool-$SHORT-" >>"$rows"
}

rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
keep_tool || exit 3
suites=("$@")
[ $# -gt 0 ] || suites=("$here"/suites/*)
for suite in "${suites[@]}"; do
	for folder in "$suite" "$here/suites/$suite"; do
		[ ! -f "$folder/suite" ] || { one "$(cd "$folder" && pwd)"; continue 2; }
	done
	echo "run.sh: no suite $suite" >&2
	exit 2
done
perl "$here/table.pl" table "$("$cache/tools/$tool/flamegate" --version | head -n 1)" <"$rows"
