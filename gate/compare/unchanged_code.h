/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose machine code is the same in both versions (gate/verdict/README.md says what for). A
 * function that the compiler has inlined has its code in other functions: it is the same if it is
 * in all of them that it was met in. A call to a function that has another name, and was matched to
 * the one that was called before, is the same call: whether that function's own code is the same is
 * another question.
 */
#ifndef FG_COMPARE_UNCHANGED_CODE_H
#define FG_COMPARE_UNCHANGED_CODE_H

#include "gate/compare/inlining.h"
#include "gate/compare/match.h"
#include "gate/profile/profile.h"

enum code_state {
	CODE_UNKNOWN, /* of a version that has the function */
	CODE_UNCHANGED,
	CODE_CHANGED, /* or there in one version alone */
};

/*
 * Sets code[matched function]. Unknown code is never the same. Of a function's hosts those with
 * less than a twentieth of its own cost in both versions are left out: a stray sample of one
 * version alone proves nothing, and such a host cannot be what made the function slower.
 */
void unchanged_code_find(const struct function_matches *matches,
	const struct code_of_version versions[COMPARE_VERSIONS], enum code_state *code);

/* A host whose parts' code is not the same, or not known, has not the same code. */
void unchanged_code_of_hosts(const struct inlining_map *inlinings, enum code_state *code);

#endif
