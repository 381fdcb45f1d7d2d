// SPDX-License-Identifier: Apache-2.0
// Drives reports in a real browser and prints TAP. A test file exports (t) => ..., see run.js; t has:
//   open(name, {hash, dark})    a page of a report of its own, ready; what it asks of a network or complains of on its
//                               console is a failure of the test that is running
//   test(name, async () => ...) throws: failed
//   same(seen, wanted, what)    throws unless they are the same as JSON
'use strict';
const path = require('path');

const ROW = 21; // of canvas.js

async function makeHarness(modules, browserPath, reports) {
	const {chromium} = require(path.join(modules, 'node_modules/playwright-core'));
	const axe = path.join(modules, 'node_modules/axe-core/axe.min.js');
	const browser = await chromium.launch({executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu']});
	let count = 0, failed = 0, complaints = [], contexts = [];

	async function open(name, {hash = '', dark = false, width = 1280, bypass = false} = {}) {
		const context = await browser.newContext({colorScheme: dark ? 'dark' : 'light', viewport: {width, height: 900}, bypassCSP: bypass});
		const page = await context.newPage();
		contexts.push(context);
		page.on('console', (message) => complaints.push('console: ' + message.text()));
		page.on('pageerror', (error) => complaints.push('error: ' + error.message));
		page.on('request', (request) => {
			if (!request.url().startsWith('file:') || !request.isNavigationRequest()) complaints.push('request: ' + request.url());
		});
		await page.addInitScript(countTimers);
		await page.goto('file://' + path.join(reports, name, 'report.html') + hash);
		await page.waitForSelector('html[data-ready]');
		// A browser may drop what is typed before it has painted for the first time.
		await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
		return Object.assign(page, helpers(page), {axe: () => runAxe(page, axe)});
	}

	async function test(name, run) {
		if (process.env.FLAMEGATE_TEST_ONLY && !name.includes(process.env.FLAMEGATE_TEST_ONLY)) return;
		let failure = '';
		complaints = [];
		try {
			await run();
		} catch (error) {
			failure = String(error.stack || error);
		}
		if (!failure && complaints.length) failure = complaints.join('\n');
		await Promise.all(contexts.splice(0).map((context) => context.close()));
		count++;
		console.log((failure ? 'not ok ' : 'ok ') + count + ' - ' + name);
		if (failure) {
			failed++;
			console.log(failure.split('\n').slice(0, 12).map((line) => '# ' + line).join('\n'));
		}
	}

	async function finish() {
		await browser.close();
		console.log('1..' + count);
		process.exitCode = failed ? 1 : 0;
	}
	return {open, test, same, finish, seen: () => complaints.splice(0)};
}

function same(seen, wanted, what = '') {
	if (JSON.stringify(seen) !== JSON.stringify(wanted))
		throw new Error((what && what + ': ') + 'saw ' + JSON.stringify(seen) + ', wanted ' + JSON.stringify(wanted));
}

// In the page, before its own script: the timers that will go off within a second.
function countTimers() {
	const {setTimeout: set, clearTimeout: clear} = window, waiting = window.waitingTimers = new Set();
	window.setTimeout = (run, ms, ...given) => {
		const timer = set(() => {
			waiting.delete(timer);
			run(...given);
		}, ms);
		if (ms <= 1000) waiting.add(timer);
		return timer;
	};
	window.clearTimeout = (timer) => {
		waiting.delete(timer);
		clear(timer);
	};
}

// What a reader of the shown benchmark sees and does.
function helpers(page) {
	const article = page.locator('article:not([hidden])'), canvas = article.locator('canvas');
	const place = async (row, x) => {
		const box = await canvas.boundingBox();
		return {x: box.x + x * box.width, y: box.y + row * ROW + ROW / 2};
	};
	const moveTo = async (row, x) => {
		await canvas.scrollIntoViewIfNeeded();
		const at = await place(row, x);
		await page.mouse.move(at.x, at.y);
		return at;
	};
	const tip = async () => (await page.locator('.tooltip').isVisible()) ? page.locator('.tooltip .name').textContent() : '';
	return {
		article, canvas,
		status: () => article.locator('[role=status]').first().textContent(),
		pressed: () => article.locator('.controls button[aria-pressed=true]').allTextContents(),
		button: (name) => article.getByRole('button', {name, exact: true}),
		// The name of the box in a row, at a part of the width; '' where there is none.
		boxAt: async (row, x) => { await moveTo(row, x); return tip(); },
		tipAt: async (row, x) => { await moveTo(row, x); return (await page.locator('.tooltip').innerText()).replace(/\s+/g, ' '); },
		clickAt: async (row, x) => { const at = await moveTo(row, x); await page.mouse.click(at.x, at.y); },
		// All names of a row from left to right, and how many of 60 places each box has. The mouse would be slow here.
		rowAt: (row) => canvas.evaluate((element, y) => {
			const found = [], box = element.getBoundingClientRect(), tooltip = document.querySelector('.tooltip');
			for (let i = 0; i < 60; i++) {
				const place = {clientX: box.left + (i + 0.5) / 60 * box.width, clientY: box.top + y, bubbles: true};
				element.dispatchEvent(new MouseEvent('mousemove', place));
				const name = tooltip.hidden ? '' : tooltip.querySelector('.name').textContent, last = found[found.length - 1];
				if (last && last.name === name) last.parts++;
				else found.push({name, parts: 1});
			}
			return found;
		}, row * ROW + ROW / 2),
		rows: () => canvas.evaluate((element, row) => Math.round(element.clientHeight / row), ROW),
		// The colours of a box's pixels, a line through its middle or foot.
		pixels: (row, x, count, dy = 4) => canvas.evaluate((element, [y, at, n]) => {
			const copy = document.createElement('canvas'), ratio = element.width / element.clientWidth;
			copy.width = n;
			copy.height = 1;
			const context = copy.getContext('2d', {willReadFrequently: true});
			context.drawImage(element, -Math.round(at * element.width), -Math.round(y * ratio));
			const data = context.getImageData(0, 0, n, 1).data;
			return Array.from({length: n}, (_, i) => Array.from(data.slice(4 * i, 4 * i + 3)));
		}, [row * ROW + dy, x, count]),
		// The address is written at leisure: it is as it will be when no timer waits any more.
		hash: async () => {
			await page.waitForFunction(() => window.waitingTimers.size === 0);
			return page.evaluate(() => location.hash);
		},
		focused: () => page.evaluate(() => { const at = document.activeElement; return at.tagName + ' ' + (at.getAttribute('aria-label') || at.textContent).slice(0, 40); }),
	};
}

// Findings that keep someone out. The rules' text is the browser's own to run: the page's policy is bypassed for it.
async function runAxe(page, file) {
	await page.addScriptTag({path: file});
	const result = await page.evaluate(() => window.axe.run(document, {resultTypes: ['violations']}));
	return result.violations.filter((one) => one.impact === 'serious' || one.impact === 'critical')
		.map((one) => one.id + ': ' + one.nodes.slice(0, 3).map((node) => node.html.slice(0, 90) + ' ' +
			(node.any[0] ? node.any[0].message : '')).join(' | '));
}

module.exports = {makeHarness};
