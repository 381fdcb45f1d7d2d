// SPDX-License-Identifier: Apache-2.0
// node rich.js REPORT.json [CALLEES]: the same report with a tree that has what a viewer must be able to show: a recursion, a
// function with several callers, new and vanished calls, elided ones, and a second benchmark. Costs in milliseconds. CALLEES: so many
// more calls below the root, and many elided ones in one call.
'use strict';
const fs = require('fs');

const SAME = 0, NEW = 2, GONE = 3, CONFIRMED = 2, IMPROVED = 6;
const tree = ['', 0, 0, [
	['main', 2, 2, [
		['read', 10, 10, [
			['parse', 100, 150, [['parse', 20, 20, [['lex', 30, 30]]], ['lex', 50, 50]]],
			['copy', 40, 40],
			['old_cache', 60, 0],
			['new_cache', 0, 70],
		]],
		['write', 30, 30, [['copy', 60, 90], [null, 25, 25]]],
	]],
]];
const more = Number(process.argv[3] || 0);
for (let i = 0; i < more; i++) tree[3].push(['lex', 1, 1]);
if (more) tree[3][0][3][1][3].push([null, 300, 300]);
const states = {parse: CONFIRMED, copy: CONFIRMED, new_cache: CONFIRMED, old_cache: IMPROVED};
const confirmedNodes = new Set(['main;read;parse', 'main;write;copy', 'main;read;new_cache']);
const matches = {old_cache: GONE, new_cache: NEW};
const names = ['main', 'read', 'parse', 'lex', 'copy', 'old_cache', 'new_cache', 'write'];

const nodes = [];
(function add([name, base, head, children = []], parent, path) {
	const node = {name, path, parent, self: [base / 1000, head / 1000], total: [base / 1000, head / 1000]}, at = nodes.push(node) - 1;
	for (const child of children) {
		const below = add(child, at, path ? path + ';' + child[0] : child[0]);
		node.total = node.total.map((value, version) => value + below.total[version]);
	}
	return node;
})(tree, 0, '');

const [whole] = nodes[0].total;
const round = (value) => Number(value.toFixed(6));
const change = ([base, head]) => round((head - base) / whole);
const isInner = (node) => node.path.split(';').slice(0, -1).includes(node.name);
const sum = (name, what, version, outer) => round(nodes.filter((node) => node.name === name && !(outer && isInner(node)))
	.reduce((all, node) => all + node[what][version], 0));
const selfOf = (name) => [0, 1].map((version) => sum(name, 'self', version));

const report = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const rich = report.benchmarks[0];
const each = (list, get) => list.map(get);
rich.strings = names.concat('logstat', '', 'src/all.c');
rich.functions = {
	count: names.length, name: each(names, (name, i) => i), module: each(names, () => names.length),
	file: each(names, () => names.length + 2), line: each(names, (name, i) => 10 * i + 10),
	match: each(names, (name) => matches[name] || SAME), touched: each(names, () => 0),
	self_base: each(names, (name) => selfOf(name)[0]), self_head: each(names, (name) => selfOf(name)[1]),
	change: each(names, (name) => change(selfOf(name))), low: each(names, (name) => round(change(selfOf(name)) - 0.01)),
	high: each(names, (name) => round(change(selfOf(name)) + 0.01)), se: each(names, () => 0.005),
	state: each(names, (name) => states[name] || 0),
	total_base: each(names, (name) => sum(name, 'total', 0, true)), total_head: each(names, (name) => sum(name, 'total', 1, true)),
};
rich.nodes = {
	count: nodes.length, parent: each(nodes, (node) => node.parent), function: each(nodes, (node) => names.indexOf(node.name)),
	self_base: each(nodes, (node) => round(node.self[0])), self_head: each(nodes, (node) => round(node.self[1])),
	total_base: each(nodes, (node) => round(node.total[0])), total_head: each(nodes, (node) => round(node.total[1])),
	self_change: each(nodes, (node) => change(node.self)), total_change: each(nodes, (node) => change(node.total)),
	self_state: each(nodes, (node) => states[node.name] || 0), state: each(nodes, (node) => (node.path === '' || confirmedNodes.has(node.path) ? CONFIRMED : 0)),
};
const at = nodes.findIndex((node) => node.path === 'main;read;parse');
Object.assign(rich.total, {base: round(nodes[0].total[0]), head: round(nodes[0].total[1]), change: change(nodes[0].total)});
Object.assign(rich.culprits[0], {node: at, function: 2, file: 'src/all.c', line: 30, path: [0, 1, 2], diff_function: 2});
report.benchmarks.push(Object.assign({}, rich, {name: 'second'}));
process.stdout.write(JSON.stringify(report));
