/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/accept/accept_internal.h"

#include <string.h>

#include "gate/check/result.h"

#define EXPLAINED 0.5 /* of an increase, by what is accepted; as the gate asks of culprits */

void accept_init(
	struct accept *accept, const struct measurements *measurements, struct arena *arena)
{
	*accept = (struct accept){.measurements = measurements};
	accept->needed =
		arena_array(arena, measurements->acceptance_count, sizeof(*accept->needed));
	accept_sort(accept, arena);
}

void accept_mark_needed(struct accept *accept, const struct measurements_acceptance *one)
{
	accept->needed[one - accept->measurements->acceptances] = true;
}

bool accept_explains(double accepted, double increase)
{
	return accepted >= EXPLAINED * increase;
}

/* ---- lines --------------------------------------------------------------------------------- */

void accept_warn(struct result *result, struct result_benchmark *out, const char *line)
{
	const char **warnings =
		arena_array(&result->arena, out->warning_count + 1, sizeof(*warnings));

	if (out->warning_count)
		memcpy(warnings, out->warnings, out->warning_count * sizeof(*warnings));
	warnings[out->warning_count] = line;
	out->warnings = warnings;
	out->warning_count++;
}

static const char *what(const struct measurements_acceptance *one)
{
	const char *metric = accept_metric_of(one);

	if (one->function[0])
		return one->function;
	return *metric ? metric : "any function";
}

static void tell_accepted(struct result *result, struct result_benchmark *out,
	const struct measurements_acceptance *one)
{
	accept_warn(result, out,
		arena_printf(&result->arena, "accepted%s%s: %s: %s (%s)",
			one->until[0] ? " until " : "", one->until, what(one), one->reason,
			one->origin));
}

void accept_let_pass(struct accept *accept, struct result *result, struct result_benchmark *out,
	const struct measurements_acceptance *one)
{
	out->status = RESULT_WARN;
	if (!out->accepted || !out->accepted[0])
		out->accepted = arena_strdup(&result->arena, one->reason);
	accept_mark_needed(accept, one);
	tell_accepted(result, out, one);
}

void accept_tell_missing(struct result *result, struct result_benchmark *out, const char *name)
{
	accept_warn(result, out,
		arena_printf(&result->arena, "accepted only in part: %s is not",
			*name ? name : "a function without a name"));
}

/* ---- metrics ---------------------------------------------------------------------------- */

/* Of those that stand for themselves; what is a profile's has been looked at by then. */
static bool metric_failed(const struct result_metric *metric)
{
	enum metric which = metric_find(metric->name);

	return which != METRIC_COUNT && !metrics[which].type && metric->decides &&
	       metric->gate == GATE_FAIL;
}

/* One that nobody accepted, or NULL. */
static const char *unaccepted_metric(
	struct accept *accept, const struct result_benchmark *out, size_t *accepted)
{
	const char *missing = NULL;

	*accepted = 0;
	for (size_t i = 0; i < out->metric_count; i++) {
		const struct measurements_acceptance *one;

		if (!metric_failed(&out->metrics[i]))
			continue;
		one = accept_find_metric(accept, out->name, out->metrics[i].name);
		if (one) {
			accept_mark_needed(accept, one);
			++*accepted;
		} else {
			missing = out->metrics[i].name;
		}
	}
	return missing;
}

void accept_metrics(struct accept *accept, enum result_status before, struct result *result,
	struct result_benchmark *out)
{
	const char *missing;
	size_t accepted;

	if (out->status != RESULT_FAIL || accept_find(accept, out->name, &accept_any))
		return;
	missing = unaccepted_metric(accept, out, &accepted);
	if (missing && accepted)
		accept_tell_missing(result, out, missing);
	if (missing || before == RESULT_FAIL)
		return;
	for (size_t i = 0; i < out->metric_count; i++)
		if (metric_failed(&out->metrics[i]))
			accept_let_pass(accept, result, out,
				accept_find_metric(accept, out->name, out->metrics[i].name));
}

/* ---- the whole ----------------------------------------------------------------------------- */

static bool concerns(const struct measurements_acceptance *one, const struct result_benchmark *out)
{
	const char *metric = accept_metric_of(one);

	for (size_t i = 0; i < out->metric_count && *metric; i++)
		if (strcmp(out->metrics[i].name, metric) == 0)
			return out->metrics[i].decides;
	for (size_t i = 0; i < out->culprit_count && one->function[0]; i++) {
		struct accept_subject subject =
			accept_subject_of(&out->functions[out->culprits[i].function]);

		if (accept_names(one, &subject))
			return true;
	}
	for (size_t i = 0; i < out->reference_count && one->function[0]; i++)
		if (accept_names_finding(one, &out->references[i]))
			return true;
	return !*metric && !one->function[0];
}

/* An acceptance that would have done, had it not expired. */
static void tell_expired(struct accept *accept, struct result *result, struct result_benchmark *out)
{
	for (size_t i = 0; i < accept->measurements->acceptance_count; i++) {
		const struct measurements_acceptance *one = &accept->measurements->acceptances[i];

		if (!concerns(one, out) || one->problem[0] ||
			strcmp(one->benchmark, out->name) != 0 ||
			!accept_has_expired(accept->measurements, one))
			continue;
		accept->needed[i] = true;
		accept_warn(result, out,
			arena_printf(&result->arena, "the acceptance of %s expired on %s: %s (%s)",
				what(one), one->until, one->reason, one->origin));
	}
}

void accept_whole(struct accept *accept, struct result *result, struct result_benchmark *out)
{
	const struct measurements_acceptance *one;

	if (out->status != RESULT_FAIL)
		return;
	one = accept_find(accept, out->name, &accept_any);
	if (one)
		accept_let_pass(accept, result, out, one);
	else
		tell_expired(accept, result, out);
}

/* ---- what is left over --------------------------------------------------------------------- */

static bool was_looked_at(const struct measurements *measurements, const char *benchmark)
{
	for (size_t i = 0; i < measurements->benchmark_count; i++)
		if (strcmp(measurements->benchmarks[i].name, benchmark) == 0)
			return true;
	return false;
}

static const char *left_over(const struct accept *accept, size_t i, struct arena *arena)
{
	const struct measurements *measurements = accept->measurements;
	const struct measurements_acceptance *one = &measurements->acceptances[i];
	const char *metric = accept_metric_of(one);
	const char *name = arena_printf(arena, "%s%s%s%s%s", one->benchmark,
		one->function[0] ? "/" : "", one->function, *metric ? ", " : "", metric);

	if (one->problem[0])
		return arena_printf(arena, "the acceptance of %s (%s) does not count: %s", name,
			one->origin, one->problem);
	if (accept->needed[i] || !was_looked_at(measurements, one->benchmark))
		return NULL;
	if (accept_has_expired(measurements, one))
		return arena_printf(arena,
			"the acceptance of %s (%s) expired on %s, and nothing needs it", name,
			one->origin, one->until);
	return arena_printf(arena, "the acceptance of %s (%s) was not needed", name, one->origin);
}

void accept_report(const struct accept *accept, struct result *result)
{
	size_t most = result->note_count + accept->measurements->acceptance_count;
	const char **notes = arena_array(&result->arena, most, sizeof(*notes));
	size_t count = result->note_count;

	if (count)
		memcpy(notes, result->notes, count * sizeof(*notes));
	for (size_t i = 0; i < accept->measurements->acceptance_count; i++) {
		const char *line = left_over(accept, i, &result->arena);

		if (line)
			notes[count++] = line;
	}
	result->notes = notes;
	result->note_count = count;
}
