// SPDX-License-Identifier: Apache-2.0
// The page: a tab and a view for each benchmark, and the address that says what of it is shown. The rest of the
// page is as the report was rendered; without scripts it stands for itself.

const SAVE_MS = 250;

function addToCards(article, view) {
	for (const card of article.querySelectorAll(".card[data-node]")) {
		const node = Number(card.dataset.node), button = element("button", "", "Show in the graph");
		const culprit = view.benchmark.raw.culprits.find((one) => one.node === node);
		button.addEventListener("click", () => {
			update(view, ownData());
			revealNode(view, node);
		});
		card.append(button, ...(culprit ? made(CARD_PARTS, view, culprit, card) : []));
	}
}

function enliven(page, index) {
	const article = page.articles[index], benchmark = page.model.benchmarks[index];
	const slot = article.querySelector(".flame-slot"), dots = article.querySelector(".dots-slot");
	const memory = article.querySelector(".memory-slot");
	if (memory) makeMemory(benchmark.raw, memory, page.tooltip);
	if (!slot || benchmark.nodes.count < 2) return null;
	slot.hidden = false;
	const view = makeFlame(benchmark, slot, page.tooltip, page.save);
	view.rebuild = () => {
		const slot = article.querySelector(".changes"), hadFocus = slot.contains(document.activeElement);
		fillPanel(view);
		makeTable(view.benchmark, slot, (f) => revealFunction(view, f));
		if (hadFocus) (slot.querySelector("tbody tr") || view.canvas).focus();
	};
	view.rebuild();
	if (dots) makeDots(benchmark, dots);
	addToCards(article, view);
	return view;
}

// Shows a benchmark as an address has it.
function showPanel(page, index, fields) {
	page.articles.forEach((article, i) => { article.hidden = i !== index; });
	page.tabs.forEach((button, i) => button.setAttribute("aria-pressed", String(i === index)));
	if (page.views[index] === undefined) page.views[index] = enliven(page, index);
	page.shown = index;
	const view = page.views[index];
	if (!view) return;
	update(view, stateFrom(fields, view, true), "address");
	const state = stateFrom(fields, view, false);
	view.waiting = isQuick(state.search) ? "" : state.search;
	update(view, state, "address");
	if (view.current) scrollToNode(view, view.current);
	if (["v", "w", "z", "n", "f", "q"].some((short) => fields.has(short))) view.scroller.scrollIntoView({block: "nearest"});
}

function showAddress(page) {
	page.cancelSave();
	const fields = splitAddress(location.hash), count = page.articles.length;
	const text = fields.get("b") || (/^#b(\d+)$/.exec(location.hash) || [])[1] || "";
	const index = /^\d{1,4}$/.test(text) && Number(text) < count ? Number(text) : page.first;
	setTheme(page, fields.get("theme"));
	if (count) showPanel(page, index, fields);
}

const shownView = (page) => page.views[page.shown] || null;

// The others are drawn when they are shown; what is said around their graphs has colours too.
function redrawPage(page) {
	for (const view of page.views) if (view) fillPanel(view);
	if (shownView(page)) relayout(shownView(page));
}

// The browser tells of it later, when more may have changed: what we pushed ourselves is not to be shown again.
function pushAddress(page) {
	const before = location.hash;
	location.hash = page.address;
	if (location.hash !== before) page.told++;
}

// A step gets an entry in the browser's history, what else changes replaces the last one's address, at leisure.
function makeSave(page) {
	let timer = 0;
	const replace = () => {
		timer = 0;
		try {
			history.replaceState(null, "", page.address);
		} catch (error) {
			location.replace(page.address);
		}
	};
	page.cancelSave = () => {
		clearTimeout(timer);
		timer = 0;
	};
	return (isStep) => {
		if (isStep && timer) replace();
		page.cancelSave();
		page.address = addressOf(shownView(page), page.shown, page.theme);
		if (isStep) pushAddress(page);
		else timer = setTimeout(replace, SAVE_MS);
	};
}

function makeTabs(page) {
	return page.model.benchmarks.map((benchmark, i) => {
		const undecided = benchmark.raw.status === "neutral" || (benchmark.raw.outcome === "profile" && benchmark.raw.status === "pass");
		const button = element("button", undecided ? "info" : benchmark.raw.status, benchmark.name);
		button.addEventListener("click", () => {
			const fields = splitAddress(page.address);
			for (const short of ["z", "n", "f", "l", "t"]) fields.delete(short);
			showPanel(page, i, fields);
			page.save(true);
		});
		return button;
	});
}

function makePage(model) {
	const page = {model, articles: Array.from(document.querySelectorAll("article[data-index]")), views: [], shown: -1, told: 0,
		theme: "", address: location.hash, tooltip: element("div", "tooltip"), help: makeHelp()};
	const nav = document.querySelector("nav"), ask = element("button", "", "Keys");
	page.first = Number(nav.dataset.worst) || 0;
	page.save = makeSave(page);
	page.tabs = makeTabs(page);
	page.tooltip.hidden = true;
	nav.append(...page.tabs);
	nav.hidden = model.benchmarks.length < 2;
	ask.title = "List the keys (?)";
	ask.addEventListener("click", () => page.help.showModal());
	document.querySelector("header").append(element("div", "page-tools", makeThemeSelect(page), ask));
	document.body.append(page.tooltip, page.help);
	addEventListener("resize", () => { if (shownView(page)) relayout(shownView(page)); });
	addEventListener("hashchange", () => {
		if (page.told > 0) {
			page.told--;
			return;
		}
		if (location.hash === page.address) return;
		page.address = location.hash;
		showAddress(page);
	});
	listenToKeys(page);
	sayWhatIsPrinted(page);
	showAddress(page);
	return page;
}
