// SPDX-License-Identifier: Apache-2.0
// The flame graph of one benchmark: zoom with history, search, hover, keyboard.

// The elements of the panel; they hold what the reader sees of the view.
function makeParts() {
	const parts = {canvas: element("canvas", ""), scroller: element("div", "scroller"), spacer: element("div", ""),
		search: element("input", ""), matched: element("span", "matched"), status: element("span", "matched"),
		back: element("button", "", "Back")};
	parts.canvas.tabIndex = 0;
	parts.canvas.setAttribute("role", "application");
	parts.canvas.setAttribute("aria-label", "Flame graph; arrow keys walk the call tree, Enter zooms, Escape goes back");
	parts.status.setAttribute("aria-live", "polite");
	parts.search.type = "search";
	parts.search.placeholder = "Search (regular expression)";
	parts.search.setAttribute("aria-label", "Search functions by regular expression");
	return parts;
}

// Lays out what the zoom shows. The canvas takes no room of its own: the spacer is as high as the tree.
function relayout(view) {
	const {canvas, scroller, spacer, back} = view;
	view.rows = visibleBoxes(view.benchmark.nodes, view.layout, view.focus, scroller.clientWidth);
	spacer.style.height = view.rows.length * ROW + "px";
	canvas.style.marginBottom = "-" + canvas.style.height;
	back.disabled = view.history.length === 0;
	drawFlame(view);
	canvas.style.marginBottom = "-" + canvas.style.height;
}

function zoomTo(view, node) {
	if (node === view.focus) return;
	view.history.push(view.focus);
	view.focus = node;
	relayout(view);
}

function zoomBack(view) {
	if (!view.history.length) return false;
	view.focus = view.history.pop();
	relayout(view);
	return true;
}

function selectNode(view, node) {
	const {benchmark, scroller} = view, nodes = benchmark.nodes, top = nodes.depth[node] * ROW;
	view.current = node;
	if (top < scroller.scrollTop) scroller.scrollTop = top;
	if (top + ROW > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = top + ROW - scroller.clientHeight;
	view.status.textContent = nodeName(benchmark, node) + ", total " + cost(nodes.total_head[node], benchmark.unit) +
		(benchmark.hasBase ? ", " + signedPercent(nodes.total_change[node]) : "");
	drawFlame(view);
}

function revealNode(view, node) {
	zoomTo(view, node === 0 ? 0 : view.benchmark.nodes.parent[node]);
	selectNode(view, node);
	view.canvas.scrollIntoView({block: "nearest"});
	view.canvas.focus({preventScroll: true});
}

function searchFor(view, pattern) {
	view.matches = null;
	view.matched.textContent = "";
	view.search.classList.remove("bad");
	try {
		if (pattern) view.matches = matchNodes(view.benchmark, pattern);
	} catch (error) {
		view.search.classList.add("bad");
		view.matched.textContent = "not a regular expression";
	}
	if (view.matches) view.matched.textContent = shareText(view.benchmark, matchedShare(view.benchmark, view.matches));
	drawFlame(view);
}

function nodeAtEvent(view, event) {
	const box = view.canvas.getBoundingClientRect();
	const depth = Math.floor((event.clientY - box.top + view.scroller.scrollTop) / ROW);
	return boxAt(view.rows, depth, event.clientX - box.left);
}

function listen(view, tooltip) {
	const {canvas, search} = view;
	canvas.addEventListener("click", (event) => {
		const node = nodeAtEvent(view, event);
		if (node < 0) return;
		zoomTo(view, node);
		selectNode(view, node);
	});
	canvas.addEventListener("mousemove", (event) => {
		const node = nodeAtEvent(view, event);
		tooltip.hidden = node < 0;
		if (node < 0) return;
		fillTooltip(tooltip, view.benchmark, node);
		placeTooltip(tooltip, event.clientX, event.clientY);
	});
	for (const kind of ["mouseleave", "blur"]) canvas.addEventListener(kind, () => { tooltip.hidden = true; });
	canvas.addEventListener("keydown", (event) => {
		if (handleKey(view, event.key)) event.preventDefault();
	});
	view.scroller.addEventListener("scroll", () => drawFlame(view));
	search.addEventListener("input", () => searchFor(view, search.value));
	view.back.addEventListener("click", () => zoomBack(view));
}

function makeFlame(benchmark, slot, tooltip) {
	const nodes = benchmark.nodes;
	const view = Object.assign(makeParts(), {benchmark, layout: layoutTree(nodes), rows: [], focus: 0,
		current: -1, history: [], matches: null, culprits: new Set(benchmark.raw.culprits.map((c) => c.node))});
	view.label = (node) => glyph(benchmark, node) + nodeName(benchmark, node);
	view.isDimmed = (node) => (view.matches && !view.matches[node]) || nodes.depth[node] < nodes.depth[view.focus];
	listen(view, tooltip);
	const title = benchmark.isStored ? "Head and the stored baseline (not scaled) in one flame graph" :
		benchmark.hasBase ? "Both versions in one flame graph" : "Flame graph";
	const toolbar = element("div", "toolbar", element("h3", "", title), view.status, view.matched, view.search, view.back);
	view.scroller.append(view.canvas, view.spacer);
	slot.append(toolbar, view.scroller, makeLegend(benchmark));
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
		if (node >= 0) selectNode(view, node);
		return true;
	}
	if (key === "Enter" && view.current >= 0) {
		zoomTo(view, view.current);
		return true;
	}
	return (key === "Escape" || key === "Backspace") && zoomBack(view);
}

function makeLegend(benchmark) {
	const colors = palette(), legend = element("div", "legend"), noun = costNoun(benchmark.unit);
	const add = (color, text) => {
		const swatch = element("span", "swatch");
		swatch.style.background = rgb(color);
		legend.append(element("span", "", swatch, text));
	};
	if (!benchmark.hasBase) {
		legend.append("One colour for each module; width is " + (noun === "time" ? timeNoun(benchmark.raw.profile_type) : noun || "the count") + ".");
		if (benchmark.anyNegative) add(mix(colors.less[0], colors.less[1], 0.5), "▼ below zero, as wide as its size");
		return legend;
	}
	add(colors.more[1], ("▲ more " + noun).trim());
	add(colors.less[1], ("▼ less " + noun).trim());
	add(colors.grey, benchmark.decided ? "not significant" : "changed by less than 0.5 %");
	legend.append(element("span", "", "fill: head"), element("span", "", "┃ tick: base"),
		element("span", "", "+ new"), element("span", "", "− gone"), element("span", "", "thin frame: culprit"));
	if (benchmark.anyNegative) legend.append(element("span", "", "[−] below zero, as wide as its size"));
	return legend;
}
