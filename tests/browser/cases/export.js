// SPDX-License-Identifier: Apache-2.0
// The export menu in a real browser: what it hands over, under the page's own policy.
'use strict';
const fs = require('fs');

module.exports = async ({open, test, same}) => {
	// The file that an entry of the menu gives, by mouse or by keyboard.
	async function exported(page, title, byKeys) {
		const menu = page.article.locator('details.menu'), entry = menu.getByRole('button', {name: title, exact: true});
		const waiting = page.waitForEvent('download');
		if (byKeys) {
			await menu.locator('summary').focus();
			await page.keyboard.press('Enter');
			while ((await page.focused()) !== 'BUTTON ' + title) await page.keyboard.press('Tab');
			await page.keyboard.press('Enter');
		} else {
			await menu.locator('summary').click();
			await entry.click();
		}
		const download = await waiting;
		same(await menu.evaluate((one) => one.open), false, 'closed again');
		return {name: download.suggestedFilename(), text: fs.readFileSync(await download.path(), 'utf8')};
	}
	// What a parser finds in a picture, and whether a page shows it as an image.
	const look = (page, text) => page.evaluate(async (source) => {
		const parsed = new DOMParser().parseFromString(source, 'image/svg+xml'), image = new Image();
		image.src = 'data:image/svg+xml,' + encodeURIComponent(source);
		await image.decode();
		return {error: parsed.querySelectorAll('parsererror').length, title: parsed.querySelector('title').textContent,
			texts: Array.from(parsed.querySelectorAll('text'), (one) => one.textContent), page: parsed.querySelector('rect').getAttribute('fill'),
			foreign: parsed.querySelectorAll('script, foreignObject, a').length, shown: image.naturalWidth > 1000};
	}, text);

	for (const byKeys of [false, true]) {
		await test('every entry gives its file, ' + (byKeys ? 'by keyboard' : 'by mouse'), async () => {
			const page = await open('rich');
			same((await exported(page, 'Folded stacks of base', byKeys)).text.split('\n').slice(0, 3), ['main 2000', 'main;read 10000', 'main;read;copy 40000']);
			const both = await exported(page, 'Folded stacks of both', byKeys);
			same([both.name, both.text.split('\n').find((line) => line.includes('new_cache'))], ['logstat.both.folded', 'main;read;new_cache 0 70000']);
			same((await exported(page, 'Folded stacks of head', byKeys)).text.includes('main;read;new_cache 70000\n'), true);
			const scope = await exported(page, 'speedscope JSON', byKeys), made = JSON.parse(scope.text);
			same([scope.name, made.profiles.map((one) => one.name)], ['logstat.speedscope.json', ['logstat, base', 'logstat, head']]);
			same((await exported(page, 'Picture as seen (SVG)', byKeys)).name, 'logstat.svg');
		});
	}

	await test("a picture's title is of what it shows", async () => {
		const title = async (page) => (await look(page, (await exported(page, 'Picture as seen (SVG)')).text)).title;
		const rich = await open('rich'), locks = await open('kinds', {hash: '#t=delay'});
		same((await title(rich)).startsWith('logstat takes'), true, await title(rich));
		await rich.keyboard.press('b');
		same((await title(rich)).endsWith('; widths of the base alone'), true, await title(rich));
		await rich.keyboard.press('s');
		same((await title(rich)).endsWith('; callers and callees of parse'), true, await title(rich));
		same((await title(locks)).startsWith('logstat. Time waiting for locks: '), true, await title(locks));
	});

	await test('the picture is what is seen: view, zoom, side, colours', async () => {
		const page = await open('rich'), picture = async () => look(page, (await exported(page, 'Picture as seen (SVG)')).text);
		const all = await picture();
		same([all.error, all.foreign, all.shown, all.page], [0, 0, true, 'rgb(255,255,255)']);
		same(all.texts.filter((text) => ['▲ everything', 'main', 'read', 'write', '▲ parse', '−▼ old_cache', '+▲ new_cache'].includes(text)).sort(),
			['+▲ new_cache', 'main', 'read', 'write', '−▼ old_cache', '▲ everything', '▲ parse']);
		await page.clickAt(2, 0.2);
		same((await picture()).texts.includes('write'), false, 'zoomed');
		await page.keyboard.press('b');
		same((await picture()).texts.some((text) => text.includes('new_cache')), false, 'of base alone');
		await page.keyboard.press('d');
		await page.keyboard.press('d');
		same((await picture()).page !== 'rgb(255,255,255)', true, 'dark');
	});

	for (const width of [360, 1280]) {
		await test('nothing sticks out of a picture of a window of ' + width + ' pixels', async () => {
			const page = await open('rich', {width}), {text} = await exported(page, 'Picture as seen (SVG)');
			const seen = await page.evaluate((source) => {
				const holder = document.createElement('div');
				holder.innerHTML = source;
				document.body.append(holder);
				const svg = holder.firstChild, {width: w, height: h} = svg.viewBox.baseVal, outer = svg.getBoundingClientRect();
				const texts = Array.from(svg.querySelectorAll('text'), (one) => ({name: one.textContent, box: one.getBoundingClientRect()}));
				return {legend: texts.some(({name}) => name === 'thin frame: culprit'), drawn: [outer.width, outer.height].join() === [w, h].join(),
					out: texts.filter(({box}) => box.right > outer.left + w + 1 || box.bottom > outer.top + h + 1).map(({name}) => name)};
			}, text);
			same(seen, {legend: true, drawn: true, out: []});
		});
	}

	await test('folded stacks that are cut say so', async () => {
		const page = await open('deep'), said = page.article.getByText('The file is cut');
		same(await said.count(), 0);
		await page.article.locator('details.menu summary').click();
		await page.article.getByRole('button', {name: 'Folded stacks of both'}).click();
		same(/^The file is cut: of \d+ call paths it has the \d+ costliest, and the others as one, “\(left out\)”\.$/.test(await said.textContent()), true);
		await page.article.locator('details.menu summary').click();
		await page.article.getByRole('button', {name: 'speedscope JSON'}).click();
		same(await said.isVisible(), false, 'another file is not cut');
	});

	await test('one profile alone has one file of folded stacks, and no sides', async () => {
		const page = await open('run');
		same(await page.article.locator('.menu-list button').allTextContents(), ['Picture as seen (SVG)', 'speedscope JSON', 'Folded stacks']);
		same((await exported(page, 'Folded stacks')).name, 'gzip--9--c-FILE.folded');
	});

	await test('Escape closes the menu and does not step back in the graph', async () => {
		const page = await open('rich'), menu = page.article.locator('details.menu');
		await page.clickAt(2, 0.2);
		await menu.locator('summary').click();
		await page.keyboard.press('Tab');
		await page.keyboard.press('Escape');
		same([await menu.evaluate((one) => one.open), await page.focused()], [false, 'SUMMARY Export']);
		same((await page.rowAt(2)).map((box) => box.name), ['read'], 'still zoomed');
	});

	await test('hostile names become text in the picture, and part of no file name', async () => {
		const page = await open('script'), file = await exported(page, 'Picture as seen (SVG)');
		same(/^[A-Za-z0-9_.-]+\.svg$/.test(file.name), true, file.name);
		const seen = await look(page, file.text);
		same([seen.error, seen.foreign, seen.shown], [0, 0, true]);
		same(seen.title.includes('<img src=x onerror=alert(1)>'), true, seen.title);
	});
};
