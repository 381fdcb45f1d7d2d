/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why an object could not be read: a partial clone lacks it, it is damaged, or the repository is
 * gone.
 */
#include "gate/vcs/repo_internal.h"

#include <string.h>

#include "gate/base/error.h"

#define SHORT_ID 12

/* Otherwise git fetches what a partial clone lacks;
 * older ones by whatever protocol they may use. */
const char *const git_fetches_nothing[] = {"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", NULL};

/* The command succeeds, without a network. */
static bool succeeds(const struct repo *repo, const char *const *args)
{
	struct error ignored;
	int status = 0;

	return !git_try(
		       &(struct git_command){
			       .directory = repo->root, .args = args, .env = git_fetches_nothing},
		       &status, &ignored) &&
	       !status;
}

static bool is_partial(const struct repo *repo)
{
	return succeeds(repo, GIT_ARGS("config", "--get-regexp",
				      "^(remote\\..*\\.(promisor|partialclonefilter)|"
				      "extensions\\.partialclone)$"));
}

static int say_partial(struct error *err)
{
	return error_set(err, ERR_TOOL,
		"this clone is partial and does not have its text; nothing is fetched for it");
}

int repo_explain_absent(const struct repo *repo, const char *id, struct error *err)
{
	/* Git's own words name what it wanted to fetch only where it may fetch at all. */
	bool wanted = strstr(err->message, "promisor") || strstr(err->message, "fetch");

	if (!succeeds(repo, GIT_ARGS("rev-parse", "--git-dir"))) {
		error_prefix(err, "this is no usable git repository any more");
		return err->code;
	}
	if (!id && wanted && is_partial(repo))
		return say_partial(err);
	err->code = ERR_CORRUPT;
	if (!id)
		return error_prefix(err, "the commit's folders cannot be read");
	if (succeeds(repo, GIT_ARGS("cat-file", "-e", id)))
		return error_set(err, ERR_CORRUPT,
			"git object %.*s, its text, is damaged (git fsck says more)", SHORT_ID, id);
	if (is_partial(repo))
		return say_partial(err);
	return error_set(err, ERR_CORRUPT,
		"git object %.*s, its text, is missing, though this is no "
		"partial clone (git fsck says more)",
		SHORT_ID, id);
}
