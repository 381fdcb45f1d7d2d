/* SPDX-License-Identifier: Apache-2.0 */
#include "report/words/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/arena.h"
#include "gate/base/map.h"
#include "gate/check/result.h"
#include "report/words/figure.h"
#include "report/words/words.h"

static const enum result_status by_severity[GROUP_STATUSES] = {
	RESULT_FAIL, RESULT_ERROR, RESULT_WARN, RESULT_NEUTRAL, RESULT_PASS};

bool groups_are_worth_it(const struct result *result)
{
	return result->benchmark_count >= GROUPS_FROM;
}

static size_t rank_of(enum result_status status)
{
	size_t rank = 0;

	while (rank < GROUP_STATUSES - 1 && by_severity[rank] != status)
		rank++;
	return rank;
}

static double change_of(const struct result_benchmark *benchmark)
{
	return isfinite(benchmark->total.change) ? benchmark->total.change : 0;
}

/* ---- order --------------------------------------------------------------------------------- */

/* One benchmark with all that it is sorted by. */
struct place {
	size_t index, group, rank;
	double change;
};

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->change != b->change)
		return a->change > b->change ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

static size_t worst_of(const struct benchmark_group *group)
{
	size_t rank = 0;

	while (rank < GROUP_STATUSES - 1 && !group->with[by_severity[rank]])
		rank++;
	return rank;
}

static int compare_groups(const void *left, const void *right)
{
	const struct benchmark_group *a = left, *b = right;
	size_t common = a->name_length < b->name_length ? a->name_length : b->name_length;
	size_t worst_a = worst_of(a), worst_b = worst_of(b);
	int order;

	if (worst_a != worst_b)
		return worst_a < worst_b ? -1 : 1;
	order = memcmp(a->name, b->name, common);
	return order ? order
		     : (a->name_length > b->name_length) - (a->name_length < b->name_length);
}

/* ---- making them --------------------------------------------------------------------------- */

/* Names without a slash are one group, "". */
static size_t group_length(const char *name)
{
	const char *slash = strchr(name, '/');

	return slash ? (size_t)(slash - name) : 0;
}

static void count_member(struct benchmark_groups *groups, struct map *known,
	const struct result_benchmark *benchmark, struct place *place)
{
	size_t length = group_length(benchmark->name);
	bool is_new;
	uint32_t number =
		map_intern(known, benchmark->name, length, (uint32_t)groups->count, &is_new);
	struct benchmark_group *group = &groups->items[number];

	if (is_new) {
		*group = (struct benchmark_group){.name = benchmark->name, .name_length = length};
		groups->count++;
	}
	group->count++;
	if ((size_t)benchmark->status < GROUP_STATUSES)
		group->with[benchmark->status]++;
	place->group = number;
	place->rank = rank_of(benchmark->status);
	place->change = change_of(benchmark);
}

static void set_members(struct benchmark_groups *groups, const struct place *places)
{
	size_t at = 0;

	for (size_t i = 0; i < groups->count; i++) {
		struct benchmark_group *group = &groups->items[i];

		group->members = groups->order + at;
		for (size_t k = 0; k < group->count; k++, at++)
			groups->order[at] = places[at].index;
	}
}

void groups_make(const struct result *result, struct benchmark_groups *out)
{
	size_t count = result->benchmark_count;
	struct place *places = xcalloc(count + 1, sizeof(*places));
	struct map known;

	*out = (struct benchmark_groups){
		.items = xcalloc(count + 1, sizeof(*out->items)),
		.order = xcalloc(count + 1, sizeof(*out->order)),
	};
	map_init(&known);
	for (size_t i = 0; i < count; i++) {
		places[i].index = i;
		count_member(out, &known, &result->benchmarks[i], &places[i]);
	}
	map_release(&known);
	qsort(places, count, sizeof(*places), compare_places);
	set_members(out, places);
	qsort(out->items, out->count, sizeof(*out->items), compare_groups);
	free(places);
}

void groups_release(struct benchmark_groups *groups)
{
	free(groups->items);
	free(groups->order);
}

/* ---- words --------------------------------------------------------------------------------- */

void group_add_counts(struct strbuf *out, const struct benchmark_group *group)
{
	const char *before = ": ";

	figure_plural(out, group->count, "benchmark");
	for (size_t i = 0; i < GROUP_STATUSES; i++) {
		size_t with = group->with[by_severity[i]];

		if (!with)
			continue;
		strbuf_addstr(out, before);
		figure_count(out, with);
		strbuf_addf(out, " %s", word_status(by_severity[i]));
		before = ", ";
	}
}

void group_add_title(struct strbuf *out, const struct benchmark_group *group)
{
	strbuf_add(out, group->name, group->name_length);
	strbuf_addstr(out, group->name_length ? ": " : "");
	group_add_counts(out, group);
}

const char *group_member_name(
	const struct benchmark_group *group, const struct result_benchmark *benchmark)
{
	return benchmark->name + (group->name_length ? group->name_length + 1 : 0);
}
