/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a function calls, apart from what it does: two functions that differ in their callees' names
 * alone have one shape. Callees stand in the order in which they are first called, each by some
 * digits of its name, one behind the other.
 */
#ifndef FG_PROFILE_CODE_CALLEE_H
#define FG_PROFILE_CODE_CALLEE_H

#include <stdbool.h>
#include <stddef.h>

#define CODE_CALLEE_DIGITS 16 /* lower-case hex */
#define CODE_MAX_CALLEES 64   /* of one function; of one with more there is no shape */

/* name: as the linker knows it, without a compiler clone's suffix. Adds the NUL. */
void code_callee_digits(const char *name, size_t length, char digits[CODE_CALLEE_DIGITS + 1]);

/* Whether it can be what some functions, none or up to CODE_MAX_CALLEES, are called by. */
bool code_callees_are_valid(const char *callees, size_t length);

#endif
