/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/accept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DATE_LENGTH 10
#define EXPLAINED 0.5 /* of an increase, by what is accepted; as the gate asks of culprits */

void accept_init(struct accept *accept, const struct session *session, struct arena *arena)
{
	accept->session = session;
	accept->needed = arena_array(arena, session->acceptance_count, sizeof(*accept->needed));
}

/* ---- which count --------------------------------------------------------------------------- */

/* By the day of the measurement: a replay decides as the check did. */
static bool has_expired(const struct session *session, const struct session_acceptance *one)
{
	return one->until[0] && strncmp(one->until, session->date, DATE_LENGTH) < 0;
}

static bool is_about(
	const struct session_acceptance *one, const char *benchmark, const char *function)
{
	return !one->problem[0] && strcmp(one->benchmark, benchmark) == 0 &&
	       strcmp(one->function, function) == 0;
}

/* The first that counts; else the first that has expired; else NULL. */
static const struct session_acceptance *find(
	const struct accept *accept, const char *benchmark, const char *function)
{
	const struct session_acceptance *expired = NULL;

	for (size_t i = 0; i < accept->session->acceptance_count; i++) {
		const struct session_acceptance *one = &accept->session->acceptances[i];

		if (!is_about(one, benchmark, function))
			continue;
		if (!has_expired(accept->session, one))
			return one;
		if (!expired)
			expired = one;
	}
	return expired;
}

static bool counts(const struct accept *accept, const struct session_acceptance *one)
{
	return one && !has_expired(accept->session, one);
}

static void mark_needed(struct accept *accept, const struct session_acceptance *one)
{
	accept->needed[one - accept->session->acceptances] = true;
}

/* ---- lines --------------------------------------------------------------------------------- */

static void add_warning(struct result *result, struct result_benchmark *out, const char *line)
{
	const char **warnings =
		arena_array(&result->arena, out->warning_count + 1, sizeof(*warnings));

	if (out->warning_count)
		memcpy(warnings, out->warnings, out->warning_count * sizeof(*warnings));
	warnings[out->warning_count] = line;
	out->warnings = warnings;
	out->warning_count++;
}

static const char *what(const struct session_acceptance *one)
{
	return one->function[0] ? one->function : "any function";
}

static void tell_accepted(
	struct result *result, struct result_benchmark *out, const struct session_acceptance *one)
{
	add_warning(result, out,
		arena_printf(&result->arena, "accepted%s%s: %s: %s (%s)",
			one->until[0] ? " until " : "", one->until, what(one), one->reason,
			one->origin));
}

/* It passes, in sight: never silently. */
static void let_pass(struct accept *accept, struct result *result, struct result_benchmark *out,
	const struct session_acceptance *one)
{
	out->status = RESULT_WARN;
	if (!out->accepted || !out->accepted[0])
		out->accepted = arena_strdup(&result->arena, one->reason);
	mark_needed(accept, one);
	tell_accepted(result, out, one);
}

/* ---- functions ----------------------------------------------------------------------------- */

/* What of the benchmark's growth is accepted. */
struct accepted_cost {
	const struct result_benchmark *benchmark;
	const struct session_acceptance **of_function; /* [function], NULL: not accepted */
	bool *called;                                  /* [function]: and so is what it calls */
	bool *accepted;                                /* [node]: its self cost */
	bool *whole;                                   /* [node]: and all below it */
	double *below; /* [node]: accepted growth of it and all below it */
};

static void mark_functions(const struct accept *accept, struct accepted_cost *cost)
{
	const struct result_benchmark *benchmark = cost->benchmark;

	for (size_t i = 0; i < benchmark->function_count; i++) {
		const struct session_acceptance *one =
			find(accept, benchmark->name, benchmark->functions[i].name);

		cost->of_function[i] =
			benchmark->functions[i].name[0] && counts(accept, one) ? one : NULL;
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
	for (size_t i = 0; i < cost->benchmark->node_count; i++)
		cost->below[i] = cost->accepted[i] ? nodes[i].self_change : 0;
	for (size_t i = cost->benchmark->node_count; i-- > 1;)
		cost->below[nodes[i].parent] += cost->below[i];
}

static bool explains(double accepted, double increase)
{
	return accepted >= EXPLAINED * increase;
}

static double accepted_growth_of(const struct accepted_cost *cost, uint32_t function)
{
	double growth = 0;

	for (size_t i = 1; i < cost->benchmark->node_count; i++)
		if (cost->benchmark->nodes[i].function == function && cost->accepted[i])
			growth += cost->benchmark->nodes[i].self_change;
	return growth;
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
			!explains(accepted_growth_of(cost, i), benchmark->functions[i].self.change))
			return benchmark->functions[i].name;
	for (size_t i = 1; i < benchmark->node_count; i++) {
		const struct result_node *node = &benchmark->nodes[i];

		if (node->state == STATE_CONFIRMED && node->function != RESULT_NONE &&
			!cost->of_function[node->function] &&
			!explains(cost->below[i], node->total_change))
			return benchmark->functions[node->function].name;
	}
	if (benchmark->total.state == STATE_CONFIRMED &&
		!explains(cost->below[0], benchmark->total.change))
		return "most of the total's increase";
	return NULL;
}

static void tell_missing(struct result *result, struct result_benchmark *out, const char *name)
{
	add_warning(result, out,
		arena_printf(&result->arena, "accepted only in part: %s is not",
			*name ? name : "a function without a name"));
}

/* Every acceptance that a culprit or a grown function needed. */
static size_t mark_all_needed(struct accept *accept, const struct accepted_cost *cost)
{
	const struct result_benchmark *benchmark = cost->benchmark;
	size_t count = 0;

	for (size_t i = 0; i < benchmark->function_count; i++)
		if (cost->of_function[i] && benchmark->functions[i].self.state == STATE_CONFIRMED) {
			mark_needed(accept, cost->of_function[i]);
			count++;
		}
	for (size_t i = 0; i < benchmark->culprit_count; i++) {
		const struct session_acceptance *one =
			cost->of_function[benchmark->culprits[i].function];

		if (one) {
			mark_needed(accept, one);
			count++;
		}
	}
	return count;
}

static void let_culprits_pass(struct accept *accept, struct result *result,
	struct result_benchmark *out, const struct accepted_cost *cost)
{
	for (size_t i = 0; i < out->culprit_count; i++) {
		const struct session_acceptance *one = cost->of_function[out->culprits[i].function];
		bool told = false;

		for (size_t k = 0; k < i; k++)
			told = told || cost->of_function[out->culprits[k].function] == one;
		if (!told)
			let_pass(accept, result, out, one);
	}
}

void accept_measured(struct accept *accept, struct result *result, struct result_benchmark *out)
{
	struct arena scratch = ARENA_INIT;
	struct accepted_cost cost = {
		.benchmark = out,
		.of_function =
			arena_array(&scratch, out->function_count, sizeof(*cost.of_function)),
		.called = arena_array(&scratch, out->function_count, sizeof(*cost.called)),
		.accepted = arena_array(&scratch, out->node_count + 1, sizeof(*cost.accepted)),
		.whole = arena_array(&scratch, out->node_count + 1, sizeof(*cost.whole)),
		.below = arena_array(&scratch, out->node_count + 1, sizeof(*cost.below)),
	};
	const char *missing;

	if (out->status == RESULT_FAIL && out->culprit_count &&
		!counts(accept, find(accept, out->name, ""))) {
		mark_functions(accept, &cost);
		mark_nodes(&cost);
		missing = unaccepted_culprit(&cost);
		if (!missing)
			missing = unaccepted_growth(&cost);
		if (!missing)
			let_culprits_pass(accept, result, out, &cost);
		else if (mark_all_needed(accept, &cost))
			tell_missing(result, out, missing);
	}
	arena_release(&scratch);
}

/* ---- stored baselines ---------------------------------------------------------------------- */

/* The first finding that nobody accepted; "" if they explain too little; NULL: all is accepted. */
static const char *unaccepted_finding(
	const struct accept *accept, const char *benchmark, const struct result_stored *stored)
{
	double growth = 0;

	for (size_t i = 0; i < stored->finding_count; i++) {
		const struct result_stored_finding *finding = &stored->findings[i];

		if (finding->shifted)
			continue;
		if (!finding->name[0] || !counts(accept, find(accept, benchmark, finding->name)))
			return finding->name;
		growth += finding->change;
	}
	return growth > 0 && explains(growth, fabs(stored->change)) ? NULL : "";
}

static bool stored_failed(const struct result_stored *stored)
{
	return stored->decides && stored->state == STORED_FLAGGED;
}

static const char *unaccepted_stored(
	const struct accept *accept, const struct result_benchmark *out)
{
	size_t failed = 0;

	for (size_t i = 0; i < out->stored_count; i++) {
		const char *missing;

		if (!stored_failed(&out->stored[i]))
			continue;
		failed++;
		missing = unaccepted_finding(accept, out->name, &out->stored[i]);
		if (missing)
			return missing;
	}
	return failed ? NULL : "";
}

void accept_stored(struct accept *accept, struct result *result, struct result_benchmark *out)
{
	if (out->status != RESULT_FAIL || counts(accept, find(accept, out->name, "")) ||
		unaccepted_stored(accept, out))
		return;
	for (size_t i = 0; i < out->stored_count; i++)
		for (size_t k = 0;
			stored_failed(&out->stored[i]) && k < out->stored[i].finding_count; k++) {
			const struct result_stored_finding *finding = &out->stored[i].findings[k];
			const struct session_acceptance *one =
				finding->shifted ? NULL : find(accept, out->name, finding->name);

			if (one && !accept->needed[one - accept->session->acceptances])
				let_pass(accept, result, out, one);
		}
	out->status = RESULT_WARN;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* An acceptance that would have done, had it not expired. */
static void tell_expired(struct accept *accept, struct result *result, struct result_benchmark *out)
{
	for (size_t i = 0; i < accept->session->acceptance_count; i++) {
		const struct session_acceptance *one = &accept->session->acceptances[i];
		bool concerns = !one->function[0];

		for (size_t k = 0; k < out->culprit_count && !concerns; k++)
			concerns = strcmp(out->functions[out->culprits[k].function].name,
					   one->function) == 0;
		if (!concerns || one->problem[0] || strcmp(one->benchmark, out->name) != 0 ||
			!has_expired(accept->session, one))
			continue;
		accept->needed[i] = true;
		add_warning(result, out,
			arena_printf(&result->arena, "the acceptance of %s expired on %s: %s (%s)",
				what(one), one->until, one->reason, one->origin));
	}
}

void accept_whole(struct accept *accept, struct result *result, struct result_benchmark *out)
{
	const struct session_acceptance *one;

	if (out->status != RESULT_FAIL)
		return;
	one = find(accept, out->name, "");
	if (counts(accept, one))
		let_pass(accept, result, out, one);
	else
		tell_expired(accept, result, out);
}

/* ---- what is left over --------------------------------------------------------------------- */

static bool was_looked_at(const struct session *session, const char *benchmark)
{
	for (size_t i = 0; i < session->benchmark_count; i++)
		if (strcmp(session->benchmarks[i].name, benchmark) == 0)
			return true;
	return false;
}

static const char *left_over(const struct accept *accept, size_t i, struct arena *arena)
{
	const struct session *session = accept->session;
	const struct session_acceptance *one = &session->acceptances[i];
	const char *name = arena_printf(
		arena, "%s%s%s", one->benchmark, one->function[0] ? "/" : "", one->function);

	if (one->problem[0])
		return arena_printf(arena, "the acceptance of %s (%s) does not count: %s", name,
			one->origin, one->problem);
	if (accept->needed[i] || !was_looked_at(session, one->benchmark))
		return NULL;
	if (has_expired(session, one))
		return arena_printf(arena,
			"the acceptance of %s (%s) expired on %s, and nothing needs it", name,
			one->origin, one->until);
	return arena_printf(arena, "the acceptance of %s (%s) was not needed", name, one->origin);
}

void accept_report(const struct accept *accept, struct result *result)
{
	size_t most = result->note_count + accept->session->acceptance_count;
	const char **notes = arena_array(&result->arena, most, sizeof(*notes));
	size_t count = result->note_count;

	if (count)
		memcpy(notes, result->notes, count * sizeof(*notes));
	for (size_t i = 0; i < accept->session->acceptance_count; i++) {
		const char *line = left_over(accept, i, &result->arena);

		if (line)
			notes[count++] = line;
	}
	result->notes = notes;
	result->note_count = count;
}
