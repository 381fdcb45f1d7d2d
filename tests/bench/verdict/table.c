/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/verdict/table.h"

#include <math.h>
#include <stdio.h>

#include "tests/bench/verdict/parts.h"

#define MDE_SLACK 0.05
#define Z 1.959963984540054

/* Wilson's interval of a part of n, its end on the side of sign. */
static double wilson(double part, double n, double sign)
{
	double centre = part + Z * Z / (2 * n);

	return (centre + sign * Z * sqrt(part * (1 - part) / n + Z * Z / (4 * n * n))) /
	       (1 + Z * Z / n);
}

static bool add_parts(size_t situation, enum machine_noise noise, size_t divisor,
	const char *folder, struct tally *tally)
{
	struct part part = {.situation = situation, .noise = noise};

	while (parts_next(&part, divisor))
		if (!part_add(&part, folder, tally))
			return false;
	return true;
}

/* How far a part of n lies on the wrong side of what is expected; negative: it does not. */
static double shortfall(enum figure figure, double part, double expected)
{
	if (figure == FIGURE_FALSE)
		return part - expected;
	if (figure == FIGURE_POWER)
		return expected - part;
	return fabs(part - expected) - MDE_SLACK;
}

/* "worse" where chance does not explain it, "(worse)" where the interval holds what is expected. */
static const char *mark(enum figure figure, double part, double n, double expected)
{
	double sign = figure == FIGURE_FALSE || (figure == FIGURE_MDE && part > expected) ? -1 : 1;
	const double rounding = figure == FIGURE_FALSE ? 0 : 0.005;

	if (isnan(expected) || shortfall(figure, part, expected) <= rounding)
		return "";
	if (shortfall(figure, wilson(part, n, sign), expected) <= 0)
		return " (worse)";
	return " **worse**";
}

static void print_figure(
	const struct situation *situation, enum machine_noise noise, const struct tally *tally)
{
	double n = (double)tally->gates, part = (double)tally->failed / n;
	double expected = situation->expected[noise];

	if (situation->figure == FIGURE_FALSE)
		printf(" %zu of %zu", tally->failed, tally->gates);
	else
		printf(" %.3f", part);
	if (situation->figure == FIGURE_FALSE && tally->failed)
		printf(" = %.2f %%", 100 * part);
	if (situation->figure == FIGURE_MDE)
		printf(" of +%.2f %%", 100 * tally->planted / n);
	if (tally->undecided)
		printf(", %zu undecided", tally->undecided);
	printf("%s", mark(situation->figure, part, n, expected));
}

static void print_expected(const struct situation *situation, enum machine_noise noise)
{
	double expected = situation->expected[noise];

	if (isnan(expected))
		printf(" – |");
	else if (situation->figure == FIGURE_FALSE)
		printf(" ≤ %.3g %% |", 100 * expected);
	else if (situation->figure == FIGURE_POWER)
		printf(" ≥ %.2f |", expected);
	else
		printf(" %.2f ± %.2f |", expected, MDE_SLACK);
}

static void print_blame(const struct situation *situation, const struct tally *tally)
{
	double n = (double)tally->failed, part = (double)tally->right / n;
	bool asked = situation->change == SIM_SELF || situation->change == SIM_CALLED;

	if (!asked || situation->figure != FIGURE_POWER || tally->failed == 0) {
		printf(" |");
		return;
	}
	printf(" %.3f / %.3f%s |", part, (double)tally->top3 / n,
		mark(FIGURE_POWER, part, n, situation->top1 > 0 ? situation->top1 : (double)NAN));
}

static bool print_row(size_t situation, const char *folder, size_t divisor)
{
	bool complete = true;

	printf("| %s |", situations[situation].name);
	for (int noise = 0; noise < NOISE_COUNT; noise++) {
		struct tally tally = {0};

		if (!parts_gates(&situations[situation], (enum machine_noise)noise, divisor)) {
			printf(noise == NOISE_WHOLE ? " |" : " | | |");
			continue;
		}
		if (!add_parts(situation, (enum machine_noise)noise, divisor, folder, &tally)) {
			printf(noise == NOISE_WHOLE ? " not drawn |" : " not drawn | | |");
			complete = false;
			continue;
		}
		print_figure(&situations[situation], (enum machine_noise)noise, &tally);
		printf(" |");
		if (noise == NOISE_WHOLE)
			continue;
		print_expected(&situations[situation], (enum machine_noise)noise);
		print_blame(&situations[situation], &tally);
	}
	printf("\n");
	return complete;
}

bool table_print(const char *folder, size_t divisor)
{
	bool complete = true;

	printf("| situation | real | expected | top-1 / top-3 | turns | expected | top-1 / top-3 "
	       "| whole |\n|---|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < situation_count; i++)
		complete &= print_row(i, folder, divisor);
	return complete;
}
