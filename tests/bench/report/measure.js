// SPDX-License-Identifier: Apache-2.0
// Opens a page in headless Chromium and zooms in and out of it by the mouse; prints "name value" lines.
//
//   node measure.js CHROMIUM KIND FILE      KIND: flamegate, d3, svg (inferno's)
//
// open_ms: from the start of the navigation until the second frame after the load event: what was drawn
// is on the screen. redraw_ms: the page's main thread, all of a zoom with its frame, by Chromium's own
// count (TaskDuration), the mean of ZOOMS; handler_ms: the longest synchronous part of one.
"use strict";
const {chromium} = require("playwright-core");
const ROUNDS = 5, ZOOMS = 40;

// Where to click: a box three levels down, and the one that shows everything again.
const places = {
	flamegate: () => {
		const box = document.querySelector("article:not([hidden]) canvas").getBoundingClientRect();
		return [[box.left + 0.1 * box.width, box.top + 3.5 * 21], [box.left + 0.5 * box.width, box.top + 10]];
	},
	d3: () => placesOf("rect", (rect) => rect.width.baseVal.value, (rects) => rects),
	svg: () => placesOf("#frames rect", (rect) => rect.getBoundingClientRect().width, (rects) => rects),
};

// In the page: the widest element is everything; zoomed is the widest of at most half its width.
function placesOf(selector, widthOf) {
	const middle = (element) => {
		const box = element.getBoundingClientRect();
		return [box.left + box.width / 2, box.top + box.height / 2];
	};
	const rects = Array.from(document.querySelectorAll(selector)).map((element) => ({element, width: widthOf(element)}))
		.sort((a, b) => b.width - a.width);
	const inner = rects.find((rect) => rect.width < rects[0].width * 0.6);
	return [middle(inner.element), middle(rects[0].element)];
}

const twoFrames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))));

async function openPage(browser, url) {
	const page = await browser.newPage({viewport: {width: 1280, height: 900}});
	await page.addInitScript("window.placesOf = " + placesOf.toString());
	await page.goto(url, {waitUntil: "load", timeout: 120000});
	return {page, opened: await page.evaluate(twoFrames)};
}

async function taskSeconds(session) {
	const {metrics} = await session.send("Performance.getMetrics");
	return metrics.find((metric) => metric.name === "TaskDuration").value;
}

async function redraws(page, kind) {
	const session = await page.context().newCDPSession(page);
	await session.send("Performance.enable");
	const count = kind === "flamegate" ? ZOOMS : 10;
	let spent = 0;
	for (let i = 0; i < count; i++) {
		const [inner] = await page.evaluate(places[kind]);
		await page.mouse.move(inner[0], inner[1]);
		await page.evaluate(twoFrames);
		for (const which of [0, 1]) {
			const point = (await page.evaluate(places[kind]))[which];
			const before = await taskSeconds(session);
			await page.mouse.click(point[0], point[1]);
			await page.evaluate(twoFrames);
			spent += await taskSeconds(session) - before;
		}
	}
	return spent * 1000 / (2 * count);
}

async function main() {
	const [executablePath, kind, file] = process.argv.slice(2);
	const browser = await chromium.launch({executablePath, args: ["--no-sandbox", "--disable-gpu"]});
	const opened = [];
	let redraw = 0;
	for (let i = 0; i < ROUNDS; i++) {
		const {page, opened: ms} = await openPage(browser, "file://" + file);
		opened.push(ms);
		if (i === ROUNDS - 1) redraw = await redraws(page, kind);
		await page.close();
	}
	opened.sort((a, b) => a - b);
	console.log("open_ms", opened[opened.length >> 1].toFixed(0), "of", ROUNDS + ":", opened.map((ms) => ms.toFixed(0)).join(" "));
	console.log("redraw_ms", redraw.toFixed(2));
	await browser.close();
}

main().catch((error) => {
	console.error(String(error));
	process.exit(1);
});
