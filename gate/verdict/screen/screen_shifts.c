/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost that moved is no regression. As in shift_finder.c, but without a call tree, and of "all that
 * shrank" only what did so beyond the relative margin: on another machine many functions shrink a
 * little.
 */
#include "gate/verdict/screen/screen_internal.h"

#include <math.h>

#include "gate/verdict/estimate/numeric.h"

#define DECREASED_T (-3)
#define COMPENSATED_PART 0.5
#define COMPENSATED_SE 1

enum group { GROUP_SYMBOLS, GROUP_FILE, GROUP_TOUCHED, GROUP_DECREASED, GROUP_ALL, GROUP_COUNT };

bool *screen_decreased(const struct screen *screen)
{
	bool *decreased =
		arena_array(screen->arena, screen->input->function_count, sizeof(*decreased));

	for (size_t f = 0; f < screen->input->function_count; f++) {
		struct estimate change = screen_change(screen, f);
		double margin = screen->input->policy.margin_relative * screen_base(screen, f);

		decreased[f] = screen->function[0][f].sampled > 0 &&
			       estimate_t(&change, -margin) < DECREASED_T;
	}
	return decreased;
}

static unsigned flags_of(const struct screen *screen, size_t function)
{
	const struct screen_input *input = screen->input;
	unsigned flags = input->function_flags ? input->function_flags[function] : 0;

	if (input->function_flags)
		return flags;
	if (screen->function[0][function].sampled <= 0)
		flags |= VERDICT_FUNCTION_NEW;
	if (screen->function[1][function].sampled <= 0)
		flags |= VERDICT_FUNCTION_VANISHED;
	return flags;
}

static bool same_file(const struct screen_input *input, size_t a, size_t b)
{
	return input->function_file && input->function_file[a] != VERDICT_NONE &&
	       input->function_file[a] == input->function_file[b];
}

/* Which groups function belongs to, one bit each. */
static unsigned memberships(
	const struct screen *screen, const bool *decreased, size_t function, size_t grown)
{
	unsigned flags = flags_of(screen, function), set = 1u << GROUP_ALL;

	if (function == grown)
		return set;
	if (flags & (VERDICT_FUNCTION_NEW | VERDICT_FUNCTION_VANISHED))
		set |= 1u << GROUP_SYMBOLS;
	if (flags & VERDICT_FUNCTION_TOUCHED)
		set |= 1u << GROUP_TOUCHED;
	if (same_file(screen->input, function, grown))
		set |= 1u << GROUP_FILE;
	if (decreased[function])
		set |= 1u << GROUP_DECREASED;
	return set;
}

/* The rule of the shifts in pairs: one standard error is granted, two must be there. */
static bool compensates(const struct estimate *change, double increase)
{
	return change->change - change->se < -COMPENSATED_PART * increase &&
	       change->change < -COMPENSATED_SE * change->se;
}

/* The whole's 97.5 % bound is below half of the increase. */
static bool contradicts(const struct estimate *whole, double increase)
{
	double t = numeric_student_quantile(0.025, whole->df);

	return whole->change + t * whole->se < COMPENSATED_PART * increase;
}

bool screen_shifted(
	const struct screen *screen, const bool *decreased, size_t function, double increase)
{
	struct arena scratch = ARENA_INIT;
	struct screen_sum sum[GROUP_COUNT];
	bool shifted = false;

	for (int g = 0; g < GROUP_COUNT; g++)
		screen_sum_init(screen, &sum[g], &scratch);
	for (size_t f = 0; f < screen->input->function_count; f++) {
		unsigned set = memberships(screen, decreased, f, function);

		for (int g = 0; g < GROUP_COUNT; g++)
			if (set & 1u << g)
				screen_sum_add(screen, &sum[g], f);
	}
	for (int g = 0; g < GROUP_COUNT && !shifted; g++) {
		struct estimate change = screen_sum_change(screen, &sum[g]);

		if (sum[g].functions > 0)
			shifted = g == GROUP_ALL ? contradicts(&change, increase)
						 : compensates(&change, increase);
	}
	arena_release(&scratch);
	return shifted;
}
