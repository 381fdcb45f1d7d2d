/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/servers/roundtrip.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/map.h"
#include "gate/bench/recording/recording.h"
#include "gate/bench/recording/recording_json.h"
#include "gate/profile/profile.h"

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
		out, "round %" PRId64 ":", profile_sample_number(sample, PROFILE_LABEL_ROUND, -1));
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
				strcmp(profile->samples[i].labels[j].key, PROFILE_LABEL_ROUND) != 0;
	return count;
}

/* recording.json: everything but the profile. */
static bool same_description(const struct recording *a, const struct recording *b)
{
	struct recording without_a = *a, without_b = *b;
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	bool same;

	without_a.round_count = without_b.round_count = 0;
	recording_encode(&without_a, &x);
	recording_encode(&without_b, &y);
	same = strcmp(x.data, y.data) == 0;
	strbuf_release(&x);
	strbuf_release(&y);
	return same;
}

static bool same_rounds(const struct recording *a, const struct recording *b)
{
	struct recording only_a = *b, only_b = *b;
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	bool same;

	only_a.rounds = a->rounds;
	only_a.round_count = a->round_count;
	recording_encode(&only_a, &x);
	recording_encode(&only_b, &y);
	same = strcmp(x.data, y.data) == 0;
	strbuf_release(&x);
	strbuf_release(&y);
	return same;
}

void roundtrip_compare(const struct recording *before, const struct recording *after)
{
	int64_t sum = 0;
	int own = recording_value_type(after);

	tell("description", same_description(before, after));
	tell("rounds", same_rounds(before, after));
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
