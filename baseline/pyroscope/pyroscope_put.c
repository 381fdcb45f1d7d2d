/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording goes to the server piece by piece, under an id that no other push has. A push that
 * breaks off leaves pieces that nobody takes for a recording; the next one starts anew. What the
 * server lost or stored twice without a word (a proxy that repeats requests) shows when the sums
 * are asked for afterwards.
 */
#include "baseline/pyroscope/pyroscope_store.h"

#include <inttypes.h>
#include <stdlib.h>

#include "baseline/instant.h"
#include "baseline/server/split.h"
#include "gate/base/error.h"
#include "gate/bench/recording/recording.h"

#define MOST_TRIED 8 /* recordings that do not add up, before one more is pushed anyway */

static const struct split_limits limits = {
	PYROSCOPE_MAX_BYTES, PYROSCOPE_MAX_SAMPLES, PYROSCOPE_MAX_DEPTH};

struct pushing {
	struct store *store;
	const struct pyroscope_store *data;
	const struct recording *recording;
	struct arena arena;
	char id[LABELS_RECORDING_BYTES];
	struct piece_labels piece; /* of the piece at hand */
	const char *meta;
	int64_t *totals; /* pushed, by value type */
	size_t pieces, deep;
	unsigned attempts;
};

static void key_selector(const struct pushing *pushing, struct strbuf *selector)
{
	const struct baseline_key *key = &pushing->piece.key;

	pyroscope_store_selector(pushing->data, selector);
	labels_add_matcher(selector, "commit", key->commit);
	labels_add_matcher(selector, "benchmark", key->benchmark);
	labels_add_matcher(selector, "type", key->profile_type);
	labels_add_matcher(selector, "environment", key->environment);
	strbuf_addch(selector, '}');
}

static void recording_selector(
	const struct pushing *pushing, const char *recording, struct strbuf *selector)
{
	pyroscope_store_selector(pushing->data, selector);
	labels_add_matcher(selector, "recording", recording);
	strbuf_addch(selector, '}');
}

/* What the server has of a value type, over all rounds. */
static int64_t sum_of(const struct profile *profile)
{
	int64_t sum = 0;

	for (size_t i = 0; profile && i < profile->sample_count; i++)
		if (__builtin_add_overflow(sum, profile->samples[i].values[0], &sum))
			return -1;
	return sum;
}

static int ask_sum(const struct pushing *pushing, const char *recording, int64_t pushed_ns,
	size_t type, int64_t *sum, struct error *err)
{
	struct pyroscope_range range = {
		pushed_ns - INSTANT_SECOND_NS, pushed_ns + INSTANT_SECOND_NS};
	struct strbuf selector = STRBUF_INIT, id = STRBUF_INIT;
	struct profile *profile = NULL;
	int rc;

	recording_selector(pushing, recording, &selector);
	split_add_type_id(pushing->recording, type, &id);
	rc = pyroscope_profile(
		&pushing->data->server, id.data, selector.data, range, &profile, err);
	if (!rc)
		*sum = sum_of(profile);
	profile_free(profile);
	strbuf_release(&selector);
	strbuf_release(&id);
	return rc;
}

/*
 * Is there one that is not older, and adds up? Then this one would never be read. A push that was
 * doubled on its way is whole too, and must not stand in for another one.
 */
static int find_newer(const struct pushing *pushing, bool *found, struct error *err)
{
	size_t type = (size_t)recording_value_type(pushing->recording), count;
	struct piece_list pieces = {.arena = ARENA_INIT};
	struct strbuf selector = STRBUF_INIT;
	struct piece_group *groups = NULL;
	int64_t sum;
	int rc;

	key_selector(pushing, &selector);
	rc = pyroscope_store_gather(pushing->data, selector.data, false, &pieces, err);
	*found = false;
	if (!rc)
		groups = piece_list_group(&pieces, &count);
	for (size_t i = 0, tried = 0; !rc && !*found && i < count && tried < MOST_TRIED; i++) {
		const struct piece_labels *first = groups[i].pieces;

		if (!groups[i].complete ||
			instant_rank(first->time_ns) < pushing->recording->time_ns)
			continue;
		tried++;
		rc = ask_sum(pushing, first->recording, first->pushed_ns, type, &sum, err);
		*found = !rc && sum == piece_group_sum(&groups[i]);
	}
	strbuf_release(&selector);
	piece_list_release(&pieces);
	return rc;
}

/* ---- pushing ------------------------------------------------------------------------------ */

static int push_piece(struct pushing *pushing, const struct split_piece *piece, struct error *err)
{
	struct arena arena = ARENA_INIT;
	struct label *labels, *all;
	size_t count;
	int rc;

	pushing->piece.meta = pushing->pieces ? "" : pushing->meta;
	rc = labels_write(&pushing->piece, &arena, &labels, &count, err);
	if (!rc) {
		all = arena_array(&arena, count + 2, sizeof(*all));
		all[0] = (struct label){"__name__", split_profile_name(pushing->recording)};
		all[1] = (struct label){"service_name", pushing->data->service};
		for (size_t i = 0; i < count; i++)
			all[i + 2] = labels[i];
		rc = pyroscope_push(&pushing->data->server, all, count + 2, &piece->pprof,
			piece->bytes, &pushing->attempts, err);
	}
	pushing->pieces++;
	arena_release(&arena);
	return rc;
}

static int push_round(struct pushing *pushing, uint32_t round, struct error *err)
{
	struct piece_labels *piece = &pushing->piece;
	struct split split;
	int rc = split_round(pushing->recording, round, piece->pushed_ns, &limits, &split, err);

	if (rc)
		return rc;
	piece->round = round;
	piece->parts = (uint32_t)split.count;
	piece->totals = pushing->recording->rounds[round];
	piece->sum = split.totals[recording_value_type(pushing->recording)];
	for (piece->part = 0; piece->part < split.count && !rc; piece->part++)
		rc = push_piece(pushing, &split.pieces[piece->part], err);
	for (size_t i = 0; i < pushing->recording->profile->type_count; i++)
		pushing->totals[i] += split.totals[i];
	pushing->deep += split.deep;
	split_release(&split);
	return rc;
}

static int push_rounds(struct pushing *pushing, struct error *err)
{
	size_t count = pushing->recording->round_count;
	int rc = labels_meta_encode(pushing->recording, &pushing->arena, &pushing->meta, err);

	for (uint32_t round = 0; round < count && !rc; round++)
		rc = push_round(pushing, round, err);
	if (!rc && pushing->deep)
		store_lines_add(&pushing->store->warnings,
			"benchmark %s: %zu stacks are deeper than %d frames and lost their "
			"outermost ones",
			pushing->recording->benchmark, pushing->deep, PYROSCOPE_MAX_DEPTH);
	return rc;
}

/* ---- checking ----------------------------------------------------------------------------- */

static int check_pieces(const struct pushing *pushing, const char *selector, struct error *err)
{
	struct piece_list pieces = {.arena = ARENA_INIT};
	struct piece_group *groups;
	size_t count;
	int rc = pyroscope_store_gather(pushing->data, selector, false, &pieces, err);

	if (!rc) {
		groups = piece_list_group(&pieces, &count);
		if (count != 1 || !groups->complete || groups->count != pushing->pieces)
			rc = error_set(err, ERR_TOOL,
				"%s: of the %zu profiles that were pushed the server shows %zu",
				pushing->data->server.origin, pushing->pieces, pieces.count);
	}
	piece_list_release(&pieces);
	return rc;
}

static int check_total(const struct pushing *pushing, size_t type, struct error *err)
{
	int64_t wanted = pushing->totals[type], sum = 0;
	int rc = ask_sum(pushing, pushing->id, pushing->piece.pushed_ns, type, &sum, err);

	if (rc || sum == wanted)
		return rc;
	return error_set(err, ERR_TOOL,
		"%s: %" PRId64 " %s were pushed, but the server has stored %" PRId64 "%s",
		pushing->data->server.origin, wanted, pushing->recording->profile->types[type].unit,
		sum, sum > wanted ? " (does a proxy before it repeat requests?)" : "");
}

static int check_stored(const struct pushing *pushing, struct error *err)
{
	struct strbuf selector = STRBUF_INIT;
	int rc;

	recording_selector(pushing, pushing->id, &selector);
	rc = check_pieces(pushing, selector.data, err);
	for (size_t i = 0; i < pushing->recording->profile->type_count && !rc; i++)
		rc = check_total(pushing, i, err);
	strbuf_release(&selector);
	return rc;
}

/* ---- a recording -------------------------------------------------------------------------- */

static int push_and_check(struct pushing *pushing, struct error *err)
{
	bool newer;
	int rc = find_newer(pushing, &newer, err);

	if (!rc && newer) {
		store_progress(pushing->store, "%s: the server has this recording, or a newer one",
			pushing->recording->benchmark);
		return ERR_OK;
	}
	if (!rc)
		rc = push_rounds(pushing, err);
	if (!rc)
		rc = check_stored(pushing, err);
	if (!rc)
		store_progress(pushing->store, "%s: pushed %zu profiles",
			pushing->recording->benchmark, pushing->pieces);
	return rc;
}

static int put_recording(struct store *store, const struct recording *recording, unsigned *attempts,
	struct error *err)
{
	struct pushing pushing = {.store = store,
		.data = store->data,
		.recording = recording,
		.arena = ARENA_INIT,
		.totals = xcalloc(recording->profile->type_count, sizeof(int64_t)),
		.attempts = *attempts};
	int rc;

	labels_new_recording(pushing.id);
	pushing.piece = (struct piece_labels){
		.key = {recording->commit, recording->benchmark, recording->profile_type,
			recording_environment(recording, &pushing.arena)},
		.branch = recording->branch && *recording->branch ? recording->branch
								  : store->options.branch,
		.recording = pushing.id,
		.time_ns = recording->time_ns,
		.pushed_ns = instant_now(),
		.rounds = (uint32_t)recording->round_count};
	rc = push_and_check(&pushing, err);
	if (rc)
		error_prefix(err, "benchmark %s", recording->benchmark);
	*attempts = pushing.attempts;
	free(pushing.totals);
	arena_release(&pushing.arena);
	return rc;
}

int pyroscope_store_put(struct store *store, const struct recording *const *recordings,
	size_t count, unsigned *attempts, struct error *err)
{
	int rc = ERR_OK;

	*attempts = 1;
	for (size_t i = 0; i < count && !rc; i++)
		rc = put_recording(store, recordings[i], attempts, err);
	return rc;
}
