// SPDX-License-Identifier: Apache-2.0
// All functions, sortable and filtered.

const ROWS_AT_FIRST = 40;

const COMPARED_COLUMNS = [
	{title: "function", kind: "name", get: (t, f) => t.name[f]},
	{title: "where", kind: "place", get: (t, f) => t.place[f]},
	{title: "self base", kind: "number", get: (t, f) => t.self_base[f], show: (v, t, f, unit) => cost(v, unit)},
	{title: "self head", kind: "number", get: (t, f) => t.self_head[f], show: (v, t, f, unit) => cost(v, unit)},
	{title: "self change", kind: "number change", get: (t, f) => t.change[f], show: signedPercent},
	{title: "95 % interval", kind: "number", decided: true, get: (t, f) => t.low[f], show: (v, t, f) => interval(t.low[f], t.high[f])},
	{title: "total base", kind: "number", get: (t, f) => t.total_base[f], show: (v, t, f, unit) => cost(v, unit)},
	{title: "total head", kind: "number", get: (t, f) => t.total_head[f], show: (v, t, f, unit) => cost(v, unit)},
	{title: "", kind: "state", get: (t, f) => [t.words[t.state[f]], MATCH_WORDS[t.match[f]]].filter(Boolean).join(", ")},
];
const SINGLE_COLUMNS = [
	{title: "function", kind: "name", get: (t, f) => t.name[f]},
	{title: "where", kind: "place", get: (t, f) => t.place[f]},
	{title: "module", kind: "place", get: (t, f) => t.module[f]},
	{title: "self", kind: "number", get: (t, f) => t.self_head[f], show: (v, t, f, unit) => cost(v, unit)},
	{title: "total", kind: "number", get: (t, f) => t.total_head[f], show: (v, t, f, unit) => cost(v, unit)},
];

function compareValues(a, b) {
	if (typeof a === "string") return a < b ? -1 : a > b ? 1 : 0;
	return (a === null ? -Infinity : a) - (b === null ? -Infinity : b);
}

// As the text reports: notable ones first, then by size.
function defaultOrder(benchmark) {
	const t = benchmark.functions;
	const size = (f) => (benchmark.hasBase ? Math.abs(t.change[f]) : Math.abs(t.self_head[f]));
	return Array.from({length: t.count}, (_, f) => f).sort((a, b) =>
		isNotable(t.state[b]) - isNotable(t.state[a]) || size(b) - size(a) || a - b);
}

function rowClass(benchmark, f) {
	const t = benchmark.functions;
	if (!benchmark.hasBase || !isNotable(t.state[f])) return "link";
	return "link " + (t.change[f] > 0 ? "more" : "less");
}

function makeRow(benchmark, columns, f, onPick) {
	const row = element("tr", rowClass(benchmark, f));
	for (const column of columns) {
		const value = column.get(benchmark.functions, f);
		const text = column.show ? column.show(value, benchmark.functions, f, benchmark.unit) : value;
		row.append(element("td", column.kind, column.kind === "name" ? element("code", "", text) : text));
	}
	row.addEventListener("click", () => onPick(f));
	return row;
}

function makeHead(columns, onSort) {
	const row = element("tr", "");
	columns.forEach((column, i) => {
		const button = element("button", "", column.title || "state");
		button.addEventListener("click", () => onSort(i, button));
		row.append(element("th", column.kind.split(" ")[0], button));
	});
	return element("thead", "", row);
}

function makeTable(benchmark, slot, onPick) {
	const all = benchmark.hasBase ? COMPARED_COLUMNS : SINGLE_COLUMNS, t = benchmark.functions;
	const columns = all.filter((column) => benchmark.decided || !column.decided);
	const body = element("tbody", ""), filter = element("input", ""), count = element("span", "count");
	const more = element("button", "", "Show all");
	let order = defaultOrder(benchmark), sorted = -1, descending = false, limit = ROWS_AT_FIRST;

	const fill = () => {
		const wanted = filter.value.toLowerCase();
		const rows = order.filter((f) => !wanted || (t.name[f] + " " + t.place[f]).toLowerCase().includes(wanted));
		body.replaceChildren(...rows.slice(0, limit).map((f) => makeRow(benchmark, columns, f, onPick)));
		count.textContent = rows.length + " of " + t.count + " functions";
		more.hidden = rows.length <= limit;
	};
	const head = makeHead(columns, (i, button) => {
		descending = sorted === i ? !descending : columns[i].kind.startsWith("number");
		sorted = i;
		order = order.slice().sort((a, b) => compareValues(columns[i].get(t, a), columns[i].get(t, b)) * (descending ? -1 : 1) || a - b);
		for (const cell of head.querySelectorAll("th")) cell.removeAttribute("aria-sort");
		button.parentNode.setAttribute("aria-sort", descending ? "descending" : "ascending");
		fill();
	});
	more.addEventListener("click", () => { limit = Infinity; fill(); });
	filter.addEventListener("input", fill);
	filter.type = "search";
	filter.placeholder = "Filter functions";
	filter.setAttribute("aria-label", "Filter functions");
	fill();
	slot.replaceChildren(element("div", "toolbar", element("h3", "", "Functions"), count, filter),
		element("div", "wide", element("table", "", head, body)), more);
}
