/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/arm_internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "gate/base/arena.h"
#include "gate/base/file.h"
#include "gate/base/strbuf.h"
#include "gate/bench/preload.h"

#define KEY_VERSION "flamegate arm 1"

/* With a length before it, so that no two lists give the same text. */
static void add(struct strbuf *text, const char *part)
{
	strbuf_addf(text, "%zu:%s\n", strlen(part), part);
}

static void add_list(struct strbuf *text, const char *title, const char *const *list)
{
	add(text, title);
	for (; list && *list; list++)
		add(text, *list);
}

/* These differ from session to session and do not change what is built. */
static bool is_volatile(const char *entry)
{
	static const char *const names[] = {"TMPDIR=", "SHELL=", "TERM=", "USER=", "LOGNAME="};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(entry, names[i], strlen(names[i])))
			return true;
	return false;
}

static void add_environment(struct strbuf *text, const char *const *env)
{
	add(text, "environment");
	for (; *env; env++)
		if (!is_volatile(*env))
			add(text, *env);
}

/* Which file it is, and since when. */
static void add_identity(struct strbuf *text, const char *path)
{
	char *real = realpath(path, NULL);
	struct stat info;

	if (real && stat(real, &info) == 0)
		strbuf_addf(text, "%s %lld %lld.%09ld\n", real, (long long)info.st_size,
			(long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
	free(real);
}

static void add_tool(struct strbuf *text, const char *const *env, const char *name, size_t length)
{
	struct strbuf word = STRBUF_INIT;
	char *path;

	strbuf_add(&word, name, length);
	path = program_find(word.data, env, "/");
	if (path)
		add_identity(text, path);
	free(path);
	strbuf_release(&word);
}

static void add_tools(struct strbuf *text, const char *const *env)
{
	static const char *const tools[] = {"cc", "gcc", "c++", "g++", "clang", "clang++", "ld",
		"as", "cmake", "meson", "make", "ninja", "rustc", "cargo", "go", "node", "npm",
		"python3", "java", "javac", "ghc", "ocaml", "zig", "perl", "ruby"};
	static const char *const named[] = {"CC", "CXX", "LD", "AR", "RUSTC"};
	size_t i;

	add(text, "tools");
	for (i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		add_tool(text, env, tools[i], strlen(tools[i]));
	for (i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		const char *value = environment_get(env, named[i]);

		if (value)
			add_tool(text, env, value, strcspn(value, " "));
	}
	add_identity(text, "/lib/x86_64-linux-gnu/libc.so.6");
	add_identity(text, "/lib/aarch64-linux-gnu/libc.so.6");
	add_identity(text, "/lib64/libc.so.6");
}

/* rustup's cargo and rustc are always the same shim. */
static void add_rustup(struct strbuf *text, const char *const *env)
{
	const char *home = environment_get(env, "RUSTUP_HOME");
	const char *user = environment_get(env, "HOME");
	char *folder = NULL, *settings;

	if (!home && !user)
		return;
	if (!home)
		folder = file_join(user, ".rustup");
	settings = file_join(home ? home : folder, "settings.toml");
	add_identity(text, settings);
	free(settings);
	settings = file_join(home ? home : folder, "toolchains");
	add_identity(text, settings);
	free(settings);
	free(folder);
}

void arm_key(const struct arm_cache *cache, const struct config *config, const char *tree,
	const char *const *env, char key[65])
{
	struct strbuf text = STRBUF_INIT;
	struct utsname machine;

	add(&text, KEY_VERSION);
	add(&text, tree);
	add(&text, cache->build_path);
	add_list(&text, "setup", config->setup);
	add_list(&text, "build", config->build);
	add_environment(&text, env);
	add_tools(&text, env);
	add_rustup(&text, env);
	if (uname(&machine) == 0)
		add(&text, machine.machine);
	sha256_hex(text.data, text.length, key);
	strbuf_release(&text);
}
