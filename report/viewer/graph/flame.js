// SPDX-License-Identifier: Apache-2.0
// The panel of a flame graph: its toolbar, the canvas, and what the mouse does there.

const SLOTS = ["view", "side", "data", "show", "find", "export"];

// The elements of the panel; they hold what the reader sees of the view.
function makeParts() {
	const parts = {canvas: element("canvas", ""), scroller: element("div", "scroller"), spacer: element("div", ""),
		matched: element("span", "matched"), status: element("span", "matched"), back: element("button", "", "Back")};
	parts.canvas.tabIndex = 0;
	parts.canvas.setAttribute("role", "application");
	parts.canvas.setAttribute("aria-label", "Flame graph. Arrow keys walk the call tree, Enter zooms, Escape goes back, ? lists all keys; the same as text is below.");
	for (const said of [parts.status, parts.matched]) said.setAttribute("role", "status");
	parts.back.title = "Back (Escape or Backspace)";
	return parts;
}

function makeToolbar(view) {
	const bar = element("div", "toolbar controls");
	bar.setAttribute("role", "toolbar");
	bar.setAttribute("aria-label", "What the graph shows");
	for (const slot of SLOTS) {
		const makers = CONTROLS.filter((one) => one.slot === slot).map((one) => one.make);
		const group = element("div", "slot", ...made(makers, view));
		group.dataset.slot = slot;
		if (group.firstChild) bar.append(group);
	}
	bar.append(view.back);
	return bar;
}

// Lays out what the view shows. The canvas takes no room of its own: the spacer is as high as the tree.
function relayout(view) {
	const {canvas, scroller, spacer, back, state} = view, before = view.rows.length;
	view.rows = VIEWS.find((one) => one.id === state.mode).rows(view, scroller.clientWidth);
	spacer.style.height = view.rows.length * ROW + "px";
	back.setAttribute("aria-disabled", String(view.history.length === 0));
	view.tooltip.hidden = true;
	if (view.rows.length !== before || view.shownMode !== state.mode) scroller.scrollTop = homeRow(view) * ROW - scroller.clientHeight / 2;
	view.shownMode = state.mode;
	drawFlame(view);
	canvas.style.marginBottom = "-" + canvas.style.height;
}

// The row that a view begins at: of the zoomed node, or of a sandwich's function.
function homeRow(view) {
	const {rows, state} = view;
	if (state.mode === "sandwich") return rows.findIndex((row) => row.tree.merged && !row.up);
	return rows[0].up ? rows.length - 1 - view.tree.depth[state.zoom] : view.tree.depth[state.zoom];
}

function nodeAtEvent(view, event) {
	const box = view.canvas.getBoundingClientRect();
	const row = view.rows[Math.floor((event.clientY - box.top + view.scroller.scrollTop) / ROW)];
	const x = event.clientX - box.left;
	const found = row && row.boxes.find((one) => x >= one.x && x < one.x + Math.max(one.w, 1));
	return found ? {tree: row.tree, node: found.node} : null;
}

function pick(view, at) {
	view.current = at;
	VIEWS.find((one) => one.id === view.state.mode).pick(view, at.tree, at.node);
}

function listen(view) {
	const {canvas, tooltip} = view;
	canvas.addEventListener("click", (event) => {
		const at = nodeAtEvent(view, event);
		if (at) pick(view, at);
	});
	canvas.addEventListener("mousemove", (event) => {
		const at = nodeAtEvent(view, event);
		tooltip.hidden = !at;
		tooltip.ofKeys = false;
		if (!at) return;
		fillTooltip(tooltip, at.tree, at.node);
		placeTooltip(tooltip, event.clientX, event.clientY);
	});
	for (const kind of ["mouseleave", "blur"]) canvas.addEventListener(kind, () => { tooltip.hidden = true; });
	canvas.addEventListener("keydown", (event) => {
		if (!event.altKey && !event.ctrlKey && !event.metaKey && walkKey(view, event.key)) event.preventDefault();
	});
	view.scroller.addEventListener("scroll", () => {
		if (view.drawnTop !== view.scroller.scrollTop) drawFlame(view);
		if (tooltip.ofKeys) tipAtCurrent(view);
		else tooltip.hidden = true;
	});
	view.back.addEventListener("click", () => stepBack(view));
}

function graphTitle(benchmark) {
	const type = benchmark.own ? typeTitle(benchmark.raw.profile_type) : "";
	if (type) return type[0].toUpperCase() + type.slice(1) + (benchmark.hasBase ? ": both versions in one flame graph" : "");
	if (benchmark.baseIsReference) return "Head and the stored baseline (not scaled) in one flame graph";
	return benchmark.hasBase ? "Both versions in one flame graph" : "Flame graph";
}

// save(isStep) is told of every change that the address is to keep.
function makeFlame(benchmark, slot, tooltip, save) {
	const view = Object.assign(makeParts(), {benchmark, tree: benchmark.nodes, state: {}, rows: [], current: null,
		history: [], matches: null, listeners: [], tooltip, save, slot});
	view.state = initialState(view);
	view.title = element("h3", "");
	view.legend = element("div", "legend");
	view.isCulprit = (tree, node) => tree === view.tree && view.culprits.has(node);
	listen(view);
	view.scroller.append(view.canvas, view.spacer);
	slot.append(element("div", "toolbar", view.title, view.status, view.matched), makeToolbar(view), view.scroller,
		view.legend, ...made(PANELS, view));
	return view;
}

// What is said around the graph.
function fillPanel(view) {
	view.culprits = new Set(view.benchmark.raw.culprits.map((culprit) => culprit.node));
	view.title.textContent = graphTitle(view.benchmark);
	fillLegend(view);
}
