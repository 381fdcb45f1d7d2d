// SPDX-License-Identifier: Apache-2.0
// Looks at all of a report as a reader would, tab by tab, and leaves what it saw as lines of text.
(function () {
	"use strict";
	const ROW = 21, STEP = 3;
	const lines = [], drawn = new Set();
	const say = (line) => lines.push(line.replace(/\s+/g, " ").trim());
	const texts = (nodes) => Array.from(nodes, (node) => node.textContent);
	const tooltip = document.querySelector(".tooltip");

	// What is written on the canvas can only be heard while it is drawn.
	const fillText = CanvasRenderingContext2D.prototype.fillText;
	CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
		drawn.add(text + " in " + this.fillStyle);
		fillText.call(this, text, ...place);
	};

	function pointer(canvas, kind, x, y) {
		const box = canvas.getBoundingClientRect();
		canvas.dispatchEvent(new MouseEvent(kind, {clientX: box.left + x, clientY: box.top + y, bubbles: true}));
	}

	// The verdict's two scales by their hue, whatever their strength.
	function hueName([red, green, blue]) {
		const high = Math.max(red, green, blue), chroma = high - Math.min(red, green, blue);
		if (chroma < 16) return "grey";
		const sector = high === red ? ((green - blue) / chroma + 6) % 6 : high === green ? (blue - red) / chroma + 2 :
			(red - green) / chroma + 4;
		const hue = sector * 60;
		return hue > 10 && hue < 40 ? "vermilion" : hue > 190 && hue < 220 ? "blue" : "another colour";
	}

	function hover(canvas, x, y) {
		pointer(canvas, "mousemove", x, y);
		if (tooltip.hidden) return "";
		const rows = Array.from(tooltip.querySelectorAll("tr"), (row) => texts(row.cells).join(" "));
		const rest = texts(tooltip.querySelectorAll(":scope > div:not(.name)"));
		return texts([tooltip.querySelector(".name")]) + ": " + rows.concat(rest).join("; ");
	}

	// Every box once: what its tooltip says, its colour, and what a click on it selects.
	function lookAtBoxes(canvas, article) {
		const ratio = canvas.width / canvas.clientWidth, found = new Map();
		const picture = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
		const pixel = (x, y) => {
			const at = 4 * (Math.floor(y * ratio) * picture.width + Math.floor(x * ratio));
			return picture.data.slice(at, at + 3);
		};
		for (let y = 3; y < canvas.clientHeight; y += ROW) {
			for (let x = 1; x < canvas.clientWidth; x += STEP) {
				const text = hover(canvas, x, y);
				if (text && !found.has(text)) found.set(text, {x, y});
			}
		}
		for (const [text, {x, y}] of found) {
			say("hover " + text);
			say("box " + text.split(":")[0] + ": " + hueName(pixel(x + 2, y)));
			pointer(canvas, "click", x, y);
			say("click " + article.querySelector(".matched").textContent);
			canvas.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}));
		}
	}

	function lookAtFlame(article) {
		const canvas = article.querySelector("canvas");
		if (!canvas) return;
		say("flame " + article.querySelector(".toolbar h3").textContent);
		say("legend " + texts(article.querySelector(".legend").childNodes).join(" | "));
		say("swatches " + article.querySelectorAll(".swatch").length);
		article.querySelector(".scroller").dispatchEvent(new Event("scroll"));
		for (const label of drawn) say("label " + label);
		lookAtBoxes(canvas, article);
		drawn.clear();
	}

	function lookAtSection(section) {
		const seen = section.checkVisibility() && section.getBoundingClientRect().height > 0;
		say("section " + texts(section.querySelectorAll("h3")) + ": " + (seen ? "visible" : "hidden"));
		for (const part of section.querySelectorAll("p, li")) say("says " + part.textContent);
		for (const row of section.querySelectorAll("tr")) say("row " + texts(row.cells).join(" | "));
	}

	function lookAtArticle(article) {
		say("badge " + article.querySelector(".badge").textContent);
		article.querySelectorAll("section:not(.flame-slot)").forEach(lookAtSection);
		lookAtFlame(article);
		say("verdict colours " + article.querySelectorAll("tr.more, tr.less, .card").length);
	}

	say("badge " + document.querySelector("header .badge").textContent);
	say("head " + document.querySelector("h1").textContent);
	say("meta " + document.querySelector(".meta").textContent);
	document.querySelectorAll("body > section").forEach(lookAtSection);
	document.querySelectorAll("nav button").forEach((tab, i) => {
		tab.click();
		say("tab " + tab.textContent + ": " + tab.className);
		lookAtArticle(document.querySelectorAll("article")[i]);
	});
	// Later, so that what a planted element does is over.
	setTimeout(() => {
		if (document.documentElement.dataset.alerted) say("alert");
		say("requests " + performance.getEntriesByType("resource").length);
		say("foreign elements " + document.querySelectorAll("img, iframe, object, embed, link, a, form, base").length);
		say("scripts " + document.scripts.length);
		const seen = document.createElement("pre");
		seen.textContent = "\n" + lines.join("\n") + "\n";
		document.body.append(seen);
	}, 500);
})();
