/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roundtrip STORE_URL BENCHMARK TYPE [SAMPLES]: pushes a recording with everything that a profile
 * can hold, pulls it again, and prints what came back and what did not; which of it is as it should
 * be depends on the server, so the shell test decides.
 *
 *   commit ID                          find yes | no          entries N
 *   description | blocks | types       kept | changed
 *   values | names | files | ...       of the stacks, by block: kept | changed
 *   name "BEFORE" -> "AFTER"           of each function whose name changed
 *   comments N -> N                    labels N -> N          but for "block"
 *   sum N                              of the recording's own values
 *   loss SENTENCE                      what the store says of itself
 *
 * SAMPLES adds so many stacks that do not compress, for what is too large for some ways of
 * transport.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/store.h"
#include "gate/base/map.h"
#include "gate/base/process.h"
#include "gate/bench/recording_json.h"
#include "tests/unit/baseline/recordings.h"

/* ---- what is pushed ------------------------------------------------------------------------- */

static const int64_t extra_values[3] = {1, 1000000, 1000000};

static void add_extra(struct recording *recording, uint32_t location)
{
	bool is_cpu = strcmp(recording->profile_type, RECORDING_TYPE_CPU) == 0;
	const struct profile_label labels[] = {
		{PROFILE_LABEL_BLOCK, NULL, 0, ""}, {"thread", "worker", 0, NULL}};
	const struct profile_sample sample = {&location, 1, extra_values, labels, 2};

	profile_add_sample(recording->profile, &sample);
	if (!is_cpu)
		return;
	recording->blocks[0].samples++;
	recording->blocks[0].complete++;
	recording->blocks[0].sampled_seconds += 0.001;
	recording->blocks[0].cpu_seconds += 0.001;
}

/* Frames inlined into others, names demangled and not, and one that is not UTF-8. */
static void add_oddities(struct recording *recording)
{
	struct profile *profile = recording->profile;
	const struct profile_function functions[] = {
		{"ns::parse(std::string const&)", "_ZN2ns5parseERKSs", "src/parse.cc", 40},
		{"skip_blanks", "", "src/parse.h", 12},
		{"latin\xe9", "latin_symbol", "src/odd.c", 7},
		{"_ZN2ns4scanEi", "_ZN2ns4scanEi", "src/parse.cc", 60}};
	const struct profile_mapping mapping = {"/build/bin/bench", "0123456789abcdef", 0x400000,
		0x600000, 0, true, true, true, true};
	struct profile_line lines[2] = {{profile_add_function(profile, &functions[1]), 14},
		{profile_add_function(profile, &functions[0]), 44}};
	struct profile_line odd[2] = {{profile_add_function(profile, &functions[2]), 8},
		{profile_add_function(profile, &functions[3]), 61}};
	uint32_t mapped = profile_add_mapping(profile, &mapping);

	add_extra(recording, profile_add_location(profile,
				     &(struct profile_location){mapped, 0x2000, lines, 2, false}));
	add_extra(recording, profile_add_location(profile,
				     &(struct profile_location){mapped, 0x3000, odd, 2, false}));
	profile_add_comment(profile, "a comment");
}

static void add_bulk(struct recording *recording, size_t samples)
{
	uint64_t state = 1;
	char name[1025];

	for (size_t i = 0; i < samples; i++) {
		struct profile_function function = {name, "", "src/bulk.c", 1};
		struct profile_line line = {0, 2};

		for (size_t j = 0; j < 1024; j += 16)
			snprintf(name + j, 17, "%016" PRIx64, recordings_random(&state));
		line.function = profile_add_function(recording->profile, &function);
		add_extra(recording, profile_add_location(recording->profile,
					     &(struct profile_location){PROFILE_NO_MAPPING,
						     0x10000 + i, &line, 1, false}));
	}
}

static struct recording make(const char *benchmark, const char *type, size_t samples)
{
	const struct recordings_options options = {
		.seed = hash_bytes(benchmark, strlen(benchmark), 7),
		.benchmark = benchmark,
		.type = type,
		.counted_scale = INT64_C(1) << 50}; /* past what a double holds */
	struct recording recording = recordings_make(&options);

	add_oddities(&recording);
	add_bulk(&recording, samples);
	return recording;
}

/* ---- what came back ------------------------------------------------------------------------- */

enum aspect {
	VALUES,
	NAMES,
	SYSTEM_NAMES,
	FILES,
	LINES,
	START_LINES,
	ADDRESSES,
	MODULES,
	BUILD_IDS,
	RANGES
};
static const char *const aspect_names[] = {"values", "names", "system_names", "files", "lines",
	"start_lines", "addresses", "modules", "build_ids", "ranges"};
#define ASPECTS (sizeof(aspect_names) / sizeof(aspect_names[0]))

static const char *system_name(const struct profile_function *function)
{
	return *function->system_name ? function->system_name : function->name;
}

static void add_module(const struct profile *profile, const struct profile_location *location,
	enum aspect aspect, struct strbuf *out)
{
	static const struct profile_mapping none = {.file = "", .build_id = ""};
	const struct profile_mapping *mapping = location->mapping == PROFILE_NO_MAPPING
							? &none
							: &profile->mappings[location->mapping];

	if (aspect == MODULES)
		strbuf_addstr(out, mapping->file);
	else if (aspect == BUILD_IDS)
		strbuf_addstr(out, mapping->build_id);
	else if (aspect == RANGES)
		strbuf_addf(out, "%" PRIx64 "-%" PRIx64, mapping->start, mapping->limit);
}

static void add_frame(const struct profile *profile, const struct profile_location *location,
	const struct profile_line *line, enum aspect aspect, struct strbuf *out)
{
	const struct profile_function *function = &profile->functions[line->function];

	if (aspect == NAMES)
		strbuf_addstr(out, function->name);
	else if (aspect == SYSTEM_NAMES)
		strbuf_addstr(out, system_name(function));
	else if (aspect == FILES)
		strbuf_addstr(out, function->file);
	else if (aspect == LINES)
		strbuf_addf(out, "%" PRId64, line->line);
	else if (aspect == START_LINES)
		strbuf_addf(out, "%" PRId64, function->start_line);
	else if (aspect == ADDRESSES)
		strbuf_addf(out, "%" PRIx64, location->address);
	else
		add_module(profile, location, aspect, out);
	strbuf_addch(out, ';');
}

static void add_stack(const struct profile *profile, const struct profile_sample *sample,
	enum aspect aspect, struct strbuf *out)
{
	strbuf_addf(
		out, "block %" PRId64 ":", profile_sample_number(sample, PROFILE_LABEL_BLOCK, -1));
	for (uint32_t i = 0; i < sample->depth; i++) {
		const struct profile_location *location = &profile->locations[sample->locations[i]];

		for (uint32_t j = 0; j < location->line_count; j++)
			add_frame(profile, location, &location->lines[j], aspect, out);
	}
}

struct sums {
	struct map index;
	char **stacks;
	int64_t (*values)[3];
	size_t count, stack_capacity, value_capacity;
};

static void add_sums(struct sums *sums, const struct profile *profile,
	const struct profile_sample *sample, const struct strbuf *stack)
{
	bool added;
	uint32_t at =
		map_intern(&sums->index, stack->data, stack->length, (uint32_t)sums->count, &added);

	if (added) {
		sums->stacks = grow_array(sums->stacks, &sums->stack_capacity, sums->count + 1,
			sizeof(*sums->stacks));
		sums->values = grow_array(sums->values, &sums->value_capacity, sums->count + 1,
			sizeof(*sums->values));
		memset(sums->values[at], 0, sizeof(*sums->values));
		sums->stacks[sums->count++] = xstrdup(stack->data);
	}
	for (size_t i = 0; i < profile->type_count && i < 3; i++)
		sums->values[at][i] += sample->values[i];
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Samples that this aspect alone does not tell apart are summed up; sorted text. */
static char *describe(const struct profile *profile, enum aspect aspect)
{
	struct strbuf text = STRBUF_INIT;
	struct sums sums = {0};

	map_init(&sums.index);
	for (size_t i = 0; i < profile->sample_count; i++) {
		strbuf_reset(&text);
		add_stack(profile, &profile->samples[i], aspect, &text);
		add_sums(&sums, profile, &profile->samples[i], &text);
	}
	for (size_t i = 0; i < sums.count; i++) {
		strbuf_reset(&text);
		strbuf_addf(&text, "%s %" PRId64 " %" PRId64 " %" PRId64 "\n", sums.stacks[i],
			sums.values[i][0], sums.values[i][1], sums.values[i][2]);
		free(sums.stacks[i]);
		sums.stacks[i] = strbuf_detach(&text, NULL);
	}
	if (sums.count)
		qsort(sums.stacks, sums.count, sizeof(*sums.stacks), compare_strings);
	for (size_t i = 0; i < sums.count; i++) {
		strbuf_addstr(&text, sums.stacks[i]);
		free(sums.stacks[i]);
	}
	free(sums.stacks);
	free(sums.values);
	map_release(&sums.index);
	return strbuf_detach(&text, NULL);
}

static void tell(const char *what, bool kept)
{
	printf("%s %s\n", what, kept ? "kept" : "changed");
}

static void compare_stacks(const struct profile *before, const struct profile *after)
{
	for (size_t i = 0; i < ASPECTS; i++) {
		char *a = describe(before, (enum aspect)i), *b = describe(after, (enum aspect)i);

		tell(aspect_names[i], strcmp(a, b) == 0);
		free(a);
		free(b);
	}
}

static void compare_names(const struct profile *before, const struct profile *after)
{
	struct map names;

	map_init(&names);
	for (size_t i = 0; i < before->function_count; i++)
		map_put_str(&names, system_name(&before->functions[i]), (uint32_t)i);
	for (size_t i = 0; i < after->function_count; i++) {
		uint32_t at = map_get_str(&names, system_name(&after->functions[i]));

		if (at == MAP_NONE)
			printf("new name \"%s\"\n", after->functions[i].name);
		else if (strcmp(before->functions[at].name, after->functions[i].name) != 0)
			printf("name \"%s\" -> \"%s\"\n", before->functions[at].name,
				after->functions[i].name);
	}
	map_release(&names);
}

static bool same_types(const struct profile *a, const struct profile *b)
{
	bool same = a->type_count == b->type_count && a->default_type == b->default_type;

	for (size_t i = 0; same && i < a->type_count; i++)
		same = strcmp(a->types[i].type, b->types[i].type) == 0 &&
		       strcmp(a->types[i].unit, b->types[i].unit) == 0;
	return same;
}

static size_t count_labels(const struct profile *profile)
{
	size_t count = 0;

	for (size_t i = 0; i < profile->sample_count; i++)
		for (uint32_t j = 0; j < profile->samples[i].label_count; j++)
			count +=
				strcmp(profile->samples[i].labels[j].key, PROFILE_LABEL_BLOCK) != 0;
	return count;
}

/* recording.json: everything but the profile. */
static bool same_description(const struct recording *a, const struct recording *b)
{
	struct recording without_a = *a, without_b = *b;
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	bool same;

	without_a.block_count = without_b.block_count = 0;
	recording_encode(&without_a, &x);
	recording_encode(&without_b, &y);
	same = strcmp(x.data, y.data) == 0;
	strbuf_release(&x);
	strbuf_release(&y);
	return same;
}

static bool same_blocks(const struct recording *a, const struct recording *b)
{
	struct recording only_a = *b, only_b = *b;
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	bool same;

	only_a.blocks = a->blocks;
	only_a.block_count = a->block_count;
	recording_encode(&only_a, &x);
	recording_encode(&only_b, &y);
	same = strcmp(x.data, y.data) == 0;
	strbuf_release(&x);
	strbuf_release(&y);
	return same;
}

static void compare(const struct recording *before, const struct recording *after)
{
	int64_t sum = 0;
	int own = recording_value_type(after);

	tell("description", same_description(before, after));
	tell("blocks", same_blocks(before, after));
	tell("types", same_types(before->profile, after->profile));
	compare_stacks(before->profile, after->profile);
	compare_names(before->profile, after->profile);
	printf("comments %zu -> %zu\n", before->profile->comment_count,
		after->profile->comment_count);
	printf("labels %zu -> %zu\n", count_labels(before->profile), count_labels(after->profile));
	for (size_t i = 0; i < after->profile->sample_count; i++)
		sum += after->profile->samples[i].values[own];
	printf("sum %" PRId64 "\n", sum);
}

/* ---- the store ------------------------------------------------------------------------------ */

static int push(struct store *store, const struct recording *recording, struct error *err)
{
	unsigned attempts = 0;
	int rc = store_put(store, &recording, 1, &attempts, err);

	/* A second time changes nothing: neither a copy nor a doubled value. */
	return rc ? rc : store_put(store, &recording, 1, &attempts, err);
}

static int look(struct store *store, const struct recording *recording, struct error *err)
{
	const char *const commits[] = {
		"00000000000000000000000000000000000000ff", recording->commit};
	struct baseline_list list;
	bool found[2] = {true, false};
	size_t entries = 0;
	int rc = store_find(store, commits, 2, found, err);

	if (!rc)
		rc = store_list(store, recording->commit, true, &list, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < list.count; i++)
		entries += strcmp(list.entries[i].key.benchmark, recording->benchmark) == 0 &&
			   list.entries[i].blocks == recording->block_count &&
			   list.entries[i].time_ns == recording->time_ns;
	printf("commit %s\nfind %s\nentries %zu\n", recording->commit,
		found[1] && !found[0] ? "yes" : "no", entries);
	baseline_list_release(&list);
	return ERR_OK;
}

static int pull(struct store *store, const struct recording *recording, struct error *err)
{
	struct arena arena = ARENA_INIT;
	const struct baseline_key key = {recording->commit, recording->benchmark,
		recording->profile_type, recording_environment(recording, &arena)};
	const struct baseline_key elsewhere = {
		key.commit, key.benchmark, key.profile_type, "0000000000000000"};
	enum baseline_detail detail;
	struct recording back;
	int rc = store_get(store, &key, &back, &detail, err);

	if (!rc) {
		compare(recording, &back);
		recording_release(&back);
		rc = store_get(store, &elsewhere, &back, &detail, NULL);
		printf("elsewhere %s\n", rc == ERR_NOT_FOUND ? "nothing" : "something");
		rc = ERR_OK;
	}
	arena_release(&arena);
	return rc;
}

static void print_lines(struct store *store)
{
	for (const char *const *loss = store_losses(store); *loss; loss++)
		printf("loss %s\n", *loss);
	for (size_t i = 0; i < store_warnings(store)->count; i++)
		printf("warning %s\n", store_warnings(store)->items[i]);
}

int main(int argc, char **argv)
{
	struct store *store = NULL;
	struct recording recording;
	struct error err = {0};
	int rc;

	process_init();
	if (argc < 4)
		return 2;
	recording = make(argv[2], argv[3], argc > 4 ? strtoull(argv[4], NULL, 10) : 0);
	rc = store_open(argv[1], &(struct store_options){0}, &store, &err);
	if (!rc)
		rc = push(store, &recording, &err);
	if (!rc)
		rc = look(store, &recording, &err);
	if (!rc)
		rc = pull(store, &recording, &err);
	if (!rc)
		print_lines(store);
	else
		fprintf(stderr, "%s\n", err.message);
	store_close(store);
	recording_release(&recording);
	return rc ? error_exit_status(rc) : 0;
}
