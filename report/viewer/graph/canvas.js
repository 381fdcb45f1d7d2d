// SPDX-License-Identifier: Apache-2.0
// Drawing. The canvas is as large as what can be seen and is redrawn when that scrolls, so that deep
// trees do not need a canvas larger than browsers allow.

const ROW = 21, GAP = 1, TEXT_ROOM = 26;
const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif";

function sizeCanvas(canvas, width, height) {
	const ratio = window.devicePixelRatio || 1;
	const w = Math.max(1, Math.round(width * ratio)), h = Math.max(1, Math.round(height * ratio));
	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
		canvas.style.width = width + "px";
		canvas.style.height = height + "px";
	}
	const context = canvas.getContext("2d");
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	return context;
}

// The longest prefix that fits, by bisection.
function fitText(context, text, room) {
	const short = text.length > 400 ? text.slice(0, 400) : text;
	if (short === text && context.measureText(text).width <= room) return text;
	let low = 0, high = short.length;
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (context.measureText(short.slice(0, middle) + "…").width <= room) low = middle;
		else high = middle - 1;
	}
	return low > 1 ? short.slice(0, low) + "…" : "";
}

// A mark in front of what fits of the name, or the mark alone: an ellipsis alone behind it would say nothing.
function fitLabel(context, mark, name, room) {
	const fit = fitText(context, name, room - context.measureText(mark).width), alone = mark.trim();
	return fit ? mark + fit : context.measureText(alone).width <= room ? alone : "";
}

// Each part of the text in the ink that stands out on what lies below it; they meet at the fill's edge.
function drawLabel(context, text, x, y, edge, inks) {
	const end = x + context.measureText(text).width;
	const piece = (from, to, ink) => {
		context.save();
		context.beginPath();
		context.rect(from, y - ROW / 2, to - from, ROW);
		context.clip();
		context.fillStyle = ink;
		context.fillText(text, x, y);
		context.restore();
	};
	if (edge > x) piece(x, edge, inks.fill);
	if (edge < end) piece(Math.max(x, edge), end + 1, inks.track);
}

function drawBox(context, view, tree, box, y, colors) {
	const width = Math.max(box.w - GAP, 0.5), height = ROW - GAP, fill = fillOf(view, tree, box, width), {head} = fill;
	const color = boxColor(tree, box.node, colors);
	context.globalAlpha = isDimmed(view, tree, box.node) ? 0.35 : 1;
	context.fillStyle = rgb(mix(colors.page, color, colors.track));
	context.fillRect(box.x, y, width, height);
	context.fillStyle = rgb(color);
	context.fillRect(box.x, y, head, height);
	if (tree.benchmark.hasBase) drawMarks(context, tree, box, y, fill, color, colors);
	if (box.w >= TEXT_ROOM) {
		const text = fitLabel(context, glyph(tree, box.node), nodeName(tree, box.node), width - 8);
		if (text && isGone(tree, box.node)) plate(context, box.x + 2, y + 2, context.measureText(text).width + 4, colors);
		drawLabel(context, text, box.x + 4, y + height / 2 + 0.5, box.x + head, {fill: textColor(color), track: colors.ink});
	}
	context.globalAlpha = 1;
}

function isDimmed(view, tree, node) {
	if (view.matches && !view.matches[tree.function[node]]) return true;
	return tree === view.tree && tree.depth[node] < tree.depth[view.state.zoom];
}

function drawRow(context, view, {tree, boxes}, y, colors) {
	const {current} = view;
	for (const box of boxes) {
		drawBox(context, view, tree, box, y, colors);
		if (view.matches && view.matches[tree.function[box.node]]) outline(context, box, y, colors.match, 2, colors.page);
		if (view.isCulprit(tree, box.node) && box.w > 3) outline(context, box, y, colors.focus, 1.5, colors.page);
		if (tree.merged && box.node === 0) outline(context, box, y, colors.focus, 1.5, colors.page);
		if (current && current.tree === tree && current.node === box.node) outline(context, box, y, colors.focus, 2.5, colors.page);
	}
}

function drawFlame(view) {
	const colors = palette(), {scroller, rows} = view, width = scroller.clientWidth, all = rows.length * ROW;
	const height = Math.min(scroller.clientHeight || all, all), top = scroller.scrollTop;
	const context = sizeCanvas(view.canvas, width, height);
	view.drawnTop = top;
	context.clearRect(0, 0, width, height);
	context.font = FONT;
	context.textBaseline = "middle";
	const last = Math.min(rows.length, Math.ceil((top + height) / ROW));
	for (let r = Math.max(0, Math.floor(top / ROW)); r < last; r++) drawRow(context, view, rows[r], r * ROW - top, colors);
}
