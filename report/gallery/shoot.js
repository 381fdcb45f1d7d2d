// SPDX-License-Identifier: Apache-2.0
// node shoot.js MODULES BROWSER REPORT.html OUT: OUT-light.png and OUT-dark.png, of what a reader sees who opens the report.
'use strict';
const path = require('path');

const WIDTH = 1200, MOST = 1150; // pixels; a longer page is cut

(async () => {
	const [modules, browserPath, report, out] = process.argv.slice(2);
	const {chromium} = require(path.join(modules, 'node_modules/playwright-core'));
	// A tile whose old picture is partly kept has its rounded corners antialiased twice: now and then a byte differs.
	const browser = await chromium.launch({executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu', '--disable-partial-raster']});
	for (const scheme of ['light', 'dark']) {
		const page = await browser.newPage({colorScheme: scheme, viewport: {width: WIDTH, height: MOST}});
		await page.goto('file://' + path.resolve(report));
		await page.waitForSelector('html[data-ready]');
		const height = await page.evaluate(() => Math.ceil(document.body.getBoundingClientRect().height));
		await page.screenshot({path: out + '-' + scheme + '.png', clip: {x: 0, y: 0, width: WIDTH, height: Math.min(MOST, height)}});
	}
	await browser.close();
})().catch((error) => {
	console.error(error.message);
	process.exitCode = 1;
});
