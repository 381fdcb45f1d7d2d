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

static const char *quantity_of(const struct session_acceptance *one)
{
	return one->quantity ? one->quantity : "";
}

/* What may be accepted: a function, a quantity, or with neither a benchmark as a whole. */
struct subject {
	const char *function, *module, *file; /* function "": none */
	const char *quantity;                 /* "": none */
};
static const struct subject whole = {"", "", "", ""};

/* "name" or "name@file". */
static bool names_function(const char *text, const struct subject *subject)
{
	const char *place = *subject->file ? subject->file : subject->module;
	size_t length = strlen(subject->function);

	if (strncmp(text, subject->function, length) != 0)
		return false;
	return !text[length] ||
	       (text[length] == '@' && *place && strcmp(text + length + 1, place) == 0);
}

static bool is_about(
	const struct session_acceptance *one, const char *benchmark, const struct subject *subject)
{
	return !one->problem[0] && strcmp(one->benchmark, benchmark) == 0 &&
	       strcmp(quantity_of(one), subject->quantity) == 0 &&
	       names_function(one->function, subject);
}

/* The first that counts; else the first that has expired; else NULL. */
static const struct session_acceptance *find(
	const struct accept *accept, const char *benchmark, const struct subject *subject)
{
	const struct session_acceptance *expired = NULL;

	for (size_t i = 0; i < accept->session->acceptance_count; i++) {
		const struct session_acceptance *one = &accept->session->acceptances[i];

		if (!is_about(one, benchmark, subject))
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

static bool whole_is_accepted(const struct accept *accept, const char *benchmark)
{
	return counts(accept, find(accept, benchmark, &whole));
}

static const struct session_acceptance *find_quantity(
	const struct accept *accept, const char *benchmark, const char *quantity)
{
	const struct subject subject = {"", "", "", quantity};

	return find(accept, benchmark, &subject);
}

static struct subject subject_of(const struct result_function *function)
{
	return (struct subject){function->name, function->module, function->file, ""};
}

/* Not the only one that it names: then it says too little. */
static bool is_ambiguous(
	const struct session_acceptance *one, const struct result_benchmark *benchmark)
{
	size_t count = 0;

	for (size_t i = 0; i < benchmark->function_count && count < 2; i++) {
		struct subject subject = subject_of(&benchmark->functions[i]);

		count += names_function(one->function, &subject);
	}
	return count > 1;
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
	const char *quantity = quantity_of(one);

	if (one->function[0])
		return one->function;
	return *quantity ? quantity : "any function";
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
		struct subject subject = subject_of(&benchmark->functions[i]);
		const struct session_acceptance *one = find(accept, benchmark->name, &subject);

		cost->of_function[i] =
			*subject.function && counts(accept, one) && !is_ambiguous(one, benchmark)
				? one
				: NULL;
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

/* Which of several is meant is for the one who accepts to say. */
static void tell_ambiguous(
	struct accept *accept, struct result *result, struct result_benchmark *out)
{
	for (size_t i = 0; i < out->culprit_count; i++) {
		const struct result_function *culprit = &out->functions[out->culprits[i].function];
		struct subject subject = subject_of(culprit);
		const struct session_acceptance *one = find(accept, out->name, &subject);

		if (!*subject.function || !counts(accept, one) || !is_ambiguous(one, out) ||
			accept->needed[one - accept->session->acceptances])
			continue;
		mark_needed(accept, one);
		add_warning(result, out,
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
	const struct session_acceptance *one =
		find_quantity(accept, out->name, quantities[QUANTITY_CPU].name);

	if (!counts(accept, one))
		return false;
	let_pass(accept, result, out, one);
	return true;
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

	if (out->status == RESULT_FAIL && !whole_is_accepted(accept, out->name) &&
		!let_cpu_time_pass(accept, result, out) && out->culprit_count) {
		mark_functions(accept, &cost);
		mark_nodes(&cost);
		missing = unaccepted_culprit(&cost);
		if (!missing)
			missing = unaccepted_growth(&cost);
		if (!missing)
			let_culprits_pass(accept, result, out, &cost);
		else if (mark_all_needed(accept, &cost))
			tell_missing(result, out, missing);
		tell_ambiguous(accept, result, out);
	}
	arena_release(&scratch);
}

/* ---- stored baselines ---------------------------------------------------------------------- */

/* What is told apart by its name alone is not, where two findings have it. */
static const struct session_acceptance *find_for(const struct accept *accept,
	const struct result_benchmark *benchmark, const struct result_stored *stored,
	size_t finding)
{
	const struct result_stored_finding *all = stored->findings;
	const struct subject subject = {all[finding].name, "", all[finding].file, ""};
	const struct session_acceptance *one = find(accept, benchmark->name, &subject);
	size_t count = 0;

	if (!*subject.function || !counts(accept, one) || is_ambiguous(one, benchmark))
		return NULL;
	for (size_t i = 0; i < stored->finding_count; i++) {
		const struct subject other = {all[i].name, "", all[i].file, ""};

		count += names_function(one->function, &other);
	}
	return count == 1 ? one : NULL;
}

static const struct session_acceptance *find_type(const struct accept *accept,
	const struct result_benchmark *benchmark, const struct result_stored *stored)
{
	enum quantity quantity = quantity_of_type(stored->profile_type);
	const struct session_acceptance *one =
		quantity == QUANTITY_COUNT
			? NULL
			: find_quantity(accept, benchmark->name, quantities[quantity].name);

	return counts(accept, one) ? one : NULL;
}

/* The first finding that nobody accepted; "" if they explain too little; NULL: all is accepted. */
static const char *unaccepted_finding(const struct accept *accept,
	const struct result_benchmark *benchmark, const struct result_stored *stored)
{
	double growth = 0;

	if (find_type(accept, benchmark, stored))
		return NULL;

	for (size_t i = 0; i < stored->finding_count; i++) {
		const struct result_stored_finding *finding = &stored->findings[i];

		if (finding->shifted)
			continue;
		if (!find_for(accept, benchmark, stored, i))
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
		missing = unaccepted_finding(accept, out, &out->stored[i]);
		if (missing)
			return missing;
	}
	return failed ? NULL : "";
}

static void let_pass_once(struct accept *accept, struct result *result,
	struct result_benchmark *out, const struct session_acceptance *one)
{
	if (one && !accept->needed[one - accept->session->acceptances])
		let_pass(accept, result, out, one);
}

static void let_stored_pass(struct accept *accept, struct result *result,
	struct result_benchmark *out, const struct result_stored *stored)
{
	const struct session_acceptance *type = find_type(accept, out, stored);

	let_pass_once(accept, result, out, type);
	for (size_t i = 0; i < stored->finding_count && !type; i++)
		if (!stored->findings[i].shifted)
			let_pass_once(accept, result, out, find_for(accept, out, stored, i));
}

void accept_stored(struct accept *accept, struct result *result, struct result_benchmark *out)
{
	if (out->status != RESULT_FAIL || whole_is_accepted(accept, out->name) ||
		unaccepted_stored(accept, out))
		return;
	for (size_t i = 0; i < out->stored_count; i++)
		if (stored_failed(&out->stored[i]))
			let_stored_pass(accept, result, out, &out->stored[i]);
	out->status = RESULT_WARN;
}

/* ---- quantities ---------------------------------------------------------------------------- */

/* Of those that stand for themselves; what is a profile's has been looked at by then. */
static bool quantity_failed(const struct result_quantity *quantity)
{
	enum quantity which = quantity_find(quantity->name);

	return which != QUANTITY_CPU && which != QUANTITY_COUNT && !quantities[which].type &&
	       quantity->decides && quantity->gate == GATE_FAIL;
}

static const struct session_acceptance *find_failed(const struct accept *accept,
	const struct result_benchmark *out, const struct result_quantity *quantity)
{
	const struct session_acceptance *one = find_quantity(accept, out->name, quantity->name);

	return counts(accept, one) ? one : NULL;
}

/* One that nobody accepted, or NULL. */
static const char *unaccepted_quantity(
	struct accept *accept, const struct result_benchmark *out, size_t *accepted)
{
	const char *missing = NULL;

	*accepted = 0;
	for (size_t i = 0; i < out->quantity_count; i++) {
		const struct session_acceptance *one;

		if (!quantity_failed(&out->quantities[i]))
			continue;
		one = find_failed(accept, out, &out->quantities[i]);
		if (one) {
			mark_needed(accept, one);
			++*accepted;
		} else {
			missing = out->quantities[i].name;
		}
	}
	return missing;
}

void accept_quantities(struct accept *accept, enum result_status before, struct result *result,
	struct result_benchmark *out)
{
	const char *missing;
	size_t accepted;

	if (out->status != RESULT_FAIL || whole_is_accepted(accept, out->name))
		return;
	missing = unaccepted_quantity(accept, out, &accepted);
	if (missing && accepted)
		tell_missing(result, out, missing);
	if (missing || before == RESULT_FAIL)
		return;
	for (size_t i = 0; i < out->quantity_count; i++)
		if (quantity_failed(&out->quantities[i]))
			let_pass(
				accept, result, out, find_failed(accept, out, &out->quantities[i]));
}

/* ---- the whole ----------------------------------------------------------------------------- */

static bool concerns(const struct session_acceptance *one, const struct result_benchmark *out)
{
	const char *quantity = quantity_of(one);

	for (size_t i = 0; i < out->quantity_count && *quantity; i++)
		if (strcmp(out->quantities[i].name, quantity) == 0)
			return out->quantities[i].decides;
	for (size_t i = 0; i < out->culprit_count && one->function[0]; i++) {
		struct subject subject = subject_of(&out->functions[out->culprits[i].function]);

		if (names_function(one->function, &subject))
			return true;
	}
	return !*quantity && !one->function[0];
}

/* An acceptance that would have done, had it not expired. */
static void tell_expired(struct accept *accept, struct result *result, struct result_benchmark *out)
{
	for (size_t i = 0; i < accept->session->acceptance_count; i++) {
		const struct session_acceptance *one = &accept->session->acceptances[i];

		if (!concerns(one, out) || one->problem[0] ||
			strcmp(one->benchmark, out->name) != 0 ||
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
	one = find(accept, out->name, &whole);
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
	const char *quantity = quantity_of(one);
	const char *name = arena_printf(arena, "%s%s%s%s%s", one->benchmark,
		one->function[0] ? "/" : "", one->function, *quantity ? ", " : "", quantity);

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
