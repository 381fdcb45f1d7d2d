// SPDX-License-Identifier: Apache-2.0
// Where the focus is, and what is said and shown there.
'use strict';

module.exports = async ({open, test, same}) => {
	const tip = async (page) => ((await page.locator('.tooltip').isVisible()) ? page.locator('.tooltip .name').textContent() : '');

	await test('what the graph says aloud has the verdict', async () => {
		const page = await open('rich', {hash: '#n=main;read;parse'});
		same(await page.status(), 'parse, total 250 ms, +11.7 % of all, self: more time, total: more time');
		same(await page.article.locator('[role=status]').count(), 3, 'what a search finds and what an export leaves out is said too');
	});

	await test('the tooltip stands at the box that the keys are at, and goes with the focus', async () => {
		const page = await open('rich'), seen = [];
		await page.canvas.focus();
		for (let i = 0; i < 3; i++) {
			await page.keyboard.press('ArrowDown');
			seen.push(await tip(page));
		}
		same(seen, ['everything', 'main', 'read']);
		await page.keyboard.press('Tab');
		same(await tip(page), '');
	});

	await test('no tooltip stays behind what moves', async () => {
		const page = await open('rich');
		for (const key of ['f', 'h', 'd', 's']) {
			same(await page.boxAt(2, 0.1) !== '', true, 'there before ' + key);
			await page.keyboard.press(key);
			same(await tip(page), '', key);
		}
		const deep = await open('large');
		await deep.boxAt(3, 0.5);
		same(await tip(deep) !== '', true, 'there before the wheel');
		await deep.article.locator('.scroller').evaluate((one) => new Promise((done) => {
			one.addEventListener('scroll', () => requestAnimationFrame(done), {once: true});
			one.scrollTop += 200;
		}));
		same(await tip(deep), '', 'wheel');
	});

	await test('the focus stays in the tree when elided calls go', async () => {
		const page = await open('rich');
		await page.keyboard.press('t');
		await page.keyboard.press('o');
		same((await page.focused()).slice(0, 3), 'LI ');
	});

	await test('the focus stays at Back when there is no way back any more', async () => {
		const page = await open('rich');
		await page.clickAt(2, 0.2);
		await page.button('Back').press('Enter');
		same([await page.focused(), await page.button('Back').isDisabled()], ['BUTTON Back', true]);
		await page.keyboard.press('Enter');
		same((await page.rowAt(2)).map((box) => box.name), ['read', 'write'], 'and it does nothing');
	});

	await test('the focus stays in the table when another type is shown', async () => {
		const page = await open('long');
		await page.getByRole('grid').locator('tbody tr').first().focus();
		await page.keyboard.press('p');
		same((await page.focused()).slice(0, 3), 'TR ');
	});

	await test('a key draws once, and Back and a theme that stays draw no more', async () => {
		const page = await open('rich');
		await page.evaluate(() => {
			const clear = CanvasRenderingContext2D.prototype.clearRect;
			window.draws = 0;
			CanvasRenderingContext2D.prototype.clearRect = function (...place) { window.draws++; clear.apply(this, place); };
		});
		const drawn = async (act) => {
			await page.evaluate(() => { window.draws = 0; });
			await act();
			return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(window.draws)))));
		};
		await page.canvas.focus();
		for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'f', 'i']) same(await drawn(() => page.keyboard.press(key)), 1, key);
		same(await drawn(() => page.keyboard.press('Enter')), 1, 'Enter');
		same(await drawn(() => page.keyboard.press('Escape')), 1, 'Escape');
		await page.keyboard.press('s');
		same(await drawn(() => page.keyboard.press('ArrowUp')), 1, 'sandwich');
	});

	await test('brackets that a keyboard types with AltGr or Alt are keys, commands are not', async () => {
		const page = await open('rich'), shown = () => page.locator('nav button[aria-pressed=true]').textContent();
		const press = (key, init) => page.evaluate(([name, more]) => {
			document.body.dispatchEvent(new KeyboardEvent('keydown', Object.assign({key: name, bubbles: true, cancelable: true}, more)));
		}, [key, init]);
		await press(']', {ctrlKey: true, altKey: true, modifierAltGraph: true});
		same(await shown(), 'second', 'AltGr');
		await press('[', {altKey: true});
		same(await shown(), 'logstat', 'Alt');
		await press(']', {ctrlKey: true});
		await press(']', {metaKey: true, altKey: true});
		await press('f', {altKey: true});
		same([await shown(), (await page.pressed())[0]], ['logstat', 'Icicle'], 'commands');
	});
};
