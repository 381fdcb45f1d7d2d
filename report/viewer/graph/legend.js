// SPDX-License-Identifier: Apache-2.0
// What colours, glyphs and marks mean, of those that the picture can have.

const MARKS_OF_SIDE = {
	union: ["fill: head", "┃ tick: base", "+ bar at the left: only in head", "− hatched: only in base"],
	head: ["width: head", "+ bar at the left: only in head"],
	base: ["width: base", "− hatched: only in base"],
};

// In a sandwich the function has the frame that culprits have elsewhere.
function frameText(view) {
	if (view.state.mode === "sandwich") return "thin frame: the function in the middle";
	return view.culprits.size ? "thin frame: culprit" : "";
}

function fillLegend(view) {
	const {legend, benchmark} = view, colors = palette(), noun = costNoun(benchmark.unit);
	const text = (words) => legend.append(element("span", "", words));
	const add = (color, words) => {
		const swatch = element("span", "swatch");
		swatch.style.background = rgb(color);
		legend.append(element("span", "", swatch, words));
	};
	legend.replaceChildren();
	if (!benchmark.hasBase) {
		text("One colour for each module; width is " + (noun === "time" ? timeNoun(benchmark.raw.profile_type) : noun || "the count") + ".");
		if (benchmark.anyNegative) add(mix(colors.less[0], colors.less[1], 0.5), "▼ below zero, as wide as its size");
		return;
	}
	add(colors.more[1], ("▲ more " + noun).trim());
	add(colors.less[1], ("▼ less " + noun).trim());
	add(colors.grey, benchmark.decided ? "not significant" : "changed by less than 0.5 %");
	for (const words of [...MARKS_OF_SIDE[view.state.side], frameText(view)].filter(Boolean)) text(words);
	if (benchmark.anyNegative) text("[−] below zero, as wide as its size");
}

onUpdate((view, changes) => { if ("side" in changes || "mode" in changes) fillLegend(view); });
