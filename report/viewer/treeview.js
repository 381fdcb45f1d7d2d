// SPDX-License-Identifier: Apache-2.0
// The call tree as a tree of elements, for screen readers and for whoever rather reads: opened on demand, filled a
// node at a time, its selection the graph's. The items are one flat list, as call trees can be deeper than browsers
// like elements to be; their levels say what is below what.

const CHILDREN_AT_ONCE = 100;

// One line for a node: the same as its tooltip, shorter.
function treeLine(tree, node) {
	const {benchmark} = tree, {unit} = benchmark, costs = nodeCosts(tree, node), line = element("span", "line");
	const direction = nodeDirection(tree, node);
	const figures = benchmark.hasBase ?
		"total " + cost(costs.total_base, unit) + " → " + cost(costs.total_head, unit) + ", " + signedPercent(costs.total_change) :
		"total " + cost(costs.total_head, unit) + ", self " + cost(costs.self_head, unit);
	const state = stateText(tree, node);
	line.append(element("code", "", glyph(tree, node) + nodeName(tree, node)), " ", element("span", "figures", figures));
	if (state) line.append(" ", element("span", direction > 0 ? "more" : direction < 0 ? "less" : "figures", state));
	return line;
}

function childrenOf(view, node) {
	const {tree, state} = view, layout = layoutOf(tree, "union"), found = [];
	for (let child = tree.first[node]; child >= 0; child = tree.next[child])
		if (state.other || !isOther(tree, child)) found.push(child);
	return found.sort((a, b) => layout.width[b] - layout.width[a] || a - b);
}

function treeItem(level, line) {
	const item = element("li", "", line);
	item.setAttribute("role", "treeitem");
	item.setAttribute("aria-level", String(level));
	item.style.paddingLeft = 14 * Math.min(level - 1, 40) + "px";
	item.tabIndex = -1;
	item.level = level;
	return item;
}

function makeItem(view, node) {
	const item = treeItem(view.tree.depth[node] + 1, treeLine(view.tree, node));
	item.node = node;
	item.setAttribute("aria-selected", "false");
	if (view.tree.first[node] >= 0) item.setAttribute("aria-expanded", "false");
	view.items.set(node, item);
	return item;
}

// The first ones; the rest on demand, by one more item.
function addChildren(view, after, children, level) {
	const now = children.slice(0, CHILDREN_AT_ONCE), rest = children.slice(CHILDREN_AT_ONCE);
	const items = now.map((child) => makeItem(view, child));
	if (rest.length) {
		const more = treeItem(level, element("span", "line", rest.length + " more"));
		more.showMore = () => {
			addChildren(view, more, rest.filter((child) => !view.items.has(child)), level);
			focusItem(view, more.nextElementSibling);
			more.remove();
		};
		items.push(more);
	}
	after.after(...items);
}

function closeItem(view, item) {
	while (item.nextElementSibling && item.nextElementSibling.level > item.level) {
		view.items.delete(item.nextElementSibling.node);
		item.nextElementSibling.remove();
	}
	item.setAttribute("aria-expanded", "false");
}

function openItem(view, item) {
	if (item.getAttribute("aria-expanded") !== "false") return;
	item.setAttribute("aria-expanded", "true");
	addChildren(view, item, childrenOf(view, item.node), item.level + 1);
}

// Opens the way to a node. One that is still behind "more", or hidden, is put first.
function itemOf(view, node) {
	const path = [];
	for (let at = node; at > 0; at = view.tree.parent[at]) path.push(at);
	let item = view.items.get(0);
	for (const at of path.reverse()) {
		openItem(view, item);
		if (!view.items.has(at)) item.after(makeItem(view, at));
		item = view.items.get(at);
	}
	return item;
}

function setTabStop(view, item) {
	view.tabStop.tabIndex = -1;
	view.tabStop = item;
	item.tabIndex = 0;
}

function focusItem(view, item) {
	setTabStop(view, item);
	item.focus();
}

// What the graph has selected is selected here too, without taking the focus away from it.
function showSelected(view) {
	if (view.marked) view.marked.setAttribute("aria-selected", "false");
	view.marked = view.state.selected < 0 ? null : itemOf(view, view.state.selected);
	if (!view.marked) return;
	view.marked.setAttribute("aria-selected", "true");
	if (!view.list.contains(document.activeElement)) setTabStop(view, view.marked);
}

function fillTree(view) {
	const {tree, state} = view;
	if (!view.filled || view.filled.tree !== tree || view.filled.other !== state.other) {
		const hadFocus = view.list.contains(document.activeElement);
		view.items = new Map();
		view.marked = null;
		view.filled = {tree, other: state.other};
		view.list.replaceChildren(makeItem(view, 0));
		view.tabStop = view.list.firstChild;
		view.tabStop.tabIndex = 0;
		openItem(view, view.tabStop);
		showSelected(view);
		if (hadFocus) view.tabStop.focus();
		return;
	}
	showSelected(view);
}
