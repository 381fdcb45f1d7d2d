/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a failed comparison in pairs passes: its CPU time is accepted, or every culprit is and they
 * explain what grew.
 */
#include "gate/check/accept/accept_internal.h"

#include "gate/check/result.h"

/* What of the benchmark's growth is accepted. */
struct accepted_cost {
	const struct result_benchmark *benchmark;
	struct arena *scratch;
	const struct measurements_acceptance **of_function; /* [function], NULL: not accepted */
	bool *called;   /* [function]: and so is what it calls */
	bool *accepted; /* [node]: its self cost */
	bool *whole;    /* [node]: and all below it */
	double *below;  /* [node]: accepted growth, with all below */
	double *grown;  /* [function]: of its accepted nodes alone */
};

static void mark_functions(const struct accept *accept, struct accepted_cost *cost)
{
	const struct result_benchmark *benchmark = cost->benchmark;
	uint32_t *named = accept_count_functions(accept, benchmark, cost->scratch);

	for (size_t i = 0; i < benchmark->function_count; i++) {
		struct accept_subject subject = accept_subject_of(&benchmark->functions[i]);

		if (*subject.function)
			cost->of_function[i] =
				accept_find_clear(accept, benchmark->name, &subject, named);
	}
	for (size_t i = 0; i < benchmark->culprit_count; i++)
		if (benchmark->culprits[i].blame == BLAME_CALLED)
			cost->called[benchmark->culprits[i].function] = true;
}

/* Parents come before their children: marks go down, sums go up. */
static void mark_nodes(struct accepted_cost *cost)
{
	const struct result_node *nodes = cost->benchmark->nodes;

	for (size_t i = 1; i < cost->benchmark->node_count; i++) {
		uint32_t function = nodes[i].function;
		bool own = function != RESULT_NONE && cost->of_function[function];

		cost->whole[i] = cost->whole[nodes[i].parent] || (own && cost->called[function]);
		cost->accepted[i] = own || cost->whole[i];
	}
	for (size_t i = 1; i < cost->benchmark->node_count; i++) {
		if (!cost->accepted[i])
			continue;
		cost->below[i] = nodes[i].self_change;
		if (nodes[i].function != RESULT_NONE)
			cost->grown[nodes[i].function] += nodes[i].self_change;
	}
	for (size_t i = cost->benchmark->node_count; i-- > 1;)
		cost->below[nodes[i].parent] += cost->below[i];
}

/* The first culprit that nobody accepted. */
static const char *unaccepted_culprit(const struct accepted_cost *cost)
{
	const struct result_benchmark *benchmark = cost->benchmark;

	for (size_t i = 0; i < benchmark->culprit_count; i++)
		if (!cost->of_function[benchmark->culprits[i].function])
			return benchmark->functions[benchmark->culprits[i].function].name;
	return NULL;
}

/* What grew beside the culprits, and is not explained by what is accepted. */
static const char *unaccepted_growth(const struct accepted_cost *cost)
{
	const struct result_benchmark *benchmark = cost->benchmark;

	for (uint32_t i = 0; i < benchmark->function_count; i++)
		if (benchmark->functions[i].self.state == STATE_CONFIRMED &&
			!cost->of_function[i] &&
			!accept_explains(cost->grown[i], benchmark->functions[i].self.change))
			return benchmark->functions[i].name;
	for (size_t i = 1; i < benchmark->node_count; i++) {
		const struct result_node *node = &benchmark->nodes[i];

		if (node->state == STATE_CONFIRMED && node->function != RESULT_NONE &&
			!cost->of_function[node->function] &&
			!accept_explains(cost->below[i], node->total_change))
			return benchmark->functions[node->function].name;
	}
	if (benchmark->total.state == STATE_CONFIRMED &&
		!accept_explains(cost->below[0], benchmark->total.change))
		return "most of the total's increase";
	return NULL;
}

/* Every acceptance that a culprit or a grown function needed. */
static size_t mark_all_needed(struct accept *accept, const struct accepted_cost *cost)
{
	const struct result_benchmark *benchmark = cost->benchmark;
	size_t count = 0;

	for (size_t i = 0; i < benchmark->function_count; i++)
		if (cost->of_function[i] && benchmark->functions[i].self.state == STATE_CONFIRMED) {
			accept_mark_needed(accept, cost->of_function[i]);
			count++;
		}
	for (size_t i = 0; i < benchmark->culprit_count; i++) {
		const struct measurements_acceptance *one =
			cost->of_function[benchmark->culprits[i].function];

		if (one) {
			accept_mark_needed(accept, one);
			count++;
		}
	}
	return count;
}

static void let_culprits_pass(struct accept *accept, struct result *result,
	struct result_benchmark *out, const struct accepted_cost *cost)
{
	for (size_t i = 0; i < out->culprit_count; i++) {
		const struct measurements_acceptance *one =
			cost->of_function[out->culprits[i].function];
		bool told = false;

		for (size_t k = 0; k < i; k++)
			told = told || cost->of_function[out->culprits[k].function] == one;
		if (!told)
			accept_let_pass(accept, result, out, one);
	}
}

/* Which of several is meant is for the one who accepts to say. */
static void tell_ambiguous(struct accept *accept, const struct accepted_cost *cost,
	struct result *result, struct result_benchmark *out)
{
	for (size_t i = 0; i < out->culprit_count; i++) {
		const struct result_function *culprit = &out->functions[out->culprits[i].function];
		struct accept_subject subject = accept_subject_of(culprit);
		const struct measurements_acceptance *one =
			accept_find(accept, out->name, &subject);

		if (!*subject.function || !one || cost->of_function[out->culprits[i].function] ||
			accept->needed[one - accept->measurements->acceptances])
			continue;
		accept_mark_needed(accept, one);
		accept_warn(result, out,
			arena_printf(&result->arena,
				"the acceptance of %s (%s) does not say which: several functions "
				"have this name. The one that grew is %s@%s",
				one->function, one->origin, culprit->name,
				*culprit->file ? culprit->file : culprit->module));
	}
}

/* The CPU time as a whole, but nothing else of the benchmark. */
static bool let_cpu_time_pass(
	struct accept *accept, struct result *result, struct result_benchmark *out)
{
	const struct measurements_acceptance *one =
		accept_find_metric(accept, out->name, metrics[METRIC_CPU].name);

	if (!one)
		return false;
	accept_let_pass(accept, result, out, one);
	return true;
}

static void accept_functions(
	struct accept *accept, struct result *result, struct result_benchmark *out)
{
	struct arena scratch = ARENA_INIT;
	struct accepted_cost cost = {
		.benchmark = out,
		.scratch = &scratch,
		.of_function =
			arena_array(&scratch, out->function_count, sizeof(*cost.of_function)),
		.called = arena_array(&scratch, out->function_count, sizeof(*cost.called)),
		.accepted = arena_array(&scratch, out->node_count + 1, sizeof(*cost.accepted)),
		.whole = arena_array(&scratch, out->node_count + 1, sizeof(*cost.whole)),
		.below = arena_array(&scratch, out->node_count + 1, sizeof(*cost.below)),
		.grown = arena_array(&scratch, out->function_count, sizeof(*cost.grown)),
	};
	const char *missing;

	mark_functions(accept, &cost);
	mark_nodes(&cost);
	missing = unaccepted_culprit(&cost);
	if (!missing)
		missing = unaccepted_growth(&cost);
	if (!missing)
		let_culprits_pass(accept, result, out, &cost);
	else if (mark_all_needed(accept, &cost))
		accept_tell_missing(result, out, missing);
	tell_ambiguous(accept, &cost, result, out);
	arena_release(&scratch);
}

void accept_measured(struct accept *accept, struct result *result, struct result_benchmark *out)
{
	if (out->status == RESULT_FAIL && !accept_find(accept, out->name, &accept_any) &&
		!let_cpu_time_pass(accept, result, out) && out->culprit_count)
		accept_functions(accept, result, out);
}
