// SPDX-License-Identifier: Apache-2.0
// node validate.js FOLDER sarif|codequality FILE: exit 1 and the reasons unless FILE keeps to its format's schema.
'use strict';
const fs = require('fs');
const path = require('path');

const [folder, kind, file] = process.argv.slice(2);
const modules = path.join(folder, 'node_modules');
const Ajv = require(path.join(modules, 'ajv-draft-04')); // SARIF's schema is of this draft

// GitLab publishes prose alone: what its page says a finding must have.
const codeQuality = {
	type: 'array',
	items: {
		type: 'object',
		required: ['description', 'check_name', 'fingerprint', 'severity', 'location'],
		properties: {
			description: {type: 'string', minLength: 1},
			check_name: {type: 'string', minLength: 1},
			fingerprint: {type: 'string', minLength: 1},
			severity: {enum: ['info', 'minor', 'major', 'critical', 'blocker']},
			location: {
				type: 'object',
				required: ['path', 'lines'],
				properties: {
					path: {type: 'string', pattern: '^(?!\\./|/)'},
					lines: {type: 'object', required: ['begin'], properties: {begin: {type: 'integer', minimum: 1}}},
				},
			},
		},
	},
};

function schemaOf(kind) {
	if (kind === 'codequality') return codeQuality;
	const sarif = path.join(modules, '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
	return JSON.parse(fs.readFileSync(sarif, 'utf8'));
}

const validate = new Ajv({strict: false, allErrors: true, validateFormats: false, unicodeRegExp: false}).compile(schemaOf(kind));
const data = JSON.parse(fs.readFileSync(file, 'utf8'));
if (!validate(data)) {
	for (const error of validate.errors) console.log(`${error.instancePath} ${error.message}`);
	process.exit(1);
}
if (kind === 'codequality' && new Set(data.map((one) => one.fingerprint)).size !== data.length) {
	console.log('two findings have one fingerprint');
	process.exit(1);
}
