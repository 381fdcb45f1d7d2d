// SPDX-License-Identifier: Apache-2.0
// Light, dark, or as the system has it. Nothing is stored but in the address.

const THEMES = ["auto", "light", "dark"];

// "auto" alone would not say which colours are in force.
function nameAuto(select) {
	select.options[0].textContent = "auto (" + (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light") + ")";
}

function setTheme(page, theme) {
	const root = document.documentElement, before = page.theme;
	page.theme = THEMES.includes(theme) && theme !== "auto" ? theme : "";
	if (page.theme) root.dataset.theme = page.theme;
	else delete root.dataset.theme;
	page.themeSelect.value = page.theme || "auto";
	if (page.theme !== before) redrawPage(page);
}

function makeThemeSelect(page) {
	const select = page.themeSelect = element("select", "", ...THEMES.map((theme) => element("option", "", theme)));
	THEMES.forEach((theme, i) => { select.options[i].value = theme; });
	nameAuto(select);
	select.setAttribute("aria-label", "Colours: as the system has them, light, or dark");
	select.addEventListener("change", () => {
		setTheme(page, select.value);
		page.save(false);
	});
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
		nameAuto(select);
		redrawPage(page);
	});
	return select;
}

addPageKey("d", "Colours: as the system has them, light, dark", (page) => {
	setTheme(page, THEMES[(THEMES.indexOf(page.theme || "auto") + 1) % THEMES.length]);
	page.save(false);
});
