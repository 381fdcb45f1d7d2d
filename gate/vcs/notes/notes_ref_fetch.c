/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tip is fetched, and work on it is done under the lock: a second time where a private
 * repository made anew may help. A failure says what the user can do.
 */
#include "gate/vcs/notes/notes_ref_internal.h"

#include <string.h>

#include "gate/base/error.h"

#define FETCH_REFSPEC "+" NOTES_REF_NAME ":" NOTES_PRIVATE_TIP
#define NO_SUCH_REF 2 /* exit status of ls-remote --exit-code */

/* ---- what a failure means ------------------------------------------------------------------- */

/* The first that occurs in git's words. */
static const struct {
	const char *words, *advice;
} advices[] = {
	{"could not read Username",
		"git has no credentials for it: in a workflow, actions/checkout "
		"leaves them unless persist-credentials is false"},
	{"Authentication failed", "the credentials that git has are refused"},
	{"Permission denied (publickey", "ssh has no key that the server takes"},
	{"pre-receive hook", "a rule of the server forbids it: " NOTES_REF_NAME " must be allowed"},
	{"protected", "a rule of the server forbids it: " NOTES_REF_NAME " must be allowed"},
	{"error: 403", "the token may not do this; to push, the job needs permissions: contents: "
		       "write (runs of forks never have it)"},
	{"denied", "to push, a workflow's job needs permissions: contents: write (runs of forks "
		   "never have it)"},
	{"error: 401", "the credentials that git has are refused"},
	{"Could not resolve host", "is there a network, and is the remote's URL right?"},
	{"Failed to connect", "is there a network, and does the server run?"},
	{"not allowed", "flamegate uses no such transport"},
	{"does not appear to be a git repository", "is the remote's URL or path right?"},
	{"not found", "is the remote's URL or path right, and may we read it?"},
};

int notes_advise(const struct notes_ref *notes, struct error *err)
{
	struct error old;

	if (!err || err->code != ERR_TOOL)
		return err ? err->code : ERR_TOOL;
	old = *err;
	for (size_t i = 0; i < sizeof(advices) / sizeof(*advices); i++) {
		if (strstr(old.message, advices[i].words))
			return error_set(err, ERR_TOOL, "notes of %.200s: %s (%s)",
				notes->remote.shown, old.message, advices[i].advice);
	}
	return error_set(err, ERR_TOOL, "notes of %.200s: %s", notes->remote.shown, old.message);
}

/* ---- fetching ------------------------------------------------------------------------------- */

/* Without --quiet git would show progress; warnings of a server without filters go nowhere. */
static int fetch_tip(struct notes_ref *notes, struct error *err)
{
	const char *filter = notes->unfiltered ? "--no-filter" : "--filter=blob:none";

	return notes_run(notes,
		(struct git_command){
			.args = GIT_ARGS("fetch", "--quiet", "--no-tags", "--no-write-fetch-head",
				"--no-recurse-submodules", "--no-auto-maintenance", "--depth=1",
				filter, NOTES_PRIVATE_REMOTE, FETCH_REFSPEC),
			.network = true,
		},
		err);
}

static int take_tip(struct notes_ref *notes, struct error *err)
{
	struct strbuf answer = STRBUF_INIT;
	size_t length;
	int rc = notes_run(notes,
		(struct git_command){
			.args = GIT_ARGS("rev-parse", "--verify", "--end-of-options",
				NOTES_PRIVATE_TIP "^{commit}"),
			.out = &answer,
		},
		err);

	length = strcspn(answer.data, "\n");
	if (!rc && !object_id_is_valid(answer.data, length))
		rc = error_set(err, ERR_TOOL, "git rev-parse did not answer with an id");
	if (!rc) {
		memcpy(notes->tip, answer.data, length);
		notes->tip[length] = '\0';
		notes->fetched = true;
	}
	strbuf_release(&answer);
	return rc;
}

static int fetch_and_take(struct notes_ref *notes, struct error *err)
{
	int rc = fetch_tip(notes, err);

	return rc ? rc : take_tip(notes, err);
}

/* What git says about a missing ref is no contract; this exit status is. */
int notes_ask_for_ref(struct notes_ref *notes, bool *exists)
{
	int status = 0;
	int rc = notes_try(notes,
		(struct git_command){
			.args = GIT_ARGS("ls-remote", "--quiet", "--exit-code",
				NOTES_PRIVATE_REMOTE, NOTES_REF_NAME),
			.network = true,
		},
		&status, NULL);

	if (rc || (status && status != NO_SUCH_REF))
		return ERR_TOOL;
	*exists = status == 0;
	return ERR_OK;
}

int notes_fetch(struct notes_ref *notes, struct error *err)
{
	bool exists = true;
	int rc = fetch_and_take(notes, err);

	if (rc != ERR_TOOL || notes->silent || notes_ask_for_ref(notes, &exists))
		return rc;
	/* It was rewritten between the server's two answers. */
	if (exists)
		return fetch_and_take(notes, err);
	notes->tip[0] = '\0';
	notes->fetched = true;
	return ERR_OK;
}

static int try_work(struct notes_ref *notes, notes_work *work, void *data, struct error *err)
{
	int rc = notes->fetched ? ERR_OK : notes_fetch(notes, err);

	return rc || !work ? rc : work(notes, data, err);
}

/* True if a second try, on a private repository made anew, may help. */
static bool may_help(struct notes_ref *notes)
{
	bool exists;

	if (notes->silent)
		return false;
	if (notes_is_damaged(notes))
		return true;
	if (!notes->blobs_refused || notes->unfiltered)
		return false;
	/* Or it is just the network. */
	return notes_ask_for_ref(notes, &exists) == ERR_OK;
}

static int start_over(struct notes_ref *notes, struct error *err)
{
	int rc = notes_make_anew(notes, err);

	if (!rc && notes->blobs_refused)
		rc = notes_remember_unfiltered(notes, err);
	return rc;
}

int notes_locked(struct notes_ref *notes, notes_work *work, void *data, struct error *err)
{
	int rc = notes_lock(notes, err);

	if (rc)
		return rc;
	notes->blobs_refused = notes->silent = false;
	rc = try_work(notes, work, data, err);
	if (rc == ERR_TOOL && may_help(notes)) {
		rc = start_over(notes, err);
		if (!rc)
			rc = try_work(notes, work, data, err);
	}
	if (!rc)
		notes_tidy(notes);
	notes_unlock(notes);
	return rc == ERR_TOOL ? notes_advise(notes, err) : rc;
}
