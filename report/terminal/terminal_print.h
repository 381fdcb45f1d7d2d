/* SPDX-License-Identifier: Apache-2.0 */
/* Private to terminal*.c: lines that keep to the width, whoever wrote their text. */
#ifndef FG_REPORT_TERMINAL_PRINT_H
#define FG_REPORT_TERMINAL_PRINT_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/base/strbuf.h"
#include "report/findings/sentence.h"

#define BOLD "1"
#define DIM "2"
#define RED "1;31"
#define GREEN "1;32"
#define YELLOW "1;33"

#define TERMINAL_LISTED 10 /* of culprits, functions, ... */

struct printer {
	struct strbuf *out;
	unsigned width;
	bool color, brief;
};

/* text in a colour, if there are any. */
void printer_color(struct printer *printer, const char *color, const char *text);
void printer_indent(struct printer *printer, unsigned indent);
/* text, with what it takes in front to fill `columns`. */
void printer_right(struct printer *printer, const char *text, size_t columns);
/* Wraps a clean line; the cursor stands at column `at`, further lines are indented. */
void printer_wrap(
	struct printer *printer, unsigned at, unsigned indent, const char *text, size_t length);
/* The cursor stands at column `at` already. */
void printer_line_from(struct printer *printer, unsigned at, const char *text);
void printer_line(struct printer *printer, unsigned indent, const char *text);
/* Text of several lines. */
void printer_block(struct printer *printer, unsigned indent, const char *text, size_t max_bytes);
/* Ends and releases the sentence. */
void printer_sentence(
	struct printer *printer, unsigned at, unsigned indent, struct sentence *sentence);
void printer_heading(struct printer *printer, const char *heading);
/* A heading and a line for each string; nothing for an empty list. */
void printer_list(struct printer *printer, const char *heading, const char *const *lines,
	size_t count, unsigned indent);

#endif
