/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What decides whether a cached build may be used again, as one hash: tree, commands, environment,
 * build path and tools.
 */
#include "gate/bench/build/build_internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "gate/base/arena.h"
#include "gate/base/file.h"
#include "gate/base/strbuf.h"
#include "gate/bench/build/key_text.h"
#include "gate/bench/build/toolchain.h"

#define KEY_VERSION "flamegate build 1"

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
	key_add(text, "environment");
	for (; *env; env++)
		if (!is_volatile(*env))
			key_add(text, *env);
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

static void add_tools(struct strbuf *text, const char *const *env)
{
	struct toolchain toolchain;

	key_add(text, "tools");
	toolchain_find(&toolchain, env);
	for (size_t i = 0; i < toolchain.count; i++)
		add_identity(text, toolchain.programs[i].path);
	toolchain_release(&toolchain);
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

void build_key(const struct build_cache *cache, const struct config *config, const char *tree,
	const char *const *env, char key[65])
{
	struct strbuf text = STRBUF_INIT;
	struct utsname machine;

	key_add(&text, KEY_VERSION);
	key_add(&text, tree);
	key_add(&text, cache->build_path);
	key_add_list(&text, "setup", config->setup);
	key_add_list(&text, "build", config->build);
	if (config->relink && config->relink[0])
		key_add_list(&text, "relink", config->relink);
	add_environment(&text, env);
	add_tools(&text, env);
	add_rustup(&text, env);
	if (uname(&machine) == 0)
		key_add(&text, machine.machine);
	sha256_hex(text.data, text.length, key);
	strbuf_release(&text);
}
