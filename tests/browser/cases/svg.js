// SPDX-License-Identifier: Apache-2.0
// Looks at pictures as a page would show them: as images, and each name against the box it stands in.
(function () {
	"use strict";
	const lines = [], pictures = Array.from(document.querySelectorAll("img"));

	// An image that is no valid XML has no size.
	function look(image) {
		lines.push("image " + image.dataset.name + ": " + image.naturalWidth + " pixels");
	}

	function lookAtNames(holder) {
		let names = 0, out = 0;
		for (const group of holder.querySelectorAll("g")) {
			const text = group.querySelector("text"), boxes = Array.from(group.querySelectorAll("rect"), (r) => r.getBBox());
			if (!text) continue;
			const box = text.getBBox();
			names++;
			if (box.x + box.width > Math.max(...boxes.map((b) => b.x + b.width))) out++;
		}
		lines.push("inline " + holder.dataset.name + ": " + (names > 0) + ", " + out + " names stick out");
	}

	function lookAtLines(holder) {
		const wide = Array.from(holder.querySelectorAll(":scope > svg > text"), (t) => t.getBBox()).filter((b) => b.x + b.width > 1185);
		lines.push("inline " + holder.dataset.name + ": " + wide.length + " lines stick out");
	}

	// Later, so that what a planted element does is over, and all images are there.
	setTimeout(() => {
		pictures.forEach(look);
		for (const holder of document.querySelectorAll("div[data-name]")) {
			lookAtNames(holder);
			lookAtLines(holder);
		}
		if (document.documentElement.dataset.alerted) lines.push("alert");
		const seen = document.createElement("pre");
		seen.textContent = "\n" + lines.join("\n") + "\n";
		document.body.append(seen);
	}, 500);
})();
