// SPDX-License-Identifier: Apache-2.0
// The filter by label: what of the costs is of samples with one value (a region, a thread, a round). The widths are
// those of that part alone; nothing was decided of it, so its colours are those of a comparison without pairs.

const valueTitle = (value) => cleanText(value).slice(0, 80) || "(none)";

// The label and the value that "key=value" means; null: there are none.
function findLabel(benchmark, text) {
	const at = text.indexOf("="), label = (benchmark.raw.labels || []).find((one) => one.key === text.slice(0, Math.max(at, 0)));
	const value = label ? label.values.indexOf(text.slice(at + 1)) : -1;
	return value < 0 ? null : {label, value};
}

// The nodes' columns where only these costs are.
function nodesOf(nodes, costs, value) {
	const columns = {count: nodes.count, parent: nodes.parent, function: nodes.function};
	for (const side of ["base", "head"]) {
		const self = new Array(nodes.count).fill(0);
		for (let i = 0; i < costs.count; i++) if (costs.value[i] === value) self[costs.node[i]] += costs[side][i];
		const total = self.slice();
		for (let i = nodes.count - 1; i > 0; i--) total[nodes.parent[i]] += total[i];
		columns["self_" + side] = self;
		columns["total_" + side] = total;
	}
	return columns;
}

// The functions' costs from the nodes': own ones add up, totals count recursion once.
function functionsOf(functions, nodes) {
	const columns = Object.assign({}, functions);
	for (const name of ["total_change", "total_low", "total_high"]) delete columns[name]; // of all labels together
	for (const side of ["base", "head"]) {
		const self = columns["self_" + side] = new Array(functions.count).fill(0);
		nodes.function.forEach((f, i) => { if (f >= 0) self[f] += nodes["self_" + side][i]; });
		columns["total_" + side] = new Array(functions.count).fill(0);
	}
	const tree = makeTree(null, nodes), open = new Int32Array(functions.count);
	walkTree(tree, (node) => {
		const f = nodes.function[node];
		if (f < 0 || open[f]++) return;
		columns.total_base[f] += nodes.total_base[node];
		columns.total_head[f] += nodes.total_head[node];
	}, (node) => { if (nodes.function[node] >= 0) open[nodes.function[node]]--; });
	return columns;
}

// What of a benchmark has this label, as if it were one; without such a label the benchmark itself.
function labelledOf(benchmark, text) {
	const found = findLabel(benchmark, text);
	if (!found) return benchmark;
	benchmark.parts = benchmark.parts || new Map();
	if (!benchmark.parts.has(text)) {
		const nodes = nodesOf(benchmark.raw.nodes, found.label.costs, found.value);
		const raw = rawOfProfile(benchmark.raw, {profile_type: benchmark.raw.profile_type, unit: benchmark.raw.unit,
			sides: benchmark.hasBase ? "both" : "head", base: nodes.total_base[0], head: nodes.total_head[0], nodes, functions: functionsOf(benchmark.raw.functions, nodes)});
		const part = makeBenchmark(raw);
		Object.assign(part, {own: benchmark.own, baseIsReference: benchmark.baseIsReference,
			part: {of: benchmark, key: found.label.key, value: found.label.values[found.value]}});
		benchmark.parts.set(text, part);
	}
	return benchmark.parts.get(text);
}

function partText({part, nodes, hasBase, unit}) {
	const of = part.of.nodes, share = (side) => (of["total_" + side][0] ? percent(nodes["total_" + side][0] / of["total_" + side][0]) : "0.0 %");
	const costs = hasBase ? cost(nodes.total_base[0], unit) + " (" + share("base") + " of base) → " + cost(nodes.total_head[0], unit) +
		" (" + share("head") + " of head)" : cost(nodes.total_head[0], unit) + ", " + share("head") + " of all";
	return "Only " + cleanText(part.key).slice(0, 60) + " = " + valueTitle(part.value) + ": " + costs +
		(hasBase ? ". Nothing was decided of this part alone: colours show what differs by half a per cent of it or more." : ".");
}

function fillLabels(view, select) {
	const groups = ((view.benchmark.part ? view.benchmark.part.of : view.benchmark).raw.labels || []).map((label) => {
		const group = element("optgroup", "");
		group.label = cleanText(label.key).slice(0, 60);
		group.append(...label.values.map((value) => {
			const option = element("option", "", group.label + ": " + valueTitle(value));
			option.value = label.key + "=" + value;
			return option;
		}));
		return group;
	});
	const all = element("option", "", "all labels");
	all.value = "";
	select.replaceChildren(all, ...groups);
	select.hidden = !groups.length;
	select.value = view.benchmark.part ? view.state.label : "";
}

const hasLabels = (raw) => Boolean(raw.labels) || (raw.profiles || []).some((one) => one.labels);

addField({short: "l", name: "label", initial: "", own: "", push: true, data: true,
	read: (text, view) => ([view.own || view.benchmark, ...((view.own || view.benchmark).raw.profiles || []).map((raw) => ({raw}))]
		.some((one) => findLabel(one, text)) ? text : undefined)});

addControl("data", (view) => {
	const select = element("select", "");
	if (!hasLabels(view.benchmark.raw)) return null;
	select.setAttribute("aria-label", "Only samples with this label");
	select.addEventListener("change", () => update(view, {label: select.value}));
	fillLabels(view, select);
	view.listeners.push(() => fillLabels(view, select));
	return select;
});

addPanel((view) => {
	const said = element("p", "count");
	said.hidden = true;
	view.listeners.push(() => {
		said.hidden = !view.benchmark.part;
		if (!said.hidden) said.textContent = partText(view.benchmark);
	});
	return hasLabels(view.benchmark.raw) ? said : null;
});
