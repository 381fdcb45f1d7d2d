// SPDX-License-Identifier: Apache-2.0
// Light, dark, paper, and who is kept out.
'use strict';

const dark = (rgb) => rgb.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) < 384;
const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

module.exports = async ({open, test, same}) => {
	await test('dark as the system says, and as the reader says, by mouse and keyboard', async () => {
		const page = await open('rich', {dark: true}), theme = page.getByRole('combobox');
		const grey = async () => (await page.pixels(1, 0.5, 1))[0][0];
		same([dark(await background(page)), await grey() < 128], [true, true]);
		await theme.selectOption('light');
		same([dark(await background(page)), await grey() < 128, await page.hash()], [false, false, '#b=0&theme=light']);
		await page.keyboard.press('Escape');
		await page.canvas.focus();
		await page.keyboard.press('d');
		same([dark(await background(page)), await theme.inputValue()], [true, 'dark']);
		await page.keyboard.press('d');
		same([dark(await background(page)), await theme.inputValue(), await page.hash()], [true, 'auto', '#b=0']);
		await page.emulateMedia({colorScheme: 'light'});
		same([dark(await background(page)), await grey() < 128], [false, false], 'it follows the system');
	});

	await test('"auto" says which colours are in force', async () => {
		const page = await open('rich', {dark: true}), names = () => page.getByRole('combobox').locator('option').allTextContents();
		same(await names(), ['auto (dark)', 'light', 'dark']);
		await page.emulateMedia({colorScheme: 'light'});
		// The page is told of it a moment later.
		await page.locator('.page-tools option', {hasText: 'auto (light)'}).waitFor({state: 'attached'});
		same(await names(), ['auto (light)', 'light', 'dark']);
	});

	await test('the legend of a benchmark that is not shown changes its colours too', async () => {
		const page = await open('rich'), swatches = () => page.article.locator('.swatch').evaluateAll((all) => all.map((one) => one.style.background));
		const light = await swatches();
		await page.locator('nav button', {hasText: 'second'}).click();
		await page.getByRole('combobox').selectOption('dark');
		const dark = await swatches();
		await page.locator('nav button', {hasText: 'logstat'}).click();
		same([await swatches(), String(dark) !== String(light)], [dark, true]);
	});

	await test('paper has all that was decided: of every benchmark, and what the page folds', async () => {
		const page = await open('rich'), folded = page.locator('article details:not(.menu, .tree):not([open])');
		for (const one of await page.locator('.source[open] summary:visible').all()) await one.click();
		const before = await folded.count();
		const seen = () => page.locator('article h2:visible').count();
		same([await seen(), await page.locator('.print-note').isVisible(), before > 0], [1, false, true]);
		await page.emulateMedia({media: 'print'});
		await page.locator('.print-note').waitFor();
		same(await page.locator('.print-note').textContent(),
			'In full: logstat. Of the other benchmark here is what was decided; the page itself has all of them.');
		same([await seen(), await page.locator('.card:visible').count(), await page.locator('.printed:visible').count()], [2, 2, 1]);
		same([await folded.count(), await page.locator('.source table:visible').count() > 0], [0, true]);
		await page.emulateMedia({media: 'screen'});
		await page.locator('.print-note').waitFor({state: 'hidden'});
		same([await seen(), await folded.count()], [1, before], 'as before');
	});

	for (const scheme of ['light', 'dark']) {
		await test('print from ' + scheme + ': cards, what changed, light, no controls', async () => {
			const page = await open('rich', {dark: scheme === 'dark', hash: '#theme=' + scheme});
			same(await page.locator('.printed li').count(), 0, 'made only for paper');
			if (scheme === 'dark') {
				await page.pdf();
				same(await page.locator('.printed li').count(), 7, 'printed at once');
			}
			await page.emulateMedia({media: 'print', colorScheme: scheme});
			await page.locator('.printed li').first().waitFor();
			same(await page.locator('.printed').innerText(), [
				'What changed in the call tree',
				'main total 427 ms → 517 ms, +21.1 % of all',
				'read total 310 ms → 370 ms, +14.1 % of all',
				'▲ parse total 200 ms → 250 ms, +11.7 % of all · self: more time · total: more time',
				'−▼ old_cache total 60.0 ms → 0 s, -14.1 % of all · gone · self: less time',
				'+▲ new_cache total 0 s → 70.0 ms, +16.4 % of all · new · self: more time · total: more time',
				'write total 115 ms → 145 ms, +7.0 % of all',
				'▲ copy total 60.0 ms → 90.0 ms, +7.0 % of all · self: more time · total: more time'].join('\n'));
			same(await page.locator('button:not(th button):visible, input:visible, select:visible, canvas:visible, nav:visible').count(), 0);
			same(await page.locator('article:not([hidden]) .card:visible').count(), 1);
			same(await page.evaluate(() => getComputedStyle(document.querySelector('.card')).backgroundColor), 'rgb(255, 255, 255)');
		});
	}

	for (const scheme of ['light', 'dark']) {
		for (const name of ['rich', 'fail', 'run', 'many', 'reference_screen', 'error']) {
			await test('axe has no serious finding: ' + name + ', ' + scheme, async () => {
				const page = await open(name, {dark: scheme === 'dark', bypass: true});
				same(await page.axe(), []);
				if (name !== 'rich') return;
				await page.keyboard.press('t');
				await page.getByPlaceholder('Search (regular expression)').fill('cache');
				same(await page.axe(), [], 'tree and search');
				await page.canvas.focus();
				await page.keyboard.press('?');
				same(await page.axe(), [], 'list of keys');
			});
		}
	}

	await test('nothing sticks out of a narrow window, and axe has no serious finding there', async () => {
		const page = await open('rich', {width: 360, bypass: true});
		same(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
		same(await page.axe(), []);
		await page.clickAt(3, 0.1);
		same(await page.status(), 'parse, total 250 ms, +11.7 % of all, self: more time, total: more time');
	});

	await test('what has the focus is seen', async () => {
		const page = await open('rich');
		for (let i = 0; i < 16; i++) {
			await page.keyboard.press('Tab');
			const seen = await page.evaluate(() => {
				const {outlineWidth, outlineStyle} = getComputedStyle(document.activeElement);
				return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
			});
			same(seen, true, await page.focused());
		}
	});

	await test('a report of hostile names opens, draws and complains of nothing in every view', async () => {
		const page = await open('hostile');
		for (const key of ['f', 's', 'i', 't', 'h', 'b', 'u']) await page.keyboard.press(key);
		same(await page.locator('img, iframe, a').count(), 0);
	});
};
