#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `flamegate doctor --self-test`: what it asks for, both of its outcomes on real programs with a slowdown that no
# machine can overlook, and a benchmark that runs for a fixed time.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# json EXPRESSION: true if the Python expression over the last output, d, is
json() {
	python3 - "$work/out" "$1" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
sys.exit(0 if eval('(' + sys.argv[2] + ')') else 1)
PY
}
holds() { if json "$2" 2>"$work/errors"; then ok "$1"; else not_ok "$1"; tail -n 1 "$work/errors" | sed 's/^/# /'; fi; }
self_test() { run "$flamegate" doctor --self-test "$@"; }
# self_test_json OPTION...: JSON in $work/out
self_test_json() { "$flamegate" doctor --self-test --json "$@" >"$work/out" 2>"$work/progress" </dev/null; status=$?; }
exits() { [ "$status" -eq "$2" ] && ok "$1" || { sed 's/^/# /' "$work/progress"; not_ok "$1 (exit $status, wanted $2)"; }; }

# ---- what it asks for
mkdir "$work/plain" && cd "$work/plain" || exit 1
self_test
expect "without a configuration: 2" 2 "needs a benchmark of yours" "flamegate init"
run "$flamegate" doctor --slowdown 3%
expect "its options go with --self-test alone" 2 "go with --self-test"
for wrong in 0 -2% 0.05% 101% two 2%% ''; do
	self_test -B bench --slowdown "$wrong"
	expect "a slowdown of '$wrong': 2" 2 "--slowdown wants"
done

# ---- fixed work: five functions of much the same cost
# five LOOPS: main.c with these functions, and main() from stdin, which calls them all by EACH
five() {
	{
		printf '#include <stdio.h>\n#include <time.h>\nstatic volatile unsigned long sink;\n'
		for name in one two three four five; do
			echo "__attribute__((noinline)) void $name(void) { for (unsigned long i = 0; i < $1; i++) sink = sink * 31 + i * i; }"
		done
		sed 's/EACH/one(); two(); three(); four(); five();/'
	} >main.c
	printf 'bench: main.c\n\t$(CC) -O1 -g -o bench main.c\n' >Makefile
	printf 'bench\ncount\n' >.gitignore
}
repo fixed
echo 'int main(void) { for (int i = 0; i < 4; i++) { EACH } return 0; }' | five 2000000
config "policy:" "  pairs: {min: 12, max: 24}" "  gate: {cpu: warn, max_rss: fail}" # not what is asked here
commit base
self_test -B nobody
expect "a benchmark that is not there: 2" 2 "nobody"
self_test --slowdown 0.2%
expect "what is below the margin cannot be found: 3, and why" 3 "A/A  " "cannot find +0.2 %" \
	"The gate does not prove itself"
grep -qE '^(work|picked|planted) ' "$work/out" && not_ok "and nothing is planted" || ok "and nothing is planted"

mkdir "$work/tmp"
export TMPDIR=$work/tmp
self_test_json --slowdown 50% --seed 7 --output "$work/kept"
exits "a planted slowdown is found and named" 0
holds "no change passes" "d['outcome'] == 'right' and d['null']['status'] in ('pass', 'warn') and d['null']['stage1_pairs'] == 12"
holds "the work is fixed" "d['work']['follows'] >= 0.7 and d['work']['planted_seconds'] > 0 and not d['work']['counted']"
holds "one of the five is picked" \
	"d['picked']['function'] in ('one', 'two', 'three', 'four', 'five') and 1 <= d['picked']['rank'] <= 5
and d['picked']['file'] == 'main.c' and abs(d['picked']['part'] * d['picked']['share'] - 0.5) < 1e-6"
holds "it fails after both stages, and that function is blamed" \
	"d['planted']['status'] == 'fail' and d['planted']['stage2_pairs'] == 12 and d['blamed']['function'] == d['picked']['function']"
holds "what was burnt is what was asked for" "0.35 < d['burnt'] < 0.65"
holds "the seed is told" "d['seed'] == '7'"
picked=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["picked"]["function"])' "$work/out")
[ -z "$(ls -A "$work/tmp")" ] && ok "nothing is left behind" || not_ok "nothing is left behind"
[ -z "$(git status --porcelain)" ] && ok "the checkout is left alone" || not_ok "the checkout is left alone"
unset TMPDIR

# ---- its recordings
run "$flamegate" check --replay "$work/kept/planted/recordings" --strict -o "$work/again"
expect "the planted gate fails again in a replay" 1 "$picked"
run "$flamegate" check --replay "$work/kept/planted/recordings" -o "$work/again"
expect "and not strictly: both ran one build, so nobody is excused" 1 "$picked"
run "$flamegate" check --replay "$work/kept/null/recordings" -o "$work/again"
expect "the gate without a change passes again" 0
python3 - "$work/kept" >"$work/out" <<'PY' && ok "recordings say what was planted" || not_ok "recordings say what was planted"
import glob, json, sys
def planted(version, part):
    rounds = json.load(open(glob.glob(f"{sys.argv[1]}/{part}/recordings/*/{version}/recording.json")[0]))["rounds"]
    return sum(b["planted_seconds"] for b in rounds)
sums = {(a, p): planted(a, p) for a in ("base", "head") for p in ("null", "work", "planted")}
print(sums)
zeros = [sums["base", "null"], sums["head", "null"], sums["base", "work"], sums["base", "planted"]]
sys.exit(0 if not any(zeros) and sums["head", "work"] > 0 and sums["head", "planted"] > 0 else 1)
PY

# ---- a fixed time: the program works until its CPU clock says so
repo timed
five 20000 <<'C'
int main(void)
{
	FILE *count = fopen("count", "w");
	unsigned long rounds = 0;
	for (; clock() < CLOCKS_PER_SEC / 10; rounds++) {
		EACH
	}
	fprintf(count, "%lu\n", rounds);
	return fclose(count);
}
C
config "policy:" "  pairs: {min: 12, max: 24}"
commit base
self_test --slowdown 50%
expect "a benchmark that runs for a fixed time is found out: 3" 3 "work          NOT FIXED" \
	"runs for a fixed time instead of doing fixed work" "Its work must be counted"
grep -q '^planted ' "$work/out" && not_ok "and no gate is spent on it" || ok "and no gate is spent on it"

# The same, when its count of what it did is read.
sed -i 's/work: fixed/work: {iterations: count}/' .flamegate.yml
commit counted
self_test_json --slowdown 50%
exits "its work counted, the planted slowdown is found and named" 0
holds "and all that is planted shows" "d['work']['counted'] and d['work']['follows'] >= 0.7"

# ---- what does not run
printf 'bench: main.c\n\tfalse\n' >Makefile
self_test
expect "what does not build cannot be tested: 3" 3 "A/A           not measured" "problem "
finish
