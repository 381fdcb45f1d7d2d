/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: how often the matched functions of a comparison call each other. */
#ifndef FG_CHECK_KNOWN_CALLS_H
#define FG_CHECK_KNOWN_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/check/analysis/analysis.h"

#define ANY_CALLER (COMPARE_NONE - 1)

struct known_call {
	uint32_t caller, callee; /* matched functions; ANY_CALLER: all callers together */
	double calls;            /* per run */
	double instructions;     /* of all of them, with what is called; 0: not counted */
	double own_instructions; /* of them all without; 0 */
};

struct known_calls {
	const struct analysis *analysis;
	struct known_call *items[VERSION_COUNT];
	size_t count[VERSION_COUNT];
	bool *inlined; /* [matched function]: a sample of either version has it inlined somewhere */
};

void known_calls_init(
	struct known_calls *calls, const struct analysis *analysis, struct arena *arena);
/*
 * Calls per run of a version; NAN: unknown. A caller that is not counted makes no call where those
 * that are counted make them all. Nothing is known of what is inlined anywhere: such a call is
 * none. What a version does not have is not called.
 */
double known_calls_of(
	const struct known_calls *calls, int version, uint32_t caller, uint32_t callee);
/* verdict_input's call_ratio, instruction_ratio and own_instruction_ratio: of each matched
 * function, where all of its calls were counted exactly in both versions; NULL: of none. In arena.
 */
void known_calls_ratios(
	const struct analysis *analysis, struct arena *arena, struct verdict_input *input);
/*
 * Head's instructions of one call by base's, with what is called or (own: of all callers alone)
 * without; NAN: not counted, or a version makes no such call.
 */
double known_calls_each(
	const struct known_calls *calls, uint32_t caller, uint32_t callee, bool own);
/* Calls that are functions' are as many in both versions, and execute as much, while others may be
 * inlined. */
bool known_calls_are_same(const struct known_calls *calls, uint32_t callee);
/* The caller with the largest increase that is counted; COMPARE_NONE: none. */
uint32_t known_calls_grown(const struct known_calls *calls, uint32_t callee);

/* What a version's machine code says: the caller has a call of the callee by name in it. */
enum code_calls { CODE_CALLS_UNKNOWN, CODE_CALLS_IT, CODE_CALLS_IT_NOT };
enum code_calls code_calls_of(
	const struct analysis *analysis, int version, uint32_t caller, uint32_t callee);

#endif
