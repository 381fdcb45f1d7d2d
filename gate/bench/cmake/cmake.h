/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What CMake files say without CMake: which executables there are, what they are made of, and
 * which options must be turned on for each. Commands are followed as far as their words are known:
 * set(), list(APPEND), foreach(), functions and macros, include() and add_subdirectory(). Each
 * branch of an if() is followed that some setting of the options lets CMake take. Nothing is run;
 * the files are hostile: steps, depth and bytes are bounded.
 */
#ifndef FG_BENCH_CMAKE_H
#define FG_BENCH_CMAKE_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/base/arena.h"

#define CMAKE_MAX_SITES 2000

/* A CMakeLists.txt, or a file that may be included; relative to the tree's root, "." is the root.
 */
struct cmake_text {
	const char *path, *folder, *text;
};

/* One add_executable(). */
struct cmake_site {
	const char *name;    /* as it is written where a part is not known */
	bool computed;       /* a part of the name is not known */
	const char *file;    /* where it stands */
	size_t line;         /* from 1 */
	const char *project; /* folder that is configured */
	const char *output;  /* the program, from the build folder; NULL: it leads out of it */
	const char *sources; /* paths from the root, each ended by a line feed; NULL: not known */
	const char *links;   /* what is known of target_link_libraries(), each so ended */
	const char *options; /* what must be set: "-DX=ON -DY=OFF"; "": nothing */
};

struct cmake_sites {
	struct cmake_site *items;
	size_t count;
	bool cut; /* a limit ended the reading early */
};

/*
 * All is the arena's. A CMakeLists.txt that no other reaches is a project of its own where it calls
 * project(), else it is taken for a folder of the root's.
 */
void cmake_read(
	struct arena *arena, const struct cmake_text *texts, size_t count, struct cmake_sites *out);

/*
 * A path without "." and ".." in it, of a file as the folder names it; both are relative to the
 * same root, "." is the root. NULL: it leads out of it.
 */
const char *cmake_path(struct arena *arena, const char *folder, const char *path);

#endif
