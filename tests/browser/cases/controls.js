// SPDX-License-Identifier: Apache-2.0
// Every control by mouse and by keyboard.
'use strict';

module.exports = async ({open, test, same}) => {
	await test('a click zooms and selects, Back and its keys go back', async () => {
		const page = await open('rich');
		same(await page.button('Back').isDisabled(), true, 'Back at first');
		await page.clickAt(2, 0.2);
		same(await page.status(), 'read, total 370 ms, +14.1 % of all');
		same((await page.rowAt(2)).map((box) => box.name), ['read'], 'zoomed');
		for (const key of ['Escape', 'Backspace']) {
			await page.clickAt(3, 0.1);
			same((await page.rowAt(3))[0], {name: 'parse', parts: 60});
			await page.canvas.press(key);
			same(await page.boxAt(3, 0.99), '', key);
		}
		await page.button('Back').click();
		same((await page.rowAt(2)).map((box) => box.name), ['read', 'write'], 'back');
		same(await page.button('Back').isDisabled(), true, 'Back at last');
	});

	await test('arrow keys walk the call tree, Enter zooms, Home shows everything', async () => {
		const page = await open('rich'), seen = [];
		await page.canvas.focus();
		for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowLeft', 'ArrowUp']) {
			await page.keyboard.press(key);
			seen.push((await page.status()).split(',')[0]);
		}
		same(seen, ['everything', 'main', 'read', 'parse', 'copy', 'parse', 'read']);
		await page.keyboard.press('Enter');
		same((await page.rowAt(2)).map((box) => box.name), ['read']);
		await page.keyboard.press('Home');
		same((await page.rowAt(2)).map((box) => box.name), ['read', 'write']);
	});

	for (const [how, use] of [['mouse', (page, title) => page.button(title).click()],
		['keyboard', (page, title, key) => page.keyboard.press(key)],
		['Tab and Space', async (page, title) => { await page.button(title).focus(); await page.keyboard.press('Space'); }]]) {
		await test('views and sides by ' + how, async () => {
			const page = await open('rich');
			for (const [title, key, pressed] of [['Flame', 'f', ['Flame', 'Both', 'Elided calls']],
				['Head', 'h', ['Flame', 'Head', 'Elided calls']], ['Sandwich', 's', ['Sandwich', 'Head', 'Elided calls']],
				['Base', 'b', ['Sandwich', 'Base', 'Elided calls']], ['Icicle', 'i', ['Icicle', 'Base', 'Elided calls']],
				['Both', 'u', ['Icicle', 'Both', 'Elided calls']], ['Elided calls', 'o', ['Icicle', 'Both']]]) {
				await use(page, title, key);
				same(await page.pressed(), pressed, title);
			}
		});
	}

	await test('the search marks, counts a cost once, says what is no expression, and finds the next box', async () => {
		const page = await open('rich'), field = page.getByPlaceholder('Search (regular expression)');
		const said = () => page.article.locator('.matched').nth(1).textContent();
		await page.keyboard.press('/');
		await page.keyboard.type('^parse');
		same(await said(), '2 boxes, 46.8 % of base, 48.4 % of head');
		await page.keyboard.press('Escape');
		await page.keyboard.press('n');
		same(await page.status(), 'parse, total 250 ms, +11.7 % of all, self: more time, total: more time');
		await page.keyboard.press('n');
		same(await page.status(), 'parse, total 50.0 ms, 0.0 % of all, self: more time');
		await page.keyboard.press('Shift+N');
		same(await page.status(), 'parse, total 250 ms, +11.7 % of all, self: more time, total: more time');
		await field.fill('(');
		same(await said(), 'not a regular expression');
		await field.fill('');
		same(await said(), '');
	});

	await test('the table sorts and filters; its rows lead to the graph', async () => {
		const page = await open('rich'), table = page.getByRole('grid'), row = (n) => table.locator('tbody tr').nth(n);
		const first = () => row(0).locator('td').first().textContent();
		same(await first(), 'new_cache');
		await table.getByRole('button', {name: 'total head'}).click();
		same(await first(), 'main');
		await table.getByRole('button', {name: 'function'}).press('Enter');
		same([await first(), await table.locator('th').first().getAttribute('aria-sort')], ['copy', 'ascending']);
		await table.getByRole('button', {name: 'function'}).press('Space');
		same([await first(), await table.locator('th').first().getAttribute('aria-sort')], ['write', 'descending']);
		await page.getByPlaceholder('Filter functions').fill('cache');
		same(await table.locator('tbody tr').count(), 2);
		await row(0).click();
		same(await page.status(), 'old_cache, total 0 s, -14.1 % of all, gone, self: less time');
		await row(0).focus();
		await page.keyboard.press('ArrowDown');
		await page.keyboard.press('Enter');
		same(await page.status(), 'new_cache, total 70.0 ms, +16.4 % of all, new, self: more time, total: more time');
		same((await page.focused()).slice(0, 18), 'CANVAS Flame graph');
	});

	await test('the table has self and total of both sides, the change and its interval', async () => {
		const page = await open('rich');
		same(await page.getByRole('grid').locator('th').allTextContents(), ['function', 'where', 'self base', 'self head',
			'self change, of all', '95 % interval', 'total base', 'total head', 'total change, of all', 'state']);
		same(await page.getByRole('row', {name: /^parse/}).locator('td').allTextContents(),
			['parse', 'src/all.c:30', '120 ms', '170 ms', '+11.7 %', '+10.7 to +12.7 %', '200 ms', '250 ms', '+11.7 %', 'more time']);
	});

	await test('a table of many functions grows by 500', async () => {
		const page = await open('functions'), rows = page.getByRole('grid').locator('tbody tr'), seen = [];
		const more = page.article.locator('.changes > button');
		for (seen.push(await rows.count()); await more.isVisible() && seen.length < 9; seen.push(await rows.count())) {
			seen.push(await more.textContent());
			await more.click();
		}
		same(seen, [40, 'Show 500 more of 1971', 540, 'Show 500 more of 1471', 1040, 'Show 500 more of 971', 1540, 'Show 471 more', 2011]);
		same(await rows.last().locator('td').first().textContent(), 'scan_number');
		await page.getByPlaceholder('Filter functions').fill('step_0199');
		same([await rows.count(), await more.isVisible()], [10, false]);
	});

	await test('the arrow keys do not walk into elided calls that are hidden', async () => {
		const below = async (hash) => {
			const page = await open('wide', {hash});
			await page.canvas.press('ArrowDown');
			return (await page.status()).split(',')[0];
		};
		same([await below('#n=main;write'), await below('#o=0&n=main;write')], ['(other)', 'copy']);
	});

	await test('the keys are listed by ? and by a button, and the list closes', async () => {
		const page = await open('rich'), dialog = page.getByRole('dialog', {name: 'Keys'});
		await page.keyboard.press('?');
		const keys = await dialog.locator('kbd').allTextContents();
		same(['i', 'f', 's', 'u', 'h', 'b', 'o', '/', 'n', 'N', 't', 'd', '[', ']', '?'].filter((key) => !keys.includes(key)), []);
		await page.keyboard.press('f');
		same(await page.pressed(), ['Icicle', 'Both', 'Elided calls'], 'keys below the dialog');
		await page.keyboard.press('Escape');
		same(await dialog.isVisible(), false);
		await page.getByRole('button', {name: 'Keys'}).click();
		await dialog.getByRole('button', {name: 'Close'}).press('Enter');
		same(await dialog.isVisible(), false);
	});

	await test('benchmarks by mouse and by keyboard; the view stays', async () => {
		const page = await open('rich'), shown = () => page.locator('nav button[aria-pressed=true]').textContent();
		await page.keyboard.press('f');
		await page.locator('nav button', {hasText: 'second'}).click();
		same([await shown(), (await page.pressed())[0]], ['second', 'Flame']);
		await page.keyboard.press('[');
		same(await shown(), 'logstat');
		await page.keyboard.press('[');
		same(await shown(), 'logstat');
		await page.keyboard.press(']');
		same(await shown(), 'second');
	});

	await test('a culprit leads to its box', async () => {
		const page = await open('fail');
		await page.button('Show in the graph').click();
		same(await page.status(), 'parse_field, total 151 ms, +5.1 % of all, self: more time, total: more time, changed by the diff');
		same((await page.rowAt(3)).map((box) => box.name), ['parse_record'], 'zoomed to its caller');
		same((await page.focused()).slice(0, 18), 'CANVAS Flame graph');
	});

	await test('the Tab key comes by everything, in the order of the page', async () => {
		const page = await open('rich'), seen = [];
		for (let i = 0; i < 26; i++) {
			await page.keyboard.press('Tab');
			seen.push((await page.focused()).replace(/^\w+ /, '').slice(0, 12));
		}
		const wanted = ['Colours: as ', 'Keys', 'logstat', 'second', 'Show in the ', 'Icicle', 'Flame', 'Sandwich', 'Both', 'Head',
			'Base', 'Elided calls', 'Search funct', 'Flame graph.', 'Call tree as', 'Filter funct', 'function', 'where', 'self base'];
		same(seen.filter((one) => wanted.includes(one)), wanted);
	});
};
