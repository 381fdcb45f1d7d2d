// SPDX-License-Identifier: Apache-2.0
// The switcher of profile types: what a benchmark costs besides, in the same graph and table. Nothing was decided by
// these trees, so their colours are those of a comparison without pairs.

const TYPE_TITLES = {cpu: "CPU time", wall: "elapsed time", off_cpu: "waiting time", instructions: "instructions",
	alloc_objects: "allocations", alloc_bytes: "memory allocated", inuse_objects: "blocks in use at the end",
	inuse_bytes: "memory in use at the end", peak_objects: "blocks in use at the peak", peak_bytes: "memory in use at the peak",
	mmap_objects: "mappings", mmap_bytes: "memory mapped", contentions: "waits for locks", delay: "time waiting for locks"};

// A type that is not ours comes from a profile, and so may be anything.
const typeTitle = (type) => (Object.hasOwn(TYPE_TITLES, type) ? TYPE_TITLES[type] : cleanText(type).slice(0, 60) || "(no name)");

// What report.json leaves out because it follows.
function withChanges(columns, whole, names) {
	const made = Object.assign({}, columns);
	for (const [change, base, head] of names)
		made[change] = columns[base].map((cost, i) => (whole > 0 ? (columns[head][i] - cost) / whole : 0));
	return made;
}

// One of raw.profiles as if it were a benchmark's own, or a part of what was decided.
function rawOfProfile(raw, {profile_type, unit, sides, base, head, functions, nodes, labels}) {
	const compared = isCompared(sides, base), whole = compared && base >= 0 && head >= 0 ? wholeOf(base, head) : 0;
	const all = (count, value) => new Array(count).fill(value), f = functions.count, n = nodes.count;
	return Object.assign({}, raw, {profile_type, unit, outcome: "profile", culprits: [], labels,
		compared, whole, total: {base, head},
		functions: Object.assign(withChanges(functions, whole, [["change", "self_base", "self_head"]]),
			{low: all(f, null), high: all(f, null), state: all(f, STATE.UNCHANGED)}),
		nodes: Object.assign(withChanges(nodes, whole, [["self_change", "self_base", "self_head"],
			["total_change", "total_base", "total_head"]]), {self_state: all(n, STATE.UNCHANGED), state: all(n, STATE.UNCHANGED)})});
}

const typesOf = (benchmark) => [benchmark.raw.profile_type, ...(benchmark.raw.profiles || []).map((one) => one.profile_type)];

// Made when it is first looked at; type "" is the benchmark's own.
function profileOf(own, type) {
	const raw = type && (own.raw.profiles || []).find((one) => one.profile_type === type);
	if (!raw) return own;
	own.made = own.made || new Map();
	if (!own.made.has(type)) own.made.set(type, Object.assign(makeBenchmark(rawOfProfile(own.raw, raw)), {own}));
	return own.made.get(type);
}

function wholeText({raw: {total}, unit, hasBase}) {
	if (!hasBase) return cost(total.head, unit);
	const change = total.base > 0 ? ", " + signedPercent(total.head / total.base - 1) : total.head > 0 ? ", in head only" : "";
	return cost(total.base, unit) + " → " + cost(total.head, unit) + change;
}

// As metric_verdict() of the report: what does not count may well have grown.
function metricWord({state, test, change, low, high}) {
	const words = {grew: "grew", shrank: "shrank", cannot: "not decided"}, exact = test === "exact";
	if (state !== "same") return words[state];
	if (exact ? change > 0 : low > 0) return "grew, not counted";
	if (exact ? change < 0 : high < 0) return test === "by function" ? "no significant change" : "shrank";
	return exact ? "the same" : "not shown to grow";
}

// What was decided of the whole, if anything: of its functions nothing was.
function decidedText(benchmark) {
	const {profile_type} = benchmark.raw, {own} = benchmark, title = typeTitle(profile_type);
	const all = title[0].toUpperCase() + title.slice(1) + ": " + wholeText(benchmark);
	const metric = (own.raw.metrics || []).find((one) => one.name === (profile_type === "delay" ? "lock_delay" : profile_type));
	if (!benchmark.hasBase) return all + ".";
	return all + (metric ? "; in all " + metricWord(metric) + (metric.test ? " (" + cleanText(metric.test) + ")" : "") + (metric.decides ? ", which decided" : "") :
		"; not decided") + ". Its functions were not tested one by one: colours show what differs by half a per cent of it or more.";
}

function chooseTree(view) {
	const own = view.own = view.own || view.benchmark, profile = profileOf(own, view.state.profile);
	const wanted = labelledOf(profile, view.state.label);
	if (wanted !== view.benchmark) showBenchmark(view, wanted);
}

function turnProfile(view, step) {
	const types = typesOf(view.own || view.benchmark), at = Math.max(0, types.indexOf(view.state.profile));
	const next = (at + step + types.length) % types.length;
	update(view, {profile: next ? types[next] : ""});
}

// The type that the graph opens with: of what decided, where that is another than the benchmark's own.
function firstProfile(view) {
	const {raw} = view.own || view.benchmark, one = (raw.profiles || [])[view.slot.dataset.profile];
	return one ? one.profile_type : "";
}

addField({short: "t", name: "profile", initial: firstProfile, own: "", push: true, data: true,
	read: (text, view) => {
		const at = typesOf(view.own || view.benchmark).indexOf(text);
		return at > 0 ? text : at < 0 ? undefined : "";
	},
	write: (type, view) => type || (view.own || view.benchmark).raw.profile_type});

addControl("data", (view) => {
	const types = typesOf(view.benchmark), select = element("select", "");
	if (types.length < 2) return null;
	types.forEach((type, i) => {
		const option = element("option", "", typeTitle(type));
		option.value = i ? type : "";
		select.append(option);
	});
	select.setAttribute("aria-label", "What the graph counts");
	select.title = "What the graph counts (p)";
	select.addEventListener("change", () => update(view, {profile: select.value}));
	view.listeners.push(() => { select.value = view.state.profile; });
	return select;
});

addPanel((view) => {
	const said = element("p", "count");
	view.listeners.push(() => {
		said.hidden = !view.benchmark.own || Boolean(view.benchmark.part);
		if (!said.hidden) said.textContent = decidedText(view.benchmark);
	});
	said.hidden = true;
	return typesOf(view.benchmark).length > 1 ? said : null;
});

onUpdate((view, changes) => {
	if ("profile" in changes || "label" in changes) chooseTree(view);
});
addKey("p", "Next profile type", (view) => turnProfile(view, 1));
addKey("P", "Previous profile type", (view) => turnProfile(view, -1));
