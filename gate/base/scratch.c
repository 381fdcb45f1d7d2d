/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/scratch.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/file.h"

#define PREFIX "flamegate-scratch-"
#define SUFFIX_LENGTH 6 /* mkdtemp(3) */
#define ATTEMPTS 10

static const char *parent_folder(void)
{
	const char *tmpdir = getenv("TMPDIR");

	return tmpdir && *tmpdir ? tmpdir : "/tmp";
}

static int open_folder(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* ---- what others left ----------------------------------------------------------------------- */

static bool has_our_name(const char *name)
{
	const char *suffix = name + strlen(PREFIX);

	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0 || strlen(suffix) != SUFFIX_LENGTH)
		return false;
	while (isalnum((unsigned char)*suffix))
		suffix++;
	return !*suffix;
}

/* Where there are no locks, as on some network's file systems, nobody can tell: it stays. */
static bool is_abandoned(int folder)
{
	struct stat info;

	return fstat(folder, &info) == 0 && info.st_uid == geteuid() &&
	       flock(folder, LOCK_EX | LOCK_NB) == 0;
}

/* The lock is held until all is gone: the owner of a new one waits for it, see below. */
static void sweep_one(const char *path)
{
	int folder = open_folder(path);

	if (folder < 0)
		return;
	if (is_abandoned(folder))
		file_remove_tree(path, NULL);
	close(folder);
}

static void sweep(const char *parent)
{
	DIR *dir = opendir(parent);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *path;

		if (!has_our_name(entry->d_name))
			continue;
		path = file_join(parent, entry->d_name);
		sweep_one(path);
		free(path);
	}
	if (dir)
		closedir(dir);
}

/* ---- our own -------------------------------------------------------------------------------- */

static bool is_still_there(int folder, const char *path)
{
	struct stat held, named;

	return fstat(folder, &held) == 0 && lstat(path, &named) == 0 &&
	       held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

/* False if somebody swept it before it was locked. */
static bool lock(const char *path, int *out)
{
	int folder = open_folder(path), rc;

	if (folder < 0)
		return false;
	do
		rc = flock(folder, LOCK_EX);
	while (rc < 0 && errno == EINTR);
	if (!is_still_there(folder, path)) {
		close(folder);
		return false;
	}
	*out = folder;
	return true;
}

int scratch_make(struct scratch *out, struct error *err)
{
	const char *parent = parent_folder();
	char *path;

	sweep(parent);
	for (int i = 0; i < ATTEMPTS; i++) {
		int rc = file_make_temp_dir(parent, PREFIX, &path, err);

		if (rc)
			return rc;
		if (lock(path, &out->lock)) {
			out->path = path;
			return ERR_OK;
		}
		free(path);
	}
	return error_set(
		err, ERR_IO, "temporary folders in %s disappear as soon as they are made", parent);
}

void scratch_remove(struct scratch *scratch)
{
	if (!scratch->path)
		return;
	file_remove_tree(scratch->path, NULL);
	close(scratch->lock);
	free(scratch->path);
	*scratch = (struct scratch){0};
}
