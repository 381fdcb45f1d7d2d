// SPDX-License-Identifier: Apache-2.0
// What stands on paper instead of the graph: the paths that lead to what changed, or without a comparison to what
// costs most.

const PRINTED_NODES = 120, PRINTED_PATH = 24;

function weightOf(tree, node) {
	if (!tree.benchmark.hasBase) return Math.abs(tree.total_head[node]);
	const counts = isNotable(tree.state[node]) || isNotable(tree.self_state[node]) || Math.abs(tree.total_change[node]) >= 0.005;
	return counts ? Math.abs(tree.total_change[node]) + (nodeDirection(tree, node) ? 1000 : 0) : 0;
}

// What is to be seen of the way to a node: all of it, or where it begins and ends.
function printedPath(tree, node) {
	const path = [];
	for (let at = node; at > 0; at = tree.parent[at]) path.push(at);
	return path.length <= PRINTED_PATH ? path : path.slice(0, PRINTED_PATH - 2).concat(path.slice(-2));
}

// The weightiest nodes with their callers, in the tree's order.
function printedNodes(tree) {
	const chosen = new Set(), order = [];
	for (let node = 1; node < tree.count; node++) {
		const weight = weightOf(tree, node);
		if (weight > 0) order.push({node, weight});
	}
	order.sort((a, b) => b.weight - a.weight || a.node - b.node);
	for (const {node} of order) {
		if (chosen.size >= PRINTED_NODES) break;
		for (const at of printedPath(tree, node)) chosen.add(at);
	}
	return Array.from(chosen).sort((a, b) => a - b);
}

// Each below the nearest of its callers that is there; what lies between is counted.
function printedList(tree) {
	const lists = new Map([[0, element("ul", "")]]);
	for (const node of printedNodes(tree)) {
		let above = tree.parent[node], left = 0;
		for (; !lists.has(above); above = tree.parent[above]) left++;
		const below = element("ul", ""), item = element("li", "", treeLine(tree, node), below);
		if (left) item.prepend(element("span", "figures", "… " + left + (left === 1 ? " call … " : " calls … ")));
		lists.get(above).append(item);
		lists.set(node, below);
	}
	return lists.get(0);
}

function fillPrinted(view) {
	const {tree} = view, list = printedList(tree);
	const title = element("h3", "", tree.benchmark.hasBase ? "What changed in the call tree" : "Where the cost is");
	view.printed.replaceChildren(title, list.firstChild ? list : element("p", "", "Nothing that counts."));
}

// What is folded on the page is not on paper; the menu and the tree are the page's own.
function unfold() {
	const folded = Array.from(document.querySelectorAll("body > section details, article details"))
		.filter((one) => !one.open && !one.matches(".menu, .tree"));
	for (const one of folded) one.open = true;
	return () => { for (const one of folded) one.open = false; };
}

// Paper has one benchmark with its graph and tables, and of the others what was decided.
function sayWhatIsPrinted(page) {
	const note = element("p", "print-note"), {benchmarks} = page.model;
	let fold = null;
	const begin = () => {
		note.textContent = "In full: " + (benchmarks[page.shown] || {}).name + ". Of the other " + (benchmarks.length === 2 ? "benchmark" :
			benchmarks.length - 1 + " benchmarks") + " here is what was decided; the page itself has all of them.";
		fold = fold || unfold();
	};
	const end = () => {
		if (fold) fold();
		fold = null;
	};
	const media = matchMedia("print");
	addEventListener("beforeprint", begin);
	addEventListener("afterprint", end);
	media.addEventListener("change", () => (media.matches ? begin() : end()));
	if (benchmarks.length > 1) document.querySelector("nav").after(note);
}

// Few readers print: what is printed is made when paper asks for it, and again when the tree has changed since.
addPanel((view) => {
	const media = matchMedia("print");
	let made = null;
	const fill = () => {
		if (made === view.tree) return;
		made = view.tree;
		fillPrinted(view);
	};
	view.printed = element("div", "printed");
	addEventListener("beforeprint", fill);
	media.addEventListener("change", () => { if (media.matches) fill(); });
	if (media.matches) queueMicrotask(fill);
	return view.printed;
});
