/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room. Debug information names files of libraries as if they were the
 * repository's ("malloc/malloc.c"): what a culprit or a finding is to be annotated at must be in
 * one of the versions' trees, or in a submodule of theirs, else it is attached to no file.
 */
#ifndef FG_CHECK_FOREIGN_FILES_H
#define FG_CHECK_FOREIGN_FILES_H

#include "gate/check/source/sources.h"

struct result_benchmark;

void forget_foreign_files(
	struct sources *sources, struct arena *arena, struct result_benchmark *out);

#endif
