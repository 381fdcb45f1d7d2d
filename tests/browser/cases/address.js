// SPDX-License-Identifier: Apache-2.0
// The address: it keeps what is shown, leads there, and nothing in it does harm.
'use strict';

const look = async (page) => ({pressed: await page.pressed(), status: await page.status(), rows: await page.rows(),
	search: await page.article.getByPlaceholder('Search (regular expression)').inputValue(),
	theme: await page.getByRole('combobox').inputValue(), tab: await page.locator('nav button[aria-pressed=true]').textContent()});

module.exports = async ({open, test, same}) => {
	await test('what is shown comes back from its address', async () => {
		const page = await open('rich');
		await page.locator('nav button', {hasText: 'second'}).click();
		await page.clickAt(3, 0.1);
		for (const key of ['f', 'h', 'o']) await page.keyboard.press(key);
		await page.canvas.press('ArrowUp');
		await page.article.getByPlaceholder('Search (regular expression)').fill('cache|a b&=#');
		await page.getByRole('combobox').selectOption('dark');
		const hash = await page.hash(), seen = await look(page);
		same(hash, '#b=1&v=flame&w=head&z=main;read;parse&n=main;read;parse;parse&q=cache%7Ca%20b%26%3D%23&o=0&theme=dark');
		const again = await open('rich', {hash});
		same(await look(again), seen);
		same(await again.hash(), hash, 'and is the same again');
	});

	await test('a sandwich comes back from its address', async () => {
		const page = await open('rich', {hash: '#v=sandwich&f=copy&w=base'});
		same([await page.pressed(), await page.boxAt(2, 0.5)], [['Sandwich', 'Base', 'Elided calls'], 'copy']);
	});

	await test('a link to a node zooms, selects, and brings the graph into view', async () => {
		const page = await open('rich', {hash: '#b=0&z=main;read&n=main;read;new_cache'});
		same([await page.status(), (await page.rowAt(2)).length], ['new_cache, total 70.0 ms, +16.4 % of all, new, self: more time, total: more time', 1]);
		const byNumber = await open('rich', {hash: '#z=@2&n=@9'});
		same(await byNumber.status(), 'new_cache, total 70.0 ms, +16.4 % of all, new, self: more time, total: more time');
		// A page is scrolled by whole pixels.
		same(await byNumber.canvas.evaluate((one) => one.getBoundingClientRect().bottom < innerHeight + 1), true);
	});

	await test("the browser's back and forward", async () => {
		const page = await open('rich');
		await page.clickAt(2, 0.2);
		await page.keyboard.press('f');
		await page.keyboard.press('h');
		await page.goBack();
		same(await page.pressed(), ['Flame', 'Both', 'Elided calls']);
		await page.goBack();
		same([await page.pressed(), await page.status()], [['Icicle', 'Both', 'Elided calls'], 'read, total 370 ms, +14.1 % of all']);
		await page.goBack();
		same((await page.rowAt(2)).map((box) => box.name), ['read', 'write'], 'not zoomed');
		await page.goForward();
		same((await page.rowAt(2)).map((box) => box.name), ['read'], 'zoomed again');
		same(await page.button('Back').isDisabled(), false);
	});

	await test('a step keeps what was selected and searched for just before it', async () => {
		const page = await open('rich');
		await page.clickAt(2, 0.2);
		await page.canvas.press('ArrowDown');
		await page.keyboard.press('f');
		await page.goBack();
		same(await page.status(), 'parse, total 250 ms, +11.7 % of all, self: more time, total: more time');
	});

	await test('a step back in the graph is no new step of the browser', async () => {
		const page = await open('rich'), length = () => page.evaluate(() => history.length);
		await page.clickAt(2, 0.2);
		await page.clickAt(3, 0.1);
		const before = await length();
		await page.canvas.press('Escape');
		same([await page.hash(), await length()], ['#b=0&z=main;read&n=main;read;parse', before]);
		await page.button('Back').click();
		same([await page.hash(), await length()], ['#b=0&n=main;read;parse', before]);
	});

	await test('walking and typing leave no steps in the history', async () => {
		const page = await open('rich'), length = () => page.evaluate(() => history.length);
		const before = await length();
		await page.canvas.focus();
		for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowDown');
		await page.article.getByPlaceholder('Search (regular expression)').fill('cache');
		same([await page.hash(), await length()], ['#b=0&n=main;read;parse&q=cache', before]);
	});

	const opening = {pressed: ['Icicle', 'Both', 'Elided calls'], status: '', rows: 6, search: '', theme: 'auto', tab: 'logstat'};
	for (const hash of ['#b=99&v=<script>&w=__proto__&theme=constructor', '#z=%&n=%E0%A4%A&f=%', '#z=@99999&n=@-1&f=@1e3',
		'#z=main;nothing&n=;;;;&f=toString', '#&&==&=b&b', '#b=1e0&o=1&v=', '#' + 'z=main;'.repeat(3000), '#l=x&t=y&x=z', '#javascript:alert(1)',
		'#b=-1&z=%00&q=', '#f=parse']) {
		await test('an address that makes no sense changes nothing: ' + hash.slice(0, 40).replace('#', ''), async () => {
			const page = await open('rich', {hash});
			same(await look(page), opening);
		});
	}

	await test('an address cannot search for ever: what could waits for the reader', async () => {
		const page = await open('rich', {hash: '#q=' + encodeURIComponent('(a+)+$|((.*)*)*x')});
		same(await page.article.locator('.matched').nth(1).textContent(), 'Enter in the field starts this search');
		await page.article.getByPlaceholder('Search (regular expression)').fill('(cac|x)he');
		same(await page.article.locator('.matched').nth(1).textContent(), '2 boxes, 14.1 % of base, 13.5 % of head');
	});

	await test('a search that waits stays in the address until the reader sends or changes it', async () => {
		const page = await open('rich', {hash: '#q=(cac%7Cx)he'}), said = () => page.article.locator('.matched').nth(1).textContent();
		await page.keyboard.press('f');
		same([await page.hash(), await said()], ['#b=0&v=flame&q=(cac%7Cx)he', 'Enter in the field starts this search']);
		await page.getByPlaceholder('Search (regular expression)').press('Enter');
		same([await said(), await page.hash()], ['2 boxes, 14.1 % of base, 13.5 % of head', '#b=0&v=flame&q=(cac%7Cx)he']);
	});

	await test('text of an address reaches the page as text', async () => {
		const attack = '<img src=x onerror=alert(1)>', page = await open('script', {hash: '#q=' + encodeURIComponent(attack) + '&n=@3'});
		same([await page.locator('img').count(), await page.article.getByPlaceholder('Search (regular expression)').inputValue()], [0, attack]);
		await page.keyboard.press('s');
		const hash = await page.hash(), again = await open('script', {hash});
		same([await again.hash(), await again.locator('img').count()], [hash, 0]);
	});

	await test('the old form of an address is still read', async () => {
		const page = await open('rich', {hash: '#b1'});
		same((await look(page)).tab, 'second');
	});
};
