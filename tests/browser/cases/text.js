// SPDX-License-Identifier: Apache-2.0
// The call tree as text, by mouse and by keyboard, in step with the graph.
'use strict';

module.exports = async ({open, test, same}) => {
	const items = async (page) => page.getByRole('treeitem').evaluateAll((all) => all.map((one) =>
		one.getAttribute('aria-level') + ' ' + (one.querySelector('code') || one).textContent.trim() +
		(one.getAttribute('aria-selected') === 'true' ? ' *' : '')));

	await test('the call tree opens a node at a time, by the keys of a tree', async () => {
		const page = await open('rich');
		same(await page.getByRole('tree').count(), 0, 'closed');
		await page.locator('.tree summary').focus();
		await page.keyboard.press('Enter');
		await page.getByRole('treeitem').first().waitFor(); // a <details> tells of its opening a moment later
		same(await items(page), ['1 ▲ everything', '2 main']);
		await page.keyboard.press('Tab');
		for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
		same(await items(page), ['1 ▲ everything', '2 main', '3 read *', '4 ▲ parse', '4 +▲ new_cache', '4 −▼ old_cache', '4 copy', '3 write']);
		same(await page.status(), 'read, total 370 ms, +14.1 % of all', 'the graph follows');
		await page.keyboard.press('End');
		await page.keyboard.press('ArrowUp');
		same(await page.status(), 'copy, total 40.0 ms, 0.0 % of all, self: more time');
		await page.keyboard.press('ArrowLeft');
		await page.keyboard.press('ArrowLeft');
		same(await items(page), ['1 ▲ everything', '2 main', '3 read *', '3 write']);
		await page.keyboard.press('Enter');
		same((await page.rowAt(2)).map((box) => box.name), ['read'], 'Enter zooms');
		await page.getByRole('treeitem', {name: /main total/}).press('Home');
		same((await page.focused()).slice(0, 13), 'LI ▲ everything'.slice(0, 13));
	});

	await test('what the graph selects, the tree opens and marks; a click opens and closes', async () => {
		const page = await open('rich');
		await page.locator('.tree summary').click();
		await page.clickAt(3, 0.99);
		await page.clickAt(3, 0.9);
		same(await items(page), ['1 ▲ everything', '2 main', '3 read', '3 write', '4 ▲ copy *', '4 (other)']);
		await page.getByRole('treeitem', {name: /write total/}).click();
		same(await items(page), ['1 ▲ everything', '2 main', '3 read', '3 write *']);
		same(await page.status(), 'write, total 145 ms, +7.0 % of all');
		await page.getByRole('treeitem', {name: /read total/}).click();
		await page.keyboard.press('o');
		await page.keyboard.press('t');
		same((await page.focused()).slice(0, 7), 'LI read');
	});

	await test('a line says what a tooltip says', async () => {
		const page = await open('rich', {hash: '#n=main;read;parse'});
		await page.keyboard.press('t');
		same(await page.getByRole('treeitem', {selected: true}).innerText(), '▲ parse total 200 ms → 250 ms, +11.7 % of all · self: more time · total: more time');
	});

	await test('of a deep call the nearest callers are there, and the others on demand', async () => {
		const page = await open('deep', {hash: '#n=@3512'}), levels = async () => (await page.getByRole('treeitem').evaluateAll((all) =>
			all.map((one) => Number(one.getAttribute('aria-level')))));
		await page.keyboard.press('t');
		same(await page.getByRole('treeitem', {selected: true}).getAttribute('aria-level'), '3505');
		const seen = await levels();
		same([seen.length <= 250, seen[0], seen[1]], [true, 3404, 3405], seen.length + ' items');
		same(await page.getByRole('treeitem').first().textContent(), '3404 callers above are not shown: show 200 more');
		await page.getByRole('treeitem').first().click();
		same([(await levels()).slice(0, 2), (await page.focused()).slice(0, 3)], [[3204, 3205], 'LI ']);
		same(await page.evaluate(() => document.activeElement.getAttribute('aria-level')), '3405', 'where it began before');
		await page.keyboard.press('Home');
		await page.keyboard.press('Enter');
		same((await levels())[0], 3004);
	});

	await test('many children come a hundred at a time', async () => {
		const page = await open('wide'), count = () => page.getByRole('treeitem').count();
		const more = page.getByRole('treeitem', {name: / more$/}), seen = [];
		await page.locator('.tree summary').click();
		await more.waitFor();
		for (seen.push(await count()); await more.count(); seen.push(await count())) await more.first().click();
		same(seen, [102, 202, 252]);
	});
};
