// SPDX-License-Identifier: Apache-2.0
// The heap over time: what was in use, and the most between two looks at it. Both versions in one picture, by the
// iterations that the program tells, else by CPU time; the same as a table for those who do not see it.

const MEMORY_HEIGHT = 220, MEMORY_LEFT = 74, MEMORY_RIGHT = 16, MEMORY_TOP = 22, MEMORY_BOTTOM = 38, MEMORY_ROWS = 20;
const MEMORY_LEAST = 280, LABEL_WIDTH = 76, LABEL_HEIGHT = 14, SMALLEST = 1e-9;

const lastOf = (values) => values[values.length - 1];

// A line as points to draw: {at, bytes}; what was gone again at a moment was there somewhere since the one before.
function memoryPoints({moments}, clock) {
	const points = [{at: 0, bytes: 0}], at = moments[clock];
	for (let i = 0; i < moments.count; i++) {
		if (moments.most[i] > moments.inuse[i]) points.push({at: (at[i] + (i ? at[i - 1] : 0)) / 2, bytes: moments.most[i]});
		points.push({at: at[i], bytes: moments.inuse[i]});
	}
	return points;
}

// What there is to draw of a benchmark; null: nothing.
function memoryOf(raw) {
	const shown = [["base", raw.memory_base], ["head", raw.memory_head]].filter(([, line]) => line && line.moments.count);
	if (!raw.memory_head || !raw.memory_head.moments.count) return null;
	const clock = shown.every(([, line]) => lastOf(line.moments.iterations) > 0) ? "iterations" : "seconds";
	const lines = shown.map(([side, line]) => {
		const points = memoryPoints(line, clock), end = lastOf(line.moments[clock]);
		return {side, line, points, end, peak: points.reduce((best, one) => (one.bytes > best.bytes ? one : best))};
	});
	return {clock, lines, end: Math.max(...lines.map((one) => one.end)), peak: Math.max(...lines.map((one) => one.peak.bytes))};
}

const clockText = (clock, value) => (clock === "seconds" ? seconds(value) : number(value));
const clockTitle = (clock) => (clock === "seconds" ? "CPU time of the run while its heap is counted" : "iterations of the run");
const lineTitle = ({lines}, side) => (lines.length > 1 ? side : "this run");

function lineText(memory, {side, line, peak, end}) {
	const after = end > 0 ? " after " + (peak.at / end * 100).toFixed(0) + " %" : "";
	return lineTitle(memory, side) + ": peak " + bytes(peak.bytes) + after + ", " + bytes(lastOf(line.moments.inuse)) + " at the end";
}

// Round marks from 0 on, at most `most` of them, in steps of 1, 2 or 5 tens of a unit.
function roundMarks(end, most, unit) {
	const marks = [];
	if (!(end > SMALLEST)) return [0];
	let step = Math.pow(10, Math.floor(Math.log10(end / unit))) * unit;
	while (end / step > most) step *= 2;
	for (const part of [0.1, 0.2, 0.5, 1]) {
		if (end / (step * part) > most) continue;
		step *= part;
		break;
	}
	for (let i = 0; i * step <= end * 1.0001; i++) marks.push(i * step);
	return marks;
}

const byteUnit = (size) => [1024 ** 4, 1024 ** 3, 1024 ** 2, 1024, 1].find((unit) => size >= unit) || 1;

function addAxes(svg, memory, width, x, y) {
	const bottom = y(0);
	for (const mark of roundMarks(memory.peak, 5, byteUnit(memory.peak))) {
		svg.append(svgElement("line", {x1: MEMORY_LEFT, x2: width - MEMORY_RIGHT, y1: y(mark), y2: y(mark)}),
			svgElement("text", {x: MEMORY_LEFT - 8, y: y(mark) + 4, "text-anchor": "end"}, bytes(mark)));
	}
	for (const mark of roundMarks(memory.end, Math.max(2, Math.min(8, Math.floor(width / 110))), 1)) {
		svg.append(svgElement("line", {x1: x(mark), x2: x(mark), y1: bottom, y2: bottom + 4}),
			svgElement("text", {x: x(mark), y: bottom + 17, "text-anchor": "middle"}, clockText(memory.clock, mark)));
	}
	svg.append(svgElement("text", {x: (MEMORY_LEFT + width - MEMORY_RIGHT) / 2, y: MEMORY_HEIGHT - 4, "text-anchor": "middle"},
		clockTitle(memory.clock)));
}

// The peak's value stands where there is room for it; base's not upon head's.
function addPeaks(svg, {lines}, width, x, y) {
	const head = lastOf(lines).peak;
	for (const {side, peak} of lines) {
		const cx = x(peak.at), cy = y(peak.bytes), isNear = side === "base" &&
			Math.abs(cx - x(head.at)) < LABEL_WIDTH && Math.abs(cy - y(head.bytes)) < LABEL_HEIGHT;
		const isLeft = cx > width - MEMORY_RIGHT - LABEL_WIDTH;
		svg.append(svgElement("circle", {class: side, cx, cy, r: 4}));
		if (!isNear) svg.append(svgElement("text", {class: "peak", x: cx + (isLeft ? -8 : 8), y: cy - 6,
			"text-anchor": isLeft ? "end" : "start"}, bytes(peak.bytes)));
	}
}

// Where a time and a size are in the picture.
function memoryScale(memory, width) {
	return {x: (at) => MEMORY_LEFT + (memory.end > 0 ? at / memory.end : 0) * (width - MEMORY_LEFT - MEMORY_RIGHT),
		y: (size) => MEMORY_HEIGHT - MEMORY_BOTTOM - (memory.peak > 0 ? size / memory.peak : 0) * (MEMORY_HEIGHT - MEMORY_BOTTOM - MEMORY_TOP)};
}

function memoryPicture(memory, width, {x, y}) {
	const svg = svgElement("svg", {class: "memory", viewBox: "0 0 " + width + " " + MEMORY_HEIGHT, role: "img",
		"aria-label": "Memory in use over time. " + memory.lines.map((one) => lineText(memory, one)).join("; ")});
	addAxes(svg, memory, width, x, y);
	for (const {side, points} of memory.lines)
		svg.append(svgElement("path", {class: side, d: points.map((one, i) =>
			(i ? "L" : "M") + x(one.at).toFixed(1) + " " + y(one.bytes).toFixed(1)).join("")}));
	addPeaks(svg, memory, width, x, y);
	return svg;
}

// Of a run alone the sentence above says it all.
function memoryLegend(memory) {
	const list = element("p", "memory-legend");
	list.hidden = memory.lines.length < 2;
	for (const one of memory.lines) {
		const swatch = svgElement("svg", {class: "memory key", viewBox: "0 0 26 10", "aria-hidden": "true"});
		swatch.append(svgElement("path", {class: one.side, d: "M0 5L26 5"}));
		list.append(element("span", "", swatch, lineText(memory, one)));
	}
	return list;
}

// What was in use after `at`, and the most since `before`; null: the run was over before.
function stretch({moments}, clock, before, at) {
	const times = moments[clock];
	let inuse = 0, most = 0, i = 0;
	if (before >= lastOf(times)) return null;
	for (; i < moments.count && times[i] <= at; i++) {
		if (times[i] > before || (!before && !times[i])) most = Math.max(most, moments.most[i]);
		else most = moments.inuse[i];
		inuse = moments.inuse[i];
	}
	return {inuse, most: Math.max(most, inuse)};
}

function memoryTable(memory) {
	const head = element("tr", "", element("th", "", "after"));
	for (const {side} of memory.lines)
		for (const what of ["in use", "most until then"])
			head.append(element("th", "number", memory.lines.length > 1 ? side + ", " + what : what));
	const body = element("tbody", "");
	for (let i = 1; i <= MEMORY_ROWS; i++) {
		const before = memory.end * (i - 1) / MEMORY_ROWS, at = i < MEMORY_ROWS ? memory.end * i / MEMORY_ROWS : memory.end;
		const row = element("tr", "", element("td", "number", clockText(memory.clock, at)));
		for (const {line} of memory.lines) {
			const found = stretch(line, memory.clock, before, at);
			for (const value of found ? [found.inuse, found.most] : [null, null])
				row.append(element("td", "number", value === null ? "" : bytes(value)));
		}
		body.append(row);
	}
	const table = element("div", "wide", element("table", "", element("thead", "", head), body));
	table.tabIndex = 0;
	table.setAttribute("role", "region");
	table.setAttribute("aria-label", "Memory over time as a table");
	return element("details", "", element("summary", "", "As a table"), table);
}

// Into the slot, as wide as it is, and again when that changes.
function makeMemory(raw, slot, tooltip) {
	const memory = memoryOf(raw);
	if (!memory) return;
	const figure = element("div", "memory-figure");
	let drawn = 0, scale = null;
	const cursor = makeMemoryCursor(memory, figure, tooltip, () => ({svg: figure.firstElementChild, scale}));
	const draw = () => {
		const width = Math.max(MEMORY_LEAST, Math.round(slot.clientWidth));
		if (width === drawn) return;
		if (drawn) cursor.hide();
		drawn = width;
		scale = memoryScale(memory, width);
		figure.replaceChildren(memoryPicture(memory, width, scale));
	};
	slot.append(figure, cursor.said, memoryLegend(memory), memoryTable(memory));
	draw();
	new ResizeObserver(draw).observe(slot);
}
