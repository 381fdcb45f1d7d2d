/* SPDX-License-Identifier: Apache-2.0 */
/* A shallow clone gets as much more history as a question needs, step by step. */
#include "gate/vcs/repo.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/vcs/repo_internal.h"

#define FIRST_STEP 50 /* commits; each further step is four times as long */
#define STEP_GROWTH 4
#define MAX_COMMITS 10000
#define MAX_ANCHORS 64

/*
 * A server deepens the history below what is asked for, so besides the target something must be
 * named below which head's history goes on. What works depends on the server and on whether head
 * was pushed: tried in this order.
 */
enum anchor_kind {
	ANCHOR_HEAD,     /* head's id: CI checks out what the server has */
	ANCHOR_BOUNDARY, /* where our history of head ends: head has commits of its own */
	ANCHOR_BRANCHES, /* branches that hold this: servers that give no commit by its id */
	ANCHOR_KINDS,
};

struct deepening {
	struct repo *repo;
	const char *remote, *target, *tracking; /* refs/remotes/<remote>/<target> */
	const char *ancestor; /* of head, to be reached; NULL: the merge base with target is */
	char head[OBJECT_ID_SIZE];
	struct arena arena;
	enum anchor_kind kind;
	const char *anchors[MAX_ANCHORS + 1];
	size_t anchor_count;
	size_t fetches;
};

/* ---- anchors ------------------------------------------------------------------------------ */

static void add_anchor(struct deepening *deepening, const char *name)
{
	if (deepening->anchor_count < MAX_ANCHORS)
		deepening->anchors[deepening->anchor_count++] = name;
}

static const char *next_line(struct deepening *deepening, const char **at)
{
	size_t length = strcspn(*at, "\n");
	const char *line = arena_strndup(&deepening->arena, *at, length);

	*at += length + ((*at)[length] == '\n');
	return line;
}

/* Commits whose parents are not here. Real roots are among them; naming these does no harm. */
static int list_boundary(struct deepening *deepening, struct strbuf *ids, struct error *err)
{
	return git_ask(deepening->repo,
		GIT_ARGS("rev-list", "--max-parents=0", "--max-count=64", "--end-of-options",
			deepening->head),
		ids, err);
}

static int add_boundary(struct deepening *deepening, struct error *err)
{
	struct strbuf ids = STRBUF_INIT;
	int rc = list_boundary(deepening, &ids, err);

	for (const char *at = ids.data; !rc && *at;)
		add_anchor(deepening, next_line(deepening, &at));
	strbuf_release(&ids);
	return rc;
}

/* What the remote calls it; actions/checkout keeps refs/pull/N/merge under refs/remotes/pull. */
static const char *remote_name(struct deepening *deepening, const char *reference)
{
	const char *prefix = arena_printf(&deepening->arena, "refs/remotes/%s/", deepening->remote);
	size_t length = strlen(prefix);

	if (strncmp(reference, "refs/remotes/pull/", 18) == 0)
		return arena_printf(&deepening->arena, "refs/pull/%s", reference + 18);
	if (strcmp(reference, deepening->tracking) == 0 || strcmp(reference + length, "HEAD") == 0)
		return NULL;
	return arena_printf(&deepening->arena, "refs/heads/%s", reference + length);
}

static const char *const *branch_question(struct deepening *deepening, const char *boundary)
{
	const char **args = arena_array(&deepening->arena, 2 * MAX_ANCHORS + 8, sizeof(*args));
	size_t count = 0;

	args[count++] = "for-each-ref";
	args[count++] = "--count=32";
	args[count++] = "--format=%(refname)";
	for (size_t i = 0; *boundary && i < MAX_ANCHORS; i++) {
		args[count++] = "--contains";
		args[count++] = next_line(deepening, &boundary);
	}
	args[count++] = "--";
	args[count++] = arena_printf(&deepening->arena, "refs/remotes/%s/", deepening->remote);
	args[count++] = "refs/remotes/pull/";
	return args;
}

static int add_branches(struct deepening *deepening, struct error *err)
{
	struct strbuf ids = STRBUF_INIT, names = STRBUF_INIT;
	int rc = list_boundary(deepening, &ids, err);

	if (!rc && ids.length)
		rc = git_ask(deepening->repo, branch_question(deepening, ids.data), &names, err);
	for (const char *at = names.data; !rc && *at;) {
		const char *name = remote_name(deepening, next_line(deepening, &at));

		if (name)
			add_anchor(deepening, name);
	}
	strbuf_release(&ids);
	strbuf_release(&names);
	return rc;
}

static int find_anchors(struct deepening *deepening, struct error *err)
{
	deepening->anchor_count = 0;
	switch (deepening->kind) {
	case ANCHOR_HEAD:
		add_anchor(deepening, deepening->head);
		return ERR_OK;
	case ANCHOR_BOUNDARY:
		return add_boundary(deepening, err);
	default:
		return add_branches(deepening, err);
	}
}

/* ---- fetching ----------------------------------------------------------------------------- */

/* depth: "--depth=N", "--deepen=N", or NULL for all. */
static const char *const *fetch_arguments(struct deepening *deepening, const char *depth)
{
	const char **args = arena_array(&deepening->arena, MAX_ANCHORS + 16, sizeof(*args));
	static const char *const options[] = {"fetch", "--quiet", "--no-tags",
		"--no-write-fetch-head", "--no-recurse-submodules", "--refmap="};
	size_t count = sizeof(options) / sizeof(*options);

	memcpy(args, options, sizeof(options));
	if (depth)
		args[count++] = depth;
	args[count++] = "--end-of-options";
	args[count++] = deepening->remote;
	args[count++] = arena_printf(
		&deepening->arena, "+refs/heads/%s:%s", deepening->target, deepening->tracking);
	if (depth)
		memcpy(args + count, deepening->anchors,
			deepening->anchor_count * sizeof(*deepening->anchors));
	return args;
}

static int refused(const struct deepening *deepening, const char *problem, struct error *err)
{
	/* Of a branch that is an anchor it would be the server's word against ours. */
	if (deepening->kind != ANCHOR_BRANCHES && strstr(problem, "couldn't find remote ref"))
		return error_set(err, ERR_NOT_FOUND, "the remote %.200s has no branch %.200s",
			deepening->remote, deepening->target);
	return error_set(err, ERR_TOOL,
		"cannot fetch %.200s from %.200s to find the merge base (let the checkout fetch "
		"it: fetch-depth: 0): git fetch: %s",
		deepening->target, deepening->remote, problem);
}

static bool wants_other_anchor(const struct deepening *deepening, const char *problem)
{
	return deepening->kind + 1 < ANCHOR_KINDS &&
	       (strstr(problem, "not our ref") || strstr(problem, "unadvertised object"));
}

static int fetch_once(
	struct deepening *deepening, const char *depth, bool *again, struct error *err)
{
	struct strbuf problem = STRBUF_INIT;
	int status = 0;
	int rc = git_try(
		&(struct git_command){
			.directory = deepening->repo->root,
			.args = fetch_arguments(deepening, depth),
			.network = true,
			.problem = &problem,
		},
		&status, err);

	deepening->fetches++;
	*again = !rc && status && wants_other_anchor(deepening, problem.data);
	if (!rc && status)
		rc = refused(deepening, problem.data, err);
	strbuf_release(&problem);
	return rc;
}

static int update_shallow(struct repo *repo, struct error *err)
{
	struct strbuf answer = STRBUF_INIT;
	int rc = git_ask(repo, GIT_ARGS("rev-parse", "--is-shallow-repository"), &answer, err);

	if (!rc)
		repo->shallow = strcmp(answer.data, "true") == 0;
	strbuf_release(&answer);
	return rc;
}

static int fetch(struct deepening *deepening, const char *depth, struct error *err)
{
	bool again = true;
	int rc = ERR_OK;

	while (again) {
		rc = find_anchors(deepening, err);
		if (rc)
			return rc;
		rc = fetch_once(deepening, depth, &again, err);
		deepening->kind += again;
	}
	return rc ? rc : update_shallow(deepening->repo, err);
}

/* ---- steps -------------------------------------------------------------------------------- */

static int look_for_ancestor(const struct deepening *deepening, struct error *err)
{
	bool reached = false;
	int rc = repo_is_ancestor(
		deepening->repo, deepening->ancestor, deepening->head, &reached, err);

	if (!rc && !reached)
		rc = error_set(err, ERR_NOT_FOUND, "%.12s is no ancestor of %.12s",
			deepening->ancestor, deepening->head);
	return rc;
}

static int look(struct deepening *deepening, struct error *err)
{
	char base[OBJECT_ID_SIZE];

	if (deepening->ancestor)
		return look_for_ancestor(deepening, err);
	return repo_merge_base(deepening->repo, deepening->tracking, deepening->head, base, err);
}

/*
 * In a shallow clone as deep as head's history is here, and a step more: a smaller depth would cut
 * off what we have.
 */
static int fetch_target(struct deepening *deepening, struct error *err)
{
	struct strbuf count = STRBUF_INIT;
	const char *depth;
	int rc;

	if (!deepening->repo->shallow)
		return fetch(deepening, NULL, err);
	rc = git_ask(deepening->repo,
		GIT_ARGS("rev-list", "--count", "--end-of-options", deepening->head), &count, err);
	if (!rc) {
		depth = arena_printf(&deepening->arena, "--depth=%lu",
			strtoul(count.data, NULL, 10) + FIRST_STEP);
		rc = fetch(deepening, depth, err);
	}
	strbuf_release(&count);
	return rc;
}

static int too_far(const struct deepening *deepening, size_t max_commits, struct error *err)
{
	if (deepening->ancestor)
		return error_set(err, ERR_NOT_FOUND,
			"%.12s is not among the last %zu commits before %.12s", deepening->ancestor,
			max_commits, deepening->head);
	return error_set(err, ERR_NOT_FOUND,
		"%.12s and %.200s of %.200s have no common ancestor within %zu commits: if they "
		"have one, let the checkout fetch the whole history (fetch-depth: 0)",
		deepening->head, deepening->target, deepening->remote, max_commits);
}

static int deepen(struct deepening *deepening, size_t max_commits, struct error *err)
{
	size_t step = FIRST_STEP, done = 0;
	int rc = look(deepening, err);

	while (rc == ERR_NOT_FOUND && deepening->repo->shallow) {
		if (done >= max_commits)
			return too_far(deepening, max_commits, err);
		if (step > max_commits - done)
			step = max_commits - done;
		rc = fetch(deepening, arena_printf(&deepening->arena, "--deepen=%zu", step), err);
		if (!rc)
			rc = look(deepening, err);
		done += step;
		step *= STEP_GROWTH;
	}
	return rc;
}

static int ask_status(
	const struct deepening *deepening, const char *const *args, int *status, struct error *err)
{
	return git_try(&(struct git_command){.directory = deepening->repo->root, .args = args},
		status, err);
}

/* Nothing that git would take for another revision, a refspec or an address. */
static int check_names(const struct deepening *deepening, struct error *err)
{
	int status = 0;
	int rc = ask_status(
		deepening, GIT_ARGS("check-ref-format", deepening->tracking), &status, err);

	if (!rc && (status || !*deepening->remote || !*deepening->target))
		rc = error_set(err, ERR_USAGE, "\"%.200s\" of \"%.200s\" cannot be a branch",
			deepening->target, deepening->remote);
	return rc;
}

static int check_remote(const struct deepening *deepening, struct error *err)
{
	int status = 0;
	int rc = ask_status(deepening,
		GIT_ARGS("remote", "get-url", "--end-of-options", deepening->remote), &status, err);

	if (!rc && status)
		rc = error_set(err, ERR_NOT_FOUND, "there is no remote %.200s in %s",
			deepening->remote, deepening->repo->root);
	return rc;
}

static int find_merge_base(struct deepening *deepening, size_t max_commits, struct error *err)
{
	char tip[OBJECT_ID_SIZE];
	int missing = repo_resolve_commit(deepening->repo, deepening->tracking, tip, err);
	int rc = missing ? missing : look(deepening, err);

	if (rc != ERR_NOT_FOUND || (!missing && !deepening->repo->shallow))
		return rc;
	rc = check_remote(deepening, err);
	if (!rc && missing)
		rc = fetch_target(deepening, err);
	return rc ? rc : deepen(deepening, max_commits, err);
}

static int find_ancestor(struct deepening *deepening, size_t max_commits, struct error *err)
{
	int rc = look(deepening, err);

	if (rc != ERR_NOT_FOUND || !deepening->repo->shallow)
		return rc;
	rc = check_remote(deepening, err);
	return rc ? rc : deepen(deepening, max_commits, err);
}

static int run_deepening(
	struct deepening *deepening, const char *head, size_t max_commits, struct error *err)
{
	int rc = repo_resolve_commit(deepening->repo, head, deepening->head, err);

	deepening->tracking = arena_printf(
		&deepening->arena, "refs/remotes/%s/%s", deepening->remote, deepening->target);
	if (!max_commits)
		max_commits = MAX_COMMITS;
	if (!rc)
		rc = check_names(deepening, err);
	if (!rc)
		rc = deepening->ancestor ? find_ancestor(deepening, max_commits, err)
					 : find_merge_base(deepening, max_commits, err);
	arena_release(&deepening->arena);
	return rc;
}

int repo_deepen_to_merge_base(struct repo *repo, const char *remote, const char *target,
	const char *head, size_t max_commits, size_t *fetches, struct error *err)
{
	struct deepening deepening = {
		.repo = repo, .remote = remote, .target = target, .arena = ARENA_INIT};
	int rc = run_deepening(&deepening, head, max_commits, err);

	if (!rc && fetches)
		*fetches = deepening.fetches;
	return rc;
}

int repo_deepen_to_ancestor(struct repo *repo, const char *remote, const char *branch,
	const char *ancestor, const char *head, size_t max_commits, size_t *fetches,
	struct error *err)
{
	struct deepening deepening = {.repo = repo,
		.remote = remote,
		.target = branch,
		.ancestor = ancestor,
		.arena = ARENA_INIT};
	int rc = run_deepening(&deepening, head, max_commits, err);

	if (!rc && fetches)
		*fetches = deepening.fetches;
	return rc;
}
