// SPDX-License-Identifier: Apache-2.0
// Where modules add what the page is made of. They do so when they are loaded; main, the last one, makes the
// page from it. A new module is a file here, and a line in report/html/viewer.c, before main.
//
//   addView({id, title, key, rows, pick, span})
//       A way to lay out the graph. rows(view, pixels) gives the picture's rows from top to bottom, each
//       {tree, boxes: [{node, x, w}], up}, where up says that callees stand above their callers. pick(view, tree, node)
//       is what a click or Enter does.
//   addControl(slot, make)
//       make(view) gives an element for the graph's toolbar, or null. The slots from left to right:
//       view, side, data (which profile, which labels), show (switches), find, export.
//   addPanel(make)
//       make(view) gives an element between the graph and the table, or null.
//   addCardPart(make)
//       make(view, culprit, card) gives an element for the foot of a culprit's card, or null. culprit is report.json's.
//   addKey(key, help, run)
//       run(view) when the key is pressed anywhere but in a field; the help dialog lists it. run is null where the key
//       is heard elsewhere and only to be listed. addPageKey(key, help, run) is for run(page).
//   addField({short, name, initial, own, read, write, push, data})
//       view.state[name], which the address keeps as short=text (see address.js). read(text, view) gives a value, or
//       undefined where the text is not one; without read and write it is text. push: a change of it is a step of the
//       browser's history. data: it decides which tree is shown, and so is read before what names a node; own is then
//       the value with which that is the benchmark's own tree. initial(view) may be a function.
//   onUpdate(run)
//       run(view, changes) after update(view, changes) has changed view.state: where a control shows its own state.
//
// What a module may use of a view: view.benchmark (model.js), view.tree (its call tree, tree.js), view.state,
// update(view, changes), and showBenchmark(view, benchmark), which puts other costs (another profile type, what
// is left of a label filter) into the same graph and table.

const VIEWS = [], CONTROLS = [], PANELS = [], CARD_PARTS = [], KEYS = [], FIELDS = [], LISTENERS = [];

const addView = (one) => VIEWS.push(one);
const addControl = (slot, make) => CONTROLS.push({slot, make});
const addPanel = (make) => PANELS.push(make);
const addCardPart = (make) => CARD_PARTS.push(make);
const addKey = (key, help, run) => KEYS.push({key, help, run});
const addPageKey = (key, help, run) => KEYS.push({key, help, run, ofPage: true});
const addField = (one) => FIELDS.push(one);
const initialOf = ({initial}, view) => (typeof initial === "function" ? initial(view) : initial);
const onUpdate = (run) => LISTENERS.push(run);

// What all makers of a kind give, without those that have nothing to add.
const made = (makers, ...given) => makers.map((make) => make(...given)).filter(Boolean);

// Buttons of which one is pressed; choices: [{id, title, key}].
function makeChoice(view, label, name, choices) {
	const group = element("div", "choice"), buttons = choices.map((one) => {
		const button = element("button", "", one.title);
		button.dataset[name] = one.id;
		if (one.key) button.title = one.title + " (" + one.key + ")";
		button.addEventListener("click", () => update(view, {[name]: one.id}));
		return button;
	});
	group.setAttribute("role", "group");
	group.setAttribute("aria-label", label);
	group.append(...buttons);
	const show = () => buttons.forEach((button) =>
		button.setAttribute("aria-pressed", String(button.dataset[name] === view.state[name])));
	view.listeners.push(show);
	show();
	return group;
}

// A button that is pressed or not.
function makeSwitch(view, title, name, key) {
	const button = element("button", "", title);
	button.title = title + " (" + key + ")";
	button.addEventListener("click", () => update(view, {[name]: !view.state[name]}));
	const show = () => button.setAttribute("aria-pressed", String(view.state[name]));
	view.listeners.push(show);
	show();
	return button;
}
