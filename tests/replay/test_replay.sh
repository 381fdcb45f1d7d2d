#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Decides again on recordings of the demo program (testdata/replay/), as they are and broken on purpose.
# No clock, no build, no repository: the same bytes every time.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/cli/lib.sh
. "$here/../cli/lib.sh"
mutate=$build/tests/replay/mutate
plant=$build/tests/replay/plant
data=$here/../../testdata/replay
# shellcheck source=testdata/demo/expected.sh
. "$here/../../testdata/demo/expected.sh"
cd "$work" || exit 1

# What is decided has numbers that agree with each other; the check's output stays in $work/out.
replay() {
	run "$flamegate" check --replay "$1" -o "$work/report"
	[ "$status" -ge 2 ] || python3 "$here/denominators.py" "$work/report" >"$work/wrong" 2>&1 || {
		not_ok "changes of $1 are fractions of base's total, and costs differ by them"
		sed 's/^/# /' "$work/wrong"
	}
}
culprit() { "$flamegate" report --from "$work/report/report.json" --format culprit | head -n 1; }
fresh() { rm -rf "$work/copy" && cp -r "$data/$1" "$work/copy"; }
no_culprit() { [ -z "$(culprit)" ]; }

replay "$data/slow2"
expect "+2 % in one function fails the build" 1 "FAIL" "$SLOW_FUNCTION"
case $(culprit) in "$SLOW_FUNCTION $SLOW_FILE:"*) ok "the culprit is the planted function, with its line" ;; *) not_ok "the culprit is the planted function, with its line" ;; esac
grep -q '^```diff' "$work/report/report.md" && ok "the Markdown has a diff tree" || not_ok "the Markdown has a diff tree"

# Machine code that is the same in both versions is not blamed, unless the option says so.
fresh slow2
for version in base head; do "$mutate" code "$work/copy/logstat/$version"; done
replay "$work/copy"
expect "+2 % in a function whose code is the same is a warning" 0 "WARN"
no_culprit && ok "unchanged code is no culprit" || not_ok "unchanged code is no culprit"
grep -q '"unchanged_code"' "$work/report/report.json" && ok "the report says what was excused" || not_ok "the report says what was excused"
run "$flamegate" check --replay "$work/copy" -o "$work/report" --strict
expect "--strict blames it all the same" 1 "FAIL" "$SLOW_FUNCTION"
run "$flamegate" compare "$work/copy/logstat/base" "$work/copy/logstat/head" -o "$work/compared"
expect "compare excuses as check does" 0 "WARN"
run "$flamegate" compare "$work/copy/logstat/base" "$work/copy/logstat/head" -o "$work/compared" --strict
expect "compare --strict blames" 1 "FAIL" "$SLOW_FUNCTION"
fresh slow2
"$plant" self "$work/copy/logstat/head" "$SLOW_FUNCTION" 2 1
for version in base head; do "$mutate" code "$work/copy/logstat/$version"; done
replay "$work/copy"
expect "a function whose code is the same, and that takes three times as long, works on something else" 1 "FAIL" "$SLOW_FUNCTION"
grep -q 'what it works on has changed' "$work/report/report.json" && ok "the report says so" || not_ok "the report says so"
fresh slow2
for version in base head; do "$mutate" code "$work/copy/logstat/$version"; done
"$mutate" code "$work/copy/logstat/head" "$SLOW_FUNCTION"
replay "$work/copy"
expect "+2 % in a function whose code has changed fails" 1 "FAIL" "$SLOW_FUNCTION"
# Who calls it has its name in the code; what a rename changes in callers is no change.
renamed() {
	fresh slow2
	for version in base head; do "$mutate" code "$work/copy/logstat/$version"; done
	"$mutate" rename "$work/copy/logstat/head" "$SLOW_FUNCTION" hash_string
	"$mutate" names "$work/copy/logstat/base"
	"$mutate" names "$work/copy/logstat/head" ${2:+"$2"}
	"$mutate" calls "$work/copy/logstat/base" add_client "$SLOW_FUNCTION"
	"$mutate" calls "$work/copy/logstat/head" add_client "$1"
	replay "$work/copy"
}
renamed hash_string
expect "+2 % in a function that was only renamed is a warning, whoever calls it" 0 "WARN"
renamed table_get
expect "+2 % in one whose caller now calls another function fails" 1 "FAIL" "hash_string"
renamed hash_string "$SLOW_FUNCTION@$SLOW_FILE"
check "what head still has beside the new one was not renamed" sh -c "! grep -q '\"renamed\"' '$work/report/report.json'"

replay "$data/called"
expect "what a changed caller calls twice" 1 "is called"
check "is not said to work on something else" test "$(grep -c "what it works on has changed" "$work/report/report.json")" = 0

# A benchmark of one build, whose head reads a file with larger numbers; base alone has a sample of the loader.
replay "$data/data"
expect "where a file alone differs, unchanged code is no excuse" 1 "FAIL" "15.9 % more CPU time"
fresh data
"$mutate" rebuild "$work/copy/mini/head" /lib/x86_64-linux-gnu/libc.so.6
replay "$work/copy"
expect "where libc is another one, too, it is one" 0 "WARN"

fresh slow2
for version in base head; do "$mutate" code "$work/copy/logstat/$version"; done
sed -i 's/\("code": \[\)/\1[4000000000,"00112233445566778899aabbccddeeff",1],/; s/\(4000000000.*\]\),$/\1/' "$work/copy/logstat/head/recording.json"
replay "$work/copy"
expect "a code hash of a function that is not there: no verdict" 3 "recording.json"

replay "$data/slow2"
cp -r "$work/report" "$work/first"
replay "$data/slow2"
check "the same recordings give the same bytes" diff -r "$work/first" "$work/report"
for format in markdown html json; do
	case $format in markdown) file=report.md ;; *) file=report.$format ;; esac
	run "$flamegate" report --from "$work/report/report.json" --format $format -o "$work/again"
	check "$format rendered from report.json has check's bytes" cmp "$work/again" "$work/report/$file"
done
run "$flamegate" compare "$data/slow2/logstat/base" "$data/slow2/logstat/head" -o "$work/compared"
expect "compare recomputes the verdict from the two recordings" 1 "$SLOW_FUNCTION"

replay "$data/aa"
expect "two measurements of the same code pass" 0 "no regression"
replay "$data/refactor"
expect "a split and a rename pass" 0

fresh slow2
for version in base head; do "$mutate" halve-profile "$work/copy/logstat/$version"; done
replay "$work/copy"
expect "half of both profiles dropped: the profile and its totals disagree, no verdict" 3 "not"
fresh slow2
for version in base head; do "$mutate" halve "$work/copy/logstat/$version"; done
replay "$work/copy"
expect "half of the samples never taken: they do not account for the CPU time, no verdict" 3 "CPU time"
for version in base head; do
	fresh aa
	"$mutate" halve "$work/copy/logstat/$version"
	replay "$work/copy"
	expect "half of $version's samples never taken: no verdict" 3 "CPU time"
	fresh aa
	"$mutate" empty "$work/copy/logstat/$version"
	replay "$work/copy"
	expect "$version's profile empty: no verdict" 3
done
# ---- profiles that say nothing, and runs of two programs
for version in base head; do
	fresh slow2
	"$mutate" collapse "$work/copy/logstat/$version"
	replay "$work/copy"
	expect "all of $version's cost in one place without a name: no verdict" 3 "the profile of $version has collapsed"
	fresh slow2
	"$mutate" cut "$work/copy/logstat/$version"
	replay "$work/copy"
	expect "$version's stacks are cut: no verdict" 3 "has collapsed" "of its stacks are"
	fresh slow2
	"$mutate" rebuild "$work/copy/logstat/$version" logstat
	replay "$work/copy"
	expect "$version's program changed while it was measured: no verdict" 3 "logstat changed while"
done
fresh slow2
for version in base head; do "$mutate" rebuild "$work/copy/logstat/$version" logstat 8; done
replay "$work/copy"
expect "a program that was linked in 8 layouts is eight builds" 1 "FAIL" "$SLOW_FUNCTION" "linked in 8 layouts"
"$mutate" rebuild "$work/copy/logstat/head" logstat
replay "$work/copy"
expect "a layout that changed while it was measured: no verdict" 3 "logstat changed while" "of the same seed"
fresh aa
for version in base head; do "$mutate" collapse "$work/copy/logstat/$version"; done
replay "$work/copy"
expect "names in neither: the total alone, with a warning" 0 "WARN" "without a function"
for seed in 1 2 3 4 5; do
	fresh slow2
	"$mutate" shuffle "$work/copy/logstat/base" "$work/copy/logstat/head" $seed
	replay "$work/copy"
	no_culprit && [ "$status" -ne 3 ] && ok "samples shuffled between the versions (seed $seed): no function is blamed" ||
		not_ok "samples shuffled between the versions (seed $seed): no function is blamed"
done

# The same noise, another function: what was planted is what is found.
for function in agent_scan glob_match; do
	fresh aa
	"$mutate" scale "$work/copy/logstat/head" $function 1.6
	replay "$work/copy"
	expect "$function 60 % slower in stage 1 alone: nothing is decided without stage 2" 3 "stage 2"
done

fresh slow2
head -c 5000 "$data/slow2/logstat/head/cpu.pb.gz" >"$work/copy/logstat/head/cpu.pb.gz"
replay "$work/copy"
expect "a truncated profile: no verdict" 3 "cpu.pb.gz"
fresh slow2
sed -i 's/"format": 1/"format": 99/' "$work/copy/check.json"
replay "$work/copy"
expect "measurements of another version are refused" 3 "version"
rm -rf "$work/copy" && mkdir "$work/copy"
replay "$work/copy"
expect "no measurements at all: says what is missing" 2 "check.json"

fresh slow2
python3 - "$work/copy/check.json" <<'P'
import json, sys
measurements = json.load(open(sys.argv[1]))
measurements["benchmarks"] = []
json.dump(measurements, open(sys.argv[1], "w"))
P
replay "$work/copy"
expect "measurements without benchmarks are no pass" 3 "benchmarks"
run "$flamegate" check --replay "$data/slow2" --base main
expect "a replay takes no options that would measure" 2 "--replay"
run "$flamegate" compare "$data/slow2/logstat/base" "$data/refactor/logstat/head" -o "$work/compared"
expect "recordings that were not measured in pairs are held as a screen, and not decided" 0 "no proof" "INFO"

# ---- accepted regressions
# accept FUNCTION UNTIL [BENCHMARK]: the measurements of +2 % with an acceptance
accept() {
	fresh slow2
	python3 - "$work/copy/check.json" "$@" <<'P'
import json, sys
path, function, until = sys.argv[1:4]
measurements = json.load(open(path))
measurements["accept"] = [{"benchmark": (sys.argv[4:] or ["logstat"])[0], "function": function, "reason": "worth it</script>",
    "until": until, "origin": "main:.flamegate.yml:9", "problem": ""}]
json.dump(measurements, open(path, "w"))
P
	replay "$work/copy"
}
accept "$SLOW_FUNCTION" 2099-12-31
expect "an accepted regression passes, in sight" 0 "WARN" "$SLOW_FUNCTION" "accepted: worth" "accepted until 2099-12-31" "main:.flamegate.yml:9"
check "the Markdown says so" grep -q 'accepted until 2099-12-31' "$work/report/report.md"
check "and the HTML" grep -q 'accepted until 2099-12-31' "$work/report/report.html"
check "and the JSON" grep -q '"accepted": "worth it' "$work/report/report.json"
"$flamegate" report --from "$work/report/report.json" --format workflow >"$work/said" 2>&1
check "and the annotations, as a warning" grep -q "^::warning.*accepted: worth it" "$work/said"
accept "" 2099-12-31
expect "a whole benchmark can be accepted" 0 "WARN" "accepted: worth"
accept "$SLOW_FUNCTION" 2020-01-01
expect "an acceptance that has expired does not count, and is said" 1 "FAIL" "expired on 2020-01-01"
accept other_function 2099-12-31
expect "another function's does not" 1 "FAIL" "was not needed"
accept "$SLOW_FUNCTION" 2099-12-31 other
expect "nor another benchmark's" 1 "FAIL"

# ---- counted metrics: exact against a stored baseline, without a statistic
# counted FUNCTION FACTOR: the A/A measurements, whose head counts FACTOR times the base's in FUNCTION
counted() {
	fresh aa
	"$mutate" count "$work/copy/logstat/base" instructions "$work/copy/logstat/reference-instructions"
	"$mutate" count "$work/copy/logstat/base" instructions "$work/copy/logstat/counted-instructions" "$1" "$2"
	python3 - "$work/copy/check.json" <<'P'
import json, sys
measurements = json.load(open(sys.argv[1]))
measurements["benchmarks"][0]["references"] = [{
    "profile_type": "instructions", "store": "git notes of origin", "commit": measurements["base"]["id"], "environment": "",
    "detail": "", "distance": 0, "losses": [], "has_baseline": True, "counted": True}]
json.dump(measurements, open(sys.argv[1], "w"))
P
}
counted "$SLOW_FUNCTION" 1.5
replay "$work/copy"
expect "more instructions than the stored baseline fail, though the time is the same" 1 "FAIL" "instructions" "$SLOW_FUNCTION"
check "the report says that this was exact" grep -q '"exact"' "$work/report/report.json"
accept_counted() {
	python3 - "$work/copy/check.json" "$1" <<'P'
import json, sys
measurements = json.load(open(sys.argv[1]))
measurements["accept"] = [{"benchmark": "logstat", "function": sys.argv[2], "reason": "worth it", "until": "", "origin": "a commit", "problem": ""}]
json.dump(measurements, open(sys.argv[1], "w"))
P
	replay "$work/copy"
}
accept_counted "$SLOW_FUNCTION"
expect "what is counted can be accepted by its function" 0 "WARN" "instructions" "accepted: worth"
accept_counted other_function
expect "and by no other" 1 "FAIL"
counted "$SLOW_FUNCTION" 1.01
replay "$work/copy"
expect "a few more are below the threshold" 0 "instructions" "threshold 0.5 %"
counted "$SLOW_FUNCTION" 1.5
sed -i 's/gcc 12.2.0/gcc 13.1.0/' "$work/copy/logstat/counted-instructions/recording.json"
replay "$work/copy"
expect "counts of another compiler are shown, and decide nothing" 0 "built or run differently" "gcc 13.1.0"
run "$flamegate" compare "$work/copy/logstat/reference-instructions" "$work/copy/logstat/reference-instructions" -o "$work/compared"
expect "compare decides two counted recordings exactly" 0 "instructions"
rm -r "$work/copy/logstat/counted-instructions"
replay "$work/copy"
expect "a counted recording that is missing is an error, not a pass" 3 "recording.json"

finish
