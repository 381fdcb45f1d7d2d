// SPDX-License-Identifier: Apache-2.0
// The page's address keeps what is shown, so that it can be linked to and the browser can go back:
//
//   address  = "#" [ field *( "&" field ) ]      each field once; the last one counts
//   field    = short "=" value                   value is percent-encoded (encodeURIComponent)
//
//   b=N                 the benchmark, its place in report.json, from 0
//   v=icicle|flame|sandwich
//   w=union|head|base   whose widths
//   z=node  n=node      zoomed, selected
//   f=function          in the middle of the sandwich
//   q=pattern           searched for
//   o=0                 elided calls hidden
//   theme=light|dark    without it as the system says
//   l=... t=...         label filter, profile type, where a module adds them; without t the tree is that of what decided
//
//   node     = "@" number                        its place in report.json's nodes
//            | name *( ";" name )                from the root's callee down, each percent-encoded once more;
//                                                "" is an elided call
//   function = "@" number | name                 likewise
//
// What is left out is as the page opens. What is not understood is left out too: an address is a hostile text.
// A report that is rendered again has the same paths but perhaps other numbers: link with paths.

const MAX_ADDRESS = 8192, MAX_PATH = 1500, MAX_PATH_NODES = 5000;

const encodeName = (name) => encodeURIComponent(name.toWellFormed());

function decode(text) {
	try {
		return decodeURIComponent(text);
	} catch (error) {
		return undefined;
	}
}

function placeIn(text, count) {
	const number = /^@(\d{1,9})$/.exec(text);
	return number && Number(number[1]) < count ? Number(number[1]) : undefined;
}

// A child by its name; of several with one name the first, as a path cannot tell them apart.
function childNamed(tree, node, name) {
	for (let child = tree.first[node]; child >= 0; child = tree.next[child])
		if ((isOther(tree, child) ? "" : nodeName(tree, child)) === name) return child;
	return -1;
}

function readNode(text, view) {
	const {tree} = view;
	if (text.startsWith("@")) return placeIn(text, tree.count);
	let node = 0;
	for (const part of text.split(";", MAX_PATH_NODES)) {
		const name = decode(part);
		node = name === undefined ? -1 : childNamed(tree, node, name);
		if (node < 0) return undefined;
	}
	return node;
}

function writePath(node, tree) {
	const names = [];
	for (let at = node; at > 0; at = tree.parent[at]) names.push(isOther(tree, at) ? "" : encodeName(nodeName(tree, at)));
	return names.reverse().join(";");
}

// A path of many names is too long whatever they are.
function writeNode(node, view) {
	const path = view.tree.depth[node] <= MAX_PATH ? writePath(node, view.tree) : "";
	return path && path.length <= MAX_PATH && readNode(path, view) === node ? path : "@" + node;
}

function readFunction(text, view) {
	const {functions} = view.benchmark, name = decode(text);
	if (text.startsWith("@")) return placeIn(text, functions.count);
	const found = name === undefined ? -1 : functions.name.indexOf(name);
	return found < 0 ? undefined : found;
}

function writeFunction(f, view) {
	const name = encodeName(view.benchmark.functions.name[f]);
	return name.length <= MAX_PATH && readFunction(name, view) === f ? name : "@" + f;
}

// ";" and "@" may stand as they are.
const encodeValue = (text) => encodeURIComponent(text.toWellFormed()).replace(/%3B/g, ";").replace(/%40/g, "@");

const oneOf = (...ids) => (text) => (ids.includes(text) ? text : undefined);

// The fields of an address, still as text.
function splitAddress(hash) {
	const fields = new Map();
	if (hash.length > MAX_ADDRESS) return fields;
	for (const field of hash.replace(/^#/, "").split("&")) {
		const at = field.indexOf("="), value = at > 0 ? decode(field.slice(at + 1)) : undefined;
		if (value !== undefined) fields.set(field.slice(0, at), value);
	}
	return fields;
}

// The state that an address asks for; data: of the fields that decide which tree is shown, or of the others.
function stateFrom(fields, view, data) {
	const state = {};
	for (const field of FIELDS) {
		const {short, name, read, data: isData} = field;
		if (Boolean(isData) !== data) continue;
		const text = fields.get(short), value = text === undefined ? undefined : read ? read(text, view) : text;
		state[name] = value === undefined ? initialOf(field, view) : value;
	}
	return state;
}

function addressOf(view, benchmark, theme) {
	const parts = ["b=" + benchmark];
	for (const field of view ? FIELDS : []) {
		const {short, name, write} = field, value = view.state[name];
		if (value !== initialOf(field, view)) parts.push(short + "=" + encodeValue(write ? write(value, view) : value));
	}
	if (theme) parts.push("theme=" + theme);
	return "#" + parts.join("&");
}

addField({short: "v", name: "mode", initial: "icicle", push: true, read: (text) => (VIEWS.some((one) => one.id === text) ? text : undefined)});
addField({short: "w", name: "side", initial: "union", push: true, read: oneOf("union", "head", "base")});
addField({short: "z", name: "zoom", initial: 0, push: true, read: readNode, write: writeNode});
addField({short: "n", name: "selected", initial: -1, read: readNode, write: writeNode});
addField({short: "f", name: "function", initial: -1, push: true, read: readFunction, write: writeFunction});
addField({short: "q", name: "search", initial: ""});
addField({short: "o", name: "other", initial: true, read: (text) => (text === "0" ? false : undefined), write: () => "0"});
