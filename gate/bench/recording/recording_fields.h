/* SPDX-License-Identifier: Apache-2.0 */
/* Private to recording_json*.c: the plain members of recording.json, one table for writing and
 * reading. */
#ifndef FG_BENCH_RECORDING_FIELDS_H
#define FG_BENCH_RECORDING_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#define MAX_METRIC                                                                                 \
	1e15 /* seconds, iterations and counts: past it doubles are no longer exact                \
	      */

enum field_kind {
	FIELD_STRING,
	FIELD_DOUBLE,
	FIELD_UINT32,
	FIELD_UINT64,
	FIELD_UNSIGNED,
	FIELD_LONG,
	FIELD_BOOL,
	FIELD_WORD /* an enum: one of words[] */
};

struct field {
	const char *key;
	enum field_kind kind;
	size_t offset;
	double most;              /* of a number */
	const char *const *words; /* NULL-terminated, in the enum's order */
	bool optional;            /* came later: earlier recordings do not have it */
	double least;             /* of a number; mostly 0 */
};

struct field_list {
	const struct field *items;
	size_t count;
};

/* Of struct recording, config_policy, recording_context, fingerprint and recording_round. */
extern const struct field_list recording_fields;
extern const struct field_list policy_fields;
extern const struct field_list context_fields;
extern const struct field_list acceptance_fields;
extern const struct field_list fingerprint_fields;
extern const struct field_list round_fields;

/* The lists of lines in struct recording_context. */
#define CONTEXT_LINES 5
extern const char *const context_line_keys[CONTEXT_LINES];
struct recording_context;
struct recording_lines *context_lines_of(const struct recording_context *context, size_t index);

#endif
