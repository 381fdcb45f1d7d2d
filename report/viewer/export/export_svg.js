// SPDX-License-Identifier: Apache-2.0
// The graph as it is seen, as SVG: what canvas.js draws, drawn into elements. Only what canvas.js uses is here.

// U+FFFE, U+FFFF and half characters are no XML; other controls are no part of a name (see model.js).
function xmlText(text) {
	const escapes = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"};
	return text.replace(/[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff\ufffe\uffff\u0000-\u001f]/g, (c) => (c.length > 1 ? c : "\ufffd"))
		.replace(/[&<>"']/g, (c) => escapes[c]);
}

const svgNumber = (value) => String(Math.round(value * 100) / 100);

function svgTag(tag, attributes, content) {
	const parts = Object.entries(attributes).map(([name, value]) =>
		" " + name + '="' + (typeof value === "number" ? svgNumber(value) : xmlText(value)) + '"');
	return "<" + tag + parts.join("") + (content === undefined ? "/>" : ">" + content + "</" + tag + ">");
}

// Takes a canvas' calls. measured(text) is a text's width.
function makeSvgContext(measured) {
	const elements = [], patterns = new Map();
	let clip = null, path = null;
	const box = (x, y, width, height) => ({x, y, width: Math.max(0, width), height: Math.max(0, height)});
	const paint = (style) => (patterns.has(style) ? "url(#" + patterns.get(style).id + ")" : String(style));
	const put = (tag, attributes, content) => {
		if (context.globalAlpha < 1) attributes.opacity = context.globalAlpha;
		elements.push(svgTag(tag, attributes, content));
	};
	const context = {
		fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, globalAlpha: 1, elements,
		measureText: (text) => ({width: measured(text)}),
		fillRect: (x, y, w, h) => put("rect", Object.assign(box(x, y, w, h), {fill: paint(context.fillStyle)})),
		strokeRect: (x, y, w, h) => put("rect", Object.assign(box(x, y, w, h),
			{fill: "none", stroke: paint(context.strokeStyle), "stroke-width": context.lineWidth})),
		save: () => {}, restore: () => { clip = null; }, beginPath: () => { path = null; },
		rect: (...sides) => { path = box(...sides); }, clip: () => { clip = path; },
		// An inner svg element cuts what sticks out of it.
		fillText: (text, x, y) => {
			const looks = {dy: ".35em", fill: paint(context.fillStyle)};
			const isCut = clip && (clip.x > x || clip.x + clip.width < x + measured(text));
			if (!isCut) return put("text", Object.assign({x, y}, looks), xmlText(text));
			const inner = svgTag("text", Object.assign({x: x - clip.x, y: y - clip.y}, looks), xmlText(text));
			return put("svg", Object.assign({}, clip), inner);
		},
		createPattern: (tile) => {
			const url = tile.toDataURL(), pattern = Array.from(patterns.keys()).find((one) => one.url === url) || {url};
			if (!patterns.has(pattern)) patterns.set(pattern, {id: "p" + patterns.size, width: tile.width, height: tile.height});
			return pattern;
		},
		definitions: () => svgTag("defs", {}, Array.from(patterns, ([{url}, {id, width, height}]) =>
			svgTag("pattern", {id, width, height, patternUnits: "userSpaceOnUse"}, svgTag("image", {href: url, width, height}))).join("")),
	};
	return context;
}

// Where the legend's entries stand below the graph: [{entry, x, line}], as many in a line as fit.
function placeLegend(context, legend, room) {
	let x = 0, line = 0;
	return Array.from(legend.children, (entry) => {
		const width = (entry.firstElementChild ? 27 : 0) + context.measureText(entry.textContent).width;
		if (x > 0 && x + width > room) {
			line++;
			x = 0;
		}
		x += width + 16;
		return {entry, x: x - width - 16, line};
	});
}

function drawLegend(context, places, top, colors) {
	for (const {entry, x, line} of places) {
		const swatch = entry.firstElementChild, y = top + line * ROW;
		if (swatch) {
			context.fillStyle = swatch.style.background;
			context.fillRect(x, y - 6, 22, 11);
		}
		context.fillStyle = colors.ink;
		context.fillText(entry.textContent, x + (swatch ? 27 : 0), y);
	}
}

// All rows of the zoom, also those that are scrolled out of sight; title: what it is a picture of.
function svgText(view, title) {
	const colors = palette(), measuring = document.createElement("canvas").getContext("2d");
	measuring.font = FONT;
	const context = makeSvgContext((text) => measuring.measureText(text).width);
	const margin = 14, head = 30, width = view.scroller.clientWidth, graph = view.rows.length * ROW;
	const legend = placeLegend(context, view.legend, width), height = graph + head + 40 + legend[legend.length - 1].line * ROW;
	const outer = {xmlns: "http://www.w3.org/2000/svg", width: width + 2 * margin, height, role: "img",
		viewBox: [0, 0, width + 2 * margin, height].map(svgNumber).join(" "), style: "font:" + FONT};
	context.fillStyle = colors.ink;
	context.fillText(fitText(context, title, width), 0, -head / 2);
	view.rows.forEach((row, r) => drawRow(context, view, row, r * ROW, colors));
	drawLegend(context, legend, graph + 16, colors);
	return svgTag("svg", outer, svgTag("title", {}, xmlText(title)) + context.definitions() +
		svgTag("rect", {width: "100%", height: "100%", fill: rgb(colors.page)}) +
		svgTag("g", {transform: "translate(" + margin + " " + head + ")"}, "\n" + context.elements.join("\n") + "\n"));
}
