// SPDX-License-Identifier: Apache-2.0
// What each view shows of the rich report: see rich.js.
'use strict';

const fs = require('fs');
const path = require('path');

const names = (row) => row.map((box) => box.name);

module.exports = async ({open, test, same}) => {
	await test('an icicle has callers above, a flame callees', async () => {
		const page = await open('rich');
		same([await page.boxAt(0, 0.5), await page.boxAt(1, 0.5), await page.boxAt(5, 0.01)], ['everything', 'main', 'lex']);
		await page.keyboard.press('f');
		same([await page.boxAt(0, 0.01), await page.boxAt(4, 0.5), await page.boxAt(5, 0.5)], ['lex', 'main', 'everything']);
		await page.canvas.focus();
		for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowDown']) await page.keyboard.press(key);
		same(await page.status(), 'main, total 517 ms, +21.1 % of all', 'up is where it is drawn');
	});

	await test('widths are of both sides, of the head or of the base', async () => {
		const page = await open('rich'), row = async () => names(await page.rowAt(3)).filter(Boolean);
		same(await row(), ['parse', 'copy', 'old_cache', 'new_cache', 'copy', '(other)']);
		await page.keyboard.press('h');
		same(await row(), ['parse', 'copy', 'new_cache', 'copy', '(other)']);
		await page.keyboard.press('b');
		same(await row(), ['parse', 'copy', 'old_cache', 'copy', '(other)']);
		const parse = (await page.rowAt(3))[0];
		same(Math.abs(parse.parts / 60 - 200 / 427) < 0.03, true, 'parse has its share of the base');
	});

	await test('what no sample saw stays empty below everything', async () => {
		const code = fs.readFileSync(path.join(__dirname, '../../../report/viewer/graph/layout.js'), 'utf8');
		const layoutTree = new Function('isWhole', code + '; return layoutTree;')((tree, node) => node === 0 && !tree.merged);
		const tree = {count: 2, parent: [0, 0], self_base: [0, 0.9], self_head: [0, 1.1], total_base: [1, 0.9], total_head: [1.2, 1.1]};
		const widths = (one, side) => Array.from(layoutTree(one, side).width);
		same([widths(tree, 'union'), widths(tree, 'base'), widths(tree, 'head')], [[1.2, 1.1], [1, 0.9], [1.2, 1.1]]);
		same(widths(Object.assign({merged: [1, 1]}, tree), 'union'), [1.1, 1.1], 'a function in the middle is what its callers are');
	});

	await test('the legend has the marks that the view can show', async () => {
		const page = await open('rich'), legend = async () => (await page.article.locator('.legend > span').allTextContents()).slice(3);
		same(await legend(), ['fill: head', '┃ tick: base', '+ bar at the left: only in head', '− hatched: only in base', 'thin frame: culprit']);
		await page.keyboard.press('h');
		same(await legend(), ['width: head', '+ bar at the left: only in head', 'thin frame: culprit']);
		await page.keyboard.press('b');
		same(await legend(), ['width: base', '− hatched: only in base', 'thin frame: culprit']);
		await page.keyboard.press('s');
		same(await legend(), ['width: base', '− hatched: only in base', 'thin frame: the function in the middle']);
	});

	await test('zoom and selection stay when side and view change', async () => {
		const page = await open('rich');
		await page.clickAt(3, 0.1);
		for (const key of ['h', 'b', 'f', 's', 'i']) await page.keyboard.press(key);
		same([await page.status(), names(await page.rowAt(3))], ['parse, total 250 ms, +11.7 % of all, self: more time, total: more time', ['parse']]);
	});

	await test('a sandwich merges callers above and callees below, and counts recursion once', async () => {
		const page = await open('rich');
		await page.keyboard.press('s');
		same([await page.boxAt(0, 0.5), await page.boxAt(1, 0.5), await page.boxAt(2, 0.5)], ['main', 'read', 'parse']);
		same(names(await page.rowAt(3)).filter(Boolean), ['parse', 'lex'], 'it calls itself');
		same(await page.tipAt(2, 0.9), 'parse src/all.c:30 · logstat base head change, of all self 120 ms 170 ms +11.7 % total 200 ms 250 ms +11.7 % self: more time · total: more time');
	});

	await test('a sandwich of a function with two callers: sums, and no significance that nobody computed', async () => {
		const page = await open('rich');
		await page.getByRole('row', {name: /^copy/}).click();
		await page.keyboard.press('s');
		same(await page.boxAt(2, 0.5), 'copy');
		same(names(await page.rowAt(1)).filter(Boolean), ['read', 'write']);
		same(names(await page.rowAt(0)).filter(Boolean), ['main']);
		same([await page.tipAt(0, 0.1), await page.tipAt(1, 0.1)], [
			'main src/all.c:10 · logstat base head change, of all from here 40.0 ms 40.0 ms 0.0 %',
			'read src/all.c:20 · logstat base head change, of all from here 40.0 ms 40.0 ms 0.0 %']);
		same(await page.tipAt(2, 0.5), 'copy src/all.c:50 · logstat base head change, of all self 100 ms 130 ms +7.0 % total 100 ms 130 ms +7.0 % self: more time · sum of 2 call paths');
		const [above, own] = [await page.pixels(0, 0.1, 1), await page.pixels(2, 0.5, 1)];
		same(above[0], [206, 211, 217], 'a caller that it does not cost more from is grey');
		same(own[0][0] > own[0][2] + 60, true, 'the function has the colour of its own cost');
		same(await page.tipAt(1, 0.9), 'write src/all.c:80 · logstat base head change, of all from here 60.0 ms 90.0 ms +7.0 % total: more time', 'one call path has its verdict');
	});

	await test('in a sandwich a click or Enter takes the next function, Back returns', async () => {
		const page = await open('rich');
		await page.keyboard.press('s');
		await page.clickAt(3, 0.3);
		same(await page.boxAt(4, 0.5), 'lex');
		await page.button('Back').click();
		same(await page.boxAt(2, 0.5), 'parse');
		await page.canvas.focus();
		await page.keyboard.press('ArrowUp');
		same(await page.status(), 'read, total 250 ms, +11.7 % of all, total: more time', 'what parse costs when called from there');
		await page.keyboard.press('Enter');
		same([await page.boxAt(1, 0.5), names(await page.rowAt(2)).filter(Boolean)], ['read', ['parse', 'copy', 'old_cache', 'new_cache']]);
		await page.getByRole('row', {name: /^write/}).click();
		same(await page.boxAt(1, 0.5), 'write', 'a row of the table');
	});

	await test('new calls have a bar, vanished ones are hatched, elided ones can be hidden', async () => {
		const page = await open('rich');
		const boxes = await page.rowAt(3), start = (name) => boxes.slice(0, boxes.findIndex((box) => box.name === name))
			.reduce((sum, box) => sum + box.parts, 0) / 60;
		const kinds = async (name) => new Set((await page.pixels(3, start(name) + 0.07, 24, 3)).map(String)).size;
		same(await kinds('parse'), 1, 'a plain box has one colour');
		same(await kinds('old_cache') > 2, true, 'stripes have several');
		const edge = (await page.pixels(3, start('new_cache') - 0.02, 60, 3)).map(String);
		same(edge.includes('0,0,0'), true, 'the bar');
		same(names(boxes).includes('(other)'), true);
		await page.keyboard.press('o');
		same(names(await page.rowAt(3)).includes('(other)'), false);
	});

	await test('one profile alone has no sides and no verdict', async () => {
		const page = await open('run');
		same(await page.pressed(), ['Icicle']);
		await page.keyboard.press('h');
		await page.keyboard.press('s');
		same(await page.pressed(), ['Sandwich']);
		same(await page.hash(), '#b=0&v=sandwich&f=inflate_fast');
	});

	await test('nothing of one profile alone is new', async () => {
		const page = await open('gallery-alone', {hash: '#n=_start'});
		same(await page.status(), '_start, total 834 ms');
	});

	await test('a deep tree that fills no window can be walked to its end', async () => {
		const page = await open('large');
		await page.canvas.focus();
		for (let i = 0; i < 60; i++) await page.keyboard.press('ArrowDown');
		same(await page.article.locator('.scroller').evaluate((one) => one.scrollTop > 0), true, 'scrolled along');
		await page.keyboard.press('f');
		await page.keyboard.press('s');
		await page.keyboard.press('t');
		same(await page.getByRole('treeitem', {selected: true}).count(), 1);
	});
};
