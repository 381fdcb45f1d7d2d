// SPDX-License-Identifier: Apache-2.0
// What is shown, as files for other tools. They are made here and handed to the browser; nothing leaves the page.

// A name of ours from one of others: what it holds else could mean something to a shell or a file system.
const plainName = (name) => name.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60);

function fileName(benchmark, ending) {
	const type = benchmark.raw.profile_type;
	return (plainName(benchmark.name) || "benchmark") + (type && type !== "cpu" ? "." + plainName(type) : "") + ending;
}

function download(name, type, text) {
	const link = element("a", ""), url = URL.createObjectURL(new Blob([text], {type}));
	link.href = url;
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// What is said of the costs that the picture shows: the benchmark's sentence is of its own type and of all of it.
function pictureSentence(view) {
	const {benchmark} = view, heading = view.slot.closest("article").querySelector("h2 > span:last-child");
	if (benchmark.part) return benchmark.name + ". " + partText(benchmark);
	if (benchmark.own) return benchmark.name + ". " + decidedText(benchmark);
	return cleanText(heading ? heading.textContent : benchmark.name);
}

function pictureTitle(view) {
	const {mode, side} = view.state, f = view.state.function, parts = [pictureSentence(view)];
	if (side !== "union") parts.push("widths of the " + side + " alone");
	if (mode === "sandwich" && f >= 0) parts.push("callers and callees of " + view.benchmark.functions.name[f]);
	return parts.join("; ");
}

// A file that is cut says so on the page: these formats have no comments.
function folded(view, sides) {
	const {text, left, count} = foldStacks(view.tree, sides);
	view.exportSaid.hidden = !left;
	view.exportSaid.textContent = left ? "The file is cut: of " + count + " call paths it has the " + (count - left) +
		" costliest, and the others as one, “" + LEFT_OUT + "”." : "";
	return text;
}

// compared: only where there are two sides.
const EXPORTS = [
	{title: "Picture as seen (SVG)", ending: ".svg", type: "image/svg+xml", make: (view) => svgText(view, pictureTitle(view))},
	{title: "speedscope JSON", ending: ".speedscope.json", type: "application/json", make: (view) => speedscopeText(view.tree)},
	{title: "Folded stacks", ending: ".folded", alone: true, make: (view) => folded(view, ["head"])},
	{title: "Folded stacks of base", ending: ".base.folded", compared: true, make: (view) => folded(view, ["base"])},
	{title: "Folded stacks of head", ending: ".head.folded", compared: true, make: (view) => folded(view, ["head"])},
	{title: "Folded stacks of both", ending: ".both.folded", compared: true, make: (view) => folded(view, ["base", "head"])},
];

const exportsOf = (benchmark) => EXPORTS.filter((one) => (benchmark.hasBase ? !one.alone : !one.compared));

function makeExportMenu(view) {
	const menu = element("details", "menu"), list = element("div", "menu-list");
	const buttons = exportsOf(view.benchmark).map((one) => {
		const button = element("button", "", one.title);
		button.addEventListener("click", () => {
			view.exportSaid.hidden = true;
			download(fileName(view.benchmark, one.ending), one.type || "text/plain", one.make(view));
			menu.open = false;
		});
		return button;
	});
	list.append(...buttons);
	menu.append(element("summary", "", "Export"), list);
	menu.addEventListener("keydown", (event) => {
		if (event.key !== "Escape" || !menu.open) return;
		event.stopPropagation();
		menu.open = false;
		menu.firstChild.focus();
	});
	menu.addEventListener("focusout", (event) => {
		if (event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
	});
	return menu;
}

addControl("export", makeExportMenu);

addPanel((view) => {
	view.exportSaid = element("p", "count");
	view.exportSaid.setAttribute("role", "status");
	view.exportSaid.hidden = true;
	return view.exportSaid;
});
