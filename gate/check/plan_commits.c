/* SPDX-License-Identifier: Apache-2.0 */
/* Which commits are compared: target branch, merge base, and what head is. */
#include "gate/check/ci_event.h"
#include "gate/check/measure.h"

#include <stdlib.h>
#include <string.h>

#define SHORT_ID 10
#define REMOTE "origin"

static int describe_commit(struct plan *plan, const char *id, const char *name,
	struct result_commit *commit, struct error *err)
{
	struct arena *arena = &plan->session->arena;

	commit->id = arena_strdup(arena, id);
	commit->name = arena_strdup(arena, name);
	return repo_subject(plan->repo, id, arena, &commit->subject, err);
}

static void warn(struct plan *plan, const char *line)
{
	session_add_line(plan->session, &plan->session->warnings, line);
	plan_progress(plan, "%s", line);
}

/* ---- head ---------------------------------------------------------------------------------- */

/* At a desk head is what lies on the desk. */
static int find_working_tree(struct plan *plan, struct error *err)
{
	struct arena *arena = &plan->session->arena;
	char commit[OBJECT_ID_SIZE];
	size_t modified = 0, untracked = 0, submodules = 0;
	int rc = repo_resolve_commit(plan->repo, "HEAD", commit, err);

	if (!rc)
		rc = repo_snapshot(plan->repo, plan->head, &modified, &untracked, &submodules, err);
	if (!rc)
		rc = describe_commit(plan, commit, "HEAD", &plan->session->head, err);
	if (rc)
		return rc;
	if (submodules)
		warn(plan, arena_printf(arena,
				   "%zu submodule%s changes of %s own: measured as committed",
				   submodules, submodules == 1 ? " has" : "s have",
				   submodules == 1 ? "its" : "their"));
	if (strcmp(plan->head, commit) == 0)
		return ERR_OK;
	plan->session->head.dirty = true;
	plan->session->snapshot = arena_strdup(arena, plan->head);
	plan->session->head.name = "working tree";
	plan_progress(plan,
		"head is the working tree: %.*s with %zu modified and %zu untracked files",
		SHORT_ID, commit, modified, untracked);
	return ERR_OK;
}

static int find_head(struct plan *plan, struct error *err)
{
	const char *name = plan->options->head ? plan->options->head : "HEAD";
	int rc;

	if (!plan->options->head && !plan->options->ci)
		return find_working_tree(plan, err);
	rc = repo_resolve_commit(plan->repo, name, plan->head, err);
	if (rc == ERR_NOT_FOUND)
		return err->code = ERR_USAGE;
	return rc ? rc : describe_commit(plan, plan->head, name, &plan->session->head, err);
}

/* ---- base ---------------------------------------------------------------------------------- */

/* The branch's name as the remote knows it; NULL when nobody has said which. */
static const char *wanted_branch(const struct plan *plan, const struct ci_event *event)
{
	const char *github = getenv("GITHUB_BASE_REF");

	if (plan->options->base)
		return plan->options->base;
	if (event->base_branch[0])
		return event->base_branch;
	return github && github[0] ? github : NULL;
}

/* A checkout of one commit does not know where its branch began. */
static int deepen(struct plan *plan, const char *branch, struct error *err)
{
	size_t fetches = 0;
	struct error lost = {0};

	if (!repo_is_shallow(plan->repo) || !branch)
		return ERR_OK;
	plan_progress(plan, "a shallow clone: looking for the merge base with %s", branch);
	if (strncmp(branch, REMOTE "/", strlen(REMOTE "/")) == 0)
		branch += strlen(REMOTE "/");
	if (repo_deepen_to_merge_base(plan->repo, REMOTE, branch, plan->head, 0, &fetches, &lost)) {
		if (lost.code == ERR_INTERRUPTED)
			return error_set(err, lost.code, "%s", lost.message);
		/* What is missing may not be needed; what comes next says so if it is. */
		plan_progress(plan, "could not fetch more history: %s", lost.message);
	} else if (fetches) {
		plan_progress(plan, "fetched the missing history in %zu steps", fetches);
	}
	return ERR_OK;
}

static int find_merge_base(struct plan *plan, struct error *err)
{
	size_t distance = 0;
	int rc = repo_merge_base(plan->repo, plan->target, plan->head, plan->base, err);

	if (!rc)
		rc = repo_distance(plan->repo, plan->base, plan->target, &distance, err);
	if (!rc && strcmp(plan->base, plan->head) == 0 && strcmp(plan->target, plan->head) != 0)
		session_add_line(plan->session, &plan->session->warnings,
			arena_printf(&plan->session->arena,
				"head is already contained in %s: it is its own base",
				plan->target_name));
	return rc;
}

/* In a merge queue the base is the entry before, which the target branch does not have yet. */
static int find_queue_base(struct plan *plan, const struct ci_event *event, struct error *err)
{
	int rc = repo_resolve_commit(plan->repo, event->base_commit, plan->base, err);

	if (rc == ERR_NOT_FOUND)
		rc = error_set(err, ERR_NOT_FOUND,
			"the merge queue's base %.*s is not in this clone: check out with "
			"fetch-depth: 0",
			SHORT_ID, event->base_commit);
	return rc;
}

/* The queue's branch as the remote has it: a local branch of that name may be anything. */
static int find_queue_target(struct plan *plan, const char *branch, struct error *err)
{
	struct arena *arena = &plan->session->arena;
	int rc = repo_target(plan->repo, arena_printf(arena, REMOTE "/%s", branch), arena,
		&plan->target_name, plan->target, err);

	if (rc == ERR_NOT_FOUND)
		rc = repo_target(plan->repo, branch, arena, &plan->target_name, plan->target, err);
	return rc;
}

/* ---- drift --------------------------------------------------------------------------------- */

/* Somebody's release is no target branch: the policy comes from where it would without. */
static int find_policy_branch(struct plan *plan, struct error *err)
{
	int rc = repo_target(
		plan->repo, NULL, &plan->session->arena, &plan->target_name, plan->target, err);

	/* Nothing but the release to take it from. */
	return rc == ERR_NOT_FOUND ? ERR_OK : rc;
}

/* Of one commit against the one before it there is nothing to say: that is a change, no drift. */
static void tell_drift(struct plan *plan)
{
	size_t commits = 0;
	char merge_base[OBJECT_ID_SIZE] = "";
	struct error ignored;
	bool descends =
		repo_merge_base(plan->repo, plan->base, plan->head, merge_base, &ignored) ==
			ERR_OK &&
		strcmp(merge_base, plan->base) == 0 &&
		repo_distance(plan->repo, plan->base, plan->head, &commits, &ignored) == ERR_OK;

	/* The snapshot of uncommitted changes is no commit of anybody's. */
	if (descends && plan->session->head.dirty && commits)
		commits--;
	if (descends && commits < 2)
		return;
	session_add_line(plan->session, &plan->session->notes,
		descends ? arena_printf(&plan->session->arena,
				   "drift: head is held against %s itself, %zu commits before it: "
				   "small changes that passed one by one add up",
				   plan->base_name, commits)
			 : arena_printf(&plan->session->arena,
				   "drift: head is held against %s itself, which it does not "
				   "descend from",
				   plan->base_name));
}

/*
 * A tag or a commit is the base itself: a branch's tip may have moved on since head left it, but a
 * release is what people have.
 */
static int find_drift_base(struct plan *plan, bool *drift, struct error *err)
{
	bool branch = true;
	int rc = plan->options->base ? repo_is_branch(plan->repo, plan->target_name, &branch, err)
				     : ERR_OK;

	*drift = !branch;
	if (rc || branch)
		return rc;
	memcpy(plan->base, plan->target, sizeof(plan->base));
	plan->base_name = plan->target_name;
	tell_drift(plan);
	return find_policy_branch(plan, err);
}

static int find_base(struct plan *plan, struct error *err)
{
	struct arena *arena = &plan->session->arena;
	struct ci_event event = {.base_branch = "", .base_commit = ""};
	const char *branch;
	bool queue, drift = false;
	int rc = plan->options->ci ? ci_event_read(arena, &event, err) : ERR_OK;

	if (rc)
		return rc;
	queue = event.base_commit[0] && !plan->options->base;
	branch = wanted_branch(plan, &event);
	rc = deepen(plan, branch, err);
	if (!rc && queue)
		rc = find_queue_target(plan, branch, err);
	else if (!rc)
		rc = repo_target(plan->repo, plan->options->base, arena, &plan->target_name,
			plan->target, err);
	/* A revision that the user typed and that does not exist is the user's to mend. */
	if (rc == ERR_NOT_FOUND && plan->options->base && !repo_is_shallow(plan->repo))
		return err->code = ERR_USAGE;
	if (!rc)
		rc = find_drift_base(plan, &drift, err);
	if (rc || drift)
		return rc;
	plan->base_name = plan->target_name;
	return queue ? find_queue_base(plan, &event, err) : find_merge_base(plan, err);
}

/* A self-test holds head against itself. */
static void base_is_head(struct plan *plan)
{
	plan->target_name = plan->base_name = "head itself";
	memcpy(plan->target, plan->head, sizeof(plan->target));
	memcpy(plan->base, plan->head, sizeof(plan->base));
}

int plan_commits(struct plan *plan, struct error *err)
{
	int rc = find_head(plan, err);

	if (!rc && plan->options->plant)
		base_is_head(plan);
	else if (!rc)
		rc = find_base(plan, err);
	if (!rc)
		rc = describe_commit(plan, plan->base, plan->base_name, &plan->session->base, err);
	if (!rc)
		rc = repo_diff(plan->repo, plan->base, plan->head, &plan->session->arena,
			&plan->session->diff, err);
	plan->session->diff_known = !rc;
	return rc;
}
