// SPDX-License-Identifier: Apache-2.0
// report.json as the viewer uses it. Names are hostile: they are made one line here and only ever reach
// the page as textContent or canvas text.

const STATE = {UNCHANGED: 0, FLAGGED: 1, CONFIRMED: 2, SHIFTED: 3, CONTRADICTED: 4, UNCHANGED_CODE: 5,
	IMPROVED: 6, INELIGIBLE: 7};
const STATE_NAMES = ["unchanged", "flagged", "confirmed", "shifted", "contradicted", "unchanged_code", "improved", "ineligible"];
const STATE_WORDS = ["", "not confirmed", "more time", "offset", "contradicted", "same code", "less time",
	"too few samples"];
const COUNT_WORDS = STATE_WORDS.map((word) => ({"more time": "more", "less time": "less"})[word] || word);
const MATCH = {SAME: 0, MOVED: 1, NEW: 2, VANISHED: 3};
const MATCH_WORDS = ["", "moved", "new", "gone", "renamed", "other instance", "", ""];
const MAX_NAME = 2000;

// Controls and what changes the direction of text would let a name pretend to be another.
function cleanText(text) {
	const cut = text.length > MAX_NAME ? text.slice(0, MAX_NAME) + "…" : text;
	return cut.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u061c\u2028-\u202e\u2066-\u2069]/g, " ");
}

function isNotable(state) {
	return state !== STATE.UNCHANGED && state !== STATE.INELIGIBLE;
}

// What is not confirmed, or explained away, is no reason for an alarm colour.
function isColored(state) {
	return isNotable(state) && state !== STATE.FLAGGED && state !== STATE.UNCHANGED_CODE && state !== STATE.CONTRADICTED;
}

function makeFunctions(raw, strings) {
	const columns = Object.assign({}, raw);
	delete columns.total_change; // not known of all functions, see totalChanges()
	columns.name = raw.name.map((i) => strings[i] || "(no name)");
	columns.module = raw.module.map((i) => strings[i]);
	columns.place = raw.file.map((i, f) => strings[i] + (strings[i] && raw.line[f] ? ":" + raw.line[f] : ""));
	const numbers = new Map(Array.from(new Set(columns.module)).sort().map((module, i) => [module, i]));
	columns.moduleNumber = columns.module.map((module) => numbers.get(module));
	return columns;
}

// Reports of before there were sides mean by a base of 0 that there is none.
const isCompared = (sides, base) => (sides === "both" || sides === "head" ? sides === "both" : base !== 0);

// One side may cost nothing and still be there: where sides (of a profile type: compared) say so.
const isBaseThere = ({compared, sides, total}) => (compared !== undefined ? compared : isCompared(sides, total.base));

// What changes are shares of: base, or where that costs nothing the mean, as undecided_whole() of the gate.
const wholeOf = (base, head) => (base > 0 ? base : Math.abs(base + head) / 2);

function makeBenchmark(raw) {
	const hasBase = isBaseThere(raw);
	const strings = raw.strings.map(cleanText);
	const functions = makeFunctions(raw.functions, strings);
	functions.words = raw.outcome !== "measured" ? [] : raw.unit === "seconds" ? STATE_WORDS : COUNT_WORDS;
	const benchmark = {raw, functions, name: cleanText(raw.name), unit: raw.unit, hasBase,
		baseIsReference: hasBase && (raw.outcome === "screened" || raw.outcome === "base_failed"),
		decided: raw.outcome === "measured", anyNegative: raw.nodes.total_head.some((total) => total < 0)};
	benchmark.nodes = makeTree(benchmark, raw.nodes);
	return benchmark;
}

function makeModel(text) {
	const raw = JSON.parse(text);
	return {raw, benchmarks: raw.benchmarks.map(makeBenchmark)};
}
