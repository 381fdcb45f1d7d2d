/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/build/toolchain.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/arena.h"
#include "gate/base/process/program.h"
#include "gate/bench/environment.h"

static const struct {
	const char *name, *option;
} tools[] = {
	{"gcc", "--version"},
	{"g++", "--version"},
	{"clang", "--version"},
	{"clang++", "--version"},
	{"cc", "--version"},
	{"c++", "--version"},
	{"ld", NULL},
	{"as", NULL},
	{"cmake", NULL},
	{"meson", NULL},
	{"make", NULL},
	{"ninja", NULL},
	{"rustc", "--version"},
	{"cargo", NULL},
	{"go", "version"},
	{"node", "--version"},
	{"npm", NULL},
	{"python3", "--version"},
	{"java", "-version"}, /* the only one that Java 8 knows */
	{"javac", NULL},
	{"ghc", "--version"},
	{"ocaml", "-version"},
	{"zig", "version"},
	{"perl", NULL},
	{"ruby", "--version"},
};

/* Variables whose first word is a program. */
static const struct {
	const char *variable, *option;
} named[] = {
	{"CC", "--version"},
	{"CXX", "--version"},
	{"LD", NULL},
	{"AR", NULL},
	{"RUSTC", "--version"},
};

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       strchr("._+-", c);
}

/* The last part of a path, of characters that no reader has to fear. */
static char *plain_name(const char *word)
{
	const char *slash = strrchr(word, '/');
	char *name = xstrdup(slash ? slash + 1 : word);

	for (char *at = name; *at; at++)
		if (!is_plain(*at))
			*at = '_';
	return name;
}

static void find_one(
	struct toolchain *toolchain, const char *const *env, const char *word, const char *option)
{
	char *path = program_find(word, env, "/");

	if (!path)
		return;
	toolchain->programs = grow_array(toolchain->programs, &toolchain->capacity,
		toolchain->count + 1, sizeof(*toolchain->programs));
	toolchain->programs[toolchain->count++] =
		(struct toolchain_program){plain_name(word), path, option};
}

void toolchain_find(struct toolchain *toolchain, const char *const *env)
{
	*toolchain = (struct toolchain){NULL, 0, 0};
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		find_one(toolchain, env, tools[i].name, tools[i].option);
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		const char *value = environment_get(env, named[i].variable);
		struct strbuf word = STRBUF_INIT;

		if (value)
			strbuf_add(&word, value, strcspn(value, " "));
		if (word.length)
			find_one(toolchain, env, word.data, named[i].option);
		strbuf_release(&word);
	}
}

void toolchain_release(struct toolchain *toolchain)
{
	for (size_t i = 0; i < toolchain->count; i++) {
		free(toolchain->programs[i].name);
		free(toolchain->programs[i].path);
	}
	free(toolchain->programs);
	*toolchain = (struct toolchain){NULL, 0, 0};
}
