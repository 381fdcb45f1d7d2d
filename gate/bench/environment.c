/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/environment.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "gate/base/arena.h"

/* Whole names: a prefix would let through what others put behind it, such as NIX_SECRET. */
static const char *const allowed[] = {
	/* the session */
	"PATH",
	"HOME",
	"USER",
	"LOGNAME",
	"SHELL",
	"LANG",
	"LANGUAGE",
	"LC_ALL",
	"LC_ADDRESS",
	"LC_COLLATE",
	"LC_CTYPE",
	"LC_IDENTIFICATION",
	"LC_MEASUREMENT",
	"LC_MESSAGES",
	"LC_MONETARY",
	"LC_NAME",
	"LC_NUMERIC",
	"LC_PAPER",
	"LC_TELEPHONE",
	"LC_TIME",
	"TZ",
	"TMPDIR",
	"XDG_CACHE_HOME",
	"XDG_CONFIG_HOME",
	"XDG_DATA_HOME",
	"LOCALE_ARCHIVE",
	/* C and C++ */
	"CC",
	"CXX",
	"CPP",
	"LD",
	"AR",
	"AS",
	"NM",
	"RANLIB",
	"STRIP",
	"OBJCOPY",
	"CFLAGS",
	"CXXFLAGS",
	"CPPFLAGS",
	"LDFLAGS",
	"LDLIBS",
	"CPATH",
	"C_INCLUDE_PATH",
	"CPLUS_INCLUDE_PATH",
	"LIBRARY_PATH",
	"LD_LIBRARY_PATH",
	"PKG_CONFIG",
	"PKG_CONFIG_PATH",
	"PKG_CONFIG_LIBDIR",
	"PKG_CONFIG_SYSROOT_DIR",
	"CMAKE_PREFIX_PATH",
	"CMAKE_GENERATOR",
	"CMAKE_BUILD_TYPE",
	"CMAKE_BUILD_PARALLEL_LEVEL",
	"CMAKE_C_COMPILER_LAUNCHER",
	"CMAKE_CXX_COMPILER_LAUNCHER",
	"ACLOCAL_PATH",
	"SOURCE_DATE_EPOCH",
	"CCACHE_DIR",
	"CCACHE_CONFIGPATH",
	"OMP_NUM_THREADS",
	/* Nix: what its compiler wrappers read, and its programs' certificates. NIX_CONFIG may hold
	   access tokens and is not among them. */
	"NIX_BINTOOLS",
	"NIX_BINTOOLS_WRAPPER_TARGET_HOST_aarch64_unknown_linux_gnu",
	"NIX_BINTOOLS_WRAPPER_TARGET_HOST_x86_64_unknown_linux_gnu",
	"NIX_BUILD_CORES",
	"NIX_BUILD_TOP",
	"NIX_CC",
	"NIX_CC_WRAPPER_TARGET_HOST_aarch64_unknown_linux_gnu",
	"NIX_CC_WRAPPER_TARGET_HOST_x86_64_unknown_linux_gnu",
	"NIX_CFLAGS_COMPILE",
	"NIX_CFLAGS_COMPILE_FOR_BUILD",
	"NIX_CFLAGS_LINK",
	"NIX_CXXSTDLIB_COMPILE",
	"NIX_CXXSTDLIB_LINK",
	"NIX_DONT_SET_RPATH",
	"NIX_ENFORCE_NO_NATIVE",
	"NIX_ENFORCE_PURITY",
	"NIX_HARDENING_ENABLE",
	"NIX_IGNORE_LD_THROUGH_GCC",
	"NIX_LD",
	"NIX_LDFLAGS",
	"NIX_LDFLAGS_FOR_BUILD",
	"NIX_LD_LIBRARY_PATH",
	"NIX_PATH",
	"NIX_PKG_CONFIG_WRAPPER_TARGET_HOST_aarch64_unknown_linux_gnu",
	"NIX_PKG_CONFIG_WRAPPER_TARGET_HOST_x86_64_unknown_linux_gnu",
	"NIX_PROFILES",
	"NIX_REMOTE",
	"NIX_SSL_CERT_FILE",
	"NIX_STORE",
	/* other languages */
	"CARGO_HOME",
	"RUSTUP_HOME",
	"RUSTUP_TOOLCHAIN",
	"RUSTFLAGS",
	"RUSTC",
	"RUSTC_WRAPPER",
	"GOPATH",
	"GOROOT",
	"GOCACHE",
	"GOMODCACHE",
	"GOFLAGS",
	"GOTOOLCHAIN",
	"GOPROXY",
	"GOSUMDB",
	"GOAMD64",
	"GOARM64",
	"CGO_ENABLED",
	"CGO_CFLAGS",
	"CGO_LDFLAGS",
	"JAVA_HOME",
	"GRADLE_USER_HOME",
	"MAVEN_HOME",
	"npm_config_cache",
	"NVM_DIR",
	"NODE_PATH",
	"PNPM_HOME",
	"COREPACK_HOME",
	"PYTHONPATH",
	"PYTHONHOME",
	"PYENV_ROOT",
	"PYENV_VERSION",
	"VIRTUAL_ENV",
	"CONDA_PREFIX",
	"GEM_HOME",
	"GEM_PATH",
	"RBENV_ROOT",
	"DOTNET_ROOT",
	"OPAMROOT",
	"OPAMSWITCH",
	"OPAM_SWITCH_PREFIX",
	"STACK_ROOT",
	"GHCUP_INSTALL_BASE_PREFIX",
	/* the way to the network, for setup commands */
	"http_proxy",
	"https_proxy",
	"no_proxy",
	"all_proxy",
	"HTTP_PROXY",
	"HTTPS_PROXY",
	"NO_PROXY",
	"ALL_PROXY",
	"SSL_CERT_FILE",
	"SSL_CERT_DIR",
	"CURL_CA_BUNDLE",
	"REQUESTS_CA_BUNDLE",
	"NODE_EXTRA_CA_CERTS",
	"GIT_SSL_CAINFO",
};

/* Not even by configuration: make would wait for a job server that is not there. */
static const char *const never[] = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "GNUMAKEFLAGS"};

struct list {
	char **items;
	size_t count, capacity;
};

static bool is_listed(const char *const *names, size_t count, const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strlen(names[i]) == length && !strncmp(names[i], name, length))
			return true;
	return false;
}

/* An '@' between "://" and the next slash. Elsewhere it is common: /opt/node@18/bin. */
static bool holds_credentials(const char *value)
{
	const char *scheme = value;

	while ((scheme = strstr(scheme, "://"))) {
		scheme += 3;
		if (memchr(scheme, '@', strcspn(scheme, "/ ")))
			return true;
	}
	return false;
}

static bool is_proxy(const char *name, size_t length)
{
	return length > 6 && !strncasecmp(name + length - 6, "_proxy", 6);
}

bool environment_is_allowed(const char *name, size_t name_length, const char *value)
{
	if (holds_credentials(value) || (is_proxy(name, name_length) && strchr(value, '@')))
		return false;
	return is_listed(allowed, sizeof(allowed) / sizeof(allowed[0]), name, name_length);
}

const char *environment_get(const char *const *env, const char *name)
{
	size_t length = strlen(name);

	for (; *env; env++)
		if (!strncmp(*env, name, length) && (*env)[length] == '=')
			return *env + length + 1;
	return NULL;
}

static void put(struct list *list, const char *entry)
{
	size_t i, length = strcspn(entry, "=");

	if (!length || entry[length] != '=' ||
		is_listed(never, sizeof(never) / sizeof(never[0]), entry, length))
		return;
	for (i = 0; i < list->count; i++)
		if (!strncmp(list->items[i], entry, length + 1)) {
			free(list->items[i]);
			list->items[i] = xstrdup(entry);
			return;
		}
	list->items =
		grow_array(list->items, &list->capacity, list->count + 2, sizeof(*list->items));
	list->items[list->count++] = xstrdup(entry);
	list->items[list->count] = NULL;
}

static void put_all(struct list *list, const char *const *entries)
{
	for (; entries && *entries; entries++)
		put(list, *entries);
}

static void put_passed(struct list *list, const char *const *names)
{
	char **entry;

	for (; names && *names; names++)
		for (entry = environ; entry && *entry; entry++)
			if (strcspn(*entry, "=") == strlen(*names) &&
				!strncmp(*names, *entry, strlen(*names)))
				put(list, *entry);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **environment_build(const struct config *config, const char *const *extra)
{
	struct list list = {NULL, 0, 0};
	char **entry;

	put(&list, "TERM=dumb"); /* never empty, and no colours in logs */
	for (entry = environ; entry && *entry; entry++) {
		size_t length = strcspn(*entry, "=");

		if ((*entry)[length] == '=' &&
			environment_is_allowed(*entry, length, *entry + length + 1))
			put(&list, *entry);
	}
	if (config) {
		put_passed(&list, config->pass);
		put_all(&list, config->env);
	}
	put_all(&list, extra);
	qsort(list.items, list.count, sizeof(*list.items), by_text);
	return list.items;
}

void environment_free(char **env)
{
	char **entry;

	for (entry = env; entry && *entry; entry++)
		free(*entry);
	free(env);
}
