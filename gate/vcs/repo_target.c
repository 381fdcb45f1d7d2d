/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which branch a change is meant for: the user, CI or the branch's upstream says it, else it is
 * guessed. And which branches and tags there are.
 */
#include "gate/vcs/repo.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/vcs/repo_internal.h"

static const char *const usual_targets[] = {
	"refs/remotes/origin/HEAD",
	"refs/remotes/origin/main",
	"refs/remotes/origin/master",
	"refs/heads/main",
	"refs/heads/master",
};

/* "origin/main" for refs/remotes/origin/main: what people say. */
static const char *short_name(const char *reference)
{
	if (strncmp(reference, "refs/remotes/", 13) == 0)
		return reference + 13;
	return strncmp(reference, "refs/heads/", 11) == 0 ? reference + 11 : reference;
}

static int try_target(struct repo *repo, const char *reference, struct arena *arena,
	const char **name, char id[OBJECT_ID_SIZE], struct error *err)
{
	int rc = repo_resolve_commit(repo, reference, id, err);

	if (!rc)
		*name = arena_strdup(arena, short_name(reference));
	return rc;
}

/* As given, or as the remote's branch: CI checks out a commit, not branches. */
static int wanted_target(struct repo *repo, const char *wanted, struct arena *arena,
	const char **name, char id[OBJECT_ID_SIZE], struct error *err)
{
	const char *remote = arena_printf(arena, "refs/remotes/origin/%s", wanted);
	int rc = try_target(repo, wanted, arena, name, id, err);

	if (rc == ERR_NOT_FOUND && try_target(repo, remote, arena, name, id, NULL) == ERR_OK)
		return ERR_OK;
	return rc;
}

/* No guessing when CI says which branch: the policy comes from there. */
static int github_target(struct repo *repo, const char *branch, struct arena *arena,
	const char **name, char id[OBJECT_ID_SIZE], struct error *err)
{
	const char *remote = arena_printf(arena, "refs/remotes/origin/%s", branch);
	const char *local = arena_printf(arena, "refs/heads/%s", branch);
	int rc = try_target(repo, remote, arena, name, id, NULL);

	if (rc == ERR_NOT_FOUND)
		rc = try_target(repo, local, arena, name, id, NULL);
	if (rc == ERR_NOT_FOUND)
		return error_set(err, ERR_NOT_FOUND,
			"the target branch %.200s (GITHUB_BASE_REF) is not in this clone: check "
			"out with fetch-depth: 0, or fetch it (git fetch origin "
			"+refs/heads/%.200s:refs/remotes/origin/%.200s)",
			branch, branch, branch);
	return rc ? error_set(err, rc, "cannot read the target branch %.200s", branch) : ERR_OK;
}

/*
 * Upstream of HEAD's branch, "" if it has none or the upstream is the same branch on a server.
 * The branch's own name is no pattern: git forbids *, ? and [ in it.
 */
static int upstream(
	struct repo *repo, struct arena *arena, struct strbuf *reference, struct error *err)
{
	struct strbuf answer = STRBUF_INIT;
	const char *branch, *head, *remote_branch;
	int rc = repo_branch(repo, arena, &branch, err);

	if (rc || !*branch)
		return rc;
	head = arena_printf(arena, "refs/heads/%s", branch);
	rc = git_ask(repo,
		GIT_ARGS(
			"for-each-ref", "--format=%(upstream)%00%(upstream:remoteref)", "--", head),
		&answer, err);
	if (rc || !*answer.data)
		goto out;
	remote_branch = answer.data + strlen(answer.data) + 1;
	if (answer.length > strlen(answer.data) && strcmp(remote_branch, head) != 0)
		strbuf_addstr(reference, answer.data);
out:
	strbuf_release(&answer);
	return rc;
}

static int guessed_target(struct repo *repo, struct arena *arena, const char **name,
	char id[OBJECT_ID_SIZE], struct error *err)
{
	size_t count = sizeof(usual_targets) / sizeof(*usual_targets);
	int rc = ERR_NOT_FOUND;

	for (size_t i = 0; i < count && rc == ERR_NOT_FOUND; i++)
		rc = try_target(repo, usual_targets[i], arena, name, id, err);
	if (rc != ERR_NOT_FOUND)
		return rc;
	return error_set(err, ERR_NOT_FOUND,
		"cannot tell what to compare with: there is no upstream branch, origin/HEAD, main "
		"or master; name the target branch with --base");
}

int repo_is_branch(struct repo *repo, const char *revision, bool *branch, struct error *err)
{
	struct strbuf name = STRBUF_INIT;
	/* Says nothing of what has no name of its own, such as main~2. */
	int rc = git_ask(repo,
		GIT_ARGS("rev-parse", "--verify", "--symbolic-full-name", "--end-of-options",
			revision),
		&name, err);

	if (!rc)
		*branch = strncmp(name.data, "refs/heads/", 11) == 0 ||
			  strncmp(name.data, "refs/remotes/", 13) == 0;
	strbuf_release(&name);
	return rc;
}

int repo_reference_names(struct repo *repo, size_t max, struct arena *arena,
	const char *const **names, size_t *count, struct error *err)
{
	const char *limit = arena_printf(arena, "--count=%zu", max);
	struct strbuf answer = STRBUF_INIT;
	const char **list = arena_alloc(arena, max * sizeof(*list));
	size_t found = 0;
	int rc = git_ask(repo,
		GIT_ARGS("for-each-ref", limit, "--format=%(refname:lstrip=2)", "--", "refs/heads",
			"refs/remotes", "refs/tags"),
		&answer, err);

	for (char *at = answer.data, *line; !rc && found < max && (line = strsep(&at, "\n"));)
		if (*line)
			list[found++] = arena_strdup(arena, line);
	if (!rc) {
		*names = list;
		*count = found;
	}
	strbuf_release(&answer);
	return rc;
}

int repo_target(struct repo *repo, const char *wanted, struct arena *arena, const char **name,
	char id[OBJECT_ID_SIZE], struct error *err)
{
	const char *github = getenv("GITHUB_BASE_REF");
	struct strbuf reference = STRBUF_INIT;
	int rc;

	if (wanted)
		return wanted_target(repo, wanted, arena, name, id, err);
	if (github && *github)
		return github_target(repo, github, arena, name, id, err);
	rc = upstream(repo, arena, &reference, err);
	if (!rc && reference.length)
		rc = try_target(repo, reference.data, arena, name, id, err);
	/* An upstream that was never fetched is like none. */
	if (rc == ERR_NOT_FOUND || (!rc && !reference.length))
		rc = guessed_target(repo, arena, name, id, err);
	strbuf_release(&reference);
	return rc;
}
