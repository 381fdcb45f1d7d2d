#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The judges of `make bench-verdict-real` (tests/bench/real), on recordings that were made once: what
# they say of known recordings, and the whole way from recorded gates to the table. No clock.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/cli/lib.sh
. "$here/../cli/lib.sh"
real=$build/tests/bench/real
replay=$here/../../testdata/replay
plant=$build/tests/replay/plant
cd "$work" || exit 1

# field NAME LINE: that column of a line of judge's
field() { { "$real/judge" --header; echo "demo,kind,1,$2"; } | awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == 2 { print $at }'; }
# says NAME RECORDINGS COLUMN=VALUE...
says() {
	local name=$1 recordings=$2 line wanted
	shift 2
	line=$("$real/judge" "$recordings") || { not_ok "$name (judge failed)"; return; }
	for wanted in "$@"; do
		if [ "$(field "${wanted%%=*}" "$line")" != "${wanted#*=}" ]; then
			not_ok "$name (${wanted%%=*} is $(field "${wanted%%=*}" "$line"), not ${wanted#*=})"
			return
		fi
	done
	ok "$name"
}

says "a gate that fails is a failure, with its culprit and its pairs" "$replay/slow2" \
	strict=fail status=fail culprit=hash_text file=src/hash.c blame=self stage1=16 stage2=24
says "an unchanged one passes" "$replay/aa" strict=pass status=pass culprit= stage1=16 stage2=0
says "a refactor is none of ours, and a failure of those who look at functions alone" "$replay/refactor" status=pass functions=1
# benchstat says p=0.000, 0.926 and 0.014 of the same numbers.
says "Mann-Whitney's p is benchstat's" "$replay/slow2" mann_whitney=1 threshold=0 p=0.0003236
says "and again" "$replay/aa" mann_whitney=0 p=0.926
says "and once more" "$replay/refactor" mann_whitney=1 p=0.01376

# Both versions one program, and then one of them slower.
cp -r "$replay/slow2" same && "$plant" twin same/logstat/base same/logstat/head || exit 1
cp -r same slower && "$plant" self slower/logstat/head edit_distance 2 1 || exit 1
says "a slowdown is its function's, and too small for a threshold on the total" slower status=fail culprit=edit_distance threshold=0
# Of two builds: in one build nobody is excused.
cp -r "$replay/slow2" alike
for version in base head; do "$build/tests/replay/mutate" code "alike/logstat/$version"; done
says "where its machine code is the same, it is excused; strictly it is not" alike strict=fail status=warn

"$real/resample" 1 6 same >drawn
check "drawn gates have their numbers, and those of unchanged pairs pass" \
	awk -F, '$1 != NR || $3 !~ /pass|warn/ || $4 !~ /pass|warn/ { exit 1 } END { exit NR != 6 }' drawn
check "each number draws other pairs, also with the versions as they were" \
	[ "$("$real/resample" --straight 1 4 same | cut -d, -f8 | sort -u | wc -l)" = 4 ]
"$real/resample" 3 2 same >again
check "a gate's number is its seed: drawn again it is the same" cmp again <(sed -n 3,4p drawn)
cp -r same slower2 && "$plant" self slower2/logstat/head edit_distance 2 1 || exit 1
"$real/resample" --straight 1 3 alike >drawn
check "and by its code where that is the same: what is drawn keeps the code's hashes" \
	awk -F, '$2 != 1 || $3 != "fail" || $4 != "warn" { exit 1 } END { exit NR != 3 }' drawn
"$real/resample" --straight 1 3 slower2 >drawn
check "what is planted is found in every gate that is drawn with its versions as they were" \
	awk -F, '$2 != 1 || $4 != "fail" { exit 1 } END { exit NR != 3 }' drawn
"$real/resample" 1 12 slower2 >drawn
check "and swapped by a coin it is nobody's fault" awk -F, '$3 == "fail" || $4 == "fail" { exit 1 } END { exit NR != 12 }' drawn
run "$real/resample" 1 1 "$replay/aa"
expect "sixteen pairs are too few to draw forty from" 3 "too few"
cp -r same other && sed -i 's/\("commit": *"\)./\1f/' other/logstat/head/recording.json
run "$real/resample" 1 1 same other
expect "pairs of another head do not belong together" 3 "another benchmark, commit or mode"

# ---- the whole way ----------------------------------------------------------------------------------
mkdir -p kept/recordings kept/demo
echo "program,kind,number,branch,slices,exit,seconds,tool" >kept/gates.csv
# gate KIND NUMBER BRANCH EXIT SECONDS RECORDINGS
gate() {
	mkdir -p "kept/recordings/demo-$1-$2"
	cp -r "$6" "kept/recordings/demo-$1-$2/recordings"
	echo "demo,$1,$2,$3,default,$4,$5,0" >>kept/gates.csv
}
gate aa 1 aa 0 40 same
gate plus2 1 plus2-1 1 90 "$replay/slow2"
gate plus2 2 plus2-2 1 90 slower2
gate refactor 1 rename 0 50 "$replay/refactor"
echo "demo,aa,2,aa,default,3,4,0" >>kept/gates.csv
printf '%s\n' branch,function,file,instructions_percent plus2-1,hash_text,src/hash.c,1.78 plus2-2,hash_text,src/hash.c,2 rename,,,0 >kept/demo/truth.csv
export FOLDER=$work/kept TOOLS=$real FLAMEGATE=$flamegate PROGRAMS=demo GATES=3
check "recorded gates are judged, and others drawn" bash "$here/../bench/real/run.sh" judge
run bash "$here/../bench/real/run.sh" table
expect "the table counts gates, failures and right culprits" 0 \
	"| demo | +2 % planted | 2 | 2 | 1 | 0 | 0 | 90 |" "| demo | none (A/A), strict | 2 | 0 | – | 0 | 1 | 22 |" \
	"| demo | refactors | 1 | 0 | – | 0 | 0 | 50 |"
expect "and drawn gates, and what others would have said" 0 "| demo | drawn from the pairs of the plain | 3 | 0 |" \
	"| demo | +2 % | 2 | 2 | 0 |" "| demo | refactor | 1 | 0 | 0 | 1 | 1 |"
expect "and names what was not right" 0 "- demo, plus2 2 (plus2-2): fail, strict fail; blames \`edit_distance\`" "- demo, aa 2 (aa): error"
echo broken >kept/judged.csv
for file in kept/drawn/demo/*; do echo "1,1,fail,fail,1,1,1" >"$file"; done
check "what is drawn already is not drawn again" bash "$here/../bench/real/run.sh" judge
run bash "$here/../bench/real/run.sh" table
expect "but judged anew" 0 "| demo | drawn from the pairs of the plain | 1 | 1 |" "| demo | +2 % planted | 2 | 2 | 1 |"
finish
