// SPDX-License-Identifier: Apache-2.0
// Walking the graph by arrow keys: up and down as the picture has it, left and right in a row.

function showCurrent(view) {
	view.status.textContent = "";
	if (!view.current) return;
	const {tree, node} = view.current, costs = nodeCosts(tree, node), {benchmark} = tree;
	view.status.textContent = nodeName(tree, node) + ", total " + cost(costs.total_head, benchmark.unit) +
		(benchmark.hasBase ? ", " + signedPercent(costs.total_change) + " of all" : "") +
		stateText(tree, node).split(" · ").map((words) => words && ", " + words).join("");
}

// Where a node stands in the picture: the number of its row and of its box there.
function findBox(view, tree, node) {
	for (let r = 0; r < view.rows.length; r++) {
		if (view.rows[r].tree !== tree) continue;
		const at = view.rows[r].boxes.findIndex((box) => box.node === node);
		if (at >= 0) return {r, at};
	}
	return null;
}

function scrollToRow(view, r) {
	const {scroller} = view, top = r * ROW;
	if (top < scroller.scrollTop) scroller.scrollTop = top;
	if (top + ROW > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = top + ROW - scroller.clientHeight;
}

// Of a sandwich's function the callers are above and the callees below; elsewhere one tree has both.
function stepInto(view, tree, node) {
	const box = view.sandwich && node === 0 && tree.merged ? view.sandwich : null;
	return (up) => {
		const into = box ? (up ? box.callers : box.callees) : tree, next = widestChild(into, layoutOf(into, view.state.side), node, hiddenIn(view));
		return next < 0 ? null : {tree: into, node: next};
	};
}

function neighbour(view, key) {
	if (!view.current || !view.rows.some((row) => row.tree === view.current.tree)) return view.state.mode === "sandwich" ? {tree: view.sandwich.callees, node: 0} : {tree: view.tree, node: view.state.zoom};
	const {tree, node} = view.current, place = findBox(view, tree, node), into = stepInto(view, tree, node);
	if (key === "ArrowLeft" || key === "ArrowRight") {
		const box = place && view.rows[place.r].boxes[place.at + (key === "ArrowLeft" ? -1 : 1)];
		return box ? {tree, node: box.node} : null;
	}
	const up = key === "ArrowUp", row = view.rows[place ? place.r : 0];
	if (tree.merged && node === 0) return into(up);
	if (up === Boolean(row.up)) return into(up);
	const parent = tree.parent[node];
	return node === 0 ? null : {tree: tree.merged && parent === 0 ? view.sandwich.callees : tree, node: parent};
}

function scrollToNode(view, at) {
	const place = findBox(view, at.tree, at.node);
	if (place) scrollToRow(view, place.r);
}

function goTo(view, at) {
	view.current = at;
	scrollToNode(view, at);
	if (at.tree === view.tree) {
		update(view, {selected: at.node});
	} else {
		showCurrent(view);
		drawFlame(view);
	}
	tipAtCurrent(view);
}

function walkKey(view, key) {
	if (key.startsWith("Arrow")) {
		const at = neighbour(view, key);
		if (at) goTo(view, at);
		return true;
	}
	if (key === "Home") {
		update(view, {zoom: 0});
		return true;
	}
	if (key === "Enter" && view.current) {
		pick(view, view.current);
		return true;
	}
	return (key === "Escape" || key === "Backspace") && stepBack(view);
}

// Zooms to the caller of a node, so that it is seen among its like.
function revealNode(view, node) {
	const mode = view.state.mode === "sandwich" ? "icicle" : view.state.mode;
	update(view, {mode, zoom: node === 0 ? 0 : view.tree.parent[node], selected: node});
	goTo(view, {tree: view.tree, node});
	view.canvas.scrollIntoView({block: "nearest"});
	view.canvas.focus({preventScroll: true});
}

// A function's row of the table: its largest box, or the sandwich of it.
function revealFunction(view, f) {
	if (view.state.mode === "sandwich") update(view, {function: f});
	else if (largestNode(view.tree, f) >= 0) revealNode(view, largestNode(view.tree, f));
	view.canvas.scrollIntoView({block: "nearest"});
	view.canvas.focus({preventScroll: true});
}

// The node of a function that changed most, or cost most.
function largestNode(tree, f) {
	let best = -1;
	for (let i = 1; i < tree.count; i++) {
		if (tree.function[i] !== f) continue;
		if (best < 0 || Math.abs(tree.total_change[i]) > Math.abs(tree.total_change[best]) ||
			(tree.total_change[i] === tree.total_change[best] && tree.total_head[i] > tree.total_head[best])) best = i;
	}
	return best;
}

for (const [key, help] of [["← → ↑ ↓", "Walk the graph"], ["Enter", "Zoom, or put into the middle of the sandwich"],
	["Escape, Backspace", "Back"], ["Home", "Show everything"]]) addKey(key, help, null);
