/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server that goes wrong in every way: each ends in bounded time with one message that names it
 * and says what to do (scene_send() checks the form of each message).
 */
#include <sys/resource.h>

#include "gate/base/error.h"
#include "tests/unit/net/http_scene.h"

/* Far beyond every limit set here, far below what the server would hold on for. */
#define BOUND_NS (30 * SCENE_SECOND_NS)

static struct outcome get_from(unsigned port, struct http_request request)
{
	return scene_send("http", port, "/", request);
}

static void test_a_refused_connection_asks_for_the_server(void **state)
{
	struct outcome outcome = get_from(scene.closed, (struct http_request){0});

	(void)state;
	scene_expect(&outcome, ERR_TOOL, "connection refused", "is the server running", NULL);
	assert_int_equal(outcome.response.status, 0);
	scene_release(&outcome);
}

static void test_an_unknown_host_asks_for_its_spelling(void **state)
{
	struct http_request request = {.method = "GET", .url = "http://no-such.invalid:4040/x?y=z"};
	struct http_response response;
	struct error err = {0};

	(void)state;
	/* Where no name server answers, the C library says so soon. */
	setenv("RES_OPTIONS", "timeout:1 attempts:1", 1);
	assert_int_equal(http_send(&request, &response, &err), ERR_TOOL);
	assert_string_equal(err.message,
		"http://no-such.invalid:4040: the host's name is not known; "
		"is it spelled right, and does DNS work here?");
	http_response_release(&response);
}

static void test_a_connection_that_nobody_takes_times_out(void **state)
{
	struct outcome outcome = get_from(
		scene.full, (struct http_request){.connect_timeout_ns = SCENE_SECOND_NS / 2});

	(void)state;
	scene_expect(&outcome, ERR_TOOL, "no connection within 0.5 s", "firewall", NULL);
	assert_true(outcome.wall_ns < BOUND_NS);
	scene_release(&outcome);
}

static void test_the_total_limit_holds_for_the_connection_too(void **state)
{
	struct outcome outcome =
		get_from(scene.full, (struct http_request){.timeout_ns = SCENE_SECOND_NS / 4});

	(void)state;
	scene_expect(&outcome, ERR_TOOL, "no connection within 0.25 s", NULL);
	assert_true(outcome.wall_ns < BOUND_NS);
	scene_release(&outcome);
}

static void test_a_server_that_says_nothing_times_out(void **state)
{
	struct outcome outcome =
		get_from(scene.mute, (struct http_request){.timeout_ns = SCENE_SECOND_NS / 2});

	(void)state;
	scene_expect(&outcome, ERR_TOOL, "no whole answer within 0.5 s (0 bytes came)", NULL);
	assert_true(outcome.wall_ns < BOUND_NS);
	scene_release(&outcome);
}

static void test_a_server_that_stops_in_the_middle_is_idle(void **state)
{
	struct outcome outcome = scene_send("http", scene.http, "/stall",
		(struct http_request){.idle_timeout_ns = SCENE_SECOND_NS});

	(void)state;
	scene_expect(&outcome, ERR_TOOL, "nothing came for 1 s (4 bytes before)", "stuck", NULL);
	assert_true(outcome.wall_ns < BOUND_NS);
	scene_release(&outcome);
}

static void test_a_slow_drip_ends_with_the_total_limit(void **state)
{
	struct outcome outcome = scene_send("http", scene.http, "/drip",
		(struct http_request){.timeout_ns = 2 * SCENE_SECOND_NS,
			.idle_timeout_ns = 10 * SCENE_SECOND_NS});

	(void)state;
	scene_expect(&outcome, ERR_TOOL, "no whole answer within 2 s", "ask for less", NULL);
	assert_true(outcome.response.body.length > 0);
	assert_true(outcome.wall_ns < BOUND_NS);
	scene_release(&outcome);
}

/* Each of them is fast enough, all together are not. */
static void test_redirects_share_one_time_limit(void **state)
{
	struct outcome outcome = scene_send("http", scene.http, "/slow-hops/5",
		(struct http_request){.timeout_ns = SCENE_SECOND_NS});

	(void)state;
	scene_expect(&outcome, ERR_TOOL, "no whole answer within 1 s", NULL);
	scene_release(&outcome);
}

static void test_a_truncated_body_is_corrupt(void **state)
{
	static const char *const paths[] = {"/short", "/chunk-cut"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct outcome outcome = scene_get(paths[i]);

		scene_expect(&outcome, ERR_CORRUPT, "was cut off", "try again", NULL);
		assert_memory_equal(outcome.response.body.data, "{\"a\":", 5);
		scene_release(&outcome);
	}
}

static void test_damaged_compression_is_corrupt(void **state)
{
	struct outcome outcome = scene_get("/packed/100000?damage=1");

	(void)state;
	scene_expect(&outcome, ERR_CORRUPT, "compression is damaged", NULL);
	scene_release(&outcome);
}

static void test_a_page_for_browsers_is_no_profile(void **state)
{
	struct outcome outcome = scene_send("http", scene.http,
		"/status/200?kind=text/html;charset=x&hex=3c666f726d3e",
		(struct http_request){.expect_type = "application/json"});

	(void)state;
	scene_expect(&outcome, ERR_CORRUPT, "the answer is text/html;charset=x instead of",
		"application/json", "right server", NULL);
	assert_int_equal(outcome.response.status, 200);
	scene_release(&outcome);
}

static void test_similar_and_missing_types_are_not_the_expected_one(void **state)
{
	static const char *const kinds[] = {"application/jsonx", "application/jso", "", "x"};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct outcome outcome;
		char path[64];

		snprintf(path, sizeof(path), "/status/200?kind=%s", kinds[i]);
		outcome = scene_send("http", scene.http, path,
			(struct http_request){.expect_type = "application/json"});
		scene_expect(
			&outcome, ERR_CORRUPT, kinds[i][0] ? kinds[i] : "no stated type", NULL);
		scene_release(&outcome);
	}
}

static long peak_kib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

static void test_a_gzip_bomb_is_cut_off_while_it_inflates(void **state)
{
	static const char *const paths[] = {"/bomb", "/bomb-in-bomb"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		long before = peak_kib();
		struct outcome outcome = scene_send(
			"http", scene.http, paths[i], (struct http_request){.max_bytes = 4 << 20});

		scene_expect(&outcome, ERR_LIMIT, "larger than 4194304 bytes", NULL);
		assert_true(outcome.response.body.length <= 4 << 20);
		assert_true(peak_kib() - before < 64 * 1024);
		assert_true(outcome.wall_ns < BOUND_NS);
		scene_release(&outcome);
	}
}

static void test_what_is_not_http_asks_for_the_port(void **state)
{
	struct outcome outcome = scene_get("/garbage");

	(void)state;
	scene_expect(&outcome, ERR_TOOL, "not HTTP", "is the port right", NULL);
	scene_release(&outcome);
}

static void test_http2_to_a_server_without_it_asks_for_the_port(void **state)
{
	struct outcome outcome = scene_send("http", scene.http, "/ok",
		(struct http_request){
			.version = HTTP_VERSION_2, .timeout_ns = 5 * SCENE_SECOND_NS});

	(void)state;
	scene_expect(&outcome, ERR_TOOL, NULL);
	assert_true(outcome.wall_ns < BOUND_NS);
	scene_release(&outcome);
}

static void test_headers_without_an_end_are_cut_off(void **state)
{
	static const char *const paths[] = {"/long-line", "/many-lines", "/interim"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct outcome outcome = scene_get(paths[i]);

		scene_expect(&outcome, ERR_LIMIT,
			i ? "headers are larger than" : "headers are too large", "right server",
			NULL);
		assert_true(outcome.response.arena.used_bytes < 8 << 20);
		assert_true(outcome.wall_ns < BOUND_NS);
		scene_release(&outcome);
	}
}

static void test_a_connection_closed_without_an_answer_is_said_so(void **state)
{
	struct outcome outcome = scene_get("/lose/always?n=1000");

	(void)state;
	scene_expect(&outcome, ERR_TOOL, "closed without an answer", "server's log", NULL);
	assert_int_equal(outcome.response.attempts, 1);
	scene_release(&outcome);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_refused_connection_asks_for_the_server),
		cmocka_unit_test(test_an_unknown_host_asks_for_its_spelling),
		cmocka_unit_test(test_a_connection_that_nobody_takes_times_out),
		cmocka_unit_test(test_the_total_limit_holds_for_the_connection_too),
		cmocka_unit_test(test_a_server_that_says_nothing_times_out),
		cmocka_unit_test(test_a_server_that_stops_in_the_middle_is_idle),
		cmocka_unit_test(test_a_slow_drip_ends_with_the_total_limit),
		cmocka_unit_test(test_redirects_share_one_time_limit),
		cmocka_unit_test(test_a_truncated_body_is_corrupt),
		cmocka_unit_test(test_damaged_compression_is_corrupt),
		cmocka_unit_test(test_a_page_for_browsers_is_no_profile),
		cmocka_unit_test(test_similar_and_missing_types_are_not_the_expected_one),
		cmocka_unit_test(test_a_gzip_bomb_is_cut_off_while_it_inflates),
		cmocka_unit_test(test_what_is_not_http_asks_for_the_port),
		cmocka_unit_test(test_http2_to_a_server_without_it_asks_for_the_port),
		cmocka_unit_test(test_headers_without_an_end_are_cut_off),
		cmocka_unit_test(test_a_connection_closed_without_an_answer_is_said_so),
	};

	return cmocka_run_group_tests_name("http_faults", tests, scene_start, scene_stop);
}
