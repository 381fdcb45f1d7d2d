/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks at a repository's working tree for benchmarks: what could be measured now, what must first
 * do a fixed amount of work, and what is not supported yet. Reads files only and runs nothing; the
 * tree is hostile: depth, number and size of files are bounded, symbolic links are not followed,
 * and names that would need quoting anywhere are left out and counted.
 */
#ifndef FG_BENCH_DETECT_H
#define FG_BENCH_DETECT_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/base/arena.h"
#include "gate/base/strbuf.h"

struct codemodel;
struct error;

#define DETECT_MAX_DEPTH 6
#define DETECT_MAX_FILES 20000
#define DETECT_MAX_FILE_BYTES ((size_t)512 * 1024)
#define DETECT_MAX_BYTES ((size_t)256 * 1024 * 1024)
#define DETECT_MAX_CANDIDATES 100
#define DETECT_MAX_STEPS 3
#define DETECT_MAX_PROJECTS 4
#define DETECT_MAX_ATTEMPTS 6

enum detect_readiness {
	DETECT_RUNS,         /* recognised: does the same work on every run */
	DETECT_TIMED,        /* runs for a fixed time, by a clock that can be replayed */
	DETECT_UNRECOGNISED, /* may run for a fixed time: nothing tells */
	DETECT_NEEDS_COUNT,  /* its harness runs for a fixed time: advice says what to set */
	DETECT_UNSUPPORTED,  /* cannot be profiled yet: advice says why */
};

/* Every text is of printable ASCII without line breaks; quotes are our own. */
struct detect_candidate {
	const char *name;                    /* fit for the configuration, unique */
	const char *command;                 /* for the shell */
	const char *directory;               /* relative, "." at the root */
	const char *build[DETECT_MAX_STEPS]; /* shell commands, NULL where there are fewer */
	const char *found_in;                /* file, relative to the root */
	const char *harness;                 /* "" if none is known */
	const char *advice;                  /* what to set, to know, or why not; "" if nothing */
	const char *options;                 /* of CMake, for build[0]: "-DX=ON"; "" if none */
	const char *exclude;                 /* names that do not work, each ended by a line feed */
	const char *project;                 /* a detect_project's folder; NULL: not of CMake */
	enum detect_readiness readiness;
	unsigned sureness; /* that it is a benchmark: what it links, what it includes, its name */
};

/* What CMake configures at once. */
struct detect_project {
	const char *folder;       /* of its CMakeLists.txt, relative, "." at the root */
	const char *build_folder; /* relative */
	const char *configure;    /* command without options */
	/* Options to try, all that anything needs first; each is other options, the last is none.
	 */
	const char *attempts[DETECT_MAX_ATTEMPTS];
	size_t attempt_count;
};

/* What trying that has shown. */
struct detect_configured {
	const char *folder;            /* the project's */
	const struct codemodel *model; /* NULL: CMake could not be configured */
	const char *options;           /* with which it was */
	const char *reason;            /* why not with more; "": it was with all */
};

struct detection {
	struct arena arena;
	const char **systems; /* "Make (Makefile)", sorted */
	size_t system_count;
	struct detect_candidate *candidates; /* by readiness, then by name */
	size_t candidate_count;
	struct detect_project projects[DETECT_MAX_PROJECTS]; /* with what may be a benchmark */
	size_t project_count;
	const char **too_large; /* files that were not read for their size */
	size_t too_large_count;
	size_t odd_names; /* files and targets that were left out for their names */
	bool cut;         /* a limit ended the search early */
};

/*
 * Release with detection_release() only after ERR_OK. ERR_IO if root cannot be read. What CMake has
 * said of projects that were configured counts in place of what their files seem to say.
 */
int detect_scan(const char *root, const struct detect_configured *configured,
	size_t configured_count, struct detection *out, struct error *err);
void detection_release(struct detection *detection);

/* Stands in the configuration as a benchmark; others are comments. */
bool detect_is_proposed(
	const struct detection *detection, const struct detect_candidate *candidate);
/* The command that configures a candidate's project with these options. */
void detect_add_configure(struct strbuf *out, const char *configure, const char *options);
/* Adds the options that are not there. */
void detect_add_options(struct strbuf *out, const char *options);
/* After somebody has changed their readiness. */
void detect_sort(struct detection *detection);
/* Appends a commented .flamegate.yml; config_parse() takes it whatever was found. */
void detect_write_config(const struct detection *detection, struct strbuf *out);

#endif
