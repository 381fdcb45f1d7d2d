/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pull_profile URL [TYPE]: what source_read() gets from a URL, as lines that a shell test can read.
 *
 *   type [default] TYPE/UNIT SUM      of each value type
 *   function SELF TOTAL NAME          of TYPE, else of the default type
 *   note TEXT
 *
 * Exit status as flamegate's; the message of an error goes to stderr.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/source.h"
#include "gate/base/error.h"
#include "gate/base/process/process.h"

static void print_types(const struct profile *profile)
{
	for (size_t i = 0; i < profile->type_count; i++) {
		int64_t sum = 0;

		for (size_t j = 0; j < profile->sample_count; j++)
			sum += profile->samples[j].values[i];
		printf("type %s%s/%s %" PRId64 "\n", i == profile->default_type ? "default " : "",
			profile->types[i].type, profile->types[i].unit, sum);
	}
}

struct cost {
	int64_t self, total;
	size_t seen; /* in sample seen - 1 */
};

static void add_sample(const struct profile *profile, size_t index, size_t type, struct cost *costs)
{
	const struct profile_sample *sample = &profile->samples[index];
	int64_t value = sample->values[type];

	for (uint32_t i = 0; i < sample->depth; i++) {
		const struct profile_location *location = &profile->locations[sample->locations[i]];

		for (uint32_t j = 0; j < location->line_count; j++) {
			struct cost *cost = &costs[location->lines[j].function];

			if (!i && !j)
				cost->self += value;
			if (cost->seen != index + 1)
				cost->total += value;
			cost->seen = index + 1;
		}
	}
}

static void print_functions(const struct profile *profile, size_t type)
{
	struct cost *costs = calloc(profile->function_count + 1, sizeof(*costs));

	for (size_t i = 0; i < profile->sample_count; i++)
		add_sample(profile, i, type, costs);
	for (size_t i = 0; i < profile->function_count; i++)
		printf("function %" PRId64 " %" PRId64 " %s\n", costs[i].self, costs[i].total,
			profile->functions[i].name);
	free(costs);
}

int main(int argc, char **argv)
{
	struct store_lines notes = {.arena = ARENA_INIT};
	struct profile *profile;
	struct error err = {0};
	int type, rc;

	process_init();
	if (argc < 2)
		return 2;
	rc = source_read(argv[1], NULL, &profile, &notes, &err);
	if (rc) {
		fprintf(stderr, "%s\n", err.message);
		return error_exit_status(rc);
	}
	type = argc > 2 ? profile_find_type(profile, argv[2]) : (int)profile->default_type;
	print_types(profile);
	if (type >= 0)
		print_functions(profile, (size_t)type);
	for (size_t i = 0; i < notes.count; i++)
		printf("note %s\n", notes.items[i]);
	store_lines_release(&notes);
	profile_free(profile);
	return 0;
}
