/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: a source text line by line, as far as one can tell without a compiler:
 * what of a line is code, and which table, constant, macro or type it is a part of. It reads C's
 * notation and what other languages share with it; it may miss a definition. Memory and time are
 * linear in the text, whatever it says.
 */
#ifndef FG_CHECK_CODE_LINES_H
#define FG_CHECK_CODE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/base/strbuf.h"
#include "gate/check/source/sources.h"

struct code_definition {
	struct strbuf name; /* "" of a function, or not known */
	int64_t depth;      /* brackets that are open */
	bool is_open;       /* the line is a part of it */
	bool goes_on;       /* so is the next, unless it begins another one */
	bool is_static;
};

struct code_lines {
	const struct source_file *file; /* borrowed */
	int64_t line;                   /* the last one that was read; 0: none yet */
	/* Of that line: blanks stand for comments and for what is in a literal's quotes. */
	struct strbuf code;
	bool in_comment; /* at its end */
	struct code_definition definition, macro;
};

void code_lines_begin(struct code_lines *lines, const struct source_file *file);
void code_lines_release(struct code_lines *lines);
/* False: there is none any more. */
bool code_lines_next(struct code_lines *lines);
bool code_lines_is_blank(const struct code_lines *lines);
/* What the line is a part of, if that has a name and is no function, else NULL. */
const struct code_definition *code_lines_definition(const struct code_lines *lines);

/* The next identifier (or number) at or after *at, which is set behind it; NULL: none. */
const char *code_next_word(const struct strbuf *code, size_t *at, size_t *length);

#endif
