// SPDX-License-Identifier: Apache-2.0
// The ways to lay out the graph: callers above, callers below, and one function between its callers and callees.

const hiddenIn = (view) => (tree, node) => !view.state.other && isOther(tree, node);

const treeRows = (view, tree, focus, pixels) =>
	visibleBoxes(tree, layoutOf(tree, view.state.side), focus, pixels, hiddenIn(view));

const asRows = (tree, rows, up) => rows.map((boxes) => ({tree, boxes: boxes || [], up}));

const zoomPick = (view, tree, node) => update(view, {zoom: node, selected: node});

// The function that a sandwich opens with: of what is selected or zoomed, of the first culprit, or the first listed.
function functionToShow(view, state) {
	const {tree, benchmark} = view;
	const culprit = benchmark.raw.culprits[0];
	const found = [state.selected, state.zoom].map((node) => (node > 0 ? tree.function[node] : -1));
	return [...found, culprit ? culprit.function : -1, defaultOrder(benchmark)[0]].find((f) => f >= 0);
}

addView({id: "icicle", title: "Icicle", key: "i", span: "callers above",
	rows: (view, pixels) => asRows(view.tree, treeRows(view, view.tree, view.state.zoom, pixels), false),
	pick: zoomPick});

addView({id: "flame", title: "Flame", key: "f", span: "callers below",
	rows: (view, pixels) => asRows(view.tree, treeRows(view, view.tree, view.state.zoom, pixels), true).reverse(),
	pick: zoomPick});

addView({id: "sandwich", title: "Sandwich", key: "s", span: "callers above and callees below one function",
	rows: (view, pixels) => {
		const {callers, callees} = sandwichOf(view);
		const above = asRows(callers, treeRows(view, callers, 0, pixels), true).slice(1).reverse();
		return above.concat(asRows(callees, treeRows(view, callees, 0, pixels), false));
	},
	pick: (view, tree, node) => {
		if (tree.function[node] >= 0) update(view, {function: tree.function[node]});
	}});

addControl("view", (view) => makeChoice(view, "View", "mode", VIEWS));
addControl("side", (view) => view.benchmark.hasBase && makeChoice(view, "Widths", "side", [
	{id: "union", title: "Both", key: "u"}, {id: "head", title: "Head", key: "h"}, {id: "base", title: "Base", key: "b"}]));
addControl("show", (view) => view.tree.function.some((f, node) => f < 0 && node > 0) &&
	makeSwitch(view, "Elided calls", "other", "o"));

for (const {id, title, key, span} of VIEWS) addKey(key, title + ": " + span, (view) => update(view, {mode: id}));
for (const [key, side, help] of [["u", "union", "Widths of both versions"], ["h", "head", "Widths of the head alone"],
	["b", "base", "Widths of the base alone"]])
	addKey(key, help, (view) => view.benchmark.hasBase && update(view, {side}));
addKey("o", "Show or hide elided calls, “(other)”", (view) => update(view, {other: !view.state.other}));
