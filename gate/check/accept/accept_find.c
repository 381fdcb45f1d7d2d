/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which acceptance covers a function or a metric: by name or name@file, not expired, and for one
 * function alone where several have its name.
 */
#include "gate/check/accept/accept_internal.h"

#include <stdlib.h>
#include <string.h>

#include "gate/check/result.h"

#define DATE_LENGTH 10

const struct accept_subject accept_any = {"", "", "", ""};

struct accept_subject accept_subject_of(const struct result_function *function)
{
	return (struct accept_subject){function->name, function->module, function->file, ""};
}

/* By the day of the measurement: a replay decides as the check did. */
bool accept_has_expired(
	const struct measurements *measurements, const struct measurements_acceptance *one)
{
	return one->until[0] && strncmp(one->until, measurements->date, DATE_LENGTH) < 0;
}

const char *accept_metric_of(const struct measurements_acceptance *one)
{
	return one->metric ? one->metric : "";
}

/* ---- by their words ------------------------------------------------------------------------ */

/* Where the function is, as far as it is known. */
static const char *place_of(const struct accept_subject *subject)
{
	return *subject->file ? subject->file : subject->module;
}

/* As strcmp() of text and "name@place", or "name" where place is "". */
static int compare_text(const char *text, const char *name, const char *place)
{
	size_t length = strlen(name);
	int order = strncmp(text, name, length);

	if (order || !*place)
		return order ? order : text[length] != '\0';
	if (text[length] != '@')
		return (unsigned char)text[length] - '@';
	return strcmp(text + length + 1, place);
}

bool accept_names(const struct measurements_acceptance *one, const struct accept_subject *subject)
{
	const char *place = place_of(subject);

	return compare_text(one->function, subject->function, "") == 0 ||
	       (*place && compare_text(one->function, subject->function, place) == 0);
}

/* ---- in order ------------------------------------------------------------------------------ */

static int compare_acceptances(const void *left, const void *right)
{
	const struct measurements_acceptance *a =
		*(const struct measurements_acceptance *const *)left;
	const struct measurements_acceptance *b =
		*(const struct measurements_acceptance *const *)right;
	int order = strcmp(a->benchmark, b->benchmark);

	if (!order)
		order = strcmp(accept_metric_of(a), accept_metric_of(b));
	if (!order)
		order = strcmp(a->function, b->function);
	return order ? order : (a > b) - (a < b);
}

void accept_sort(struct accept *accept, struct arena *arena)
{
	const struct measurements *measurements = accept->measurements;

	accept->counting =
		arena_array(arena, measurements->acceptance_count, sizeof(*accept->counting));
	for (size_t i = 0; i < measurements->acceptance_count; i++) {
		const struct measurements_acceptance *one = &measurements->acceptances[i];

		if (!one->problem[0] && !accept_has_expired(measurements, one))
			accept->counting[accept->counting_count++] = one;
	}
	if (accept->counting_count)
		qsort(accept->counting, accept->counting_count, sizeof(*accept->counting),
			compare_acceptances);
}

static int compare_words(const struct measurements_acceptance *one, const char *benchmark,
	const struct accept_subject *subject, const char *place)
{
	int order = strcmp(one->benchmark, benchmark);

	if (!order)
		order = strcmp(accept_metric_of(one), subject->metric);
	return order ? order : compare_text(one->function, subject->function, place);
}

/* The first of these words alone, or NULL. */
static const struct measurements_acceptance *look_up(const struct accept *accept,
	const char *benchmark, const struct accept_subject *subject, const char *place)
{
	size_t low = 0, high = accept->counting_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_words(accept->counting[middle], benchmark, subject, place) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < accept->counting_count &&
			       !compare_words(accept->counting[low], benchmark, subject, place)
		       ? accept->counting[low]
		       : NULL;
}

/* What a subject may be called by: its name, and that with its place. NULL: so nobody does. */
struct found {
	const struct measurements_acceptance *by[2];
};

static struct found look_up_both(
	const struct accept *accept, const char *benchmark, const struct accept_subject *subject)
{
	const char *place = place_of(subject);

	return (struct found){{look_up(accept, benchmark, subject, ""),
		*place ? look_up(accept, benchmark, subject, place) : NULL}};
}

static const struct measurements_acceptance *first_of(const struct found *found)
{
	if (!found->by[0] || !found->by[1])
		return found->by[0] ? found->by[0] : found->by[1];
	return found->by[0] < found->by[1] ? found->by[0] : found->by[1];
}

const struct measurements_acceptance *accept_find(
	const struct accept *accept, const char *benchmark, const struct accept_subject *subject)
{
	struct found found = look_up_both(accept, benchmark, subject);

	return first_of(&found);
}

const struct measurements_acceptance *accept_find_metric(
	const struct accept *accept, const char *benchmark, const char *metric)
{
	const struct accept_subject subject = {"", "", "", metric};

	return accept_find(accept, benchmark, &subject);
}

/* ---- of one function alone ----------------------------------------------------------------- */

void accept_count(const struct accept *accept, const char *benchmark,
	const struct accept_subject *function, uint32_t *named)
{
	struct found found = look_up_both(accept, benchmark, function);

	for (int i = 0; i < 2; i++)
		if (found.by[i])
			named[found.by[i] - accept->measurements->acceptances]++;
}

uint32_t *accept_count_functions(
	const struct accept *accept, const struct result_benchmark *benchmark, struct arena *arena)
{
	uint32_t *named =
		arena_array(arena, accept->measurements->acceptance_count, sizeof(*named));

	for (size_t i = 0; i < benchmark->function_count; i++) {
		struct accept_subject subject = accept_subject_of(&benchmark->functions[i]);

		accept_count(accept, benchmark->name, &subject, named);
	}
	return named;
}

const struct measurements_acceptance *accept_find_clear(const struct accept *accept,
	const char *benchmark, const struct accept_subject *function, const uint32_t *named)
{
	struct found found = look_up_both(accept, benchmark, function);

	for (int i = 0; i < 2; i++)
		if (found.by[i] && named[found.by[i] - accept->measurements->acceptances] > 1)
			found.by[i] = NULL;
	return first_of(&found);
}
