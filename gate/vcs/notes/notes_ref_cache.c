/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The private repository in the cache folder: how it is made, locked, tidied, and made anew when it
 * is damaged, and how git runs in it.
 */
#include "gate/vcs/notes/notes_ref_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/process/process.h"

#define LOCK_POLL_NS 50000000L
#define UNFILTERED_NAME "flamegate-unfiltered"
#define MANY_PACK_FILES 150 /* a pack is three or four files */
#define MANY_LOOSE_FILES 20
#define TIDY_AGE "--prune=1.day.ago"

/* ---- running git there ---------------------------------------------------------------------- */

/* A git that is older than the one that hides passwords in its messages, or a proxy's words. */
static void hide(const char *secret, struct error *err)
{
	size_t length = strlen(secret);
	char *at = err && length ? strstr(err->message, secret) : NULL;

	for (; at; at = strstr(at, secret))
		memset(at, '*', length);
}

static void complete(struct notes_ref *notes, struct git_command *command)
{
	/* There, so that a relative path in a URL means what it means to the user's own git. */
	command->directory = notes->repo->root;
	command->env = notes->env;
	command->timeout_ns = command->network ? notes->timeout_ns : 0;
	command->silent = &notes->silent;
}

int notes_run(struct notes_ref *notes, struct git_command command, struct error *err)
{
	int rc;

	complete(notes, &command);
	rc = git_run(&command, err);
	if (rc)
		hide(notes->remote.user_info, err);
	return rc;
}

int notes_try(
	struct notes_ref *notes, struct git_command command, int *exit_status, struct error *err)
{
	int rc;

	complete(notes, &command);
	rc = git_try(&command, exit_status, err);
	if (rc)
		hide(notes->remote.user_info, err);
	return rc;
}

/* ---- the repository ------------------------------------------------------------------------- */

static int make_repository(struct notes_ref *notes, struct error *err)
{
	const char *format =
		arena_printf(&notes->arena, "--object-format=%s", notes->object_format);

	if (file_exists(notes->dir))
		return ERR_OK;
	/* Not in the user's repository: nothing of its configuration belongs into the new one. */
	return git_run(
		&(struct git_command){
			.directory = "/",
			.args = GIT_ARGS("init", "--quiet", "--bare", "--template=", format,
				"--end-of-options", notes->dir),
		},
		err);
}

/* Left by a git that was killed. Nobody else works here while we hold the lock. */
static void remove_stale_locks(const struct notes_ref *notes)
{
	static const char *const names[] = {"shallow.lock", "config.lock", "packed-refs.lock",
		"HEAD.lock", NOTES_PRIVATE_TIP ".lock", NOTES_PRIVATE_NEW ".lock", "gc.pid"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *path = file_join(notes->dir, names[i]);

		unlink(path);
		free(path);
	}
}

int notes_remember_unfiltered(struct notes_ref *notes, struct error *err)
{
	char *path = file_join(notes->dir, UNFILTERED_NAME);
	int rc = file_write(path, "", 0, err);

	notes->unfiltered = !rc;
	free(path);
	return rc;
}

static void recall_unfiltered(struct notes_ref *notes)
{
	char *path = file_join(notes->dir, UNFILTERED_NAME);

	notes->unfiltered = file_exists(path);
	free(path);
}

int notes_make_anew(struct notes_ref *notes, struct error *err)
{
	int rc = file_remove_tree(notes->dir, err);

	if (!rc)
		rc = make_repository(notes, err);
	notes->fetched = false;
	notes->tip[0] = notes->indexed[0] = '\0';
	return rc;
}

static int wait_for_lock(int fd, const char *path, struct error *err)
{
	const struct timespec pause = {.tv_nsec = LOCK_POLL_NS};

	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return error_errno(err, ERR_IO, errno, "cannot lock %s", path);
		if (process_interrupted())
			return error_set(err, ERR_INTERRUPTED,
				"interrupted while waiting for another flamegate");
		nanosleep(&pause, NULL);
	}
	return ERR_OK;
}

static int prepare(struct notes_ref *notes, struct error *err)
{
	int rc = make_repository(notes, err);

	if (rc)
		return rc;
	remove_stale_locks(notes);
	recall_unfiltered(notes);
	return notes->env ? ERR_OK : notes_make_environment(notes, err);
}

int notes_lock(struct notes_ref *notes, struct error *err)
{
	int fd = open(notes->lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), rc;

	if (fd < 0)
		return error_errno(err, ERR_IO, errno, "cannot open the lock %s", notes->lock_path);
	rc = wait_for_lock(fd, notes->lock_path, err);
	if (rc) {
		close(fd);
		return rc;
	}
	notes->lock_fd = fd;
	rc = prepare(notes, err);
	/* So damaged that git does not even read its configuration. */
	if (rc == ERR_TOOL) {
		rc = notes_make_anew(notes, err);
		if (!rc)
			rc = prepare(notes, err);
	}
	if (rc)
		notes_unlock(notes);
	return rc;
}

void notes_unlock(struct notes_ref *notes)
{
	if (notes->lock_fd >= 0)
		close(notes->lock_fd);
	notes->lock_fd = -1;
}

/* Errors of these two are those of the damage that is looked for. */
bool notes_is_damaged(struct notes_ref *notes)
{
	struct git_command tip = {.args = GIT_ARGS("rev-parse", "--quiet", "--verify",
					  "--end-of-options", NOTES_PRIVATE_TIP)};
	struct git_command check = {.args = GIT_ARGS("fsck", "--no-dangling", "--no-progress")};

	if (notes->fetched && notes->tip[0] && notes_run(notes, tip, NULL))
		return true;
	return notes_run(notes, check, NULL) != ERR_OK;
}

static size_t count_files(const struct notes_ref *notes, const char *folder)
{
	char *path = file_join(notes->dir, folder);
	DIR *dir = opendir(path);
	size_t count = 0;

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	free(path);
	return count;
}

/* As git estimates it: one of 256 folders of loose objects stands for all. */
void notes_tidy(struct notes_ref *notes)
{
	if (count_files(notes, "objects/pack") < MANY_PACK_FILES &&
		count_files(notes, "objects/17") < MANY_LOOSE_FILES)
		return;
	/* Others may still read the tip that they fetched. What fails here is no loss. */
	notes_run(notes, (struct git_command){.args = GIT_ARGS("gc", "--quiet", TIDY_AGE)}, NULL);
}
