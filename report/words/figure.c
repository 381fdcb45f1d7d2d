/* SPDX-License-Identifier: Apache-2.0 */
#include "report/words/figure.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_UNIT 24 /* longer words are no unit */

/* Decimals that keep two digits of a small percentage and none of a huge one. */
static int percent_decimals(double percent)
{
	double size = fabs(percent);

	if (size >= 99.95)
		return 0;
	return size > 0 && size < 0.095 ? 2 : 1;
}

static void add_number(struct strbuf *out, double percent, bool sign)
{
	int decimals = percent_decimals(percent);
	double unit = decimals == 0 ? 0.5 : decimals == 1 ? 0.05 : 0.005;

	if (isnan(percent))
		strbuf_addstr(out, "?");
	else if (isinf(percent))
		strbuf_addstr(out, percent > 0 ? "+\xe2\x88\x9e" : "-\xe2\x88\x9e");
	else if (fabs(percent) < unit)
		strbuf_addstr(out, "0.0");
	else if (fabs(percent) >= 1e6)
		strbuf_addf(out, sign ? "%+.2e" : "%.2e", percent);
	else
		strbuf_addf(out, sign ? "%+.*f" : "%.*f", decimals, percent);
}

void figure_percent(struct strbuf *out, double fraction)
{
	add_number(out, fraction * 100, false);
	strbuf_addstr(out, " %");
}

void figure_signed_percent(struct strbuf *out, double fraction)
{
	add_number(out, fraction * 100, true);
	strbuf_addstr(out, " %");
}

void figure_exact_percent(struct strbuf *out, double fraction)
{
	if (!isfinite(fraction) || fabs(fraction) >= 1 || fabs(fraction) < 0.00005)
		add_number(out, fraction * 100, true);
	else
		strbuf_addf(out, "%+.2f", fraction * 100);
	strbuf_addstr(out, " %");
}

static void add_interval(struct strbuf *out, double low, double high, bool sign)
{
	add_number(out, low * 100, sign);
	strbuf_addstr(out, " to ");
	add_number(out, high * 100, sign);
	strbuf_addstr(out, " %");
}

void figure_interval(struct strbuf *out, double low, double high)
{
	add_interval(out, low, high, false);
}

void figure_signed_interval(struct strbuf *out, double low, double high)
{
	add_interval(out, low, high, true);
}

void figure_more_or_less(struct strbuf *out, double fraction, bool many)
{
	if (fabs(fraction) < 0.00005) {
		strbuf_addstr(out, many ? "as many" : "as much");
		return;
	}
	figure_percent(out, fabs(fraction));
	strbuf_addstr(out, fraction > 0 ? " more" : many ? " fewer" : " less");
}

/* Three digits: 1.23, 12.3, 123. */
static void add_three_digits(struct strbuf *out, double value, const char *unit)
{
	int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;

	strbuf_addf(out, "%.*f %s", decimals, value, unit);
}

/* Where costs that are nearly alike are subtracted, three digits would be noise. */
static void add_two_digits(struct strbuf *out, double value, const char *unit)
{
	strbuf_addf(out, "%.*f %s", value >= 9.95 ? 0 : 1, value, unit);
}

void figure_seconds(struct strbuf *out, double seconds)
{
	double size = fabs(seconds);

	if (!isfinite(seconds)) {
		strbuf_addstr(out, "?");
		return;
	}
	if (size < 5e-10) {
		strbuf_addstr(out, "0 s");
		return;
	}
	if (seconds < 0)
		strbuf_addch(out, '-');
	if (size >= 1e6)
		strbuf_addf(out, "%.3g s", size);
	else if (size >= 0.9995)
		add_three_digits(out, size, "s");
	else if (size >= 0.9995e-3)
		add_three_digits(out, size * 1e3, "ms");
	else if (size >= 0.9995e-6)
		add_three_digits(out, size * 1e6, "\xc2\xb5s");
	else
		add_three_digits(out, size * 1e9, "ns");
}

/* Divides by `step` until the number has at most three digits before the point. */
static void add_scaled(struct strbuf *out, double size, double step, const char *const *units)
{
	while (size >= 999.5 && units[1]) {
		size /= step;
		units++;
	}
	if (size >= 1e6)
		strbuf_addf(out, "%.3g %s", size, *units);
	else
		add_three_digits(out, size, *units);
}

void figure_bytes(struct strbuf *out, double bytes)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", NULL};
	double size = fabs(bytes);

	if (!isfinite(bytes)) {
		strbuf_addstr(out, "?");
		return;
	}
	if (bytes < 0 && size >= 0.5)
		strbuf_addch(out, '-');
	if (size < 999.5)
		strbuf_addf(out, "%.0f B", size);
	else
		add_scaled(out, size / 1024, 1024, units);
}

void figure_number(struct strbuf *out, double number)
{
	static const char *const units[] = {"M", "G", "T", NULL};
	double size = fabs(number);

	if (!isfinite(number)) {
		strbuf_addstr(out, "?");
		return;
	}
	if (number < 0 && size >= 0.005)
		strbuf_addch(out, '-');
	if (size >= 999999.5)
		add_scaled(out, size / 1e6, 1000, units);
	else if (size >= 99.5 || fabs(size - round(size)) < 0.005)
		figure_count(out, (uint64_t)llround(size));
	else
		strbuf_addf(out, "%.2f", size);
}

void figure_cost(struct strbuf *out, double cost, const char *unit)
{
	if (strcmp(unit, "seconds") == 0)
		figure_seconds(out, cost);
	else if (strcmp(unit, "bytes") == 0)
		figure_bytes(out, cost);
	else
		figure_number(out, cost);
}

static void add_scaled_difference(
	struct strbuf *out, double size, double step, const char *const *units)
{
	for (; size >= 999.5 && units[1]; units++)
		size /= step;
	if (size >= 1e6)
		strbuf_addf(out, "%.3g %s", size, *units);
	else
		add_two_digits(out, size, *units);
}

static void add_difference(struct strbuf *out, double size, const char *unit)
{
	static const char *const times[] = {"ns", "\xc2\xb5s", "ms", "s", NULL};
	static const char *const sizes[] = {"KiB", "MiB", "GiB", "TiB", NULL};

	if (strcmp(unit, "seconds") == 0 && isfinite(size))
		add_scaled_difference(out, size * 1e9, 1000, times);
	else if (strcmp(unit, "bytes") == 0 && size >= 999.5 && isfinite(size))
		add_scaled_difference(out, size / 1024, 1024, sizes);
	else
		figure_cost_of(out, size, unit);
}

void figure_difference(struct strbuf *out, double difference, const char *unit)
{
	struct strbuf size = STRBUF_INIT;

	if (fabs(difference) < 5e-10)
		difference = 0;
	if (difference > 0 || difference < 0)
		add_difference(&size, fabs(difference), unit);
	else
		figure_cost_of(&size, difference, unit);
	if (isfinite(difference) && strtod(size.data, NULL) > 0)
		strbuf_addch(out, difference > 0 ? '+' : '-');
	strbuf_addstr(out, size.data);
	strbuf_release(&size);
}

bool figure_is_unit(const char *unit)
{
	size_t length = strspn(unit, "abcdefghijklmnopqrstuvwxyz_");

	return length && length <= MAX_UNIT && !unit[length];
}

void figure_cost_of(struct strbuf *out, double cost, const char *unit)
{
	bool said = strcmp(unit, "seconds") == 0 || strcmp(unit, "bytes") == 0 ||
		    strcmp(unit, "count") == 0;

	figure_cost(out, cost, unit);
	if (!said && figure_is_unit(unit))
		strbuf_addf(out, " %s", unit);
}

void figure_count(struct strbuf *out, uint64_t count)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, count);

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			strbuf_addch(out, ',');
		strbuf_addch(out, digits[i]);
	}
}

void figure_plural(struct strbuf *out, uint64_t count, const char *noun)
{
	figure_count(out, count);
	strbuf_addf(out, " %s%s", noun, count == 1 ? "" : "s");
}
