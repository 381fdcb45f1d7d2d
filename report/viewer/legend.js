// SPDX-License-Identifier: Apache-2.0
// What colours, glyphs and marks mean.

function fillLegend(legend, benchmark) {
	const colors = palette(), noun = costNoun(benchmark.unit);
	const text = (words) => legend.append(element("span", "", words));
	const add = (color, words) => {
		const swatch = element("span", "swatch");
		swatch.style.background = rgb(color);
		legend.append(element("span", "", swatch, words));
	};
	legend.replaceChildren();
	if (!benchmark.hasBase) {
		legend.append("One colour for each module; width is " + (noun === "time" ? timeNoun(benchmark.raw.profile_type) : noun || "the count") + ".");
		if (benchmark.anyNegative) add(mix(colors.less[0], colors.less[1], 0.5), "▼ below zero, as wide as its size");
		return;
	}
	add(colors.more[1], ("▲ more " + noun).trim());
	add(colors.less[1], ("▼ less " + noun).trim());
	add(colors.grey, benchmark.decided ? "not significant" : "changed by less than 0.5 %");
	for (const words of ["fill: head", "┃ tick: base", "+ bar at the left: new", "− hatched: gone", "thin frame: culprit"]) text(words);
	if (benchmark.anyNegative) text("[−] below zero, as wide as its size");
}
