// SPDX-License-Identifier: Apache-2.0
// The flame graph of one benchmark: zoom with history, search, hover, keyboard.

function makeFlame(benchmark, slot, tooltip) {
	const nodes = benchmark.nodes;
	const canvas = element("canvas", ""), scroller = element("div", "scroller"), spacer = element("div", "");
	const search = element("input", ""), matched = element("span", "matched"), back = element("button", "", "Back");
	const status = element("span", "matched");
	const view = {benchmark, canvas, scroller, layout: layoutTree(nodes), rows: [], focus: 0, current: -1,
		history: [], matches: null, culprits: new Set(benchmark.raw.culprits.map((c) => c.node))};

	view.label = (node) => glyph(benchmark, node) + nodeName(benchmark, node);
	view.isDimmed = (node) => (view.matches && !view.matches[node]) || nodes.depth[node] < nodes.depth[view.focus];

	view.relayout = () => {
		view.rows = visibleBoxes(nodes, view.layout, view.focus, scroller.clientWidth);
		spacer.style.height = view.rows.length * ROW + "px";
		canvas.style.marginBottom = "-" + canvas.style.height;
		back.disabled = view.history.length === 0;
		drawFlame(view);
		canvas.style.marginBottom = "-" + canvas.style.height;
	};

	view.zoom = (node) => {
		if (node === view.focus) return;
		view.history.push(view.focus);
		view.focus = node;
		view.relayout();
	};

	view.back = () => {
		if (!view.history.length) return false;
		view.focus = view.history.pop();
		view.relayout();
		return true;
	};

	view.select = (node) => {
		const top = nodes.depth[node] * ROW;
		view.current = node;
		if (top < scroller.scrollTop) scroller.scrollTop = top;
		if (top + ROW > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = top + ROW - scroller.clientHeight;
		status.textContent = nodeName(benchmark, node) + ", total " + seconds(nodes.total_head[node]) +
			(benchmark.hasBase ? ", " + signedPercent(nodes.total_change[node]) : "");
		drawFlame(view);
	};

	view.reveal = (node) => {
		view.zoom(node === 0 ? 0 : nodes.parent[node]);
		view.select(node);
		canvas.scrollIntoView({block: "nearest"});
		canvas.focus({preventScroll: true});
	};

	view.search = (pattern) => {
		view.matches = null;
		matched.textContent = "";
		search.classList.remove("bad");
		if (pattern) {
			try {
				view.matches = matchNodes(benchmark, pattern);
				matched.textContent = shareText(benchmark, matchedShare(benchmark, view.matches));
			} catch (error) {
				search.classList.add("bad");
				matched.textContent = "not a regular expression";
			}
		}
		drawFlame(view);
	};

	view.focusSearch = () => search.focus();

	const nodeAtEvent = (event) => {
		const box = canvas.getBoundingClientRect();
		return boxAt(view.rows, Math.floor((event.clientY - box.top + scroller.scrollTop) / ROW), event.clientX - box.left);
	};
	canvas.addEventListener("click", (event) => {
		const node = nodeAtEvent(event);
		if (node < 0) return;
		view.zoom(node);
		view.select(node);
	});
	canvas.addEventListener("mousemove", (event) => {
		const node = nodeAtEvent(event);
		tooltip.hidden = node < 0;
		if (node < 0) return;
		fillTooltip(tooltip, benchmark, node);
		placeTooltip(tooltip, event.clientX, event.clientY);
	});
	canvas.addEventListener("mouseleave", () => { tooltip.hidden = true; });
	canvas.addEventListener("blur", () => { tooltip.hidden = true; });
	canvas.addEventListener("keydown", (event) => {
		if (handleKey(view, event.key)) event.preventDefault();
	});
	scroller.addEventListener("scroll", () => drawFlame(view));
	search.addEventListener("input", () => view.search(search.value));
	back.addEventListener("click", view.back);

	canvas.tabIndex = 0;
	canvas.setAttribute("role", "application");
	canvas.setAttribute("aria-label", "Flame graph; arrow keys walk the call tree, Enter zooms, Escape goes back");
	status.setAttribute("aria-live", "polite");
	search.type = "search";
	search.placeholder = "Search (regular expression)";
	search.setAttribute("aria-label", "Search functions by regular expression");
	const toolbar = element("div", "toolbar", element("h3", "", benchmark.hasBase ? "Both versions in one flame graph" : "Flame graph"),
		status, matched, search, back);
	scroller.append(canvas, spacer);
	slot.append(toolbar, scroller, makeLegend(benchmark));
	return view;
}

// Where an arrow key leads from a node; -1: nowhere.
function neighbour(view, key) {
	const nodes = view.benchmark.nodes, node = view.current < 0 ? view.focus : view.current;
	const row = view.rows[nodes.depth[node]] || [], at = row.findIndex((box) => box.node === node);
	if (view.current < 0) return node;
	if (key === "ArrowUp") return node === 0 ? -1 : nodes.parent[node];
	if (key === "ArrowLeft") return at > 0 ? row[at - 1].node : -1;
	if (key === "ArrowRight") return at >= 0 && at + 1 < row.length ? row[at + 1].node : -1;
	let best = -1;
	for (let child = nodes.first[node]; child >= 0; child = nodes.next[child])
		if (best < 0 || view.layout.width[child] > view.layout.width[best]) best = child;
	return best;
}

function handleKey(view, key) {
	if (key.startsWith("Arrow")) {
		const node = neighbour(view, key);
		if (node >= 0) view.select(node);
		return true;
	}
	if (key === "Enter" && view.current >= 0) {
		view.zoom(view.current);
		return true;
	}
	return (key === "Escape" || key === "Backspace") && view.back();
}

function makeLegend(benchmark) {
	const colors = palette(), legend = element("div", "legend");
	const add = (color, text) => {
		const swatch = element("span", "swatch");
		swatch.style.background = rgb(color);
		legend.append(element("span", "", swatch, text));
	};
	if (!benchmark.hasBase) {
		legend.append("One colour for each module; width is CPU time.");
		return legend;
	}
	add(colors.more[1], "▲ more time");
	add(colors.less[1], "▼ less time");
	add(colors.grey, benchmark.decided ? "not significant" : "changed by less than 0.5 %");
	legend.append(element("span", "", "fill: head"), element("span", "", "┃ tick: base"),
		element("span", "", "+ new"), element("span", "", "− gone"), element("span", "", "thin frame: culprit"));
	return legend;
}
