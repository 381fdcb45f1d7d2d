/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What harnesses print, read as hostile text: the names of their benchmarks, and how many
 * iterations a run did. Formats as the harnesses' own sources print them: google-benchmark 1.5 to
 * 1.9, Catch2 2.13 and 3, criterion 0.3 to 0.7, divan 0.1, Go 1.18 to 1.26.
 */
#ifndef FG_BENCH_HARNESS_PARSE_H
#define FG_BENCH_HARNESS_PARSE_H

#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/base/map.h"

struct error;

#define HARNESS_MAX_BENCHMARKS 2000
#define HARNESS_MAX_NAME_BYTES 1000
#define HARNESS_MAX_LIST_BYTES ((size_t)4 << 20)

/* Names in the order in which they were listed, each once. */
struct harness_names {
	struct arena arena;
	const char **items;
	size_t count, capacity;
	struct map known;
	unsigned question; /* which of the harness's questions they answer */
};
void harness_names_init(struct harness_names *names);
void harness_names_release(struct harness_names *names);
/* ERR_LIMIT past a bound, ERR_CORRUPT for a name with control characters or no name at all. */
int harness_names_add(
	struct harness_names *names, const char *text, size_t length, struct error *err);

/* Appends what stands in the text. Fails as harness_names_add(). */
typedef int harness_names_reader(
	const char *text, size_t length, struct harness_names *out, struct error *err);
harness_names_reader harness_read_lines;   /* every line is a name */
harness_names_reader harness_read_catch2;  /* the same; "#a" in quotes is #a */
harness_names_reader harness_read_rust;    /* NAME: benchmark */
harness_names_reader harness_read_tree;    /* divan's: its leaves, as a::b::c */
harness_names_reader harness_read_go_runs; /* Benchmark... <tab>; what b.Run() names, too */
harness_names_reader harness_read_go_list; /* Benchmark... */

/* Iterations of the one benchmark that ran, 0: none are told. */
typedef uint64_t harness_count_reader(const char *text, size_t length);
harness_count_reader harness_count_google; /* --benchmark_format=json */
harness_count_reader
	harness_count_divan; /* the table's column of iterations, or more by its median's */
harness_count_reader harness_count_go;

#endif
