#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Functions that are cut otherwise in the other version: inlined, outlined, split, merged. What costs
# the same passes, and no cost has moved; what got slower as well fails, and is where it was.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/cli/lib.sh
. "$here/../cli/lib.sh"
# shellcheck source=tests/replay/situations.sh
. "$here/situations.sh"
mutate=$build/tests/replay/mutate
base=$work/case/logstat/base

# All functions have the same code in both, but those that are given sizes: VERSION FUNCTION BYTES ...
code() {
	"$mutate" code "$base" && "$mutate" code "$head" || exit 1
	while [ $# -gt 2 ]; do
		"$mutate" size "${!1}" "$2" "$3" || exit 1
		shift 3
	done
}
# unmoved NAME PART HOST KIND: nothing made up for anything, and this is why
unmoved() {
	asks "$1: no cost has moved" 'not b["shifts"] and not any("moved" in line for line in b["warnings"])'
	asks "$1: report.json says why" "['$2', '$3', '$4'] in [[x['part'], x['host'], x['kind']] for x in b['inlinings'] if x['reason']]"
	asks "$1: with who calls it, and nothing else" "{x['host'] for x in b['inlinings']} == {'$3'}"
	check "$1: and so does report.md" grep -qE "^- \`$2\`.* counts? with \`$3\`: " "$work/report/report.md"
	check "$1: and report.html" grep -qE "<li><code>$2</code>.* counts? with <code>$3</code>: " "$work/report/report.html"
}
# fails NAME HOST PART: it is the host that got slower, with the part, by its own cost
fails() {
	expect "$1 fails" 1 "FAIL" "longer" "counts with it: $3"
	blames "$1: its host is the culprit" "$2"
	asks "$1: by its own cost" 'b["culprits"][0]["blame"] == "self"'
}

# ---- as debug information says --------------------------------------------------------------------
begin
change inline combined_field
decide
passes "a function that is inlined passes" 0 "no regression" "combined_field counts with combined_parse: inlined in head only"
unmoved "inlined" combined_field combined_parse inlined
change self combined_field 2 31
decide
fails "what is inlined and slower" combined_parse combined_field

begin
change self combined_field 2 32
"$plant" inline "$base" combined_field || exit 1
decide
fails "what is no longer inlined and slower" combined_parse combined_field
begin
"$plant" inline "$base" combined_field || exit 1
decide
passes "a function that is no longer inlined passes" 0 "no regression" "inlined in base only"
unmoved "outlined" combined_field combined_parse outlined

# ---- as the size of machine code says -------------------------------------------------------------
begin src/glob.c 1 200
change split glob_match glob_tail 33
code base glob_match 480 head glob_match 280 head glob_tail 230
decide
passes "a function split in two passes" 0 "no regression" "glob_tail counts with glob_match: split off in head"
unmoved "split" glob_tail glob_match split
asks "split: the diff touches both" 'word("touched", "glob_match")'
run "$flamegate" check --replay "$work/case" -o "$work/report" --strict
passes "so it does where nobody's code is known to be the same" 0 "no regression" "glob_tail counts with glob_match: split off in head"
run "$flamegate" compare "$base" "$head" -o "$work/report" --strict
passes "and compare says so" 0 "no regression" "glob_tail counts with glob_match: split off in head"

# Half of it is slower by a part that the other half's decrease would make up for.
begin src/glob.c 1 200
change split glob_match glob_tail 34
change self glob_tail 1.35 35
decide
expect "what is split and slower looks like cost that moved where sizes are not known" 0 "69 ms a run (6.0 % of the benchmark) moved from glob_match to glob_tail"
code base glob_match 480 head glob_match 280 head glob_tail 230
decide
fails "what is split and slower" glob_match glob_tail
run "$flamegate" compare "$base" "$head" -o "$work/compared"
expect "compare says the same" 1 "FAIL" "longer" "glob_tail counts with glob_match: split off in head"

begin
change absorb edit_distance
code base spelling_typos 420 base edit_distance 260 head spelling_typos 640
decide
passes "a function merged into its caller passes" 0 "no regression" "edit_distance and least count with spelling_typos: merged into it in head (gone; nothing else"
unmoved "merged" edit_distance spelling_typos merged
begin
change absorb edit_distance
change self spelling_typos 1.5 36
code base spelling_typos 420 base edit_distance 260 head spelling_typos 640
decide
fails "what is merged and slower" spelling_typos edit_distance

# It is inlined in both, and only one has a sample of it.
begin
change inline combined_field
change self combined_field 0 38
"$plant" inline "$base" combined_field || exit 1
code
decide
asks "what chance alone shows in one version is no split and no merge to tell of" '"inlinings" not in b'
check "nor do the words" sh -c '! grep -q "combined_field. counts with" "$1"' sh "$work/report/report.md"

# ---- new work -------------------------------------------------------------------------------------
# It does what it did, and half of that again in a function that it calls.
begin src/glob.c 1 200
change split glob_match glob_check 37
change self glob_match 2 38
code base glob_match 480 head glob_match 490 head glob_check 230
decide
expect "a new function with new work fails" 1 "FAIL" "glob_check takes longer"
blames "and is the culprit itself" glob_check
asks "and counts with nobody" '"inlinings" not in b'

finish
