# SPDX-License-Identifier: Apache-2.0
# For the tests of what can happen between two versions (see test_situations.sh), after lib.sh: two
# versions that are the same program, in $work/case, what is done to head, and what comes of it.
plant=$build/tests/replay/plant
cd "$work" || exit 1
head=$work/case/logstat/head
replay=$(dirname "${BASH_SOURCE[0]}")
cp -r "$replay/../../testdata/replay/slow2" "$work/twin"
"$plant" twin "$work/twin/logstat/base" "$work/twin/logstat/head" || exit 1

# diff FILE FIRST LINES: what the change touches; nothing without operands
touched() {
	python3 - "$work/case/check.json" "$@" <<'P'
import json, sys
measurements = json.load(open(sys.argv[1]))
measurements["diff"] = []
if len(sys.argv) > 2:
    path, first, lines = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    measurements["diff"] = [{"old_path": path, "new_path": path, "binary": False, "hunks": [[first, lines, first, lines]]}]
json.dump(measurements, open(sys.argv[1], "w"))
P
}
# begin [FILE FIRST LINES]: both versions the same program
begin() { rm -rf "$work/case" && cp -r "$work/twin" "$work/case" && touched "$@"; }
change() { local kind=$1; shift; "$plant" "$kind" "$head" "$@" || exit 1; }
# Whatever is decided, its numbers agree with each other; what the check printed stays in $work/out.
decide() {
	run "$flamegate" check --replay "$work/case" -o "$work/report"
	if python3 "$replay/denominators.py" "$work/report" >"$work/wrong" 2>&1; then
		ok "changes are fractions of base's total, and costs differ by them"
	else
		not_ok "changes are fractions of base's total, and costs differ by them"
		sed 's/^/# /' "$work/wrong"
	fi
}
culprit() { "$flamegate" report --from "$work/report/report.json" --format culprit | head -n 1; }
blames() { case $(culprit) in "$2 "*) ok "$1" ;; *) not_ok "$1 (not $(culprit))" ;; esac; }
# asks NAME PYTHON: a fact of the benchmark b in report.json; f(name) is the place of a function
asks() {
	check "$1" python3 - "$work/report/report.json" "$2" <<'P'
import json, sys
b = json.load(open(sys.argv[1]))["benchmarks"][0]
names = [b["strings"][i] for i in b["functions"]["name"]]
f = names.index
word = lambda column, name: b["functions"][column][f(name)]
sys.exit(not eval(sys.argv[2]))
P
}
# A status that lets the build go on, and nobody to blame.
passes() {
	expect "$@"
	[ -z "$(culprit)" ] || not_ok "$1: nobody is blamed (but $(culprit))"
}
