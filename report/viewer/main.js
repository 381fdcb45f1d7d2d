// SPDX-License-Identifier: Apache-2.0
// Puts the interactive parts into the page that the report was rendered as; without scripts that page
// stands for itself.

// The node of a function that cost most.
function largestNode(benchmark, f) {
	const nodes = benchmark.nodes;
	let best = -1;
	for (let i = 1; i < nodes.count; i++) {
		if (nodes.function[i] !== f) continue;
		if (best < 0 || Math.abs(nodes.total_change[i]) > Math.abs(nodes.total_change[best]) ||
			(nodes.total_change[i] === nodes.total_change[best] && nodes.total_head[i] > nodes.total_head[best])) best = i;
	}
	return best;
}

function addShowButtons(article, flame) {
	for (const card of article.querySelectorAll(".card[data-node]")) {
		const button = element("button", "", "Show in the graph");
		button.addEventListener("click", () => revealNode(flame, Number(card.dataset.node)));
		card.append(button);
	}
}

function enliven(benchmark, article, tooltip) {
	const slot = article.querySelector(".flame-slot");
	if (!slot || benchmark.nodes.count < 2) return null;
	slot.hidden = false;
	const flame = makeFlame(benchmark, slot, tooltip);
	makeTable(benchmark, article.querySelector(".changes"), (f) => {
		const node = largestNode(benchmark, f);
		if (node >= 0) revealNode(flame, node);
	});
	const dots = article.querySelector(".dots-slot");
	if (dots) makeDots(benchmark, dots);
	addShowButtons(article, flame);
	relayout(flame);
	return flame;
}

function makePage(model) {
	const articles = Array.from(document.querySelectorAll("article[data-index]"));
	const tooltip = element("div", "tooltip"), flames = [], buttons = [];
	let shown = -1;

	const show = (index) => {
		articles.forEach((article, i) => { article.hidden = i !== index; });
		buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === index)));
		if (flames[index] === undefined) flames[index] = enliven(model.benchmarks[index], articles[index], tooltip);
		else if (flames[index]) relayout(flames[index]);
		shown = index;
	};
	const redraw = () => { if (flames[shown]) relayout(flames[shown]); };

	tooltip.hidden = true;
	document.body.append(tooltip);
	const nav = document.querySelector("nav");
	model.benchmarks.forEach((benchmark, i) => {
		const undecided = benchmark.raw.outcome === "profile" && benchmark.raw.status === "pass";
		const button = element("button", undecided ? "info" : benchmark.raw.status, benchmark.name);
		button.addEventListener("click", () => { show(i); location.hash = "b" + i; });
		buttons.push(button);
	});
	nav.append(...buttons);
	nav.hidden = model.benchmarks.length < 2;
	addEventListener("resize", redraw);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
	document.addEventListener("keydown", (event) => {
		if (event.key !== "/" || event.target.tagName === "INPUT" || !flames[shown]) return;
		event.preventDefault();
		flames[shown].search.focus();
	});
	const wanted = /^#b(\d{1,4})$/.exec(location.hash);
	show(wanted && Number(wanted[1]) < articles.length ? Number(wanted[1]) : Number(nav.dataset.worst) || 0);
	return flames[shown] ? model.benchmarks[shown].nodes.count : 0;
}

const model = makeModel(document.getElementById("data").textContent);
const nodesShown = model.benchmarks.length ? makePage(model) : 0;
document.documentElement.dataset.ready = String(nodesShown);
