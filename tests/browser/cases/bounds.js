// SPDX-License-Identifier: Apache-2.0
// node bounds.js: what the viewer makes of very large trees is bounded. Counted, never timed; without a browser.
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const viewer = path.join(__dirname, '../../../report/viewer');
const modules = ['model', 'figures', 'registry', 'graph/tree', 'graph/layout', 'graph/merge', 'address', 'export/export_text'];
const source = modules.map((name) => fs.readFileSync(path.join(viewer, name + '.js'), 'utf8')).join('\n');
const {makeModel, outermostNodes, mergeCallers, mergeCallees, foldStacks, readNode, writePath, writeNode, countIndexOf} = vm.runInNewContext(source + `
	({makeModel, outermostNodes, mergeCallers, mergeCallees, foldStacks, readNode, writePath, writeNode, countIndexOf(run) {
		const real = Array.prototype.indexOf;
		let calls = 0;
		Array.prototype.indexOf = function (...given) { calls++; return real.apply(this, given); };
		try { run(); } finally { Array.prototype.indexOf = real; }
		return calls;
	}})`, {});

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

// A benchmark as report.json has it, of nodes [parent, function, self head].
function rawOf(nodes, functions) {
	const zero = (n) => new Array(n).fill(0), n = nodes.length, total = nodes.map((node) => node[2]);
	for (let i = n - 1; i > 0; i--) total[nodes[i][0]] += total[i];
	return {name: 'bench', unit: 'samples', profile_type: 'cpu', outcome: 'profile', total: {base: 0, head: total[0]}, culprits: [],
		strings: ['', ...Array.from({length: functions}, (_, f) => 'f' + f)],
		functions: {count: functions, name: Array.from({length: functions}, (_, f) => f + 1), module: Array.from({length: functions}, (_, f) => f + 1),
			file: zero(functions), line: zero(functions), state: zero(functions), change: zero(functions)},
		nodes: {count: n, parent: nodes.map((node) => node[0]), function: nodes.map((node) => node[1]), self_base: zero(n),
			self_head: nodes.map((node) => node[2]), total_base: zero(n), total_head: total, self_change: zero(n), total_change: zero(n),
			self_state: zero(n), state: zero(n)}};
}
const modelOf = (nodes, functions) => makeModel(JSON.stringify({benchmarks: [rawOf(nodes, functions)]})).benchmarks[0];

// Chains of calls, each of its own functions in its own order, that all end in function 0. The last one costs most.
function chains(many, deep) {
	const nodes = [[0, -1, 0]];
	for (let c = 0; c < many; c++) {
		for (let d = 0; d < deep; d++) nodes.push([d ? nodes.length - 1 : 0, 1 + (c * 7 + d * (1 + c % 5)) % 997, 0]);
		nodes.push([nodes.length - 1, 0, c === many - 1 ? 1000 : 1]);
	}
	return modelOf(nodes, 998).nodes;
}
const callersOf = (tree) => mergeCallers(tree, 0, outermostNodes(tree, 0));
const sum = (column) => column.reduce((all, one) => all + one, 0);

test('callers of a few call paths are all there', () => {
	const callers = callersOf(chains(50, 60));
	same([callers.cut, callers.function.includes(-1), callers.count > 2000], [0, false, true]);
});
test('a sandwich has no more places than a browser holds; what is left is one (other), and counted', () => {
	const tree = chains(1500, 200), callers = callersOf(tree), others = callers.function.filter((f) => f === -1).length;
	same(callers.count <= 50002, true, callers.count + ' places');
	same([callers.cut > 0, others >= 1 && others <= 2], [true, true], callers.cut + ' cut, ' + others + ' others');
	same([sum(Array.from(callers.self_head)), callers.total_head[0]], [tree.total_head[0], tree.total_head[0]], 'widths add up');
	const top = callers.function.findIndex((f, i) => i > 0 && callers.parent[i] === 0 && f >= 0 && callers.total_head[i] >= 1000);
	same(top > 0, true, 'the costliest call path is told apart');
});
test('callers and callees of one name each are merged', () => {
	const tree = modelOf([[0, -1, 0], [0, 1, 1], [1, 0, 2], [2, 2, 3], [0, 2, 0], [4, 0, 5], [5, 2, 7]], 3).nodes;
	const starts = outermostNodes(tree, 0), callees = mergeCallees(tree, 0, starts);
	same(Array.from(callersOf(tree).function), [0, 1, 2]);
	same([Array.from(callees.function), Array.from(callees.total_head)], [[0, 2], [17, 10]]);
});
test('a merged call has its own verdict: that of the call, or of the function where it is all of it', () => {
	const CONFIRMED = 2, raw = rawOf([[0, -1, 0], [0, 0, 1], [1, 1, 2], [0, 0, 1], [3, 1, 2], [3, 2, 5], [0, 2, 5], [1, 3, 4], [0, 4, 1], [8, 3, 4],
		[8, 5, 1]], 6);
	raw.functions.state.fill(CONFIRMED);
	raw.nodes.self_state = raw.nodes.function.map((f) => (f === 3 ? 0 : CONFIRMED));
	const tree = makeModel(JSON.stringify({benchmarks: [raw]})).benchmarks[0].nodes;
	const of = (f) => {
		const callees = mergeCallees(tree, f, outermostNodes(tree, f));
		return Array.from(callees.function, (callee, at) => callee + ': ' + callees.self_state[at]);
	};
	same(of(0), ['0: 2', '1: 2', '3: 0', '2: 2'], 'merged of all calls of 1, of one of 3 and of one of 2');
	same(of(4), ['4: 2', '3: 0', '5: 2']);
	raw.nodes.function[10] = 0;
	const some = makeModel(JSON.stringify({benchmarks: [raw]})).benchmarks[0].nodes, root = mergeCallees(some, 0, outermostNodes(some, 0));
	same(root.self_state[0], CONFIRMED, 'the function itself');
	raw.nodes.parent.push(1, 3);
	raw.nodes.function.push(2, 2);
	raw.nodes.count += 2;
	for (const name of ['self_base', 'self_head', 'total_base', 'total_head', 'self_change', 'total_change']) raw.nodes[name].push(1, 1);
	raw.nodes.self_state.push(CONFIRMED, CONFIRMED);
	raw.nodes.state.push(CONFIRMED, CONFIRMED);
	const more = makeModel(JSON.stringify({benchmarks: [raw]})).benchmarks[0].nodes, callees = mergeCallees(more, 0, outermostNodes(more, 0));
	same(callees.self_state[callees.function.indexOf(2)], 0, 'of three calls of four nobody computed it');
});
test('folded stacks have no more than a browser holds; what is left out is counted and summed up', () => {
	const tree = chains(40, 100), all = foldStacks(tree, ['head']), cut = foldStacks(tree, ['head'], 5000);
	const costs = ({text}) => sum(text.split('\n').slice(0, -1).map((line) => Number(line.slice(line.lastIndexOf(' ')))));
	same([all.left, cut.left > 0, cut.text.length < 5100], [0, true, true], cut.left + ' left, ' + cut.text.length + ' characters');
	same([costs(all), costs(cut)], [tree.total_head[0], tree.total_head[0]]);
	same(cut.text.includes('(left out) '), true);
	same(cut.text.split('\n').some((line) => line.endsWith(' 1000')), true, 'the costliest is there');
});
test('a path of any depth is found again', () => {
	const tree = chains(2, 3000), view = {tree}, node = tree.function.indexOf(0);
	same([tree.depth[node], readNode(writePath(node, tree), view) === node], [3001, true]);
	same([writeNode(node, view), writeNode(5, view)], ['@' + node, writePath(5, tree)]);
});
test('a model is made without a search for each function', () => {
	const calls = countIndexOf(() => modelOf([[0, -1, 0], [0, 0, 1]], 500));
	same(calls < 10, true, calls + ' searches');
});
console.log('1..' + count);
process.exitCode = failed ? 1 : 0;
