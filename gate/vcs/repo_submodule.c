/* SPDX-License-Identifier: Apache-2.0 */
/* Does a path lie in a submodule, where the commit's own tree cannot know it? */
#include <string.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/vcs/repo_internal.h"

/* "160000 commit <id>\t<path>" is a submodule. */
static bool is_submodule_above(const char *entry, const char *path)
{
	const char *tab = strchr(entry, '\t');
	size_t length = tab ? strlen(tab + 1) : 0;

	return length && strncmp(entry, "160000 ", 7) == 0 && strncmp(path, tab + 1, length) == 0 &&
	       path[length] == '/';
}

/* One of those that git lists; there may be others beside the way. */
static bool has_submodule(const struct strbuf *entries, const char *path)
{
	const char *end = entries->data + entries->length;

	for (const char *at = entries->data; at < end; at += strlen(at) + 1)
		if (is_submodule_above(at, path))
			return true;
	return false;
}

/* The folders on the way to path behind the fixed ones; NULL-terminated. */
static const char *const *add_folders(
	struct arena *arena, const char *const *fixed, const char *path)
{
	size_t count = 0, folders = 0;
	const char **args;

	while (fixed[count])
		count++;
	for (const char *at = path; (at = strchr(at, '/')); at++)
		folders++;
	args = arena_array(arena, count + folders + 1, sizeof(*args));
	memcpy(args, fixed, count * sizeof(*args));
	for (const char *at = path; (at = strchr(at, '/')); at++)
		args[count++] = arena_strndup(arena, path, (size_t)(at - path));
	args[count] = NULL;
	return args;
}

bool repo_is_in_submodule(struct repo *repo, const char *commit, const char *path)
{
	struct arena arena = {0};
	struct strbuf entries = STRBUF_INIT;
	struct error ignored;
	bool is_in;

	/* Without folders git would list all of the tree. */
	if (!strchr(path, '/') || !repo_is_tree_path(path))
		return false;
	is_in = !git_run(&(struct git_command){.directory = repo->root,
				 .args = add_folders(&arena,
					 GIT_ARGS("--literal-pathspecs", "ls-tree", "-z",
						 "--full-tree", commit, "--"),
					 path),
				 .env = git_fetches_nothing,
				 .out = &entries},
			&ignored) &&
		has_submodule(&entries, path);
	arena_release(&arena);
	strbuf_release(&entries);
	return is_in;
}
