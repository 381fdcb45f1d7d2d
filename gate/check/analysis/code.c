/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/analysis/code.h"

#include <stdlib.h>

#include "gate/compare/unchanged_code.h"

/* ---- noting --------------------------------------------------------------------------------- */

static void note_function(
	struct recording *recording, uint32_t function, const struct symbolized_code *code)
{
	struct arena *arena = &recording->arena;
	struct recording_code *out = &recording->code[recording->code_count++];

	*out = (struct recording_code){.function = function,
		.bytes = code->bytes,
		.hash = arena_strdup(arena, code->hash)};
	if (!code->shape[0])
		return;
	out->shape = arena_strdup(arena, code->shape);
	out->callees = arena_strdup(arena, code->callees);
}

void code_note(struct recording *recording, struct symbolizer *symbolizer)
{
	const struct profile *profile = recording->profile;

	recording->code =
		arena_array(&recording->arena, profile->function_count, sizeof(*recording->code));
	recording->code_count = 0;
	for (size_t i = 0; i < profile->function_count; i++) {
		struct symbolized_code code = symbolizer_code(symbolizer, &profile->functions[i]);

		if (code.hash[0] && recording->code_count < RECORDING_MAX_CODE)
			note_function(recording, (uint32_t)i, &code);
	}
	symbolizer_list_functions(symbolizer, &recording->names, &recording->arena);
}

/* ---- what is known -------------------------------------------------------------------------- */

static void know_version(struct code_known *known, int version, const struct recording *recording)
{
	size_t count = recording->profile->function_count;

	known->hash[version] = xcalloc(count, sizeof(*known->hash[version]));
	known->bytes[version] = xcalloc(count, sizeof(*known->bytes[version]));
	known->shapes[version] = xcalloc(count, sizeof(*known->shapes[version]));
	for (size_t i = 0; i < recording->code_count; i++) {
		const struct recording_code *code = &recording->code[i];

		if (code->function >= count)
			continue;
		known->hash[version][code->function] = code->hash;
		known->bytes[version][code->function] = code->bytes;
		known->shapes[version][code->function] =
			(struct code_shape){code->shape, code->callees};
	}
	known->versions[version] = (struct code_of_version){recording->profile,
		known->hash[version], known->bytes[version], known->shapes[version]};
}

void code_known_init(
	struct code_known *known, const struct recording *base, const struct recording *head)
{
	*known = (struct code_known){.is_known = base->code_count && head->code_count};
	know_version(known, VERSION_BASE, base);
	know_version(known, VERSION_HEAD, head);
}

void code_known_release(struct code_known *known)
{
	for (int version = 0; version < VERSION_COUNT; version++) {
		free(known->hash[version]);
		free(known->bytes[version]);
		free(known->shapes[version]);
	}
}

static void flag_code(
	const struct comparison *comparison, const struct code_known *known, uint8_t *flags)
{
	static const uint8_t flag_of[] = {
		[CODE_UNKNOWN] = 0,
		[CODE_UNCHANGED] = VERDICT_FUNCTION_UNCHANGED,
		[CODE_CHANGED] = VERDICT_FUNCTION_CHANGED_CODE,
	};
	enum code_state *code = xcalloc(comparison->matches.count, sizeof(*code));

	unchanged_code_find(&comparison->matches, known->versions, code);
	unchanged_code_of_hosts(&comparison->inlinings, code);
	for (size_t f = 0; f < comparison->matches.count; f++)
		flags[f] |= flag_of[code[f]];
	free(code);
}

void code_flag_functions(const struct comparison *comparison,
	const struct recording *const recordings[VERSION_COUNT], uint8_t *flags)
{
	struct code_known known;

	code_known_init(&known, recordings[VERSION_BASE], recordings[VERSION_HEAD]);
	if (known.is_known)
		flag_code(comparison, &known, flags);
	code_known_release(&known);
}
