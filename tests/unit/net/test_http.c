/* SPDX-License-Identifier: Apache-2.0 */
/* What works: requests, answers, headers, credentials on the wire, redirects to the same server. */
#include "gate/base/error.h"
#include "tests/unit/net/http_scene.h"

static void test_an_answer_has_status_body_and_headers(void **state)
{
	struct outcome outcome = scene_get("/ok");

	(void)state;
	scene_expect(&outcome, ERR_OK, NULL);
	assert_int_equal(outcome.response.status, 200);
	assert_string_equal(outcome.response.body.data, "{\"a\":1}");
	assert_string_equal(http_response_header(&outcome.response, "content-type"),
		"application/json; charset=utf-8");
	assert_string_equal(http_response_header(&outcome.response, "content-length"), "7");
	assert_null(http_response_header(&outcome.response, "Content-Type"));
	assert_int_equal(outcome.response.attempts, 1);
	scene_release(&outcome);
	assert_int_equal(outcome.response.body.length, 0);
	assert_int_equal(outcome.response.header_count, 0);
}

static void test_trailers_are_headers_too(void **state)
{
	struct outcome outcome = scene_get("/trailers");

	(void)state;
	scene_expect(&outcome, ERR_OK, NULL);
	assert_string_equal(outcome.response.body.data, "hi");
	assert_string_equal(http_response_header(&outcome.response, "x-first"), "1");
	assert_string_equal(http_response_header(&outcome.response, "x-empty"), "");
	assert_string_equal(http_response_header(&outcome.response, "x-last"), "a: b");
	scene_release(&outcome);
}

static void test_headers_of_an_interim_answer_are_not_the_answers(void **state)
{
	struct outcome outcome = scene_get("/early");

	(void)state;
	scene_expect(&outcome, ERR_OK, NULL);
	assert_int_equal(outcome.response.status, 200);
	assert_null(http_response_header(&outcome.response, "x-early"));
	assert_non_null(http_response_header(&outcome.response, "content-type"));
	scene_release(&outcome);
}

static void test_a_request_arrives_with_its_headers_and_body(void **state)
{
	static const char *const headers[] = {
		"Content-Type: application/proto", "X-Mine: a b", NULL};
	struct outcome outcome = scene_send("http", scene.http, "/echo?q=%7Bx%7D",
		(struct http_request){.method = "POST",
			.headers = headers,
			.body = "one\0two",
			.body_length = 7});
	const struct strbuf *body = &outcome.response.body;

	(void)state;
	scene_expect(&outcome, ERR_OK, NULL);
	assert_non_null(strstr(body->data, "POST /echo?q=%7Bx%7D HTTP/1.1\r\n"));
	assert_non_null(strstr(body->data, "\r\nContent-Type: application/proto\r\n"));
	assert_non_null(strstr(body->data, "\r\nX-Mine: a b\r\n"));
	assert_null(strstr(body->data, "Authorization"));
	assert_memory_equal(body->data + body->length - 7, "one\0two", 7);
	scene_release(&outcome);
}

static void test_a_post_may_have_no_body(void **state)
{
	struct outcome outcome =
		scene_send("http", scene.http, "/echo", (struct http_request){.method = "POST"});

	(void)state;
	scene_expect(&outcome, ERR_OK, NULL);
	assert_non_null(strstr(outcome.response.body.data, "\r\nContent-Length: 0\r\n"));
	scene_release(&outcome);
}

static void test_a_large_body_arrives_whole(void **state)
{
	size_t length = 3 * 1024 * 1024;
	char *body = calloc(1, length);
	struct outcome outcome = scene_send("http", scene.http, "/echo",
		(struct http_request){.method = "POST", .body = body, .body_length = length});

	(void)state;
	scene_expect(&outcome, ERR_OK, NULL);
	assert_in_range(outcome.response.body.length, length + 20, length + 1000);
	scene_release(&outcome);
	free(body);
}

static struct outcome echo_with(struct http_credentials credentials)
{
	return scene_send(
		"http", scene.http, "/echo", (struct http_request){.credentials = &credentials});
}

static void test_credentials_are_sent_as_bearer_basic_and_tenant(void **state)
{
	struct outcome outcome;

	(void)state;
	outcome = echo_with((struct http_credentials){
		.prefix = "FLAMEGATE", .token = SCENE_TOKEN, .org_id = "tenant 1"});
	assert_non_null(strstr(
		outcome.response.body.data, "\r\nAuthorization: Bearer " SCENE_TOKEN "\r\n"));
	assert_non_null(strstr(outcome.response.body.data, "\r\nX-Scope-OrgID: tenant 1"));
	scene_release(&outcome);
	/* The example of RFC 7617, section 2. */
	outcome = echo_with((struct http_credentials){
		.prefix = "FLAMEGATE", .user = "Aladdin", .password = "open sesame"});
	assert_non_null(strstr(outcome.response.body.data,
		"\r\nAuthorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="));
	assert_null(strstr(outcome.response.body.data, "X-Scope-OrgID"));
	scene_release(&outcome);
}

static void test_a_compressed_answer_is_inflated(void **state)
{
	struct outcome outcome = scene_get("/packed/100000");

	(void)state;
	scene_expect(&outcome, ERR_OK, NULL);
	assert_int_equal(outcome.response.body.length, 100000);
	assert_int_equal(strspn(outcome.response.body.data, "x"), 100000);
	scene_release(&outcome);
}

static void test_an_answer_of_exactly_the_limit_is_taken(void **state)
{
	struct outcome outcome = scene_send(
		"http", scene.http, "/packed/100000", (struct http_request){.max_bytes = 100000});

	(void)state;
	scene_expect(&outcome, ERR_OK, NULL);
	assert_int_equal(outcome.response.body.length, 100000);
	scene_release(&outcome);
	outcome = scene_send(
		"http", scene.http, "/packed/100000", (struct http_request){.max_bytes = 99999});
	scene_expect(&outcome, ERR_LIMIT, "larger than 99999 bytes", "ask for less", NULL);
	assert_true(outcome.response.body.length <= 99999);
	scene_release(&outcome);
}

static void test_the_expected_type_may_have_parameters_and_any_case(void **state)
{
	struct outcome outcome = scene_send("http", scene.http, "/ok",
		(struct http_request){.expect_type = "Application/JSON"});

	(void)state;
	scene_expect(&outcome, ERR_OK, NULL);
	scene_release(&outcome);
}

static void test_any_status_is_the_callers_if_it_wants_it(void **state)
{
	struct outcome outcome = scene_send("http", scene.http, "/status/503?hex=74657874&x-a=b",
		(struct http_request){.any_status = true, .expect_type = "application/json"});

	(void)state;
	scene_expect(&outcome, ERR_OK, NULL);
	assert_int_equal(outcome.response.status, 503);
	assert_string_equal(outcome.response.body.data, "text");
	assert_string_equal(http_response_header(&outcome.response, "x-a"), "b");
	scene_release(&outcome);
}

static void test_five_redirects_to_the_same_server_are_followed(void **state)
{
	struct outcome outcome = scene_get("/hops/5");

	(void)state;
	scene_expect(&outcome, ERR_OK, NULL);
	assert_string_equal(outcome.response.body.data, "{\"a\":1}");
	assert_null(http_response_header(&outcome.response, "location"));
	assert_int_equal(outcome.response.attempts, 1);
	scene_release(&outcome);
}

static void test_each_way_to_name_the_same_server_is_followed(void **state)
{
	static const char *const forms[] = {"/ok", "ok", "http://127.0.0.1:%u/ok",
		"HTTP://127.0.0.1:%u/ok", "//127.0.0.1:%u/ok", "./x/../ok", "/ok%%23part"};

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		char location[128], path[256];
		struct outcome outcome;

		snprintf(location, sizeof(location), forms[i], scene.http);
		snprintf(path, sizeof(path), "/redirect?to=%s", location);
		outcome = scene_get(path);
		if (i == 5) /* the path is sent as it is */
			scene_expect(&outcome, ERR_NOT_FOUND, NULL);
		else
			scene_expect(&outcome, ERR_OK, NULL);
		scene_release(&outcome);
	}
}

static void test_a_redirected_get_keeps_its_credentials_and_headers(void **state)
{
	static const char *const headers[] = {"X-Mine: 1", NULL};
	struct http_credentials credentials = {.prefix = "FLAMEGATE", .token = SCENE_TOKEN};
	struct outcome outcome = scene_send("http", scene.http, "/redirect?to=/echo&status=301",
		(struct http_request){.headers = headers, .credentials = &credentials});

	(void)state;
	scene_expect(&outcome, ERR_OK, NULL);
	assert_non_null(strstr(outcome.response.body.data, "Bearer " SCENE_TOKEN));
	assert_non_null(strstr(outcome.response.body.data, "X-Mine: 1"));
	scene_release(&outcome);
}

static void test_a_post_is_repeated_by_307_and_308_only(void **state)
{
	static const unsigned statuses[] = {301, 302, 303, 307, 308};

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		struct outcome outcome;
		char path[64];

		snprintf(path, sizeof(path), "/redirect?to=/echo&status=%u", statuses[i]);
		outcome = scene_send("http", scene.http, path,
			(struct http_request){.method = "POST", .body = "abc", .body_length = 3});
		if (statuses[i] < 307) {
			scene_expect(&outcome, ERR_TOOL, "answers a POST with a redirect", NULL);
		} else {
			scene_expect(&outcome, ERR_OK, NULL);
			assert_non_null(strstr(outcome.response.body.data, "POST /echo"));
			assert_non_null(strstr(outcome.response.body.data, "abc"));
		}
		scene_release(&outcome);
	}
}

static int send_wrong(struct http_request request, struct error *err)
{
	struct http_response response;
	int rc;

	request.method = request.method ? request.method : "GET";
	request.url = request.url ? request.url : "http://127.0.0.1:1/";
	rc = http_send(&request, &response, err);
	http_response_release(&response);
	return rc;
}

static void test_a_request_that_cannot_be_sent_is_a_usage_error(void **state)
{
	static const char *const injected[] = {"X: a\r\nY: b", NULL};
	static const char *const nameless[] = {": a", NULL};
	static const char *const unnamed[] = {"text", NULL};
	static const char *const blank[] = {"X : a", NULL};
	static const struct {
		struct http_request request;
		const char *message;
	} cases[] = {
		{{.headers = injected}, "X holds a control character"},
		{{.headers = nameless}, "invalid name"},
		{{.headers = unnamed}, "invalid name"},
		{{.headers = blank}, "invalid name"},
		{{.method = "DELETE"}, "GET and POST"},
		{{.url = "ftp://127.0.0.1/"}, "neither http:// nor https://"},
		{{.url = "file:///etc/passwd"}, "host is missing"},
		{{.url = "http://u:" SCENE_PASSWORD "@127.0.0.1/"}, "FLAMEGATE_USER"},
		{{.url = "127.0.0.1"}, "scheme://"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = {0};

		assert_int_equal(send_wrong(cases[i].request, &err), ERR_USAGE);
		if (!strstr(err.message, cases[i].message))
			fail_msg("no '%s' in: %s", cases[i].message, err.message);
		assert_null(strstr(err.message, SCENE_PASSWORD));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_answer_has_status_body_and_headers),
		cmocka_unit_test(test_trailers_are_headers_too),
		cmocka_unit_test(test_headers_of_an_interim_answer_are_not_the_answers),
		cmocka_unit_test(test_a_request_arrives_with_its_headers_and_body),
		cmocka_unit_test(test_a_post_may_have_no_body),
		cmocka_unit_test(test_a_large_body_arrives_whole),
		cmocka_unit_test(test_credentials_are_sent_as_bearer_basic_and_tenant),
		cmocka_unit_test(test_a_compressed_answer_is_inflated),
		cmocka_unit_test(test_an_answer_of_exactly_the_limit_is_taken),
		cmocka_unit_test(test_the_expected_type_may_have_parameters_and_any_case),
		cmocka_unit_test(test_any_status_is_the_callers_if_it_wants_it),
		cmocka_unit_test(test_five_redirects_to_the_same_server_are_followed),
		cmocka_unit_test(test_each_way_to_name_the_same_server_is_followed),
		cmocka_unit_test(test_a_redirected_get_keeps_its_credentials_and_headers),
		cmocka_unit_test(test_a_post_is_repeated_by_307_and_308_only),
		cmocka_unit_test(test_a_request_that_cannot_be_sent_is_a_usage_error),
	};

	return cmocka_run_group_tests_name("http", tests, scene_start, scene_stop);
}
