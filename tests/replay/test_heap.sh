#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Decides again on recordings of a program that counts its heap, its iterations, and has regions and labels
# (testdata/heap made testdata/replay/heap): the heap over time, as it is, missing, and broken on purpose.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/cli/lib.sh
. "$here/../cli/lib.sh"
data=$here/../../testdata/replay/heap
cd "$work" || exit 1

replay() { run "$flamegate" check --replay "$1" -o "$work/report"; }
fresh() { rm -rf "$work/copy" && cp -r "$data" "$work/copy"; }
# asks NAME PYTHON: a fact of the benchmark b in report.json
asks() {
	check "$1" python3 - "$work/report/report.json" "$2" <<'P'
import json, sys
b = json.load(open(sys.argv[1]))["benchmarks"][0]
def label(tree, key): return next(one for one in tree["labels"] if one["key"] == key)
sys.exit(0 if eval(sys.argv[2]) else 1)
P
}
# edit FILE PYTHON: of a recording r in the copy
edit() {
	python3 - "$work/copy/store/$1/recording.json" "$2" <<'P'
import json, sys
r = json.load(open(sys.argv[1]))
exec(sys.argv[2])
json.dump(r, open(sys.argv[1], "w"))
P
}

said="Memory peaks at 3.10 MiB after 49 % of the run's iterations (base: 1.42 MiB after 64 %)"
replay "$data"
expect "a heap that is twice as large at its peak fails" 1 "FAIL" "118 % more memory at its peak" "make_document"
for file in report.md report.html; do
	check "$file says when it is largest" grep -qF "$said" "$work/report/$file"
done
"$flamegate" report --from "$work/report/report.json" --format terminal >"$work/text"
# The tree and the table are fractions of base, as the headline and the findings are
agrees() { # FILE EXPRESSION...
	local file=$1 one
	shift
	for one in "$@"; do grep -qE -- "$one" "$file" || return; done
}
check "the tree and the table say of Markdown's headline and findings the same" agrees "$work/report/report.md" \
	'`make_document`.*: \+81\.57 % of the total' '\+118 % +1\.42 MiB -> +3\.10 MiB  \(everything\)' \
	'\+81\.6 % .* make_document' '^\| `make_document` .*\| \+81\.6 % \|'
check "so does the terminal's table" agrees "$work/text" 'make_document in store.c:38: \+81\.57 % of' '^ +\+81\.6 % .* make_document'
"$flamegate" report --from "$work/report/report.json" --format svg >"$work/svg"
check "so does the SVG" agrees "$work/svg" 'total: 1\.42 MiB → 3\.10 MiB, \+118 % of everything' '\+81\.6 % of everything'
tr -s ' \n' ' ' <"$work/text" | grep -qF "$said" && ok "so does the terminal" || not_ok "so does the terminal"
check "where memory decides, it stands before the graph of what costs time" python3 -c 'import sys
page = open(sys.argv[1]).read()
sys.exit(not 0 < page.index("Everything that was looked at") < page.index("Memory over time") < page.index("panel flame-slot"))' \
	"$work/report/report.html"
asks "at most 200 moments of either version, the median of three runs" \
	'all(0 < b[k]["moments"]["count"] <= 200 and b[k]["runs"] == 3 for k in ("memory_base", "memory_head"))'
asks "the largest moment is the largest heap that was decided on" \
	'all(abs(max(b["memory_" + version]["moments"]["most"]) / next(q for q in b["metrics"] if q["name"] == "peak_bytes")[version] - 1) < 1e-4 for version in ("base", "head"))'
asks "time and iterations never go back, and the program's 60 iterations are its end" \
	'all(b[k]["moments"][c] == sorted(b[k]["moments"][c]) for k in ("memory_base", "memory_head") for c in ("seconds", "iterations")) and b["memory_head"]["moments"]["iterations"][-1] == 60'
asks "the program's regions and labels are there, in CPU time and in bytes" \
	'"compact" in label(b, "region")["values"] and "export" in label(b, "request")["values"] and "load" in label(next(p for p in b["profiles"] if p["profile_type"] == "alloc_bytes"), "region")["values"]'
asks "a tree is as large as what was decided on: per iteration, or of a run where that is a level" \
	'all(abs(p["nodes"]["total_" + version][0] / next(q for q in b["metrics"] if q["name"] == p["profile_type"])[version] - 1) < 1e-3 for p in b["profiles"] for version in ("base", "head"))'
cp -r "$work/report" "$work/first"
replay "$data"
check "the same recordings give the same bytes" diff -r "$work/first" "$work/report"

run "$flamegate" compare "$data/store/reference-peak_bytes" "$data/store/counted-peak_bytes" -o "$work/compared"
check "compare shows it, too" grep -qF "$said" "$work/compared/report.md"
run "$flamegate" compare "$data/store/reference-alloc_bytes" "$data/store/counted-alloc_bytes" -o "$work/compared"
grep -q "Memory peaks" "$work/compared/report.md" && not_ok "nothing is said where none was recorded" || ok "nothing is said where none was recorded"

# Of before it was looked at over time
fresh
for kind in reference counted; do edit $kind-peak_bytes 'del r["memory"]'; done
replay "$work/copy"
expect "recordings without it give the same verdict" 1 "118 % more memory at its peak"
asks "and a report without it" 'not any(key.startswith("memory") for key in b)'
fresh
edit reference-peak_bytes 'del r["memory"]'
replay "$work/copy"
asks "of a base without it head's stands alone" '"memory_base" not in b and "memory_head" in b'
check "in words as well" grep -qF "Memory peaks at 3.10 MiB after 49 % of the run's iterations and ends with" "$work/report/report.md"

for broken in 'r["memory"]["seconds"][3] = -1' 'r["memory"]["most_bytes"][3] = 0' 'r["memory"]["inuse_bytes"].pop()' \
	'r["memory"] = 3' 'r["memory"]["iterations"] = [0] * 100000'; do
	fresh
	edit counted-peak_bytes "$broken"
	replay "$work/copy"
	expect "refused: $broken" 3 "memory"
done

finish
