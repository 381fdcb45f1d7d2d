// SPDX-License-Identifier: Apache-2.0
// Contrast and colour blindness, computed from report/viewer/graph/colors.js: WCAG's contrast of what is written on boxes, and
// the distance of the scales' ends as dichromats see them (Machado, Oliveira and Fernandes 2009, severity 1).
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const source = fs.readFileSync(path.join(__dirname, '../../../report/viewer/graph/colors.js'), 'utf8');
const {LIGHT, DARK, mix, textColor} = vm.runInNewContext(source + '\n({LIGHT, DARK, mix, textColor})', {document: {}});

const linear = (color) => color.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
const times = (rows, vector) => rows.map((row) => row.reduce((sum, v, i) => sum + v * vector[i], 0));
const hex = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
const luminance = (color) => times([[0.2126, 0.7152, 0.0722]], linear(color))[0];
const contrast = (a, b) => {
	const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
	return (high + 0.05) / (low + 0.05);
};

const EYES = {
	normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
	protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
	deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
};
const XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]];

function lab(color, eyes) {
	const [x, y, z] = times(XYZ, times(EYES[eyes], linear(color)).map((v) => Math.min(1, Math.max(0, v))))
		.map((v, i) => v / [0.9505, 1, 1.089][i]).map((v) => (v > 0.008856 ? Math.cbrt(v) : 7.787 * v + 16 / 116));
	return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
const distance = (a, b, eyes) => Math.hypot(...lab(a, eyes).map((v, i) => v - lab(b, eyes)[i]));
const steps = (scale) => [0.2, 0.4, 0.6, 0.8, 1].map((t) => mix(scale[0], scale[1], t));

module.exports = async ({test, same}) => {
	for (const [name, colors] of [['light', LIGHT], ['dark', DARK]]) {
		const boxes = [colors.grey, ...steps(colors.more), ...steps(colors.less)];
		await test('names on boxes have a contrast of 4.5 or more: ' + name, async () => {
			const low = boxes.filter((box) => contrast(hex(textColor(box)), box) < 4.5 ||
				contrast(hex(colors.ink), mix(colors.page, box, colors.track)) < 4.5);
			same(low.map((box) => box + ' ' + contrast(hex(textColor(box)), box).toFixed(2)), []);
		});
		await test('a frame or the line within it has a contrast of 3 or more on its box: ' + name, async () => {
			const frames = [hex(colors.focus), hex(colors.match)];
			same(boxes.filter((box) => frames.some((frame) => Math.max(contrast(frame, box), contrast(colors.page, box)) < 3)).map(String), []);
		});
		for (const eyes of Object.keys(EYES)) {
			await test('more, less and grey are told apart: ' + name + ', ' + eyes, async () => {
				const closest = Math.min(...steps(colors.more).flatMap((more) => steps(colors.less).map((less) => distance(more, less, eyes))));
				const grey = Math.min(...[...steps(colors.more), ...steps(colors.less)].map((box) => distance(box, colors.grey, eyes)));
				same([closest >= 20, grey >= 10], [true, true], 'more-less ' + closest.toFixed(1) + ', from grey ' + grey.toFixed(1));
			});
		}
	}
};
