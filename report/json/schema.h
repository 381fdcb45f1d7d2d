/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.json's fields as tables, which drive the writer and the reader alike: a field has one
 * name, one type and one place in struct result.
 */
#ifndef FG_REPORT_SCHEMA_H
#define FG_REPORT_SCHEMA_H

#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/base/map.h"
#include "gate/net/json.h"

struct error;

enum field_type {
	FIELD_STRING,   /* const char *; never NULL after reading; NULL is written as "" */
	FIELD_DEFAULT,  /* const char *; absent, NULL or "": the first of words. Not in columns */
	FIELD_OPTIONAL, /* const char *; absent: "". Not in columns */
	FIELD_NUMBER,   /* double, finite */
	FIELD_ADDED, /* double; absent in earlier reports, null or not finite: 0. Not in columns */
	FIELD_ESTIMATE,    /* double; null: unknown (NaN) */
	FIELD_RATIO,       /* double; null: infinite */
	FIELD_COUNT,       /* size_t, 0..2^53 */
	FIELD_U64,         /* uint64_t, 0..2^53 */
	FIELD_SEED,        /* uint64_t as a string of decimal digits */
	FIELD_U32,         /* uint32_t */
	FIELD_INDEX,       /* uint32_t; -1: RESULT_NONE */
	FIELD_LINE,        /* int64_t, 0..2^31 */
	FIELD_INT,         /* int, 0..255 */
	FIELD_BOOL,        /* bool; 0 or 1 in columns */
	FIELD_WORD,        /* enum: one of words; its place in words in columns */
	FIELD_ADDED_INDEX, /* as FIELD_INDEX; absent in earlier reports: RESULT_NONE */
	/* As FIELD_ESTIMATE, in columns alone: left out where all are 0 or unknown; absent: NaN. */
	FIELD_ADDED_ESTIMATE,
	FIELD_ADDED_WORD, /* as FIELD_WORD; absent in earlier reports: the first. Not in columns */
	FIELD_OPTIONAL_WORD, /* as FIELD_WORD; absent: the first. Not in columns */
	FIELD_ADDED_LINE,    /* as FIELD_LINE; left out where it is 0. Not in columns */
};

struct field {
	const char *name;
	enum field_type type;
	size_t offset;
	const char *const *words; /* FIELD_WORD, FIELD_DEFAULT; NULL-terminated */
};

/* Each ends with a field without a name. */
extern const struct field schema_result[], schema_commit[], schema_benchmark[], schema_change[],
	schema_sampling[], schema_work[], schema_culprit[], schema_claim[], schema_consequence[],
	schema_shift[], schema_reference[], schema_finding[], schema_metric[], schema_matching[],
	schema_inlining[], schema_source[], schema_production[], schema_profile[], schema_label[],
	schema_memory[];
/* Columns. */
extern const struct field schema_function[], schema_node[], schema_pair[], schema_line[],
	schema_profile_function[], schema_profile_node[], schema_label_cost[], schema_moment[];

/* The strings of a benchmark's columns, each once, cut to what a reader accepts (view.h). */
struct string_table {
	struct map numbers, places; /* by text, and by the address of what was seen before */
	struct arena cut;
	const char **strings;
	size_t count, capacity;
};

struct schema_writer {
	struct json_writer json;
	struct string_table *strings; /* for columns */
	struct error *err;
	int code; /* the first error: a number that should be finite */
};

/* The fields of the struct at `base` as members of the object that is open. */
void schema_write(struct schema_writer *writer, const struct field *fields, const void *base);
/* A column for each field of `count` structs of `size` bytes; numbers with six digits. */
void schema_write_columns(struct schema_writer *writer, const struct field *fields,
	const void *base, size_t count, size_t size);

struct schema_reader {
	struct arena *arena;  /* receives all strings */
	const char **strings; /* for columns */
	size_t string_count;
	struct error *err;
};

int schema_read(struct schema_reader *reader, const struct json *object, const struct field *fields,
	void *base);
/* The columns must have exactly `count` elements each. */
int schema_read_columns(struct schema_reader *reader, const struct json *object,
	const struct field *fields, void *base, size_t count, size_t size);

void string_table_init(struct string_table *table);
void string_table_release(struct string_table *table);

#endif
