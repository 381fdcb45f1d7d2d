/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording back from Parca, which answers one value type at a time: a query for each piece and
 * value type, each for exactly the millisecond of the push. (A merge over a range would multiply
 * samples by the period.)
 */
#include "baseline/parca/parca_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "baseline/instant.h"
#include "gate/base/error.h"
#include "gate/bench/recording/recording.h"

struct pull {
	struct store *store;
	const struct baseline_key *key;
	struct recording *out;
	bool found;
	/* of the recording at hand */
	const struct parca_type *type;
	struct merge *merge;
};

static void add_number(struct strbuf *selector, const char *name, uint32_t number)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%" PRIu32, number);
	labels_add_matcher(selector, name, text);
}

static void add_selector(struct strbuf *selector, const struct pull *pull,
	const struct profile_value_type *column, const struct piece_labels *piece)
{
	struct parca_type type = *pull->type;

	type.sample_type = column->type;
	type.sample_unit = column->unit;
	parca_type_add(selector, &type);
	strbuf_addch(selector, '{');
	labels_add_matcher(selector, "recording", piece->recording);
	add_number(selector, "round", piece->round);
	add_number(selector, "part", piece->part);
	strbuf_addch(selector, '}');
}

static int add_column(struct pull *pull, const struct profile_value_type *column,
	const struct piece_labels *piece, const struct profile *profile, struct error *err)
{
	const struct merge_rule rule = {.set_round = true, .round = piece->round};

	if (profile->type_count != 1 || strcmp(profile->types[0].type, column->type) != 0 ||
		strcmp(profile->types[0].unit, column->unit) != 0)
		return error_set(err, ERR_CORRUPT, "%s answered with another value type than %s/%s",
			pull->store->name, column->type, column->unit);
	return merge_add(pull->merge, profile, &rule, err);
}

/* A column without any value is not there:
 * whether it may be missing the recording's check tells. */
static int pull_column(struct pull *pull, const struct profile_value_type *column,
	const struct piece_labels *piece, struct error *err)
{
	struct strbuf selector = STRBUF_INIT;
	struct parca_query query = {.from_ns = piece->pushed_ns, .until_ns = piece->pushed_ns};
	struct profile *profile = NULL;
	int rc;

	add_selector(&selector, pull, column, piece);
	query.selector = selector.data;
	rc = parca_fetch(pull->store->data, &query, &profile, err);
	if (!rc)
		rc = add_column(pull, column, piece, profile, err);
	else if (rc == ERR_NOT_FOUND)
		rc = ERR_OK;
	profile_free(profile);
	strbuf_release(&selector);
	return rc;
}

static int pull_columns(struct pull *pull, const struct piece_group *group, struct error *err)
{
	static const struct profile_value_type cpu[] = {{PROFILE_TYPE_SAMPLES, "count"},
		{PROFILE_TYPE_CPU, "nanoseconds"},
		{PROFILE_TYPE_CPU_SQUARES, "microseconds_squared"}};
	const struct profile_value_type own = {pull->type->sample_type, pull->type->sample_unit};
	bool is_cpu = strcmp(own.type, RECORDING_TYPE_CPU) == 0;
	const struct profile_value_type *columns = is_cpu ? cpu : &own;
	size_t count = is_cpu ? sizeof(cpu) / sizeof(cpu[0]) : 1;
	int rc = ERR_OK;

	pull->merge = piece_merge_new(pull->out, columns, count, err);
	if (!pull->merge)
		return ERR_CORRUPT;
	for (size_t i = 0; i < group->count && !rc; i++)
		for (size_t j = 0; j < count && !rc; j++)
			rc = pull_column(pull, &columns[j], &group->pieces[i], err);
	if (!rc)
		rc = piece_merge_finish(pull->merge, group, pull->out, err);
	merge_free(pull->merge);
	return rc;
}

static int pull_recording(struct pull *pull, const struct piece_group *group, struct error *err)
{
	int rc = piece_group_recording(group, pull->out, err);

	if (rc)
		return rc;
	rc = pull_columns(pull, group, err);
	if (rc)
		recording_release(pull->out);
	else
		pull->found = true;
	return rc;
}

/* The newest whole one; the server's selector has seen to the key. */
static const struct piece_group *newest(struct piece_list *pieces)
{
	const struct piece_group *best = NULL;
	size_t count;
	struct piece_group *groups = piece_list_group(pieces, &count);

	for (size_t i = 0; i < count; i++)
		if (groups[i].complete && (!best || instant_rank(groups[i].pieces->time_ns) >
							    instant_rank(best->pieces->time_ns)))
			best = &groups[i];
	return best;
}

static bool is_wanted(const struct baseline_key *key, const struct baseline_key *wanted)
{
	struct baseline_key full = *wanted;

	if (!full.environment)
		full.environment = key->environment;
	return piece_key_equals(key, &full);
}

static int pull_type(void *data, const struct parca_type *type, struct error *err)
{
	struct pull *pull = data;
	const struct parca_wanted wanted = {.key = *pull->key, .with_meta = true};
	struct piece_list pieces = {.arena = ARENA_INIT};
	const struct piece_group *group;
	int rc = ERR_OK;

	if (pull->found)
		return ERR_OK;
	pull->type = type;
	rc = parca_ask_type(pull->store->data, type, &wanted, &pieces, err);
	group = rc ? NULL : newest(&pieces);
	if (group && is_wanted(&group->pieces->key, pull->key))
		rc = pull_recording(pull, group, err);
	piece_list_release(&pieces);
	return rc;
}

int parca_get(struct store *store, const struct baseline_key *key, struct recording *out,
	enum baseline_detail *detail, struct error *err)
{
	struct recording recording;
	struct pull pull = {.store = store, .key = key, .out = &recording};
	int rc = parca_each_type(store->data, key->profile_type, pull_type, &pull, err);

	if (rc)
		return rc;
	if (!pull.found)
		return error_set(err, ERR_NOT_FOUND,
			"%s has no recording of %s (%s) for commit %.12s", store->name,
			key->benchmark, key->profile_type, key->commit);
	*out = recording;
	*detail = BASELINE_SERVER;
	return ERR_OK;
}
