// SPDX-License-Identifier: Apache-2.0

function tooltipRow(label, base, head, change) {
	const row = element("tr", "");
	row.append(element("th", "", label));
	for (const text of [base, head, change]) row.append(element("td", "number", text));
	return row;
}

function stateText(benchmark, node) {
	const nodes = benchmark.nodes, f = nodes.function[node], words = [];
	if (f >= 0) words.push(MATCH_WORDS[benchmark.functions.match[f]]);
	const states = benchmark.functions.words;
	words.push(states[nodes.self_state[node]] && "self: " + states[nodes.self_state[node]]);
	words.push(states[nodes.state[node]] && "total: " + states[nodes.state[node]]);
	if (f >= 0 && benchmark.functions.touched[f]) words.push("changed by the diff");
	return words.filter(Boolean).join(" · ");
}

function costTable(benchmark, node) {
	const nodes = benchmark.nodes, compared = benchmark.hasBase, body = element("tbody", "");
	const total = Math.abs(nodes.total_head[0]) || 1, unit = benchmark.unit;
	body.append(tooltipRow("", compared ? "base" : "", compared ? "head" : "cost", compared ? "change" : "share"));
	for (const kind of ["self", "total"]) {
		const base = nodes[kind + "_base"][node], head = nodes[kind + "_head"][node];
		body.append(tooltipRow(kind, compared ? cost(base, unit) : "", cost(head, unit),
			compared ? signedPercent(nodes[kind + "_change"][node]) : percent(head / total)));
	}
	return element("table", "", body);
}

function fillTooltip(tooltip, benchmark, node) {
	const f = benchmark.nodes.function[node];
	const place = f < 0 ? "" : [benchmark.functions.place[f], benchmark.functions.module[f]].filter(Boolean).join(" · ");
	tooltip.replaceChildren(element("div", "name", nodeName(benchmark, node)));
	if (place) tooltip.append(element("div", "place", place));
	tooltip.append(costTable(benchmark, node));
	const state = stateText(benchmark, node);
	if (state) tooltip.append(element("div", "", state));
}

function placeTooltip(tooltip, x, y) {
	tooltip.hidden = false;
	const box = tooltip.getBoundingClientRect();
	tooltip.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.width - 8)) + "px";
	tooltip.style.top = (y + 18 + box.height > innerHeight ? Math.max(4, y - box.height - 10) : y + 18) + "px";
}
