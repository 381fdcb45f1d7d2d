/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording is put together from one query for each round and value type: the server has no other
 * way to tell rounds apart. What it doubled or lost since the push does not add up any more, and
 * the next older recording is tried.
 */
#include "baseline/pyroscope/pyroscope_store.h"

#include <stdlib.h>

#include "baseline/instant.h"
#include "gate/base/error.h"
#include "gate/bench/recording/recording.h"

#define MAX_TYPES 8
#define MOST_TRIED 8 /* recordings that do not add up: each costs many questions */

struct pulling {
	const struct pyroscope_store *data;
	const struct piece_group *group;
	struct arena arena;
	struct pyroscope_range range; /* around the push: all profiles have its time */
	const char *ids[MAX_TYPES];
	struct profile_value_type types[MAX_TYPES];
	size_t type_count;
};

static void recording_selector(const struct pulling *pulling, struct strbuf *selector)
{
	pyroscope_store_selector(pulling->data, selector);
	labels_add_matcher(selector, "recording", pulling->group->pieces->recording);
}

/* ---- value types -------------------------------------------------------------------------- */

static int add_type(struct pulling *pulling, const struct json *node, struct error *err)
{
	const char *id;
	int rc = json_string(node, &id, err);

	if (rc)
		return rc;
	if (pulling->type_count == MAX_TYPES)
		return json_error(node, err, "more than %d types of one recording", MAX_TYPES);
	id = arena_strdup(&pulling->arena, id);
	pulling->ids[pulling->type_count] = id;
	rc = pyroscope_type_parse(id, &pulling->arena, &pulling->types[pulling->type_count], err);
	if (!rc)
		pulling->type_count++;
	return rc;
}

static int read_types(struct pulling *pulling, struct error *err)
{
	struct strbuf selector = STRBUF_INIT;
	const struct json *names, *node;
	struct json *answer;
	int rc;

	recording_selector(pulling, &selector);
	strbuf_addch(&selector, '}');
	rc = pyroscope_label_values(&pulling->data->server, "__profile_type__", selector.data,
		pulling->range, &answer, err);
	strbuf_release(&selector);
	if (rc)
		return rc;
	names = json_get(answer, "names");
	rc = names ? json_expect(names, JSON_ARRAY, err) : ERR_OK;
	for (node = json_first(names); node && !rc; node = json_next(node))
		rc = add_type(pulling, node, err);
	json_free(answer);
	return rc;
}

/* ---- profiles ----------------------------------------------------------------------------- */

static int pull_values(const struct pulling *pulling, uint32_t round, const char *type,
	struct merge *merge, struct error *err)
{
	const struct merge_rule rule = {.set_round = true, .round = round};
	struct strbuf selector = STRBUF_INIT;
	struct profile *profile = NULL;
	int rc;

	recording_selector(pulling, &selector);
	strbuf_addf(&selector, ",round=\"%u\"}", round);
	rc = pyroscope_profile(
		&pulling->data->server, type, selector.data, pulling->range, &profile, err);
	if (!rc && profile)
		rc = merge_add(merge, profile, &rule, err);
	profile_free(profile);
	strbuf_release(&selector);
	return rc;
}

static int pull_rounds(
	const struct pulling *pulling, struct recording *recording, struct error *err)
{
	struct merge *merge = piece_merge_new(recording, pulling->types, pulling->type_count, err);
	int rc = merge ? ERR_OK : ERR_CORRUPT;

	for (uint32_t round = 0; round < recording->round_count; round++)
		for (size_t i = 0; i < pulling->type_count && !rc; i++)
			rc = pull_values(pulling, round, pulling->ids[i], merge, err);
	if (!rc)
		rc = piece_merge_finish(merge, pulling->group, recording, err);
	merge_free(merge);
	return rc;
}

static int pull_recording(struct pulling *pulling, struct recording *out, struct error *err)
{
	struct recording recording;
	int rc = piece_group_recording(pulling->group, &recording, err);

	if (rc)
		return rc;
	rc = read_types(pulling, err);
	if (!rc)
		rc = pull_rounds(pulling, &recording, err);
	if (rc)
		recording_release(&recording);
	else
		*out = recording;
	return rc;
}

static int pull_group(struct store *store, const struct piece_group *group, struct recording *out,
	struct error *err)
{
	int64_t time = group->pieces->pushed_ns;
	struct pulling pulling = {.data = store->data,
		.group = group,
		.arena = ARENA_INIT,
		.range = {time - INSTANT_SECOND_NS, time + INSTANT_SECOND_NS}};
	int rc = pull_recording(&pulling, out, err);

	arena_release(&pulling.arena);
	return rc ? error_prefix(err, "%s: recording %s", pulling.data->server.origin,
			    group->pieces->recording)
		  : ERR_OK;
}

/* ---- which one ---------------------------------------------------------------------------- */

static int compare_age(const void *left, const void *right)
{
	const struct piece_group *a = left, *b = right;
	int64_t x = instant_rank(a->pieces->time_ns), y = instant_rank(b->pieces->time_ns);

	if (x == y) {
		x = a->pieces->pushed_ns;
		y = b->pieces->pushed_ns;
	}
	return (x < y) - (x > y);
}

static bool is_passing(int rc)
{
	return rc != ERR_CORRUPT && rc != ERR_LIMIT && rc != ERR_MEASURE;
}

/* The newest that adds up; each one that does not is a warning. */
static int pull_newest(
	struct store *store, struct piece_list *pieces, struct recording *out, struct error *err)
{
	size_t count;
	struct piece_group *groups = piece_list_group(pieces, &count);
	int rc = error_set(err, ERR_NOT_FOUND, "%s has no such baseline", store->name);

	if (count)
		qsort(groups, count, sizeof(*groups), compare_age);
	for (size_t i = 0, tried = 0; i < count && tried < MOST_TRIED; i++) {
		if (!groups[i].complete)
			continue;
		tried++;
		rc = pull_group(store, &groups[i], out, err);
		if (!rc || is_passing(rc))
			return rc;
		store_lines_add(&store->warnings, "%s", err ? err->message : "does not add up");
	}
	return rc;
}

int pyroscope_store_get(struct store *store, const struct baseline_key *key, struct recording *out,
	enum baseline_detail *detail, struct error *err)
{
	const struct pyroscope_store *data = store->data;
	struct piece_list pieces = {.arena = ARENA_INIT};
	struct strbuf selector = STRBUF_INIT;
	int rc;

	pyroscope_store_selector(data, &selector);
	labels_add_matcher(&selector, "commit", key->commit);
	labels_add_matcher(&selector, "benchmark", key->benchmark);
	labels_add_matcher(&selector, "type", key->profile_type);
	if (key->environment)
		labels_add_matcher(&selector, "environment", key->environment);
	strbuf_addch(&selector, '}');
	rc = pyroscope_store_gather(data, selector.data, true, &pieces, err);
	if (!rc)
		rc = pull_newest(store, &pieces, out, err);
	if (!rc)
		*detail = BASELINE_SERVER;
	strbuf_release(&selector);
	piece_list_release(&pieces);
	return rc;
}
