/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of detect.h share: one function for each kind of file. */
#ifndef FG_BENCH_DETECT_INTERNAL_H
#define FG_BENCH_DETECT_INTERNAL_H

#include "gate/bench/cmake/cmake.h"
#include "gate/bench/detect/detect.h"

/* A file of the tree; path and folder are safe (see detect_is_safe()). */
struct detect_file {
	const char *path, *folder, *name; /* relative; folder is "." at the root */
	const char *text;                 /* NUL-terminated */
	size_t length;
	bool executable;
};

#define DETECT_GOOGLE "google-benchmark"
#define DETECT_GOOGLE_ADVICE                                                                       \
	"google-benchmark runs for a fixed time; fix the count: --benchmark_min_time=1000x (1.8 "  \
	"and newer), or ->Iterations(1000) in the source"

/* A source file: of C and C++ each, of JavaScript those that import a harness. */
struct detect_source {
	const char *path, *folder;
	const char *harness, *advice; /* static; NULL if there is none */
	const char **includes;        /* that are not of the standard library */
	size_t include_count;
	size_t registrations, fixed_registrations; /* BENCHMARK(...), those with ->Iterations(N) */
	bool node;                                 /* JavaScript */
	bool timed;   /* may read a clock, wait, or start another program */
	bool unclear; /* includes something computed, or too much */
	unsigned walk;
};

#define DETECT_MAX_CMAKE_BYTES ((size_t)16 * 1024 * 1024)

struct detector {
	struct cmake_text *cmake_texts;
	size_t cmake_count, cmake_capacity, cmake_bytes;
	struct detect_project projects[DETECT_MAX_PROJECTS];
	size_t project_count;
	struct detect_source *sources;
	size_t source_count, source_capacity, lookups;
	unsigned walks;
	struct arena *arena; /* detection.arena */
	const char **systems, **too_large;
	size_t system_count, system_capacity, too_large_count, too_large_capacity;
	struct detect_candidate *candidates;
	size_t candidate_count, candidate_capacity;
	const char *target_sources[DETECT_MAX_CANDIDATES]; /* of each: see detect_add_target() */
	size_t file_count, bytes_left, odd_names;
	bool cut;
};

typedef void detect_reader(struct detector *detector, const struct detect_file *file);
detect_reader detect_make, detect_cmake, detect_cmake_module, detect_meson, detect_cargo,
	detect_rust, detect_go, detect_go_test, detect_python_project, detect_python, detect_node,
	detect_shell, detect_jvm, detect_executable, detect_native_source, detect_node_source;

/*
 * What links a harness may come by add_subdirectory(), FetchContent or a variable, so sources
 * decide: the program's own where the build file names them and all that they include is there;
 * else it is enough that any source in or below the build file's folder includes a harness.
 */
void detect_apply_sources(struct detector *detector);
/* Of what CMake's files say, or CMake itself. */
void detect_cmake_targets(
	struct detector *detector, const struct detect_configured *configured, size_t count);
/* It links a harness's library, or asks for it. */
bool detect_uses_google(const char *text);
/* A path of which a part is other people's code. */
bool detect_is_foreign(const char *path);
/* Without a harness yet; valid until the next is added. */
struct detect_source *detect_add_source(struct detector *detector, const struct detect_file *file);

/* Only letters, digits and ._+/@%=,:- with no dash first: needs no quotes in a shell or in YAML. */
bool detect_is_safe(const char *text, size_t length);
/* Holds "bench" in any case. */
bool detect_is_bench(const char *name);
/* The path from the root to a file in a folder; the arena's. */
const char *detect_path(struct detector *detector, const char *folder, const char *name);
void detect_add_system(
	struct detector *detector, const char *builder, const struct detect_file *file);
/* Copies the structure, names it and adds it,
 * unless its command in its directory is there already. */
void detect_add(struct detector *detector, const char *name, struct detect_candidate candidate);
/* The same of a program; sources are paths from the root,
 * each ended by a line feed; NULL: unknown. */
void detect_add_target(struct detector *detector, const char *name,
	struct detect_candidate candidate, const char *sources);

#endif
