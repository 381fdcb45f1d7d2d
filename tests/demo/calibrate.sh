#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Counts the demo program's instructions (callgrind) and says whether its variants are what they claim:
# how much slower, in which function, and what stays the same. Takes some minutes; needs valgrind. Not
# part of `make test`: to be run after a change to testdata/demo.
#
# usage: calibrate.sh [DIR]      (work folder, kept; default: a temporary one, removed)
set -euo pipefail
# shellcheck disable=SC2086 # $sources is a list of plain names

root=$(cd "$(dirname "$0")/../.." && pwd)
slowed=hash_text big=glob_match small=url_decode
variants="base slow5 slow2 refactor-large refactor-small unrelated comment"
failures=0

if [ $# -ge 1 ]; then
	mkdir -p "$1"
	work=$(cd "$1" && pwd)
else
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
fi

# check "what" VALUE LOW HIGH
check() {
	if awk -v v="$2" -v l="$3" -v h="$4" 'BEGIN { exit !(v >= l && v <= h) }'; then
		printf '  ok      %-58s %10s  [%s, %s]\n' "$1" "$2" "$3" "$4"
	else
		printf '  WRONG   %-58s %10s  [%s, %s]\n' "$1" "$2" "$3" "$4"
		failures=$((failures + 1))
	fi
}

run() { ./logstat --top 10 data/access.jsonl.gz; }

# Every variant at the same path, so that only their code can make their files differ.
measure() { # variant
	git -C "$work/repo" checkout -q -f "$1"
	git -C "$work/repo" clean -q -f -d -x
	cd "$work/repo"
	make -s
	run >"$work/$1.out"
	[ -s "$work/$1.out" ]
	setarch -R valgrind --tool=callgrind --callgrind-out-file="$work/$1.callgrind" \
		./logstat --top 10 data/access.jsonl.gz >/dev/null 2>"$work/$1.log"
	callgrind_annotate --threshold=100 --auto=no "$work/$1.callgrind" |
		sed -n 's/^ *\([0-9,]*\) *([^)]*) *[^ ]*:\([^ ]*\) \[.*\/\([^/]*\)\]$/\1 \2 \3/p' |
		tr -d , >"$work/$1.self"
	objcopy --strip-all --remove-section=.note.gnu.build-id logstat "$work/$1.stripped"
	sha256sum <data/access.jsonl.gz >"$work/$1.data"
	cd "$work"
}

total() { awk '/^(summary|totals):/ { print $2; exit }' "$work/$1.callgrind"; }
self() { awk -v f="$2" '$2 == f { n += $1 } END { print n + 0 }' "$work/$1.self"; }
rank() { awk -v f="$2" '$2 == f { print NR; exit }' "$work/$1.self"; }
percent() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", 100 * a / b }'; }
rise() { percent $(($(total "$1") - $(total base))) "$(total base)"; }
share() { percent "$(self "$1" "$2")" "$(total "$1")"; }

rm -rf "$work/repo"
"$root/testdata/demo/make-repo.sh" "$work/repo"
for variant in $variants; do
	measure "$variant"
	echo "$variant: $(total "$variant") instructions, $(rise "$variant") % more than base"
done

echo "the program"
git -C "$work/repo" checkout -q -f base
sources=$(cd "$work/repo/src" && find . -name '*.[ch]' ! -name gen.c | sort)
check "lines of C, without the generator" "$(cd "$work/repo/src" && cat $sources | wc -l)" 500 5000
check "functions" "$(cd "$work/repo/src" && for file in $sources; do
	case $file in *.c) gcc -O0 -c -o "$work/count.o" "$file" && nm "$work/count.o" ;; esac
done | grep -c ' [tT] ')" 61 1000
check "functions above 0.5 % self" \
	"$(awk -v t="$(total base)" '$1 > t / 200' "$work/base.self" | wc -l)" 25 1000
check "of the first 20 our own" "$(head -20 "$work/base.self" | grep -c ' logstat$')" 11 20
echo "the slowed function, $slowed"
check "rank by self cost" "$(rank base $slowed)" 5 15
echo "  self $(share base $slowed) % in base, $(share slow5 $slowed) % in slow5, $(share slow2 $slowed) % in slow2"
for variant in slow5 slow2; do
	want=${variant#slow}
	check "$variant: rise of the total, %" "$(rise $variant)" "$((want - 1)).5" "$want.5"
	check "$variant: of the rise in its own self, %" "$(percent \
		$(($(self $variant $slowed) - $(self base $slowed))) \
		$(($(total $variant) - $(total base))))" 95 105
done
echo "what costs nothing"
for variant in refactor-large refactor-small; do
	check "$variant: rise of the total, %" "$(rise $variant)" -0.3 0.3
done
check "refactor-large: $big in base, %" "$(share base $big)" 10 30
check "refactor-small: $small in base, %" "$(share base $small)" 1 3
check "refactor-large: the old name is gone" "$(self refactor-large $big)" 0 0
check "refactor-small: the old name is gone" "$(self refactor-small $small)" 0 0
check "refactor-large: the new names are there" \
	"$(for f in pattern_matches match_from_star; do rank refactor-large $f; done | wc -l)" 2 2
check "refactor-small: the new names are there" \
	"$(for f in url_unescape escaped_byte; do rank refactor-small $f; done | wc -l)" 2 2
check "unrelated: rise of the total, %" "$(rise unrelated)" -0.3 0.3
check "comment: bytes that differ in the program" \
	"$(cmp -l "$work/base.stripped" "$work/comment.stripped" | wc -l)" 0 0
for variant in $variants; do
	check "$variant: has base's data" "$(cmp "$work/base.data" "$work/$variant.data" && echo 1)" 1 1
	case $variant in slow*) continue ;; esac # another hash, another estimate
	check "$variant: prints what base prints" "$(cmp "$work/base.out" "$work/$variant.out" && echo 1)" 1 1
done

echo "CPU time of one run (median of 7, this machine, now)"
cd "$work/repo"
git clean -q -f -d -x
make -s
for _ in 1 2 3 4 5 6 7; do
	{ TIMEFORMAT='%U %S'; time run >/dev/null; } 2>&1
done | awk '{ print $1 + $2 }' | sort -n | sed -n 4p >"$work/cpu"
check "seconds" "$(cat "$work/cpu")" 0.8 1.2
[ "$failures" -eq 0 ] || { echo "$failures wrong"; exit 1; }
