// SPDX-License-Identifier: Apache-2.0
// node validate.js FOLDER sarif|codequality|json FILE...: exit 1 and the reasons unless each FILE keeps to its format's schema.
// json: report.json, held against our own report/report.schema.json.
'use strict';
const fs = require('fs');
const path = require('path');

const [folder, kind, ...files] = process.argv.slice(2);
const modules = path.join(folder, 'node_modules');
const own = kind === 'json';
const Ajv = require(path.join(modules, own ? 'ajv/dist/2020' : 'ajv-draft-04')); // SARIF's schema is of this draft

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
	if (own) return JSON.parse(fs.readFileSync(path.join(__dirname, '../../report/report.schema.json'), 'utf8'));
	const sarif = path.join(modules, '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
	return JSON.parse(fs.readFileSync(sarif, 'utf8'));
}

const validate = new Ajv({strict: own, strictTypes: own, allowUnionTypes: true, allErrors: true, validateFormats: false, unicodeRegExp: own}).compile(schemaOf(kind));

function wrongs(file) {
	const data = JSON.parse(fs.readFileSync(file, 'utf8'));
	if (!validate(data)) return validate.errors.map((error) => `${error.instancePath} ${error.message}`);
	const prints = kind === 'codequality' ? data.map((one) => one.fingerprint) : [];
	return new Set(prints).size === prints.length ? [] : ['two findings have one fingerprint'];
}

let all = files.length ? 0 : 1;
for (const file of files) {
	for (const wrong of wrongs(file)) {
		console.log(`${file}: ${wrong}`);
		all++;
	}
}
process.exit(all ? 1 : 0);
