/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a folder is deleted with all that is in it, at whatever depth: no symbolic link is followed,
 * and no other filesystem is entered. Declared in file.h.
 */
#include "gate/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"

/*
 * Walks with one open folder at a time and a stack on the heap: a benchmark can leave a tree that
 * is deeper than our stack, our descriptors or PATH_MAX. The way up is "..", checked against the
 * folder that we came down from, since the tree may be moved while we are in it.
 */
struct level {
	char *name; /* of this folder in its parent */
	dev_t device;
	ino_t inode;
};

struct removal {
	const char *path; /* for messages */
	int fd;           /* the folder we are in; -1 above the tree */
	struct level *levels;
	size_t depth, capacity;
};

static int fail(const struct removal *removal, const char *name, struct error *err)
{
	return error_errno(err, ERR_IO, errno, "cannot remove %s (at %s)", removal->path, name);
}

/* Package managers leave folders without write permission; they are ours all the same. */
static void make_accessible(int parent, const char *name)
{
	char link[64];
	int fd = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	chmod(link, 0700);
	close(fd);
}

static int open_folder(int parent, const char *name)
{
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	struct stat info;
	int fd = openat(parent, name, flags);

	if (fd < 0 && errno == EACCES) {
		make_accessible(parent, name);
		fd = openat(parent, name, flags);
	}
	if (fd >= 0 && fstat(fd, &info) == 0 && (info.st_mode & 0700) != 0700)
		fchmod(fd, 0700);
	return fd;
}

static int descend(struct removal *removal, const char *name, struct error *err)
{
	int parent = removal->fd < 0 ? AT_FDCWD : removal->fd;
	int fd = open_folder(parent, name);
	struct level *level;
	struct stat info;

	if (fd < 0 && errno == ENOENT)
		return ERR_OK;
	if (fd < 0)
		return fail(removal, name, err);
	if (fstat(fd, &info) < 0 || (removal->depth && info.st_dev != removal->levels[0].device)) {
		errno = EXDEV;
		close(fd);
		return fail(removal, name, err);
	}
	if (removal->fd >= 0)
		close(removal->fd);
	removal->fd = fd;
	removal->levels = grow_array(
		removal->levels, &removal->capacity, removal->depth + 1, sizeof(*removal->levels));
	level = &removal->levels[removal->depth++];
	*level = (struct level){xstrdup(name), info.st_dev, info.st_ino};
	return ERR_OK;
}

/* Back to the parent (at the top: to where path is relative to), and removes the empty folder. */
static int ascend(struct removal *removal, struct error *err)
{
	const struct level *child = &removal->levels[removal->depth - 1];
	const struct level *parent = removal->depth > 1 ? child - 1 : NULL;
	struct stat info;
	int fd = -1;

	if (parent) {
		fd = openat(removal->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			return fail(removal, child->name, err);
		if (fstat(fd, &info) < 0 || info.st_dev != parent->device ||
			info.st_ino != parent->inode) {
			close(fd);
			return error_set(
				err, ERR_IO, "cannot remove %s: it is being moved", removal->path);
		}
	}
	close(removal->fd);
	removal->fd = fd;
	if (unlinkat(fd < 0 ? AT_FDCWD : fd, child->name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		return fail(removal, child->name, err);
	free(child->name);
	removal->depth--;
	return ERR_OK;
}

/*
 * Unlinks what is no folder, until the first folder is met: its name is copied to *subfolder. NULL:
 * nothing is left.
 */
static int clear_folder(struct removal *removal, char **subfolder, struct error *err)
{
	/* fdopendir() takes the descriptor over. */
	int own = openat(removal->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = own < 0 ? NULL : fdopendir(own);
	struct dirent *entry;
	int rc = ERR_OK;

	*subfolder = NULL;
	if (!dir) {
		rc = fail(removal, ".", err);
		if (own >= 0)
			close(own);
		return rc;
	}
	while (!rc && !*subfolder && (errno = 0, entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		if (unlinkat(removal->fd, name, 0) == 0 || errno == ENOENT)
			continue;
		/* Linux says EISDIR, POSIX EPERM; what else fails with EPERM fails again as a
		 * folder. */
		if (errno == EISDIR || errno == EPERM)
			*subfolder = xstrdup(name);
		else
			rc = fail(removal, name, err);
	}
	if (!rc && !*subfolder && errno)
		rc = fail(removal, ".", err);
	closedir(dir);
	return rc;
}

static int remove_folder(struct removal *removal, const char *path, struct error *err)
{
	int rc = descend(removal, path, err);

	while (!rc && removal->depth) {
		char *subfolder;

		rc = clear_folder(removal, &subfolder, err);
		if (!rc)
			rc = subfolder ? descend(removal, subfolder, err) : ascend(removal, err);
		free(subfolder);
	}
	return rc;
}

static int remove_path(const char *path, struct error *err)
{
	struct removal removal = {path, -1, NULL, 0, 0};
	struct stat info;
	int rc;

	if (lstat(path, &info) < 0)
		return errno == ENOENT || errno == ENOTDIR ? ERR_OK : fail(&removal, path, err);
	if (!S_ISDIR(info.st_mode))
		return unlink(path) < 0 && errno != ENOENT ? fail(&removal, path, err) : ERR_OK;
	rc = remove_folder(&removal, path, err);
	if (removal.fd >= 0)
		close(removal.fd);
	while (removal.depth)
		free(removal.levels[--removal.depth].name);
	free(removal.levels);
	return rc;
}

int file_remove_tree(const char *path, struct error *err)
{
	char *trimmed = xstrdup(path);
	size_t length = strlen(trimmed);
	int rc;

	/* "link/" would name the folder that the link points to. */
	while (length && trimmed[length - 1] == '/')
		trimmed[--length] = '\0';
	if (!length)
		rc = error_set(err, ERR_USAGE, "refusing to remove \"%s\"", path);
	else
		rc = remove_path(trimmed, err);
	free(trimmed);
	return rc;
}
