// SPDX-License-Identifier: Apache-2.0
// The heap over time: lines, peaks, axes, and the same for those who do not see them.
'use strict';

const chart = (page) => page.locator('.memory-figure svg');
const texts = (page, selector) => page.locator('.memory-figure ' + selector).allTextContents();
// Asked in one go: the chart may be drawn anew between two questions, and what is not on the page has no style.
const style = (page, selector, name) => page.evaluate(([what, of]) => getComputedStyle(document.querySelector(what))[of], [selector, name]);
// Where a path is highest: {x, y} in the picture's own units.
const highest = (page, side) => page.locator('.memory-figure path.' + side).evaluate((path) => path.getAttribute('d').slice(1).split('L')
	.map((pair) => pair.split(' ').map(Number)).reduce((best, one) => (one[1] < best[1] ? one : best)));

const figure = (page) => page.locator('.memory-figure');
const tip = async (page) => (await page.locator('.tooltip').innerText()).replace(/\s+/g, ' ').trim();
const said = (page) => page.locator('.memory-slot [role=status]').textContent();
// The places of the line across the chart, and how many values are marked on it.
const cursor = (page) => page.evaluate(() => ({lines: Array.from(document.querySelectorAll('.cursor line'), (one) => Number(one.getAttribute('x1'))),
	dots: document.querySelectorAll('.cursor circle').length}));

module.exports = async ({open, test, same}) => {
	await test('both versions are drawn, and the peaks have their values', async () => {
		const page = await open('memory');
		same(await page.getByRole('heading', {name: 'Memory over time'}).count(), 1);
		same(await texts(page, 'text.peak'), ['3.50 MiB', '12.3 MiB']);
		const [peak, ...circle] = [await highest(page, 'head'), ...await page.locator('.memory-figure circle.head').evaluate((one) =>
			[one.getAttribute('cx'), one.getAttribute('cy')].map(Number))];
		same([Math.abs(peak[0] - circle[0]) < 0.1, Math.abs(peak[1] - circle[1]) < 0.1], [true, true], 'the mark is on the line');
		same(await page.locator('.memory-legend').innerText(), 'base: peak 3.50 MiB after 11 %, 16.0 KiB at the end\n' +
			'head: peak 12.3 MiB after 39 %, 2.50 MiB at the end');
	});

	await test('the axes have units: bytes, and iterations where the program tells them', async () => {
		const page = await open('memory'), marks = await texts(page, 'text:not(.peak)');
		same(marks, ['0 B', '5.00 MiB', '10.0 MiB', '0', '50', '100', '150', '200', 'iterations of the run']);
	});

	await test('base is dashed, head is not, and both follow the theme', async () => {
		const page = await open('memory'), colours = async () => [await style(page, '.memory-figure path.base', 'stroke'),
			await style(page, '.memory-figure path.head', 'stroke'), await style(page, '.memory-figure text.peak', 'fill')];
		same([await style(page, '.memory-figure path.base', 'strokeDasharray') !== 'none',
			await style(page, '.memory-figure path.head', 'strokeDasharray')], [true, 'none']);
		same(await colours(), ['rgb(91, 101, 112)', 'rgb(28, 33, 39)', 'rgb(28, 33, 39)']);
		await page.getByRole('combobox').first().selectOption('dark');
		same(await colours(), ['rgb(163, 172, 181)', 'rgb(228, 231, 234)', 'rgb(228, 231, 234)']);
	});

	await test('who does not see it hears its peaks, and has a table by keyboard', async () => {
		const page = await open('memory');
		same(await page.getByRole('img', {name: /^Memory in use over time\. base: peak 3\.50 MiB .*; head: peak 12\.3 MiB after 39 %/}).count(), 1);
		const table = page.getByRole('region', {name: 'Memory over time as a table'});
		same(await table.isVisible(), false);
		await page.locator('.memory-slot summary').focus();
		await page.keyboard.press('Enter');
		same(await table.isVisible(), true);
		const rows = (await table.locator('tr').allInnerTexts()).map((row) => row.replace(/\s+/g, ' ').trim());
		same(rows.length, 21);
		same(rows[0], 'after base, in use base, most until then head, in use head, most until then');
		same(rows[1], '10 2.25 MiB 2.25 MiB 2.31 MiB 2.31 MiB');
		same(rows[8], '80 2.00 MiB 3.50 MiB 2.94 MiB 12.3 MiB', 'the stretch with the spike');
		same(rows[20], '200 16.0 KiB 3.50 MiB 2.50 MiB 5.94 MiB');
	});

	await test('the mouse reads both versions at a moment', async () => {
		const page = await open('memory'), picture = chart(page);
		await picture.scrollIntoViewIfNeeded();
		const box = await picture.boundingBox(), at = await page.locator('.memory-figure circle.head').evaluate((one) => Number(one.getAttribute('cx')));
		await page.mouse.move(box.x + at, box.y + 100);
		same(await tip(page), 'after 78 iterations base 2.50 MiB head 12.3 MiB difference +9.75 MiB');
		same(await cursor(page), {lines: [at], dots: 2}, 'on head\'s peak');
		await page.mouse.move(box.x + box.width - 17, box.y + 100);
		same(await tip(page), 'after 200 iterations base 16.0 KiB head 2.50 MiB difference +2.48 MiB');
		await page.mouse.move(box.x + 10, box.y - 40);
		same([await page.locator('.tooltip').isVisible(), await cursor(page)], [false, {lines: [], dots: 0}]);
		same(await said(page), '', 'the mouse is not told of');
	});

	await test('so do the arrow keys, and it is said', async () => {
		const page = await open('memory');
		await figure(page).focus();
		const steps = [], top = await page.evaluate(() => scrollY);
		for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowLeft', 'End', 'ArrowRight', 'Home', 'ArrowLeft', 'PageDown']) {
			await page.keyboard.press(key);
			steps.push(await said(page));
		}
		same(steps, ['after 78 iterations: base 2.50 MiB, head 12.3 MiB, +9.75 MiB',
			'after 80 iterations: base 2.00 MiB, head 2.94 MiB, +960 KiB',
			'after 78 iterations: base 2.50 MiB, head 12.3 MiB, +9.75 MiB',
			'after 75 iterations: base 3.00 MiB, head 3.87 MiB, +896 KiB',
			...Array(2).fill('after 200 iterations: base 16.0 KiB, head 2.50 MiB, +2.48 MiB'),
			...Array(2).fill('after 0 iterations: base 0 B, head 0 B, no difference'),
			'after 45 iterations: base 2.75 MiB, head 3.25 MiB, +512 KiB']);
		same(await page.locator('.tooltip').isVisible(), true);
		same(await page.evaluate(() => scrollY), top, 'the page stays where it is');
		same(await page.getByRole('application', {name: /^Memory over time\. Left and right/}).count(), 1);
		await page.keyboard.press('Escape');
		same([await page.locator('.tooltip').isVisible(), (await cursor(page)).lines], [false, []]);
		await page.keyboard.press('ArrowRight');
		await page.keyboard.press('Tab');
		same([await page.locator('.tooltip').isVisible(), (await cursor(page)).lines], [false, []], 'it goes with the focus');
	});

	await test('a run that is over has no value, and what else is typed is not ours', async () => {
		const page = await open('memory_short');
		await figure(page).focus();
		await page.keyboard.press('End');
		same(await said(page), 'after 550 ms of CPU time: base its run was over, head 2.50 MiB');
		same((await cursor(page)).dots, 1);
		await page.keyboard.press('?');
		same(await page.getByRole('dialog').isVisible(), true);
		same(await page.getByText('In the chart of memory: the values at a moment').count(), 1);
	});

	await test('a narrower chart has its moments where they are then, and none of before', async () => {
		const page = await open('memory');
		await figure(page).focus();
		await page.keyboard.press('ArrowRight');
		await page.setViewportSize({width: 420, height: 900});
		await page.waitForFunction(() => document.querySelector('.memory-figure svg').viewBox.baseVal.width < 420);
		same([await page.locator('.tooltip').isVisible(), (await cursor(page)).lines], [false, []]);
		await chart(page).evaluate((svg) => svg.scrollIntoView({block: 'center'}));
		await page.keyboard.press('ArrowLeft');
		const box = await chart(page).boundingBox(), [line] = (await cursor(page)).lines;
		same(line > 74 && line < box.width - 16, true);
		const at = await page.locator('.tooltip').boundingBox();
		same(at.x >= 0 && at.x + at.width <= 420, true, 'the values are on the page');
		same(at.y >= box.y + 182, true, 'and hide no line');
	});

	await test('a run alone has one line, by CPU time', async () => {
		const page = await open('memory_alone');
		same([await page.locator('.memory-figure path').count(), await page.locator('.memory-figure path.head').count()], [1, 1]);
		same((await texts(page, 'text:not(.peak)')).slice(3), ['0 s', '100 ms', '200 ms', '300 ms', '400 ms', '500 ms',
			'CPU time of the run while its heap is counted']);
		same(await page.locator('.memory-legend').isVisible(), false);
		same(await page.getByText('Memory peaks at 12.3 MiB after 39 % of the run\'s CPU time and ends with 2.50 MiB in use.').count(), 1);
	});

	await test('it is as wide as its place, also when that changes', async () => {
		const page = await open('memory'), width = () => chart(page).evaluate((svg) => svg.viewBox.baseVal.width - svg.clientWidth);
		same(Math.abs(await width()) <= 1, true);
		await page.setViewportSize({width: 420, height: 900});
		await page.waitForFunction(() => document.querySelector('.memory-figure svg').viewBox.baseVal.width < 420);
		same(Math.abs(await width()) <= 1, true);
		same(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
	});

	await test('on paper there is the chart, in light colours, without the folded table', async () => {
		const page = await open('memory', {dark: true, hash: '#theme=dark'});
		await page.emulateMedia({media: 'print', colorScheme: 'dark'});
		same([await chart(page).isVisible(), await page.locator('.memory-legend').isVisible(),
			await page.locator('.memory-slot summary').isVisible()], [true, true, false]);
		same(await style(page, '.memory-figure path.head', 'stroke'), 'rgb(28, 33, 39)');
	});

	await test('a real program: the peak while all is compacted, and what each region and request costs', async () => {
		const page = await open('heap');
		same(await texts(page, 'text.peak'), ['1.42 MiB', '3.10 MiB']);
		const rows = (await page.getByRole('grid').locator('tbody tr').allInnerTexts()).map((row) => row.split('\t').map((cell) => cell.trim()));
		same(rows.slice(0, 3).map((row) => row[0]), ['make_document', 'append', '__libc_start_call_main']);
		const nothing = rows.map((row) => row[5] === '0 B' && row[6] === '0 B');
		same([nothing.indexOf(true) > 0, nothing.lastIndexOf(false) < nothing.indexOf(true)], [true, true], 'what costs nothing comes last');
		const label = page.getByRole('combobox', {name: 'Only samples with this label'});
		same((await label.locator('optgroup').evaluateAll((groups) => groups.map((one) => one.label))).slice(0, 2), ['region', 'request']);
		await label.selectOption('request=export');
		same(/^Only request = export: .* of base\) → .* of head\)/.test(await page.article.locator('p.count:visible').first().innerText()), true);
		await page.getByRole('combobox', {name: 'What the graph counts'}).selectOption('peak_bytes');
		await label.selectOption('region=compact');
		const said = await page.article.locator('p.count:visible').first().innerText();
		same(/^Only region = compact: .*\(81\.6 % of base\) → .*\(37\.5 % of head\)/.test(said), true, said);
		same(await texts(page, 'text.peak'), ['1.42 MiB', '3.10 MiB'], 'the chart is of the whole');
	});

	await test('with all its controls they are one line in a window of 1200 pixels', async () => {
		const page = await open('heap', {width: 1200}), controls = page.article.locator('.controls button:visible, .controls input, .controls select, .controls summary');
		const tops = await controls.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
		same([tops.length, Math.max(...tops) - Math.min(...tops) < 10], [11, true], tops.join(' '));
	});

	await test('impossible times and sizes are drawn as nothing', async () => {
		const page = await open('memory_tiny');
		same(await texts(page, 'text.peak'), ['0 B']);
		same(await texts(page, 'text:not(.peak)'), ['0 B', '0 s', 'CPU time of the run while its heap is counted']);
	});

	await test('reports without it have no such part', async () => {
		const page = await open('rich');
		same(await page.locator('.memory-figure, .memory-slot').count(), 0);
	});

	for (const scheme of ['light', 'dark']) {
		await test('axe has no serious finding: memory, ' + scheme, async () => {
			const page = await open('memory', {dark: scheme === 'dark', bypass: true});
			await page.locator('.memory-slot summary').click();
			await figure(page).focus();
			await page.keyboard.press('End');
			same(await page.axe(), []);
		});
	}
};
