// SPDX-License-Identifier: Apache-2.0
// Colour says direction and strength; glyphs say the same without it.

const LIGHT = {more: [[247, 203, 172], [213, 94, 0]], less: [[186, 215, 238], [0, 107, 178]],
	grey: [206, 211, 217], track: 0.38, page: [255, 255, 255], ink: "#1c2127",
	focus: "#1c2127", match: "#5b1a99"};
const DARK = {more: [[112, 62, 30], [235, 112, 20]], less: [[30, 68, 100], [60, 150, 222]],
	grey: [72, 79, 87], track: 0.45, page: [28, 32, 36], ink: "#e4e7ea",
	focus: "#f2f4f6", match: "#d9b3ff"};

// As the reader chose, or the system says (theme.js).
function palette() {
	const chosen = document.documentElement.dataset.theme;
	const dark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
	return dark ? DARK : LIGHT;
}

function mix(a, b, t) {
	return a.map((v, i) => Math.round(v + (b[i] - v) * t));
}

function rgb(color) {
	return "rgb(" + color.join(",") + ")";
}

// On a log2 scale of the relative change: twice or half the cost is as strong as it gets.
function strength(base, head) {
	if (base <= 0 || head <= 0) return 1;
	return Math.min(1, 0.2 + 0.8 * Math.abs(Math.log2(head / base)));
}

// One quiet hue for each module, where there is nothing to compare: none that could pass for more or less.
function moduleColor(number, colors) {
	const tints = [[170, 200, 150], [205, 175, 210], [215, 200, 130], [150, 200, 190], [221, 170, 190],
		[175, 175, 150]];
	return mix(tints[number % tints.length], colors.page, colors === DARK ? 0.45 : 0.15);
}

function boxColor(tree, node, colors) {
	const {benchmark} = tree, direction = nodeDirection(tree, node);
	if (!benchmark.hasBase) {
		const f = tree.function[node];
		if (tree.total_head[node] < 0) return mix(colors.less[0], colors.less[1], 0.5);
		return f < 0 ? colors.grey : moduleColor(benchmark.functions.moduleNumber[f], colors);
	}
	if (direction === 0) return colors.grey;
	const scale = direction > 0 ? colors.more : colors.less;
	return mix(scale[0], scale[1], strength(...directedCosts(tree, node)));
}

// WCAG's relative luminance.
function luminance(color) {
	const [r, g, b] = color.map((v) => (v <= 10 ? v / 3294 : ((v / 255 + 0.055) / 1.055) ** 2.4));
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// Black or white, whichever stands out more on the colour: one of them always has a contrast of 4.5 or more.
function textColor(color) {
	return luminance(color) > 0.179 ? "#000000" : "#ffffff";
}

function glyph(tree, node) {
	const below = tree.total_head[node] < 0;
	if (!tree.benchmark.hasBase) return below ? "▼ " : "";
	const direction = nodeDirection(tree, node), arrow = direction > 0 ? "▲" : direction < 0 ? "▼" : "";
	const sign = isNew(tree, node) ? "+" : isGone(tree, node) ? "−" : "";
	return (sign + arrow ? sign + arrow + " " : "") + (below ? "[−] " : "");
}
