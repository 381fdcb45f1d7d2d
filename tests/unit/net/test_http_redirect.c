/* SPDX-License-Identifier: Apache-2.0 */
/* Redirects to anywhere else are refused, and nobody there hears of the request. */
#include "gate/base/error.h"
#include "tests/unit/net/http_scene.h"

static const struct http_credentials credentials = {.prefix = "FLAMEGATE", .token = SCENE_TOKEN};

/* POST too: by 308 its body would go along. */
static struct outcome follow(const char *location, const char *method)
{
	char path[512];

	snprintf(path, sizeof(path), "/redirect?status=308&to=%s", location);
	return scene_send("http", scene.http, path,
		(struct http_request){.method = method,
			.credentials = &credentials,
			.body = "abc",
			.body_length = 3,
			.attempts = 3});
}

static void test_another_port_hears_nothing(void **state)
{
	static const char *const methods[] = {"GET", "POST"};
	char location[64], origin[64];
	struct outcome outcome;

	(void)state;
	snprintf(origin, sizeof(origin), "http://127.0.0.1:%u,", scene.other);
	snprintf(location, sizeof(location), "http://127.0.0.1:%u/ok", scene.other);
	for (size_t i = 0; i < 2; i++) {
		outcome = follow(location, methods[i]);
		scene_expect(&outcome, ERR_TOOL, "it redirects to", origin, "another server", NULL);
		assert_int_equal(outcome.response.status, 308);
		assert_int_equal(outcome.response.attempts, 1);
		scene_release(&outcome);
	}
	assert_int_equal(scene_count("other"), 0);
	/* It would have been counted. */
	outcome = scene_send("http", scene.other, "/ok", (struct http_request){0});
	assert_int_equal(scene_count("other"), 1);
	scene_release(&outcome);
}

static void test_another_host_or_scheme_is_refused(void **state)
{
	static const struct {
		const char *location, *shown;
	} cases[] = {
		{"http://localhost:%u/ok", "http://localhost:"},
		{"//localhost:%u/ok", "http://localhost:"},
		{"https://127.0.0.1:%u/ok", "https://127.0.0.1:"},
		{"//evil.invalid", "http://evil.invalid:80,"},
		{"https://evil.invalid/?%u", "https://evil.invalid:443,"},
		{"http://127.0.0.1.evil.invalid:%u/ok", "evil.invalid"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct outcome outcome;
		char location[128];

		snprintf(location, sizeof(location), cases[i].location, scene.http);
		outcome = follow(location, "GET");
		scene_expect(&outcome, ERR_TOOL, "it redirects to", cases[i].shown,
			"another server", NULL);
		scene_release(&outcome);
	}
}

static void test_what_is_no_http_address_is_refused(void **state)
{
	static const char *const locations[] = {
		"file:///etc/passwd",
		"gopher://127.0.0.1:%u/x",
		"javascript:alert(1)",
		"http://user:pass@127.0.0.1:%u/ok",
		"http://127.0.0.1:%u/%%2500",
		"http://",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(locations) / sizeof(locations[0]); i++) {
		struct outcome outcome;
		char location[128];

		snprintf(location, sizeof(location), locations[i], scene.http);
		outcome = follow(location, "GET");
		scene_expect(&outcome, ERR_TOOL,
			"it redirects (status 308) to what is no http address", "is the path right",
			NULL);
		assert_null(strstr(outcome.err.message, "pass@"));
		scene_release(&outcome);
	}
}

static void test_a_redirect_to_nowhere_is_refused(void **state)
{
	struct outcome outcome = scene_get("/redirect?status=302");

	(void)state;
	scene_expect(&outcome, ERR_TOOL, "no http address", NULL);
	scene_release(&outcome);
}

static void test_the_caller_of_any_status_is_not_sent_elsewhere_either(void **state)
{
	char path[128];
	struct outcome outcome;

	(void)state;
	snprintf(path, sizeof(path), "/redirect?to=http://127.0.0.1:%u/ok", scene.mute);
	outcome = scene_send("http", scene.http, path, (struct http_request){.any_status = true});
	scene_expect(&outcome, ERR_TOOL, "another server", NULL);
	scene_release(&outcome);
}

static void test_a_sixth_redirect_and_a_loop_are_refused(void **state)
{
	struct outcome outcome = scene_get("/loop");
	unsigned before;

	(void)state;
	scene_expect(&outcome, ERR_TOOL, "redirects more than 5 times", NULL);
	scene_release(&outcome);
	before = scene_count("hops");
	outcome = scene_get("/hops/6");
	scene_expect(&outcome, ERR_TOOL, "redirects more than 5 times", NULL);
	assert_int_equal(scene_count("hops") - before, 6);
	scene_release(&outcome);
}

static void test_the_next_attempt_asks_the_first_address_again(void **state)
{
	unsigned before = scene_count("redirect");
	struct outcome outcome = scene_send("http", scene.http,
		"/redirect?status=307&to=/flaky/behind?n=1%26status=503",
		(struct http_request){.attempts = 2});

	(void)state;
	scene_expect(&outcome, ERR_OK, NULL);
	assert_int_equal(outcome.response.attempts, 2);
	assert_int_equal(scene_count("redirect") - before, 2);
	scene_release(&outcome);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_another_port_hears_nothing),
		cmocka_unit_test(test_another_host_or_scheme_is_refused),
		cmocka_unit_test(test_what_is_no_http_address_is_refused),
		cmocka_unit_test(test_a_redirect_to_nowhere_is_refused),
		cmocka_unit_test(test_the_caller_of_any_status_is_not_sent_elsewhere_either),
		cmocka_unit_test(test_a_sixth_redirect_and_a_loop_are_refused),
		cmocka_unit_test(test_the_next_attempt_asks_the_first_address_again),
	};

	return cmocka_run_group_tests_name("http_redirect", tests, scene_start, scene_stop);
}
