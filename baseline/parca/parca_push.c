/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings on their way to Parca: split and checked as a whole before anything is sent. */
#include "baseline/parca/parca_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/instant.h"
#include "baseline/server/split.h"
#include "gate/base/error.h"
#include "gate/bench/recording/recording.h"

#define MOST_TRIED 8 /* recordings that do not add up, before one more is pushed anyway */
#define MILLISECOND_NS INT64_C(1000000) /* what Parca counts in */

/* Parca takes profiles of any size; it gives back no more than 4 MiB by JSON, and proxies in front
 * of it have limits of their own. */
static const struct split_limits piece_limits = {
	.max_bytes = (size_t)4 << 20, .max_samples = 500000, .max_depth = 1024};

struct push {
	const struct recording *recording;
	const char *environment, *branch, *meta;
	struct split *splits; /* by round */
	int64_t pushed_ns;
	char id[LABELS_RECORDING_BYTES];
};

static void push_release(struct push *push)
{
	for (size_t i = 0; push->splits && i < push->recording->round_count; i++)
		split_release(&push->splits[i]);
	free(push->splits);
}

static void warn_of_cut_stacks(struct store *store, const struct push *push)
{
	size_t deep = 0;

	for (size_t i = 0; i < push->recording->round_count; i++)
		deep += push->splits[i].deep;
	if (deep)
		store_lines_add(&store->warnings,
			"%s: %zu stacks deeper than %zu frames lost their outermost ones",
			push->recording->benchmark, deep, piece_limits.max_depth);
}

static int push_prepare(struct store *store, const struct recording *recording, struct arena *arena,
	struct push *push, struct error *err)
{
	int64_t now = instant_now();
	int rc = labels_meta_encode(recording, arena, &push->meta, err);

	push->recording = recording;
	push->splits = xcalloc(recording->round_count, sizeof(*push->splits));
	push->pushed_ns = now - now % MILLISECOND_NS;
	push->environment = recording_environment(recording, arena);
	push->branch = *recording->branch ? recording->branch : store->options.branch;
	labels_new_recording(push->id);
	for (size_t i = 0; i < recording->round_count && !rc; i++)
		rc = split_round(recording, (uint32_t)i, push->pushed_ns, &piece_limits,
			&push->splits[i], err);
	if (rc)
		return error_prefix(err, "benchmark %s", recording->benchmark);
	warn_of_cut_stacks(store, push);
	return ERR_OK;
}

static struct baseline_key push_key(const struct push *push)
{
	return (struct baseline_key){push->recording->commit, push->recording->benchmark,
		push->recording->profile_type, push->environment};
}

static int push_piece(const struct parca *parca, const struct push *push, uint32_t round,
	uint32_t part, struct error *err)
{
	const struct split_piece *piece = &push->splits[round].pieces[part];
	const struct piece_labels described = {
		.key = push_key(push),
		.branch = push->branch,
		.recording = push->id,
		.time_ns = push->recording->time_ns,
		.pushed_ns = push->pushed_ns,
		.round = round,
		.rounds = (uint32_t)push->recording->round_count,
		.part = part,
		.parts = (uint32_t)push->splits[round].count,
		.sum = push->splits[round].totals[recording_value_type(push->recording)],
		.totals = push->recording->rounds[round],
		.meta = round || part ? "" : push->meta,
	};
	struct label all[LABELS_MAX + 1] = {{"__name__", split_profile_name(push->recording)}};
	struct arena arena = ARENA_INIT;
	struct label *labels;
	size_t count;
	int rc = labels_write(&described, &arena, &labels, &count, err);

	if (!rc) {
		memcpy(all + 1, labels, count * sizeof(*labels));
		rc = parca_write(
			parca, all, count + 1, piece->pprof.data, piece->pprof.length, err);
	}
	arena_release(&arena);
	return rc;
}

static int push_pieces(const struct parca *parca, const struct push *push, struct error *err)
{
	int rc = ERR_OK;

	for (uint32_t i = 0; i < push->recording->round_count && !rc; i++)
		for (uint32_t j = 0; j < push->splits[i].count && !rc; j++)
			rc = push_piece(parca, push, i, j, err);
	return rc;
}

static bool is_as_new(const struct piece_group *group, int64_t time_ns)
{
	return group->complete && instant_rank(group->pieces->time_ns) >= time_ns;
}

/* Is there a whole recording among them, at least as new as ours? */
static bool has_recording(struct piece_list *pieces, int64_t time_ns)
{
	bool found = false;
	size_t count;
	const struct piece_group *groups = piece_list_group(pieces, &count);

	for (size_t i = 0; i < count; i++)
		found |= is_as_new(&groups[i], time_ns);
	return found;
}

/* What the server has of one recording, over all rounds. */
struct stock {
	const struct parca *parca;
	struct parca_wanted wanted;
	int64_t sum;
};

static int add_type(void *data, const struct parca_type *type, struct error *err)
{
	struct stock *stock = data;

	return parca_sum_type(stock->parca, type, &stock->wanted, &stock->sum, err);
}

/* A push that was doubled on its way is whole too, and must not stand in for another one. */
static int adds_up(const struct parca *parca, const struct push *push,
	const struct piece_group *group, bool *found, struct error *err)
{
	struct stock stock = {
		parca, {.key = push_key(push), .recording = group->pieces->recording}, 0};
	int rc = parca_each_type(parca, push->recording->profile_type, add_type, &stock, err);

	*found = !rc && stock.sum == piece_group_sum(group);
	return rc;
}

static int is_there(
	const struct parca *parca, const struct push *push, bool *found, struct error *err)
{
	const struct parca_wanted same = {.key = push_key(push)};
	struct piece_list pieces = {.arena = ARENA_INIT};
	const struct piece_group *groups = NULL;
	size_t count, tried = 0;
	int rc = parca_ask(parca, &same, &pieces, err);

	if (!rc)
		groups = piece_list_group(&pieces, &count);
	for (size_t i = 0; !rc && !*found && i < count && tried < MOST_TRIED; i++) {
		if (!is_as_new(&groups[i], push->recording->time_ns))
			continue;
		tried++;
		rc = adds_up(parca, push, &groups[i], found, err);
	}
	piece_list_release(&pieces);
	return rc;
}

/* ---- what has arrived ----------------------------------------------------------------------- */

struct arrival {
	const struct parca *parca;
	struct parca_wanted wanted;
	struct piece_list pieces;
	int64_t sum;
};

static int look_at_type(void *data, const struct parca_type *type, struct error *err)
{
	struct arrival *arrival = data;
	int rc = parca_ask_type(arrival->parca, type, &arrival->wanted, &arrival->pieces, err);

	return rc ? rc : parca_sum_type(arrival->parca, type, &arrival->wanted, &arrival->sum, err);
}

static int64_t pushed_sum(const struct push *push)
{
	int own = recording_value_type(push->recording);
	uint64_t sum = 0; /* past the end it wraps around, as the server's does */

	for (size_t i = 0; i < push->recording->round_count; i++)
		sum += (uint64_t)push->splits[i].totals[own];
	return (int64_t)sum;
}

static int push_verify(struct store *store, const struct push *push, struct error *err)
{
	struct arrival arrival = {.parca = store->data,
		.wanted = {.key = push_key(push), .recording = push->id},
		.pieces = {.arena = ARENA_INIT}};
	int rc = parca_each_type(
		store->data, push->recording->profile_type, look_at_type, &arrival, err);

	if (!rc && !has_recording(&arrival.pieces, push->recording->time_ns))
		rc = error_set(err, ERR_TOOL,
			"%s took the recording of %s but does not have all of it: look at the "
			"server's log and its retention, and push again",
			store->name, push->recording->benchmark);
	else if (!rc && arrival.sum != pushed_sum(push))
		rc = error_set(err, ERR_TOOL, "%s has %" PRId64 " of %s instead of %" PRId64 "%s",
			store->name, arrival.sum, push->recording->benchmark, pushed_sum(push),
			arrival.sum > pushed_sum(push)
				? ": does a proxy in front of it repeat requests?"
				: "");
	piece_list_release(&arrival.pieces);
	return rc;
}

/* The same recording once more would only be a second copy, and an older one is never looked at. */
static int push(struct store *store, const struct push *push, struct error *err)
{
	bool found = false;
	int rc = is_there(store->data, push, &found, err);

	if (rc || found)
		return rc;
	store_progress(store, "pushing %s (%s) to %s", push->recording->benchmark,
		push->recording->profile_type, store->name);
	rc = push_pieces(store->data, push, err);
	return rc ? rc : push_verify(store, push, err);
}

int parca_put(struct store *store, const struct recording *const *recordings, size_t count,
	unsigned *attempts, struct error *err)
{
	struct push *pushes = xcalloc(count, sizeof(*pushes));
	struct arena arena = ARENA_INIT;
	int rc = ERR_OK;

	for (size_t i = 0; i < count && !rc; i++)
		rc = push_prepare(store, recordings[i], &arena, &pushes[i], err);
	for (size_t i = 0; i < count && !rc; i++)
		rc = push(store, &pushes[i], err);
	if (!rc)
		*attempts = 1;
	for (size_t i = 0; i < count; i++)
		push_release(&pushes[i]);
	free(pushes);
	arena_release(&arena);
	return rc;
}
