#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The switcher of profile types in a real browser: what the graph, the table and the tooltip show of each, the address,
# the browser's history, the keys, and a culprit's card while another type is shown.
# shellcheck source=tests/browser/lib.sh
. "$(dirname "$0")/lib.sh"
goldens=$here/../../testdata/report/json

# drive FILE HASH STEPS: what profiles.js saw, a line each, in $work/seen
drive() {
	"$flamegate" report --from "$1" --format html >"$work/page.html"
	{ echo "window.steps = $3;" && cat "$here/cases/profiles.js"; } >"$work/driver.js"
	here=$work open_driven "$work/page.html" driver.js "$2"
	sed -n '/<pre>$/,/^<\/pre>/p' "$work/dom" | sed 's/&gt;/>/g; s/&lt;/</g; s/&amp;/\&/g' >"$work/seen"
}
saw() { # NAME LINE...
	local name=$1 line
	shift
	for line in "$@"; do
		if ! grep -qxF -- "$line" "$work/seen"; then
			not_ok "$name (no line '$line')"
			return
		fi
	done
	ok "$name"
}
saw_nothing_like() { # NAME EXPRESSION; what is not there proves nothing unless the page was looked at
	if grep -q '^first title ' "$work/seen" && ! grep -qE -- "$2" "$work/seen"; then ok "$1"; else not_ok "$1"; fi
}
no_complaint() { ! grep CONSOLE "$work/log"; }

drive "$goldens/kinds.json" "" '[["bytes", "choose", "What the graph counts", "memory allocated"], ["next", "press", "p"],
	["last", "press", "p"], ["round", "press", "p"], ["before", "press", "P"], ["back", "back"]]'
check "the browser complains of nothing" no_complaint
saw "all types can be chosen" \
	'choices What the graph counts: CPU time | memory allocated | instructions | time waiting for locks'
saw "it opens with the benchmark's own" 'first title Both versions in one flame graph' 'first shows CPU time' \
	'first row parse_record | src/parse.c:203 | 120 ms | 119 ms | -0.1 % | -0.7 to +0.5 % | 360 ms | 360 ms | 0.0 % |'
saw_nothing_like "of what decided nothing more is said" '^first says'
saw "the graph and the table are those of the chosen type, in its unit" \
	'bytes title Memory allocated: both versions in one flame graph' 'bytes shows memory allocated' \
	'bytes row hash_string | src/table.c:17 | 7.93 MiB | 25.1 MiB | +28.1 % | 7.93 MiB | 25.1 MiB | +28.1 % |' \
	'bytes hover everything: base head change, of all self 0 B 0 B 0.0 % total 61.2 MiB 78.3 MiB +28.1 %'
saw "no significance is claimed" \
	'bytes says Memory allocated: 61.2 MiB → 78.3 MiB, +28.1 %; not decided. Its functions were not tested one by one: colours show what differs by half a per cent of it or more.' \
	'bytes legend ▲ more memory | ▼ less memory | changed by less than 0.5 % | fill: head | ┃ tick: base | + bar at the left: only in head | − hatched: only in base'
saw "the address has the type" 'bytes hash #b=0&t=alloc_bytes'
saw "a key goes through them" 'next shows instructions' 'last shows time waiting for locks' 'round shows CPU time' \
	'before shows time waiting for locks'
saw "counts are counts, times are times" 'next hover everything: base head change, of all self 0 0 0.0 % total 3.01 G 3.01 G 0.0 %' \
	'last hover everything: base head change, of all self 0 s 0 s 0.0 % total 20.0 ms 120 ms +499 %'
saw "the browser goes back to the one before" 'back shows CPU time' 'back hash #b=0' \
	'back row parse_record | src/parse.c:203 | 120 ms | 119 ms | -0.1 % | -0.7 to +0.5 % | 360 ms | 360 ms | 0.0 % |'

# A link to a type, and to one that is not there
open_page "$work/page.html#b=0&t=alloc_bytes"
is_linked() { grep -q 'Memory allocated: both versions' "$work/dom"; }
check "a link leads to a type, under the page's own policy" is_linked
check "and the browser complains of nothing" no_complaint
open_page "$work/page.html#b=0&t=alloc_bytesx"
is_own() { grep -q 'Both versions in one flame graph' "$work/dom" && ! grep -q 'Memory allocated: both' "$work/dom"; }
check "a type that is not there is not shown" is_own

# What was decided of the whole is said of its tree
sed 's/"profiles": \[/"metrics": [{"name":"alloc_bytes","meaning":"memory allocated","unit":"bytes","test":"exact","gate":"fail","state":"grew","decides":true,"absolute":false,"runs":3,"base":1,"head":2,"change":1,"low":null,"high":null,"margin":0.005,"p":null,"detail":""}], &/' \
	"$goldens/kinds.json" >"$work/decided.json"
drive "$work/decided.json" "" '[["bytes", "choose", "What the graph counts", "memory allocated"]]'
saw "what was decided of the whole is said" \
	'bytes says Memory allocated: 61.2 MiB → 78.3 MiB, +28.1 %; in all grew (exact), which decided. Its functions were not tested one by one: colours show what differs by half a per cent of it or more.'

# One profile alone: no base, no colours of a verdict
sed 's/"total": {"base":[0-9.]*/"total": {"base":0/; s/"sides":"both","base":[0-9.]*/"sides":"head","base":0/' "$goldens/kinds.json" >"$work/alone.json"
drive "$work/alone.json" "" '[["bytes", "choose", "What the graph counts", "memory allocated"]]'
saw "one profile alone has the switcher too" 'bytes title Memory allocated' 'bytes says Memory allocated: 78.3 MiB.' \
	'bytes legend One colour for each module; width is memory.' 'bytes row hash_string | src/table.c:17 | logstat | 25.1 MiB | 25.1 MiB'

# A type that only one side has anything of is compared all the same; a report that does not say so is of one side
one_sided() { # SIDE SIDES
	python3 - "$goldens/kinds.json" "$1" "$2" <<'PY'
import json, sys
path, side, sides = sys.argv[1:]
report = json.load(open(path))
profile = report["benchmarks"][0]["profiles"][0]
profile[side] = 0
if sides:
    profile["sides"] = sides
else:
    del profile["sides"]
for columns in (profile["functions"], profile["nodes"]):
    for kind in ("self_", "total_"):
        columns[kind + side] = [0] * columns["count"]
for label in profile["labels"]:
    label["costs"][side] = [0] * label["costs"]["count"]
json.dump(report, sys.stdout)
PY
}
choose_bytes='[["bytes", "choose", "What the graph counts", "memory allocated"], ["base", "press", "b"]]'
if command -v python3 >/dev/null; then
	one_sided base both >"$work/new.json"
	drive "$work/new.json" "" "$choose_bytes"
	saw "what base has nothing of is new, not alone" 'bytes title Memory allocated: both versions in one flame graph' \
		'bytes says Memory allocated: 0 B → 78.3 MiB, in head only; not decided. Its functions were not tested one by one: colours show what differs by half a per cent of it or more.' \
		'bytes row hash_string | src/table.c:17 | 0 B | 25.1 MiB | +64.1 % | 0 B | 25.1 MiB | +64.1 % |'
	one_sided head both >"$work/gone.json"
	drive "$work/gone.json" "" "$choose_bytes"
	saw "what head has nothing of is gone" 'bytes hover everything: base head change, of all self 0 B 0 B 0.0 % total 61.2 MiB 0 B -100 %' \
		'bytes title Memory allocated: both versions in one flame graph' \
		'bytes says Memory allocated: 61.2 MiB → 0 B, -100 %; not decided. Its functions were not tested one by one: colours show what differs by half a per cent of it or more.'
	one_sided base "" >"$work/old.json"
	drive "$work/old.json" "" "$choose_bytes"
	saw "an earlier report's base of 0 is no base" 'bytes title Memory allocated' 'bytes says Memory allocated: 78.3 MiB.'
	one_sided base other >"$work/bad.json"
	is_refused() { ! "$flamegate" report --from "$work/bad.json" --format html >"$work/page.html" 2>"$work/out"; }
	check "sides of no meaning are refused" is_refused
else
	skip "no python3"
fi

# The filter by label: of the benchmark's own costs, of another type's, and of what has none
drive "$goldens/kinds.json" "" '[["parse", "choose", "Only samples with this label", "region: parse"],
	["bytes", "choose", "What the graph counts", "memory allocated"], ["thread", "choose", "Only samples with this label", "thread: b"],
	["none", "choose", "What the graph counts", "instructions"], ["again", "choose", "What the graph counts", "CPU time"],
	["all", "choose", "Only samples with this label", "all labels"]]'
check "the browser complains of no filter" no_complaint
saw "all values of all labels can be chosen" \
	'choices Only samples with this label: all labels | region: parse | region: (none) | thread: a | thread: b | thread: (none)'
saw "costs and widths are those of the value alone" 'parse hover everything: base head change, of all self 0 s 0 s 0.0 % total 360 ms 360 ms 0.0 %' \
	'parse row parse_record | src/parse.c:203 | 120 ms | 119 ms | -0.3 % | 360 ms | 360 ms | 0.0 % |' 'parse hash #b=0&l=region%3Dparse'
saw "it is said what part that is, and that nothing was decided of it" \
	'parse says Only region = parse: 360 ms (35.9 % of base) → 360 ms (35.9 % of head). Nothing was decided of this part alone: colours show what differs by half a per cent of it or more.' \
	'parse legend ▲ more time | ▼ less time | changed by less than 0.5 % | fill: head | ┃ tick: base | + bar at the left: only in head | − hatched: only in base'
saw "another type keeps the filter" 'bytes shows region: parse' 'bytes hover everything: base head change, of all self 0 B 0 B 0.0 % total 22.0 MiB 22.0 MiB 0.0 %' \
	'bytes hash #b=0&t=alloc_bytes&l=region%3Dparse' 'thread hover everything: base head change, of all self 0 B 0 B 0.0 % total 11.0 MiB 11.0 MiB 0.0 %'
saw "what has no labels is shown whole" 'none shows all labels' 'none hover everything: base head change, of all self 0 0 0.0 % total 3.01 G 3.01 G 0.0 %'
saw "and the filter is there again where it can be" 'again hover everything: base head change, of all self 0 s 0 s 0.0 % total 180 ms 180 ms 0.0 %' \
	'all hover everything: base head change, of all self 0 s 0 s 0.0 % total 1.00 s 1.00 s +0.1 %' 'all hash #b=0'

# A culprit is one of the benchmark's own costs
python3 - "$goldens/fail.json" "$goldens/kinds.json" >"$work/culprit.json" <<'PY' || skip "no python3"
import json, sys
fail, kinds = (json.load(open(name)) for name in sys.argv[1:])
profile = kinds["benchmarks"][0]["profiles"][0]
strings = fail["benchmarks"][0]["strings"]
for name in ("name", "module", "file"):
    column = profile["functions"][name]
    for i, place in enumerate(column):
        text = kinds["benchmarks"][0]["strings"][place]
        if text not in strings:
            strings.append(text)
        column[i] = strings.index(text)
fail["benchmarks"][0]["profiles"] = [profile]
json.dump(fail, sys.stdout)
PY
drive "$work/culprit.json" "" '[["bytes", "choose", "What the graph counts", "memory allocated"], ["card", "card"]]'
saw "a culprit's card leads to its box in the benchmark's own costs" 'bytes shows memory allocated' 'card shows CPU time' \
	'card status parse_field, total 151 ms, +5.1 % of all, self: more time, total: more time, changed by the diff'

# Where what is counted decided, the graph opens with that; the address may ask for the benchmark's own costs
drive "$goldens/counted.json" "" '[["next", "press", "p"], ["own", "choose", "What the graph counts", "CPU time"], ["back", "back"]]'
check "the browser complains of no tree" no_complaint
saw "what decided is what the graph opens with" 'first title Memory allocated: both versions in one flame graph' 'first shows memory allocated' \
	'first row hash_string | src/table.c:17 | 7.93 MiB | 25.1 MiB | +28.1 % | 7.93 MiB | 25.1 MiB | +28.1 % |' \
	'first says Memory allocated: 61.2 MiB → 78.3 MiB, +28.1 %; in all grew (exact), which decided. Its functions were not tested one by one: colours show what differs by half a per cent of it or more.'
saw "the keys and the choice go on from there, and the address says so" 'next shows instructions' 'next hash #b=0&t=instructions' \
	'own shows CPU time' 'own hash #b=0&t=cpu' 'back shows instructions'
drive "$goldens/counted.json" "#b=0&t=cpu&n=main;table_add" '[]'
saw "an address is the benchmark's own costs where it says so" 'first shows CPU time' 'first title Both versions in one flame graph' \
	'first status table_add, total 339 ms, -0.1 % of all'
python3 - "$work/culprit.json" "$goldens/counted.json" >"$work/both.json" <<'PY' || skip "no python3"
import json, sys
fail, counted = (json.load(open(name)) for name in sys.argv[1:])
metrics = counted["benchmarks"][0]["metrics"]
metrics[0].update(gate="warn", state="grew", decides=True)
fail["benchmarks"][0]["metrics"] = metrics
json.dump(fail, sys.stdout)
PY
drive "$work/both.json" "" '[["card", "card"]]'
saw "a culprit's card leads to its box from there too" 'first shows memory allocated' 'card shows CPU time' \
	'card status parse_field, total 151 ms, +5.1 % of all, self: more time, total: more time, changed by the diff'
link=$("$flamegate" report --from "$work/both.json" --format markdown --report-url https://x.example/r.html | grep -om1 '#b=0&t=cpu&n=[^)]*')
drive "$work/both.json" "$link" '[]'
saw "and so does Markdown's link to it" 'first shows CPU time' \
	'first status parse_field, total 151 ms, +5.1 % of all, self: more time, total: more time, changed by the diff'

# Hostile types
attack='</script><img src=x onerror=alert(1)>'
sed -e "s#\"profile_type\":\"alloc_bytes\",\"unit\":\"bytes\"#\"profile_type\":\"$attack\",\"unit\":\"$attack\"#" \
	-e 's#"profile_type":"instructions"#"profile_type":"__proto__"#' "$goldens/kinds.json" >"$work/hostile.json"
drive "$work/hostile.json" "" '[["one", "press", "p"], ["two", "press", "p"]]'
saw "a hostile type is text" "one shows $attack" "one title $attack: both versions in one flame graph" 'two shows __proto__'
is_harmless() { ! grep -q '<img' "$work/dom" && ! grep -q data-alerted "$work/dom" && no_complaint; }
check "and nothing of it ran" is_harmless

finish
