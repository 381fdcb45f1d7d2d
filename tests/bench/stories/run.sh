#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make bench-stories: is what a report says true of the program? README.md says how that is found out.
#
#   run.sh [--oracle-only] [ROW...]     all rows by default; ROW is a name, or a folder with a story that lies elsewhere
#
#   --oracle-only   no new check: what this build makes of the recordings that are there (check --replay), judged
#
# By environment: FLAMEGATE (the program), FLAMEGATE_STORIES (where repositories, recordings and counts stay:
# ~/.cache/flamegate-tests/stories), PREFIX (stands before each check: "taskset -c 1"), AGAIN=3 (so often a check is
# repeated whose status is another than the story's, where the report says that it was noisy).
#
# Takes an hour at first. Checks are kept by the program's build id and the row's content, counts by the row's content:
# a second run does only what is left. Exit 1: a false claim, an unknown sentence, a wrong status or line.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${FLAMEGATE:?}" "${PREFIX:=nice}" "${AGAIN:=3}"
cache=${FLAMEGATE_STORIES:-${XDG_CACHE_HOME:-$HOME/.cache}/flamegate-tests/stories}
unset CI GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_BASE_REF # an experiment, not the gate of this run
export LC_ALL=C.UTF-8
oracle_only=
[ "${1:-}" != --oracle-only ] || { oracle_only=yes; shift; }

libraries=$(dirname "$FLAMEGATE")
tool=$(cat "$FLAMEGATE" "$libraries"/libflamegate*.so | sha256sum | cut -c 1-12)
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
exec 9>"$cache/lock"
flock -n 9 || echo "waiting for another run" >&2
flock 9

value() { sed -n "s/^$1: *//p" "$row/story"; }
hash_of() { # files and folders: their names and contents
	(for one in "$@"; do cd "$(dirname "$one")" && find "$(basename "$one")" -type f -print0; done | sort -z | tr '\0' '\n'
	for one in "$@"; do (cd "$(dirname "$one")" && find "$(basename "$one")" -type f -exec sha256sum {} +); done | sort) |
		sha256sum | cut -c 1-12
}

# The story's words may change without a new measurement: what is measured is its repository.
content_of() {
	if [ -n "$(value repository)" ]; then
		git -C "$(value repository)" rev-parse base head | sha256sum | cut -c 1-12
	elif [ -f "$row/change.patch" ]; then
		{ hash_of "$here/programs/$(value program)"; cat "$row/change.patch"; value reverse; } | sha256sum | cut -c 1-12
	else
		{ cat "$here/text.h"; (cd "$row" && find . -type f ! -name story -exec sha256sum {} + | sort); value registry; value package
		value base-version; value head-version; } | sha256sum | cut -c 1-12
	fi
}

# Never the measured one of another build: a tool of its own, so that a build under way does no harm.
keep_tool() {
	[ -x "$cache/tools/$tool/flamegate" ] && return
	mkdir -p "$cache/tools/$tool.new"
	cp "$FLAMEGATE" "$libraries"/libflamegate*.so "$cache/tools/$tool.new/" && mv "$cache/tools/$tool.new" "$cache/tools/$tool"
}
flamegate() { FLAMEGATE_CACHE=$cache/build "$cache/tools/$tool/flamegate" "$@"; }

say() { echo "$(date -u +%T) $name: $*" >&2; }

check_once() { # folder
	local status start
	rm -rf "$1" "$1.new"
	mkdir -p "$1.new"
	start=$(date +%s)
	FLAMEGATE_CACHE=$cache/build $PREFIX "$cache/tools/$tool/flamegate" check -C "$place/repo" --base base --head head \
		--no-baseline -o "$1.new/report" >"$1.new/terminal" 2>"$1.new/log"
	status=$?
	[ $status -le 3 ] || exit $status # interrupted
	echo $status >"$1.new/status"
	mv "$1.new/report/report.json" "$1.new/report/report.md" "$1.new/"
	mv "$1.new/report/recordings" "$1.new/"
	rm -rf "$1.new/report"
	mv "$1.new" "$1"
	say "exit $status, $(($(date +%s) - start)) s"
}

is_expected() { # folder
	case $(value status) in fail) [ "$(cat "$1/status")" -eq 1 ] ;; *) [ "$(cat "$1/status")" -eq 0 ] ;; esac
}

is_noisy() { grep -qE 'too noisy|these runs can(not| only) detect' "$1/report.md"; }

# Each try is kept; the last one counts, and the table says how many there were.
check() {
	local try
	for try in $(seq "$AGAIN"); do
		checked=$place/checks/$tool-$try
		[ -f "$checked/status" ] || check_once "$checked"
		is_expected "$checked" && return 0
		[ "$(cat "$checked/status")" -eq 3 ] || is_noisy "$checked" || return 0
	done
}

# The newest recordings, whoever made them, as this build reads them.
replay() {
	local last
	# shellcheck disable=SC2012 # names of ours
	last=$(ls -td "$place"/checks/*/recordings 2>/dev/null | head -n 1)
	[ -n "$last" ] || { say "no recordings yet"; return 1; }
	checked=$place/replays/$tool
	rm -rf "$checked" "$checked.new"
	mkdir -p "$checked.new"
	(cd "$place/repo" && flamegate check --replay "$last" -o "$checked.new/report") \
		>"$checked.new/terminal" 2>"$checked.new/log"
	echo $? >"$checked.new/status"
	cp "$checked.new/report/report.json" "$checked.new/report/report.md" "$checked.new/" || return 1
	mv "$checked.new" "$checked"
}

prepare() { # sets name, row, place
	row=$1
	name=$(basename "$row")
	place=$cache/rows/$name-$(content_of)
	mkdir -p "$place/checks" "$place/replays"
	[ -d "$place/repo" ] || bash "$here/repo.sh" "$row" "$place/repo" "$cache/sources" || { say "no repository"; return 1; }
	# Counts of calls and costs, symbols, inline records and times: of the programs alone, so they outlive builds of ours.
	[ -d "$place/truth-$truth" ] || python3 "$here/truth.py" "$place/repo" "$place/truth-$truth" || { say "no truth"; return 1; }
}

one() { # row
	local row name place checked
	prepare "$1" || { echo "$name" >>"$failed"; return; }
	if [ -n "$oracle_only" ]; then replay; else check; fi || { echo "$name" >>"$failed"; return; }
	python3 "$here/judge.py" "$row" "$place/truth-$truth" "$checked" >"$place/judged.json" ||
		{ say "could not be judged"; echo "$name" >>"$failed"; return; }
	echo "$place/judged.json" >>"$judged"
}

truth=$(cat "$here/truth.py" "$here/binary.py" | sha256sum | cut -c 1-8)
judged=$(mktemp) failed=$(mktemp)
trap 'rm -f "$judged" "$failed"' EXIT
keep_tool || exit 3
rows=("$@")
[ $# -gt 0 ] || rows=("$here"/rows/* "$here"/releases/*)
for one in "${rows[@]}"; do
	for folder in "$one" "$here/rows/$one" "$here/releases/$one"; do
		[ ! -f "$folder/story" ] || { one "$(cd "$folder" && pwd)"; continue 2; }
	done
	echo "run.sh: no row $one" >&2
	exit 2
done
mapfile -t all <"$judged"
mapfile -t lost <"$failed"
python3 "$here/table.py" "$("$cache/tools/$tool/flamegate" --version | head -n 1)" "${oracle_only:-no}" \
	"${lost[*]}" "${all[@]}"
