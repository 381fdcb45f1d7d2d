/* SPDX-License-Identifier: Apache-2.0 */
/* Credentials come from the environment, and go nowhere but to the server. */
#include "gate/base/error.h"
#include "tests/unit/net/http_scene.h"

static int forget(void **state)
{
	static const char *const suffixes[] = {"TOKEN", "USER", "PASSWORD", "ORG_ID"};
	char name[64];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "FLAMEGATE_%s", suffixes[i]);
		unsetenv(name);
		snprintf(name, sizeof(name), "A1_B_%s", suffixes[i]);
		unsetenv(name);
	}
	return 0;
}

static struct http_credentials read_fine(const char *prefix)
{
	struct http_credentials credentials;
	struct error err;

	if (http_credentials_read(prefix, &credentials, &err))
		fail_msg("%s", err.message);
	return credentials;
}

static void expect_usage(const char *prefix, const char *text)
{
	struct http_credentials credentials = {.prefix = "before"};
	struct error err = {0};

	assert_int_equal(http_credentials_read(prefix, &credentials, &err), ERR_USAGE);
	if (!strstr(err.message, text))
		fail_msg("no '%s' in: %s", text, err.message);
	assert_null(strstr(err.message, "Sesame"));
	assert_string_equal(credentials.prefix, "before");
}

static void test_without_variables_there_are_no_credentials(void **state)
{
	struct http_credentials credentials = read_fine(HTTP_CREDENTIALS_PREFIX);

	(void)state;
	assert_string_equal(credentials.prefix, "FLAMEGATE");
	assert_null(credentials.token);
	assert_null(credentials.user);
	assert_null(credentials.password);
	assert_null(credentials.org_id);
}

static void test_each_variable_is_read_under_its_prefix(void **state)
{
	struct http_credentials credentials;

	(void)state;
	setenv("A1_B_TOKEN", SCENE_TOKEN, 1);
	setenv("FLAMEGATE_USER", "joe", 1);
	setenv("FLAMEGATE_PASSWORD", SCENE_PASSWORD, 1);
	setenv("FLAMEGATE_ORG_ID", "a|b", 1);
	credentials = read_fine("A1_B");
	assert_string_equal(credentials.token, SCENE_TOKEN);
	assert_null(credentials.user);
	assert_null(credentials.org_id);
	credentials = read_fine("FLAMEGATE");
	assert_null(credentials.token);
	assert_string_equal(credentials.user, "joe");
	assert_string_equal(credentials.password, SCENE_PASSWORD);
	assert_string_equal(credentials.org_id, "a|b");
}

static void test_a_variable_set_to_nothing_is_not_set(void **state)
{
	(void)state;
	setenv("FLAMEGATE_TOKEN", "", 1);
	setenv("FLAMEGATE_USER", "", 1);
	setenv("FLAMEGATE_PASSWORD", "", 1);
	assert_null(read_fine("FLAMEGATE").token);
	assert_null(read_fine("FLAMEGATE").user);
}

static void test_a_control_character_names_the_variable_only(void **state)
{
	static const char *const suffixes[] = {"TOKEN", "USER", "PASSWORD", "ORG_ID"};
	static const char *const values[] = {"Sesame\n", "\rSesame", "Ses\tSesame", "Sesame\x7f"};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		char name[64];

		snprintf(name, sizeof(name), "A1_B_%s", suffixes[i]);
		setenv(name, values[i], 1);
		expect_usage("A1_B", name);
		unsetenv(name);
	}
}

static void test_half_and_doubled_credentials_are_refused(void **state)
{
	(void)state;
	setenv("FLAMEGATE_USER", "joe", 1);
	expect_usage("FLAMEGATE", "FLAMEGATE_USER is set without FLAMEGATE_PASSWORD");
	setenv("FLAMEGATE_PASSWORD", SCENE_PASSWORD, 1);
	setenv("FLAMEGATE_TOKEN", SCENE_TOKEN, 1);
	expect_usage("FLAMEGATE", "both FLAMEGATE_TOKEN and FLAMEGATE_USER");
	unsetenv("FLAMEGATE_TOKEN");
	setenv("FLAMEGATE_USER", "j:oe", 1);
	expect_usage("FLAMEGATE", "FLAMEGATE_USER must not hold a colon");
	unsetenv("FLAMEGATE_USER");
	expect_usage("FLAMEGATE", "FLAMEGATE_PASSWORD is set without FLAMEGATE_USER");
}

static void test_a_prefix_that_names_no_variable_is_refused(void **state)
{
	static const char *const prefixes[] = {"", "1A", "_A", "a", "A-B", "A=B", "A\n",
		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"};

	(void)state;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		expect_usage(prefixes[i], "upper-case");
}

/* Standard output and error of what is done in between. */
static FILE *begin_capture(int saved[2])
{
	FILE *file = tmpfile();

	assert_non_null(file);
	fflush(stdout);
	fflush(stderr);
	for (int fd = 1; fd <= 2; fd++) {
		saved[fd - 1] = dup(fd);
		dup2(fileno(file), fd);
	}
	return file;
}

static size_t end_capture(FILE *file, const int saved[2])
{
	long length;

	fflush(stdout);
	fflush(stderr);
	for (int fd = 1; fd <= 2; fd++) {
		dup2(saved[fd - 1], fd);
		close(saved[fd - 1]);
	}
	fseek(file, 0, SEEK_END);
	length = ftell(file);
	fclose(file);
	return (size_t)length;
}

/* scene_send() looks for the secrets in each message; see check_message(). */
static void test_nothing_is_printed_and_no_message_holds_a_secret(void **state)
{
	static const char *const paths[] = {"/ok", "/status/401", "/repeat/403", "/repeat/500",
		"/short", "/garbage", "/loop", "/redirect?to=//" SCENE_TOKEN ".invalid",
		"/status/200?kind=" SCENE_PASSWORD, "/status/503?Retry-After=" SCENE_TOKEN};
	static const struct http_credentials all = {
		.prefix = "FLAMEGATE", .token = SCENE_TOKEN, .password = SCENE_PASSWORD};
	int saved[2];
	FILE *file = begin_capture(saved);

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct outcome outcome = scene_send("http", scene.http, paths[i],
			(struct http_request){
				.credentials = &all, .expect_type = "application/json"});

		scene_release(&outcome);
	}
	assert_int_equal(end_capture(file, saved), 0);
}

static void test_a_proxys_credentials_are_not_shown(void **state)
{
	static const char *const advice[] = {"or all_proxy names?", "check http_proxy"};
	char proxies[2][128];

	(void)state;
	snprintf(proxies[0], sizeof(proxies[0]), "http://joe:" SCENE_PASSWORD "@127.0.0.1:%u",
		scene.closed);
	snprintf(proxies[1], sizeof(proxies[1]), "http://joe:" SCENE_PASSWORD "@no-such.invalid:1");
	setenv("RES_OPTIONS", "timeout:1 attempts:1", 1);
	for (size_t i = 0; i < 2; i++) {
		struct outcome outcome;

		setenv("http_proxy", proxies[i], 1);
		outcome = scene_get("/ok");
		scene_expect(&outcome, ERR_TOOL, advice[i], NULL);
		scene_release(&outcome);
	}
	unsetenv("http_proxy");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_without_variables_there_are_no_credentials, forget),
		cmocka_unit_test_setup(test_each_variable_is_read_under_its_prefix, forget),
		cmocka_unit_test_setup(test_a_variable_set_to_nothing_is_not_set, forget),
		cmocka_unit_test_setup(test_a_control_character_names_the_variable_only, forget),
		cmocka_unit_test_setup(test_half_and_doubled_credentials_are_refused, forget),
		cmocka_unit_test_setup(test_a_prefix_that_names_no_variable_is_refused, forget),
		cmocka_unit_test_setup(
			test_nothing_is_printed_and_no_message_holds_a_secret, forget),
		cmocka_unit_test(test_a_proxys_credentials_are_not_shown),
	};

	return cmocka_run_group_tests_name("http_credentials", tests, scene_start, scene_stop);
}
