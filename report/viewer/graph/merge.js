// SPDX-License-Identifier: Apache-2.0
// The trees of a sandwich: what one function calls, and what calls it, merged over all its call paths. Both start
// at the function's outermost nodes, so that recursion is counted once; a function that calls itself stands among
// its own callees. Costs and changes add up. Significance does not: a merged node has that of the one node that it is
// made of, and of its own cost also that of its function if it is made of all nodes of it.

const MAX_STEPS = 2e6, MAX_PLACES = 50000;
const COST_COLUMNS = ["self_base", "self_head", "total_base", "total_head", "self_change", "total_change"];

function makeMerge(from) {
	const columns = {count: 0, parent: [], function: [], self_state: [], state: [], merged: []}, places = new Map();
	const width = from.benchmark.functions.count + 1;
	for (const name of COST_COLUMNS) columns[name] = [];
	const place = (parent, f) => {
		const key = (parent + 1) * width + f + 1, known = places.get(key);
		if (known !== undefined) return known;
		for (const name of COST_COLUMNS) columns[name].push(0);
		columns.parent.push(Math.max(parent, 0));
		columns.function.push(f);
		columns.merged.push(0);
		columns.state.push(STATE.UNCHANGED);
		columns.self_state.push(STATE.UNCHANGED);
		places.set(key, columns.count);
		return columns.count++;
	};
	// Adds the named costs of a node of the call tree to a place.
	const add = (at, node, names) => {
		for (const name of names) columns[name][at] += from[name][node];
		const isFirst = !columns.merged[at]++;
		for (const name of ["self_state", "state"]) columns[name][at] = isFirst ? from[name][node] : STATE.UNCHANGED;
	};
	return {columns, place, add};
}

// The function's verdict is of all its own cost: the root's, and that of what all of its nodes are merged into.
function giveWholeStates(from, columns) {
	const {functions} = from.benchmark, nodes = new Int32Array(functions.count);
	for (const f of from.function) if (f >= 0) nodes[f]++;
	columns.function.forEach((f, at) => {
		if (f >= 0 && (at === 0 || columns.merged[at] === nodes[f])) columns.self_state[at] = functions.state[f];
	});
}

function mergeCallees(from, f, starts) {
	const {columns, place, add} = makeMerge(from), root = place(-1, f);
	const stack = starts.map((node) => ({node, at: root})).reverse();
	while (stack.length) {
		const {node, at} = stack.pop(), pending = [];
		add(at, node, COST_COLUMNS);
		for (let child = from.first[node]; child >= 0; child = from.next[child])
			pending.push({node: child, at: place(at, from.function[child])});
		while (pending.length) stack.push(pending.pop());
	}
	giveWholeStates(from, columns);
	return makeTree(from.benchmark, columns);
}

// Where a whole walk might not be done, the costly ones come first; else the tree's order, which is by name.
function walkOrder(from, starts) {
	const weight = (node) => Math.abs(from.total_base[node]) + Math.abs(from.total_head[node]);
	if (starts.reduce((sum, start) => sum + from.depth[start], 0) <= MAX_PLACES) return starts;
	return starts.slice().sort((a, b) => weight(b) - weight(a) || a - b);
}

// A caller's cost here is what the function costs when called from there; what no caller above it explains is
// its own, so that the boxes' widths add up. Very many nodes in very deep paths would make a tree that no browser
// holds: once it is full, the callers of what is left are one "(other)", and columns.cut says of how many nodes.
function mergeCallers(from, f, starts) {
	const {columns, place, add} = makeMerge(from), root = place(-1, f);
	const total = ["total_base", "total_head", "total_change"];
	let steps = 0;
	const isFull = () => columns.count >= MAX_PLACES || steps >= MAX_STEPS;
	const step = (at, f, start) => {
		const next = place(at, f);
		steps++;
		add(next, start, total);
		return next;
	};
	columns.cut = 0;
	for (const start of walkOrder(from, starts)) {
		let at = root, node = from.parent[start];
		add(at, start, total);
		for (; node > 0 && !isFull(); node = from.parent[node]) at = step(at, from.function[node], start);
		if (node > 0) at = step(at, -1, start);
		columns.cut += node > 0 ? 1 : 0;
		for (const side of ["base", "head", "change"]) columns["self_" + side][at] += from["total_" + side][start];
	}
	giveWholeStates(from, columns);
	columns.self_state.fill(STATE.UNCHANGED, 1);
	columns.isCallers = true;
	return makeTree(from.benchmark, columns);
}

const isCaller = (tree, node) => Boolean(tree.isCallers) && node > 0;

// One sandwich is kept, with the tree that it was made of.
function sandwichOf(view) {
	const f = view.state.function, kept = view.sandwich;
	if (kept && kept.f === f && kept.from === view.tree) return kept;
	const starts = outermostNodes(view.tree, f);
	view.sandwich = {f, from: view.tree, callers: mergeCallers(view.tree, f, starts),
		callees: mergeCallees(view.tree, f, starts)};
	return view.sandwich;
}

addPanel((view) => {
	const said = element("p", "count");
	view.listeners.push(() => {
		const cut = view.state.mode === "sandwich" ? sandwichOf(view).callers.cut : 0;
		said.hidden = !cut;
		said.textContent = cut ? "The callers are cut: those of " + cut + " call paths, the least costly ones, are not told apart and stand as “(other)”." : "";
	});
	said.hidden = true;
	return said;
});
