// SPDX-License-Identifier: Apache-2.0
// Turns the switchers of what the graph counts, by events alone, and leaves what it saw as lines of text.
(async function () {
	"use strict";
	const lines = [], article = document.querySelector("article:not([hidden])");
	const say = (line) => lines.push(line.replace(/\s+/g, " ").trim());
	const texts = (nodes) => Array.from(nodes, (node) => node.textContent);
	const select = (label) => article.querySelector('select[aria-label="' + label + '"]');
	const settle = () => new Promise((done) => setTimeout(done, 400));
	const canvas = article.querySelector("canvas"), tooltip = document.querySelector(".tooltip");

	function hover(x, y) {
		const box = canvas.getBoundingClientRect();
		canvas.dispatchEvent(new MouseEvent("mousemove", {clientX: box.left + x, clientY: box.top + y, bubbles: true}));
		if (tooltip.hidden) return "nothing";
		const rows = Array.from(tooltip.querySelectorAll("tr"), (row) => texts(row.cells).join(" "));
		return [tooltip.querySelector(".name").textContent + ":", ...rows, ...texts(tooltip.querySelectorAll(":scope > div:not(.name)"))].join(" ");
	}

	function look(name) {
		say(name + " title " + article.querySelector(".toolbar h3").textContent);
		say(name + " legend " + texts(article.querySelector(".legend").childNodes).join(" | "));
		for (const said of article.querySelectorAll(".flame-slot > p.count")) if (!said.hidden) say(name + " says " + said.textContent);
		say(name + " row " + texts(article.querySelector(".changes tbody tr").cells).join(" | "));
		say(name + " status " + article.querySelector(".matched").textContent);
		say(name + " hover " + hover(20, 5));
		say(name + " hash " + location.hash);
		for (const one of article.querySelectorAll("select")) say(name + " shows " + one.selectedOptions[0].textContent);
	}

	async function choose(label, title) {
		const one = select(label);
		one.value = Array.from(one.options).find((option) => option.textContent === title).value;
		one.dispatchEvent(new Event("change", {bubbles: true}));
		await settle();
	}

	async function press(key) {
		document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
		await settle();
	}

	const steps = window.steps || [];
	for (const one of article.querySelectorAll("select")) say("choices " + one.getAttribute("aria-label") + ": " + texts(one.options).join(" | "));
	look("first");
	for (const [name, what, ...given] of steps) {
		if (what === "choose") await choose(...given);
		if (what === "press") await press(...given);
		if (what === "back") {
			history.back();
			await settle();
		}
		if (what === "card") {
			article.querySelector(".card button").click();
			await settle();
		}
		look(name);
	}
	const seen = document.createElement("pre");
	seen.textContent = "\n" + lines.join("\n") + "\n";
	document.body.append(seen);
})();
