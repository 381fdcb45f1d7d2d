// SPDX-License-Identifier: Apache-2.0
// node export_text.js REPORT.json...: what the viewer exports of each, without a browser. The reports' own sums are the
// oracle; with FLAMEGATE_SPEEDSCOPE (a folder with speedscope and ajv) also speedscope's own schema.
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const viewer = path.join(__dirname, '../../../report/viewer');
const modules = ['model', 'figures', 'registry', 'graph/tree', 'export/export_text', 'export/export_svg', 'export/export'];
const source = modules.map((name) => fs.readFileSync(path.join(viewer, name + '.js'), 'utf8')).join('\n');
const {makeModel, foldedText, speedscopeText, fileName, xmlText, exportsOf, makeSvgContext} = vm.runInNewContext(
	source + '\n({makeModel, foldedText, speedscopeText, fileName, xmlText, exportsOf, makeSvgContext})', {});

let count = 0, failed = 0;
function test(name, run) {
	let failure = '';
	try {
		run();
	} catch (error) {
		failure = String(error.stack);
	}
	console.log((failure ? 'not ok ' : 'ok ') + ++count + ' - ' + name);
	if (!failure) return;
	failed++;
	console.log(failure.split('\n').slice(0, 8).map((line) => '# ' + line).join('\n'));
}
function same(seen, wanted, what = '') {
	if (JSON.stringify(seen) !== JSON.stringify(wanted))
		throw new Error(what + ': saw ' + JSON.stringify(seen) + ', wanted ' + JSON.stringify(wanted));
}

// [[name, base, head, children], ...] in microseconds, as a model has it.
function treeOf(calls, {unit = 'seconds', base = 1, name = 'bench'} = {}) {
	const strings = [''], functions = {name: [], module: [], file: [], line: [], count: 0, state: []}, nodes = {count: 0};
	const columns = ['parent', 'function', 'self_base', 'self_head', 'total_base', 'total_head', 'self_change', 'total_change', 'self_state', 'state'];
	for (const column of columns) nodes[column] = [];
	const known = new Map();
	const functionOf = (text) => {
		if (text === null) return -1;
		if (!known.has(text)) {
			known.set(text, functions.count++);
			functions.name.push(strings.push(text) - 1);
			functions.module.push(0);
			functions.file.push(0);
			functions.line.push(0);
		}
		return known.get(text);
	};
	const scale = unit === 'seconds' ? 1e-6 : 1;
	const add = (parent, f, before, after, children) => {
		const at = nodes.count++;
		[parent, f, before * scale, after * scale, 0, 0, 0, 0, 0, 0].forEach((value, i) => nodes[columns[i]].push(value));
		for (const [text, b, h, below = []] of children) add(at, functionOf(text), b, h, below);
	};
	add(0, -1, 0, 0, calls);
	const raw = {name, unit, profile_type: 'cpu', outcome: 'measured', total: {base}, strings, functions, nodes, culprits: []};
	return makeModel(JSON.stringify({benchmarks: [raw]})).benchmarks[0].nodes;
}
const calls = [['main', 5, 5, [['parse', 10, 30, [['lex', 7, 7]]], ['old', 4, 0], ['new', 0, 6]]], [null, 3, 3]];

test('folded stacks have each stack once, with its own cost in microseconds', () => {
	same(foldedText(treeOf(calls), ['head']).split('\n'), ['(other) 3', 'main 5', 'main;new 6', 'main;parse 30', 'main;parse;lex 7', '']);
	same(foldedText(treeOf(calls), ['base']).split('\n'), ['(other) 3', 'main 5', 'main;old 4', 'main;parse 10', 'main;parse;lex 7', '']);
});
test('both sides have a line for what either has', () => {
	same(foldedText(treeOf(calls), ['base', 'head']).split('\n'), ['(other) 3 3', 'main 5 5', 'main;new 0 6', 'main;old 4 0',
		'main;parse 10 30', 'main;parse;lex 7 7', '']);
});
test('equal stacks of different nodes are one line', () => {
	same(foldedText(treeOf([['a', 1, 1, [[null, 1, 2], [null, 3, 4]]]]), ['head']), 'a 1\na;(other) 6\n');
});
test('a name cannot end its frame or its line', () => {
	same(foldedText(treeOf([['a;b\nc 9', 0, 1]]), ['head']), 'a:b c 9 1\n');
});
test('bytes stay bytes; what is below zero is left out', () => {
	const tree = treeOf([['a', 0, 2048], ['freed', 0, -4096]], {unit: 'bytes'});
	same(foldedText(tree, ['head']), 'a 2048\n');
	const {profiles} = JSON.parse(speedscopeText(tree));
	same([profiles[1].unit, profiles[1].endValue], ['bytes', 2048]);
	const mixed = JSON.parse(speedscopeText(treeOf([['freed', 0, -10, [['b', 0, 20]]]], {unit: 'bytes'}))).profiles[1];
	same(mixed.events.map((event) => event.type + ' ' + event.at), ['O 0', 'O 0', 'C 20', 'C 20']);
});
test('speedscope gets both sides as profiles, and opens with the head', () => {
	const file = JSON.parse(speedscopeText(treeOf(calls)));
	same(file.profiles.map((one) => one.name), ['bench, base', 'bench, head']);
	same(file.activeProfileIndex, 1);
	same(file.profiles.map((one) => Math.round(one.endValue * 1e6)), [29, 51]);
	const names = file.profiles.map((one) => one.events.map((event) => event.type + ' ' + file.shared.frames[event.frame].name));
	same(names[0], ['O main', 'O parse', 'O lex', 'C lex', 'C parse', 'O old', 'C old', 'C main', 'O (other)', 'C (other)']);
	same(names[1], ['O main', 'O parse', 'O lex', 'C lex', 'C parse', 'O new', 'C new', 'C main', 'O (other)', 'C (other)']);
});
test('one profile alone is one profile, without a side', () => {
	const tree = treeOf(calls, {base: 0});
	same(JSON.parse(speedscopeText(tree)).profiles.map((one) => one.name), ['bench']);
	same(exportsOf(tree.benchmark).map((one) => one.ending), ['.svg', '.speedscope.json', '.folded']);
});
test('a file has a plain name, whatever the benchmark\'s', () => {
	const of = (name) => fileName(treeOf(calls, {name}).benchmark, '.svg');
	same([of('parse json'), of('../../etc/passwd'), of('"; rm -rf /'), of(''), of('.bashrc'), of('x'.repeat(500)).length],
		['parse-json.svg', 'etc-passwd.svg', 'rm--rf.svg', 'benchmark.svg', 'bashrc.svg', 64]);
});
test('text in the picture is XML', () => {
	same(xmlText('<a href="x">&\'\ud800b\ufffe🔥\u0007'), '&lt;a href=&quot;x&quot;&gt;&amp;&#39;\ufffdb\ufffd🔥\ufffd');
});
test('a picture has what is drawn: rectangles, text, what cuts it, and patterns once', () => {
	const context = makeSvgContext((text) => 6 * text.length), tile = {width: 8, height: 8, toDataURL: () => 'data:image/png;base64,AAAA'};
	context.fillStyle = 'rgb(1,2,3)';
	context.fillRect(1, 2, 3.456, 4);
	context.globalAlpha = 0.35;
	context.fillText('a<b', 10, 20);
	context.globalAlpha = 1;
	context.save();
	context.beginPath();
	context.rect(10, 12, 5, 16);
	context.clip();
	context.fillText('cut', 10, 20);
	context.restore();
	for (let i = 0; i < 2; i++) {
		context.fillStyle = context.createPattern(tile, 'repeat');
		context.fillRect(0, 0, 1, 1);
	}
	same(context.elements, ['<rect x="1" y="2" width="3.46" height="4" fill="rgb(1,2,3)"/>',
		'<text x="10" y="20" dy=".35em" fill="rgb(1,2,3)" opacity="0.35">a&lt;b</text>',
		'<svg x="10" y="12" width="5" height="16"><text x="0" y="8" dy=".35em" fill="rgb(1,2,3)">cut</text></svg>',
		'<rect x="0" y="0" width="1" height="1" fill="url(#p0)"/>', '<rect x="0" y="0" width="1" height="1" fill="url(#p0)"/>']);
	same(context.definitions(), '<defs><pattern id="p0" width="8" height="8" patternUnits="userSpaceOnUse">' +
		'<image href="data:image/png;base64,AAAA" width="8" height="8"/></pattern></defs>');
});

// Every stack's frames open and close in order, time never runs back, and the costs are the tree's.
function checkProfile(profile, frames) {
	const open = [];
	let at = profile.startValue;
	for (const event of profile.events) {
		if (event.at < at || event.frame < 0 || event.frame >= frames.length) throw new Error('event ' + JSON.stringify(event));
		at = event.at;
		if (event.type === 'O') open.push(event.frame);
		else same(open.pop(), event.frame, 'closes');
	}
	same([open.length, at <= profile.endValue], [0, true], profile.name);
}

const schema = process.env.FLAMEGATE_SPEEDSCOPE && (() => {
	const from = (name) => path.join(process.env.FLAMEGATE_SPEEDSCOPE, 'node_modules', name);
	const Ajv = require(from('ajv'));
	return new Ajv({strict: false}).compile(JSON.parse(fs.readFileSync(from('speedscope/dist/release/file-format-schema.json'), 'utf8')));
})();

for (const file of process.argv.slice(2)) {
	for (const benchmark of makeModel(fs.readFileSync(file, 'utf8')).benchmarks) {
		if (benchmark.nodes.count < 2) continue;
		test(path.basename(file) + ': ' + fileName(benchmark, ''), () => {
			const tree = benchmark.nodes, text = speedscopeText(tree), made = JSON.parse(text);
			made.profiles.forEach((profile) => checkProfile(profile, made.shared.frames));
			if (schema) same(schema(made), true, JSON.stringify(schema.errors));
			const positive = tree.self_head.reduce((sum, self) => sum + Math.max(0, self), 0);
			same(Math.abs(made.profiles[made.profiles.length - 1].endValue - positive) <= 1e-9 * Math.max(1, positive), true, 'head');
			for (const line of foldedText(tree, ['base', 'head']).split('\n').slice(0, -1))
				same(/^[^;\n]+(;[^;\n]+)* \d+ \d+$/.test(line), true, line.slice(0, 200));
		});
	}
}
if (!schema) console.log('ok ' + ++count + " - speedscope's own schema # SKIP it cannot be fetched");
console.log('1..' + count);
process.exitCode = failed ? 1 : 0;
