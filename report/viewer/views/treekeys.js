// SPDX-License-Identifier: Apache-2.0
// The keys and clicks of the tree of elements, as screen readers' users know them.

function activateItem(view, item) {
	if (item.showMore) item.showMore();
	else update(view, {zoom: item.node, selected: item.node});
}

function parentItem(item) {
	let above = item.previousElementSibling;
	while (above && above.level >= item.level) above = above.previousElementSibling;
	return above;
}

// Right opens and goes into, Left closes and goes out.
function goIn(view, item) {
	const next = item.nextElementSibling;
	if (item.getAttribute("aria-expanded") === "true") return next && next.level > item.level ? next : null;
	return openItem(view, item);
}

function goOut(view, item) {
	return item.getAttribute("aria-expanded") === "true" ? closeItem(view, item) : parentItem(item);
}

const TREE_KEYS = {ArrowDown: (view, item) => item.nextElementSibling, ArrowUp: (view, item) => item.previousElementSibling,
	Home: (view) => view.list.firstChild, End: (view) => view.list.lastChild, ArrowRight: goIn, ArrowLeft: goOut,
	Enter: activateItem, " ": activateItem};

function treeKey(view, item, key) {
	if (!TREE_KEYS[key]) return false;
	const next = TREE_KEYS[key](view, item);
	if (next) focusItem(view, next);
	return true;
}

function listenToTree(view) {
	const {list, details} = view;
	list.addEventListener("keydown", (event) => {
		if (event.altKey || event.ctrlKey || event.metaKey || !treeKey(view, event.target, event.key)) return;
		event.preventDefault();
	});
	list.addEventListener("focusin", (event) => {
		const {node} = event.target;
		if (node !== undefined && node !== view.state.selected) update(view, {selected: node});
	});
	list.addEventListener("click", (event) => {
		const item = event.target.closest("li");
		if (!item) return;
		if (item.showMore) return item.showMore();
		if (item.getAttribute("aria-expanded") === "true") closeItem(view, item);
		else openItem(view, item);
		focusItem(view, item);
	});
	details.addEventListener("toggle", () => { if (details.open) fillTree(view); });
}

addPanel((view) => {
	const details = view.details = element("details", "tree", element("summary", "", "Call tree as text"));
	const list = view.list = element("ul", "");
	list.setAttribute("role", "tree");
	list.setAttribute("aria-label", "Call tree");
	details.append(list);
	listenToTree(view);
	return details;
});

onUpdate((view) => { if (view.details.open) fillTree(view); });

addKey("t", "Call tree as text", (view) => {
	view.details.open = true;
	fillTree(view);
	view.tabStop.focus();
});
for (const [key, help] of [["↑ ↓ → ←", "In the tree: walk, open, close"], ["Enter", "In the tree: zoom; in the table: show in the graph"]])
	addKey(key, help, null);
