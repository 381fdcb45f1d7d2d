# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the programs of `make bench-verdict-real` have in common: a git repository with a base, branches that
# are slower by known amounts or only look different, and a table of what each is in truth. A program's
# script sets
#   name        of its folder
#   functions   five lines "FUNCTION FILE LOOPS1 LOOPS2": where +1 % and +2 % of all instructions are planted
# and defines
#   make_base FOLDER    the repository with `base`, checked out; FOLDER does not exist yet
#   refactor_BRANCH     for aa, rename, split, inline, moved, reorder, comment: changes the work tree, in it
#   count_run OUT       in a built work tree: runs the benchmark under callgrind, which writes OUT
# and then calls `program "$@"`:
#   NAME.sh FOLDER            makes FOLDER/NAME/repo and FOLDER/NAME/truth.csv; what is there is kept
#   NAME.sh FOLDER calibrate  counts every branch (resumes where it stopped), and says whether truth.csv holds
set -euo pipefail

refactors="rename split inline moved reorder comment"
# Nobody's configuration, hooks or signing key may change the commits.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
export GIT_AUTHOR_NAME=bench GIT_AUTHOR_EMAIL=bench@example.org
export GIT_COMMITTER_NAME=bench GIT_COMMITTER_EMAIL=bench@example.org
export GIT_AUTHOR_DATE=2024-03-04T09:00:00Z GIT_COMMITTER_DATE=2024-03-04T09:00:00Z
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_COMMON_DIR GIT_NAMESPACE

# ---- changes ----------------------------------------------------------------------------------------
# plant FILE FUNCTION LOOPS: each call does LOOPS times two instructions more, and nothing with them.
plant() {
	awk -v name="$2" -v loops="$3" '
		!done && $0 ~ "^[A-Za-z].*[ *]" name "\\(" && !/;$/ { inside = 1 }
		{ print }
		inside && /{$/ {
			print "\tfor (unsigned long planted = " loops "; planted; planted--)"
			print "\t\t__asm__ volatile(\"\" : \"+r\"(planted));"
			inside = 0
			done = 1
		}
		END { exit !done }' "$1" >"$1.planted"
	cat "$1.planted" >"$1"
	rm "$1.planted"
}

# take_function FILE FUNCTION: prints its definition, with the comment before it, and takes it out of FILE
take_function() {
	awk -v name="$2" -v rest="$1.rest" '
		function flush(to) { if (held != "") printf "%s", held >to; held = "" }
		!inside && /^\/\*/ { flush(rest); comment = 1 }
		!inside && !comment && $0 ~ "^[A-Za-z].*[ *]" name "\\(" && !/;$/ { inside = 1; found = 1 }
		inside { if (held != "") printf "%s", held; held = ""; print; if (/^}/) inside = 0; next }
		comment { held = held $0 "\n"; if (/\*\//) { comment = 0; waiting = 1 }; next }
		waiting && $0 !~ name "\\(" { flush(rest); waiting = 0 }
		{ print >rest }
		END { flush(rest); exit !found }' "$1"
	cat "$1.rest" >"$1"
	rm "$1.rest"
}

# ---- the repository -----------------------------------------------------------------------------------
# branch NAME COMMAND...: a branch of base, with what COMMAND changes
branch() {
	local branch=$1
	shift
	git checkout -q -B "$branch" base
	"$@"
	git add -A
	git commit -q --no-verify -m "$branch"
}

line_of() { sed -n "$1p" <<<"$functions"; }

make_branches() {
	local number function file loops1 loops2 kind

	for number in 1 2 3 4 5; do
		read -r function file loops1 loops2 <<<"$(line_of "$number")"
		branch "plus1-$number" plant "$file" "$function" "$loops1"
		branch "plus2-$number" plant "$file" "$function" "$loops2"
	done
	for kind in aa $refactors; do
		branch "$kind" "refactor_$kind"
	done
	git checkout -q base
}

# Until it was counted here: what it was made for.
write_truth() {
	local number function file rest percent branch

	echo "branch,function,file,instructions_percent"
	for percent in 1 2; do
		for number in 1 2 3 4 5; do
			read -r function file rest <<<"$(line_of "$number")"
			echo "plus$percent-$number,$function,$file,$(counted "plus$percent-$number" "$percent")"
		done
	done
	for branch in aa $refactors; do
		echo "$branch,,,$(counted "$branch" 0)"
	done
}

# ---- counting -----------------------------------------------------------------------------------------
instructions() { awk '/^(summary|totals):/ { print $2; exit }' "$work/counts/$1"; }
# rise BRANCH: of the base's instructions, in percent
rise() { awk -v a="$(instructions base)" -v b="$(instructions "$1")" 'BEGIN { printf "%.3f", 100 * (b - a) / a }'; }
counted() { if [ -f "$work/counts/$1" ] && [ -f "$work/counts/base" ]; then rise "$1"; else echo "$2"; fi; }

# All at the same path, so that only their code can make their counts differ.
count() {
	[ ! -f "$work/counts/$1" ] || return 0
	mkdir -p "$work/counts"
	[ -d "$work/counted" ] || git clone -q "$work/repo" "$work/counted"
	git -C "$work/counted" checkout -q -f "origin/$1" 2>/dev/null || git -C "$work/counted" checkout -q -f "$1"
	git -C "$work/counted" clean -q -f -d -x
	(cd "$work/counted" && sh -c "$(sed -n 's/^build: *//p' .flamegate.yml)" && count_run "$work/counts/$1.part")
	mv "$work/counts/$1.part" "$work/counts/$1"
}

# self_counts BRANCH: "INSTRUCTIONS FUNCTION", most first, of the program's and its libraries' functions
self_counts() {
	callgrind_annotate --threshold=100 --auto=no "$work/counts/$1" |
		sed -n "s/^ *\([0-9,]*\) *([^)]*) *[^ ]*:\([^ ']*\)\('2\)\? \[.*\]\$/\1 \2/p" | tr -d ,
}
# of_self BRANCH FUNCTION: its own instructions, and its rank by them
of_self() { self_counts "$1" | awk -v f="$2" '$2 == f { n += $1; if (!rank) rank = NR } END { print n + 0, rank + 0 }'; }
# calls FUNCTION: how often base calls it
calls() {
	awk -v f="$1" '
		/^c?fn=/ { id = $0; sub(/^c?fn=/, "", id); sub(/\).*/, ")", id); text = $0; if (sub(/^[^)]*\) /, "", text)) names[id] = text }
		/^cfn=/ { callee = names[id] }
		/^calls=/ { if (callee == f || callee == f "'"'2"'") { sub(/calls=/, ""); n += $1 } }
		END { print n + 0 }' "$work/counts/base"
}

failures=0
# within "what" VALUE LOW HIGH
within() {
	if awk -v v="$2" -v l="$3" -v h="$4" 'BEGIN { exit !(v >= l && v <= h) }'; then
		printf '  ok      %-58s %10s  [%s, %s]\n' "$1" "$2" "$3" "$4"
	else
		printf '  WRONG   %-58s %10s  [%s, %s]\n' "$1" "$2" "$3" "$4"
		failures=$((failures + 1))
	fi
}

# What the loops must be, for whoever changes the program: by the base's calls.
propose() {
	local number function file rest n

	for number in 1 2 3 4 5; do
		read -r function file rest <<<"$(line_of "$number")"
		n=$(calls "$function")
		awk -v i="$(instructions base)" -v n="$n" -v what="$function $file" -v rank="$(of_self base "$function")" 'BEGIN {
			if (n) printf "  %s: %d calls, own instructions and rank %s; loops for +1 %%: %.1f, for +2 %%: %.1f\n",
				what, n, rank, i / 200 / n, i / 100 / n }'
	done
}

calibrate() {
	local percent number function file rest branch

	count base
	echo "$name: $(instructions base) instructions"
	propose
	for number in 1 2 3 4 5; do
		read -r function file rest <<<"$(line_of "$number")"
		within "$function: rank by own instructions" "$(of_self base "$function" | cut -d' ' -f2)" 5 20
		for percent in 1 2; do
			branch=plus$percent-$number
			count "$branch"
			within "$branch ($function): rise of the total, %" "$(rise "$branch")" \
				"$(awk -v p=$percent 'BEGIN { print p - .15 }')" "$(awk -v p=$percent 'BEGIN { print p + .15 }')"
		done
	done
	for branch in aa $refactors; do
		count "$branch"
		within "$branch: rise of the total, %" "$(rise "$branch")" -0.2 0.2
	done
	write_truth >"$work/truth.csv"
	[ "$failures" -eq 0 ] || { echo "$failures wrong"; exit 1; }
}

program() {
	[ $# -ge 1 ] || { echo "usage: $name.sh FOLDER [calibrate]" >&2; exit 2; }
	mkdir -p "$1/$name"
	work=$(cd "$1/$name" && pwd)
	if [ ! -d "$work/repo" ]; then
		rm -rf "$work/repo.part"
		make_base "$work/repo.part"
		(cd "$work/repo.part" && make_branches)
		mv "$work/repo.part" "$work/repo"
	fi
	[ -f "$work/truth.csv" ] || write_truth >"$work/truth.csv"
	[ "${2:-}" != calibrate ] || calibrate
}
