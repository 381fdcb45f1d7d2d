// SPDX-License-Identifier: Apache-2.0
// Figures, as report/words/figure.c writes them, and a way to make elements without markup.

function percentDigits(percent) {
	const size = Math.abs(percent);
	if (size >= 99.95) return percent.toFixed(0);
	return percent.toFixed(size > 0 && size < 0.095 ? 2 : 1);
}

function signedPercent(fraction) {
	if (fraction === null || !isFinite(fraction)) return "?";
	const text = percentDigits(fraction * 100);
	if (Number(text) === 0) return "0.0 %";
	return (fraction > 0 ? "+" : "") + text + " %";
}

function percent(fraction) {
	return percentDigits(fraction * 100) + " %";
}

function interval(low, high) {
	if (low === null || high === null || high <= low) return "";
	return signedPercent(low).replace(" %", "") + " to " + signedPercent(high);
}

function threeDigits(value, unit) {
	return value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2) + " " + unit;
}

function seconds(value) {
	const size = Math.abs(value), sign = value < 0 ? "-" : "";
	if (size < 5e-10) return "0 s";
	if (size >= 0.9995) return sign + threeDigits(size, "s");
	if (size >= 0.9995e-3) return sign + threeDigits(size * 1e3, "ms");
	if (size >= 0.9995e-6) return sign + threeDigits(size * 1e6, "µs");
	return sign + threeDigits(size * 1e9, "ns");
}

// Divides until there are at most three digits before the point.
function scaled(size, step, units) {
	let i = 0;
	for (; size >= 999.5 && i < units.length - 1; i++) size /= step;
	return threeDigits(size, units[i]);
}

function bytes(value) {
	const size = Math.abs(value), sign = value < 0 && size >= 0.5 ? "-" : "";
	if (size < 999.5) return sign + size.toFixed(0) + " B";
	return sign + scaled(size / 1024, 1024, ["KiB", "MiB", "GiB", "TiB"]);
}

function number(value) {
	const size = Math.abs(value), sign = value < 0 && size >= 0.005 ? "-" : "";
	if (size >= 999999.5) return sign + scaled(size / 1e6, 1000, ["M", "G", "T"]);
	if (size < 99.5 && Math.abs(size - Math.round(size)) >= 0.005) return sign + size.toFixed(2);
	return sign + String(Math.round(size)).replace(/\B(?=(\d{3})+$)/g, ",");
}

// A cost in its unit: seconds, bytes, or the number of what is counted.
function cost(value, unit) {
	return unit === "seconds" ? seconds(value) : unit === "bytes" ? bytes(value) : number(value);
}

// Which time: a name comes from a profile, so only ours are taken.
function timeNoun(type) {
	return type === "wall" ? "elapsed time" : type === "delay" ? "time waited for locks" : "CPU time";
}

// What there is more or less of; a unit that is no plain word comes from a hostile profile.
function costNoun(unit) {
	if (unit === "seconds") return "time";
	if (unit === "bytes") return "memory";
	return /^[a-z_]{1,24}$/.test(unit) && unit !== "count" ? unit : "";
}

function element(tag, className, ...content) {
	const made = document.createElement(tag);
	if (className) made.className = className;
	made.append(...content);
	return made;
}
