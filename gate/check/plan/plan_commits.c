/* SPDX-License-Identifier: Apache-2.0 */
/* Which commits are compared: target branch, merge base, and what head is. */
#include "gate/base/error.h"
#include "gate/check/plan/ci_event.h"
#include "gate/check/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#define SHORT_ID 10
#define REMOTE "origin"
#define MOST_PUSHED 1000 /* commits: what a push is looked for among in a shallow clone */

static int describe_commit(struct plan *plan, const char *id, const char *name,
	struct result_commit *commit, struct error *err)
{
	struct arena *arena = &plan->measurements->arena;

	commit->id = arena_strdup(arena, id);
	commit->name = arena_strdup(arena, name);
	return repo_subject(plan->repo, id, arena, &commit->subject, err);
}

static void warn(struct plan *plan, const char *line)
{
	measurements_add_line(plan->measurements, &plan->measurements->warnings, line);
	plan_progress(plan, "%s", line);
}

/* ---- head ---------------------------------------------------------------------------------- */

/* At a desk head is what lies on the desk. */
static int find_working_tree(struct plan *plan, struct error *err)
{
	struct arena *arena = &plan->measurements->arena;
	char commit[OBJECT_ID_SIZE];
	size_t modified = 0, untracked = 0, submodules = 0;
	int rc = repo_resolve_commit(plan->repo, "HEAD", commit, err);

	if (!rc)
		rc = repo_snapshot(
			plan->repo, plan->commits.head, &modified, &untracked, &submodules, err);
	if (!rc)
		rc = describe_commit(plan, commit, "HEAD", &plan->measurements->head, err);
	if (rc)
		return rc;
	if (submodules)
		warn(plan, arena_printf(arena,
				   "%zu submodule%s changes of %s own: measured as committed",
				   submodules, submodules == 1 ? " has" : "s have",
				   submodules == 1 ? "its" : "their"));
	if (strcmp(plan->commits.head, commit) == 0)
		return ERR_OK;
	plan->measurements->head.dirty = true;
	plan->measurements->snapshot = arena_strdup(arena, plan->commits.head);
	plan->measurements->head.name = "working tree";
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
	rc = repo_resolve_commit(plan->repo, name, plan->commits.head, err);
	if (rc == ERR_NOT_FOUND)
		return err->code = ERR_USAGE;
	return rc ? rc
		  : describe_commit(plan, plan->commits.head, name, &plan->measurements->head, err);
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

/* rc: of the fetch. What is missing may not be needed: what comes next says so if it is. */
static int tell_fetches(const struct plan *plan, int rc, const struct error *lost, size_t fetches,
	struct error *err)
{
	if (rc == ERR_INTERRUPTED)
		return error_set(err, rc, "%s", lost->message);
	if (rc)
		plan_progress(plan, "could not fetch more history: %s", lost->message);
	else if (fetches)
		plan_progress(plan, "fetched the missing history in %zu steps", fetches);
	return ERR_OK;
}

/* A checkout of one commit does not know where its branch began. */
static int deepen(struct plan *plan, const char *branch, struct error *err)
{
	size_t fetches = 0;
	struct error lost = {0};
	int rc;

	if (!repo_is_shallow(plan->repo) || !branch)
		return ERR_OK;
	plan_progress(plan, "a shallow clone: looking for the merge base with %s", branch);
	if (strncmp(branch, REMOTE "/", strlen(REMOTE "/")) == 0)
		branch += strlen(REMOTE "/");
	rc = repo_deepen_to_merge_base(
		plan->repo, REMOTE, branch, plan->commits.head, 0, &fetches, &lost);
	return tell_fetches(plan, rc, &lost, fetches, err);
}

static int find_merge_base(struct plan *plan, struct error *err)
{
	size_t distance = 0;
	int rc = repo_merge_base(
		plan->repo, plan->commits.target, plan->commits.head, plan->commits.base, err);

	if (!rc)
		rc = repo_distance(
			plan->repo, plan->commits.base, plan->commits.target, &distance, err);
	plan->commits.base_name = plan->commits.target_name;
	return rc;
}

/* In a merge queue the base is the entry before, which the target branch does not have yet. */
static int find_queue_base(struct plan *plan, const struct ci_event *event, struct error *err)
{
	int rc = repo_resolve_commit(plan->repo, event->base_commit, plan->commits.base, err);

	plan->commits.base_name = plan->commits.target_name;
	if (rc == ERR_NOT_FOUND)
		rc = error_set(err, ERR_NOT_FOUND,
			"the merge queue's base %.*s is not in this clone: check out with "
			"fetch-depth: 0",
			SHORT_ID, event->base_commit);
	return rc;
}

/* The event's branch as the remote has it: a local branch of that name may be anything. */
static int find_event_target(struct plan *plan, const char *branch, struct error *err)
{
	struct arena *arena = &plan->measurements->arena;
	int rc = repo_target(plan->repo, arena_printf(arena, REMOTE "/%s", branch), arena,
		&plan->commits.target_name, plan->commits.target, err);

	if (rc == ERR_NOT_FOUND)
		rc = repo_target(plan->repo, branch, arena, &plan->commits.target_name,
			plan->commits.target, err);
	return rc;
}

/* ---- push ---------------------------------------------------------------------------------- */

/* In a shallow clone the commit before the push is missing, or head is not known to descend from
 * it. */
static int deepen_push(struct plan *plan, const struct ci_event *event, struct error *err)
{
	size_t fetches = 0;
	struct error lost = {0};
	int rc;

	if (!repo_is_shallow(plan->repo) || !event->pushed_branch[0])
		return ERR_OK;
	plan_progress(plan, "a shallow clone: looking for %.*s, where %s was before this push",
		SHORT_ID, event->base_commit, event->pushed_branch);
	rc = repo_deepen_to_ancestor(plan->repo, REMOTE, event->pushed_branch, event->base_commit,
		plan->commits.head, MOST_PUSHED, &fetches, &lost);
	return tell_fetches(plan, rc, &lost, fetches, err);
}

/* Of an annotated tag the event names the tag's own object. What is not here stays as it is: no
 * server is asked for a branch's commit. */
static int resolve_pushed_over(
	struct plan *plan, const struct ci_event *event, char id[OBJECT_ID_SIZE], struct error *err)
{
	int rc = ERR_NOT_FOUND;

	if (!event->pushed_branch[0])
		rc = repo_resolve_commit(plan->repo, event->base_commit, id, err);
	if (!rc || rc == ERR_INTERRUPTED)
		return rc;
	memcpy(id, event->base_commit, strlen(event->base_commit) + 1);
	return ERR_OK;
}

/* *found: head descends from plan->commits.base, what the branch was before. It does not after a
 * force push. */
static int find_pushed_over(
	struct plan *plan, const struct ci_event *event, bool *found, struct error *err)
{
	int rc = ERR_OK;

	*found = false;
	if (!event->base_commit[0] || strcmp(event->base_commit, plan->commits.head) == 0)
		return ERR_OK;
	rc = deepen_push(plan, event, err);
	if (!rc)
		rc = resolve_pushed_over(plan, event, plan->commits.base, err);
	if (!rc)
		rc = repo_is_ancestor(
			plan->repo, plan->commits.base, plan->commits.head, found, err);
	if (rc || *found)
		return rc;
	plan_progress(plan,
		"head does not descend from %.*s, which the branch was before this push: the base "
		"is the merge base with %s",
		SHORT_ID, event->base_commit, plan->commits.target_name);
	return ERR_OK;
}

static int find_push_base(struct plan *plan, const struct ci_event *event, struct error *err)
{
	bool found;
	int rc = find_pushed_over(plan, event, &found, err);

	if (rc)
		return rc;
	if (!found)
		return find_merge_base(plan, err);
	plan->commits.base_name = arena_printf(&plan->measurements->arena, "%s before the push",
		event->pushed_branch[0] ? event->pushed_branch : "the tag");
	return ERR_OK;
}

/* ---- drift --------------------------------------------------------------------------------- */

/* Somebody's release is no target branch: the policy comes from where it would without. */
static int find_policy_branch(struct plan *plan, struct error *err)
{
	int rc = repo_target(plan->repo, NULL, &plan->measurements->arena,
		&plan->commits.target_name, plan->commits.target, err);

	/* Nothing but the release to take it from. */
	return rc == ERR_NOT_FOUND ? ERR_OK : rc;
}

/* Of one commit against the one before it there is nothing to say: that is a change, no drift. */
static void tell_drift(struct plan *plan)
{
	size_t commits = 0;
	char merge_base[OBJECT_ID_SIZE] = "";
	struct error ignored;
	bool descends = repo_merge_base(plan->repo, plan->commits.base, plan->commits.head,
				merge_base, &ignored) == ERR_OK &&
			strcmp(merge_base, plan->commits.base) == 0 &&
			repo_distance(plan->repo, plan->commits.base, plan->commits.head, &commits,
				&ignored) == ERR_OK;

	/* The snapshot of uncommitted changes is no commit of anybody's. */
	if (descends && plan->measurements->head.dirty && commits)
		commits--;
	if (descends && commits < 2)
		return;
	measurements_add_line(plan->measurements, &plan->measurements->notes,
		descends ? arena_printf(&plan->measurements->arena,
				   "drift: head is compared with %s itself, %zu commits before it: "
				   "small changes that passed one by one add up",
				   plan->commits.base_name, commits)
			 : arena_printf(&plan->measurements->arena,
				   "drift: head is compared with %s itself, "
				   "which it does not descend from",
				   plan->commits.base_name));
}

/*
 * A tag or a commit is the base itself: a branch's tip may have moved on since head left it, but a
 * release is what people have.
 */
static int find_drift_base(struct plan *plan, bool *drift, struct error *err)
{
	bool branch = true;
	int rc = plan->options->base
			 ? repo_is_branch(plan->repo, plan->commits.target_name, &branch, err)
			 : ERR_OK;

	*drift = !branch;
	if (rc || branch)
		return rc;
	memcpy(plan->commits.base, plan->commits.target, sizeof(plan->commits.base));
	plan->commits.base_name = plan->commits.target_name;
	tell_drift(plan);
	return find_policy_branch(plan, err);
}

/* ---- one commit ----------------------------------------------------------------------------- */

/* What to do about a checkout that is its own base. */
static const char *advice_for(const struct ci_event *event)
{
	if (strcmp(event->name, "pull_request_target") == 0)
		return "the event pull_request_target checks out the base: run on pull_request, or "
		       "check out the pull request's head";
	if (event->kind == CI_EVENT_PUSH)
		return "the push names no earlier commit that head descends "
		       "from: name one by --base";
	return "check out the pull request's head, or name what to compare with by --base";
}

/* A push for which there is no base is the workflow's to mend, not a failure to measure. */
static int no_push_base(struct error *err)
{
	error_prefix(err, "nothing to compare");
	return err->code = ERR_USAGE;
}

/*
 * A gate that compares a commit with itself is green for ever. A base that somebody asked for is
 * obeyed, in sight; at a desk it is how one tries a configuration.
 */
static int check_commits_differ(struct plan *plan, const struct ci_event *event, struct error *err)
{
	struct measurements *measurements = plan->measurements;
	bool ci = plan->options->ci,
	     contained = strcmp(plan->commits.target, plan->commits.head) != 0;

	if (strcmp(plan->commits.base, plan->commits.head) != 0)
		return ERR_OK;
	if (ci && !plan->options->base)
		return error_set(err, ERR_USAGE,
			"nothing to compare: base and head are the same commit, %.*s (%s): %s",
			SHORT_ID, plan->commits.head, plan->commits.target_name, advice_for(event));
	measurements_add_line(measurements,
		ci || contained ? &measurements->warnings : &measurements->notes,
		contained ? arena_printf(&measurements->arena,
				    "head is already contained in %s: it is its own base",
				    plan->commits.target_name)
			  : "base and head are the same commit: "
			    "nothing was changed that could be compared");
	return ERR_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int find_target(
	struct plan *plan, const struct ci_event *event, const char *branch, struct error *err)
{
	struct arena *arena = &plan->measurements->arena;
	int rc = ERR_NOT_FOUND;

	if (event->kind != CI_EVENT_OTHER && branch)
		rc = find_event_target(plan, branch, err);
	/* A queue's branch is the target, and no other; a push's is the usual one. */
	if (rc == ERR_NOT_FOUND && event->kind != CI_EVENT_QUEUE)
		rc = repo_target(plan->repo, plan->options->base, arena, &plan->commits.target_name,
			plan->commits.target, err);
	/* A revision that the user typed and that does not exist is the user's to mend. */
	if (rc == ERR_NOT_FOUND && plan->options->base && !repo_is_shallow(plan->repo))
		err->code = rc = ERR_USAGE;
	return rc;
}

static int find_base_of(struct plan *plan, const struct ci_event *event, struct error *err)
{
	bool drift = false;
	int rc = find_drift_base(plan, &drift, err);

	if (rc || drift)
		return rc;
	if (event->kind == CI_EVENT_QUEUE)
		return find_queue_base(plan, event, err);
	return event->kind == CI_EVENT_PUSH ? find_push_base(plan, event, err)
					    : find_merge_base(plan, err);
}

static int find_base(struct plan *plan, struct error *err)
{
	struct ci_event event = {.name = "", .base_branch = ""};
	const char *branch;
	int rc =
		plan->options->ci ? ci_event_read(&plan->measurements->arena, &event, err) : ERR_OK;

	if (rc)
		return rc;
	/* What somebody asks for comes before what the event says. */
	if (plan->options->base)
		event.kind = CI_EVENT_OTHER;
	branch = wanted_branch(plan, &event);
	rc = deepen(plan, branch, err);
	if (!rc)
		rc = find_target(plan, &event, branch, err);
	if (!rc)
		rc = find_base_of(plan, &event, err);
	if (rc == ERR_NOT_FOUND && event.kind == CI_EVENT_PUSH)
		return no_push_base(err);
	return rc ? rc : check_commits_differ(plan, &event, err);
}

/* A self-test compares head with itself. */
static void base_is_head(struct plan *plan)
{
	plan->commits.target_name = plan->commits.base_name = "head itself";
	memcpy(plan->commits.target, plan->commits.head, sizeof(plan->commits.target));
	memcpy(plan->commits.base, plan->commits.head, sizeof(plan->commits.base));
}

int plan_find_commits(struct plan *plan, struct error *err)
{
	int rc = find_head(plan, err);

	if (!rc && plan->options->plant)
		base_is_head(plan);
	else if (!rc)
		rc = find_base(plan, err);
	if (!rc)
		rc = describe_commit(plan, plan->commits.base, plan->commits.base_name,
			&plan->measurements->base, err);
	if (!rc)
		rc = repo_diff(plan->repo, plan->commits.base, plan->commits.head,
			&plan->measurements->arena, &plan->measurements->diff, err);
	plan->measurements->diff_known = !rc;
	return rc;
}
