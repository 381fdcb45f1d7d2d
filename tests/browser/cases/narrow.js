// SPDX-License-Identifier: Apache-2.0
// A narrow window, and names without a place to break at.
'use strict';

const widest = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

module.exports = async ({open, test, same}) => {
	for (const name of ['hostile', 'long', 'reference_screen', 'many']) {
		await test('nothing sticks out of a narrow window: ' + name, async () => {
			const page = await open(name, {width: 400});
			same(await widest(page) <= 0, true, 'pixels that stick out: ' + await widest(page));
		});
	}

	await test('what counts is in sight in a narrow window: the first costs, the source, and blocks as large as elsewhere', async () => {
		const page = await open('rich', {width: 400}), right = (one) => one.evaluate((at) => at.getBoundingClientRect().right - at.closest('.wide').getBoundingClientRect().right);
		same(await right(page.getByRole('grid').locator('tbody tr').first().locator('td').nth(2)) <= 0, true, 'self base');
		const text = await page.article.locator('.source .text code').nth(2).evaluate((at) => [at.getBoundingClientRect().left, at.closest('.wide').getBoundingClientRect().right]);
		same(text[0] + 40 < text[1], true, 'source ' + text);
		same(await page.article.locator('svg.dots').evaluate((one) => one.getBoundingClientRect().width / one.viewBox.baseVal.width > 0.95), true, 'dots');
	});

	await test('a file and its line are one line, and verdicts are in sight, in a narrow window', async () => {
		const page = await open('counted', {width: 420});
		same(await page.article.locator('.metrics td.state').evaluateAll((cells) => cells.map((one) =>
			one.getBoundingClientRect().right <= one.closest('.wide').getBoundingClientRect().right + 6)), [true, true], 'but for their margin');
		same(await page.getByRole('grid').locator('td.place', {hasText: 'src/parse.c:203'}).evaluate((one) => {
			const text = document.createRange();
			text.selectNodeContents(one);
			return text.getClientRects().length;
		}), 1);
	});

	await test('the table of real names fits a window of 1280 pixels, and a state is one line', async () => {
		const page = await open('gallery-new_function'), wide = page.article.locator('.changes .wide');
		same(await wide.evaluate((one) => one.scrollWidth - one.clientWidth), 0);
		same(await wide.evaluate((one) => Array.from(one.querySelectorAll('td.state'), (cell) => {
			const text = document.createRange();
			text.selectNodeContents(cell);
			return text.getClientRects().length;
		}).filter((lines) => lines > 1).length), 0);
	});

	for (const width of [360, 400, 599]) {
		await test('the export menu stays in a window of ' + width + ' pixels', async () => {
			const page = await open('rich', {width});
			await page.article.locator('details.menu summary').click();
			const box = await page.article.locator('.menu-list').boundingBox();
			same([box.x >= 0, box.x + box.width <= width], [true, true], JSON.stringify(box));
			same(await widest(page) <= 0, true, 'sticks out');
		});
	}
};
