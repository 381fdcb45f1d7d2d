// SPDX-License-Identifier: Apache-2.0
// Union layout: a box is as wide as the larger side's self cost plus its children, so that both
// versions' trees fit into one picture and no child sticks out of its parent. One side alone is laid out by its
// own cost. A cost below zero (what a delta of heap profiles freed) is as wide as its absolute value, and marked
// as a decrease. The root of the call tree is as wide as all that was measured: what no sample saw stays empty below it.

const SIDES = {
	union: (base, head) => Math.max(Math.abs(base), Math.abs(head)),
	head: (base, head) => Math.abs(head),
	base: (base) => Math.abs(base),
};

function layoutTree(tree, side) {
	const {count, parent} = tree, size = SIDES[side];
	const width = new Float64Array(count), left = new Float64Array(count), cursor = new Float64Array(count);
	for (let i = count - 1; i >= 0; i--) {
		width[i] += size(tree.self_base[i], tree.self_head[i]);
		if (i > 0) width[parent[i]] += width[i];
	}
	if (isWhole(tree, 0)) width[0] = Math.max(width[0], size(tree.total_base[0], tree.total_head[0]));
	for (let i = 1; i < count; i++) {
		left[i] = left[parent[i]] + cursor[parent[i]];
		cursor[parent[i]] += width[i];
	}
	return {width, left};
}

// Once for each tree and side.
function layoutOf(tree, side) {
	tree.layouts = tree.layouts || {};
	return (tree.layouts[side] = tree.layouts[side] || layoutTree(tree, side));
}

// The boxes to draw for a zoom: the way to the focus at full width, and what lies below it down to half
// a pixel. Returns rows[depth] = [{node, x, w}] from left to right.
function visibleBoxes(tree, layout, focus, pixels, isHidden) {
	const rows = [], scale = layout.width[focus] > 0 ? pixels / layout.width[focus] : 0;
	for (let node = focus; ; node = tree.parent[node]) {
		rows[tree.depth[node]] = [{node, x: 0, w: pixels}];
		if (node === 0) break;
	}
	const stack = [focus];
	while (stack.length) {
		const parent = stack.pop(), pending = [];
		for (let node = tree.first[parent]; node >= 0; node = tree.next[node]) {
			const w = layout.width[node] * scale;
			if (w < 0.5 || isHidden(tree, node)) continue;
			const depth = tree.depth[node];
			(rows[depth] = rows[depth] || []).push({node, x: (layout.left[node] - layout.left[focus]) * scale, w});
			pending.push(node);
		}
		while (pending.length) stack.push(pending.pop());
	}
	return rows;
}
