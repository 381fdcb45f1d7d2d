/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of repo.h share. Each question is asked twice at most: libgit2 answers most at
 * once; where it fails for whatever reason, the git program decides and words the error.
 */
#ifndef FG_VCS_REPO_INTERNAL_H
#define FG_VCS_REPO_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Not git2.h: it brings index.h, which names a member like a banned function. */
#include <git2/blob.h>
#include <git2/commit.h>
#include <git2/global.h>
#include <git2/graph.h>
#include <git2/object.h>
#include <git2/odb.h>
#include <git2/oid.h>
#include <git2/repository.h>
#include <git2/revparse.h>
#include <git2/tree.h>

#include "gate/base/strbuf.h"
#include "gate/vcs/repo.h"

struct error;

struct repo {
	char *root;
	char *common_dir;    /* absolute: where objects and worktree registrations are */
	git_repository *git; /* NULL: libgit2 refuses it */
	bool shallow;
};

/* From now on only the git program is asked, as in repositories that libgit2 refuses. */
void repo_use_program(struct repo *repo);

/* As a tree names it; git would take "." and ".." for its current folder. */
bool repo_is_tree_path(const char *path);

/* The id in an answer's first line. */
bool object_id_take(const struct strbuf *answer, char id[OBJECT_ID_SIZE]);

/*
 * One run of the git program in a folder (NULL: the repository's root), with hooks, fsmonitor,
 * prompts and the ext transport off, and no GIT_* variable that points to another repository.
 */
struct git_command {
	const char *directory;
	const char *const *args; /* NULL-terminated, without "git" */
	const char *const *env;  /* NULL-terminated NAME=value, added; NULL: none */
	const void *input;       /* for its stdin; NULL: nothing */
	size_t input_length;
	size_t limit; /* of the output; 0 = 16 MiB */
	bool network; /* may take long, but for a server that says nothing for half a minute */
	bool *silent; /* set if that is what ended it; NULL: nobody asks */
	uint64_t timeout_ns;    /* 0: ten minutes, an hour over the network */
	bool cleaning_up;       /* also after an interruption */
	struct strbuf *out;     /* appended; NULL: discarded */
	struct strbuf *problem; /* what it says on stderr; NULL: only in the error */
};

/* ERR_TOOL with git's own words if it cannot be run or exits non-zero; ERR_LIMIT past the limit. */
int git_run(const struct git_command *command, struct error *err);
/* As git_run(), but a non-zero exit is no error: *exit_status has it. */
int git_try(const struct git_command *command, int *exit_status, struct error *err);
/* git_run() in the repository's root, the output without its last newline. */
int git_ask(
	const struct repo *repo, const char *const *args, struct strbuf *out, struct error *err);

/* For tests: how long a server may say nothing; 0: half a minute. */
void git_set_silence(uint64_t ns);
/* For tests: as before repo_expect_code(). */
void git_expect_no_code(void);

/* The environment of a command that must not fetch what a partial clone lacks. */
extern const char *const git_fetches_nothing[];

/*
 * Why a command of that kind could not read a file's object, or, with id NULL, what leads to it.
 * err has git's own words; replaces them: ERR_TOOL where a partial clone has not fetched it or
 * where there is no repository any more, ERR_CORRUPT where the object is damaged, or missing from a
 * clone that should have it. Returns the code.
 */
int repo_explain_absent(const struct repo *repo, const char *id, struct error *err);

#define GIT_ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif
