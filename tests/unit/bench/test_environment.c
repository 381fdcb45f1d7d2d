/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/environment.h"

#include "tests/unit/bench/scene.h"

static int set_variables(void **state)
{
	(void)state;
	clearenv();
	setenv("PATH", "/opt/node@18/bin:/usr/bin", 1);
	setenv("HOME", "/home/user", 1);
	setenv("LC_NUMERIC", "C", 1);
	setenv("CFLAGS", "-O2", 1);
	setenv("GITHUB_TOKEN", "ghp_secret", 1);
	setenv("ACTIONS_RUNTIME_TOKEN", "secret", 1);
	setenv("INPUT_PASSWORD", "secret", 1);
	setenv("RUNNER_TEMP", "/t", 1);
	setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
	setenv("NPM_TOKEN", "secret", 1);
	setenv("CARGO_REGISTRY_TOKEN", "secret", 1);
	setenv("LD_PRELOAD", "/evil.so", 1);
	setenv("MAKEFLAGS", "-j --jobserver-auth=3,4", 1);
	setenv("GIT_DIR", "/repo/.git", 1);
	setenv("https_proxy", "http://user:secret@proxy:1", 1);
	setenv("http_proxy", "http://proxy:1", 1);
	setenv("HTTPS_PROXY", "user:secret@proxy:1", 1);
	setenv("GOPROXY", "https://u:secret@go.example,direct", 1);
	setenv("NIX_CFLAGS_COMPILE", "-isystem /nix/store/x/include", 1);
	setenv("NIX_SECRET", "secret", 1);
	setenv("NIX_CONFIG", "access-tokens = github.com=secret", 1);
	setenv("LC_TOKEN", "secret", 1);
	setenv("MY_OPTION", "yes", 1);
	return 0;
}

static const char *get(char **env, const char *name)
{
	return environment_get((const char *const *)env, name);
}

static void test_only_listed_variables_pass(void **state)
{
	char **env = environment_build(NULL, NULL);
	size_t i;

	(void)state;
	assert_string_equal(get(env, "PATH"), "/opt/node@18/bin:/usr/bin");
	assert_string_equal(get(env, "HOME"), "/home/user");
	assert_string_equal(get(env, "LC_NUMERIC"), "C");
	assert_string_equal(get(env, "CFLAGS"), "-O2");
	assert_string_equal(get(env, "TERM"), "dumb");
	assert_string_equal(get(env, "http_proxy"), "http://proxy:1");
	for (i = 0; env[i]; i++) {
		assert_null(strstr(env[i], "secret"));
		assert_null(strstr(env[i], "evil"));
	}
	assert_null(get(env, "MAKEFLAGS"));
	assert_null(get(env, "GIT_DIR"));
	assert_null(get(env, "RUNNER_TEMP"));
	assert_null(get(env, "MY_OPTION"));
	assert_string_equal(get(env, "NIX_CFLAGS_COMPILE"), "-isystem /nix/store/x/include");
	assert_null(get(env, "NIX_SECRET"));
	assert_null(get(env, "NIX_CONFIG"));
	assert_null(get(env, "LC_TOKEN"));
	assert_int_equal(i, 7);
	environment_free(env);
}

static void test_configuration_adds_by_name_and_by_value(void **state)
{
	const char *pass[] = {"MY_OPTION", "NOT_SET", "MAKEFLAGS", "AWS*", NULL};
	const char *own[] = {"MODE=bench", "CFLAGS=-O3", "MFLAGS=x", NULL};
	const char *extra[] = {"MODE=one", NULL};
	struct config config = {.pass = pass, .env = own};
	char **env = environment_build(&config, extra);
	size_t i;

	(void)state;
	assert_string_equal(get(env, "MY_OPTION"), "yes");
	assert_string_equal(get(env, "MODE"), "one");
	assert_string_equal(get(env, "CFLAGS"), "-O3");
	assert_null(get(env, "NOT_SET"));
	assert_null(get(env, "MAKEFLAGS"));
	assert_null(get(env, "MFLAGS"));
	assert_null(get(env, "AWS_SECRET_ACCESS_KEY"));
	for (i = 0; env[i] && env[i + 1]; i++)
		assert_true(strcmp(env[i], env[i + 1]) < 0);
	environment_free(env);
}

static void test_a_secret_passes_only_when_named(void **state)
{
	const char *pass[] = {"NPM_TOKEN", NULL};
	struct config config = {.pass = pass};
	char **env = environment_build(&config, NULL);

	(void)state;
	assert_string_equal(get(env, "NPM_TOKEN"), "secret");
	assert_null(get(env, "GITHUB_TOKEN"));
	environment_free(env);
}

static void test_an_empty_environment_still_has_a_terminal(void **state)
{
	char **env;

	(void)state;
	clearenv();
	env = environment_build(NULL, NULL);
	assert_string_equal(env[0], "TERM=dumb");
	assert_null(env[1]);
	environment_free(env);
	environment_free(NULL);
}

static void test_names_match_wholly(void **state)
{
	(void)state;
	assert_true(environment_is_allowed("LC_ALL", 6, "C"));
	assert_false(environment_is_allowed("LC", 2, "C"));
	assert_true(environment_is_allowed("PATH", 4, "/bin"));
	assert_false(environment_is_allowed("PATHEXT", 7, "x"));
	assert_false(environment_is_allowed("PAT", 3, "x"));
	assert_false(environment_is_allowed("", 0, "x"));
}

/* Whatever stands on the list, something behind its name is another variable. */
static void test_no_name_is_a_prefix(void **state)
{
	static const char *const groups[] = {"LC_", "NIX_", "CMAKE_", "CARGO_", "GO", "PKG_CONFIG_",
		"XDG_", "PYTHON", "GIT_", "NODE_", "CCACHE_", "OPAM", "RUST", "FLAMEGATE_"};

	(void)state;
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		char name[64];
		int length = snprintf(name, sizeof(name), "%sTOKEN", groups[i]);

		assert_false(environment_is_allowed(name, (size_t)length, "x"));
		assert_false(environment_is_allowed(groups[i], strlen(groups[i]), "x"));
	}
}

/* locale(7) and POSIX name these; the C library reads no other. */
static void test_every_locale_category_passes(void **state)
{
	static const char *const names[] = {"LC_ALL", "LC_ADDRESS", "LC_COLLATE", "LC_CTYPE",
		"LC_IDENTIFICATION", "LC_MEASUREMENT", "LC_MESSAGES", "LC_MONETARY", "LC_NAME",
		"LC_NUMERIC", "LC_PAPER", "LC_TELEPHONE", "LC_TIME"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_true(environment_is_allowed(names[i], strlen(names[i]), "C"));
}

/* What flamegate.yml(5) says of Nix. */
static void test_what_nix_needs_passes(void **state)
{
	static const char *const names[] = {"NIX_PATH", "NIX_REMOTE", "NIX_STORE", "NIX_PROFILES",
		"NIX_SSL_CERT_FILE", "NIX_CFLAGS_COMPILE", "NIX_LDFLAGS",
		"NIX_CC_WRAPPER_TARGET_HOST_x86_64_unknown_linux_gnu"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_true(environment_is_allowed(names[i], strlen(names[i]), "x"));
	assert_false(environment_is_allowed("NIX_CONFIG", strlen("NIX_CONFIG"), "x"));
	assert_false(environment_is_allowed("NIX_REMOTE", strlen("NIX_REMOTE"), "ssh://u:p@host"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_only_listed_variables_pass, set_variables),
		cmocka_unit_test_setup(test_configuration_adds_by_name_and_by_value, set_variables),
		cmocka_unit_test_setup(test_a_secret_passes_only_when_named, set_variables),
		cmocka_unit_test_setup(
			test_an_empty_environment_still_has_a_terminal, set_variables),
		cmocka_unit_test(test_names_match_wholly),
		cmocka_unit_test(test_no_name_is_a_prefix),
		cmocka_unit_test(test_every_locale_category_passes),
		cmocka_unit_test(test_what_nix_needs_passes),
	};

	/* The tests empty the environment, from which cmocka learns how to print. */
	if (getenv("CMOCKA_MESSAGE_OUTPUT"))
		cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("environment", tests, NULL, NULL);
}
