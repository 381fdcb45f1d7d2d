/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: whom code that is not of the repository (libc, a C++ library, a
 * language's own) works for. Nobody can mend it there; a line of the repository can be pointed at.
 */
#ifndef FG_CHECK_CALLERS_H
#define FG_CHECK_CALLERS_H

#include <stdint.h>

#include "gate/check/decide/reference.h"

struct result_reference_finding;

/*
 * [function]: of those in files of the repository, the one that is nearest on the stacks on which
 * the function's own cost grew most; COMPARE_NONE for a function that is in one itself, or that
 * none calls. In the reference's arena. Where the reference knows no source text a path tells by
 * its looks.
 */
const uint32_t *callers_find(const struct reference *reference);

/* The caller with the line to show of it: the one of head's that leads to the function and that
 * costs most of those the diff touches, else the definition. */
void callers_fill(const struct reference *reference, uint32_t function, uint32_t caller,
	struct arena *arena, struct result_reference_finding *out);

#endif
