// SPDX-License-Identifier: Apache-2.0
// The marks on a box: tick, bar, stripes, frames. Those on a box are black or white, whichever stands out there.

const TICK = 8;

// At the box's foot, so that it does not cross the name.
function drawTick(context, x, y, height, ink) {
	context.fillStyle = ink;
	context.fillRect(Math.round(x) - 1, y + height - TICK, 2, TICK);
}

const TILES = new Map();

// Stripes for what is gone.
function hatch(context, color) {
	if (TILES.has(color)) return context.createPattern(TILES.get(color), "repeat");
	const tile = document.createElement("canvas"), on = tile.getContext("2d");
	tile.width = tile.height = 8;
	on.strokeStyle = color;
	on.lineWidth = 2;
	for (const shift of [-8, 0, 8]) {
		on.beginPath();
		on.moveTo(shift, 8);
		on.lineTo(shift + 8, 0);
		on.stroke();
	}
	TILES.set(color, tile);
	return context.createPattern(tile, "repeat");
}

// How far a box is filled, and where its tick is: up to the head's cost and the base's, each of the box's width.
function fillOf(view, tree, box, width) {
	const {side} = view.state, total = layoutOf(tree, side).width[box.node] || 1;
	if (isGone(tree, box.node)) return {head: 0, base: width};
	if (side !== "union") return {head: width, base: width};
	return {head: Math.min(1, Math.abs(tree.total_head[box.node]) / total) * width,
		base: Math.min(1, Math.abs(tree.total_base[box.node]) / total) * width};
}

function drawMarks(context, tree, box, y, {head, base}, color, colors) {
	const height = ROW - GAP, width = Math.max(box.w - GAP, 0.5);
	if (isGone(tree, box.node)) {
		context.fillStyle = hatch(context, rgb(color));
		context.fillRect(box.x, y, width, height);
	} else if (isNew(tree, box.node)) {
		context.fillStyle = textColor(color);
		context.fillRect(box.x, y, Math.min(3, width), height);
	} else if (Math.abs(head - base) >= 1.5) drawTick(context, box.x + base, y, height, base <= head ? textColor(color) : colors.ink);
}

// Stripes below a name would make it hard to read.
function plate(context, x, y, width, colors) {
	context.fillStyle = rgb(colors.page);
	context.fillRect(x, y, width, ROW - GAP - 4);
}

// A line in the page's colour within, so that the frame stands out on any box.
function outline(context, box, y, color, line, page) {
	const frame = (inset, width, style) => {
		context.strokeStyle = style;
		context.lineWidth = width;
		context.strokeRect(box.x + inset, y + inset, Math.max(box.w - GAP - 2 * inset, 1), ROW - GAP - 2 * inset);
	};
	if (box.w > 8) frame(line + 0.5, 1, rgb(page));
	frame(line / 2, line, color);
}
