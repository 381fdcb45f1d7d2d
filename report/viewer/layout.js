// SPDX-License-Identifier: Apache-2.0
// Union layout: a box is as wide as the larger side's self cost plus its children, so that both
// versions' trees fit into one picture and no child sticks out of its parent. A cost below zero (what a
// delta of heap profiles freed) is as wide as its absolute value, and marked as a decrease.

function layoutTree(nodes) {
	const width = new Float64Array(nodes.count), left = new Float64Array(nodes.count);
	const cursor = new Float64Array(nodes.count);
	for (let i = nodes.count - 1; i >= 0; i--) {
		width[i] += Math.max(Math.abs(nodes.self_base[i]), Math.abs(nodes.self_head[i]));
		if (i > 0) width[nodes.parent[i]] += width[i];
	}
	for (let i = 1; i < nodes.count; i++) {
		const parent = nodes.parent[i];
		left[i] = left[parent] + cursor[parent];
		cursor[parent] += width[i];
	}
	return {width, left};
}

// The boxes to draw for a zoom: the way to the focus at full width, and what lies below it down to half
// a pixel. Returns rows[depth] = [{node, x, w}] from left to right.
function visibleBoxes(nodes, layout, focus, pixels) {
	const rows = [], scale = layout.width[focus] > 0 ? pixels / layout.width[focus] : 0;
	for (let node = focus; ; node = nodes.parent[node]) {
		rows[nodes.depth[node]] = [{node, x: 0, w: pixels}];
		if (node === 0) break;
	}
	const stack = [focus];
	while (stack.length) {
		const parent = stack.pop(), pending = [];
		for (let node = nodes.first[parent]; node >= 0; node = nodes.next[node]) {
			const w = layout.width[node] * scale;
			if (w < 0.5) continue;
			const depth = nodes.depth[node];
			(rows[depth] = rows[depth] || []).push({node, x: (layout.left[node] - layout.left[focus]) * scale, w});
			pending.push(node);
		}
		while (pending.length) stack.push(pending.pop());
	}
	return rows;
}

function boxAt(rows, depth, x) {
	for (const box of rows[depth] || []) {
		if (x >= box.x && x < box.x + Math.max(box.w, 1)) return box.node;
	}
	return -1;
}
