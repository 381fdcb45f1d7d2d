// SPDX-License-Identifier: Apache-2.0
// node github_markdown.mjs FOLDER HARMLESS FILE...: renders each FILE as GitHub's Markdown (GFM, its references to
// people, issues and commits, its sanitizer). Exit 1 and the reasons if one has a link, a picture, a form, a word of
// a hostile name outside of code, or another structure than HARMLESS (but for a FILE with "lines" in its name). A
// FILE with "linked-" in its name may link to the report's page.
import fs from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const [folder, harmless, ...files] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(path.join(folder, 'node_modules', name, 'index.js')));
const {unified} = await load('unified');
const steps = [];
for (const [name, options] of [
	['remark-parse'],
	['remark-gfm'],
	['remark-github', {repository: 'org/repo', mentionStrong: false}],
	['remark-rehype', {allowDangerousHtml: true}],
	['rehype-raw'],
	['rehype-sanitize'],
]) steps.push([(await load(name)).default, options]);
const processor = steps.reduce((chain, [plugin, options]) => chain.use(plugin, options), unified());

const ownPage = 'https://pages.example/7/report.html';
const isOwn = (href, file) => path.basename(file).startsWith('linked-') && (href === ownPage || String(href).startsWith(ownPage + '#b='));
const hostile = /EVIL|evil|@|onerror|:shipit:|GH-1|drowssap/;

// The tags outside of code in their order, and what must not be.
function read(node, found, file) {
	if (node.type === 'text' && hostile.test(node.value)) found.wrong.push(`text outside of code: ${node.value.slice(0, 80)}`);
	if (node.type === 'element') {
		const own = node.tagName === 'a' && isOwn(node.properties.href, file);
		if (!own && /^(a|img|input|picture|video|svg|iframe|script|style)$/.test(node.tagName)) found.wrong.push(`<${node.tagName}>`);
		found.tags.push(node.tagName);
		if (node.tagName === 'code' || node.tagName === 'pre') return found;
	}
	for (const child of node.children || []) read(child, found, file);
	if (node.type === 'element') found.tags.push(`/${node.tagName}`);
	return found;
}

async function look(file) {
	const tree = processor.parse(fs.readFileSync(file, 'utf8'));
	return read(await processor.run(tree), {tags: [], wrong: []}, file);
}

const expected = (await look(harmless)).tags.join(' ');
let wrong = expected.includes('details') && expected.includes('table') ? 0 : 1;
for (const file of files) {
	const found = await look(file);
	if (!file.includes('lines') && found.tags.join(' ') !== expected) found.wrong.push(`another structure: ${found.tags.join(' ')}`);
	for (const one of found.wrong) console.log(`${file}: ${one}`);
	wrong += found.wrong.length;
}
if (wrong) console.log(`harmless: ${expected}`);
process.exit(wrong ? 1 : 0);
