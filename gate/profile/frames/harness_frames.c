/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/frames/harness_frames.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define MOST_PREFIXES 4

static const struct {
	const char *name;
	const char *prefixes[MOST_PREFIXES];
} harnesses[] = {
	{"(google-benchmark)", {"benchmark::internal::", "benchmark::RunSpecifiedBenchmarks"}},
	{"(Catch2)", {"Catch::"}}, {"(nanobench)", {"ankerl::nanobench::"}},
	{"(criterion)", {"criterion::", "<criterion::"}}, {"(divan)", {"divan::", "<divan::"}},
	{"(testing)", {"testing."}}, /* Go's; another package of that name has a path before it */
};
#define HARNESS_COUNT (sizeof(harnesses) / sizeof(harnesses[0]))
#define NO_HARNESS HARNESS_COUNT

/* By which a harness calls its own functions; elsewhere they are the program's. */
static const char *const glue[] = {"core::ops::function::", "<alloc::boxed::Box<", "std::__invoke",
	"std::invoke", "std::function<", "std::_Function_handler<",
	"std::sys::backtrace::", "std::panicking::", "std::panic::", "__rust_try"};

/* A template's name begins with its type: "void a::b<int>(...)". */
static const char *without_type(const char *name)
{
	const char *space = strchr(name, ' ');

	return space && space < name + strcspn(name, "<([") ? space + 1 : name;
}

static bool begins_with(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

static size_t harness_of_name(const char *name)
{
	const char *own = without_type(name);

	for (size_t i = 0; i < HARNESS_COUNT; i++)
		for (size_t k = 0; k < MOST_PREFIXES && harnesses[i].prefixes[k]; k++)
			if (begins_with(own, harnesses[i].prefixes[k]))
				return i;
	return NO_HARNESS;
}

static bool is_glue(const char *name)
{
	const char *own = without_type(name);

	for (size_t i = 0; i < sizeof(glue) / sizeof(glue[0]); i++)
		if (begins_with(own, glue[i]))
			return true;
	return false;
}

/* Whose a frame is with all that is inlined in it; *is_program: there is something else in it. */
static size_t harness_of_frame(const struct profile *profile, uint32_t location, bool *is_program)
{
	const struct profile_location *place = &profile->locations[location];
	size_t harness = NO_HARNESS;

	*is_program = false;
	for (uint32_t i = 0; i < place->line_count; i++) {
		const char *name = profile->functions[place->lines[i].function].name;
		size_t own = harness_of_name(name);

		if (own == NO_HARNESS)
			*is_program |= !is_glue(name);
		else if (harness == NO_HARNESS)
			harness = own;
		else
			*is_program |= harness != own;
	}
	return harness;
}

struct harness_frames harness_frames_find(
	const struct profile *profile, const uint32_t *locations, uint32_t depth, uint32_t from)
{
	struct harness_frames found = {.count = 0};
	size_t current = NO_HARNESS;

	/* The leaf is what the sample was taken in. */
	for (uint32_t i = from ? from : 1; i < depth; i++) {
		bool is_program;
		size_t harness = harness_of_frame(profile, locations[i], &is_program);

		if (current != NO_HARNESS &&
			(is_program || (harness != NO_HARNESS && harness != current))) {
			if (found.count > 1)
				break;
			current = NO_HARNESS;
		}
		if (is_program || harness == NO_HARNESS)
			continue;
		if (current == NO_HARNESS)
			found = (struct harness_frames){
				.first = i, .name = harnesses[harness].name};
		current = harness;
		found.count = i - found.first + 1;
	}
	return found.count > 1 ? found : (struct harness_frames){.count = 0};
}
