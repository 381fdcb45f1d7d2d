/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One table per command drives parsing, usage, help and the shells' completions. Settings are a
 * plain struct per command; an option writes to the field at its offset.
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

/* What an option's argument, or an operand, names: what a shell can complete of it. */
enum argument_kind {
	ARGUMENT_TEXT,
	ARGUMENT_FILE, /* or a folder */
	ARGUMENT_FOLDER,
	ARGUMENT_REVISION,
	ARGUMENT_BENCHMARK,  /* of .flamegate.yml */
	ARGUMENT_CHOICE,     /* one of choice(), or it is refused */
	ARGUMENT_SUGGESTION, /* choice() has the usual ones */
};

struct argument {
	const char *name; /* what stands for it in help */
	enum argument_kind kind;
	/* The allowed or usual values, from 0; NULL behind the last. A word without quotes each. */
	const char *(*choice)(size_t index);
};

/* Those of several commands. */
extern const struct argument argument_file, argument_folder, argument_path, argument_revision,
	argument_commit, argument_benchmark, argument_number, argument_url, argument_type,
	argument_environment, argument_mechanism;

struct option_spec {
	const char *name; /* long, without dashes */
	char letter;      /* or 0 */
	enum option_kind kind;
	const struct argument *argument; /* NULL for flags */
	const char *help;                /* "{}" stands for the argument's choices */
	size_t offset;
};

/* Every command has it, in no table. */
extern const struct option_spec option_help;

struct command {
	const char *name;
	const char *summary;            /* one line */
	const char *operands;           /* e.g. "A B" or "-- COMMAND [ARGUMENT...]" */
	const struct argument *operand; /* what each operand names; NULL: none is wanted, or a
					   command with its arguments */
	size_t operand_count;           /* at most */
	const char *text;               /* a paragraph for --help */
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
/* An option's help, the choices put in: "auto, perf or posix". One line, no newline. */
void options_describe(const struct option_spec *spec, struct strbuf *out);

#endif
