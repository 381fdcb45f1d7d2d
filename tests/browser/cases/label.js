// SPDX-License-Identifier: Apache-2.0
// node label.js: what a box of the graph says of itself in more and more room, without a browser. Letters are six
// pixels wide here, marks and ellipses twelve, blanks three.
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const source = fs.readFileSync(path.join(__dirname, '../../../report/viewer/graph/canvas.js'), 'utf8');
const {fitLabel} = vm.runInNewContext(source + '\n({fitLabel})', {});
const widths = {'▲': 12, '+': 6, '…': 12, ' ': 3};
const context = {measureText: (text) => ({width: Array.from(text, (one) => widths[one] || 6).reduce((sum, one) => sum + one, 0)})};

function seen(mark, name) {
	const found = [];
	for (let room = 0; room <= 100; room++) {
		const text = fitLabel(context, mark, name, room);
		if (context.measureText(text).width > room) found.push('too wide for ' + room);
		if (text !== found[found.length - 1]) found.push(text);
	}
	return found;
}

const cases = [
	['a narrow box has its mark alone, and no ellipsis behind it', '▲ ', 'parse', ['', '▲', '▲ pa…', '▲ parse']],
	['so has one with two marks', '+▲ ', 'parse', ['', '+▲', '+▲ pa…', '+▲ parse']],
	['without a mark there is what fits of the name', '', 'parse_field', ['', 'pa…', 'par…', 'pars…', 'parse…', 'parse_…', 'parse_f…', 'parse_fi…', 'parse_field']],
];
let failed = 0;
cases.forEach(([name, mark, text, wanted], i) => {
	const found = JSON.stringify(seen(mark, text)), good = found === JSON.stringify(wanted);
	console.log((good ? 'ok ' : 'not ok ') + (i + 1) + ' - ' + name + (good ? '' : '\n# ' + found));
	failed += good ? 0 : 1;
});
console.log('1..' + cases.length);
process.exitCode = failed ? 1 : 0;
