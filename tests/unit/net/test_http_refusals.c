/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses, repetitions, and what a server says in its own words. */
#include "gate/base/error.h"
#include "gate/net/http_internal.h"
#include "tests/unit/net/http_scene.h"

static const struct http_credentials bearer = {.prefix = "MINE", .token = SCENE_TOKEN};
static const struct http_credentials basic = {
	.prefix = "MINE", .user = "joe", .password = SCENE_PASSWORD, .org_id = "a"};

static struct outcome get_with(const struct http_credentials *credentials, const char *path)
{
	return scene_send(
		"http", scene.http, path, (struct http_request){.credentials = credentials});
}

static void test_each_refusal_says_what_to_do(void **state)
{
	static const struct {
		unsigned status;
		int code;
		const char *what, *advice;
	} cases[] = {
		{400, ERR_TOOL, "does not understand", "right server"},
		{404, ERR_NOT_FOUND, "nothing at this address", "port and the path"},
		{407, ERR_TOOL, "proxy", "http_proxy"},
		{413, ERR_TOOL, "too large", "send less"},
		{429, ERR_TOOL, "too many requests", "wait"},
		{500, ERR_TOOL, "it failed", "log"},
		{501, ERR_TOOL, "it failed", "log"},
		{502, ERR_TOOL, "not available", "later"},
		{503, ERR_TOOL, "not available", "later"},
		{504, ERR_TOOL, "not available", "later"},
		{505, ERR_TOOL, "it failed", "log"},
		{304, ERR_TOOL, "unexpected answer", "right server"},
		{418, ERR_TOOL, "unexpected answer", "right server"},
		{600, ERR_TOOL, "unexpected answer", "right server"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct outcome outcome;
		char path[64], status[32];

		snprintf(path, sizeof(path), "/status/%u", cases[i].status);
		snprintf(status, sizeof(status), "(status %u); ", cases[i].status);
		outcome = scene_get(path);
		scene_expect(&outcome, cases[i].code, cases[i].what, cases[i].advice, status, NULL);
		assert_int_equal(outcome.response.status, cases[i].status);
		scene_release(&outcome);
	}
}

static void test_missing_credentials_name_the_variables_to_set(void **state)
{
	struct outcome outcome = scene_get("/status/401");

	(void)state;
	scene_expect(&outcome, ERR_TOOL,
		"it wants credentials (status 401); set FLAMEGATE_TOKEN, or "
		"FLAMEGATE_USER and FLAMEGATE_PASSWORD (and FLAMEGATE_ORG_ID if it has tenants)",
		NULL);
	scene_release(&outcome);
	outcome = scene_get("/status/403");
	scene_expect(&outcome, ERR_TOOL, "it forbids this (status 403); set FLAMEGATE_TOKEN", NULL);
	scene_release(&outcome);
}

static void test_refused_credentials_name_the_variables_they_came_from(void **state)
{
	struct outcome outcome = get_with(&bearer, "/status/401");

	(void)state;
	scene_expect(&outcome, ERR_TOOL, "the credentials in MINE_TOKEN were refused",
		"MINE_ORG_ID", NULL);
	scene_release(&outcome);
	outcome = get_with(&basic, "/status/403");
	scene_expect(&outcome, ERR_TOOL,
		"the credentials in MINE_USER and MINE_PASSWORD do not have the right", NULL);
	assert_null(strstr(outcome.err.message, "ORG_ID"));
	scene_release(&outcome);
}

static void test_a_servers_words_are_its_first_line_defused_and_cut(void **state)
{
	static const struct {
		const char *body, *words;
	} cases[] = {
		{"bad series\nsecond", "it says: bad series"},
		{"\r\n  indented\r\n", "it says: indented"},
		{"a\x1b[31mb\x01\x63\r::error::x", "it says: abc"},
		{"\xE2\x80\xAEleft", "it says: left"},
		{"##[error]x", "it says: ##\xE2\x80\x8B[error]x"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct outcome outcome = scene_get_status(500, cases[i].body);

		scene_expect(&outcome, ERR_TOOL, cases[i].words, NULL);
		assert_string_equal(strstr(outcome.err.message, "it says"), cases[i].words);
		scene_release(&outcome);
	}
}

static void test_long_words_are_cut_between_characters(void **state)
{
	char body[256] = "x";
	struct outcome outcome;
	const char *words;

	(void)state;
	for (size_t i = 0; i < 120; i++)
		strcat(body, "\xc3\xa4");
	outcome = scene_get_status(500, body);
	words = strstr(outcome.err.message, "it says: ");
	assert_non_null(words);
	/* "x", and 99 characters of two bytes: the 100th would end at 201. */
	assert_int_equal(strlen(words), strlen("it says: ") + 199);
	assert_int_equal((unsigned char)words[strlen(words) - 1], 0xa4);
	scene_release(&outcome);
}

static void test_pages_for_browsers_and_empty_bodies_are_no_words(void **state)
{
	static const char *const bodies[] = {"", "<html>", " \n<!DOCTYPE html>", "\n\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		struct outcome outcome = scene_get_status(500, bodies[i]);

		scene_expect(&outcome, ERR_TOOL, "it failed", NULL);
		assert_null(strstr(outcome.err.message, "it says"));
		scene_release(&outcome);
	}
}

static void test_credentials_that_a_server_repeats_are_not_shown(void **state)
{
	static const struct http_credentials *const credentials[] = {&bearer, &basic};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct outcome outcome = get_with(credentials[i], "/repeat/401");

		scene_expect(&outcome, ERR_TOOL, "were refused", NULL);
		assert_non_null(strstr(outcome.response.body.data, "refused: B"));
		assert_null(strstr(outcome.err.message, "it says"));
		assert_null(strstr(outcome.err.message, "am9lOn"));
		scene_release(&outcome);
	}
	/* Without credentials there is nothing to hide. */
	struct outcome outcome = get_with(NULL, "/repeat/401");

	scene_expect(&outcome, ERR_TOOL, "it says: refused:", NULL);
	scene_release(&outcome);
}

static void test_a_repeated_password_is_not_shown_in_a_type_or_a_redirect(void **state)
{
	struct outcome outcome =
		scene_send("http", scene.http, "/status/200?kind=text/" SCENE_PASSWORD,
			(struct http_request){.credentials = &basic, .expect_type = "text/x"});

	(void)state;
	scene_expect(&outcome, ERR_CORRUPT, "no stated type", NULL);
	scene_release(&outcome);
	outcome = get_with(&basic, "/redirect?to=http://" SCENE_PASSWORD ".invalid/");
	scene_expect(&outcome, ERR_TOOL, "not repeated here", NULL);
	scene_release(&outcome);
}

static void test_a_refusal_before_the_body_is_sent_is_understood(void **state)
{
	size_t length = 32 << 20;
	char *body = calloc(1, length);
	struct outcome outcome = scene_send("http", scene.http, "/refuse-early",
		(struct http_request){.method = "POST", .body = body, .body_length = length});

	(void)state;
	scene_expect(&outcome, ERR_TOOL, "too large for it (status 413)", "body too large", NULL);
	scene_release(&outcome);
	free(body);
}

/* ---- repetitions ----------------------------------------------------------------------------- */

static struct outcome get_repeated(const char *path, unsigned attempts)
{
	return scene_send("http", scene.http, path, (struct http_request){.attempts = attempts});
}

static void test_what_may_pass_is_repeated(void **state)
{
	static const unsigned statuses[] = {429, 502, 503, 504};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct outcome outcome;
		char path[64];

		snprintf(path, sizeof(path), "/flaky/pass%zu?n=1&status=%u", i, statuses[i]);
		outcome = get_repeated(path, 3);
		scene_expect(&outcome, ERR_OK, NULL);
		assert_int_equal(outcome.response.attempts, 2);
		assert_int_equal(outcome.response.status, 200);
		assert_string_equal(outcome.response.body.data, "{\"a\":1}");
		/* Half of 0.25 s is the least that jitter leaves. */
		assert_true(outcome.wall_ns >= SCENE_SECOND_NS / 8);
		scene_release(&outcome);
	}
}

static void test_what_will_not_pass_is_not_repeated(void **state)
{
	static const unsigned statuses[] = {400, 401, 403, 404, 413, 500, 501, 505};

	(void)state;
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
		struct outcome outcome;
		char path[64], key[32];

		snprintf(key, sizeof(key), "stay%zu", i);
		snprintf(path, sizeof(path), "/flaky/%s?n=9&status=%u", key, statuses[i]);
		outcome = get_repeated(path, 3);
		assert_int_not_equal(outcome.rc, 0);
		assert_int_equal(outcome.response.attempts, 1);
		assert_int_equal(scene_count(key), 1);
		scene_release(&outcome);
	}
}

static void test_a_request_is_sent_once_unless_more_attempts_are_asked_for(void **state)
{
	struct outcome outcome = get_repeated("/flaky/once?n=9&status=503", 0);

	(void)state;
	scene_expect(&outcome, ERR_TOOL, "(status 503); ", "not yet", NULL);
	assert_int_equal(scene_count("once"), 1);
	scene_release(&outcome);
}

static void test_the_last_refusal_tells_the_attempts(void **state)
{
	struct outcome outcome = get_repeated("/flaky/thrice?n=9&status=429", 3);

	(void)state;
	scene_expect(&outcome, ERR_TOOL, "(status 429, after 3 attempts); ", NULL);
	assert_int_equal(scene_count("thrice"), 3);
	assert_int_equal(outcome.response.attempts, 3);
	scene_release(&outcome);
}

static void test_a_lost_connection_is_repeated(void **state)
{
	struct outcome outcome = get_repeated("/lose/twice?n=2", 3);

	(void)state;
	scene_expect(&outcome, ERR_OK, NULL);
	assert_int_equal(outcome.response.attempts, 3);
	scene_release(&outcome);
}

static void test_a_server_that_asks_to_wait_is_given_the_time(void **state)
{
	struct outcome outcome = get_repeated("/flaky/wait?n=1&status=429&after=1", 2);

	(void)state;
	scene_expect(&outcome, ERR_OK, NULL);
	assert_true(outcome.wall_ns >= SCENE_SECOND_NS);
	scene_release(&outcome);
}

static void test_an_absurd_wait_is_told_and_not_waited(void **state)
{
	static const char *const waits[] = {"31", "999999999", "Fri, 31 Dec 2100 23:59:59 GMT"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct outcome outcome;
		char path[128], key[32];

		snprintf(key, sizeof(key), "absurd%zu", i);
		snprintf(path, sizeof(path), "/flaky/%s?n=9&status=429&after=%s", key, waits[i]);
		for (char *at = path; *at; at++)
			if (*at == ' ')
				*at = '+';
		outcome = get_repeated(path, 3);
		scene_expect(&outcome, ERR_TOOL, i < 2 ? "it asks to wait " : "too many",
			i < 2 ? waits[i] : "(status 429); ", NULL);
		assert_int_equal(scene_count(key), 1);
		assert_true(outcome.wall_ns < 30 * SCENE_SECOND_NS);
		scene_release(&outcome);
	}
}

static void test_a_wait_that_is_none_is_ignored(void **state)
{
	static const char *const waits[] = {"-5", "soon", "99999999999999999999999", "0"};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct outcome outcome;
		char path[128];

		snprintf(path, sizeof(path), "/flaky/none%zu?n=1&status=503&after=%s", i, waits[i]);
		outcome = get_repeated(path, 2);
		assert_true(outcome.wall_ns < 30 * SCENE_SECOND_NS);
		scene_release(&outcome);
	}
}

static void test_the_wait_doubles_up_to_eight_seconds_with_jitter(void **state)
{
	(void)state;
	assert_int_equal(http_backoff_ns(1, 0), SCENE_SECOND_NS / 8);
	assert_int_equal(http_backoff_ns(1, UINT32_MAX), SCENE_SECOND_NS / 8 * 3);
	assert_int_equal(http_backoff_ns(2, 0), SCENE_SECOND_NS / 4);
	assert_int_equal(http_backoff_ns(3, 0), SCENE_SECOND_NS / 2);
	assert_int_equal(http_backoff_ns(6, 0), 4 * SCENE_SECOND_NS);
	assert_int_equal(http_backoff_ns(7, 0), 4 * SCENE_SECOND_NS);
	assert_int_equal(http_backoff_ns(1000000, UINT32_MAX), 12 * SCENE_SECOND_NS);
	assert_true(http_backoff_ns(1, UINT32_MAX / 2) < http_backoff_ns(1, UINT32_MAX / 2 + 9999));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_refusal_says_what_to_do),
		cmocka_unit_test(test_missing_credentials_name_the_variables_to_set),
		cmocka_unit_test(test_refused_credentials_name_the_variables_they_came_from),
		cmocka_unit_test(test_a_servers_words_are_its_first_line_defused_and_cut),
		cmocka_unit_test(test_long_words_are_cut_between_characters),
		cmocka_unit_test(test_pages_for_browsers_and_empty_bodies_are_no_words),
		cmocka_unit_test(test_credentials_that_a_server_repeats_are_not_shown),
		cmocka_unit_test(test_a_repeated_password_is_not_shown_in_a_type_or_a_redirect),
		cmocka_unit_test(test_a_refusal_before_the_body_is_sent_is_understood),
		cmocka_unit_test(test_what_may_pass_is_repeated),
		cmocka_unit_test(test_what_will_not_pass_is_not_repeated),
		cmocka_unit_test(test_a_request_is_sent_once_unless_more_attempts_are_asked_for),
		cmocka_unit_test(test_the_last_refusal_tells_the_attempts),
		cmocka_unit_test(test_a_lost_connection_is_repeated),
		cmocka_unit_test(test_a_server_that_asks_to_wait_is_given_the_time),
		cmocka_unit_test(test_an_absurd_wait_is_told_and_not_waited),
		cmocka_unit_test(test_a_wait_that_is_none_is_ignored),
		cmocka_unit_test(test_the_wait_doubles_up_to_eight_seconds_with_jitter),
	};

	return cmocka_run_group_tests_name("http_refusals", tests, scene_start, scene_stop);
}
