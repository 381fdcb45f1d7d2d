/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: which files of machine code both versions ran. What lies outside of
 * the builds is one file for both: their runs have it in the same pages of memory, and no linker
 * placed its functions anew. What they work on may lie elsewhere all the same.
 */
#ifndef FG_CHECK_OBJECT_FILES_H
#define FG_CHECK_OBJECT_FILES_H

#include "gate/check/measurements/measurements.h"
#include "gate/compare/comparison.h"

/*
 * Whether both versions ran the very same machine code: every file of a build's own in which a
 * sample fell is in the other, with the same build id. A file outside of the builds may be in one
 * alone where few samples ended in it (COMPARISON_MIN_SAMPLES), but in both it is the same, and
 * something is in both. Head can choose its build id: what it would gain is that less is excused.
 */
bool object_files_are_one_build(const struct recording *base, const struct recording *head);

/*
 * Adds VERDICT_FUNCTION_SAME_PLACE where all that was met of a function lies in files outside of
 * the builds that both have mapped. A copy of it, or a part inlined, in a build's own file has a
 * place of its own.
 */
void object_files_flag_functions(const struct comparison *comparison,
	const struct recording *const recordings[VERSION_COUNT], uint8_t *flags);

#endif
