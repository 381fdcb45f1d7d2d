/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/server/pieces.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/instant.h"
#include "baseline/store_internal.h"
#include "gate/base/error.h"
#include "gate/bench/recording/recording.h"

void piece_list_release(struct piece_list *list)
{
	free(list->items);
	arena_release(&list->arena);
	*list = (struct piece_list){.arena = ARENA_INIT};
}

void piece_list_add(struct piece_list *list, const struct label *labels, size_t count)
{
	struct piece_labels piece;

	if (labels_read(labels, count, &list->arena, &piece, NULL)) {
		list->foreign++;
		return;
	}
	list->items =
		grow_array(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = piece;
}

/* ---- groups ------------------------------------------------------------------------------- */

static int compare_keys(const struct baseline_key *a, const struct baseline_key *b)
{
	int order = strcmp(a->commit, b->commit);

	if (!order)
		order = strcmp(a->benchmark, b->benchmark);
	if (!order)
		order = strcmp(a->profile_type, b->profile_type);
	return order ? order : strcmp(a->environment, b->environment);
}

bool piece_key_equals(const struct baseline_key *a, const struct baseline_key *b)
{
	return compare_keys(a, b) == 0;
}

static int compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_recordings(const struct piece_labels *a, const struct piece_labels *b)
{
	int order = compare_keys(&a->key, &b->key);

	if (!order)
		order = compare_numbers(instant_rank(b->time_ns), instant_rank(a->time_ns));
	if (!order)
		order = compare_numbers(b->pushed_ns, a->pushed_ns);
	return order ? order : strcmp(a->recording, b->recording);
}

/* Of two series of one piece the one with more labels first. */
static int compare_pieces(const void *left, const void *right)
{
	const struct piece_labels *a = left, *b = right;
	int order = compare_recordings(a, b);

	if (!order)
		order = compare_numbers(a->round, b->round);
	if (!order)
		order = compare_numbers(a->part, b->part);
	return order ? order : strcmp(b->meta, a->meta);
}

static bool is_same_piece(const struct piece_labels *a, const struct piece_labels *b)
{
	return compare_recordings(a, b) == 0 && a->round == b->round && a->part == b->part;
}

static void drop_repeated(struct piece_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (!kept || !is_same_piece(&list->items[kept - 1], &list->items[i]))
			list->items[kept++] = list->items[i];
	list->count = kept;
}

/* Every part of every round, in order: the pieces are sorted and there is none twice. */
static bool is_complete(const struct piece_labels *pieces, size_t count)
{
	size_t at = 0;

	for (uint32_t round = 0; round < pieces->rounds; round++) {
		uint32_t part = 0;

		do {
			if (at == count || pieces[at].round != round || pieces[at].part != part ||
				pieces[at].rounds != pieces->rounds)
				return false;
			part++;
		} while (part < pieces[at++].parts);
	}
	return at == count;
}

struct piece_group *piece_list_group(struct piece_list *list, size_t *count)
{
	struct piece_group *groups = arena_array(&list->arena, list->count, sizeof(*groups));
	size_t found = 0, first = 0;

	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), compare_pieces);
	drop_repeated(list);
	for (size_t i = 1; i <= list->count; i++) {
		if (i < list->count &&
			compare_recordings(&list->items[i], &list->items[first]) == 0)
			continue;
		groups[found++] = (struct piece_group){&list->items[first], i - first,
			is_complete(&list->items[first], i - first)};
		first = i;
	}
	*count = found;
	return groups;
}

static double mean_cpu_seconds(const struct piece_group *group)
{
	double sum = 0;

	for (size_t i = 0; i < group->count; i++)
		if (!group->pieces[i].part)
			sum += group->pieces[i].totals.cpu_seconds;
	return sum / group->pieces->rounds;
}

int64_t piece_group_sum(const struct piece_group *group)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < group->count; i++)
		if (!group->pieces[i].part)
			sum += (uint64_t)group->pieces[i].sum;
	return (int64_t)sum;
}

struct baseline_entry piece_group_entry(const struct piece_group *group)
{
	return (struct baseline_entry){
		.key = group->pieces->key,
		.time_ns = group->pieces->time_ns,
		.detail = BASELINE_SERVER,
		.rounds = group->pieces->rounds,
		.cpu_seconds = mean_cpu_seconds(group),
	};
}

void piece_list_entries(
	struct piece_list *list, struct baseline_list *out, struct store_lines *warnings)
{
	size_t count;
	struct piece_group *groups = piece_list_group(list, &count);
	const struct baseline_key *last = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct piece_labels *first = groups[i].pieces;
		struct baseline_entry entry;

		if (!groups[i].complete)
			store_lines_add(warnings,
				"commit %.12s, benchmark %s: recording %s is not whole (its push "
				"broke off), so it does not count",
				first->key.commit, first->key.benchmark, first->recording);
		if (!groups[i].complete || (last && piece_key_equals(last, &first->key)))
			continue;
		entry = piece_group_entry(&groups[i]);
		baseline_list_add(out, &entry);
		last = &first->key;
	}
}

/* ---- recordings --------------------------------------------------------------------------- */

static int check_meta(
	const struct piece_labels *first, const struct recording *recording, struct error *err)
{
	struct arena arena = ARENA_INIT;
	const char *environment = recording_environment(recording, &arena);
	const struct baseline_key named = {
		recording->commit, recording->benchmark, recording->profile_type, environment};
	int rc = ERR_OK;

	if (!piece_key_equals(&named, &first->key) || recording->time_ns != first->time_ns)
		rc = error_set(err, ERR_CORRUPT,
			"recording %s: its labels contradict what they say it is",
			first->recording);
	arena_release(&arena);
	return rc;
}

int piece_group_recording(const struct piece_group *group, struct recording *out, struct error *err)
{
	struct recording recording;
	int rc;

	if (!group->complete) /* its pieces may disagree about how many rounds there are */
		return error_set(
			err, ERR_CORRUPT, "recording %s is not whole", group->pieces->recording);
	rc = labels_meta_decode(group->pieces->meta, &recording, err);
	if (rc)
		return error_prefix(err, "recording %s", group->pieces->recording);
	rc = check_meta(group->pieces, &recording, err);
	if (rc) {
		recording_release(&recording);
		return rc;
	}
	recording.round_count = group->pieces->rounds;
	recording.rounds =
		arena_array(&recording.arena, recording.round_count, sizeof(*recording.rounds));
	for (size_t i = 0; i < group->count; i++)
		recording.rounds[group->pieces[i].round] = group->pieces[i].totals;
	*out = recording;
	return ERR_OK;
}

/* ---- profiles ----------------------------------------------------------------------------- */

static const struct profile_value_type cpu_types[] = {
	{PROFILE_TYPE_SAMPLES, "count"},
	{PROFILE_TYPE_CPU, "nanoseconds"},
	{PROFILE_TYPE_CPU_SQUARES, "microseconds_squared"},
};
#define CPU_DEFAULT 1

struct merge *piece_merge_new(const struct recording *recording,
	const struct profile_value_type *types, size_t count, struct error *err)
{
	if (strcmp(recording->profile_type, RECORDING_TYPE_CPU) == 0)
		return merge_new(cpu_types, sizeof(cpu_types) / sizeof(cpu_types[0]), CPU_DEFAULT);
	for (size_t i = 0; i < count; i++)
		if (strcmp(types[i].type, recording->profile_type) == 0)
			return merge_new(types, count, i);
	error_set(err, ERR_CORRUPT, "the server has no values of type %s for this recording",
		recording->profile_type);
	return NULL;
}

/* Samples' rounds are below round_count: merge rules set them. */
static int check_sums(
	const struct recording *recording, const struct piece_group *group, struct error *err)
{
	const struct profile *profile = recording->profile;
	int64_t *sums = xcalloc(recording->round_count, sizeof(*sums));
	int rc = ERR_OK;

	for (size_t i = 0; i < profile->sample_count && !rc; i++) {
		const struct profile_sample *sample = &profile->samples[i];
		int64_t round = profile_sample_number(sample, PROFILE_LABEL_ROUND, 0);

		if (__builtin_add_overflow(
			    sums[round], sample->values[profile->default_type], &sums[round]))
			rc = error_set(err, ERR_CORRUPT, "the sum of a round is too large");
	}
	for (size_t i = 0; i < group->count && !rc; i++)
		if (sums[group->pieces[i].round] != group->pieces[i].sum)
			rc = error_set(err, ERR_CORRUPT,
				"round %u: %" PRId64 " %s were pushed, and %" PRId64
				" came back: the server lost some, or stored some twice",
				group->pieces[i].round, group->pieces[i].sum,
				profile->types[profile->default_type].unit,
				sums[group->pieces[i].round]);
	free(sums);
	return rc;
}

int piece_merge_finish(struct merge *merge, const struct piece_group *group,
	struct recording *recording, struct error *err)
{
	struct profile *profile = merge_take(merge);
	const struct profile_value_type *type = &profile->types[profile->default_type];
	int rc;

	profile->period_type = *type;
	profile->period = recording->rate_hz ? llround(1e9 / recording->rate_hz) : 0;
	profile->time_ns = recording->time_ns;
	recording->profile = profile;
	rc = check_sums(recording, group, err);
	return rc ? rc : recording_check(recording, err);
}
