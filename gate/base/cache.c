/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/file.h"

static bool is_set(const char *value)
{
	return value && *value;
}

int cache_home(struct strbuf *path, struct error *err)
{
	const char *own = getenv("FLAMEGATE_CACHE"), *xdg = getenv("XDG_CACHE_HOME"),
		   *home = getenv("HOME");

	if (is_set(own) && *own != '/')
		return error_set(err, ERR_USAGE, "FLAMEGATE_CACHE=%s is not an absolute path", own);
	if (is_set(own))
		strbuf_addstr(path, own);
	else if (is_set(xdg) && *xdg == '/')
		strbuf_addf(path, "%s/flamegate", xdg);
	else if (is_set(home) && *home == '/')
		strbuf_addf(path, "%s/.cache/flamegate", home);
	else
		return error_set(err, ERR_USAGE,
			"there is no folder for the cache: set FLAMEGATE_CACHE or HOME");
	return ERR_OK;
}

int cache_make_private(const char *path, struct error *err)
{
	struct stat info;
	int rc = file_mkdirs(path, err);

	if (rc)
		return rc;
	if (lstat(path, &info) < 0)
		return error_errno(err, ERR_IO, errno, "cannot read %s", path);
	if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid())
		return error_set(err, ERR_USAGE,
			"%s is not a folder of yours; remove it or set FLAMEGATE_CACHE", path);
	if (chmod(path, 0700) < 0)
		return error_errno(err, ERR_IO, errno, "cannot protect %s", path);
	return ERR_OK;
}
