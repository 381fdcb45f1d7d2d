/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/code.h"

#include "gate/compare/same_code.h"

#include <stdlib.h>

/* ---- noting ------------------------------------------------------------------------------------
 */

void code_note(struct recording *recording, const struct symbolizer *symbolizer)
{
	const struct profile *profile = recording->profile;

	recording->code =
		arena_array(&recording->arena, profile->function_count, sizeof(*recording->code));
	recording->code_count = 0;
	for (size_t i = 0; i < profile->function_count; i++) {
		struct symbolized_code code = symbolizer_code(symbolizer, &profile->functions[i]);

		if (code.hash[0] && recording->code_count < RECORDING_MAX_CODE)
			recording->code[recording->code_count++] =
				(struct recording_code){.function = (uint32_t)i,
					.bytes = code.bytes,
					.hash = arena_strdup(&recording->arena, code.hash)};
	}
}

void code_forget(struct session *session)
{
	for (size_t i = 0; i < session->benchmark_count; i++)
		for (int arm = 0; arm < ARM_COUNT; arm++)
			session->benchmarks[i].recordings[arm].code_count = 0;
}

/* ---- flags -------------------------------------------------------------------------------------
 */

/* [profile function] */
static const char **hashes_of(const struct recording *recording)
{
	size_t count = recording->profile->function_count;
	const char **hashes = xcalloc(count, sizeof(*hashes));

	for (size_t i = 0; i < recording->code_count; i++)
		if (recording->code[i].function < count)
			hashes[recording->code[i].function] = recording->code[i].hash;
	return hashes;
}

static void flag_same(const struct comparison *comparison,
	const struct recording *const recordings[ARM_COUNT], uint8_t *flags)
{
	const char **base = hashes_of(recordings[ARM_BASE]);
	const char **head = hashes_of(recordings[ARM_HEAD]);
	const struct code_of_arm arms[COMPARE_ARMS] = {
		{recordings[ARM_BASE]->profile, base}, {recordings[ARM_HEAD]->profile, head}};
	bool *same = xcalloc(comparison->matches.count, sizeof(*same));

	same_code_find(&comparison->matches, arms, same);
	for (size_t f = 0; f < comparison->matches.count; f++)
		if (same[f])
			flags[f] |= VERDICT_FUNCTION_SAME_CODE;
	free(same);
	free(base);
	free(head);
}

void code_flag_functions(const struct comparison *comparison,
	const struct recording *const recordings[ARM_COUNT], uint8_t *flags)
{
	if (recordings[ARM_BASE]->code_count && recordings[ARM_HEAD]->code_count)
		flag_same(comparison, recordings, flags);
}
