// SPDX-License-Identifier: Apache-2.0
// Uses the viewer as a reader would, by events alone, and leaves what it saw on the document element.
(function () {
	"use strict";
	const seen = document.documentElement.dataset;
	const article = document.querySelector("article:not([hidden])");
	const canvas = article.querySelector("canvas");
	const [flameSearch, filter] = article.querySelectorAll("input");
	const matched = article.querySelectorAll(".matched");
	const back = Array.from(article.querySelectorAll("button")).find((b) => b.textContent === "Back");
	const rows = () => article.querySelectorAll(".changes tbody tr");
	const key = (name) => canvas.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true, cancelable: true}));
	const type = (input, text) => {
		input.value = text;
		input.dispatchEvent(new Event("input", {bubbles: true}));
	};
	const pointer = (kind, x, y) => {
		const box = canvas.getBoundingClientRect();
		canvas.dispatchEvent(new MouseEvent(kind, {clientX: box.left + x, clientY: box.top + y, bubbles: true}));
	};

	pointer("mousemove", 20, 52);
	seen.tooltip = document.querySelector(".tooltip .name").textContent;
	seen.backAtFirst = String(back.disabled);
	pointer("click", 20, 52);
	seen.clicked = matched[0].textContent;
	seen.backAfterClick = String(back.disabled);
	key("Escape");
	seen.backAfterEscape = String(back.disabled);
	key("ArrowDown");
	seen.walked = matched[0].textContent;
	key("Enter");
	key("Backspace");
	type(flameSearch, "^parse_");
	seen.share = matched[1].textContent;
	type(flameSearch, "(");
	seen.badPattern = matched[1].textContent;
	type(flameSearch, "");
	seen.firstRow = rows()[0].cells[0].textContent;
	type(filter, "table.c");
	seen.filtered = String(rows().length);
	type(filter, "");
	article.querySelector(".changes thead button").click();
	seen.sorted = rows()[0].cells[0].textContent;
	article.querySelector(".card button").click();
	seen.revealed = matched[0].textContent;
})();
