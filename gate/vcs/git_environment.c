/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment that git runs in. It names no other repository, and where credentials are
 * withheld it has nothing that may hold a secret.
 */
#include "gate/vcs/git_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define NAMES_PAIR "GIT_CONFIG_KEY_"
#define VALUE_OF_PAIR "GIT_CONFIG_VALUE_"

static const char *const fixed_env[] = {
	"LC_ALL=C",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_OPTIONAL_LOCKS=0",
	"GIT_NO_REPLACE_OBJECTS=1", /* libgit2 does not know them; both must see the same */
	"GIT_PAGER=cat",
	NULL,
};

/* How to reach a server, and the user's own settings: nothing that says which repository. */
static const char *const passed_git_variables[] = {
	"GIT_SSH", /* and GIT_SSH_COMMAND, GIT_SSH_VARIANT */
	"GIT_SSL_",
	"GIT_HTTP_",
	"GIT_PROXY_",
	"GIT_ASKPASS=",
	"GIT_CONFIG_GLOBAL=",
	"GIT_CONFIG_SYSTEM=",
	"GIT_CONFIG_NOSYSTEM=",
	"GIT_CONFIG_COUNT=",
	NAMES_PAIR,
	VALUE_OF_PAIR,
	"GIT_EXEC_PATH=",
	"GIT_CEILING_DIRECTORIES=",
	"GIT_ALLOW_PROTOCOL=",
	NULL,
};

/* Of these, what holds no secret by its nature. */
static const char *const plain_git_variables[] = {
	"GIT_CONFIG_GLOBAL=",
	"GIT_CONFIG_SYSTEM=",
	"GIT_CONFIG_NOSYSTEM=",
	"GIT_CONFIG_COUNT=",
	NAMES_PAIR,
	VALUE_OF_PAIR,
	"GIT_EXEC_PATH=",
	"GIT_CEILING_DIRECTORIES=",
	"GIT_ALLOW_PROTOCOL=",
	NULL,
};

/* Settings without which git may refuse the repository or check out other bytes. */
static const char *const plain_settings[] = {
	"safe.directory",
	"safe.bareRepository",
	"protocol.file.allow",
	"core.autocrlf",
	"core.eol",
	"core.filemode",
	"core.symlinks",
	"core.longpaths",
	"init.defaultBranch",
	NULL,
};

static bool starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool starts_with_one(const char *text, const char *const *prefixes)
{
	for (; *prefixes; prefixes++)
		if (starts_with(text, *prefixes))
			return true;
	return false;
}

static bool passes(const char *variable)
{
	if (starts_with(variable, "LC_ALL=") || starts_with(variable, "LANGUAGE="))
		return false;
	return !starts_with(variable, "GIT_") || starts_with_one(variable, passed_git_variables);
}

static bool passes_as_plain(const char *variable, repo_is_plain *is_plain)
{
	size_t length = strcspn(variable, "=");

	if (starts_with(variable, "GIT_"))
		return starts_with_one(variable, plain_git_variables);
	return variable[length] && is_plain(variable, length, variable + length + 1);
}

static bool is_plain_setting(const char *key)
{
	for (const char *const *plain = plain_settings; key && *plain; plain++)
		if (strcasecmp(*plain, key) == 0)
			return true;
	return false;
}

/* Half of a pair whose setting may hold a secret, in its key or its value, becomes half of one that
 * says nothing: they are counted. */
static const char *without_secret(const char *variable, struct arena *arena)
{
	bool is_value = starts_with(variable, VALUE_OF_PAIR);
	const char *number;
	int digits;

	if (!is_value && !starts_with(variable, NAMES_PAIR))
		return variable;
	number = variable + strlen(is_value ? VALUE_OF_PAIR : NAMES_PAIR);
	digits = (int)strcspn(number, "=");
	if (is_plain_setting(getenv(arena_printf(arena, NAMES_PAIR "%.*s", digits, number))))
		return variable;
	return is_value ? arena_printf(arena, VALUE_OF_PAIR "%.*s=", digits, number)
			: arena_printf(arena, NAMES_PAIR "%.*s=flamegate.withheld", digits, number);
}

static size_t count_of(const char *const *list)
{
	size_t count = 0;

	while (list && list[count])
		count++;
	return count;
}

static bool is_set(const char *const *variables, const char *variable)
{
	size_t length = strcspn(variable, "=") + 1;

	for (; variables && *variables; variables++) {
		if (strncmp(*variables, variable, length) == 0)
			return true;
	}
	return false;
}

/* What a command sets for itself goes before what we were given. */
const char *const *git_environment(
	const char *const *own, repo_is_plain *is_plain, struct arena *arena)
{
	size_t inherited = count_of((const char *const *)environ), count = 0;
	const char **env = arena_array(
		arena, inherited + count_of(fixed_env) + count_of(own) + 1, sizeof(*env));

	for (char **variable = environ; variable && *variable; variable++) {
		if (!passes(*variable) || is_set(own, *variable))
			continue;
		if (!is_plain)
			env[count++] = *variable;
		else if (passes_as_plain(*variable, is_plain))
			env[count++] = without_secret(*variable, arena);
	}
	for (const char *const *fixed = fixed_env; *fixed; fixed++)
		env[count++] = *fixed;
	for (; own && *own; own++)
		env[count++] = *own;
	return env;
}
