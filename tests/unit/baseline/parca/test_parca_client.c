/* SPDX-License-Identifier: Apache-2.0 */
/* What we ask of a Parca, and what we make of its answers; the real one:
 * tests/servers/test_parca.sh */
#include "gate/base/error.h"
#include "tests/unit/baseline/parca_scene.h"

#define TOO_LARGE                                                                                  \
	"{\"code\":8,\"message\":\"grpc: received message larger than max\",\"details\":[]}"

static const struct parca_query range = {"cpu:cpu:ns:cpu:ns:delta{a=\"b c\"}",
	INT64_C(1790000000000000000), INT64_C(1790000001000000001)};
static const struct parca_query single = {
	"cpu{}", INT64_C(1790000000123000000), INT64_C(1790000000123000000)};

static int fetch(const struct canned_answer *answers, size_t count, const struct parca_query *query,
	struct profile **out)
{
	int rc;

	scene_start(answers, count);
	rc = parca_fetch(&scene.parca, query, out, &scene.err);
	canned_stop();
	return rc;
}

static void test_a_range_is_merged_to_the_end_of_its_last_millisecond(void **state)
{
	char *json = pprof_json(77);
	const struct canned_answer answer = {.status = 200, .body = json};
	struct profile *profile;

	(void)state;
	scene_expect(fetch(&answer, 1, &range, &profile), ERR_OK, "");
	assert_int_equal(profile->samples[0].values[0], 77);
	scene_asked(0, "GET /api/profiles/query?");
	scene_asked(0, "mode=MODE_MERGE");
	scene_asked(0, "report_type=REPORT_TYPE_PPROF");
	scene_asked(0, "merge.query=cpu%3Acpu%3Ans%3Acpu%3Ans%3Adelta%7Ba%3D%22b%20c%22%7D");
	scene_asked(0, "merge.start=2026-09-21T14%3A13%3A20.000Z");
	scene_asked(0, "merge.end=2026-09-21T14%3A13%3A21.001Z");
	profile_free(profile);
	scene_stop();
	free(json);
}

static void test_one_millisecond_is_not_merged(void **state)
{
	char *json = pprof_json(77);
	const struct canned_answer answer = {.status = 200, .body = json};
	struct profile *profile;

	(void)state;
	scene_expect(fetch(&answer, 1, &single, &profile), ERR_OK, "");
	scene_asked(0, "mode=MODE_SINGLE_UNSPECIFIED");
	scene_asked(0, "single.query=cpu%7B%7D");
	scene_asked(0, "single.time=2026-09-21T14%3A13%3A20.123Z");
	profile_free(profile);
	scene_stop();
	free(json);
}

static void test_an_empty_profile_and_404_are_nothing(void **state)
{
	char *json = pprof_json(0);
	const struct canned_answer empty = {.status = 200, .body = json};
	const struct canned_answer absent = {.status = 404, .type = "text/plain", .body = "no\n"};
	const struct canned_answer blank = {.status = 200, .body = "{\"pprof\":\"\"}"};
	struct profile *profile;

	(void)state;
	scene_expect(fetch(&empty, 1, &range, &profile), ERR_NOT_FOUND, "matches cpu:");
	scene_stop();
	scene_expect(fetch(&absent, 1, &single, &profile), ERR_NOT_FOUND, "matches cpu{}");
	scene_stop();
	scene_expect(fetch(&blank, 1, &range, &profile), ERR_NOT_FOUND, "matches cpu:");
	scene_stop();
	free(json);
}

static void test_broken_answers_are_errors(void **state)
{
	static const struct canned_answer broken[] = {
		{.status = 200, .body = "{}"},
		{.status = 200, .body = "{\"pprof\":7}"},
		{.status = 200, .body = "{\"pprof\":\"***\"}"},
		{.status = 200, .body = "{\"pprof\":\"/////w==\"}"},
		{.status = 200, .body = "{\"pprof\":"},
		{.status = 200, .type = "text/html", .body = "<h1>log in</h1>"},
		{.status = 200, .type = "text/html", .body = "{\"pprof\":\"\"}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		struct profile *profile = NULL;
		int rc;

		rc = fetch(&broken[i], 1, &range, &profile);
		scene_expect(rc, ERR_CORRUPT, scene.parca.origin);
		assert_null(profile);
		scene_stop();
	}
}

static void test_a_rate_limit_is_not_taken_for_a_large_profile(void **state)
{
	const struct canned_answer answers[] = {
		{.status = 429, .body = "{\"code\":9,\"message\":\"slow down\"}"},
		{.status = 0, .header = "0"}};
	const struct canned_answer words[] = {
		{.status = 429, .type = "text/plain", .body = "slow down"},
		{.status = 0, .header = "0"}};
	struct profile *profile;

	(void)state;
	scene_expect(fetch(answers, 2, &range, &profile), ERR_TOOL, "429");
	assert_int_equal(canned.request_count, 1);
	scene_stop();
	scene_expect(fetch(words, 2, &range, &profile), ERR_TOOL, "429");
	assert_int_equal(canned.request_count, 1);
	scene_stop();
}

/* ---- gRPC ---- */

static void add_frame(struct strbuf *out, unsigned flag, size_t length)
{
	strbuf_addch(out, (char)flag);
	for (int shift = 24; shift >= 0; shift -= 8)
		strbuf_addch(out, (char)(length >> shift & 0xff));
}

/* A frame around QueryResponse{pprof}: field 6, bytes. */
static struct strbuf grpc_body(unsigned flag, int64_t value, int excess)
{
	struct strbuf pprof = sound_pprof(value), out = STRBUF_INIT;
	size_t length = pprof.length + 3;

	assert_true(pprof.length < 16384); /* two bytes of length are enough */
	add_frame(&out, flag, (size_t)((int)length + excess));
	strbuf_addch(&out, 6 << 3 | 2);
	strbuf_addch(&out, (char)(0x80 | (pprof.length & 0x7f)));
	strbuf_addch(&out, (char)(pprof.length >> 7));
	strbuf_add(&out, pprof.data, pprof.length);
	strbuf_release(&pprof);
	return out;
}

static int fetch_by_grpc(const struct strbuf *body, const char *status,
	const struct parca_query *query, struct profile **out)
{
	const struct canned_answer answers[] = {{.status = 429, .body = TOO_LARGE},
		{.header = status, .body = body->data, .length = body->length}};
	int rc = fetch(answers, 2, query, out);

	assert_int_equal(canned.request_count, 2);
	return rc;
}

static bool asked_bytes(size_t request, const char *bytes, size_t length)
{
	return memmem(
		canned.requests[request].data, canned.requests[request].length, bytes, length);
}

static void test_a_profile_too_large_for_json_is_fetched_by_grpc(void **state)
{
	struct strbuf body = grpc_body(0, 78, 0);
	struct profile *profile;

	(void)state;
	scene_expect(fetch_by_grpc(&body, "0", &range, &profile), ERR_OK, "");
	assert_int_equal(profile->samples[0].values[0], 78);
	assert_true(asked_bytes(1, "PRI * HTTP/2.0", 14));
	/* mode MERGE; merge {query, start {seconds, nanos 0}, end}; report type PPROF */
	assert_true(asked_bytes(1, "\x08\x02\x1a", 3));
	assert_true(asked_bytes(1, range.selector, strlen(range.selector)));
	assert_true(asked_bytes(1, "\x12\x06\x08\x80\xf7\xc4\xd5\x06", 8));
	assert_true(asked_bytes(1, "\x28\x01", 2));
	profile_free(profile);
	scene_stop();
	strbuf_release(&body);
}

static void test_one_millisecond_is_asked_for_by_grpc_too(void **state)
{
	struct strbuf body = grpc_body(0, 79, 0);
	struct profile *profile;

	(void)state;
	scene_expect(fetch_by_grpc(&body, "0", &single, &profile), ERR_OK, "");
	/* single {time {seconds, nanos}, query} */
	assert_true(asked_bytes(1, "\x22\x14\x0a\x0b\x08\x80\xf7\xc4\xd5\x06\x10", 11));
	assert_true(asked_bytes(1,
		"\x12\x05"
		"cpu{}",
		7));
	profile_free(profile);
	scene_stop();
	strbuf_release(&body);
}

static void test_grpc_statuses_are_told_apart(void **state)
{
	static const struct {
		const char *status;
		int code;
		const char *text;
	} cases[] = {{"5", ERR_NOT_FOUND, "matches"}, {"8", ERR_LIMIT, "narrow the selector"},
		{"3", ERR_USAGE, "status 3"}, {"14", ERR_TOOL, "status 14"},
		{NULL, ERR_CORRUPT, "cut off"}};
	struct strbuf body = grpc_body(0, 78, 0);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile *profile = NULL;

		scene_expect(fetch_by_grpc(&body, cases[i].status, &range, &profile), cases[i].code,
			cases[i].text);
		assert_null(profile);
		scene_stop();
	}
	strbuf_release(&body);
}

static void test_what_grpc_says_is_told_without_our_credentials(void **state)
{
	const struct canned_answer plain[] = {
		{.status = 429, .body = TOO_LARGE}, {.type = "too busy", .header = "14"}};
	const struct canned_answer echo[] = {{.status = 429, .body = TOO_LARGE},
		{.type = "no right: Bearer s3same", .header = "14"}};
	struct profile *profile = NULL;

	(void)state;
	scene_start(plain, 2);
	scene_expect(
		parca_fetch(&scene.parca, &range, &profile, &scene.err), ERR_TOOL, "status 14");
	canned_stop();
	scene_expect(scene.err.code, ERR_TOOL, " busy");
	scene_stop();
	scene_start(echo, 2);
	scene.parca.credentials.token = "s3same";
	scene_expect(
		parca_fetch(&scene.parca, &range, &profile, &scene.err), ERR_TOOL, "status 14");
	canned_stop();
	assert_null(strstr(scene.err.message, "s3same"));
	scene_stop();
}

static void test_grpc_messages_must_be_whole_and_plain(void **state)
{
	struct strbuf bodies[] = {grpc_body(1, 78, 0), grpc_body(0, 78, 1), grpc_body(0, 78, -1),
		STRBUF_INIT, STRBUF_INIT, STRBUF_INIT};

	(void)state;
	strbuf_add(&bodies[3], "\0\0\0", 3);
	strbuf_add(&bodies[4], "\0\0\0\0\2\x32\x05", 7); /* five bytes that are not there */
	add_frame(&bodies[5], 0, 200000);                /* fields that nobody knows */
	for (size_t i = 0; i < 100000; i++)
		strbuf_add(&bodies[5], "\x08\1", 2);
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		struct profile *profile = NULL;

		scene_expect(fetch_by_grpc(&bodies[i], "0", &range, &profile), ERR_CORRUPT,
			i < 4 ? "not one whole message" : "is broken");
		assert_null(profile);
		scene_stop();
		strbuf_release(&bodies[i]);
	}
}

/* ---- sending ---- */

static const struct label labels[] = {{"__name__", "guard"}, {"odd", "\"q\"\n"}};

static int write_profile(
	const struct canned_answer *answers, size_t count, const void *pprof, size_t length)
{
	int rc;

	scene_start(answers, count);
	rc = parca_write(&scene.parca, labels, 2, pprof, length, &scene.err);
	canned_stop();
	return rc;
}

static void test_a_profile_is_sent_with_its_labels(void **state)
{
	const struct canned_answer answer = {.status = 200, .body = "{}"};
	struct strbuf pprof = sound_pprof(5), again = STRBUF_INIT;
	struct json *root;
	const struct json *series;
	const char *raw;

	(void)state;
	scene_expect(write_profile(&answer, 1, pprof.data, pprof.length), ERR_OK, "");
	scene_asked(0, "POST /api/profiles/writeraw HTTP/1.1\r\n");
	scene_asked(0, "Content-Type: application/json\r\n");
	raw = strstr(canned.requests[0].data, "\r\n\r\n") + 4;
	assert_int_equal(json_parse(raw, strlen(raw), "body", NULL, &root, NULL), ERR_OK);
	series = json_at(json_get(root, "series"), 0);
	assert_int_equal(json_get_string(json_at(json_get(json_get(series, "labels"), "labels"), 1),
				 "value", &raw, NULL),
		ERR_OK);
	assert_string_equal(raw, "\"q\"\n");
	assert_int_equal(
		json_get_string(json_at(json_get(series, "samples"), 0), "rawProfile", &raw, NULL),
		ERR_OK);
	assert_int_equal(base64_decode(raw, strlen(raw), &again, NULL), ERR_OK);
	assert_int_equal(again.length, pprof.length);
	assert_memory_equal(again.data, pprof.data, pprof.length);
	json_free(root);
	strbuf_release(&pprof);
	strbuf_release(&again);
	scene_stop();
}

static void test_a_push_that_failed_is_not_repeated(void **state)
{
	const struct canned_answer answers[] = {
		{.status = 503, .body = "{}"}, {.status = 200, .body = "{}"}};
	struct strbuf pprof = sound_pprof(5);

	(void)state;
	scene_expect(write_profile(answers, 2, pprof.data, pprof.length), ERR_TOOL, "503");
	assert_int_equal(canned.request_count, 1);
	strbuf_release(&pprof);
	scene_stop();
}

static void test_what_harms_the_server_is_not_sent(void **state)
{
	const struct canned_answer answer = {.status = 200, .body = "{}"};
	struct strbuf pprof = sound_pprof(5);
	int rc;

	(void)state;
	scene_start(&answer, 1);
	rc = parca_write(&scene.parca, labels + 1, 1, pprof.data, pprof.length, &scene.err);
	canned_stop();
	scene_expect(rc, ERR_CORRUPT, "__name__ is missing");
	assert_int_equal(canned.request_count, 0);
	strbuf_release(&pprof);
	scene_stop();
}

static void test_what_is_no_profile_is_not_sent(void **state)
{
	const struct canned_answer answer = {.status = 200, .body = "{}"};

	(void)state;
	scene_expect(write_profile(&answer, 1, "", 0), ERR_CORRUPT, "not sent to Parca");
	assert_int_equal(canned.request_count, 0);
	scene_stop();
	scene_expect(write_profile(&answer, 1, "\xff\xff", 2), ERR_CORRUPT, "not sent to Parca");
	assert_int_equal(canned.request_count, 0);
	scene_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_range_is_merged_to_the_end_of_its_last_millisecond),
		cmocka_unit_test(test_one_millisecond_is_not_merged),
		cmocka_unit_test(test_an_empty_profile_and_404_are_nothing),
		cmocka_unit_test(test_broken_answers_are_errors),
		cmocka_unit_test(test_a_rate_limit_is_not_taken_for_a_large_profile),
		cmocka_unit_test(test_a_profile_too_large_for_json_is_fetched_by_grpc),
		cmocka_unit_test(test_one_millisecond_is_asked_for_by_grpc_too),
		cmocka_unit_test(test_grpc_statuses_are_told_apart),
		cmocka_unit_test(test_what_grpc_says_is_told_without_our_credentials),
		cmocka_unit_test(test_grpc_messages_must_be_whole_and_plain),
		cmocka_unit_test(test_a_profile_is_sent_with_its_labels),
		cmocka_unit_test(test_a_push_that_failed_is_not_repeated),
		cmocka_unit_test(test_what_harms_the_server_is_not_sent),
		cmocka_unit_test(test_what_is_no_profile_is_not_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
