// SPDX-License-Identifier: Apache-2.0
// A narrow window, and names without a place to break at.
'use strict';

const widest = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

module.exports = async ({open, test, same}) => {
	for (const name of ['hostile', 'long', 'stored_screen', 'many']) {
		await test('nothing sticks out of a narrow window: ' + name, async () => {
			const page = await open(name, {width: 400});
			same(await widest(page) <= 0, true, 'pixels that stick out: ' + await widest(page));
		});
	}

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
