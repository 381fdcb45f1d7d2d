#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the page says of a function with more callers than a browser holds: of how many call paths they are not told
# apart. With fewer of them it says nothing.
# shellcheck source=tests/browser/lib.sh
. "$(dirname "$0")/lib.sh"
golden=$here/../../testdata/report/json/fail.json

# many PATHS: "hot" has so many callers, all of them a thousand calls deep. Seen from it each has its own thousand.
many() {
	python3 - "$golden" "$1" >"$work/report.json" <<'P'
import json, sys
report, paths, depth = json.load(open(sys.argv[1])), int(sys.argv[2]), 1000
benchmark = report["benchmarks"][0]
names = ["hot", "deeper"] + ["caller %d" % i for i in range(paths)]
parent, function = [0] + list(range(depth)), [-1] + [1] * depth
for i in range(paths):
    parent += [depth, len(parent)]
    function += [2 + i, 0]
hot = [int(f == 0) for f in function]
total = [paths] * (depth + 1) + [1] * (2 * paths)
def columns(old, count, new):
    return {key: count if key == "count" else new.get(key, [0] * count) for key in old}
benchmark["nodes"] = columns(benchmark["nodes"], len(parent), {"parent": parent, "function": function,
    "self_base": hot, "self_head": hot, "total_base": total, "total_head": total})
of_all = [paths * (i < 2) + (i >= 2) for i in range(len(names))]
strings = benchmark["strings"] + names
own = [len(benchmark["strings"]) + i for i in range(len(names))]
benchmark["strings"] = strings
benchmark["functions"] = columns(benchmark["functions"], len(names), {"name": own,
    "self_base": [paths * (i == 0) for i in range(len(names))], "self_head": [paths * (i == 0) for i in range(len(names))],
    "total_base": of_all, "total_head": of_all})
benchmark["culprits"] = benchmark["shifts"] = benchmark["improvements"] = benchmark["profiles"] = benchmark["labels"] = []
benchmark["total"]["base"] = benchmark["total"]["head"] = paths
benchmark["status"] = report["status"] = "pass"
json.dump(report, sys.stdout)
P
	check "the report of $1 call paths is rendered" "$flamegate" report --from "$work/report.json" --format html --output "$work/page.html"
}
says() { grep -qF -- "$1" "$work/dom"; }
# said: the sentence as a reader sees it
said() { grep -o "<p class=\"count\">The callers are cut[^<]*" "$work/dom" | sed "s/^[^>]*>//"; }

many 60
open_page "$work/page.html#b=0&v=sandwich&f=hot"
check "a function with sixty deep call paths is shown" says 'aria-pressed="true">Sandwich<'
# 49 of 1,001 callers each fit below 50,000, the function's own place included; the next is cut in the middle.
check "it is said of how many the callers are not told apart" [ "$(said)" = \
	"The callers are cut: those of 11 call paths, the least costly ones, are not told apart and stand as “(other)”." ]
complains() { grep -q CONSOLE "$work/log"; }
check "and the browser complains of nothing" eval '! complains'
many 40
open_page "$work/page.html#b=0&v=sandwich&f=hot"
check "of forty all callers are there" says 'aria-pressed="true">Sandwich<'
check "and nothing is said" [ -z "$(said)" ]
finish
