/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports that would be taken for this command's are removed: those of an earlier one, and a
 * report.json that the measured code wrote.
 */
#include "gate/cli/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "report/formats.h"

#define HEAD_BYTES 65536

/*
 * Every format names its writer near its beginning, but for a Code Quality report without findings,
 * which is an empty list whoever writes it.
 */
static bool is_ours(const char *path)
{
	static const char writer[] = "flamegate", nothing[] = "[]\n";
	char *head = xmalloc(HEAD_BYTES);
	ssize_t length = -1;
	bool ours = false;
	int fd;

	if (!file_is_link(path) && file_open_regular(path, &fd, NULL) == ERR_OK) {
		length = read(fd, head, HEAD_BYTES);
		close(fd);
	}
	if (length > 0)
		ours = memmem(head, (size_t)length, writer, strlen(writer)) ||
		       (length == sizeof(nothing) - 1 &&
			       memcmp(head, nothing, (size_t)length) == 0);
	free(head);
	return ours;
}

int output_forget(const char *folder, struct error *err)
{
	int rc = ERR_OK;

	if (file_is_link(folder))
		return ERR_OK;
	for (const struct report_format *format = report_formats; format->name && !rc; format++) {
		char *path;

		if (!format->file)
			continue;
		path = file_join(folder, format->file);
		if ((format->always || is_ours(path)) && unlink(path) < 0 && errno != ENOENT &&
			errno != ENOTDIR)
			rc = error_errno(err, ERR_USAGE, errno, "cannot remove the old %s", path);
		free(path);
	}
	return rc;
}

/* Closed to us, who own it. */
static void reopen(const char *folder)
{
	struct stat info;

	if (stat(folder, &info) == 0)
		chmod(folder, (info.st_mode & ALLPERMS) | S_IRWXU);
}

void output_disown(const char *folder)
{
	char *path = file_join(folder, "report.json");

	if (!file_is_link(folder) && unlink(path) < 0 && errno == EACCES) {
		reopen(folder);
		unlink(path);
	}
	free(path);
}
