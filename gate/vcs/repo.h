/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The local git repository. Reading goes through libgit2; where that refuses (SHA-256, some partial
 * clones, folders owned by others) and for worktrees the git program is used. Ids are hex strings,
 * so that both object formats fit. Every revision handed to git stands behind --end-of-options.
 */
#ifndef FG_VCS_REPO_H
#define FG_VCS_REPO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/base/strbuf.h"

struct error;

#define OBJECT_ID_SIZE 65 /* 64 hex digits and a NUL */

/* A full id: 40 or 64 lower-case hex digits. */
bool object_id_is_valid(const char *text, size_t length);

struct repo;

/* Finds the repository that contains path. ERR_USAGE if there is none. */
int repo_open(const char *path, struct repo **out, struct error *err);
void repo_free(struct repo *repo);
/* Absolute path of the working tree's root (no trailing slash); owned by repo. */
const char *repo_root(const struct repo *repo);
bool repo_is_shallow(const struct repo *repo);

/* Whether a variable may be told to anybody: no token and no secret is in it. */
typedef bool repo_is_plain(const char *name, size_t name_length, const char *value);
/*
 * Before the project's code runs for the first time. It can change what git does, by its settings
 * or by a program in PATH, and git would give such a command our variables. So from now on, in all
 * repositories, git gets those alone that is_plain() lets through, and nothing that it starts
 * outlives it. Only what may need this repository's server is run as before, as long as nothing of
 * that has changed since. Later calls do nothing.
 */
void repo_expect_code(struct repo *repo, repo_is_plain *is_plain);

/*
 * Whether a whole id, from wherever, names a commit that is here. A partial clone asks no server
 * for it, as the others here do.
 */
bool repo_has_commit(struct repo *repo, const char *id);
/* Commit id that a revision names. ERR_NOT_FOUND with a message if it names none. */
int repo_resolve_commit(
	struct repo *repo, const char *revision, char id[OBJECT_ID_SIZE], struct error *err);
int repo_tree_id(struct repo *repo, const char *commit, char id[OBJECT_ID_SIZE], struct error *err);
/*
 * ERR_NOT_FOUND when there is none; the message says what to set if the clone is shallow
 * (fetch-depth: 0).
 */
int repo_merge_base(struct repo *repo, const char *a, const char *b, char id[OBJECT_ID_SIZE],
	struct error *err);
/*
 * Whether a whole commit id, from wherever, is head or one of its ancestors, as far as history is
 * here: false for what is not. head: a commit that is here.
 */
int repo_is_ancestor(
	struct repo *repo, const char *ancestor, const char *head, bool *is, struct error *err);
/* Commits on b's side only: git rev-list --count a..b. */
int repo_distance(
	struct repo *repo, const char *a, const char *b, size_t *count, struct error *err);
/* First line of the commit message, arena-owned. */
int repo_subject(struct repo *repo, const char *commit, struct arena *arena, const char **subject,
	struct error *err);
/* Content of path in a commit. ERR_NOT_FOUND if it is not a regular file there. */
int repo_read_blob(struct repo *repo, const char *commit, const char *path, size_t max_bytes,
	struct strbuf *out, struct error *err);
/*
 * The same of a whole commit id, without a network. The message says which it is: ERR_TOOL where a
 * partial clone has not fetched it yet or the repository is gone, ERR_CORRUPT where an object is
 * damaged, or missing from a clone that should have it.
 */
int repo_read_blob_here(struct repo *repo, const char *commit, const char *path, size_t max_bytes,
	struct strbuf *out, struct error *err);
/* Of a whole commit id: path lies below a submodule of its, so that its tree cannot know the file.
 * Without a network; false where it is not known. */
bool repo_is_in_submodule(struct repo *repo, const char *commit, const char *path);
/*
 * Tracked files that differ from HEAD, and untracked ones that are not ignored. Of very many (16
 * MiB of names) only the first are counted.
 */
int repo_count_dirty(struct repo *repo, size_t *modified, size_t *untracked, struct error *err);

/* A line such as "Signed-off-by: ..." at the end of a commit message. */
struct repo_trailer {
	const char *commit;
	const char *email; /* the committer's, as the commit says: anybody can write any */
	const char *value; /* one line, inert (text_defuse()) */
};
/*
 * The trailers called key (in any case) of the commits of head that base does not have, newest
 * first, by the rules of git-interpret-trailers(1). Of more than max_commits commits only the
 * newest are looked at. Ids must be full ones. ERR_LIMIT for messages of over 16 MiB. Arena-owned.
 */
int repo_trailers(struct repo *repo, const char *base, const char *head, const char *key,
	size_t max_commits, struct arena *arena, const struct repo_trailer **trailers,
	size_t *count, struct error *err);

/* Lines of a commit that a change added or altered (1-based, inclusive); base-side lines for
 * deletions. */
struct repo_hunk {
	uint32_t old_start, old_lines, new_start, new_lines;
};
struct repo_file_change {
	/* Equal unless renamed; "" where the file does not exist. */
	const char *old_path, *new_path;
	const struct repo_hunk *hunks;
	size_t hunk_count;
	bool binary;
};
struct repo_diff {
	struct repo_file_change *files;
	size_t file_count;
};
/*
 * Zero context lines, renames found, sorted by path. Arena-owned. As in git, the start of an empty
 * side (lines 0) is the line before it, and a submodule is a file with one changed line.
 */
int repo_diff(struct repo *repo, const char *base, const char *head, struct arena *arena,
	struct repo_diff *out, struct error *err);

/*
 * Names that revisions have: branches, remotes' branches ("origin/main") and tags, in git's order,
 * at most max. Anybody can have made up such a name. Arena-owned.
 */
int repo_reference_names(struct repo *repo, size_t max, struct arena *arena,
	const char *const **names, size_t *count, struct error *err);

/*
 * The target branch's tip, for policy and merge base: `wanted` (or origin/<wanted>) if not NULL;
 * else GITHUB_BASE_REF as origin/<ref> (or <ref>), and nothing else then; else the upstream of
 * HEAD's branch if it is another branch; else origin/HEAD, origin/main, origin/master, main, master
 * (the first that exists). *name is arena-owned.
 */
int repo_target(struct repo *repo, const char *wanted, struct arena *arena, const char **name,
	char id[OBJECT_ID_SIZE], struct error *err);

/* Does a revision name a branch of ours or a remote's, rather than a tag or a commit? */
int repo_is_branch(struct repo *repo, const char *revision, bool *branch, struct error *err);

/*
 * commit and its first-parent ancestors, nearest first, at most max, ids arena-owned. *cut (may be
 * NULL): a shallow clone ends the list early.
 */
int repo_first_parents(struct repo *repo, const char *commit, size_t max, struct arena *arena,
	const char *const **ids, size_t *count, bool *cut, struct error *err);

/*
 * The working tree as a commit of its own, without touching index, branches or stash: all tracked
 * files and untracked ones that are not ignored, as `git add -A` would take them, on top of HEAD
 * with HEAD's dates (equal content, equal id). HEAD's own id where nothing differs (*modified and
 * *untracked 0). ERR_LIMIT when untracked files make more than 512 MiB: it names the largest and
 * says what to do. Submodules count as their recorded commits; *dirty_submodules (may be NULL)
 * tells how many have changes of their own, which are not in it.
 */
int repo_snapshot(struct repo *repo, char id[OBJECT_ID_SIZE], size_t *modified, size_t *untracked,
	size_t *dirty_submodules, struct error *err);

/*
 * After a shallow checkout: fetches what is missing of target (a branch of the remote, e.g. "main")
 * and deepens both histories step by step (by the git program, which knows the credentials) until
 * their merge base is there. *fetches (may be NULL): how many round trips it took, 0 if nothing was
 * missing. With a complete clone it does nothing. ERR_NOT_FOUND when the histories have nothing in
 * common or max_commits (0: 10,000) are reached; ERR_TOOL when the remote cannot be asked. Messages
 * say what to set instead (fetch-depth: 0).
 */
int repo_deepen_to_merge_base(struct repo *repo, const char *remote, const char *target,
	const char *head, size_t max_commits, size_t *fetches, struct error *err);

/*
 * The same, until `ancestor` (a whole commit id, from wherever) is known to be an ancestor of head:
 * only head's own history is deepened, which is that of the remote's `branch`. ERR_NOT_FOUND when
 * it is none of its last max_commits.
 */
int repo_deepen_to_ancestor(struct repo *repo, const char *remote, const char *branch,
	const char *ancestor, const char *head, size_t max_commits, size_t *fetches,
	struct error *err);

/* The name of HEAD's branch, "" when detached; arena-owned. */
int repo_branch(struct repo *repo, struct arena *arena, const char **name, struct error *err);
/*
 * The branch that pull requests go to: where origin/HEAD points, else main or master where origin
 * or we have it, else HEAD's branch; "" if that cannot be told. Arena-owned. Contacts nobody.
 */
int repo_default_branch(
	struct repo *repo, struct arena *arena, const char **name, struct error *err);

/*
 * Detached worktree of commit at path (must not exist; its parent must). Submodules at their
 * recorded commits; a file that git-lfs should have filled and did not is ERR_TOOL. Hooks are off.
 */
int repo_worktree_add(struct repo *repo, const char *commit, const char *path, struct error *err);
/* Forgets the worktree and deletes the folder.
 * A path that is no worktree is deleted all the same. */
int repo_worktree_remove(struct repo *repo, const char *path, struct error *err);
/* Turns a worktree into a plain folder: removes its .git file and its registration, keeps the
 * files. */
int repo_worktree_detach_folder(struct repo *repo, const char *path, struct error *err);
/* Removes every registered worktree below prefix (left by a killed run). Returns how many in
 * *count. */
int repo_worktree_sweep(struct repo *repo, const char *prefix, size_t *count, struct error *err);

#endif
