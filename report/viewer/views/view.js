// SPDX-License-Identifier: Apache-2.0
// What is shown of one benchmark, and the one way to change it. view.state holds what the address keeps; a change
// of what is laid out or drawn goes through update(). how: "back" for a step back, "address" for what the browser's
// history or a link asks for; both are no step forward, and get no entry there.

const DRAWN_ONLY = new Set(["selected", "search"]);

// The tree that decided is looked for when the first address is shown.
function initialState(view) {
	return Object.assign(Object.fromEntries(FIELDS.map((field) => [field.name, initialOf(field, view)])), ownData());
}

// A culprit is a node of the benchmark's own tree, whichever is shown at first.
function ownData() {
	return Object.fromEntries(FIELDS.filter((field) => field.data).map((field) => [field.name, field.own]));
}

// What the benchmark cannot show is not shown, whatever an address says.
function settle(view, state, changes) {
	const entered = state.mode === "sandwich" && (view.state.mode !== "sandwich" && !("function" in changes));
	if (!view.benchmark.hasBase) state.side = "union";
	if (state.mode === "sandwich" && (state.function < 0 || entered)) state.function = functionToShow(view, state);
	if (state.function === undefined) Object.assign(state, {mode: "icicle", function: -1});
	return state;
}

const isStep = (a, b) => a.zoom !== b.zoom || (a.mode === "sandwich" && b.mode === "sandwich" && a.function !== b.function);

// Back and forth in the browser's history does not grow ours.
function remember(view, before, how) {
	const last = view.history[view.history.length - 1];
	if (how === "back" || !isStep(before, view.state)) return;
	if (how === "address" && last && !isStep(last, view.state)) view.history.pop();
	else view.history.push({zoom: before.zoom, function: before.function, mode: before.mode});
}

// What the arrow keys go on from: what is selected, or a sandwich's function when it is new there.
function placeCurrent(view, before, changes) {
	const {mode, selected} = view.state, entered = mode !== before.mode;
	if (mode === "sandwich" && (entered || before.function !== view.state.function))
		view.current = {tree: sandwichOf(view).callees, node: 0};
	else if ("selected" in changes || entered && before.mode === "sandwich")
		view.current = selected < 0 ? null : {tree: view.tree, node: selected};
}

function update(view, changes, how) {
	const before = view.state, names = Object.keys(changes);
	view.state = settle(view, Object.assign({}, before, changes), changes);
	remember(view, before, how);
	placeCurrent(view, before, changes);
	if ("search" in changes) searchFor(view);
	if (names.every((name) => DRAWN_ONLY.has(name))) drawFlame(view);
	else relayout(view);
	showCurrent(view);
	for (const show of view.listeners) show(changes);
	for (const run of LISTENERS) run(view, changes);
	if (how !== "address") view.save(how !== "back" && FIELDS.some((field) => field.push && before[field.name] !== view.state[field.name]));
}

function stepBack(view) {
	const last = view.history.pop();
	if (last) update(view, last.mode === view.state.mode ? last : {zoom: last.zoom}, "back");
	return Boolean(last);
}

// Other costs of the same benchmark in the same place: what is zoomed, selected or in the middle stays if it is
// there too.
function showBenchmark(view, benchmark) {
	const {zoom, selected} = view.state, f = view.state.function, before = view.tree;
	const paths = [zoom, selected].map((node) => (node > 0 ? writePath(node, before) : ""));
	const name = f < 0 ? "" : encodeName(view.benchmark.functions.name[f]);
	Object.assign(view, {benchmark, tree: benchmark.nodes, current: null, history: []});
	view.rebuild();
	const found = (value, otherwise) => (value === undefined ? otherwise : value);
	update(view, {zoom: found(readNode(paths[0], view), 0), selected: found(readNode(paths[1], view), -1),
		function: found(readFunction(name, view), -1), search: view.state.search}, "address");
}
