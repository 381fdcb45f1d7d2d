# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the programs of `make bench-verdict-real` have in common: how their repository is made, and the proof
# that its branches are what they say. A program's script sets the variables and functions named below, reads
# this file, and calls `main "$@"`.
#
#   NAME.sh FOLDER             FOLDER/NAME/repo with its branches, and FOLDER/NAME/truth.csv
#   NAME.sh FOLDER count BRANCH...
#   NAME.sh FOLDER check       counts each branch's instructions (callgrind): does the truth still hold?
#   NAME.sh FOLDER calibrate   computes the planted constants and the truth anew, into the folder NAME beside it
#   NAME.sh FOLDER times       the planted work's share of CPU time beside its share of instructions
#   NAME.sh FOLDER hot         the hottest functions, by rank: for who chooses what to plant in
#
# What is done is kept and not done again, unless what it was made from has changed.
#
# The program's script gives:
#   program             its name, and that of the folder with what is ours of it
#   run_benchmark UNDER SIZE     in a built work tree, behind the words UNDER (none: by itself); SIZE is `part`
#                       (what callgrind runs) or `whole`; not where it is bench.c, which takes a number of rounds
#   counted_function    callgrind counts what is done in it
#   functions_executed  at least so many must be
#   fetch_sources       the package's sources into the folder $1; not where they are ours
#   sources             from $1 into the current folder, as the base has them; what the folder NAME has of
#                       bench.c, Makefile and flamegate.yml is added
#   refactors           an array: for each branch whose work is base's, "FUNCTION,FILE" of what it changes;
#                       a function refactor_BRANCH edits the current folder
#   source_folder       where `sources` takes ours from, if it does
#   planted_chains      an array: how many instructions each chain of what is planted has (edit.pl): as many a
#                       cycle as the program runs, so that 1 % of the instructions is 1 % of the CPU time
#   commented           an array: a compiled file, and a function in it, that a comment may stand above
#                       (without __LINE__ in what is compiled)

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
script=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
cache=${XDG_CACHE_HOME:-$HOME/.cache}/flamegate-bench-real
# Nobody's configuration, hooks or signing key may change the commits.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
export GIT_AUTHOR_NAME=bench GIT_AUTHOR_EMAIL=bench@example.org GIT_AUTHOR_DATE=2024-03-04T09:00:00Z
export GIT_COMMITTER_NAME=bench GIT_COMMITTER_EMAIL=bench@example.org GIT_COMMITTER_DATE=2024-03-04T09:00:00Z
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_COMMON_DIR GIT_NAMESPACE || true
umask 022

die() { echo "$program: $*" >&2; exit 3; }
edit() { perl "$here/edit.pl" "$@"; }

# ---- the repository -------------------------------------------------------------------------------
commit() { git add -A && git commit -q --no-verify -m "$1"; }
branch() { git checkout -q -f -B "$1" base; }

# planted PERCENT NUMBER: "function file rounds" of branch plusPERCENT-NUMBER
planted() { awk -v p="$1" -v n="$2" '!/^#/ && ++line == n { print $1, $2, $(2 + p) }' "$here/$program/planted"; }

plant_branch() { # percent number
	local name file n
	read -r name file n <<<"$(planted "$1" "$2")"
	[ -n "$n" ] || return 0
	branch "plus$1-$2"
	edit plant "$name" "$n" "$file" "${planted_chains[@]}"
	commit "$name: some work more, $1 % of the whole"
}

make_repository() { # new folder
	local percent number name
	mkdir -p "$1" && cd "$1" || return 1
	git init -q
	git symbolic-ref HEAD refs/heads/main
	sources "$cache/$program"
	if [ -f "$here/$program/bench.c" ]; then
		cp "$here/$program/bench.c" "$here/$program/Makefile" .
		cp "$here/$program/flamegate.yml" .flamegate.yml
		printf '*.o\nbench\n' >.gitignore
	fi
	commit "$program, and its benchmark"
	git branch base
	for percent in 1 2; do
		for number in 1 2 3 4 5; do plant_branch $percent $number; done
	done
	# shellcheck disable=SC2154 # set by the program's script
	for name in "${!refactors[@]}"; do
		branch "$name"
		"refactor_$name"
		commit "$name: costs nothing"
	done
	comments
	git checkout -q -f main
}

# shellcheck disable=SC2154 # $commented is the program's
comments() {
	local file=${commented[0]} name=${commented[1]}
	branch aa
	printf '/* A comment at the end, and nothing else. */\n' >>"$file"
	commit "a comment"
	branch comment
	edit above "$name" "/* What follows is as it was: this comment only moves it down. */" "$file"
	commit "a comment more"
}

stamp() {
	find "$here/common.sh" "$here/edit.pl" "$script" "$here/$program" ${source_folder:+"$source_folder"} -type f ! -name truth.csv \
		-exec sha256sum {} + | sed 's/ .*//' | sort | sha256sum
}

make_all() {
	if [ ! -d "$cache/$program" ] && declare -F fetch_sources >/dev/null; then
		mkdir -p "$cache"
		rm -rf "$cache/$program.new"
		mkdir "$cache/$program.new"
		(fetch_sources "$cache/$program.new") >&2 || die "its sources cannot be fetched"
		mv "$cache/$program.new" "$cache/$program"
	fi
	if [ "$(cat "$folder/stamp" 2>/dev/null)" != "$(stamp)" ]; then
		rm -rf "$folder/repo" "$folder/repo.new" "$folder"/times.*
		(set -e; make_repository "$folder/repo.new") # not in a condition: -e would be off
		# shellcheck disable=SC2181
		[ $? -eq 0 ] || die "its repository cannot be made"
		mv "$folder/repo.new" "$folder/repo"
		stamp >"$folder/stamp"
	fi
	[ ! -e "$here/$program/truth.csv" ] || cp "$here/$program/truth.csv" "$folder/truth.csv"
}

if ! declare -F run_benchmark >/dev/null; then
	run_benchmark() {
		if [ "$2" = part ]; then set -- "$1" 3; else set -- "$1" "$(sed -n 's/.*\.\/bench \([0-9]*\)$/\1/p' .flamegate.yml)"; fi
		$1 ./bench "$2"
	}
fi

# ---- counting ---------------------------------------------------------------------------------------
# All versions are built in one folder in turn: what only the path changes must not count.
checkout() { # branch
	[ -d "$folder/build/.git" ] || git clone -q "$folder/repo" "$folder/build" || return 1
	git -C "$folder/build" fetch -q -f origin '+refs/heads/*:refs/remotes/origin/*' &&
		git -C "$folder/build" checkout -q -f "origin/$1"
}

tree() { git -C "$folder/repo" rev-parse "$1^{tree}"; }
counts() { echo "$folder/counts/$(tree "$1")"; } # branch

# Debug information costs half of the time and does not change the code.
build() { make -s -C "$folder/build" DEBUG=; }
count_build() { # result: counts what is built
	mkdir -p "$folder/counts"
	# shellcheck disable=SC2154 # $counted_function is the program's
	(cd "$folder/build" && run_benchmark "setarch -R valgrind -q --tool=callgrind --compress-strings=no --compress-pos=no
		--toggle-collect=$counted_function --callgrind-out-file=$folder/callgrind.out" part >/dev/null) &&
		perl "$here/counts.pl" "$folder/callgrind.out" >"$1.new" && mv "$1.new" "$1" || die "cannot be counted"
}
count() { # branch
	[ ! -s "$(counts "$1")" ] || return 0
	checkout "$1" && build || die "$1 does not build"
	count_build "$(counts "$1")"
	echo "counted $1" >&2
}

total() { sed -n 's/^total //p' "$(counts "$1")"; }
# Of a function and the compiler's clones of it (NAME.constprop.0), in column 1 (own instructions) or 2 (calls).
column() { # branch function column
	awk -v f="$2" -v c="$3" '$3 == f || index($3, f ".") == 1 { n += $c } END { print n + 0 }' "$(counts "$1")"
}
rank() { awk -v f="$1" '$3 == f || index($3, f ".") == 1 { print NR - 1; exit }' "$(counts base)"; }
change() { awk -v a="$(total base)" -v b="$(total "$1")" 'BEGIN { printf "%.3f", 100 * (b - a) / a }'; }
own_change() { # branch function
	awk -v t="$(total base)" -v a="$(column base "$2" 1)" -v b="$(column "$1" "$2" 1)" \
		'BEGIN { printf "%.3f", 100 * (b - a) / t }'
}

# ---- the truth ---------------------------------------------------------------------------------------
write_truth() {
	local percent number name file n
	echo "branch,function,file,instructions_percent"
	for percent in 1 2; do
		for number in 1 2 3 4 5; do
			read -r name file n <<<"$(planted $percent $number)"
			count "plus$percent-$number"
			echo "plus$percent-$number,$name,$file,$(change "plus$percent-$number")"
		done
	done
	for name in $(printf '%s\n' "${!refactors[@]}" | sort); do
		count "$name"
		echo "$name,${refactors[$name]},$(change "$name")"
	done
	for name in aa comment; do
		count $name
		echo "$name,,${commented[0]},$(change $name)"
	done
}

failures=0
claim() { # "what" VALUE LOW HIGH
	local said=ok
	awk -v v="$2" -v l="$3" -v h="$4" 'BEGIN { exit !(v >= l && v <= h) }' || { said=WRONG failures=$((failures + 1)); }
	printf '%-6s %-62s %9s  [%s, %s]\n' $said "$1" "$2" "$3" "$4"
}

claim_planted() { # branch function percent
	local want=${1#plus} low high
	want=${want%-*} low=$((want - 1)).85 high=$want.15
	claim "$1: more instructions than base, %" "$3" $low "$high"
	claim "$1: of these in $2 itself" "$(own_change "$1" "$2")" $low "$high"
	claim "$1: $2 is of rank" "$(rank "$2")" 5 20
}

check_all() {
	local branch name file percent
	count base
	write_truth >"$folder/truth.now"
	# shellcheck disable=SC2154 # the program's
	claim "functions executed" "$(($(wc -l <"$(counts base)") - 1))" "$functions_executed" 100000
	while IFS=, read -r branch name file percent; do
		case $branch in
		plus*) claim_planted "$branch" "$name" "$percent" ;;
		*) claim "$branch: more instructions than base, % (${name:-$file})" "$percent" -0.2 0.2 ;;
		esac
	done < <(tail -n +2 "$folder/truth.now")
	claim "lines that differ from $program/truth.csv" \
		"$(diff -N "$folder/truth.now" "$here/$program/truth.csv" | grep -c '^[<>]')" 0 0
	[ $failures -eq 0 ] || { echo "$failures wrong"; exit 1; }
}

# ---- calibration -------------------------------------------------------------------------------------
# function rounds: the counts of base with so many planted
trial() { echo "$(counts base).$1.$2.$({ cat "$here/edit.pl"; echo "${planted_chains[@]}"; } | sha256sum | cut -c 1-8)"; }
try() { # function file rounds: builds it, and counts
	checkout base && (cd "$folder/build" && edit plant "$1" "$3" "$2" "${planted_chains[@]}") && build ||
		die "$1 cannot be planted in"
	[ -s "$(trial "$1" "$3")" ] || count_build "$(trial "$1" "$3")"
}
trial_change() { # function rounds
	awk -v a="$(total base)" '$1 == "total" { printf "%.4f", 100 * ($2 - a) / a }' "$(trial "$1" "$2")"
}

# The rounds that come nearest to so many percent: the first guess is mended by what it made.
rounds_for() { # function file percent
	local n next made _
	n=$(awk -v t="$(total base)" -v c="$(column base "$1" 2)" -v p="$3" \
		-v r="$(IFS=+; echo $((${planted_chains[*]})))" 'BEGIN { n = t * p / 100 / c / r; printf "%d", n < 1 ? 1 : n + .5 }')
	for _ in 1 2 3; do
		[ -s "$(trial "$1" "$n")" ] || try "$1" "$2" "$n" || return
		made=$(trial_change "$1" "$n")
		next=$(awk -v n="$n" -v p="$3" -v m="$made" 'BEGIN { n *= p / m; printf "%d", n < 1 ? 1 : n + .5 }')
		echo "$1: $n rounds make $made %" >&2
		[ "$next" != "$n" ] || break
		n=$next
	done
	echo "$n"
}

calibrate() {
	local name file rest one two
	count base
	grep '^#' "$here/$program/planted" >"$folder/planted.new"
	while read -r name file rest; do
		one=$(rounds_for "$name" "$file" 1) && two=$(rounds_for "$name" "$file" 2) || exit
		echo "$name $file $one $two" >>"$folder/planted.new"
	done < <(grep -v '^#' "$here/$program/planted")
	cp "$folder/planted.new" "$here/$program/planted"
	make_all
	write_truth >"$folder/truth.csv"
	cp "$folder/truth.csv" "$here/$program/truth.csv"
}

hot() {
	count base
	awk '$1 == "total" { t = $2; next }
		++n <= 40 { printf "%2d %6.2f %% %9d calls %9.1f instructions a call make 1 %%  %s\n",
			n, 100 * $1 / t, $2, $2 ? t / 100 / $2 : 0, $3 }' "$(counts base)"
}

# ---- CPU time ----------------------------------------------------------------------------------------
cpu_of() { # built work tree: CPU-seconds of one run
	local TIMEFORMAT='%U %S'
	{ time (cd "$1" && run_benchmark "${TASKSET:-}" whole >/dev/null); } 2>&1 | awk '{ print $1 + $2 }'
}

# Ten times what +1 % plants, in turns with base: its share of CPU time should be its share of instructions.
# TIMES is how often each is run (10); with 0 all is made ready for another call.
times() {
	local name file n i number
	for number in 0 1 2 3 4 5; do
		[ ! -d "$folder/times.$number" ] || continue
		count base
		read -r name file n <<<"$(planted 1 $number)"
		if [ $number -gt 0 ]; then try "$name" "$file" $((n * 10)); else checkout base && build; fi
		cp -R "$folder/build" "$folder/times.$number"
	done
	for i in $(seq "${TIMES:-10}"); do
		for number in 0 1 2 3 4 5; do echo "$number $(cpu_of "$folder/times.$number")"; done
	done >"$folder/times"
	for number in 1 2 3 4 5; do
		read -r name file n <<<"$(planted 1 $number)"
		awk -v name="$name" -v number=$number -v made="$(trial_change "$name" $((n * 10)))" '
			{ t[$1] += $2; runs[$1]++ }
			END { if (runs[0]) printf "%-32s %6.2f %% of the instructions, %6.2f %% of the CPU time (base: %.3f s a run)\n",
				name, made, 100 * (t[number] - t[0]) / t[0], t[0] / runs[0] }' "$folder/times"
	done
}

main() {
	local branch
	[ $# -ge 1 ] || { sed -n '3,16p' "$here/common.sh" >&2; exit 2; }
	mkdir -p "$1/$program"
	folder=$(cd "$1/$program" && pwd)
	make_all
	case ${2:-make} in
	make) ;;
	count) for branch in "${@:3}"; do count "$branch"; done ;;
	check) check_all ;;
	calibrate) calibrate ;;
	times) times ;;
	hot) hot ;;
	*) die "no such command: $2" ;;
	esac
}
