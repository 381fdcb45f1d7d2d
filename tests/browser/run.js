// SPDX-License-Identifier: Apache-2.0
// node run.js MODULES BROWSER REPORTS TEST.js...
'use strict';
const path = require('path');
const {makeHarness} = require('./harness.js');

(async () => {
	const [modules, browser, reports, ...files] = process.argv.slice(2);
	const t = await makeHarness(modules, browser, reports);
	for (const file of files) await require(path.resolve(file))(t);
	await t.finish();
})().catch((error) => {
	console.log('Bail out! ' + error.message.split('\n')[0]);
	process.exitCode = 1;
});
