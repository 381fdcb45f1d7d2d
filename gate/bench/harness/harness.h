/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one table of benchmark harnesses: how each is found, and, of those whose programs hold many
 * benchmarks, how these are listed, selected and counted. A new harness is one row.
 */
#ifndef FG_BENCH_HARNESS_H
#define FG_BENCH_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/strbuf.h"
#include "gate/bench/config/config.h"
#include "gate/bench/harness/harness_parse.h"

/* How its iterations are fixed, as a clause: "run it with ..." */
struct harness_flag {
	const char *name;
	const char *advice;
	/* Its runtime reads the clock as often as it happens, or past the C library, or (pyperf)
	 * its workers get no preload unless asked for: it is never replayed (gate/clock). */
	bool never_replayed;
};

/* Any of the traces is enough. */
struct harness_trace {
	struct harness_flag flag;
	const char *text;   /* in a program or library that counts */
	const char *word;   /* of the command */
	const char *opened; /* in the path of a file that it opened */
};

#define HARNESS_MAX_ARGUMENTS 6
#define HARNESS_HOLE '@' /* in arguments: where the name or the number goes */

/* Arguments that print the names, and what reads these. */
struct harness_question {
	const char *arguments[HARNESS_MAX_ARGUMENTS];
	/* The same for no benchmark at all: what is printed then is no name. [0] NULL: the format
	 * tells names from all else. */
	const char *nothing[HARNESS_MAX_ARGUMENTS];
	harness_names_reader *read;
	/* How a program that answers it selects one; [0] NULL: as the harness says. */
	const char *select[HARNESS_MAX_ARGUMENTS];
	void (*escape)(const char *name, struct strbuf *out);
	const char *brief[HARNESS_MAX_ARGUMENTS]; /* as select: for less time */
	const char *variable;                     /* NAME=value that it needs; NULL: none */
	bool status_counts;                       /* its exit status is how many there are */
	bool when_named; /* only where the configuration names the harness */
};
#define HARNESS_MAX_QUESTIONS 4

struct harness {
	enum config_harness id;         /* CONFIG_HARNESS_NONE: it is only recognised */
	struct harness_trace traces[2]; /* [0] is there; the first that fits counts */
	const char *library;            /* prefix of a library's name that such programs need */
	const char *text;               /* in its programs, where the traces have none */
	/* The first that gives names counts; .read NULL: no more. */
	struct harness_question list[HARNESS_MAX_QUESTIONS];

	/* Runs one benchmark and no other; the hole is filled by escape(). */
	const char *select[HARNESS_MAX_ARGUMENTS];
	void (*escape)(const char *name, struct strbuf *out);
	/* Options by which a command selects benchmarks already, and values that select all. */
	const char *filters[6], *no_filters[4];
	bool bare_words_select;  /* any word that is no option and no option's value */
	const char *switches[8]; /* options without a value, before which a bare word may stand */

	/* A fixed number of iterations; [0] NULL: it has no such flag. */
	const char *count[HARNESS_MAX_ARGUMENTS];
	const char *count_in_help; /* stands in what --help prints where it has the flag */
	/* A run of about HARNESS_TRIAL_SECONDS, which tells how many iterations that is. */
	const char *trial[HARNESS_MAX_ARGUMENTS];
	harness_count_reader *read_count;

	/* Less time, and less of its own statistics, where its clock decides how many iterations
	 * there are; [0] NULL: it has no such flags. */
	const char *brief[HARNESS_MAX_ARGUMENTS];
	/* It does, whatever the program asks for: whether the work is fixed is not a question. */
	bool always_timed;
};

#define HARNESS_TRIAL_SECONDS 0.2

extern const struct harness harnesses[];
extern const size_t harness_count;

/* NULL: of CONFIG_HARNESS_AUTO, _NONE. */
const struct harness *harness_of(enum config_harness id);
/* By what its traces or the configuration call it; NULL: none that has an id. */
const struct harness *harness_named(const char *name);
/* The arguments that select this one; filter is the escaped name. question: of the names. */
const char *const *harness_selector(
	const struct harness *harness, unsigned question, const char *name, struct strbuf *filter);
/* By its own name; NULL: there is none. */
const struct harness_flag *harness_flag_named(const char *name);
/* The arguments for less time; [0] NULL: it has no such flags. */
const char *const *harness_brief(const struct harness *harness, unsigned question);
/* By a harness's name: it runs for a fixed time, and its clock may be replayed. */
bool harness_is_replayed(const char *name);
/* It has a list. */
bool harness_lists(const struct harness *harness);

#endif
