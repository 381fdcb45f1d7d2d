// SPDX-License-Identifier: Apache-2.0
// A call tree in the formats of other tools: folded stacks (flamegraph.pl, inferno, difffolded.pl's two columns) and
// speedscope's JSON. They know no cost below zero: such a one is left out.

// Whole numbers are what these tools read: times become microseconds.
function wholeCost(cost, unit) {
	return Math.max(0, Math.round(unit === "seconds" ? cost * 1e6 : cost));
}

// A semicolon ends a frame, and a line a stack.
const foldedName = (tree, node) => nodeName(tree, node).replace(/[;\r\n]/g, ":");

// Each stack once, with its own cost on both sides; without the root, which is no function.
function foldedStacks(tree) {
	const stacks = new Map(), paths = new Array(tree.count).fill("");
	for (let i = 0; i < tree.count; i++) {
		const above = i > 0 && tree.parent[i] > 0 ? paths[tree.parent[i]] + ";" : "";
		paths[i] = above + foldedName(tree, i);
		const costs = stacks.get(paths[i]) || {base: 0, head: 0};
		costs.base += tree.self_base[i];
		costs.head += tree.self_head[i];
		stacks.set(paths[i], costs);
	}
	return stacks;
}

// One line a stack: its cost on each of the sides, ["head"] or ["base", "head"]; none where all are zero.
function foldedText(tree, sides) {
	const lines = [];
	for (const [stack, costs] of foldedStacks(tree)) {
		const numbers = sides.map((side) => wholeCost(costs[side], tree.benchmark.unit));
		if (numbers.some((number) => number > 0)) lines.push(stack + " " + numbers.join(" ") + "\n");
	}
	return lines.sort().join("");
}

const SPEEDSCOPE_UNITS = {seconds: "seconds", bytes: "bytes"};

function speedscopeFrames(benchmark) {
	const t = benchmark.functions;
	const frames = t.name.map((name, f) => {
		const line = t.line[f], file = line ? t.place[f].slice(0, -String(line).length - 1) : t.place[f];
		return Object.assign({name}, file && {file}, file && line && {line});
	});
	return frames.concat({name: "(other)"});
}

// One side as calls that are entered and left: a node's own cost comes before that of its children.
function speedscopeEvents(tree, side) {
	const self = tree["self_" + side], total = new Float64Array(tree.count), events = [], other = tree.benchmark.functions.count;
	const frame = (node) => (tree.function[node] < 0 ? other : tree.function[node]);
	let at = 0;
	for (let i = tree.count - 1; i >= 0; i--) {
		total[i] += Math.max(0, self[i]);
		if (i > 0) total[tree.parent[i]] += total[i];
	}
	const enter = (node) => {
		if (node > 0) events.push({type: "O", frame: frame(node), at});
		at += Math.max(0, self[node]);
	};
	const next = (node) => {
		while (node >= 0 && !(total[node] > 0)) node = tree.next[node];
		return node;
	};
	enter(0);
	for (let node = next(tree.first[0]), parents = []; node >= 0;) {
		enter(node);
		parents.push(node);
		let following = next(tree.first[node]);
		while (following < 0 && parents.length) {
			const left = parents.pop();
			events.push({type: "C", frame: frame(left), at});
			following = next(tree.next[left]);
		}
		node = following;
	}
	return {events, end: at};
}

function speedscopeText(tree) {
	const {benchmark} = tree, sides = benchmark.hasBase ? ["base", "head"] : ["head"];
	const profiles = sides.map((side) => {
		const {events, end} = speedscopeEvents(tree, side);
		return {type: "evented", name: benchmark.name + (benchmark.hasBase ? ", " + side : ""),
			unit: SPEEDSCOPE_UNITS[benchmark.unit] || "none", startValue: 0, endValue: end, events};
	});
	return JSON.stringify({$schema: "https://www.speedscope.app/file-format-schema.json", exporter: "flamegate",
		name: benchmark.name, activeProfileIndex: profiles.length - 1, shared: {frames: speedscopeFrames(benchmark)}, profiles});
}
