/* SPDX-License-Identifier: Apache-2.0 */
/* Names that only the project knows, asked for while somebody types. */
#include "gate/cli/completion/completion.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/text.h"
#include "gate/bench/config/config.h"
#include "gate/vcs/repo.h"

#define MAX_NAMES 5000

typedef int list_names(
	struct repo *repo, struct arena *arena, struct strbuf *out, struct error *err);

/* What no shell sees anything in but itself, and no terminal either. */
static bool is_plain(const char *name)
{
	struct strbuf inert = STRBUF_INIT;
	bool plain = *name && *name != '-' && *name != '~' && *name != '=';

	for (const char *c = name; *c && plain; c++)
		plain = (unsigned char)*c >= 0x80 || (*c >= '0' && *c <= '9') ||
			(*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z') ||
			strchr("._/+@-", *c);
	text_defuse(&inert, name, strlen(name));
	plain = plain && strcmp(inert.data, name) == 0;
	strbuf_release(&inert);
	return plain;
}

static void add_name(struct strbuf *out, const char *name)
{
	if (is_plain(name))
		strbuf_addf(out, "%s\n", name);
}

static int list_benchmarks(
	struct repo *repo, struct arena *arena, struct strbuf *out, struct error *err)
{
	char *path = file_join(repo_root(repo), CONFIG_FILE_NAME);
	struct config config;
	int rc = config_read_file(&config, path, err);

	(void)arena;
	if (!rc) {
		for (size_t i = 0; i < config.benchmark_count; i++)
			add_name(out, config.benchmarks[i].name);
		config_release(&config);
	}
	free(path);
	return rc;
}

static int list_revisions(
	struct repo *repo, struct arena *arena, struct strbuf *out, struct error *err)
{
	const char *const *names = NULL;
	size_t count = 0;
	int rc = repo_reference_names(repo, MAX_NAMES, arena, &names, &count, err);

	if (!rc)
		add_name(out, "HEAD");
	for (size_t i = 0; i < count; i++)
		add_name(out, names[i]);
	return rc;
}

static const struct {
	const char *name;
	list_names *list;
} kinds[] = {
	{"benchmarks", list_benchmarks},
	{"revisions", list_revisions},
	{NULL, NULL},
};

const char *completion_list_kind(size_t index)
{
	return kinds[index].name;
}

/* "~/x" as the shell would have it: on a line that is not finished nobody has expanded it. */
static char *expand_home(const char *path)
{
	const char *home = getenv("HOME");

	if (path[0] != '~' || (path[1] && path[1] != '/') || !home || !*home)
		return xstrdup(path);
	return path[1] ? file_join(home, path + 2) : xstrdup(home);
}

static const char *behind(const char *word, const char *option)
{
	size_t length = strlen(option);

	return strncmp(word, option, length) == 0 ? word + length : NULL;
}

/* -C DIR, -CDIR, --directory DIR or --directory=DIR, the last of them; bash parts at the "=". */
static const char *find_directory(const char *const *words)
{
	const char *found = ".", *rest;

	for (; *words; words++) {
		bool long_one = (rest = behind(*words, "--directory")) != NULL;

		if (!rest)
			rest = behind(*words, "-C");
		if (!rest)
			continue;
		if (!*rest && words[1] && long_one && strcmp(words[1], "=") == 0)
			words++;
		if (!*rest && words[1])
			found = *++words;
		else if (*rest)
			found = rest + (long_one && *rest == '=');
	}
	return found;
}

int completion_list(
	const char *kind, const char *const *words, struct strbuf *out, struct error *err)
{
	char *directory = expand_home(find_directory(words));
	struct arena arena = ARENA_INIT;
	struct repo *repo = NULL;
	size_t i = 0;
	int rc = repo_open(directory, &repo, err);

	while (kinds[i].name && strcmp(kinds[i].name, kind) != 0)
		i++;
	if (!rc && !kinds[i].name)
		rc = error_set(err, ERR_USAGE, "there is no list of %s", kind);
	if (!rc)
		rc = kinds[i].list(repo, &arena, out, err);
	repo_free(repo);
	arena_release(&arena);
	free(directory);
	return rc;
}
