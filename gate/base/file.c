/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"

#define READ_BYTES ((size_t)64 * 1024)

/* O_NONBLOCK: opening a pipe that nobody writes to would hang otherwise. */
int file_open_regular(const char *path, int *out, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat info;
	int rc = ERR_OK;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return error_set(err, ERR_NOT_FOUND, "%s does not exist", path);
	if (fd < 0)
		return error_errno(err, ERR_IO, errno, "cannot open %s", path);
	if (fstat(fd, &info) < 0)
		rc = error_errno(err, ERR_IO, errno, "cannot read %s", path);
	else if (!S_ISREG(info.st_mode))
		rc = error_set(err, ERR_IO, "%s is not a regular file", path);
	if (rc)
		close(fd);
	else
		*out = fd;
	return rc;
}

static ssize_t read_retrying(int fd, void *data, size_t length)
{
	ssize_t got;

	do
		got = read(fd, data, length);
	while (got < 0 && errno == EINTR);
	return got;
}

/* Reads to the end rather than by st_size: files in /proc say 0,
 * and any file may grow meanwhile. */
static int read_all(
	int fd, const char *path, size_t max_bytes, struct strbuf *out, struct error *err)
{
	size_t left = max_bytes;

	for (;;) {
		ssize_t got;

		strbuf_reserve(out, READ_BYTES);
		got = read_retrying(fd, out->data + out->length, READ_BYTES);
		if (got < 0)
			return error_errno(err, ERR_IO, errno, "cannot read %s", path);
		out->length += (size_t)got;
		out->data[out->length] = '\0';
		if ((size_t)got > left)
			return error_set(
				err, ERR_LIMIT, "%s is larger than %zu bytes", path, max_bytes);
		if (!got)
			return ERR_OK;
		left -= (size_t)got;
	}
}

int file_read(const char *path, size_t max_bytes, struct strbuf *out, struct error *err)
{
	size_t before = out->length;
	int fd;
	int rc = file_open_regular(path, &fd, err);

	if (rc)
		return rc;
	rc = read_all(fd, path, max_bytes, out, err);
	close(fd);
	if (rc)
		strbuf_truncate(out, before);
	return rc;
}

int file_write_fd(int fd, const void *bytes, size_t length)
{
	const char *data = bytes;

	while (length) {
		ssize_t written = write(fd, data, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -1;
		data += written;
		length -= (size_t)written;
	}
	return 0;
}

/* A fixed short name, so that a target with a name of full length still has room for it. */
static char *temp_path_beside(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct strbuf temp = STRBUF_INIT;

	if (slash)
		strbuf_add(&temp, path, (size_t)(slash - path) + 1);
	strbuf_addstr(&temp, ".flamegate-XXXXXX");
	return strbuf_detach(&temp, NULL);
}

static int write_and_close(int fd, const void *data, size_t length)
{
	bool failed = file_write_fd(fd, data, length) < 0 || fchmod(fd, 0644) < 0 || fsync(fd) < 0;
	int saved = errno;

	if (close(fd) < 0 && !failed) {
		failed = true;
		saved = errno;
	}
	errno = saved;
	return failed ? -1 : 0;
}

/* rename() would replace a link rather than follow it; refusing tells the user that it is there. */
static int refuse_link(const char *path, struct error *err)
{
	struct stat info;

	if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode))
		return error_set(err, ERR_IO,
			"cannot write %s: it is a symbolic link; remove it or name its target",
			path);
	return ERR_OK;
}

/* As /dev/null, which a file in its place would take from the whole machine. */
static bool is_device(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0 && (S_ISCHR(info.st_mode) || S_ISFIFO(info.st_mode));
}

/* O_NONBLOCK: opening a pipe that nobody reads fails rather than hangs. */
static int write_to_device(const char *path, const void *data, size_t length, struct error *err)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
	bool failed = fd < 0 || fcntl(fd, F_SETFL, 0) < 0 || file_write_fd(fd, data, length) < 0;
	int rc = failed ? error_errno(err, ERR_IO, errno, "cannot write %s", path) : ERR_OK;

	if (fd >= 0)
		close(fd);
	return rc;
}

int file_write(const char *path, const void *data, size_t length, struct error *err)
{
	char *temp = NULL;
	int fd = -1;
	int rc = refuse_link(path, err);

	if (rc)
		return rc;
	if (is_device(path))
		return write_to_device(path, data, length, err);
	temp = temp_path_beside(path);
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0) {
		rc = error_errno(err, ERR_IO, errno, "cannot write %s", path);
		goto out;
	}
	if (write_and_close(fd, data, length) < 0 || rename(temp, path) < 0) {
		rc = error_errno(err, ERR_IO, errno, "cannot write %s", path);
		unlink(temp);
	}
out:
	free(temp);
	return rc;
}

static int make_one_dir(const char *path, struct error *err)
{
	struct stat info;

	if (mkdir(path, 0777) == 0)
		return ERR_OK;
	/* Existing folders may also answer EROFS or EACCES: what counts is that it is one. */
	int saved = errno;

	if (stat(path, &info) == 0) {
		if (S_ISDIR(info.st_mode))
			return ERR_OK;
		saved = ENOTDIR;
	}
	return error_errno(err, ERR_IO, saved, "cannot create the folder %s", path);
}

int file_mkdirs(const char *path, struct error *err)
{
	char *prefix = xstrdup(path);
	int rc = ERR_OK;

	for (char *at = prefix; *at && !rc; at++) {
		if (*at != '/' || at == prefix || at[-1] == '/')
			continue;
		*at = '\0';
		rc = make_one_dir(prefix, err);
		*at = '/';
	}
	if (!rc)
		rc = make_one_dir(prefix, err);
	free(prefix);
	return rc;
}

bool file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

char *file_join(const char *dir, const char *name)
{
	struct strbuf path = STRBUF_INIT;

	strbuf_addstr(&path, dir);
	if (path.length && path.data[path.length - 1] != '/')
		strbuf_addch(&path, '/');
	strbuf_addstr(&path, name);
	return strbuf_detach(&path, NULL);
}

int file_make_temp_dir(const char *parent, const char *prefix, char **out, struct error *err)
{
	const char *tmpdir = getenv("TMPDIR");
	struct strbuf path = STRBUF_INIT;

	if (!parent)
		parent = tmpdir && *tmpdir ? tmpdir : "/tmp";
	strbuf_addf(&path, "%s/%sXXXXXX", parent, prefix);
	if (!mkdtemp(path.data)) {
		int rc = error_errno(
			err, ERR_IO, errno, "cannot create a temporary folder in %s", parent);

		strbuf_release(&path);
		return rc;
	}
	*out = strbuf_detach(&path, NULL);
	return ERR_OK;
}

bool file_is_link(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}
