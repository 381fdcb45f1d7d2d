/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/calls/calls_pick.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/map.h"
#include "gate/base/strbuf.h"
#include "gate/profile/ifunc_variant.h"

/* Calls in a run, and the instructions of all of them. */
struct tally {
	double calls, instructions;
};

/* A function of either version: a row of the comparison, or one that no CPU profile has. */
struct party {
	const char *name[VERSION_COUNT], *file[VERSION_COUNT];
	struct tally called[VERSION_COUNT][CALL_SITES_RUNS]; /* by all callers */
	double below[VERSION_COUNT][CALL_SITES_RUNS];        /* instructions of what it calls */
	bool runs[VERSION_COUNT]; /* as a function of its own, or a part of one */
	bool in_tree;             /* of a CPU profile */
	bool wanted;              /* its number of calls is */
};

struct edge {
	uint32_t caller, callee;
	struct tally calls[VERSION_COUNT][CALL_SITES_RUNS];
	bool wanted;
};

struct picker {
	const struct analysis *analysis;
	const struct counted_calls *counted;
	struct arena arena;
	struct map by_name[VERSION_COUNT];    /* of the CPU profile's functions -> party */
	struct map by_variant[VERSION_COUNT]; /* of those of libc for one processor -> party */
	struct map others, edge_index;
	struct party *parties;
	size_t party_count, party_capacity;
	struct edge *edges;
	size_t edge_count, edge_capacity;
};

/* ---- who is who ---------------------------------------------------------------------------- */

static void write_key(struct strbuf *key, const struct profile_function *function)
{
	strbuf_reset(key);
	strbuf_add(key, function->name, strlen(function->name) + 1);
	strbuf_addstr(key, function->file);
}

static struct party *add_party(struct picker *picker)
{
	picker->parties = grow_array(picker->parties, &picker->party_capacity,
		picker->party_count + 1, sizeof(*picker->parties));
	picker->parties[picker->party_count] = (struct party){0};
	return &picker->parties[picker->party_count++];
}

static void add_rows(struct picker *picker)
{
	const struct function_matches *matches = &picker->analysis->comparison.matches;

	for (size_t i = 0; i < matches->count; i++) {
		const struct matched_function *row = &matches->functions[i];
		struct party *party = add_party(picker);

		party->in_tree = true;
		party->name[VERSION_BASE] = row->base_name;
		party->name[VERSION_HEAD] = row->name;
		for (int version = 0; version < VERSION_COUNT; version++)
			party->file[version] = row->file[version];
	}
}

/* Two that run in one version cannot be told apart in the other processor's calls: then neither. */
static void know_variant(struct map *variants, const char *name, uint32_t row)
{
	struct strbuf common = STRBUF_INIT;

	if (ifunc_variant_common(&common, name) &&
		map_intern(variants, common.data, common.length, row, NULL) != row)
		map_put(variants, common.data, common.length, MAP_NONE);
	strbuf_release(&common);
}

static void know_names(struct picker *picker, int version)
{
	const struct profile *profile = picker->analysis->recordings[version]->profile;
	const uint32_t *rows = picker->analysis->comparison.matches.of[version];
	struct strbuf key = STRBUF_INIT;

	map_init(&picker->by_name[version]);
	map_init(&picker->by_variant[version]);
	for (size_t i = 0; i < profile->function_count; i++) {
		if (rows[i] == COMPARE_NONE)
			continue;
		write_key(&key, &profile->functions[i]);
		map_intern(&picker->by_name[version], key.data, key.length, rows[i], NULL);
		know_variant(&picker->by_variant[version], profile->functions[i].name, rows[i]);
	}
	strbuf_release(&key);
}

static uint32_t other_party(
	struct picker *picker, const struct strbuf *key, const struct profile_function *function)
{
	struct party *party;
	bool added;
	uint32_t id = map_intern(
		&picker->others, key->data, key->length, (uint32_t)picker->party_count, &added);

	if (!added)
		return id;
	party = add_party(picker);
	for (int version = 0; version < VERSION_COUNT; version++) {
		party->name[version] = arena_strdup(&picker->arena, function->name);
		party->file[version] = arena_strdup(&picker->arena, function->file);
	}
	return id;
}

/* Of a version's CPU profile: by its name, or of libc as the real processor runs it. */
static uint32_t sampled_row(const struct picker *picker, int version, const struct strbuf *key,
	const struct profile_function *function)
{
	struct strbuf common = STRBUF_INIT;
	uint32_t row = map_get(&picker->by_name[version], key->data, key->length);

	if (row == MAP_NONE && ifunc_variant_common(&common, function->name))
		row = map_get(&picker->by_variant[version], common.data, common.length);
	strbuf_release(&common);
	return row;
}

/* One that only the other version spent time in runs here too, if too short to be sampled. */
static uint32_t unsampled_row(const struct picker *picker, int version, const struct strbuf *key,
	const struct profile_function *function)
{
	const struct matched_function *rows = picker->analysis->comparison.matches.functions;
	uint32_t row = sampled_row(picker, !version, key, function);
	enum match_kind only = version == VERSION_BASE ? MATCHED_NEW : MATCHED_VANISHED;

	return row != MAP_NONE && rows[row].kind == only ? row : MAP_NONE;
}

static uint32_t party_of(
	struct picker *picker, int version, const struct profile_function *function)
{
	struct strbuf key = STRBUF_INIT;
	uint32_t id;

	write_key(&key, function);
	id = sampled_row(picker, version, &key, function);
	if (id == MAP_NONE) {
		id = unsampled_row(picker, version, &key, function);
		if (id == MAP_NONE)
			id = other_party(picker, &key, function);
		else
			picker->parties[id].file[version] = picker->parties[id].file[!version];
	}
	strbuf_release(&key);
	return id;
}

/* ---- calls --------------------------------------------------------------------------------- */

static struct edge *edge_of(struct picker *picker, uint32_t caller, uint32_t callee)
{
	const uint32_t key[] = {caller, callee};
	bool added;
	uint32_t id = map_intern(
		&picker->edge_index, key, sizeof(key), (uint32_t)picker->edge_count, &added);

	if (!added)
		return &picker->edges[id];
	picker->edges = grow_array(picker->edges, &picker->edge_capacity, picker->edge_count + 1,
		sizeof(*picker->edges));
	picker->edges[picker->edge_count] = (struct edge){.caller = caller, .callee = callee};
	return &picker->edges[picker->edge_count++];
}

static void add_tally(struct tally *sum, const struct tally *calls)
{
	sum->calls += calls->calls;
	sum->instructions += calls->instructions;
}

static void add_calls(struct picker *picker, int version, const struct profile_sample *sample)
{
	const struct counted_calls *counted = &picker->counted[version];
	const struct profile *profile = counted->profile;
	const struct profile_location *at = &profile->locations[sample->locations[0]];
	const struct profile_location *from = &profile->locations[sample->locations[1]];
	int64_t run = profile_sample_number(sample, PROFILE_LABEL_ROUND, 0);
	uint32_t callee = party_of(
		picker, version, &profile->functions[at->lines[at->line_count - 1].function]);
	uint32_t caller = party_of(picker, version, &profile->functions[from->lines[0].function]);
	struct tally calls = {(double)sample->values[0] / counted->iterations[run],
		(double)sample->values[1] / counted->iterations[run]};

	add_tally(&edge_of(picker, caller, callee)->calls[version][run], &calls);
	add_tally(&picker->parties[callee].called[version][run], &calls);
	picker->parties[caller].below[version][run] += calls.instructions;
	picker->parties[callee].runs[version] = picker->parties[caller].runs[version] = true;
}

static void add_version(struct picker *picker, int version)
{
	const struct profile *profile = picker->counted[version].profile;

	for (size_t i = 0; i < profile->sample_count; i++)
		add_calls(picker, version, &profile->samples[i]);
}

/* ---- which are wanted ---------------------------------------------------------------------- */

struct candidate {
	struct edge *edge;
	bool in_tree;
	double most;
	uint32_t party;
};

static int by_weight(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->in_tree != b->in_tree)
		return a->in_tree ? -1 : 1;
	if (a->most != b->most)
		return a->most > b->most ? -1 : 1;
	return (a->party > b->party) - (a->party < b->party);
}

static double most_calls(const struct edge *edge)
{
	double most = 0;

	for (int version = 0; version < VERSION_COUNT; version++)
		for (int run = 0; run < CALL_SITES_RUNS; run++)
			if (edge->calls[version][run].calls > most)
				most = edge->calls[version][run].calls;
	return most;
}

/* The culprit's callers (or, the other way, its callees) that tell most. */
static void want_edges(struct picker *picker, uint32_t culprit, bool callers)
{
	struct candidate *candidates = xcalloc(picker->edge_count + 1, sizeof(*candidates));
	size_t count = 0;

	for (size_t i = 0; i < picker->edge_count; i++) {
		struct edge *edge = &picker->edges[i];
		uint32_t party = callers ? edge->caller : edge->callee;

		if ((callers ? edge->callee : edge->caller) == culprit)
			candidates[count++] = (struct candidate){
				edge, picker->parties[party].in_tree, most_calls(edge), party};
	}
	if (count)
		qsort(candidates, count, sizeof(*candidates), by_weight);
	for (size_t i = 0; i < count && i < CALLS_PICK_MOST; i++) {
		candidates[i].edge->wanted = true;
		picker->parties[candidates[i].party].wanted = true;
	}
	free(candidates);
}

static void want(struct picker *picker, uint32_t function)
{
	picker->parties[function].wanted = true;
	want_edges(picker, function, true);
	want_edges(picker, function, false);
}

static void want_functions(struct picker *picker)
{
	const struct analysis *analysis = picker->analysis;

	for (size_t i = 0; i < analysis->verdict.culprit_count; i++)
		want(picker, analysis->verdict.culprits[i].function);
	for (size_t i = 0; i < analysis->doubted_count; i++)
		want(picker, analysis->doubted[i]);
	for (size_t i = 0; i < analysis->giver_count; i++)
		want(picker, analysis->givers[i]);
}

/* ---- into the recordings ------------------------------------------------------------------- */

struct count_filler {
	const struct picker *picker;
	int version;
	struct call_counts *counts;
	size_t capacity;
};

/* caller NULL: all. */
static struct call_count *add_item(struct count_filler *filler, const struct party *caller,
	const struct party *callee, const struct tally calls[CALL_SITES_RUNS])
{
	const struct counted_calls *counted = &filler->picker->counted[filler->version];
	struct call_counts *counts = filler->counts;
	struct call_count item = {.caller = caller ? caller->name[filler->version] : "",
		.caller_file = caller ? caller->file[filler->version] : "",
		.callee = callee->name[filler->version],
		.callee_file = callee->file[filler->version]};

	for (unsigned run = 0; run < counted->runs; run++) {
		item.calls += calls[run].calls / counted->runs;
		item.instructions += calls[run].instructions / counted->runs;
		counts->exact &= calls[run].calls == calls[0].calls;
	}
	counts->items = grow_array(
		counts->items, &filler->capacity, counts->count + 1, sizeof(*counts->items));
	counts->items[counts->count] = item;
	return &counts->items[counts->count++];
}

static bool is_called(const struct tally calls[CALL_SITES_RUNS])
{
	for (int run = 0; run < CALL_SITES_RUNS; run++)
		if (calls[run].calls > 0)
			return true;
	return false;
}

static void add_total(struct count_filler *filler, const struct party *party)
{
	struct call_count *item = add_item(filler, NULL, party, party->called[filler->version]);
	unsigned runs = filler->picker->counted[filler->version].runs;

	item->own_instructions = item->instructions;
	for (unsigned run = 0; run < runs; run++)
		item->own_instructions -= party->below[filler->version][run] / runs;
	if (!(item->own_instructions > 0)) /* recursion counts what is below more than once */
		item->own_instructions = 0;
}

static void add_totals(struct count_filler *filler)
{
	const struct picker *picker = filler->picker;

	for (size_t i = 0; i < picker->party_count; i++) {
		const struct party *party = &picker->parties[i];

		if (party->wanted && is_called(party->called[filler->version]))
			add_total(filler, party);
	}
}

/* Where one of the two does not run as a function of its own, its calls may be inlined ones. */
static void add_edges(struct count_filler *filler)
{
	const struct picker *picker = filler->picker;
	int version = filler->version;

	for (size_t i = 0; i < picker->edge_count; i++) {
		const struct edge *edge = &picker->edges[i];
		const struct party *caller = &picker->parties[edge->caller];
		const struct party *callee = &picker->parties[edge->callee];

		if (edge->wanted &&
			(is_called(edge->calls[version]) ||
				(caller->runs[version] && is_called(callee->called[version]))))
			add_item(filler, caller, callee, edge->calls[version]);
	}
}

static int by_names(const void *left, const void *right)
{
	return call_count_compare(left, right);
}

static size_t name_bytes(const struct call_count *item)
{
	return strlen(item->caller) + strlen(item->caller_file) + strlen(item->callee) +
	       strlen(item->callee_file);
}

/* Sorted, each once, and owned by the arena. Two functions of one name and file are one. */
static void settle(struct call_counts *counts, struct arena *arena)
{
	struct call_count *items;
	size_t count = 0, bytes = 0;

	if (counts->count)
		qsort(counts->items, counts->count, sizeof(*counts->items), by_names);
	items = arena_array(arena, counts->count, sizeof(*items));
	for (size_t i = 0; i < counts->count; i++) {
		const struct call_count *from = &counts->items[i];

		if (count && call_count_compare(&items[count - 1], from) == 0) {
			items[count - 1].calls += from->calls;
			items[count - 1].instructions += from->instructions;
			items[count - 1].own_instructions += from->own_instructions;
			continue;
		}
		if (count == CALL_COUNTS_MAX || bytes + name_bytes(from) > CALL_COUNTS_MAX_BYTES)
			continue;
		bytes += name_bytes(from);
		items[count++] = (struct call_count){arena_strdup(arena, from->caller),
			arena_strdup(arena, from->caller_file), arena_strdup(arena, from->callee),
			arena_strdup(arena, from->callee_file), from->calls, from->instructions,
			from->own_instructions};
	}
	free(counts->items);
	counts->items = items;
	counts->count = count;
}

static void fill_version(const struct picker *picker, int version, struct recording *recording)
{
	const struct counted_calls *counted = &picker->counted[version];
	struct call_counts counts = {.engine = CALL_COUNTS_CALLGRIND,
		.exact = counted->runs == CALL_SITES_RUNS && !counted->lost,
		.runs = counted->runs,
		.why_not = ""};
	struct count_filler filler = {picker, version, &counts, 0};

	add_totals(&filler);
	add_edges(&filler);
	settle(&counts, &recording->arena);
	recording->calls = counts;
}

void calls_pick(const struct analysis *analysis, const struct counted_calls counted[VERSION_COUNT],
	struct recording recordings[VERSION_COUNT])
{
	struct picker picker = {.analysis = analysis, .counted = counted, .arena = ARENA_INIT};

	map_init(&picker.others);
	map_init(&picker.edge_index);
	add_rows(&picker);
	for (int version = 0; version < VERSION_COUNT; version++)
		know_names(&picker, version);
	for (int version = 0; version < VERSION_COUNT; version++)
		add_version(&picker, version);
	want_functions(&picker);
	for (int version = 0; version < VERSION_COUNT; version++)
		fill_version(&picker, version, &recordings[version]);
	for (int version = 0; version < VERSION_COUNT; version++)
		map_release(&picker.by_name[version]), map_release(&picker.by_variant[version]);
	map_release(&picker.others);
	map_release(&picker.edge_index);
	free(picker.parties);
	free(picker.edges);
	arena_release(&picker.arena);
}
