// SPDX-License-Identifier: Apache-2.0
// Search by regular expression over function names; the share counts a cost once, however often a
// matching function stands in one path.

const SEARCH_MS = 1000;

// A pattern of an address could be made to search for ever: one with groups, or with more than one repetition, waits
// until the reader sends it.
const isQuick = (pattern) => pattern.length <= 500 && !/[(\\]/.test(pattern) && (pattern.match(/[*+?{]/g) || []).length < 2;

function matchNodes(benchmark, pattern) {
	const expression = new RegExp(pattern, "i"), until = performance.now() + SEARCH_MS;
	const functions = benchmark.functions.name.map((name, f) => {
		if (performance.now() > until) throw new Error("too slow");
		return expression.test(name) || expression.test(benchmark.functions.place[f]);
	});
	return functions;
}

function matchedShare(tree, matches) {
	const inside = new Uint8Array(tree.count);
	let base = 0, head = 0, count = 0;
	for (let i = 0; i < tree.count; i++) {
		const above = i > 0 && inside[tree.parent[i]], is = matches[tree.function[i]];
		inside[i] = above || is ? 1 : 0;
		count += is ? 1 : 0;
		if (!is || above) continue;
		base += tree.total_base[i];
		head += tree.total_head[i];
	}
	return {base: base / (Math.abs(tree.total_base[0]) || 1), head: head / (Math.abs(tree.total_head[0]) || 1), count};
}

function shareText(benchmark, share) {
	const boxes = share.count + (share.count === 1 ? " box" : " boxes");
	if (!benchmark.hasBase) return boxes + ", " + percent(share.head) + " of the total";
	return boxes + ", " + percent(share.base) + " of base, " + percent(share.head) + " of head";
}

// view.matches says of each function whether it is found; null: nothing is searched for. view.waiting is what an
// address asks for and the reader has not sent: the address keeps it.
function searchFor(view) {
	const pattern = view.state.search;
	let words = "";
	view.matches = null;
	if (pattern && pattern === view.waiting) {
		view.matched.textContent = "Enter in the field starts this search";
		view.searchInput.classList.remove("bad");
		return;
	}
	try {
		if (pattern) view.matches = matchNodes(view.benchmark, pattern);
		if (view.matches) words = shareText(view.benchmark, matchedShare(view.tree, view.matches));
	} catch (error) {
		words = error instanceof SyntaxError ? "not a regular expression" : "the search takes too long";
	}
	view.searchInput.classList.toggle("bad", Boolean(pattern) && !view.matches);
	view.matched.textContent = words;
}

// The next found box of the picture, from the current one on.
function nextMatch(view, step) {
	if (!view.matches) return;
	const boxes = view.rows.flatMap(({tree, boxes: row}) => row.filter((box) => view.matches[tree.function[box.node]])
		.map((box) => ({tree, node: box.node})));
	const at = boxes.findIndex((one) => view.current && one.tree === view.current.tree && one.node === view.current.node);
	if (boxes.length) goTo(view, boxes[(at < 0 && step < 0 ? boxes.length - 1 : at + step + boxes.length) % boxes.length]);
}

addControl("find", (view) => {
	const input = view.searchInput = element("input", "");
	input.type = "search";
	input.placeholder = "Search (regular expression)";
	input.title = "Search (/)";
	input.setAttribute("aria-label", "Search functions by regular expression");
	const send = () => {
		view.waiting = "";
		update(view, {search: input.value});
	};
	input.addEventListener("input", send);
	input.addEventListener("keydown", (event) => {
		if (event.key === "Enter") send();
		if (event.key === "Escape") view.canvas.focus();
	});
	view.listeners.push((changes) => {
		if ("search" in changes && input.value !== view.state.search) input.value = view.state.search;
	});
	return input;
});
addKey("/", "Search", (view) => view.searchInput.focus());
addKey("n", "Next found box", (view) => nextMatch(view, 1));
addKey("N", "Previous found box", (view) => nextMatch(view, -1));
