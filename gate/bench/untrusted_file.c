/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/untrusted_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/base/error.h"

#define READ_BYTES ((size_t)64 * 1024)

int untrusted_file_open(const char *path, int *out, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
	struct stat info;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return error_set(err, ERR_NOT_FOUND, "%s does not exist", path);
	if (fd < 0 && errno == ELOOP)
		return error_set(err, ERR_CORRUPT, "%s is a symbolic link", path);
	if (fd < 0)
		return error_errno(err, ERR_IO, errno, "cannot open %s", path);
	if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode)) {
		close(fd);
		return error_set(err, ERR_CORRUPT, "%s is not a regular file", path);
	}
	*out = fd;
	return ERR_OK;
}

int untrusted_file_read(const char *path, size_t max_bytes, struct strbuf *out, struct error *err)
{
	size_t before = out->length;
	ssize_t got = 1;
	int fd, rc = untrusted_file_open(path, &fd, err);

	if (rc)
		return rc;
	while (!rc && got) {
		strbuf_reserve(out, READ_BYTES);
		got = read(fd, out->data + out->length, READ_BYTES);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			rc = error_errno(err, ERR_IO, errno, "cannot read %s", path);
		else
			out->length += (size_t)got;
		if (!rc && out->length - before > max_bytes)
			rc = error_set(
				err, ERR_LIMIT, "%s is larger than %zu bytes", path, max_bytes);
	}
	close(fd);
	if (rc)
		strbuf_truncate(out, before);
	else
		out->data[out->length] = '\0';
	return rc;
}
