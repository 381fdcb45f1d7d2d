/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The toolchain's part of a fingerprint: which compilers and commands made the code, and whether
 * two recordings agree in them, so that exact counts may be compared.
 */
#include "gate/bench/machine/fingerprint.h"

#include <string.h>

#include "gate/base/file.h"
#include "gate/base/strbuf.h"
#include "gate/bench/build/key_text.h"
#include "gate/bench/build/toolchain.h"
#include "gate/bench/config/config.h"
#include "gate/bench/environment.h"

#define SHORT_HASH 16

/*
 * What of the session decides which code comes out. Paths and caches do not, and they differ
 * between machines that build the same; passed variables may be secrets, which no hash is to hold.
 */
static const char *const deciding[] = {
	"AR",
	"CC",
	"CFLAGS",
	"CGO_CFLAGS",
	"CGO_ENABLED",
	"CGO_LDFLAGS",
	"CMAKE_BUILD_TYPE",
	"CPP",
	"CPPFLAGS",
	"CXX",
	"CXXFLAGS",
	"GOAMD64",
	"GOARM64",
	"GOFLAGS",
	"LD",
	"LDFLAGS",
	"LDLIBS",
	"RUSTC",
	"RUSTFLAGS",
};

static void add_deciding(struct strbuf *text, const char *const *env)
{
	for (size_t i = 0; i < sizeof(deciding) / sizeof(deciding[0]); i++) {
		const char *value = environment_get(env, deciding[i]);

		key_add(text, deciding[i]);
		key_add(text, value ? value : "");
	}
}

static const char *build_hash(
	const struct config *config, const char *const *env, struct arena *arena)
{
	struct strbuf text = STRBUF_INIT;
	char hex[65];

	key_add(&text, "flamegate build 1");
	key_add_list(&text, "setup", config->setup);
	key_add_list(&text, "build", config->build);
	key_add_list(&text, "env", config->env);
	key_add_list(&text, "pass", config->pass);
	add_deciding(&text, env);
	sha256_hex(text.data, text.length, hex);
	strbuf_release(&text);
	return arena_strndup(arena, hex, SHORT_HASH);
}

static void add_benchmark(struct strbuf *text, const struct config_benchmark *benchmark)
{
	/* What auto has found is added where it was not fixed (gate/check/fixed_work). */
	static const char *const works[] = {[CONFIG_WORK_AUTO] = "fixed",
		[CONFIG_WORK_FIXED] = "fixed",
		[CONFIG_WORK_REPLAYED] = "replayed",
		[CONFIG_WORK_STEPPED] = "stepped",
		[CONFIG_WORK_ITERATIONS] = "file",
		[CONFIG_WORK_MARKS] = "marks"};

	key_add_list(text, "command", benchmark->argv);
	key_add(text, benchmark->directory);
	key_add_list(text, "env", benchmark->env);
	key_add(text, works[benchmark->work]);
	key_add(text, benchmark->alloc_sampled ? "sampled" : "exact");
	key_add(text, benchmark->start_paused ? "paused" : "running");
	key_add_list(text, benchmark->processes ? "processes" : "auto", benchmark->processes);
}

const char *fingerprint_benchmark_hash(
	const char *build_hash, const struct config_benchmark *benchmark, struct arena *arena)
{
	struct strbuf text = STRBUF_INIT;
	char hex[65];

	if (!*build_hash)
		return "";
	key_add(&text, "flamegate benchmark 1");
	key_add(&text, build_hash);
	add_benchmark(&text, benchmark);
	sha256_hex(text.data, text.length, hex);
	strbuf_release(&text);
	return arena_strndup(arena, hex, SHORT_HASH);
}

void fingerprint_read_toolchain(
	struct fingerprint *fingerprint, const struct config *config, struct arena *arena)
{
	static const char *const plain[] = {"LC_ALL=C", NULL};
	char **env = environment_build(config, plain);
	struct strbuf versions = STRBUF_INIT;

	toolchain_versions((const char *const *)env, &versions);
	fingerprint->compiler = arena_strdup(arena, versions.data);
	fingerprint->build_hash = build_hash(config, (const char *const *)env, arena);
	strbuf_release(&versions);
	environment_free(env);
}

struct requirement {
	const char *name, *a, *b;
	bool shown; /* its values mean something to a reader */
};

/* What is not known may be anything: it fits nothing, not even itself. */
static bool fits(const struct requirement *requirement)
{
	return *requirement->a && !strchr(requirement->a, '?') &&
	       !strcmp(requirement->a, requirement->b);
}

static const char *describe(const struct requirement *requirement, struct arena *arena)
{
	const char *a = *requirement->a ? requirement->a : "unknown";
	const char *b = *requirement->b ? requirement->b : "unknown";

	if (!requirement->shown)
		return requirement->name;
	if (!strcmp(a, b))
		return arena_printf(arena, "%s: %s", requirement->name, a);
	return arena_printf(arena, "%s: %s / %s", requirement->name, a, b);
}

bool fingerprint_toolchain_fits(const struct fingerprint *a, const struct fingerprint *b,
	struct arena *arena, const char **difference)
{
	const struct requirement requirements[] = {
		{"machine", a->machine, b->machine, true},
		{"libc", a->libc, b->libc, true},
		{"compilers", a->compiler, b->compiler, true},
		{"commands, their environment, or what counts", a->build_hash, b->build_hash,
			false},
	};
	const size_t count = sizeof(requirements) / sizeof(requirements[0]);
	size_t i = 0;

	while (i < count && fits(&requirements[i]))
		i++;
	if (difference)
		*difference = i < count ? describe(&requirements[i], arena) : "";
	return i == count;
}
