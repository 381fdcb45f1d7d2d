/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another name in the same surroundings. Of all pairs of a function with samples in base alone and
 * one with samples in head alone only those are looked at that share a caller, a callee or the
 * file; two become one where each is the other's best by far, their names are akin, and nothing
 * speaks against it. That chance alone took the samples from one and gave some to the other is far
 * likelier than a rename (on 19 changes of real programs 14 of 15 such pairs were no rename), so
 * only pairs are looked at of which each version's objects have just one.
 */
#include "gate/compare/match_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 3 /* a renamed caller is the surroundings of its callees */
#define MAX_SHARING                                                                                \
	32 /* functions with one caller or in one file; more say nothing, and cost much */
#define LEAST_SCORE 0.6
#define LEAST_LEAD 0.1
#define LEAST_NAME 0.3
#define LEAST_SIZE 0.25
#define MAX_NAME_BYTES 256
#define BIGRAMS 1024

enum edge_kind { EDGE_CALLER, EDGE_CALLEE, EDGE_FILE, EDGE_KINDS };

/* A function that is left and one that it calls, is called by, or a file that it is in. */
struct edge {
	uint32_t kind, other, item;
};

struct edge_list {
	struct edge *items; /* sorted by item, once complete */
	size_t count, capacity;
	struct map met;
};

struct renamer {
	struct candidates *all;
	struct edge_list edges[COMPARE_VERSIONS];
	struct edge *by_other; /* head's, sorted by kind and other */
};

/* ---- surroundings ---------------------------------------------------------------------------- */

static void add_edge(
	struct renamer *renamer, int version, enum edge_kind kind, uint32_t item, uint32_t other)
{
	struct edge_list *list = &renamer->edges[version];
	struct edge edge = {kind, other, item};
	bool added;

	if (!candidate_is_left(renamer->all, item, version) ||
		!candidate_is_replaced(renamer->all, item, version) || item == other)
		return;
	map_intern(&list->met, &edge, sizeof(edge), 0, &added);
	if (!added)
		return;
	list->items =
		grow_array(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = edge;
}

static uint32_t resolved(const struct candidates *all, int version, uint32_t function)
{
	return all->items[all->of[version][function]].joined;
}

static void add_call(struct renamer *renamer, int version, uint32_t caller, uint32_t callee)
{
	add_edge(renamer, version, EDGE_CALLER, callee, caller);
	add_edge(renamer, version, EDGE_CALLEE, caller, callee);
}

static void add_stack(struct renamer *renamer, int version, const struct profile_sample *sample)
{
	const struct profile *profile = renamer->all->profile[version];
	uint32_t caller = COMPARE_NONE;

	for (uint32_t i = sample->depth; i-- > 0;) {
		const struct profile_location *location = &profile->locations[sample->locations[i]];

		for (uint32_t k = location->line_count; k-- > 0;) {
			uint32_t callee =
				resolved(renamer->all, version, location->lines[k].function);

			if (caller != COMPARE_NONE)
				add_call(renamer, version, caller, callee);
			caller = callee;
		}
	}
}

static void add_files(struct renamer *renamer, int version, struct map *files)
{
	const struct candidates *all = renamer->all;

	for (uint32_t i = 0; i < all->count; i++) {
		const char *file = all->items[i].file;

		if (file[0] && candidate_is_left(all, i, version))
			add_edge(renamer, version, EDGE_FILE, i,
				map_intern(files, file, strlen(file),
					(uint32_t)files->count + (uint32_t)all->count, NULL));
	}
}

static int compare_u32(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int compare_by_item(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	if (a->item != b->item)
		return compare_u32(a->item, b->item);
	return a->kind != b->kind ? compare_u32(a->kind, b->kind) : compare_u32(a->other, b->other);
}

static int compare_by_other(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	if (a->kind != b->kind)
		return compare_u32(a->kind, b->kind);
	return a->other != b->other ? compare_u32(a->other, b->other)
				    : compare_u32(a->item, b->item);
}

static void sort_edges(struct edge *items, size_t count, int (*order)(const void *, const void *))
{
	if (count > 1)
		qsort(items, count, sizeof(*items), order);
}

static void find_surroundings(struct renamer *renamer)
{
	struct map files;

	map_init(&files);
	for (int version = 0; version < COMPARE_VERSIONS; version++) {
		const struct profile *profile = renamer->all->profile[version];

		map_init(&renamer->edges[version].met);
		for (size_t i = 0; i < profile->sample_count; i++)
			add_stack(renamer, version, &profile->samples[i]);
		add_files(renamer, version, &files);
		sort_edges(renamer->edges[version].items, renamer->edges[version].count,
			compare_by_item);
	}
	map_release(&files);
	renamer->by_other = xcalloc(renamer->edges[COMPARE_HEAD].count, sizeof(*renamer->by_other));
	if (renamer->edges[COMPARE_HEAD].count)
		memcpy(renamer->by_other, renamer->edges[COMPARE_HEAD].items,
			renamer->edges[COMPARE_HEAD].count * sizeof(*renamer->by_other));
	sort_edges(renamer->by_other, renamer->edges[COMPARE_HEAD].count, compare_by_other);
}

static void forget_surroundings(struct renamer *renamer)
{
	for (int version = 0; version < COMPARE_VERSIONS; version++) {
		map_release(&renamer->edges[version].met);
		free(renamer->edges[version].items);
		renamer->edges[version] = (struct edge_list){.count = 0};
	}
	free(renamer->by_other);
}

/* ---- likeness -------------------------------------------------------------------------------- */

/* The edges of an item, by kind. */
struct span {
	const struct edge *items;
	size_t count;
};

static struct span edges_of(const struct edge_list *list, uint32_t item)
{
	size_t low = 0, high = list->count, end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->items[middle].item < item)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < list->count && list->items[end].item == item;)
		end++;
	return (struct span){list->items + low, end - low};
}

/* Of each kind: how many both have, and how many either has. */
struct overlap {
	double both[EDGE_KINDS], either[EDGE_KINDS];
};

static void overlap_of(struct span a, struct span b, struct overlap *out)
{
	size_t i = 0, k = 0;

	memset(out, 0, sizeof(*out));
	while (i < a.count || k < b.count) {
		const struct edge *left = i < a.count ? &a.items[i] : NULL;
		const struct edge *right = k < b.count ? &b.items[k] : NULL;
		int order = !left                       ? 1
			    : !right                    ? -1
			    : left->kind != right->kind ? compare_u32(left->kind, right->kind)
							: compare_u32(left->other, right->other);

		out->either[order <= 0 ? left->kind : right->kind]++;
		if (order == 0)
			out->both[left->kind]++;
		i += order <= 0;
		k += order >= 0;
	}
}

static void count_bigrams(const char *name, int sign, int *bins)
{
	for (size_t i = 0; name[i] && name[i + 1] && i < MAX_NAME_BYTES; i++) {
		unsigned a = (unsigned)tolower((unsigned char)name[i]);
		unsigned b = (unsigned)tolower((unsigned char)name[i + 1]);

		bins[(a * 37 + b) % BIGRAMS] += sign;
	}
}

/* Dice's coefficient of the pairs of neighbouring characters. */
static double name_likeness(const char *a, const char *b)
{
	size_t a_length = strnlen(a, MAX_NAME_BYTES + 1), b_length = strnlen(b, MAX_NAME_BYTES + 1);
	int bins[BIGRAMS] = {0};
	size_t differing = 0, total;

	if (a_length < 2 || b_length < 2)
		return 0;
	count_bigrams(a, 1, bins);
	count_bigrams(b, -1, bins);
	for (size_t i = 0; i < BIGRAMS; i++)
		differing += (size_t)abs(bins[i]);
	total = a_length + b_length - 2;
	return differing >= total ? 0 : (double)(total - differing) / (double)total;
}

static double size_likeness(const struct candidate *base, const struct candidate *head)
{
	double a = base->bytes[COMPARE_BASE], b = head->bytes[COMPARE_HEAD];

	if (!(a > 0) || !(b > 0))
		return -1;
	return a < b ? a / b : b / a;
}

/* What is known of neither side has no weight. 0: they are not one. */
static double score_of(const struct renamer *renamer, uint32_t base, uint32_t head)
{
	static const double weights[EDGE_KINDS] = {0.25, 0.2, 0.15};
	const struct candidate *a = &renamer->all->items[base], *b = &renamer->all->items[head];
	double name = name_likeness(a->display, b->display), size = size_likeness(a, b);
	double sum = 0.4 * name, weight = 0.4;
	struct overlap overlap;

	if (name < LEAST_NAME || a->display[0] == '[' || b->display[0] == '[' ||
		(size >= 0 && size < LEAST_SIZE))
		return 0;
	overlap_of(edges_of(&renamer->edges[COMPARE_BASE], base),
		edges_of(&renamer->edges[COMPARE_HEAD], head), &overlap);
	if (overlap.either[EDGE_CALLER] > 0 && overlap.both[EDGE_CALLER] == 0)
		return 0;
	for (int kind = 0; kind < EDGE_KINDS; kind++) {
		if (!(overlap.either[kind] > 0))
			continue;
		/* A file is one: another one is as unlike as can be. */
		sum += weights[kind] * overlap.both[kind] / overlap.either[kind];
		weight += weights[kind];
	}
	if (size >= 0) {
		sum += 0.1 * size;
		weight += 0.1;
	}
	return sum / weight;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

struct best {
	uint32_t other;
	double score, second;
};

static void consider(struct best *best, uint32_t other, double score)
{
	if (other == best->other)
		return;
	if (score > best->score) {
		best->second = best->score;
		best->score = score;
		best->other = other;
	} else if (score > best->second) {
		best->second = score;
	}
}

static size_t first_sharing(const struct renamer *renamer, const struct edge *wanted)
{
	size_t low = 0, high = renamer->edges[COMPARE_HEAD].count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct edge *edge = &renamer->by_other[middle];

		if (edge->kind < wanted->kind ||
			(edge->kind == wanted->kind && edge->other < wanted->other))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool shares(const struct edge *a, const struct edge *b)
{
	return a->kind == b->kind && a->other == b->other;
}

static void consider_sharing(
	const struct renamer *renamer, const struct edge *edge, struct best *best)
{
	size_t count = renamer->edges[COMPARE_HEAD].count;
	size_t first = first_sharing(renamer, edge), end = first;

	while (end < count && end - first <= MAX_SHARING && shares(&renamer->by_other[end], edge))
		end++;
	if (end - first > MAX_SHARING)
		return;
	for (size_t i = first; i < end; i++) {
		uint32_t head = renamer->by_other[i].item;
		double score = score_of(renamer, edge->item, head);

		consider(&best[edge->item], head, score);
		consider(&best[head], edge->item, score);
	}
}

static bool is_clear(const struct best *best)
{
	return best->score >= LEAST_SCORE && best->score - best->second >= LEAST_LEAD;
}

/* How many were joined. */
static size_t join_best(struct renamer *renamer)
{
	struct candidates *all = renamer->all;
	struct best *best = xcalloc(all->count, sizeof(*best));
	size_t joined = 0;

	for (size_t i = 0; i < all->count; i++)
		best[i].other = COMPARE_NONE;
	for (size_t i = 0; i < renamer->edges[COMPARE_BASE].count; i++)
		consider_sharing(renamer, &renamer->edges[COMPARE_BASE].items[i], best);
	for (uint32_t i = 0; i < all->count; i++) {
		uint32_t head = best[i].other;

		if (!candidate_is_left(all, i, COMPARE_BASE) || head == COMPARE_NONE ||
			best[head].other != i || !is_clear(&best[i]) || !is_clear(&best[head]))
			continue;
		candidates_join(all, i, head, MATCHED_RENAMED,
			"a similar name with the same surroundings", best[i].score);
		joined++;
	}
	free(best);
	return joined;
}

static bool any_left(const struct candidates *all, int version)
{
	for (uint32_t i = 0; i < all->count; i++)
		if (candidate_is_left(all, i, version))
			return true;
	return false;
}

void match_renamed(struct candidates *all)
{
	size_t joined = 1;

	for (int round = 0; round < ROUNDS && joined; round++) {
		struct renamer renamer = {.all = all};

		if (!all->names || !any_left(all, COMPARE_BASE) || !any_left(all, COMPARE_HEAD))
			return;
		find_surroundings(&renamer);
		joined = join_best(&renamer);
		forget_surroundings(&renamer);
	}
}
