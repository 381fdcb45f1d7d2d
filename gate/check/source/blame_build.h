/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: the changed line of what says how the program is built, for a function
 * whose machine code has changed though no source has.
 */
#ifndef FG_CHECK_BLAME_BUILD_H
#define FG_CHECK_BLAME_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/vcs/repo.h"

/*
 * The first line, in the diff's order, of a file that builders read (Makefile, CMakeLists.txt,
 * Cargo.toml and the like), if the diff changes nothing beside such files and texts; where it only
 * deletes, the line before. *file is the diff's; both are untouched if there is none.
 */
bool blame_build(const struct repo_diff *diff, const char **file, int64_t *line);

#endif
