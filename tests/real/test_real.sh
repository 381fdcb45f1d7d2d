#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Programs from Debian that nobody here wrote, a short piece of work each, in each mode of the sampler: output and exit
# status are those without the preload. What is missing on this machine is skipped; `make bench-real` installs it and
# measures as well.
# shellcheck disable=SC2034,SC2154,SC2016 # shared with what is read in; sed's own $
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/sampler/lib.sh
. "$here/../sampler/lib.sh"
# shellcheck source=tests/real/lib.sh
. "$here/lib.sh"
state=$scratch/real
chmod 711 "$scratch" # for servers that run as another user
scale=1
export FLAMEGATE_BUILD=$build

same() { # program mode
	one "$1" "$2" && read_captures "$1" && cp "$state/$1/dump" "$scratch/dump" &&
		alike "$1" >"$scratch/out" && [ "$(value "$1" damaged)" = 0 ] && [ "$(value "$1" lost)" = 0 ] &&
		[ "$(value "$1" processes)" -gt 0 ]
}

runs_twice_alike() { # program
	one "$1" plain && keep_plain "$1" && one "$1" plain && alike "$1" >"$scratch/out"
}

# Changes the first letter of each line.
other_letters() {
	perl -pe 's/([a-zA-Z])/$1 eq "z" ? "y" : $1 eq "Z" ? "Y" : chr(ord($1) + 1)/e' "$1"
}

# Whatever the filter hides: it drops no line, and a letter that changed is seen in each line that has one.
filter_is_narrow() { # program
	local part raw
	# shellcheck source=/dev/null
	. "$here/programs/$1.sh"
	for part in stdout stderr; do
		raw=$state/$1/$part.raw
		filter <"$raw" >"$scratch/filtered"
		other_letters "$raw" | filter >"$scratch/changed"
		[ "$(wc -l <"$raw")" -eq "$(wc -l <"$scratch/filtered")" ] || return 1
		paste -d '\n' "$scratch/filtered" "$scratch/changed" |
			awk 'NR % 2 { line = $0; next } line ~ /[a-zA-Z]/ && line == $0 { print; blind = 1 }
				END { exit blind }' >"$scratch/out" || return 1
	done
}

# A line more, a line less, a letter or the status changed: each is found.
changes_are_found() { # program
	local part
	for part in stdout stderr; do
		[ -s "$state/$1/$part" ] || continue
		for change in '$d' '1p' '0,/[a-zA-Z0-9]/s//#/'; do
			cp "$state/$1/$part" "$scratch/kept"
			sed -i "$change" "$state/$1/$part"
			alike "$1" >"$scratch/out" && return 1
			mv "$scratch/kept" "$state/$1/$part"
		done
	done
	echo 99 >"$state/$1/status"
	! alike "$1" >"$scratch/out"
}

wanted=$(modes)
for program in ${REAL:-$(programs)}; do
	absent=$(missing "$program")
	if [ -n "$absent" ]; then
		skip "$program" "$absent is not installed"
		continue
	fi
	mkdir -p "$state/$program"
	: >"$scratch/dump"
	check "$program: two runs without the preload are alike" runs_twice_alike "$program"
	check "$program: the filter hides no line and no word" filter_is_narrow "$program"
	for mode in $wanted; do
		check "$program: $mode: output and exit status are as without it" same "$program" "$mode"
	done
	check "$program: changed output and a changed status are found" changes_are_found "$program"
	rm -rf "${state:?}/$program"
done
finish
