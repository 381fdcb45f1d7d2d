#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is said of a change must be true of the program: situations of test_situations.sh, with what is
# known of the code, of the objects' functions and of calls that were counted. No clock.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/cli/lib.sh
. "$here/../cli/lib.sh"
# shellcheck source=tests/replay/situations.sh
. "$here/situations.sh"
mutate=$build/tests/replay/mutate
base=$work/case/logstat/base

tell() { "$mutate" "$@" || exit 1; }
# Machine code by name: the same in both but for what is named.
same_code() { for version in base head; do tell code "$work/case/logstat/$version" "$@"; done; }
changed_code() { tell code "$base"; tell code "$head" "$@"; }
# has VERSION [NAME@FILE...]: the objects have what samples fell in, and these
has() { local version=$1; shift; tell names "$work/case/logstat/$version" "$@"; }
# told CALLER CALLEE BASE HEAD
told() {
	tell told "$base" "$1" "$2" "$3"
	tell told "$head" "$1" "$2" "$4"
}
# says NAME TEXT: the failure's first sentence, in report.md
says() { check "$1" grep -qF -- "$2" "$work/report/report.md"; }
says_not() { check "$1" sh -c '! grep -qF -- "$1" "$2"' sh "$2" "$work/report/report.md"; }
# claims NAME KIND EVIDENCE: of the first culprit
claims() { asks "$1" "[(c['kind'], c['evidence']) for c in b['claims']][b['culprits'][0]['claim']] == ('$2', '$3')"; }

# ---- called more often, or each call costs more ----------------------------------------------------
twice() {
	begin
	change called path_template 2 2
	same_code
}
twice
decide
expect "twice the cost of unchanged code fails" 1 "FAIL"
says "who counted no calls cannot tell more calls from more work" '`path_template` is called more often or given more work by `add_route`'
claims "and has the costs alone to show" more_work costs
twice
told "" path_template 1000 2000
told add_route path_template 1000 2000
decide
says "twice as many calls are said to be" '`add_route` calls `path_template` 2.0 times as often'
claims "and were counted" called_more counts
says "the report says who counted what" 'callgrind: 1,000 -> 2,000 calls, the same in each of 2 runs'
twice
told "" path_template 1000 1000
told add_route path_template 1000 1000
decide
says "as many calls that take twice as long are said to" 'each call of `path_template` by `add_route` takes 2.0 times as long'
claims "with the count as evidence" each_call counts
twice
told "" path_template 1000 1300
told add_route path_template 1000 1300
decide
says "of both it says both" '`add_route` calls `path_template` 1.30 times as often, and each call takes 1.5'
# counted BASE HEAD INSTRUCTIONS INSTRUCTIONS: calls of path_template, and what they execute with all below them
counted() {
	for caller in "" add_route; do
		tell told "$base" "$caller" path_template "$1" "$3"
		tell told "$head" "$caller" path_template "$2" "$4"
	done
}
twice
counted 1000 1300 1e6 1.6e6
decide
says "so it does where each executes more" '`add_route` calls `path_template` 1.30 times as often, and each call takes 1.5'
twice
counted 1000 1300 1e6 1.2e6
decide
says_not "a call that executes no more is not said to take longer" 'and each call takes'
says "only that there are more" '`add_route` calls `path_template` 1.30 times as often'
twice
counted 1000 1000 1e6 1e6
decide
says_not "what is called as often and executes as much is not said to be given more work" 'given more work'
says_not "nor each call to take longer" 'each call of `path_template`'
says "but to take longer, as the clock says" '`path_template` and its callees take longer, called from `add_route`'
# A linker's stub has no count; what others have says that somebody counted.
twice
told "" edit_distance 1000 1000
decide
says_not "what was not counted where others were is not said to be given more work" 'given more work'
says "but to take longer" '`path_template` and its callees take longer, called from `add_route`'
begin
change self edit_distance 30 31
same_code
told "" glob_match 1000 1000
decide
says "nor by its own time" '`edit_distance` takes longer'
claims "which is all that there is" longer costs
begin
change self edit_distance 30 31
same_code
told "" edit_distance 1000 3000
decide
says "calls that are three times as many are said to be, however much longer each takes" '`edit_distance` is called 3.0 times as often, and each call takes'
twice
told "" path_template 1000 2000
decide
says "of calls by nobody known it says how many there are" '`path_template` is called 2.0 times as often'
rm -rf "$work/elsewhere" && mkdir "$work/elsewhere" && cp -r "$base" "$head" "$work/elsewhere"
run "$flamegate" compare "$work/elsewhere/base" "$work/elsewhere/head" -o "$work/report"
says "compare says the same of the two recordings alone" '`path_template` is called 2.0 times as often'

# Called once in base, too short to be sampled: no call of it has a cost there.
begin
change add agent_scan agent_check 0.6 3
same_code
for version in base head; do tell names "$work/case/logstat/$version" agent_check@src/agent.c; done
told "" agent_check@src/agent.c 1 400000
told agent_scan agent_check@src/agent.c 1 400000
decide
says_not "what base has no sample of is not said to take longer each time" 'each call of `agent_check`'
says "but to be called more often" '`agent_check` is called'

# ---- itself slower ---------------------------------------------------------------------------------
slower() {
	begin "$@"
	change self edit_distance 2 1
}
slower src/spelling.c 1 200
changed_code edit_distance
decide
says "changed code takes longer, as far as samples tell" '`edit_distance` takes longer in its own code'
claims "and the changed lines are there to see" own_code diff
# By a table or a macro elsewhere: not what it does has changed, but what it works on or is made of.
slower src/other.c 1 200
changed_code edit_distance
told "" edit_distance 5000 5000
decide
says "code that changed by a line elsewhere takes longer" '`edit_distance` takes longer in its own code'
says_not "and is not said to be slower itself" 'itself is slower'
claims "with the count as evidence, for there is no line of its own" own_code counts
slower src/spelling.c 1 200
changed_code edit_distance
told "" edit_distance 5000 5000
decide
says "changed code that is called as often is slower itself" '`edit_distance` itself is slower'
claims "as counts and code say" itself counts
slower src/spelling.c 1 200
changed_code edit_distance
told "" edit_distance 5000 10000
told spelling_typos edit_distance 5000 10000
decide
says_not "changed code that is called twice as often is not slower itself" 'itself is slower'
says "but called more often" '`edit_distance` is called 2.0 times as often'
slower src/spelling.c 1 200
same_code
told "" edit_distance 5000 5000
decide
says "lines that changed without a change of the code are no change" 'each call of `edit_distance` takes 2.0 times as long, though its code is the same'
slower
same_code
told "" edit_distance 5000 5000
decide
says "as many calls of the same code: each takes longer" 'each call of `edit_distance` takes 2.0 times as long, though its code is the same'
slower
same_code
decide
says "unchanged code whose calls nobody counted has more of them or more to do" '`edit_distance` is called more often or given more work'
begin src/spelling.c 50 12
change inline edit_distance
change self edit_distance 2 1
"$plant" inline "$base" edit_distance || exit 1
changed_code spelling_correct
told "" edit_distance 10 20
decide
says "code that is inlined into changed code is slower there" '`edit_distance` takes longer where it is inlined into `spelling_correct`, which has changed'
claims "and no count says anything of calls that are inlined" in_host diff

# ---- beside a cause, the same code ------------------------------------------------------------------
# beside INSTRUCTIONS...: of base's and of head's calls
beside() {
	begin src/parse.c 1 400
	change self combined_field 1.6 1
	change self edit_distance 2.2 2
	changed_code combined_field
	tell rebuild "$head" logstat 1
	tell told "$base" "" edit_distance 5000 "${@:1:1}"
	tell told "$head" "" edit_distance 5000 "${@:2:1}"
	decide
}
names_edit_distance='any(b["culprits"][i]["function"] == f("edit_distance") for i in range(len(b["culprits"])))'
beside
asks "the same code that grew far more is named, where only its calls are known" "$names_edit_distance"
beside 1e6 2.2e6
asks "and where it executes more instructions" "$names_edit_distance"
beside 1e6 1.001e6
blames "what executes as many as before is no cause beside what has changed" combined_field
asks "and is not named" "not $names_edit_distance"
asks "but is the same code that grew" 'word("state", "edit_distance") in (5, "unchanged_code")'

# ---- new -------------------------------------------------------------------------------------------
added() {
	begin src/agent.c 80 10
	change add agent_scan agent_check 0.6 3
}
added
has base
has head
decide
says "what base's objects do not have is new" '`agent_check` is new'
claims "and that is the evidence" new objects
added
decide
says_not "without a list of base's functions nothing is said to be new" 'is new'
asks "nor in the table" "word('match', 'agent_check') == 6"
added
has base agent_check@src/agent.c
has head
decide
says_not "what base has without a sample is not new" 'is new'
asks "nor in the table, where it is without samples in base" "word('match', 'agent_check') == 6"

# ---- another callee: digest() calls hash_bytes() in place of hash_words() --------------------------
# hash_text is hash_words in base; head calls another function of a like name that both have.
swapped() {
	begin src/analysis.c 1 400
	tell rename "$base" hash_text hash_words
	tell rename "$head" hash_text hash_bytes
	change self hash_bytes 3 41
	for version in base head; do tell code "$work/case/logstat/$version"; done
	tell calls "$base" add_client hash_words
	tell calls "$head" add_client hash_bytes
}
swapped
has base hash_bytes@src/hash.c
has head hash_words@src/hash.c
decide
expect "a caller that calls a slower function instead fails" 1 "FAIL" "hash_bytes"
asks "that was not renamed" 'not any(m["base_name"] == "hash_words" for m in b.get("matches", []))'
says_not "nor got slower" '`hash_bytes` itself'
says "it is called instead of the other" '`add_client` now calls `hash_bytes` instead of `hash_words`'
swapped
decide
asks "and without a list of functions it is not guessed" 'not any(m["base_name"] == "hash_words" for m in b.get("matches", []))'

# ---- cost that moved -------------------------------------------------------------------------------
moved() { asks "$1" "[(c['kind'], names[c['subject']], [names[o] for o in c['others']]) for c in b.get('claims', []) if c['kind'] in ('split', 'merged', 'moved', 'swapped', 'reached', 'offset')] == $2"; }
begin src/glob.c 1 200
change split glob_match glob_tail 7
has base
has head
decide
moved "a function that is new, and called by the one it was a part of, was split off" "[('split', 'glob_match', ['glob_tail'])]"
says "which is said in words" '`glob_tail` was split off from `glob_match`'
begin src/glob.c 1 200
change split glob_match glob_tail 7
has base glob_tail@src/glob.c
has head
decide
moved "one that base had already was not" "[('moved', 'glob_match', ['glob_tail'])]"
# Half of its code went, and nearly twice as much came: that is not what was split off.
begin src/glob.c 1 200
change split glob_match glob_tail 7
change self glob_tail 1.8 8
has base
has head
decide
asks "and where the total fails by it a decrease of half of it makes up for nothing" \
	'not b["shifts"] and names[b["culprits"][0]["function"]] == "glob_tail"'
moved "nor is it said to have become the other" "[]"
begin src/alert.c 17 40
change wrap glob_match match_any
has base
has head
same_code
decide
moved "a function that is called through a new one is said to be" "[('reached', 'match_any', ['glob_match'])]"
says "once, and in words" '`glob_match` is now reached through `match_any`'
begin src/alert.c 17 40
change wrap glob_match match_any
has base match_any@src/glob.c
has head
same_code
decide
moved "of a function that base has as well nothing is said" "[]"
rm -rf "$work/case" && cp -r "$replay/../../testdata/replay/refactor" "$work/case"
decide
moved "a refactor of which no objects are known is two decreases and increases" "[('offset', 'glob_match', ['match_from_star', 'pattern_matches'])]"
has base
has head
decide
moved "what took the place of a function that is gone has its cost, once for the cause" "[('moved', 'glob_match', ['match_from_star', 'pattern_matches'])]"
begin
change self edit_distance 2 5
change self glob_match 0.7 6
decide
moved "two changes that make up for each other are no move" "[('offset', 'glob_match', ['edit_distance'])]"
says "but are said to" '`edit_distance` takes'
begin
change self edit_distance 2 5
change self glob_match 0.7 6
same_code
decide
moved "unchanged code that scattered is not worth a word" "[]"
begin
change self edit_distance 2 5
change self glob_match 0.7 6
changed_code glob_match
decide
moved "nor beside code that has changed" "[]"
begin
change self edit_distance 2 5
change self glob_match 0.7 6
changed_code glob_match edit_distance
decide
moved "two changes are" "[('offset', 'glob_match', ['edit_distance'])]"
begin
change self edit_distance 2 5
change self glob_match 0.7 6
changed_code glob_match
told glob_match edit_distance 0 1000
decide
moved "so is a new call of unchanged code for what a function did itself" "[('offset', 'glob_match', ['edit_distance'])]"

# fewer FACTOR: unchanged code is called less often by code that has changed, in another build
fewer() {
	begin
	change called glob_match "$1" 6
	changed_code alerts_check
	tell rebuild "$head" logstat 1
	decide
}
listed='[names[i] for i in b.get("improvements", [])]'
fewer 0.8
asks "unchanged code that shrank by what its place explains is nothing to show where the whole is no less" \
	"b['total']['state'] in (0, 'unchanged') and not $listed"
fewer 0.3
asks "but it is by more, or with the whole" "'glob_match' in $listed"

# ---- the line --------------------------------------------------------------------------------------
# names NAME FILE FIRST LAST: the first culprit's line, the same in the annotation
names() {
	asks "$1" "b['culprits'][0]['file'] == '$2' and $3 <= b['culprits'][0]['line'] <= $4"
	line=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["benchmarks"][0]["culprits"][0]["line"])' "$work/report/report.json")
	"$flamegate" report --from "$work/report/report.json" --format workflow >"$work/said" 2>&1
	check "$1: in the annotation, too" grep -q "^::error file=$2,line=$line," "$work/said"
	"$flamegate" report --from "$work/report/report.json" --format sarif >"$work/said" 2>&1
	check "$1: and in SARIF" grep -q "\"startLine\": *$line" "$work/said"
	says "$1: and in the headline and the table" "\`$2:$line\`"
}
line_of() {
	begin "$@"
	change called path_template 2 2
	same_code
	decide
}
line_of
names "where nothing changed it is the function's definition" src/url.c 113 113
line_of src/analysis.c 55 20
names "where the caller's call changed it is the call" src/analysis.c 55 74
call=$line
line_of src/analysis.c $((call - 1)) 1
names "where another line of the caller changed it is that one" src/analysis.c $((call - 1)) $((call - 1))
line_of src/analysis.c $((call + 20)) 300
asks "a change of a caller's caller is named by the call that leads there" "b['culprits'][0]['file'] == 'src/analysis.c' and b['culprits'][0]['line'] >= $((call + 20))"
line_of src/url.c 113 30
names "where the function itself changed it is its own line" src/url.c 113 142

finish
