// SPDX-License-Identifier: Apache-2.0
// A call tree in the formats of other tools: folded stacks (flamegraph.pl, inferno, difffolded.pl's two columns) and
// speedscope's JSON. They know no cost below zero: such a one is left out.

// Whole numbers are what these tools read: times become microseconds.
function wholeCost(cost, unit) {
	return Math.max(0, Math.round(unit === "seconds" ? cost * 1e6 : cost));
}

const MAX_FOLDED = 64 << 20, LEFT_OUT = "(left out)";

// A semicolon ends a frame, and a line a stack.
const foldedName = (tree, node) => nodeName(tree, node).replace(/[;\r\n]/g, ":");

// Each stack once, with its own cost on both sides, as {above, name, length, base, head}: above is the stack of its
// caller, null where that is the root, which is no function and has a stack of its own alone. Deep stacks are long,
// so they are not written out here.
function foldedStacks(tree) {
	const stacks = [], known = new Map(), places = new Int32Array(tree.count), names = new Map();
	for (let i = 0; i < tree.count; i++) {
		const name = foldedName(tree, i), above = i > 0 && tree.parent[i] > 0 ? places[tree.parent[i]] : -1;
		if (!names.has(name)) names.set(name, names.size);
		const key = (above + 1) * (tree.count + 1) + names.get(name);
		if (!known.has(key)) {
			const caller = above < 0 ? null : stacks[above];
			known.set(key, stacks.push({above: caller, name, length: (caller ? caller.length + 1 : 0) + name.length, base: 0, head: 0}) - 1);
		}
		places[i] = known.get(key);
		stacks[places[i]].base += tree.self_base[i];
		stacks[places[i]].head += tree.self_head[i];
	}
	return stacks;
}

function stackText(stack) {
	const names = [];
	for (let at = stack; at; at = at.above) names.push(at.name);
	return names.reverse().join(";");
}

// The costliest of the stacks that fit into so many characters, and the others.
function cutStacks(stacks, room) {
	const weight = ({base, head}) => Math.abs(base) + Math.abs(head);
	const byWeight = stacks.slice().sort((a, b) => weight(b) - weight(a));
	let all = 0, count = 0;
	while (count < byWeight.length && (all += byWeight[count].length) <= room) count++;
	return {kept: byWeight.slice(0, count), left: byWeight.slice(count)};
}

// One line a stack: its cost on each of the sides, ["head"] or ["base", "head"]; none where all are zero. What there is
// no room for is one stack of its own; left: how many they are.
function foldStacks(tree, sides, room = MAX_FOLDED) {
	const {kept, left} = cutStacks(foldedStacks(tree), room), lines = [];
	const add = (stack, costs) => {
		const numbers = sides.map((side) => wholeCost(costs[side], tree.benchmark.unit));
		if (numbers.some((number) => number > 0)) lines.push(stack() + " " + numbers.join(" ") + "\n");
	};
	for (const stack of kept) add(() => stackText(stack), stack);
	const sum = (side) => left.reduce((all, stack) => all + stack[side], 0);
	if (left.length) add(() => LEFT_OUT, {base: sum("base"), head: sum("head")});
	return {text: lines.sort().join(""), left: left.length, count: kept.length + left.length};
}

const foldedText = (tree, sides) => foldStacks(tree, sides).text;

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
