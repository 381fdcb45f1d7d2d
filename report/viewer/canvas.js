// SPDX-License-Identifier: Apache-2.0
// Drawing. The canvas is as large as what can be seen and is redrawn when that scrolls, so that deep
// trees do not need a canvas larger than browsers allow.

const ROW = 21, GAP = 1, TEXT_ROOM = 26, TICK = 8;
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

// At the box's foot, so that it does not cross the name.
function drawTick(context, x, y, height, colors) {
	context.fillStyle = colors.tick;
	context.fillRect(Math.round(x) - 1, y + height - TICK, 2, TICK);
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

// Filled up to the head's cost; a tick where the base's ends, if the two can be told apart.
function drawBox(context, view, box, y, colors) {
	const {benchmark, layout} = view, nodes = benchmark.nodes;
	const width = Math.max(box.w - GAP, 0.5), height = ROW - GAP, total = layout.width[box.node] || 1;
	const head = Math.min(1, Math.abs(nodes.total_head[box.node]) / total) * width;
	const base = Math.min(1, Math.abs(nodes.total_base[box.node]) / total) * width;
	const color = boxColor(benchmark, box.node, colors), faded = view.isDimmed(box.node);
	context.globalAlpha = faded ? 0.35 : 1;
	context.fillStyle = rgb(mix(colors.page, color, colors.track));
	context.fillRect(box.x, y, width, height);
	context.fillStyle = rgb(color);
	context.fillRect(box.x, y, head, height);
	if (benchmark.hasBase && Math.abs(head - base) >= 1.5) drawTick(context, box.x + base, y, height, colors);
	if (box.w >= TEXT_ROOM) {
		const text = fitText(context, view.label(box.node), width - 8);
		drawLabel(context, text, box.x + 4, y + height / 2 + 0.5, box.x + head, {fill: textColor(color), track: colors.ink});
	}
	context.globalAlpha = 1;
}

function outline(context, box, y, color, line) {
	context.strokeStyle = color;
	context.lineWidth = line;
	context.strokeRect(box.x + line / 2, y + line / 2, Math.max(box.w - GAP - line, 1), ROW - GAP - line);
}

function drawRows(context, view, top, height, colors) {
	const from = Math.max(0, Math.floor(top / ROW)), to = Math.min(view.rows.length, Math.ceil((top + height) / ROW));
	for (let depth = from; depth < to; depth++) {
		for (const box of view.rows[depth] || []) {
			const y = depth * ROW - top;
			drawBox(context, view, box, y, colors);
			if (view.matches && view.matches[box.node]) outline(context, box, y, colors.match, 2);
			if (view.culprits.has(box.node) && box.w > 3) outline(context, box, y, colors.focus, 1.5);
			if (view.current === box.node) outline(context, box, y, colors.focus, 2.5);
		}
	}
}

function drawFlame(view) {
	const colors = palette(), scroller = view.scroller, width = scroller.clientWidth;
	const height = Math.min(scroller.clientHeight || view.rows.length * ROW, view.rows.length * ROW);
	const context = sizeCanvas(view.canvas, width, height);
	context.clearRect(0, 0, width, height);
	context.font = FONT;
	context.textBaseline = "middle";
	drawRows(context, view, scroller.scrollTop, height, colors);
}
