#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Large reports: how long rendering takes, with how much memory; how soon a headless Chromium shows them and redraws
# a zoom; beside d3-flame-graph and inferno on the same tree. Markdown for tests/bench/RESULTS.md.
#
#   run.sh BENCH_REPORT FOLDER
#
# A comparison of a million nodes is pruned as a user's would be. The page of 100,000 nodes is one that cannot be
# pruned: every leaf is significant. What cannot be fetched has no row.
set -eu
bench=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"

value() { awk -v name="$2" '$1 == name { print $2; exit }' "$1"; }
row() { # WHAT PAGE KIND
	node "$here/measure.js" "$browser" "$3" "$2" >"$folder/measured" || { echo "| $1 | failed | | | |"; return; }
	echo "| $1 | $(value "$folder/measured" open_ms) | $(value "$folder/measured" script_ms) | $(value "$folder/measured" redraw_ms) |" \
		"$(($(stat -c %s "$2") / 100)) |"
}
# d3-flame-graph's page for a tree, with everything in it as ours has
d3_page() {
	echo '<!doctype html><meta charset="utf-8"><style>'
	cat "$peers/node_modules/d3-flame-graph/dist/d3-flamegraph.css"
	echo '</style><div id="chart"></div><script>'
	cat "$peers/node_modules/d3/dist/d3.min.js"
	echo '</script><script>'
	cat "$peers/node_modules/d3-flame-graph/dist/d3-flamegraph.umd.min.js"
	echo '</script><script type="application/json" id="data">'
	cat "$1"
	echo '</script><script>const chart = flamegraph.default().width(1200).inverted(true).minFrameSize(0.5)'
	echo '.transitionDuration(0).setColorMapper(flamegraph.colorMapper.differentialColorMapper);'
	echo 'd3.select("#chart").datum(JSON.parse(document.getElementById("data").textContent)).call(chart);</script>'
}

echo "$(date -u +%F), $(nproc) CPUs, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), Linux $(uname -r)"
echo
echo "| comparison | shown | significant: shown | all outputs, s | memory beyond the comparison, MB | report.json, bytes per 1,000 nodes | report.html |"
echo "|--:|--:|--:|--:|--:|--:|--:|"
for size in "1000000 5000" "100000 1"; do
	read -r nodes notable <<<"$size"
	"$bench" "$nodes" "$notable" "$folder/$nodes" >"$folder/rendered" || { echo "bench_report failed" >&2; exit 1; }
	bytes() { awk -v name="$1" '$1 == "bytes_per_1000_nodes" && $2 == name { print $3 }' "$folder/rendered"; }
	echo "| $nodes | $(value "$folder/rendered" shown) | $(value "$folder/rendered" significant): $(value "$folder/rendered" significant_shown) |" \
		"$(value "$folder/rendered" render_seconds) | $(value "$folder/rendered" render_mb) | $(bytes report.json) | $(bytes report.html) |"
done
echo

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || { echo "no chromium: no pages"; exit 0; }
modules=$(sh "$here/../../browser/playwright.sh") || { echo "no playwright-core: no pages"; exit 0; }
export NODE_PATH=$modules/node_modules
peers=$(sh "$here/peers.sh") || peers=
echo "| the tree of 100,000 nodes in | opens, ms | a zoom: its script, ms | all of the main thread with two frames, ms | bytes per 1,000 nodes |"
echo "|---|--:|--:|--:|--:|"
row flamegate "$folder/100000/report.html" flamegate
if [ -n "$peers" ]; then
	d3_page "$folder/100000/d3.json" >"$folder/d3.html"
	row d3-flame-graph "$folder/d3.html" d3
	start=$(date +%s.%N)
	"$peers/bin/inferno-diff-folded" "$folder/100000/base.folded" "$folder/100000/head.folded" |
		"$peers/bin/inferno-flamegraph" >"$folder/inferno.svg"
	took=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }')
	row "inferno's diff (SVG, made in $took s)" "$folder/inferno.svg" svg
fi
