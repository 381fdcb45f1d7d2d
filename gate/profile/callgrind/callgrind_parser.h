/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to callgrind_parse.c and its parts: callgrind_text.c reads numbers and names,
 * callgrind_header.c what stands before and behind the costs.
 */
#ifndef FG_PROFILE_CALLGRIND_PARSER_H
#define FG_PROFILE_CALLGRIND_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/map.h"
#include "gate/profile/callgrind/callgrind_internal.h"

struct error;

/* The three kinds of names that are compressed each by itself. */
enum callgrind_namespace { OBJECTS, FILES, FUNCTIONS };

struct callgrind_parser {
	struct callgrind *callgrind;
	const char *name; /* of the file, for messages */
	struct error *err;
	size_t line_number;
	const char *line; /* at hand, and its end */
	const char *end;
	struct map ids; /* namespace and number -> string */
	uint32_t object, file, function_file;
	uint32_t function;                   /* CALLGRIND_NONE: none yet */
	uint32_t called_object, called_file; /* CALLGRIND_NONE: the caller's */
	uint32_t called_name;
	uint32_t callee; /* of the calls= line just read: a cost line is due; else CALLGRIND_NONE */
	uint64_t calls, target; /* of that line, where calls are kept */
	size_t positions;       /* numbers before the counts */
	size_t events;          /* 0: no events: line yet */
	size_t counted;         /* which of them */
	uint64_t last[2];       /* positions of the last cost */
	uint64_t sum;           /* of the costs since the last totals */
	bool has_total, has_body;
	unsigned program_rank; /* how good a guess callgrind->program is */
};

/* "file:line: ..."; returns code. */
int callgrind_complain(const struct callgrind_parser *parser, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* ERR_CORRUPT, with the line's beginning. */
int callgrind_complain_of_line(const struct callgrind_parser *parser, const char *what);

const char *callgrind_skip_space(const struct callgrind_parser *parser, const char *at);
size_t callgrind_word_length(const struct callgrind_parser *parser, const char *at);
/* A decimal or 0x number; false if there is none or it does not fit. */
bool callgrind_get_number(const struct callgrind_parser *parser, const char **at, uint64_t *number);
/* Absolute, or relative to *last, which it becomes. */
int callgrind_get_position(struct callgrind_parser *parser, const char **at, uint64_t *last);
/* The counts after the positions; what is not there is 0. */
int callgrind_get_count(const struct callgrind_parser *parser, const char *at, uint64_t *count);
/* A name as it is; ERR_LIMIT if it is one too many or too long. */
int callgrind_intern(
	const struct callgrind_parser *parser, const char *text, size_t length, uint32_t *string);
/* "name", "(1) name" or "(1)". */
int callgrind_get_name(struct callgrind_parser *parser, enum callgrind_namespace space,
	const char *at, uint32_t *string);

/* Lines; at is behind the key. */
int callgrind_read_command(struct callgrind_parser *parser, const char *at);
int callgrind_read_events(struct callgrind_parser *parser, const char *at);
int callgrind_read_positions(struct callgrind_parser *parser, const char *at);
int callgrind_read_summary(struct callgrind_parser *parser, const char *at);
int callgrind_read_totals(struct callgrind_parser *parser, const char *at);
int callgrind_read_version(struct callgrind_parser *parser, const char *at);
int callgrind_read_object(struct callgrind_parser *parser, const char *at);

#endif
