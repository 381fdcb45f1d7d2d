// SPDX-License-Identifier: Apache-2.0
// Search by regular expression over function names; the share counts a cost once, however often a
// matching function stands in one path.

function matchNodes(benchmark, pattern) {
	const expression = new RegExp(pattern, "i");
	const functions = benchmark.functions.name.map((name, f) =>
		expression.test(name) || expression.test(benchmark.functions.place[f]));
	return Array.from(benchmark.nodes.function, (f) => f >= 0 && functions[f]);
}

function matchedShare(benchmark, matches) {
	const nodes = benchmark.nodes, inside = new Uint8Array(nodes.count);
	let base = 0, head = 0, count = 0;
	for (let i = 0; i < nodes.count; i++) {
		const above = i > 0 && inside[nodes.parent[i]];
		inside[i] = above || matches[i] ? 1 : 0;
		count += matches[i] ? 1 : 0;
		if (!matches[i] || above) continue;
		base += nodes.total_base[i];
		head += nodes.total_head[i];
	}
	return {base: base / (Math.abs(nodes.total_base[0]) || 1), head: head / (Math.abs(nodes.total_head[0]) || 1), count};
}

function shareText(benchmark, share) {
	const boxes = share.count + (share.count === 1 ? " box" : " boxes");
	if (!benchmark.hasBase) return boxes + ", " + percent(share.head) + " of the total";
	return boxes + ", " + percent(share.base) + " of base, " + percent(share.head) + " of head";
}
