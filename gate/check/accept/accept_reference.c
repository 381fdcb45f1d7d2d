/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a failed comparison with a stored baseline passes: its metric is accepted, or every finding
 * is and they explain what grew.
 */
#include "gate/check/accept/accept_internal.h"
#include "gate/check/measurements/measurements.h"
#include "gate/check/result.h"

#include <math.h>

/* By whom a stored baseline's findings are accepted. */
struct accepted_reference {
	const struct result_reference *reference;
	const struct measurements_acceptance *type; /* the profile type as a whole, or NULL */
	const struct measurements_acceptance **of_finding; /* [finding], NULL: not accepted */
};

static const struct measurements_acceptance *find_type(const struct accept *accept,
	const struct result_benchmark *benchmark, const struct result_reference *reference)
{
	enum metric metric = metric_of_type(reference->profile_type);

	return metric == METRIC_COUNT
		       ? NULL
		       : accept_find_metric(accept, benchmark->name, metrics[metric].name);
}

static struct accept_subject subject_of(const struct result_reference_finding *finding)
{
	return (struct accept_subject){finding->name, "", finding->file, ""};
}

static bool has_failed(const struct result_reference *reference)
{
	return reference->decides && reference->state == REFERENCE_FLAGGED;
}

bool accept_names_finding(
	const struct measurements_acceptance *one, const struct result_reference *reference)
{
	for (size_t i = 0; i < reference->finding_count && has_failed(reference); i++) {
		struct accept_subject subject = subject_of(&reference->findings[i]);

		if (!reference->findings[i].shifted && accept_names(one, &subject))
			return true;
	}
	return false;
}

/* How many findings each acceptance names, or functions of the pairs: whichever are more. */
static uint32_t *count_findings(const struct accept *accept,
	const struct result_benchmark *benchmark, const struct result_reference *reference,
	struct arena *arena)
{
	size_t count = accept->measurements->acceptance_count;
	uint32_t *functions = accept_count_functions(accept, benchmark, arena);
	uint32_t *named = arena_array(arena, count, sizeof(*named));

	for (size_t i = 0; i < reference->finding_count; i++) {
		struct accept_subject subject = subject_of(&reference->findings[i]);

		accept_count(accept, benchmark->name, &subject, named);
	}
	for (size_t i = 0; i < count; i++)
		if (functions[i] > named[i])
			named[i] = functions[i];
	return named;
}

static struct accepted_reference find_accepted(const struct accept *accept,
	const struct result_benchmark *benchmark, const struct result_reference *reference,
	struct arena *arena)
{
	struct accepted_reference accepted = {
		.reference = reference,
		.type = find_type(accept, benchmark, reference),
		.of_finding =
			arena_array(arena, reference->finding_count, sizeof(*accepted.of_finding)),
	};
	uint32_t *named = count_findings(accept, benchmark, reference, arena);

	for (size_t i = 0; i < reference->finding_count; i++) {
		struct accept_subject subject = subject_of(&reference->findings[i]);

		if (*subject.function)
			accepted.of_finding[i] =
				accept_find_clear(accept, benchmark->name, &subject, named);
	}
	return accepted;
}

/* Every finding, and they explain enough. */
static bool is_accepted(const struct accepted_reference *accepted)
{
	const struct result_reference *reference = accepted->reference;
	double growth = 0;

	if (accepted->type)
		return true;
	for (size_t i = 0; i < reference->finding_count; i++) {
		if (reference->findings[i].shifted)
			continue;
		if (!accepted->of_finding[i])
			return false;
		growth += reference->findings[i].change;
	}
	return growth > 0 && accept_explains(growth, fabs(reference->change));
}

static void let_pass_once(struct accept *accept, struct result *result,
	struct result_benchmark *out, const struct measurements_acceptance *one)
{
	if (!accept->needed[one - accept->measurements->acceptances])
		accept_let_pass(accept, result, out, one);
}

static void let_reference_pass(struct accept *accept, struct result *result,
	struct result_benchmark *out, const struct accepted_reference *accepted)
{
	if (accepted->type) {
		let_pass_once(accept, result, out, accepted->type);
		return;
	}
	for (size_t i = 0; i < accepted->reference->finding_count; i++)
		if (!accepted->reference->findings[i].shifted)
			let_pass_once(accept, result, out, accepted->of_finding[i]);
}

void accept_references(struct accept *accept, struct result *result, struct result_benchmark *out)
{
	struct arena scratch = ARENA_INIT;
	struct accepted_reference *failed =
		arena_array(&scratch, out->reference_count, sizeof(*failed));
	size_t count = 0;
	bool all = out->status == RESULT_FAIL && !accept_find(accept, out->name, &accept_any);

	for (size_t i = 0; i < out->reference_count && all; i++) {
		if (!has_failed(&out->references[i]))
			continue;
		failed[count] = find_accepted(accept, out, &out->references[i], &scratch);
		all = is_accepted(&failed[count++]);
	}
	for (size_t i = 0; i < count && all; i++)
		let_reference_pass(accept, result, out, &failed[i]);
	if (count && all)
		out->status = RESULT_WARN;
	arena_release(&scratch);
}
