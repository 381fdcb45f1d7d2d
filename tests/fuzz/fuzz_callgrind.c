/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer entry on the callgrind reader. Whatever is read keeps its sum: the samples add up to
 * the instructions that were counted, none is negative, and no stack is too deep.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "gate/base/error.h"
#include "gate/profile/callgrind/callgrind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Small, so that inputs reach them. */
static const struct callgrind_limits limits = {
	.max_bytes = (size_t)1 << 20,
	.max_functions = 200,
	.max_names = 400,
	.max_calls = 1000,
	.max_costs = 1000,
	.max_name_bytes = 200,
	.max_stacks = 100,
	.max_pieces = 500,
	.max_depth = 12,
};

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check(const struct callgrind *callgrind, const struct profile *profile)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];

		must(sample->values[0] > 0);
		must(sample->depth >= 1 && sample->depth <= limits.max_depth);
		sum += (uint64_t)sample->values[0];
		for (uint32_t d = 0; d < sample->depth; d++)
			must(sample->locations[d] < profile->location_count);
	}
	must(sum == callgrind_instructions(callgrind));
}

static void check_calls(const struct callgrind *callgrind)
{
	must(callgrind_calls_count(callgrind) <= limits.max_calls);
	for (size_t i = 0; i < callgrind_calls_count(callgrind); i++) {
		struct callgrind_calls calls = callgrind_calls_at(callgrind, i);

		must(calls.count > 0 && calls.caller && calls.callee && calls.caller_object &&
			calls.callee_object);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const prefixes[] = {"/work", NULL};
	const struct callgrind_options options = {.round = 1, .strip_prefixes = prefixes};
	struct callgrind *callgrind = callgrind_new(&limits);
	struct profile *profile = profile_new();
	struct error err;

	callgrind_keep_calls(callgrind);
	callgrind_is_format(data, size);
	if (callgrind_add(callgrind, data, size, "fuzz", &err) == ERR_OK) {
		must(callgrind_add_samples(callgrind, &options, profile, &err) == ERR_OK);
		check(callgrind, profile);
		check_calls(callgrind);
	}
	profile_free(profile);
	callgrind_free(callgrind);
	return 0;
}
