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

/* ---- what is known
 * -------------------------------------------------------------------------------------
 */

static void know_arm(struct code_known *known, int arm, const struct recording *recording)
{
	size_t count = recording->profile->function_count;

	known->hash[arm] = xcalloc(count, sizeof(*known->hash[arm]));
	known->bytes[arm] = xcalloc(count, sizeof(*known->bytes[arm]));
	for (size_t i = 0; i < recording->code_count; i++) {
		const struct recording_code *code = &recording->code[i];

		if (code->function >= count)
			continue;
		known->hash[arm][code->function] = code->hash;
		known->bytes[arm][code->function] = code->bytes;
	}
	known->arms[arm] =
		(struct code_of_arm){recording->profile, known->hash[arm], known->bytes[arm]};
}

void code_known_init(
	struct code_known *known, const struct recording *base, const struct recording *head)
{
	*known = (struct code_known){.is_known = base->code_count && head->code_count};
	know_arm(known, ARM_BASE, base);
	know_arm(known, ARM_HEAD, head);
}

void code_known_release(struct code_known *known)
{
	for (int arm = 0; arm < ARM_COUNT; arm++) {
		free(known->hash[arm]);
		free(known->bytes[arm]);
	}
}

static void flag_same(
	const struct comparison *comparison, const struct code_known *known, uint8_t *flags)
{
	bool *same = xcalloc(comparison->matches.count, sizeof(*same));

	same_code_find(&comparison->matches, known->arms, same);
	for (size_t f = 0; f < comparison->matches.count; f++)
		if (same[f])
			flags[f] |= VERDICT_FUNCTION_SAME_CODE;
	free(same);
}

void code_flag_functions(const struct comparison *comparison,
	const struct recording *const recordings[ARM_COUNT], uint8_t *flags)
{
	struct code_known known;

	code_known_init(&known, recordings[ARM_BASE], recordings[ARM_HEAD]);
	if (known.is_known)
		flag_same(comparison, &known, flags);
	code_known_release(&known);
}
