/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/process/program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/base/file.h"
#include "gate/base/strbuf.h"

/* What one look-up needs. */
struct lookup {
	const char *const *env;
	const char *directory; /* where the command runs */
};

static const char *variable(const struct lookup *lookup, const char *name)
{
	size_t length = strlen(name);
	const char *const *at;

	if (!lookup->env)
		return getenv(name);
	for (at = lookup->env; *at; at++)
		if (!strncmp(*at, name, length) && (*at)[length] == '=')
			return *at + length + 1;
	return NULL;
}

static char *from_directory(const struct lookup *lookup, const char *path)
{
	return file_join(*path == '/' || !lookup->directory ? "" : lookup->directory, path);
}

static bool is_program(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/* As execvpe() does: a name without a slash in each folder of PATH. NULL if there is none. */
static char *find_program(const struct lookup *lookup, const char *name)
{
	const char *path = variable(lookup, "PATH"), *end;

	if (strchr(name, '/')) {
		char *found = from_directory(lookup, name);

		if (is_program(found))
			return found;
		free(found);
		return NULL;
	}
	for (path = path ? path : "/usr/local/bin:/usr/bin:/bin"; *name; path = end + 1) {
		struct strbuf candidate = STRBUF_INIT;
		char *found;

		end = strchrnul(path, ':');
		strbuf_add(&candidate, path, (size_t)(end - path));
		strbuf_addstr(&candidate, end > path ? "/" : "./");
		strbuf_addstr(&candidate, name);
		found = from_directory(lookup, candidate.data);
		strbuf_release(&candidate);
		if (is_program(found))
			return found;
		free(found);
		if (!*end)
			break;
	}
	return NULL;
}

char *program_find(const char *name, const char *const *env, const char *directory)
{
	const struct lookup lookup = {env, directory};

	return find_program(&lookup, name);
}
