// SPDX-License-Identifier: Apache-2.0
// report.json as the viewer uses it. Names are hostile: they are made one line here and only ever reach
// the page as textContent or canvas text.

const STATE = {UNCHANGED: 0, FLAGGED: 1, CONFIRMED: 2, SHIFTED: 3, VETOED: 4, EXONERATED: 5,
	IMPROVED: 6, INELIGIBLE: 7};
const STATE_WORDS = ["", "not confirmed", "slower", "cost moved", "vetoed", "same code", "faster",
	"too few samples"];
const COUNT_WORDS = STATE_WORDS.map((word) => ({slower: "more", faster: "less"})[word] || word);
const MATCH = {SAME: 0, MOVED: 1, NEW: 2, VANISHED: 3};
const MATCH_WORDS = ["", "moved", "new", "gone", "renamed", "other instance"];
const MAX_NAME = 2000;

// Controls and what changes the direction of text would let a name pretend to be another.
function cleanText(text) {
	const cut = text.length > MAX_NAME ? text.slice(0, MAX_NAME) + "…" : text;
	return cut.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u061c\u2028-\u202e\u2066-\u2069]/g, " ");
}

function isNotable(state) {
	return state !== STATE.UNCHANGED && state !== STATE.INELIGIBLE;
}

// What is not confirmed, or explained by code that did not change, is no reason for an alarm colour.
function isColored(state) {
	return isNotable(state) && state !== STATE.FLAGGED && state !== STATE.EXONERATED;
}

function makeFunctions(raw, strings) {
	const columns = Object.assign({}, raw);
	columns.name = raw.name.map((i) => strings[i] || "(no name)");
	columns.module = raw.module.map((i) => strings[i]);
	columns.place = raw.file.map((i, f) => strings[i] + (strings[i] && raw.line[f] ? ":" + raw.line[f] : ""));
	const modules = Array.from(new Set(columns.module)).sort();
	columns.moduleNumber = columns.module.map((module) => modules.indexOf(module));
	return columns;
}

// Children as linked lists in the file's order, which is by name: boxes keep their places.
function linkChildren(nodes) {
	nodes.first = new Int32Array(nodes.count).fill(-1);
	nodes.next = new Int32Array(nodes.count).fill(-1);
	nodes.depth = new Int32Array(nodes.count);
	nodes.height = 0;
	for (let i = nodes.count - 1; i > 0; i--) {
		nodes.next[i] = nodes.first[nodes.parent[i]];
		nodes.first[nodes.parent[i]] = i;
	}
	for (let i = 1; i < nodes.count; i++) {
		nodes.depth[i] = nodes.depth[nodes.parent[i]] + 1;
		nodes.height = Math.max(nodes.height, nodes.depth[i]);
	}
}

function makeBenchmark(raw) {
	const strings = raw.strings.map(cleanText);
	const functions = makeFunctions(raw.functions, strings);
	const nodes = Object.assign({}, raw.nodes);
	linkChildren(nodes);
	functions.words = raw.unit === "seconds" ? STATE_WORDS : COUNT_WORDS;
	return {raw, functions, nodes, name: cleanText(raw.name), unit: raw.unit, hasBase: raw.total.base !== 0,
		isStored: raw.total.base !== 0 && (raw.outcome === "screened" || raw.outcome === "base_failed"),
		decided: raw.outcome === "measured", anyNegative: nodes.total_head.some((total) => total < 0)};
}

function makeModel(text) {
	const raw = JSON.parse(text);
	return {raw, benchmarks: raw.benchmarks.map(makeBenchmark)};
}

function nodeName(benchmark, node) {
	if (node === 0) return "everything";
	const f = benchmark.nodes.function[node];
	return f < 0 ? "(other)" : benchmark.functions.name[f];
}

// Which way a node's cost went, if that is worth a colour: 1 more, -1 less, 0 grey.
function nodeDirection(benchmark, node) {
	const nodes = benchmark.nodes;
	if (!benchmark.hasBase) return 0;
	const own = isColored(nodes.self_state[node]), all = isColored(nodes.state[node]);
	if (!benchmark.decided) return Math.abs(nodes.total_change[node]) < 0.005 ? 0 : Math.sign(nodes.total_change[node]);
	if (!own && !all) return 0;
	return Math.sign(all ? nodes.total_change[node] : nodes.self_change[node]);
}
