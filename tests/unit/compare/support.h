/* SPDX-License-Identifier: Apache-2.0 */
/* Builds small profiles from "main;parse;field 3" lines, for the tests of this room. */
#ifndef FG_TESTS_COMPARE_SUPPORT_H
#define FG_TESTS_COMPARE_SUPPORT_H

#include "gate/profile/code/function_names.h"
#include "gate/profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Every function lives in file ("name@file" overrides it), has its definition in line 10 and costs
 * in line 12 ("name#13": in line 13).
 */
static inline struct profile_line support_line(
	struct profile *profile, const char *frame, const char *file)
{
	char name[256];
	const char *at = strchr(frame, '@'), *number = strchr(frame, '#');
	size_t length = strcspn(frame, number && number[1] ? "@#" : "@");
	struct profile_function function = {
		.name = name, .system_name = "", .file = at ? at + 1 : file, .start_line = 10};
	struct profile_line line = {.line = number && number[1] ? atoll(number + 1) : 12};

	memcpy(name, frame, length);
	name[length] = '\0';
	line.function = profile_add_function(profile, &function);
	return line;
}

/* "outer|inner": inner is inlined into outer. */
static inline uint32_t support_location(
	struct profile *profile, const char *frames, const char *file)
{
	struct profile_line lines[8], reversed[8];
	struct profile_location location = {.mapping = PROFILE_NO_MAPPING, .lines = reversed};
	char copy[512], *frame, *rest = copy;

	memcpy(copy, frames, strlen(frames) + 1);
	while ((frame = strsep(&rest, "|")))
		lines[location.line_count++] = support_line(profile, frame, file);
	for (uint32_t i = 0; i < location.line_count; i++) {
		reversed[i] = lines[location.line_count - 1 - i];
		location.address = location.address * 1000003 + 0x1000 + reversed[i].function +
				   0x1000 * (uint64_t)reversed[i].line;
	}
	return profile_add_location(profile, &location);
}

/* One stack, outermost first, separated by ';', with as many values as the profile has types. */
static inline void support_sample(struct profile *profile, const char *stack, const char *file,
	const int64_t *values, int64_t round)
{
	uint32_t locations[64], reversed[64], depth = 0;
	char copy[512], *frame, *rest = copy;
	struct profile_label label = {.key = PROFILE_LABEL_ROUND, .number = round, .unit = ""};
	struct profile_sample sample = {.values = values, .labels = &label, .label_count = 1};

	memcpy(copy, stack, strlen(stack) + 1);
	while ((frame = strsep(&rest, ";")))
		locations[depth++] = support_location(profile, frame, file);
	for (uint32_t i = 0; i < depth; i++)
		reversed[i] = locations[depth - 1 - i];
	sample.locations = reversed;
	sample.depth = depth;
	profile_add_sample(profile, &sample);
}

/* `samples` samples of 1 ms each in this round. */
static inline void support_add(struct profile *profile, const char *stack, const char *file,
	int64_t samples, int64_t round)
{
	const int64_t values[3] = {samples, samples * 1000000, samples * 1000000};

	support_sample(profile, stack, file, values, round);
}

static inline struct profile *support_profile(void)
{
	struct profile *profile = profile_new();

	profile_add_type(profile, PROFILE_TYPE_SAMPLES, "count");
	profile_add_type(profile, PROFILE_TYPE_CPU, "nanoseconds");
	profile_add_type(profile, PROFILE_TYPE_CPU_SQUARES, "microseconds_squared");
	profile->default_type = 1;
	return profile;
}

static inline void support_add_entry(struct strbuf *digits, const char *name, const char *file)
{
	char entry[FUNCTION_NAME_DIGITS + 1], place[FUNCTION_NAME_DIGITS + 1];

	function_name_digits(name, entry);
	function_place_digits(entry, file, place);
	strbuf_addf(digits, "%s%s", entry, place);
}

/* Objects that have what the profile has samples of, and more: "name@file name@file". */
static inline void support_names(struct function_names *names, const struct profile *profile,
	const char *more, struct arena *arena)
{
	struct strbuf digits = STRBUF_INIT;
	char copy[256], *one, *rest = copy;

	snprintf(copy, sizeof(copy), "%s", more);
	for (size_t i = 0; i < profile->function_count; i++)
		support_add_entry(&digits, profile->functions[i].name, profile->functions[i].file);
	while ((one = strsep(&rest, " "))) {
		char *file = strchr(one, '@');

		if (!file)
			continue;
		*file = '\0';
		support_add_entry(&digits, one, file + 1);
	}
	function_names_finish(names, &digits, true, arena);
	strbuf_release(&digits);
}

#endif
