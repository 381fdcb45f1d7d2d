// SPDX-License-Identifier: Apache-2.0
// Every pair's head/base ratio as a dot: one look says whether the runs agree.

const SVG = "http://www.w3.org/2000/svg";

function svgElement(tag, attributes, text) {
	const made = document.createElementNS(SVG, tag);
	for (const name of Object.keys(attributes)) made.setAttribute(name, attributes[name]);
	if (text) made.textContent = text;
	return made;
}

function pairRatios(pairs) {
	const ratios = [];
	for (let i = 0; i < pairs.count; i++) {
		if (pairs.base[i] > 0 && pairs.head[i] > 0)
			ratios.push({i, change: pairs.head[i] / pairs.base[i] - 1, dropped: pairs.dropped[i], stage: pairs.stage[i]});
	}
	return ratios;
}

function makeDots(benchmark, slot) {
	const ratios = pairRatios(benchmark.raw.pairs), width = Math.min(640, Math.max(240, slot.clientWidth)), height = 64;
	if (ratios.length < 2) return;
	const reach = Math.max(0.005, ...ratios.map((r) => Math.abs(r.change))) * 1.15;
	const x = (change) => width / 2 + (change / reach) * (width / 2 - 20);
	const svg = svgElement("svg", {class: "dots", viewBox: "0 0 " + width + " " + height, role: "img",
		"aria-label": "Change in each pair"});
	svg.append(svgElement("line", {x1: 0, x2: width, y1: 46, y2: 46}));
	svg.append(svgElement("line", {class: "zero", x1: x(0), x2: x(0), y1: 4, y2: 46}));
	for (const mark of [-reach / 1.15, 0, reach / 1.15])
		svg.append(svgElement("text", {x: x(mark), y: 60, "text-anchor": "middle"}, mark === 0 ? "0" : signedPercent(mark)));
	for (const r of ratios) {
		const dot = svgElement("circle", {cx: x(r.change), cy: 10 + (r.i % 5) * 7, r: 3.2,
			class: r.dropped ? "dropped" : r.stage === 2 ? "second" : "first"});
		dot.append(svgElement("title", {}, "pair " + (r.i + 1) + ": " + signedPercent(r.change) + (r.dropped ? ", dropped" : "")));
		svg.append(dot);
	}
	const marks = [ratios.some((r) => r.dropped) && "hollow: dropped", ratios.some((r) => !r.dropped && r.stage === 2) && "blue: second stage"];
	slot.append(svg, element("p", "count", ["Head against base in each pair", marks.filter(Boolean).join(", ")].filter(Boolean).join("; ") + "."));
}
