/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/output_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/check/measurements/measurements.h"

#define IGNORE ".gitignore"

static const char ignore_all[] =
	"# Written by flamegate: reports and recordings are no source.\n*\n";

static int refuse_link(const char *path, struct error *err)
{
	struct stat info;

	if (lstat(path, &info) == 0 && !S_ISDIR(info.st_mode))
		return error_set(
			err, ERR_USAGE, "%s is not a folder: name another one by --output", path);
	return ERR_OK;
}

int output_folder_prepare(const char *path, struct error *err)
{
	char *ignore = file_join(path, IGNORE);
	bool fresh = !file_exists(path);
	int rc = refuse_link(path, err);

	if (!rc)
		rc = file_mkdirs(path, err);
	/* A folder that was there is the user's: it gets no file that was not asked for. */
	if (!rc && fresh)
		rc = file_write(ignore, ignore_all, sizeof(ignore_all) - 1, err);
	free(ignore);
	return rc;
}

/* Also of a check that was killed halfway, and has no MEASUREMENTS_FILE_NAME yet. */
static bool is_ours(const char *recordings)
{
	char *measurements = file_join(recordings, MEASUREMENTS_FILE_NAME);
	char *ignore = file_join(recordings, IGNORE);
	struct strbuf text = STRBUF_INIT;
	struct error ignored;
	bool ours = file_exists(measurements) ||
		    (file_read(ignore, sizeof(ignore_all), &text, &ignored) == ERR_OK &&
			    strcmp(text.data, ignore_all) == 0);

	strbuf_release(&text);
	free(ignore);
	free(measurements);
	return ours;
}

static int clear(const char *recordings, struct error *err)
{
	int rc = refuse_link(recordings, err);

	if (!rc && rmdir(recordings) < 0 && errno != ENOENT) {
		if (is_ours(recordings))
			rc = file_remove_tree(recordings, err);
		else
			rc = error_set(err, ERR_USAGE,
				"%s holds something else than recordings of ours: "
				"name another folder by --output",
				recordings);
	}
	return rc;
}

/* Two that write at once would mix their recordings. Where there are no locks there is none. */
static int lock_folder(const char *path, int *lock, struct error *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
		close(fd);
		return error_set(err, ERR_USAGE,
			"another flamegate is writing into %s: wait for it, "
			"or name another folder by --output",
			path);
	}
	*lock = fd;
	return ERR_OK;
}

int output_folder_recordings(const char *path, char **recordings, int *lock, struct error *err)
{
	char *folder = file_join(path, "recordings");
	int fd = -1, rc = output_folder_prepare(path, err);

	if (!rc)
		rc = lock_folder(path, &fd, err);
	if (!rc)
		rc = clear(folder, err);
	if (!rc)
		rc = output_folder_prepare(folder, err);
	if (rc) {
		output_folder_unlock(fd);
		free(folder);
		return rc;
	}
	*recordings = folder;
	*lock = fd;
	return ERR_OK;
}

void output_folder_unlock(int lock)
{
	if (lock >= 0)
		close(lock);
}
