// SPDX-License-Identifier: Apache-2.0
// The keys that work anywhere on the page, and the dialog that lists them all.

const isField = (target) => Boolean(target.closest && target.closest("input, select, textarea, dialog"));

function makeHelp() {
	const dialog = element("dialog", "help"), list = element("dl", ""), close = element("button", "", "Close");
	for (const {key, help} of KEYS) list.append(element("dt", "", element("kbd", "", key)), element("dd", "", help));
	dialog.setAttribute("aria-labelledby", "help-title");
	const title = element("h3", "", "Keys");
	title.id = "help-title";
	close.addEventListener("click", () => dialog.close());
	dialog.append(title, list, close);
	return dialog;
}

// AltGr and Alt are how many keyboards type [ and ]; with a letter Alt is the browser's.
const isCommand = (event) => event.metaKey || (!event.getModifierState("AltGraph") &&
	(event.ctrlKey || (event.altKey && !/^[^\p{L}]$/u.test(event.key))));

function listenToKeys(page) {
	document.addEventListener("keydown", (event) => {
		if (event.defaultPrevented || isCommand(event) || isField(event.target)) return;
		const found = KEYS.find((one) => one.key === event.key && one.run), given = found && (found.ofPage ? page : shownView(page));
		if (!given) return;
		event.preventDefault();
		found.run(given);
	});
}

function turnTab(page, step) {
	const tab = page.tabs[page.shown + step];
	if (!tab) return;
	tab.click();
	tab.focus();
}

addPageKey("[", "Previous benchmark", (page) => turnTab(page, -1));
addPageKey("]", "Next benchmark", (page) => turnTab(page, 1));
addPageKey("?", "This list", (page) => page.help.showModal());
