/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile model, shaped like pprof's but with dense indices instead of ids: index i is pprof id
 * i + 1. Everything is owned by the profile. Names are hostile: escape them at the renderer.
 *
 * Strings are bytes without NUL; they need not be valid UTF-8. Numbers are as in the file: values
 * may be negative, and sums of them must be checked for overflow.
 */
#ifndef FG_PROFILE_PROFILE_H
#define FG_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/base/map.h"

#define PROFILE_NO_MAPPING UINT32_MAX

struct profile_value_type {
	const char *type, *unit; /* e.g. "cpu", "nanoseconds" */
};

struct profile_mapping {
	const char *file, *build_id; /* "" unknown; build_id is lower-case hex */
	uint64_t start, limit, offset;
	bool has_functions, has_filenames, has_line_numbers, has_inline_frames;
};

struct profile_function {
	const char *name;        /* for people: demangled */
	const char *system_name; /* as the linker knows it; "" if the same */
	const char *file;        /* "" unknown */
	int64_t start_line;      /* 0 unknown */
};

struct profile_line {
	uint32_t function;
	int64_t line; /* 0 unknown */
};

struct profile_location {
	uint32_t mapping; /* or PROFILE_NO_MAPPING */
	uint64_t address; /* link-time address */
	const struct profile_line
		*lines; /* lines[0] is the innermost inlined frame; may be empty */
	uint32_t line_count;
	bool is_folded;
};

struct profile_label {
	const char *key;
	const char *string; /* NULL: numeric */
	int64_t number;
	const char *unit; /* "" none */
};

struct profile_sample {
	const uint32_t *locations; /* leaf first */
	uint32_t depth;
	const int64_t *values; /* profile->type_count of them */
	const struct profile_label *labels;
	uint32_t label_count;
};

struct profile {
	struct arena arena;
	struct profile_value_type *types;
	size_t type_count;
	struct profile_mapping *mappings;
	size_t mapping_count;
	struct profile_function *functions;
	size_t function_count;
	struct profile_location *locations;
	size_t location_count;
	struct profile_sample *samples;
	size_t sample_count;
	const char **comments;
	size_t comment_count;
	struct profile_value_type period_type;
	int64_t period, time_ns, duration_ns;
	size_t default_type; /* index into types */
	/* private: capacities and interning tables of the builder */
	size_t type_capacity, mapping_capacity, function_capacity, location_capacity,
		sample_capacity, comment_capacity;
	struct map strings, function_index, location_index, mapping_index;
	const char **string_list;
	size_t string_count, string_capacity;
};

struct profile *profile_new(void);
void profile_free(struct profile *profile);

/* Copied and interned: equal strings give equal pointers. NULL is taken as "". */
const char *profile_intern(struct profile *profile, const char *string);

/*
 * Builder. Each copies and interns its argument and returns the index; an equal element is found
 * again (functions by all four fields, locations by all fields, mappings by all fields, types by
 * both). Indices inside the argument must exist already. Types come before samples: a sample's
 * values are type_count long. Samples and comments are kept in the order given, equal ones too.
 */
size_t profile_add_type(struct profile *profile, const char *type, const char *unit);
uint32_t profile_add_mapping(struct profile *profile, const struct profile_mapping *mapping);
uint32_t profile_add_function(struct profile *profile, const struct profile_function *function);
uint32_t profile_add_location(struct profile *profile, const struct profile_location *location);
void profile_add_sample(struct profile *profile, const struct profile_sample *sample);
void profile_add_comment(struct profile *profile, const char *comment);
/* Unless it is there already: every round says the same. */
void profile_add_comment_once(struct profile *profile, const char *comment);

/* Index of the first value type with this name, or -1. */
int profile_find_type(const struct profile *profile, const char *type);
/* Index of what is compared and judged: cpu where there is one, else the default type. */
size_t profile_judged_type(const struct profile *profile);
/* The value of the sample's first numeric label with this key, or fallback. */
int64_t profile_sample_number(
	const struct profile_sample *sample, const char *key, int64_t fallback);

/*
 * flamegate's CPU profiles carry three values per sample, in this order:
 *   samples/count, cpu/nanoseconds, cpu_squares/microseconds_squared (the sum of squared weights:
 *   the sampling variance of the cpu value, which the verdict needs)
 * default_type is cpu. The numeric labels "round" (0-based) and, where not 0, "epoch" key the
 * samples, with the program's own regions and labels (symbolize.h). Other kinds: profile_kind.h.
 */
#define PROFILE_TYPE_SAMPLES "samples"
#define PROFILE_TYPE_CPU "cpu"
#define PROFILE_TYPE_CPU_SQUARES "cpu_squares"
#define PROFILE_LABEL_ROUND "round"

#endif
