// SPDX-License-Identifier: Apache-2.0
// The call tree as a tree of elements, for screen readers and for whoever rather reads: opened on demand, filled a
// node at a time, its selection the graph's. The items are one flat list, as call trees can be deeper than browsers
// like elements to be; their levels say what is below what. A deep node's callers are there up to view.top, and one
// more item stands for what is above it.

const CHILDREN_AT_ONCE = 100, LEVELS_AT_ONCE = 200, SIBLINGS_OF_DEEP = 10;

// One line for a node: the same as its tooltip, shorter.
function treeLine(tree, node) {
	const {benchmark} = tree, {unit} = benchmark, costs = nodeCosts(tree, node), line = element("span", "line");
	const direction = nodeDirection(tree, node);
	const figures = benchmark.hasBase ?
		"total " + cost(costs.total_base, unit) + " → " + cost(costs.total_head, unit) + ", " + signedPercent(costs.total_change) + " of all" :
		"total " + cost(costs.total_head, unit) + ", self " + cost(costs.self_head, unit);
	const state = stateText(tree, node);
	line.append(element("code", "", glyph(tree, node) + nodeName(tree, node)), " ", element("span", "figures", figures));
	if (state) line.append(" · ", element("span", direction > 0 ? "more" : direction < 0 ? "less" : "figures", state));
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
function addChildren(view, after, children, level, atOnce) {
	const now = children.slice(0, atOnce), rest = children.slice(atOnce);
	const items = now.map((child) => makeItem(view, child));
	if (rest.length) {
		const more = treeItem(level, element("span", "line", rest.length + " more"));
		more.showMore = () => {
			addChildren(view, more, rest.filter((child) => !view.items.has(child)), level, CHILDREN_AT_ONCE);
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

function openItem(view, item, atOnce = CHILDREN_AT_ONCE) {
	if (item.getAttribute("aria-expanded") !== "false") return;
	item.setAttribute("aria-expanded", "true");
	addChildren(view, item, childrenOf(view, item.node), item.level + 1, atOnce);
}

function callerOf(tree, node, levels) {
	for (; levels > 0 && node > 0; levels--) node = tree.parent[node];
	return node;
}

// Begins the list at a node; activated, the item above it begins it higher up.
function beginAt(view, top) {
	const {tree, list} = view, depth = tree.depth[top], more = Math.min(LEVELS_AT_ONCE, depth);
	view.items = new Map();
	view.marked = null;
	view.top = top;
	list.replaceChildren(makeItem(view, top));
	view.tabStop = view.items.get(top);
	view.tabStop.tabIndex = 0;
	if (!depth) return;
	const above = treeItem(depth, element("span", "line", depth + " callers above are not shown: show " + (more < depth ? more + " more" : "them")));
	above.showMore = () => {
		beginAt(view, callerOf(tree, top, more));
		focusItem(view, itemOf(view, top));
	};
	list.prepend(above);
}

// The way from the top to a node; one that is not below it, or too far, gets a top of its own.
function pathTo(view, node) {
	const {tree} = view, path = [];
	for (let at = node; at !== view.top && path.length <= LEVELS_AT_ONCE && at > 0; at = tree.parent[at]) path.push(at);
	if (callerOf(tree, node, path.length) === view.top && path.length <= LEVELS_AT_ONCE) return path.reverse();
	beginAt(view, callerOf(tree, node, tree.depth[node] <= LEVELS_AT_ONCE ? tree.depth[node] : LEVELS_AT_ONCE / 2));
	return pathTo(view, node);
}

// Opens the way to a node. One that is still behind "more", or hidden, is put first.
function itemOf(view, node) {
	const path = pathTo(view, node), atOnce = path.length > LEVELS_AT_ONCE / 10 ? SIBLINGS_OF_DEEP : CHILDREN_AT_ONCE;
	let item = view.items.get(view.top);
	for (const at of path) {
		openItem(view, item, atOnce);
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
		view.filled = {tree, other: state.other};
		beginAt(view, 0);
		openItem(view, view.tabStop);
		showSelected(view);
		if (hadFocus) view.tabStop.focus();
		return;
	}
	showSelected(view);
}
