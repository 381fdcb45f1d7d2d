/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edited or rewritten notes are pushed. Where somebody else was faster, it begins again at the new
 * tip after a random pause.
 */
#include "gate/vcs/notes/notes_ref_internal.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "gate/base/error.h"
#include "gate/base/process/process.h"

#define MAX_REFUSALS 3 /* in a row while nobody else has pushed */

#define SECOND_NS 1000000000ULL
#define MIN_STEP_NS (SECOND_NS / 20)
#define MAX_STEP_NS (5 * SECOND_NS)
#define MAX_PAUSE_NS (60 * SECOND_NS)
#define MAX_DOUBLINGS 6

/* ---- pushing -------------------------------------------------------------------------------- */

/* *refused: the server, or git on its behalf, said no to this ref; reason has its words. */
static int push(struct notes_ref *notes, const struct notes_writing *writing, const char *id,
	bool *refused, struct strbuf *reason, struct error *err)
{
	struct strbuf refspec = STRBUF_INIT, answer = STRBUF_INIT;
	char lease[sizeof("--force-with-lease=" NOTES_REF_NAME ":") + OBJECT_ID_SIZE];
	const char *line;
	int status = 0, rc;

	snprintf(lease, sizeof(lease), "--force-with-lease=" NOTES_REF_NAME ":%s", notes->tip);
	strbuf_addf(&refspec, "%s:" NOTES_REF_NAME, id);
	/* Thin, it would first fetch the old versions that it could send differences to. */
	rc = notes_try(notes,
		(struct git_command){
			.args = GIT_ARGS("push", "--porcelain", "--no-verify", "--no-signed",
				"--no-follow-tags", "--recurse-submodules=no", "--no-thin",
				writing->commits ? "--no-force-with-lease" : lease,
				NOTES_PRIVATE_REMOTE, refspec.data),
			.network = true,
			.out = &answer,
			.problem = reason,
		},
		&status, err);
	line = strstr(answer.data, "!\t");
	*refused = !rc && status && line;
	if (*refused)
		strbuf_addf(reason, " %.*s", (int)strcspn(line + 2, "\n"), line + 2);
	else if (!rc && status)
		rc = error_set(err, ERR_TOOL, "git push: %s", reason->data);
	strbuf_release(&refspec);
	strbuf_release(&answer);
	return rc;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static int pause_for(uint64_t wait_ns, struct error *err)
{
	uint64_t end = now_ns() + wait_ns, now;

	while ((now = now_ns()) < end) {
		uint64_t slice = end - now < MIN_STEP_NS ? end - now : MIN_STEP_NS;
		struct timespec pause = {.tv_nsec = (long)slice};

		if (process_interrupted())
			return error_set(err, ERR_INTERRUPTED, "interrupted while pushing notes");
		nanosleep(&pause, NULL);
	}
	return ERR_OK;
}

/*
 * As with stations on one wire: if n writers each need the time of one attempt, pauses must be
 * spread over about n of them. n is not known, so the range doubles until it fits.
 */
static int back_off(const struct notes_writing *writing, struct error *err)
{
	unsigned doublings = writing->attempts < MAX_DOUBLINGS ? writing->attempts : MAX_DOUBLINGS;
	uint64_t range = writing->step_ns << doublings, random;

	if (range > MAX_PAUSE_NS)
		range = MAX_PAUSE_NS;
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		random = now_ns();
	return pause_for(random % range, err);
}

static void note_duration(struct notes_writing *writing, uint64_t started_ns)
{
	uint64_t took = now_ns() - started_ns;

	if (took < MIN_STEP_NS)
		took = MIN_STEP_NS;
	if (took > MAX_STEP_NS)
		took = MAX_STEP_NS;
	if (!writing->step_ns || took < writing->step_ns)
		writing->step_ns = took;
}

static int give_up(
	const struct notes_writing *writing, const struct strbuf *reason, struct error *err)
{
	if (writing->refusals >= MAX_REFUSALS)
		return error_set(err, ERR_TOOL, "git push: %s", reason->data);
	return error_set(err, ERR_TOOL,
		"others pushed notes faster in each of %u attempts; try again later (%s)",
		writing->attempts, reason->data);
}

/* After a refusal: waits, fetches, and tells by the tip whether somebody was faster. */
static int prepare_retry(struct notes_ref *notes, struct notes_writing *writing,
	const struct strbuf *reason, struct error *err)
{
	char old[OBJECT_ID_SIZE];
	int rc;

	memcpy(old, notes->tip, sizeof(old));
	if (writing->attempts >= NOTES_REF_ATTEMPTS)
		return give_up(writing, reason, err);
	rc = back_off(writing, err);
	if (!rc)
		rc = notes_fetch(notes, err);
	if (rc)
		return rc;
	writing->refusals = strcmp(old, notes->tip) == 0 ? writing->refusals + 1 : 0;
	return writing->refusals >= MAX_REFUSALS ? give_up(writing, reason, err) : ERR_OK;
}

static int attempt(struct notes_ref *notes, struct notes_writing *writing, bool *refused,
	struct strbuf *reason, struct error *err)
{
	uint64_t started_ns = now_ns();
	char id[OBJECT_ID_SIZE];
	int rc = notes_build(notes, writing, id, err);

	writing->attempts++;
	*refused = false;
	if (rc || strcmp(id, notes->tip) == 0)
		return rc;
	rc = push(notes, writing, id, refused, reason, err);
	if (!rc && !*refused)
		memcpy(notes->tip, id, sizeof(id));
	note_duration(writing, started_ns);
	return rc;
}

static int write_work(struct notes_ref *notes, void *data, struct error *err)
{
	struct notes_writing *writing = data;
	struct strbuf reason = STRBUF_INIT;
	bool refused = true;
	int rc = ERR_OK;

	for (;;) {
		strbuf_reset(&reason);
		rc = attempt(notes, writing, &refused, &reason, err);
		if (rc || !refused)
			break;
		rc = prepare_retry(notes, writing, &reason, err);
		if (rc)
			break;
	}
	strbuf_release(&reason);
	return rc;
}

static int write_notes(struct notes_ref *notes, struct notes_writing *writing, unsigned *attempts,
	uint64_t *age, struct error *err)
{
	int rc;

	notes->fetched = false;
	rc = notes_locked(notes, write_work, writing, err);
	if (rc)
		return rc;
	if (attempts)
		*attempts = writing->attempts;
	if (age)
		*age = writing->age;
	return ERR_OK;
}

int notes_ref_edit(struct notes_ref *notes, const char *const *commits, size_t count,
	const char *message, notes_edit *edit, void *data, unsigned *attempts,
	uint64_t *pushes_since_rewrite, struct error *err)
{
	struct notes_writing writing = {
		.commits = commits,
		.count = count,
		.message = message,
		.edit = edit,
		.data = data,
	};

	return write_notes(notes, &writing, attempts, pushes_since_rewrite, err);
}

int notes_ref_rewrite(struct notes_ref *notes, const char *message, notes_edit *edit, void *data,
	unsigned *attempts, struct error *err)
{
	struct notes_writing writing = {.message = message, .edit = edit, .data = data};

	return write_notes(notes, &writing, attempts, NULL, err);
}
