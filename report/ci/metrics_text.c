/* SPDX-License-Identifier: Apache-2.0 */
#include "report/ci/metrics_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/map.h"
#include "report/words/words.h"

#define LABEL_BYTES 200

/* ---- labels --------------------------------------------------------------------------------- */

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("._:/+@-", c));
}

static char *label_of(struct arena *arena, const char *name)
{
	char *label = arena_strndup(arena, name, strnlen(name, LABEL_BYTES));

	for (char *at = label; *at; at++)
		*at = is_plain(*at) ? *at : '_';
	return label;
}

/* One for each benchmark; where two would be the same, the later has its number behind it. */
static const char **label_benchmarks(const struct result *result, struct arena *arena)
{
	const char **labels = arena_array(arena, result->benchmark_count, sizeof(*labels));
	struct map taken;

	map_init(&taken);
	for (size_t i = 0; i < result->benchmark_count; i++) {
		labels[i] = label_of(arena, result->benchmarks[i].name);
		while (map_get_str(&taken, labels[i]) != MAP_NONE)
			labels[i] = arena_printf(arena, "%s_%zu", labels[i], i + 1);
		map_put_str(&taken, labels[i], (uint32_t)i);
	}
	map_release(&taken);
	return labels;
}

/* ---- families: NaN is left out --------------------------------------------------------------- */

static double status_of(const struct result_benchmark *benchmark)
{
	return benchmark->status == RESULT_NEUTRAL ? (double)NAN : (double)benchmark->status;
}

static bool is_compared(const struct result_benchmark *benchmark)
{
	return is_decided(benchmark) && has_base(benchmark);
}

static double change_of(const struct result_benchmark *benchmark)
{
	return is_compared(benchmark) ? benchmark->total.change : (double)NAN;
}

static double low_of(const struct result_benchmark *benchmark)
{
	bool known = is_compared(benchmark) && has_interval(&benchmark->total);

	return known ? benchmark->total.low : (double)NAN;
}

static double high_of(const struct result_benchmark *benchmark)
{
	bool known = is_compared(benchmark) && has_interval(&benchmark->total);

	return known ? benchmark->total.high : (double)NAN;
}

static double bound_of(const struct result_benchmark *benchmark)
{
	return is_compared(benchmark) ? benchmark->bound : (double)NAN;
}

static double detectable_of(const struct result_benchmark *benchmark)
{
	return is_compared(benchmark) ? benchmark->mde_total : (double)NAN;
}

static double culprits_of(const struct result_benchmark *benchmark)
{
	return is_compared(benchmark) ? (double)benchmark->culprit_count : (double)NAN;
}

static const struct family {
	const char *name, *help;
	double (*value)(const struct result_benchmark *benchmark);
} families[] = {
	{"flamegate_status", "0 pass, 1 warning, 2 regression, 3 not measured; none of what is new",
		status_of},
	{"flamegate_change_ratio", "Head / base - 1", change_of},
	{"flamegate_change_low_ratio", "Lower end of its 95 % interval", low_of},
	{"flamegate_change_high_ratio", "Upper end of its 95 % interval", high_of},
	{"flamegate_bound_ratio", "97.5 % bound: what could not be excluded", bound_of},
	{"flamegate_detectable_ratio", "Found four times out of five", detectable_of},
	{"flamegate_culprits", "Causes that are found, at most 64", culprits_of},
};

static void add_head(struct strbuf *out, const char *name, const char *help)
{
	strbuf_addf(out, "# TYPE %s gauge\n# HELP %s %s\n", name, name, help);
}

static void add_family(struct strbuf *out, const struct result *result, const char *const *labels,
	const struct family *family)
{
	add_head(out, family->name, family->help);
	for (size_t i = 0; i < result->benchmark_count; i++) {
		double value = family->value(&result->benchmarks[i]);

		if (isfinite(value))
			strbuf_addf(
				out, "%s{benchmark=\"%s\"} %.6g\n", family->name, labels[i], value);
	}
}

static void add_cost(struct strbuf *out, const struct result_benchmark *benchmark,
	const char *label, const char *version, double cost)
{
	struct strbuf unit = STRBUF_INIT;

	for (const char *at = benchmark->unit; *at; at++)
		strbuf_addch(&unit, is_plain(*at) ? *at : '_');
	strbuf_addf(out, "flamegate_cost{benchmark=\"%s\",version=\"%s\",unit=\"%.50s\"} %.6g\n",
		label, version, unit.length ? unit.data : "", cost);
	strbuf_release(&unit);
}

static void add_costs(struct strbuf *out, const struct result *result, const char *const *labels)
{
	add_head(out, "flamegate_cost", "Per run");
	for (size_t i = 0; i < result->benchmark_count; i++) {
		const struct result_benchmark *benchmark = &result->benchmarks[i];

		/* Not "reference": of the two kinds only a stored baseline stands for base here. */
		if (has_base(benchmark))
			add_cost(out, benchmark, labels[i],
				base_is_reference(benchmark) ? "stored" : "base",
				benchmark->total.base);
		if (fabs(benchmark->total.head) > 0)
			add_cost(out, benchmark, labels[i], "head", benchmark->total.head);
	}
}

void report_metrics_text(const struct report_view *view, struct strbuf *out)
{
	const struct result *result = &view->result;
	struct arena arena = ARENA_INIT;
	const char **labels = label_benchmarks(result, &arena);

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		add_family(out, result, labels, &families[i]);
	add_costs(out, result, labels);
	strbuf_addstr(out, "# EOF\n");
	arena_release(&arena);
}
