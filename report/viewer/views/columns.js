// SPDX-License-Identifier: Apache-2.0
// What the table shows of a function: its own cost, and its total, in which recursion is counted once.

const showCost = (v, t, f, unit) => cost(v, unit);
const showInterval = (v, t, f) => interval(t.low[f], t.high[f]);

const showTotalInterval = (v, t, f) => interval(t.total_low[f], t.total_high[f]);

const COMPARED_COLUMNS = [
	{title: "function", kind: "name", get: (t, f) => t.name[f]},
	{title: "where", kind: "place", get: (t, f) => t.place[f]},
	{title: "self base", kind: "number", get: (t, f) => t.self_base[f], show: showCost},
	{title: "self head", kind: "number", get: (t, f) => t.self_head[f], show: showCost},
	{title: "self change, of all", kind: "number change", get: (t, f) => t.change[f], show: signedPercent},
	{title: "95 % interval", kind: "number", decided: true, get: (t, f) => t.low[f], show: showInterval},
	{title: "total base", kind: "number", get: (t, f) => t.total_base[f], show: showCost},
	{title: "total head", kind: "number", get: (t, f) => t.total_head[f], show: showCost},
	{title: "total change, of all", kind: "number", get: (t, f) => t.total_change[f], show: signedPercent},
	{title: "95 % interval of total", kind: "number", decided: true, needs: "total_low", get: (t, f) => t.total_low[f], show: showTotalInterval},
	{title: "state", kind: "state", get: (t, f) => [t.words[t.state[f]], MATCH_WORDS[t.match[f]]].filter(Boolean).join(", ")},
];
const SINGLE_COLUMNS = [
	{title: "function", kind: "name", get: (t, f) => t.name[f]},
	{title: "where", kind: "place", get: (t, f) => t.place[f]},
	{title: "module", kind: "place", get: (t, f) => t.module[f]},
	{title: "self", kind: "number", get: (t, f) => t.self_head[f], show: showCost},
	{title: "total", kind: "number", get: (t, f) => t.total_head[f], show: showCost},
];

function columnsOf(benchmark) {
	if (!benchmark.hasBase) return SINGLE_COLUMNS;
	return COMPARED_COLUMNS.filter((column) => (benchmark.decided || !column.decided) && (!column.needs || benchmark.functions[column.needs]));
}

// Calls enter(node) on the way down and leave(node) on the way up, for every node.
function walkTree(tree, enter, leave) {
	let node = 0;
	for (;;) {
		enter(node);
		if (tree.first[node] >= 0) {
			node = tree.first[node];
			continue;
		}
		while (node > 0 && tree.next[node] < 0) {
			leave(node);
			node = tree.parent[node];
		}
		if (node === 0) return;
		leave(node);
		node = tree.next[node];
	}
}

// The change of each function's total: as it was measured; else the sum over its outermost nodes; where part of it is in elided nodes, the
// plain difference as a share of what the benchmark's changes are shares of.
function totalChanges(benchmark) {
	const {nodes, functions} = benchmark, {count} = functions, open = new Int32Array(count);
	const change = new Float64Array(count), base = new Float64Array(count), head = new Float64Array(count);
	const whole = benchmark.raw.whole || wholeOf(nodes.total_base[0], nodes.total_head[0]) || 1;
	walkTree(nodes, (node) => {
		const f = nodes.function[node];
		if (f < 0 || open[f]++) return;
		change[f] += nodes.total_change[node];
		base[f] += nodes.total_base[node];
		head[f] += nodes.total_head[node];
	}, (node) => {
		if (nodes.function[node] >= 0) open[nodes.function[node]]--;
	});
	const measured = benchmark.raw.functions.total_change || [];
	return change.map((sum, f) => {
		if (Number.isFinite(measured[f])) return measured[f];
		const left = Math.abs(functions.total_base[f] - base[f]) + Math.abs(functions.total_head[f] - head[f]);
		return left <= 1e-5 * whole ? sum : (functions.total_head[f] - functions.total_base[f]) / whole;
	});
}

function compareValues(a, b) {
	if (typeof a === "string") return a < b ? -1 : a > b ? 1 : 0;
	return (a === null ? -Infinity : a) - (b === null ? -Infinity : b);
}

// As the text reports: notable ones first, then by size.
function defaultOrder(benchmark) {
	const t = benchmark.functions;
	const size = (f) => (benchmark.hasBase ? Math.abs(t.change[f]) : Math.abs(t.self_head[f]));
	// A function of another profile type may cost nothing here, nor what it calls.
	const costs = (f) => Boolean(t.total_base[f] || t.total_head[f]);
	return Array.from({length: t.count}, (_, f) => f).sort((a, b) =>
		isNotable(t.state[b]) - isNotable(t.state[a]) || size(b) - size(a) || costs(b) - costs(a) || a - b);
}
