/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/output_folder.h"

#include "gate/base/file.h"
#include "gate/check/session.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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
	char *ignore = file_join(path, ".gitignore");
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

static int clear(const char *recordings, struct error *err)
{
	char *marker = file_join(recordings, SESSION_FILE_NAME);
	int rc = refuse_link(recordings, err);

	if (!rc && rmdir(recordings) < 0 && errno != ENOENT) {
		if (file_exists(marker))
			rc = file_remove_tree(recordings, err);
		else
			rc = error_set(err, ERR_USAGE,
				"%s holds something else than recordings of ours: name another "
				"folder "
				"by --output",
				recordings);
	}
	free(marker);
	return rc;
}

int output_folder_recordings(const char *path, char **recordings, struct error *err)
{
	char *folder = file_join(path, "recordings");
	int rc = output_folder_prepare(path, err);

	if (!rc)
		rc = clear(folder, err);
	if (!rc)
		rc = file_mkdirs(folder, err);
	if (rc)
		free(folder);
	else
		*recordings = folder;
	return rc;
}
