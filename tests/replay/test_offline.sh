#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `flamegate compare` on the two recordings of a check gives the check's result again, to the last
# printed digit, from the two folders alone: no check.json, no repository. Of all recorded checks.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/cli/lib.sh
. "$here/../cli/lib.sh"
mutate=$build/tests/replay/mutate
data=$here/../../testdata/replay
cd "$work" || exit 1

# measured FOLDER: the measurements as check leaves them, in $work/recorded, and its result in $work/check
measured() {
	rm -rf "$work/recorded" "$work/check" && cp -r "$1" "$work/recorded"
	"$mutate" carry "$work/recorded" || exit 1
	"$flamegate" check --replay "$work/recorded" -o "$work/check" >"$work/check.out" 2>&1
	replayed=$?
	mv "$work/check.out" "$work/check/out.txt"
}
# compared BASE HEAD: elsewhere, so that nothing but the two folders can be used
compared() {
	rm -rf "$work/elsewhere" "$work/compare" && mkdir "$work/elsewhere"
	cp -r "$1" "$work/elsewhere/one" && cp -r "$2" "$work/elsewhere/other"
	"$flamegate" compare "$work/elsewhere/one" "$work/elsewhere/other" -o "$work/compare" >"$work/compare.out" 2>&1
	status=$?
	mv "$work/compare.out" "$work/compare/out.txt"
}
# same NAME FORMAT: what both say of the benchmark
same() {
	perl "$here/report_facts.pl" "$work/check" "$1" "$2" >"$work/left" || return 1
	perl "$here/report_facts.pl" "$work/compare" "$1" "$2" >"$work/right" || return 1
	diff "$work/left" "$work/right"
}

for recorded in "$data"/*/check.json; do
	recorded=$(dirname "$recorded")
	name=$(basename "$recorded")
	for slug in "$recorded"/*/base; do
		slug=$(basename "$(dirname "$slug")")
		[ -d "$recorded/$slug/head" ] || continue
		# What was counted beside them, and decides too, is in neither of the two folders.
		! compgen -G "$recorded/$slug/counted-*" >/dev/null || continue
		benchmark=$(sed -n 's/^ "benchmark": "\(.*\)",$/\1/p' "$recorded/$slug/head/recording.json")
		measured "$recorded"
		compared "$work/recorded/$slug/base" "$work/recorded/$slug/head"
		[ "$status" = "$replayed" ] && ok "$name: compare ends as the check did ($status)" || not_ok "$name: compare ends as the check did ($replayed, not $status)"
		for format in json markdown terminal; do
			check "$name: the same result in $format" same "$benchmark" $format
		done
	done
done

# Two benchmarks share the error rate: one of them alone must still know it.
rm -rf "$work/two" && cp -r "$data/slow2" "$work/two" && cp -r "$data/refactor/logstat" "$work/two/other"
sed -i 's/"benchmark": "logstat"/"benchmark": "other"/' "$work"/two/other/*/recording.json
commit=$(grep '"commit"' "$data/slow2/logstat/head/recording.json")
sed -i "s/.*\"commit\":.*/$commit/" "$work/two/other/head/recording.json"
python3 - "$work/two/check.json" <<'P'
import copy, json, sys
recorded = json.load(open(sys.argv[1]))
second = copy.deepcopy(recorded["benchmarks"][0])
second["name"] = second["slug"] = "other"
second["notes"] = ["head: a line of <notes>"]
recorded["benchmarks"].append(second)
recorded["warnings"] = ["the whole check has a warning"]
recorded["notes"] = ["a note of the whole check"]
recorded["accept"] = [{"benchmark": name, "function": "", "reason": "bought <for> something", "until": until, "origin": "main:.flamegate.yml",
    "problem": ""} for name, until in (("logstat", ""), ("other", "2020-01-01"))]
recorded["config_changes"] = ["policy.margin: 1 % -> 2 %"]
json.dump(recorded, open(sys.argv[1], "w"))
P
measured "$work/two"
export ONE_OF_SEVERAL=1
compared "$work/recorded/logstat/base" "$work/recorded/logstat/head"
check "of two benchmarks the first: the same result" same logstat json
compared "$work/recorded/other/base" "$work/recorded/other/head"
check "of two benchmarks the second, with its notes: the same result" same other json
unset ONE_OF_SEVERAL

# The other way round it is another question, with the same numbers.
measured "$data/slow2"
compared "$work/recorded/logstat/head" "$work/recorded/logstat/base"
cp "$work/compare/out.txt" "$work/out"
expect "head compared with base the other way round: an improvement passes" 0 "PASS"

# A recording from anywhere: what it says of its check is read as mistrustfully as the rest.
broken() {
	measured "$data/aa"
	python3 - "$work/recorded/logstat/head/recording.json" "$2" <<'P'
import json, sys
recording = json.load(open(sys.argv[1]))
check = recording["check"]
exec(sys.argv[2])
json.dump(recording, open(sys.argv[1], "w"))
P
	compared "$work/recorded/logstat/base" "$work/recorded/logstat/head"
	cp "$work/compare/out.txt" "$work/out"
	expect "a recording whose check $1 is refused" 3 "$3"
}
broken "has a hunk of text" 'check["diff"] = [{"old_path": "a", "new_path": "a", "binary": False, "hunks": ["x"]}]' "check.diff"
broken "has negative lines" 'check["diff"] = [{"old_path": "a", "new_path": "a", "binary": False, "hunks": [[-1, 0, 0, 0]]}]' "no line number"
broken "has no date" 'del check["date"]' "date"
broken "had half a benchmark" 'check["benchmarks_in_gate"] = 0.5' "benchmarks_in_gate"
broken "is no object" 'recording["check"] = []' "check"

# Without what the check knew, the two still decide: but nobody knows what changed between them.
in_diff() { sed -n 's/^| `hash_text` .*| `hash_text` takes longer[^|]*| \(.*\) |$/\1/p' "$work/compare/report.md"; }
measured "$data/slow2"
compared "$work/recorded/logstat/base" "$work/recorded/logstat/head"
check "a culprit that the diff changes is in it" [ "$(in_diff)" = yes ]
python3 - "$work"/recorded/logstat/*/recording.json <<'P'
import json, sys
for name in sys.argv[1:]:
    recording = json.load(open(name))
    del recording["check"]
    json.dump(recording, open(name, "w"))
P
compared "$work/recorded/logstat/base" "$work/recorded/logstat/head"
cp "$work/compare/out.txt" "$work/out"
expect "two recordings without a check are decided" 1 "hash_text"
check "without a word of what the diff changes" sh -c "tr -s '\\n ' ' ' <'$work/compare/out.txt' | grep -q 'whether the diff changes it is not known'"
check "and it is not said that the diff leaves the culprit alone" [ "$(in_diff)" = "not known" ]

# Nothing repeated, nothing decided.
cp "$data/slow2/logstat/base/cpu.pb.gz" "$work/one.pb.gz"
cp "$data/slow2/logstat/head/cpu.pb.gz" "$work/other.pb.gz"
run "$flamegate" compare "$work/one.pb.gz" "$work/other.pb.gz" -o "$work/profiles"
expect "two profiles without replication cannot be decided" 0 "INFO" "cannot decide" "more CPU time"
grep -q '^ *+[0-9.]* %.* hash_text ' "$work/out" && ok "but show the difference, function by function" || not_ok "but show the difference, function by function"
check "in Markdown too" grep -q '^| `hash_text` .*| +[0-9.]* %' "$work/profiles/report.md"
check "and as a tree" grep -q '^[+-].*hash_text' "$work/profiles/report.md"
run "$flamegate" compare "$work/other.pb.gz" "$data/slow2/logstat/head" -o "$work/profiles"
expect "nor can a profile and a recording" 0 "INFO" "cannot decide"

finish
