// SPDX-License-Identifier: Apache-2.0
// A line across the chart of the heap over time, and both versions' values there: where the mouse is, or where the
// arrow keys have gone. It stops where a line bends, so that what is read there is what was measured of one of them.

const CURSOR_LEAP = 10; // of Page Up and Page Down

// All the times at which a line bends, once and in order.
const cursorStops = ({lines}) => Array.from(new Set(lines.flatMap(({points}) => points.map((one) => one.at)))).sort((a, b) => a - b);

// What a line is at `at`, as it is drawn; null: its run was over.
function bytesAt({points, end}, at) {
	if (at > end) return null;
	const after = points.findIndex((one) => one.at >= at), here = points[after], before = points[after - 1];
	// Of a moment that is several points the last is what was left.
	if (here.at === at) return points.findLast((one) => one.at === at).bytes;
	return before.bytes + (here.bytes - before.bytes) * (at - before.at) / (here.at - before.at);
}

function cursorValues(memory, at) {
	return memory.lines.map((line) => ({line, bytes: line.peak.at === at ? line.peak.bytes : bytesAt(line, at)}));
}

function cursorTitle({clock}, at) {
	const whole = Math.round(at); // a peak is halfway between two looks at it
	return "after " + (clock === "seconds" ? seconds(at) + " of CPU time" : number(whole) + (whole === 1 ? " iteration" : " iterations"));
}

const endedText = "its run was over";

// Head less base, where both are there.
function cursorDifference(values) {
	const [base, head] = values.map((one) => one.bytes);
	if (values.length < 2 || base === null || head === null) return "";
	return head === base ? "no difference" : (head > base ? "+" : "−") + bytes(Math.abs(head - base));
}

function cursorText(memory, at) {
	const values = cursorValues(memory, at), difference = cursorDifference(values);
	return cursorTitle(memory, at) + ": " + values.map(({line, bytes: size}) =>
		lineTitle(memory, line.side) + " " + (size === null ? endedText : bytes(size))).join(", ") + (difference ? ", " + difference : "");
}

function fillCursorTip(tooltip, memory, at) {
	const values = cursorValues(memory, at), difference = cursorDifference(values), body = element("tbody", "");
	for (const {line, bytes: size} of values)
		body.append(element("tr", "", element("th", "", lineTitle(memory, line.side)), element("td", "number", size === null ? endedText : bytes(size))));
	if (difference) body.append(element("tr", "", element("th", "", "difference"), element("td", "number", difference)));
	tooltip.replaceChildren(element("div", "name", cursorTitle(memory, at)), element("table", "", body));
}

function drawCursor(svg, memory, {x, y}, at) {
	const group = svgElement("g", {class: "cursor", "aria-hidden": "true"});
	group.append(svgElement("line", {x1: x(at), x2: x(at), y1: y(memory.peak), y2: y(0)}));
	for (const {line, bytes: size} of cursorValues(memory, at))
		if (size !== null) group.append(svgElement("circle", {class: line.side, cx: x(at), cy: y(size), r: 3.5}));
	svg.append(group);
}

// Where a key leads from a stop; the first arrow goes to head's peak. undefined: the key is none of ours.
function cursorAfter(memory, stops, at, key) {
	const steps = {ArrowLeft: -1, ArrowRight: 1, PageUp: -CURSOR_LEAP, PageDown: CURSOR_LEAP}, ends = {Home: 0, End: stops.length - 1};
	if (key in ends) return ends[key];
	if (!(key in steps)) return undefined;
	if (at < 0) return stops.indexOf(lastOf(memory.lines).peak.at);
	return Math.max(0, Math.min(stops.length - 1, at + steps[key]));
}

// picture() gives {svg, scale} of the chart as it is drawn now. Who cannot see it is told of what the keys reach, once
// the keys rest.
function makeMemoryCursor(memory, figure, tooltip, picture) {
	const stops = cursorStops(memory), said = element("p", "unseen");
	let at = -1;
	const hide = () => {
		for (const old of figure.querySelectorAll(".cursor")) old.remove();
		tooltip.hidden = true;
	};
	const show = (stop) => {
		const {svg, scale} = picture();
		hide();
		at = stop;
		drawCursor(svg, memory, scale, stops[at]);
		fillCursorTip(tooltip, memory, stops[at]);
		tooltip.ofKeys = false;
		const box = svg.getBoundingClientRect(), part = box.width / svg.viewBox.baseVal.width;
		placeTooltip(tooltip, box.left + scale.x(stops[at]) * part, box.top + scale.y(0) * part); // below the lines, which it would hide
	};
	const nearest = (event) => {
		const {svg, scale} = picture(), box = svg.getBoundingClientRect();
		const mouse = (event.clientX - box.left) * svg.viewBox.baseVal.width / box.width;
		return stops.reduce((best, time, i) => (Math.abs(scale.x(time) - mouse) < Math.abs(scale.x(stops[best]) - mouse) ? i : best), 0);
	};
	figure.tabIndex = 0;
	figure.setAttribute("role", "application");
	figure.setAttribute("aria-label", "Memory over time. Left and right read the values at a moment, Home and End go to the ends; the same as a table is below.");
	said.setAttribute("role", "status");
	for (const kind of ["pointerdown", "pointermove"]) figure.addEventListener(kind, (event) => show(nearest(event)));
	for (const kind of ["pointerleave", "blur"]) figure.addEventListener(kind, hide);
	figure.addEventListener("keydown", (event) => {
		if (event.altKey || event.ctrlKey || event.metaKey) return;
		const next = event.key === "Escape" ? -1 : cursorAfter(memory, stops, at, event.key);
		if (next === undefined) return;
		event.preventDefault();
		if (next < 0) return void hide();
		show(next);
		said.textContent = cursorText(memory, stops[at]);
	});
	return {said, hide};
}

addKey("← → Home End", "In the chart of memory: the values at a moment", null);
