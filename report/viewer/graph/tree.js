// SPDX-License-Identifier: Apache-2.0
// A tree is columns, one value a node, with a parent before its children: parent, function, self_base, self_head,
// total_base, total_head, self_change, total_change, self_state, state (as in report.json) and what is linked here:
// first (child), next (sibling), depth; benchmark is whose functions they are. merged (absent in the call tree):
// of how many call-tree nodes a node is made.

// Children as linked lists in the order of the nodes, which is by name: boxes keep their places.
function makeTree(benchmark, columns) {
	const tree = Object.assign({benchmark}, columns), {count, parent} = tree;
	tree.first = new Int32Array(count).fill(-1);
	tree.next = new Int32Array(count).fill(-1);
	tree.depth = new Int32Array(count);
	for (let i = count - 1; i > 0; i--) {
		tree.next[i] = tree.first[parent[i]];
		tree.first[parent[i]] = i;
	}
	for (let i = 1; i < count; i++) tree.depth[i] = tree.depth[parent[i]] + 1;
	return tree;
}

function isOther(tree, node) {
	return tree.function[node] < 0 && node > 0;
}

function nodeName(tree, node) {
	const f = tree.function[node];
	return f >= 0 ? tree.benchmark.functions.name[f] : node === 0 ? "everything" : "(other)";
}

const isNew = (tree, node) => node > 0 && tree.total_base[node] === 0 && tree.total_head[node] > 0;
const isGone = (tree, node) => node > 0 && tree.total_head[node] === 0 && tree.total_base[node] > 0;

const isWhole = (tree, node) => node === 0 && !tree.merged;

// A call has its function's verdict of the own cost: it shows in the calls that went that way.
function selfDirection(tree, node) {
	const f = tree.function[node], change = tree.self_change[node];
	if (!isColored(tree.self_state[node]) || f < 0 || Math.abs(change) < 0.0005) return 0;
	return Math.sign(change) === Math.sign(tree.benchmark.functions.change[f]) ? Math.sign(change) : 0;
}

// Which way a node's cost went, if that is worth a colour: 1 more, -1 less, 0 grey.
function nodeDirection(tree, node) {
	const {hasBase, decided, raw} = tree.benchmark;
	if (!hasBase) return 0;
	if (!decided) return Math.abs(tree.total_change[node]) < 0.005 ? 0 : Math.sign(tree.total_change[node]);
	if (isWhole(tree, node)) return isColored(STATE_NAMES.indexOf(raw.total.state)) ? Math.sign(raw.total.change) : 0;
	return isColored(tree.state[node]) ? Math.sign(tree.total_change[node]) : selfDirection(tree, node);
}

// What the colour is of: the own cost where only that has a verdict.
function directedCosts(tree, node) {
	const kind = isWhole(tree, node) || isColored(tree.state[node]) || !isColored(tree.self_state[node]) ? "total" : "self";
	return [tree[kind + "_base"][node], tree[kind + "_head"][node]];
}

// What is to be said of a node's costs: a merged tree's root stands for the whole function, whose own cost in
// deeper calls of itself is in other nodes.
function nodeCosts(tree, node) {
	const t = tree.benchmark.functions, f = tree.function[node], costs = {};
	for (const name of ["self_base", "self_head", "self_change", "total_base", "total_head", "total_change"])
		costs[name] = tree[name][node];
	if (tree.merged && node === 0)
		Object.assign(costs, {self_base: t.self_base[f], self_head: t.self_head[f], self_change: t.change[f],
			total_base: t.total_base[f], total_head: t.total_head[f], total_change: t.total_change[f]});
	return costs;
}

// The nodes of a function that are not below another one of it: their totals count recursion once.
function outermostNodes(tree, f) {
	const inside = new Uint8Array(tree.count), found = [];
	for (let i = 1; i < tree.count; i++) {
		const is = tree.function[i] === f;
		if (is && !inside[tree.parent[i]]) found.push(i);
		inside[i] = is || inside[tree.parent[i]] ? 1 : 0;
	}
	return found;
}

function widestChild(tree, layout, node, isHidden) {
	let best = -1;
	for (let child = tree.first[node]; child >= 0; child = tree.next[child])
		if (layout.width[child] > 0 && !isHidden(tree, child) && (best < 0 || layout.width[child] > layout.width[best])) best = child;
	return best;
}
