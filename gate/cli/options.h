/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One table per command drives parsing, usage and help. Settings are a plain struct per command; an
 * option writes to the field at its offset.
 */
#ifndef FG_CLI_OPTIONS_H
#define FG_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/strbuf.h"

struct error;

enum option_kind {
	OPTION_FLAG,    /* bool */
	OPTION_STRING,  /* const char *, points into argv */
	OPTION_STRINGS, /* struct string_list: may be repeated */
	OPTION_NUMBER,  /* uint64_t */
};

/* NULL-terminated; items is malloc'd, its strings point into argv. */
struct string_list {
	const char **items;
	size_t count, capacity;
};

struct option_spec {
	const char *name; /* long, without dashes */
	char letter;      /* or 0 */
	enum option_kind kind;
	const char *argument; /* what stands for it in help, NULL for flags */
	const char *help;
	size_t offset;
	const char *const *words; /* which it takes, NULL-terminated; NULL: any */
};

/* Of --mechanism. */
extern const char *const option_mechanisms[];

struct command {
	const char *name;
	const char *summary;  /* one line */
	const char *operands; /* e.g. "A B" or "-- COMMAND [ARGUMENT...]" */
	const char *text;     /* a paragraph for --help */
	const struct option_spec *options;
	size_t option_count;
	size_t settings_size;
	bool stop_at_operand; /* everything from the first operand on belongs to it */
	/* Returns the exit status, or sets err and returns -1. operands is NULL-terminated. */
	int (*run)(void *settings, const char *const *operands, struct error *err);
};

/* Fills zeroed settings. *operand_index is where the operands begin in argv. *help: --help was
 * given. */
int options_parse(const struct command *command, int argc, char **argv, void *settings,
	int *operand_index, bool *help, struct error *err);
/* Frees what OPTION_STRINGS allocated. */
void options_release(const struct command *command, void *settings);

void options_help(const struct command *command, struct strbuf *out);

#endif
