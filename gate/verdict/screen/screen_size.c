/* SPDX-License-Identifier: Apache-2.0 */
/*
 * By what factor all functions' shares differ between the versions: it is the median of those that
 * both versions know well.
 */
#include "gate/verdict/screen/screen_internal.h"

#include <math.h>
#include <stdlib.h>

#include "gate/verdict/estimate/robust.h"

/* Of fewer functions a regression would move the median itself. */
#define FUNCTIONS_MIN 5
#define NORMAL_IQR 1.349    /* interquartile range of normal values, in SD */
#define MEDIAN_SE 1.2533    /* SE of a median of normal values, in SD / sqrt(n) */
#define IQR_EFFICIENCY 0.37 /* of the interquartile range against the SD, normal values */

struct typical {
	size_t function;
	double base, ratio, sampling; /* relative variance that the runs themselves explain */
};

static int compare_typical(const void *left, const void *right)
{
	const struct typical *a = left, *b = right;

	if (a->base != b->base)
		return a->base > b->base ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

static double relative_variance(
	const struct screen *screen, int version, const struct moments *moments)
{
	double relative = screen_version(screen, version, moments).se / moments->mean;

	return relative * relative;
}

/* Functions that both versions know well enough, the largest of base first. */
static size_t find_typical(const struct screen *screen, struct typical *typical)
{
	const struct screen_policy *policy = &screen->input->policy;
	size_t count = 0;

	for (size_t f = 0; f < screen->input->function_count; f++) {
		const struct moments *base = &screen->function[0][f],
				     *head = &screen->function[1][f];

		if (base->sampled < policy->min_samples || head->sampled < policy->min_samples ||
			base->mean <= 0 || head->mean <= 0)
			continue;
		typical[count++] = (struct typical){f, base->mean, head->mean / base->mean,
			relative_variance(screen, 0, base) + relative_variance(screen, 1, head)};
	}
	qsort(typical, count, sizeof(*typical), compare_typical);
	return count < policy->size_functions ? count : policy->size_functions;
}

static double mean_total(const struct screen_input *input, int version)
{
	double sum = 0;

	for (size_t b = 0; b < input->pairs[version]; b++)
		sum += input->total[version][b] /
		       (input->work[version] ? input->work[version][b] : 1);
	return sum / (double)input->pairs[version];
}

static void set_factor(struct screen *screen, double *ratios, double *sampling, size_t count)
{
	double median = robust_median(ratios, count);
	double iqr = robust_quantile(ratios, count, 0.75) - robust_quantile(ratios, count, 0.25);
	double deviation = iqr / median / NORMAL_IQR, explained = robust_median(sampling, count);

	screen->factor = median;
	screen->factor_se = MEDIAN_SE * deviation / sqrt((double)count);
	screen->spread = sqrt(fmax(0, deviation * deviation - explained));
	screen->spread_df = fmax(1, IQR_EFFICIENCY * (double)(count - 1));
	screen->result->size_spread = iqr / median;
	screen->result->total_ratio = mean_total(screen->input, 1) / mean_total(screen->input, 0);
	screen->result->size_factor = median * screen->result->total_ratio;
}

bool screen_find_size(struct screen *screen)
{
	struct arena scratch = ARENA_INIT;
	size_t functions = screen->input->function_count, count;
	struct typical *typical = arena_array(&scratch, functions, sizeof(*typical));
	double *ratios = arena_array(&scratch, functions, sizeof(*ratios));
	double *sampling = arena_array(&scratch, functions, sizeof(*sampling));

	count = find_typical(screen, typical);
	for (size_t i = 0; i < count; i++) {
		ratios[i] = typical[i].ratio;
		sampling[i] = typical[i].sampling;
	}
	if (count >= FUNCTIONS_MIN)
		set_factor(screen, ratios, sampling, count);
	arena_release(&scratch);
	return count >= FUNCTIONS_MIN;
}
