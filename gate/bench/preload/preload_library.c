/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the library lies that is preloaded into a benchmark. A path that LD_PRELOAD cannot hold is
 * given another name.
 */
#include "gate/bench/preload/preload.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/base/file.h"

#define LIBRARY "libflamegate"
#define SUFFIX ".so"
#define MOST_NAME 64
#define INSTALLED "../lib/flamegate/" /* from bin/, as make install puts them */

/* Takes candidate; *path is set if it is the library. */
static bool accept_library(char *candidate, char **path)
{
	struct stat info;

	if (candidate && stat(candidate, &info) == 0 && S_ISREG(info.st_mode) &&
		access(candidate, R_OK) == 0)
		*path = realpath(candidate, NULL);
	free(candidate);
	return *path != NULL;
}

static char *beside_executable(const char *name)
{
	char executable[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", executable, sizeof(executable) - 1);
	char *slash;

	if (length <= 0)
		return NULL;
	executable[length] = '\0';
	slash = strrchr(executable, '/');
	if (!slash)
		return NULL;
	*slash = '\0';
	return file_join(executable, name);
}

static const char *const variants[] = {
	[PRELOAD_SAMPLER] = "", [PRELOAD_HEAP] = "-heap", [PRELOAD_CLOCK] = "-clock"};
static const char *const reasons[] = {[PRELOAD_SAMPLER] = "",
	[PRELOAD_HEAP] = "a heap profile",
	[PRELOAD_CLOCK] = "a replayed clock"};

/* NAME.so is the one that is named; the others are NAME-heap.so and so on beside it. */
static int find_named(
	const char *named, enum preload_variant variant, char **path, struct error *err)
{
	const char *slash = strrchr(named, '/'), *suffix = strstr(slash ? slash : named, SUFFIX);
	char wanted[PATH_MAX];

	if (!suffix)
		suffix = named + strlen(named);
	if (snprintf(wanted, sizeof(wanted), "%.*s%s%s", (int)(suffix - named), named,
		    variants[variant], suffix) < (int)sizeof(wanted) &&
		accept_library(xstrdup(wanted), path))
		return ERR_OK;
	if (variant != PRELOAD_SAMPLER)
		return error_set(err, ERR_USAGE,
			"FLAMEGATE_LIBRARY=%s: %s needs %s, which is not a readable file", named,
			reasons[variant], wanted);
	return error_set(err, ERR_USAGE, "FLAMEGATE_LIBRARY=%s is not a readable file", named);
}

static void name_of(enum preload_variant variant, char name[MOST_NAME])
{
	snprintf(name, MOST_NAME, "%s%s%s", LIBRARY, variants[variant], SUFFIX);
}

static int find_library(enum preload_variant variant, char **path, struct error *err)
{
	const char *named = getenv("FLAMEGATE_LIBRARY");
	char name[MOST_NAME], installed[sizeof(INSTALLED) + MOST_NAME];

	if (named && *named)
		return find_named(named, variant, path, err);
	name_of(variant, name);
	snprintf(installed, sizeof(installed), "%s%s", INSTALLED, name);
	if (accept_library(beside_executable(name), path) ||
		accept_library(beside_executable(installed), path))
		return ERR_OK;
	return error_set(err, ERR_TOOL,
		"%s is neither beside flamegate nor in ../lib/flamegate; build or "
		"install it, or set FLAMEGATE_LIBRARY to the path of " LIBRARY SUFFIX,
		name);
}

/* The loader splits LD_PRELOAD at spaces and colons and knows no escape for them. */
static bool loader_splits(const char *path)
{
	return strpbrk(path, " \t\n:") != NULL;
}

/* Replaces *path by a link to it. */
static int make_link(const char *folder, const char *name, char **path, struct error *err)
{
	char *link = file_join(folder, name);
	int rc = ERR_OK;

	if (loader_splits(link))
		rc = error_set(err, ERR_USAGE,
			"%s: LD_PRELOAD cannot hold a path with spaces or colons, nor one in %s; "
			"set TMPDIR to a folder without them",
			*path, folder);
	else if (symlink(*path, link) != 0)
		rc = error_set(err, ERR_IO, "cannot make %s: %s", link, strerror(errno));
	free(rc ? link : *path);
	if (!rc)
		*path = link;
	return rc;
}

int preload_library(
	enum preload_variant variant, const char *link_folder, char **path, struct error *err)
{
	char *found = NULL, name[MOST_NAME];
	int rc = find_library(variant, &found, err);

	name_of(variant, name);
	if (!rc && link_folder && loader_splits(found))
		rc = make_link(link_folder, name, &found, err);
	if (rc)
		free(found);
	else
		*path = found;
	return rc;
}
