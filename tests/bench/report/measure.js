// SPDX-License-Identifier: Apache-2.0
// Opens a page in headless Chromium and zooms in and out of it by the mouse; prints "name value" lines.
//
//   node measure.js CHROMIUM KIND FILE      KIND: flamegate, d3, svg (inferno's)
//
// open_ms: from the start of the navigation until the second frame after the load event: what was drawn
// is on the screen. redraw_ms: the page's main thread, all of a zoom with its frame, by Chromium's own
// count (TaskDuration), a mean; script_ms: what of it is the page's own script, from the click until it has drawn,
// the median.
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

// A click as the page hears it; until its handlers have returned.
const clickAt = ([x, y]) => {
	const start = performance.now();
	document.elementFromPoint(x, y).dispatchEvent(new MouseEvent("click", {clientX: x, clientY: y, bubbles: true, view: window}));
	return performance.now() - start;
};

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

async function scripts(page, kind, count) {
	const took = [];
	for (let i = 0; i < 2 * count; i++) {
		const point = (await page.evaluate(places[kind]))[i % 2];
		took.push(await page.evaluate(clickAt, point));
		await page.evaluate(twoFrames);
	}
	return median(took);
}

async function taskSeconds(session) {
	const {metrics} = await session.send("Performance.getMetrics");
	return metrics.find((metric) => metric.name === "TaskDuration").value;
}

async function redraws(page, kind, count) {
	const session = await page.context().newCDPSession(page);
	await session.send("Performance.enable");
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
	const opened = [], count = kind === "flamegate" ? ZOOMS : 10;
	let redraw = 0, script = 0;
	for (let i = 0; i < ROUNDS; i++) {
		const {page, opened: ms} = await openPage(browser, "file://" + file);
		opened.push(ms);
		if (i === ROUNDS - 1) {
			redraw = await redraws(page, kind, count);
			script = await scripts(page, kind, count);
		}
		await page.close();
	}
	console.log("open_ms", median(opened).toFixed(0));
	console.log("redraw_ms", redraw.toFixed(1));
	console.log("script_ms", script.toFixed(1));
	await browser.close();
}

main().catch((error) => {
	console.error(String(error));
	process.exit(1);
});
