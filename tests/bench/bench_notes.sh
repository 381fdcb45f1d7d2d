#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What baselines in git notes cost: time and bytes of looking one up among 10,000 noted commits, and
# the size of a year (10 benchmarks, 2 profile types, 20 commits a day) right before a prune.
#
#   bench_notes.sh BUILD FOLDER [lookup|year]...       default: lookup
set -eu
build=$1
folder=$2
shift 2
export LC_ALL=C GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
notes=refs/notes/flamegate
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder"

packed() { git -C "$1" count-objects -v | awk '$1 ~ /^size/ { kib += $2 } END { printf "%.1f MB", kib * 1024 / 1e6 }'; }
# timed COMMAND...: its output, then the seconds
timed() {
	local start end
	start=$(date +%s%N)
	"$@"
	end=$(date +%s%N)
	awk -v ns=$((end - start)) 'BEGIN { printf "   %.3f s\n", ns / 1e9 }'
}
# remote NAME ARGUMENTS...: a packed bare repository, and a clone of it
remote() {
	local name=$1
	shift
	git init -q --bare "$name.git"
	git -C "$name.git" config uploadpack.allowFilter true
	"$build/tests/bench/bench_notes" stream "$@" | git -C "$name.git" fast-import --quiet --depth=0
	git -C "$name.git" repack -adfq
	git init -q "$name" && git -C "$name" remote add origin "file://$PWD/$name.git"
	echo "   $(git -C "$name.git" notes --ref=flamegate list | wc -l) noted commits, packed $(packed "$name.git")"
}
a_commit() { git -C "$1.git" notes --ref=flamegate list | awk -v n="$2" 'NR == n { print $2 }'; }
# pull NAME COMMIT: by flamegate with an empty cache
pull() {
	rm -rf cache
	FLAMEGATE_CACHE=$PWD/cache timed "$build/tests/bench/bench_notes" look "$1" origin "$2"
	echo "   moved $(packed "$(ls -d cache/notes/*.git)")"
}
# full NAME DEPTH...: plain git fetches the ref
full() {
	local name=$1
	shift
	rm -rf mirror && git init -q mirror
	timed git -C mirror fetch -q "$@" "file://$PWD/$name.git" "$notes:$notes"
	echo "   moved $(packed mirror)"
}

show() { git -C mirror notes --ref=flamegate show "$1" >/dev/null; }

lookup() {
	echo "10,000 noted commits, one benchmark of 2 types:"
	timed remote lookup 10000 100 100 1 300
	local commit
	commit=$(a_commit lookup 5000)
	echo "flamegate, first time:"
	pull lookup "$commit"
	echo "flamegate, nothing new on the remote:"
	FLAMEGATE_CACHE=$PWD/cache timed "$build/tests/bench/bench_notes" look lookup origin "$commit"
	FLAMEGATE_CACHE=$PWD/cache timed "$build/tests/bench/bench_notes" look lookup origin "$commit"
	echo "plain git, a full fetch:"
	full lookup
	echo "plain git, git notes show:"
	timed show "$commit"
}

year() {
	echo "a year, 100 pushes after the last prune:"
	timed remote year 7300 100 100 10 1500
	echo "git clone:"
	timed git clone -q --bare "file://$PWD/year.git" clone.git
	echo "   moved $(packed clone.git)"
	echo "a full fetch of the notes:"
	full year
	echo "flamegate, one commit's baselines:"
	pull year "$(a_commit year 3000)"
	echo "the same from a server without filters:"
	git -C year.git config uploadpack.allowFilter false
	pull year "$(a_commit year 3000)"
	git -C year.git config uploadpack.allowFilter true
	echo "prune to the newest 100:"
	rm -rf cache
	FLAMEGATE_CACHE=$PWD/cache timed "$build/tests/baseline/push_records" prune year notes: 100
	git -C year.git reflog expire --expire=now --all
	git -C year.git gc --quiet --prune=now
	echo "   packed $(packed year.git)"
}

for part in "${@:-lookup}"; do "$part"; done
