#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a reader of testdata/report/json/*.json sees in a real browser: units, costs below zero, stored baselines,
# recordings, the working tree; and that nothing in them runs, loads or complains.
# shellcheck source=tests/browser/lib.sh
. "$(dirname "$0")/lib.sh"
goldens=$here/../../testdata/report/json
attack='</script><img src=x onerror=alert(1)>'
shown='&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;'

# render NAME [FILE]: the page of a golden, or of a report made from one
render() { "$flamegate" report --from "${2:-$goldens/$1.json}" --format html >"$work/$1.html"; }
# look NAME: what is there to be seen, a line each, in $work/seen; see look.js for their forms
look() {
	open_driven "$work/$1.html" cases/look.js
	sed -n '/<pre>$/,/^<\/pre>/p' "$work/dom" >"$work/seen"
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
	if grep -q '^scripts 4$' "$work/seen" && ! grep -qE -- "$2" "$work/seen"; then ok "$1"; else not_ok "$1"; fi
}
no_complaint() { ! grep CONSOLE "$work/log"; }
# quiet NAME NODES: with its policy the page draws all of its tree, and the browser complains of nothing
is_quiet() { grep -q "<html[^>]* data-ready=\"$1\"" "$work/dom" && no_complaint; }
quiet() {
	open_page "$work/$1.html"
	check "$1: drawn, and no complaint" is_quiet "$2"
}
harmless() { # NAME, after look
	saw "$1: no request, no foreign element, no script but the viewer's two and the test's two" \
		'requests 0' 'foreign elements 0' 'scripts 4'
	saw_nothing_like "$1: nothing of it ran" '^alert$'
	check "$1: no complaint when it is used" no_complaint
}

for name in bytes reference_fail reference_screen exact_fail worktree; do
	render $name
	quiet $name 13
done
render record
quiet record 0 # it opens with the benchmark that failed

# Two heap profiles, with costs below zero
look bytes
harmless bytes
saw 'bytes: the table has units' \
	'row hash_string | src/table.c:17 | 12.5 MiB | 29.8 MiB | +26.8 % | 12.5 MiB | 29.8 MiB | +26.8 % |' \
	'row main | src/main.c:41 | 197 KiB | 197 KiB | 0.0 % | 64.5 MiB | 57.8 MiB | -10.4 % |' \
	'row scan_number | src/parse.c:81 | 0 B | 0 B | 0.0 % | 0 B | 0 B | 0.0 % |'
saw 'bytes: the table has costs below zero' \
	'row inflate_fast | | -11.5 MiB | -25.0 MiB | -20.8 % | -11.5 MiB | -25.0 MiB | -20.8 % |' \
	'row print_table | src/print.c:55 | 3.84 MiB | -6.72 MiB | -16.4 % | 3.84 MiB | -6.72 MiB | -16.4 % |'
saw 'bytes: what was not decided has no column of intervals' \
	'row function | where | self base | self head | self change, of all | total base | total head | total change, of all | state'
saw 'bytes: tooltips have units' \
	'hover table_add: base head change, of all; self 14.4 MiB 14.4 MiB 0.0 %; total 32.6 MiB 49.9 MiB +26.8 %; src/table.c:64 · logstat'
saw 'bytes: a box below zero can be hovered and clicked' \
	'hover inflate_fast: base head change, of all; self -11.5 MiB -25.0 MiB -20.8 %; total -11.5 MiB -25.0 MiB -20.8 %; libc.so.6' \
	'hover print_table: base head change, of all; self 3.84 MiB -6.72 MiB -16.4 %; total 3.84 MiB -6.72 MiB -16.4 %; src/print.c:55 · logstat' \
	'click inflate_fast, total -25.0 MiB, -20.8 % of all'
saw 'bytes: a box below zero is marked and blue' 'label ▼ [−] inflate_fast in #ffffff' 'box inflate_fast: blue'
saw_nothing_like 'bytes: no other box is marked' '^label .*\[−\] [^i]'
saw 'bytes: colours say more, less and about the same' 'box hash_string: vermilion' 'box read_records: blue' \
	'box parse_field: grey'
saw 'bytes: a name is readable on both sides of the edge of its fill' 'label ▼ read_records in #ffffff' \
	'label ▼ read_records in #1c2127'
saw 'bytes: the legend says memory, and what below zero means' \
	'legend ▲ more memory | ▼ less memory | changed by less than 0.5 % | fill: head | ┃ tick: base | + bar at the left: only in head | − hatched: only in base | [−] below zero, as wide as its size'

# One heap profile
sed 's/"total": {"base":[0-9.]*/"total": {"base":0/' "$goldens/bytes.json" >"$work/heap.json"
render heap "$work/heap.json"
quiet heap 13
look heap
harmless heap
saw 'heap: the legend says what below zero means' \
	'legend One colour for each module; width is memory. | ▼ below zero, as wide as its size'
saw 'heap: a box below zero is marked, blue and can be hovered' 'label ▼ inflate_fast in #000000' \
	'box inflate_fast: blue' 'hover inflate_fast: cost share of all; self -25.0 MiB -43.2 %; total -25.0 MiB -43.2 %; libc.so.6'
saw 'heap: no other box is blue' 'box hash_string: another colour' 'box malloc: another colour'
saw 'heap: the table has costs below zero' 'row inflate_fast | | libc.so.6 | -25.0 MiB | -25.0 MiB'

# Stored baselines
look reference_fail
harmless reference_fail
saw 'reference_fail: the stored baseline is there to be seen' 'badge FAIL' 'section Stored baseline: visible' \
	'says parse_field in src/parse.c:120: +6.1 % of the total (95 % interval +4.1 to +8.0 %)' \
	'says table_add in src/table.c:64: +1.5 % of the total (95 % interval +0.6 to +2.4 %)' 'says and 1 more'
saw 'reference_fail: the graph says what it compares' 'flame Head and the stored baseline (not scaled) in one flame graph'
saw 'reference_fail: what was lost on the way is said' \
	"says Stored baseline from git notes of origin: a node's cost per run is rounded to whole samples; lines are not kept"
saw_nothing_like 'reference_fail: nothing is said of costs below zero' '^(legend|label) .*(\[−\]|below zero)'

look reference_screen
harmless reference_screen
saw 'reference_screen: each stored baseline is there to be seen' 'badge WARN' 'section Stored baselines: visible' \
	'says parse_field in src/parse.c:120: +6.1 % of the total (95 % interval +4.1 to +8.0 %)' \
	'says instructions of 0c1d2e3f4051, the base itself, from git notes of origin: +0.12 % (8.12 G -&gt; 8.13 G, threshold 0.5 %).' \
	'says alloc_space of 0c1d2e3f4051, 3 commits before the base, from git notes of origin: cannot tell: the baseline was built with another compiler (gcc 12 instead of gcc 13).'
saw 'reference_screen: the graph is of what was measured' 'flame Both versions in one flame graph' \
	'row parse_record | src/parse.c:203 | 120 ms | 119 ms | -0.1 % | -0.7 to +0.5 % | 360 ms | 360 ms | 0.0 % |'

look exact_fail
harmless exact_fail
saw 'exact_fail: the counts that decided are there to be seen' 'badge FAIL' 'section Stored baseline: visible' \
	'says instructions of 0c1d2e3f4051, the base itself, from git notes of origin: +2.31 % (8.12 G -&gt; 8.31 G, threshold 0.5 %), above all in parse_field (src/parse.c:120): +2.09 %. This decided the status.' \
	'says scan_number in src/parse.c:81: +1.41 % of the total, as others went down'
saw_nothing_like 'exact_fail: the measured tree has no verdict colours' '^box .*: (vermilion|blue)$|^verdict colours [^0]'

# A recording
look record
harmless record
saw 'record: its table' 'section Recorded: visible' 'row benchmark | per run | spread | runs' \
	'row logstat | 1.00 s | 0.9 % | 15' 'row logstat --by-host | 214 ms | 0.9 % | 15'
saw_nothing_like 'record: what could not be measured is not in the table' '^row replay'
saw 'record: every benchmark has its tab' 'tab logstat: info' 'tab logstat --by-host: info' 'tab replay: error'
saw 'record: tooltips say the share' 'hover malloc: cost share of all; self 81.0 ms 8.1 %; total 81.0 ms 8.1 %; libc.so.6' \
	'hover inflate_fast: cost share of all; self 45.2 ms 21.1 %; total 45.2 ms 21.1 %; libc.so.6'
saw 'record: one colour for each module' 'box main: another colour' 'box malloc: another colour' \
	'legend One colour for each module; width is CPU time.' 'swatches 0'
saw_nothing_like 'record: no verdict, neither in words, marks nor colours' \
	'^badge (PASS|FAIL|WARN)|^box .*: (vermilion|blue)$|^verdict colours [^0]|^label [▲▼]|^tab .*: (pass|fail|warn)$'

# Uncommitted changes
look worktree
harmless worktree
saw 'worktree: head is the working tree' \
	'meta base main (1a2b3c4d5e6f) Aggregate by host · head working tree (9f8e7d6c5b4a with uncommitted changes) · policy from main:.flamegate.yml · 2024-05-01T12:00:00Z · flamegate 0.1.0'
saw 'worktree: the culprit is coloured, and nothing else' 'box parse_field: vermilion' 'box parse_record: grey' \
	'label ▲ parse_field in #000000' 'verdict colours 2'

# Names that others choose, in all that a stored baseline brings along
sed -e "s#\"unit\": \"seconds\"#\"unit\": \"$attack\"#" -e "s#\"name\":\"parse_field\"#\"name\":\"$attack\"#" \
	-e "s#\"\(store\|profile_type\|environment\|detail\|file\)\":\"[^\"]*\"#\"\1\":\"$attack\"#g" \
	-e "s#\"losses\":\[\"[^\"]*\"\]#\"losses\":[\"$attack\"]#" "$goldens/reference_fail.json" >"$work/hostile.json"
render hostile "$work/hostile.json"
quiet hostile 13
look hostile
harmless hostile
saw 'hostile: stored names stay text' "says Stored baseline from $shown: $shown" \
	"says $shown in $shown:120: +6.1 % of the total (95 % interval +4.1 to +8.0 %)"
saw 'hostile: a unit that is no word is not written into the legend' \
	'legend ▲ more | ▼ less | changed by less than 0.5 % | fill: head | ┃ tick: base | + bar at the left: only in head | − hatched: only in base' \
	'row parse_field | src/parse.c:120 | 0.10 | 0.16 | +6.1 % | 0.10 | 0.16 | +6.1 % |'

# The test itself would notice: an attack that stands in the page as markup (the browser lists requests to
# servers only; this one goes nowhere)
sed 's#<footer>#<img src=http://127.0.0.1:9/x onerror=alert(1)><footer>#' "$work/hostile.html" >"$work/planted.html"
look planted
saw 'planted: what runs, loads and stands in the page is noticed' 'alert' 'requests 1' 'foreign elements 1'

finish
