/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/source/blame_build.h"

#include <string.h>

enum kind { BUILT_BY, TEXT, OTHER };

static const char *const build_names[] = {"Makefile", "makefile", "GNUmakefile", "CMakeLists.txt",
	"meson.build", "meson_options.txt", "configure", "SConstruct", "SConscript", "BUILD",
	"BUILD.bazel", "Cargo.toml", "Cargo.lock", "go.mod", "go.sum", "setup.cfg",
	"pyproject.toml", "package.json", "package-lock.json", "pom.xml", "build.gradle",
	"build.gradle.kts", "gradle.properties"};
static const char *const build_endings[] = {".mk", ".cmake", ".am", ".ac", ".bzl", ".ninja"};
static const char *const text_endings[] = {".md", ".rst", ".adoc", ".txt"};

static bool has_ending(const char *name, const char *ending)
{
	size_t length = strlen(name), of_ending = strlen(ending);

	return length > of_ending && strcmp(name + length - of_ending, ending) == 0;
}

static bool has_one(const char *name, const char *const *endings, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (has_ending(name, endings[i]))
			return true;
	return false;
}

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static enum kind kind_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < COUNT(build_names); i++)
		if (strcmp(name, build_names[i]) == 0)
			return BUILT_BY;
	if (has_one(name, build_endings, COUNT(build_endings)))
		return BUILT_BY;
	return has_one(name, text_endings, COUNT(text_endings)) ? TEXT : OTHER;
}

static int64_t line_of(const struct repo_hunk *hunk)
{
	return hunk->new_start > 0 ? hunk->new_start : 1;
}

bool blame_build(const struct repo_diff *diff, const char **file, int64_t *line)
{
	const struct repo_file_change *found = NULL;

	for (size_t i = 0; diff && i < diff->file_count; i++) {
		const struct repo_file_change *change = &diff->files[i];
		bool is_gone = !change->new_path[0];
		enum kind kind = kind_of(is_gone ? change->old_path : change->new_path);

		if (kind == OTHER)
			return false;
		if (!found && kind == BUILT_BY && !is_gone && change->hunk_count)
			found = change;
	}
	if (!found)
		return false;
	*file = found->new_path;
	*line = line_of(&found->hunks[0]);
	return true;
}
