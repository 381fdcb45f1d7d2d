// SPDX-License-Identifier: Apache-2.0
// node shoot.js MODULES BROWSER REPORT.html OUT [LAST]: OUT-light.png and OUT-dark.png, of what a reader sees who opens the report;
// LAST is a selector of what the picture ends with, where what it is about stands further down.
'use strict';
const path = require('path');

const WIDTH = 1200, MOST = 1150, MARGIN = 10; // pixels; a longer page is cut

(async () => {
	const [modules, browserPath, report, out, last] = process.argv.slice(2);
	const {chromium} = require(path.join(modules, 'node_modules/playwright-core'));
	// A tile whose old picture is partly kept has its rounded corners antialiased twice: now and then a byte differs.
	const browser = await chromium.launch({executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu', '--disable-partial-raster']});
	for (const scheme of ['light', 'dark']) {
		const page = await browser.newPage({colorScheme: scheme, viewport: {width: WIDTH, height: MOST}});
		await page.goto('file://' + path.resolve(report));
		await page.waitForSelector('html[data-ready]');
		const all = await page.evaluate(() => Math.ceil(document.body.getBoundingClientRect().height));
		const end = last ? await page.locator(last).first().evaluate((one) => Math.ceil(one.getBoundingClientRect().bottom)) + MARGIN : MOST;
		const height = Math.min(all, end);
		// Below the window nothing is drawn yet.
		await page.setViewportSize({width: WIDTH, height: Math.max(MOST, height)});
		await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
		await page.screenshot({path: out + '-' + scheme + '.png', clip: {x: 0, y: 0, width: WIDTH, height}});
	}
	await browser.close();
})().catch((error) => {
	console.error(error.message);
	process.exitCode = 1;
});
