// SPDX-License-Identifier: Apache-2.0
// All functions, sortable and filtered. One row is a stop of the Tab key; the arrow keys go from there.

// Tens of thousands of rows at once would hold up the page for seconds.
const ROWS_AT_FIRST = 40, ROWS_MORE = 500;

function rowClass(benchmark, f) {
	const t = benchmark.functions;
	if (!benchmark.hasBase || !isColored(t.state[f])) return "link";
	return "link " + (t.change[f] > 0 ? "more" : "less");
}

function makeRow(benchmark, columns, f, onPick) {
	const row = element("tr", rowClass(benchmark, f));
	for (const column of columns) {
		const value = column.get(benchmark.functions, f);
		const text = column.show ? column.show(value, benchmark.functions, f, benchmark.unit) : value;
		row.append(element("td", column.kind, column.kind === "name" ? element("code", "", text) : text));
	}
	row.tabIndex = -1;
	row.addEventListener("click", () => onPick(f));
	row.pick = () => onPick(f);
	return row;
}

function makeHead(columns, onSort) {
	const row = element("tr", "");
	columns.forEach((column, i) => {
		const button = element("button", "", column.title);
		button.addEventListener("click", () => onSort(i, button));
		row.append(element("th", column.kind.split(" ")[0], button));
	});
	return element("thead", "", row);
}

function rowKey(body, row, key) {
	const to = {ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling, Home: body.firstElementChild,
		End: body.lastElementChild};
	if (key === "Enter") row.pick();
	if (to[key]) to[key].focus();
	return key === "Enter" || key in to;
}

function listenToRows(body) {
	body.addEventListener("keydown", (event) => {
		if (event.altKey || event.ctrlKey || event.metaKey || !rowKey(body, event.target, event.key)) return;
		event.preventDefault();
	});
	body.addEventListener("focusin", (event) => {
		for (const row of body.querySelectorAll("tr[tabindex='0']")) row.tabIndex = -1;
		event.target.tabIndex = 0;
	});
}

function makeFilter(onInput) {
	const filter = element("input", "");
	filter.type = "search";
	filter.placeholder = "Filter functions";
	filter.setAttribute("aria-label", "Filter functions");
	filter.addEventListener("input", onInput);
	return filter;
}

function makeTable(benchmark, slot, onPick) {
	const columns = columnsOf(benchmark), t = benchmark.functions;
	const body = element("tbody", ""), count = element("span", "count"), more = element("button", "");
	let order = defaultOrder(benchmark), found = order, sorted = -1, descending = false, limit = ROWS_AT_FIRST;

	const addRows = () => {
		body.append(...found.slice(body.children.length, limit).map((f) => makeRow(benchmark, columns, f, onPick)));
		more.hidden = found.length <= limit;
		const left = found.length - limit;
		more.textContent = "Show " + (left <= ROWS_MORE ? left + " more" : ROWS_MORE + " more of " + left);
	};
	const fill = () => {
		const wanted = filter.value.toLowerCase();
		found = order.filter((f) => !wanted || (t.name[f] + " " + t.place[f]).toLowerCase().includes(wanted));
		body.replaceChildren();
		addRows();
		if (body.firstChild) body.firstChild.tabIndex = 0;
		count.textContent = found.length + " of " + t.count + " functions";
	};
	const head = makeHead(columns, (i, button) => {
		descending = sorted === i ? !descending : columns[i].kind.startsWith("number");
		sorted = i;
		order = order.slice().sort((a, b) => compareValues(columns[i].get(t, a), columns[i].get(t, b)) * (descending ? -1 : 1) || a - b);
		for (const cell of head.querySelectorAll("th")) cell.removeAttribute("aria-sort");
		button.parentNode.setAttribute("aria-sort", descending ? "descending" : "ascending");
		fill();
	});
	const filter = makeFilter(fill), table = element("table", "", head, body);
	t.total_change = t.total_change || totalChanges(benchmark);
	more.addEventListener("click", () => {
		limit += ROWS_MORE;
		addRows();
	});
	table.setAttribute("role", "grid");
	table.setAttribute("aria-label", "Functions");
	listenToRows(body);
	fill();
	slot.replaceChildren(element("div", "toolbar", element("h3", "", "Functions"), count, filter),
		element("div", "wide", table), more);
}
