// SPDX-License-Identifier: Apache-2.0

function tooltipRow(label, base, head, change) {
	const row = element("tr", "");
	row.append(element("th", "", label));
	for (const text of [base, head, change]) row.append(element("td", "number", text));
	return row;
}

function stateText(tree, node) {
	const t = tree.benchmark.functions, f = tree.function[node], words = [];
	if (f >= 0 && tree.benchmark.hasBase) words.push(MATCH_WORDS[t.match[f]]);
	words.push(t.words[tree.self_state[node]] && "self: " + t.words[tree.self_state[node]]);
	words.push(t.words[tree.state[node]] && "total: " + t.words[tree.state[node]]);
	if (f >= 0 && t.touched[f]) words.push("changed by the diff");
	if (tree.merged && tree.merged[node] > 1) words.push("sum of " + tree.merged[node] + " call paths");
	return words.filter(Boolean).join(" · ");
}

function costTable(tree, node) {
	const {benchmark} = tree, compared = benchmark.hasBase, body = element("tbody", ""), costs = nodeCosts(tree, node);
	const total = Math.abs(benchmark.nodes.total_head[0]) || 1, unit = benchmark.unit;
	body.append(tooltipRow("", compared ? "base" : "", compared ? "head" : "cost", compared ? "change, of all" : "share of all"));
	for (const kind of isCaller(tree, node) ? ["total"] : ["self", "total"]) {
		const base = costs[kind + "_base"], head = costs[kind + "_head"];
		body.append(tooltipRow(isCaller(tree, node) ? "from here" : kind, compared ? cost(base, unit) : "", cost(head, unit),
			compared ? signedPercent(costs[kind + "_change"]) : percent(head / total)));
	}
	return element("table", "", body);
}

function fillTooltip(tooltip, tree, node) {
	const t = tree.benchmark.functions, f = tree.function[node];
	const place = f < 0 ? "" : [t.place[f], t.module[f]].filter(Boolean).join(" · ");
	tooltip.replaceChildren(element("div", "name", nodeName(tree, node)));
	if (place) tooltip.append(element("div", "place", place));
	tooltip.append(costTable(tree, node));
	const state = stateText(tree, node);
	if (state) tooltip.append(element("div", "", state));
}

function placeTooltip(tooltip, x, y) {
	tooltip.hidden = false;
	const box = tooltip.getBoundingClientRect();
	tooltip.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.width - 8)) + "px";
	tooltip.style.top = (y + 18 + box.height > innerHeight ? Math.max(4, y - box.height - 10) : y + 18) + "px";
}

// Where the keys are, as long as the graph has the focus.
function tipAtCurrent(view) {
	const {tooltip, canvas, current} = view, place = current && findBox(view, current.tree, current.node);
	tooltip.hidden = !place || document.activeElement !== canvas;
	tooltip.ofKeys = !tooltip.hidden;
	if (tooltip.hidden) return;
	const box = canvas.getBoundingClientRect(), {x, w} = view.rows[place.r].boxes[place.at];
	fillTooltip(tooltip, current.tree, current.node);
	placeTooltip(tooltip, box.left + x + Math.min(w, ROW) / 2, box.top + place.r * ROW + ROW / 2 - view.scroller.scrollTop);
}
