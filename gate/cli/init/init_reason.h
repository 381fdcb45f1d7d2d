/* SPDX-License-Identifier: Apache-2.0 */
/* Why something does not work, as it may stand in a comment of the configuration. */
#ifndef FG_CLI_INIT_REASON_H
#define FG_CLI_INIT_REASON_H

struct arena;

/*
 * One line of printable ASCII without quotes, single blanks, no path of a log; paths in the checkout
 * begin there. The arena's.
 */
const char *init_reason(struct arena *arena, const char *checkout, const char *text);
/* The same of what CMake printed when it failed: what it downloads where that is it, else its
 * first error. */
const char *init_reason_of_cmake(struct arena *arena, const char *checkout, const char *log);

#endif
