/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of detect.h share: one function for each kind of file. */
#ifndef FG_BENCH_DETECT_INTERNAL_H
#define FG_BENCH_DETECT_INTERNAL_H

#include "gate/bench/detect.h"

/* A file of the tree; path and folder are safe (see detect_is_safe()). */
struct detect_file {
	const char *path, *folder, *name; /* relative; folder is "." at the root */
	const char *text;                 /* NUL-terminated */
	size_t length;
	bool executable;
};

/* A source file that includes a harness. */
struct detect_source {
	const char *folder, *harness, *advice;
};

struct detector {
	struct detect_source *sources;
	size_t source_count, source_capacity;
	struct arena *arena; /* detection.arena */
	const char **systems, **too_large;
	size_t system_count, system_capacity, too_large_count, too_large_capacity;
	struct detect_candidate *candidates;
	size_t candidate_count, candidate_capacity;
	size_t file_count, bytes_left, odd_names;
	bool cut;
};

typedef void detect_reader(struct detector *detector, const struct detect_file *file);
detect_reader detect_make, detect_cmake, detect_meson, detect_cargo, detect_rust, detect_go,
	detect_go_test, detect_python_project, detect_python, detect_node, detect_shell, detect_jvm,
	detect_executable, detect_native_source, detect_node_source;

/*
 * What links a harness may come by add_subdirectory(), FetchContent or a variable: a program whose
 * build file stands in or above the folder of a source that includes one is not called fixed work.
 */
void detect_apply_sources(struct detector *detector);
/* Strings but the folder are static. */
void detect_add_source(
	struct detector *detector, const char *folder, const char *harness, const char *advice);

/* Only letters, digits and ._+/@%=,:- with no dash first: needs no quotes in a shell or in YAML. */
bool detect_is_safe(const char *text, size_t length);
/* Holds "bench" in any case. */
bool detect_is_bench(const char *name);
/* The path from the root to a file in a folder; the arena's. */
const char *detect_path(struct detector *detector, const char *folder, const char *name);
void detect_add_system(
	struct detector *detector, const char *builder, const struct detect_file *file);
/* Copies the structure, names it and adds it, unless its command in its directory is there already.
 */
void detect_add(struct detector *detector, const char *name, struct detect_candidate candidate);

#endif
