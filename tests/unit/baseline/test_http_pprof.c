/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of running programs, against canned answers; the real ones:
 * tests/servers/test_go_pprof.sh */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "baseline/source.h"
#include "gate/base/error.h"
#include "gate/profile/pprof.h"
#include "tests/unit/baseline/canned_server.h"

#define INDEX                                                                                      \
	"<table><td><a href='allocs?debug=1'>allocs</a></td><a href='heap?debug=1'>heap</a>"       \
	"<a href='x?debug=1'><b>no</b></a><a href='y?debug=1'>\x1b[31mred</a>"                     \
	"<a href=\"goroutine?debug=2\">full goroutine stack dump</a>"

/* One sample of main(), with these types. */
static struct strbuf pprof(const char *first, const char *second, int64_t value, bool empty)
{
	struct profile *profile = profile_new();
	uint32_t function =
		profile_add_function(profile, &(struct profile_function){"main", "", "main.go", 1});
	struct profile_line line = {function, 2};
	uint32_t location = profile_add_location(
		profile, &(struct profile_location){PROFILE_NO_MAPPING, 0, &line, 1, false});
	int64_t values[2] = {value, 2 * value};
	struct strbuf out = STRBUF_INIT;

	profile_add_type(profile, first, "bytes");
	profile_add_type(profile, second, "bytes");
	profile->default_type = 1;
	if (!empty)
		profile_add_sample(
			profile, &(struct profile_sample){&location, 1, values, NULL, 0});
	assert_int_equal(pprof_encode(profile, &out, NULL), ERR_OK);
	profile_free(profile);
	return out;
}

struct outcome {
	int rc;
	struct error err;
	struct profile *profile;
	struct store_lines notes;
	size_t requests;
};

static struct outcome ask(const char *path, const struct canned_answer *answers, size_t count)
{
	struct outcome outcome = {.notes = {.arena = ARENA_INIT}};
	char url[512];

	canned_start(answers, count);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u%s", canned.port, path);
	outcome.rc = source_read(url, NULL, &outcome.profile, &outcome.notes, &outcome.err);
	outcome.requests = canned_stop();
	return outcome;
}

static void done(struct outcome *outcome)
{
	profile_free(outcome->profile);
	store_lines_release(&outcome->notes);
	canned_release();
}

static void expect(const struct outcome *outcome, int rc, const char *text)
{
	if (outcome->rc != rc || (rc && !strstr(outcome->err.message, text)))
		fail_msg(
			"code %d, expected %d; message: %s", outcome->rc, rc, outcome->err.message);
}

static void refuse(const char *path, const char *text)
{
	const struct canned_answer never = {.status = 500};
	struct outcome outcome = ask(path, &never, 1);

	expect(&outcome, ERR_USAGE, text);
	assert_int_equal(outcome.requests, 0);
	done(&outcome);
}

static void test_the_path_and_parameters_are_asked_for_as_written(void **state)
{
	struct strbuf heap = pprof("alloc_space", "inuse_space", 7, false);
	const struct canned_answer answer = {
		200, "application/octet-stream", NULL, heap.data, heap.length};
	struct outcome outcome = ask("/a/debug/pprof/heap?gc=1&x=%26%20y", &answer, 1);

	(void)state;
	expect(&outcome, ERR_OK, "");
	assert_int_equal(outcome.profile->samples[0].values[1], 14);
	assert_int_equal(outcome.profile->default_type, 1);
	assert_ptr_equal(strstr(canned.requests[0].data,
				 "GET /a/debug/pprof/heap?gc=1&x=%26%20y HTTP/1.1\r\n"),
		canned.requests[0].data);
	assert_non_null(strstr(outcome.notes.items[0], "snapshot"));
	done(&outcome);
	strbuf_release(&heap);
}

static void test_credentials_come_from_the_environment(void **state)
{
	struct strbuf heap = pprof("alloc_space", "inuse_space", 7, false);
	const struct canned_answer answer = {
		200, "application/octet-stream", NULL, heap.data, heap.length};
	struct outcome outcome;

	(void)state;
	setenv("FLAMEGATE_TOKEN", "s3same", 1);
	outcome = ask("/debug/pprof/heap", &answer, 1);
	unsetenv("FLAMEGATE_TOKEN");
	expect(&outcome, ERR_OK, "");
	assert_non_null(strstr(canned.requests[0].data, "Authorization: Bearer s3same\r\n"));
	done(&outcome);
	strbuf_release(&heap);
}

static void test_what_counts_in_allocs_is_what_was_allocated(void **state)
{
	struct strbuf allocs = pprof("alloc_space", "inuse_space", -7, false);
	const struct canned_answer answer = {
		200, "application/octet-stream", NULL, allocs.data, allocs.length};
	struct outcome outcome = ask("/debug/pprof/allocs?seconds=1", &answer, 1);

	(void)state;
	expect(&outcome, ERR_OK, "");
	assert_int_equal(outcome.profile->default_type, 0);
	assert_int_equal(outcome.profile->samples[0].values[0], -7);
	assert_non_null(strstr(outcome.notes.items[0], "delta over 1 s"));
	done(&outcome);
	strbuf_release(&allocs);
}

static void test_a_second_cpu_profile_is_explained(void **state)
{
	const struct canned_answer busy = {500, "text/plain", "X-Go-Pprof: 1",
		"Could not enable CPU profiling: cpu profiling already in use\n", 0};
	const struct canned_answer broken = {500, "text/plain", NULL, "out of order\n", 0};
	struct outcome outcome = ask("/debug/pprof/profile?seconds=1", &busy, 1);

	(void)state;
	expect(&outcome, ERR_TOOL, "another CPU profile");
	done(&outcome);
	outcome = ask("/debug/pprof/profile?seconds=1", &broken, 1);
	expect(&outcome, ERR_TOOL, "out of order");
	assert_null(strstr(outcome.err.message, "another CPU profile"));
	done(&outcome);
	outcome = ask("/debug/pprof/heap", &busy, 1);
	assert_null(strstr(outcome.err.message, "another CPU profile"));
	done(&outcome);
}

static void test_an_unknown_profile_is_answered_with_those_that_there_are(void **state)
{
	const struct canned_answer answers[] = {
		{404, "text/plain", "X-Go-Pprof: 1", "Unknown profile\n", 0},
		{200, "text/html", NULL, INDEX, 0}};
	struct outcome outcome = ask("/debug/pprof/hepa", answers, 2);

	(void)state;
	expect(&outcome, ERR_NOT_FOUND, "has no profile \"hepa\": there are allocs, heap");
	assert_null(strstr(outcome.err.message, "red"));
	assert_null(strstr(outcome.err.message, "<b>"));
	assert_int_equal(outcome.requests, 2);
	assert_non_null(strstr(canned.requests[1].data, "GET /debug/pprof/ HTTP/1.1\r\n"));
	done(&outcome);
}

static void test_a_server_without_profiles_is_told_apart(void **state)
{
	const struct canned_answer answers[] = {
		{404, "text/plain", NULL, "no\n", 0}, {404, "text/plain", NULL, "no\n", 0}};
	struct outcome outcome = ask("/debug/pprof/heap", answers, 2);

	(void)state;
	expect(&outcome, ERR_NOT_FOUND, "does the program serve net/http/pprof on this port?");
	done(&outcome);
}

static void test_text_is_not_taken_for_a_profile(void **state)
{
	const struct canned_answer legacy = {200, "text/plain; charset=utf-8", NULL,
		"heap profile: 1: 2 [3: 4] @ heap/1048576\x1b[31m\n1: 2\n", 0};
	struct outcome outcome = ask("/debug/pprof/heap", &legacy, 1);

	(void)state;
	expect(&outcome, ERR_CORRUPT, "heap profile: 1: 2");
	expect(&outcome, ERR_CORRUPT, "\"debug\"");
	assert_null(strchr(outcome.err.message, 0x1b));
	done(&outcome);
}

static void test_a_server_that_repeats_the_request_is_not_quoted(void **state)
{
	const struct canned_answer echo = {
		200, "text/plain", NULL, "hello\nAuthorization: Bearer s3same\n", 0};
	const struct canned_answer one_line = {
		200, "text/plain", NULL, "you sent Bearer s3same\n", 0};
	struct outcome outcome;

	(void)state;
	setenv("FLAMEGATE_TOKEN", "s3same", 1);
	outcome = ask("/debug/pprof/heap", &echo, 1);
	expect(&outcome, ERR_CORRUPT, "answered with text, not with a profile");
	assert_null(strstr(outcome.err.message, "hello"));
	done(&outcome);
	outcome = ask("/debug/pprof/heap", &one_line, 1);
	unsetenv("FLAMEGATE_TOKEN");
	expect(&outcome, ERR_CORRUPT, "answered with text, not with a profile");
	assert_null(strstr(outcome.err.message, "s3same"));
	done(&outcome);
}

static void test_a_profile_that_is_called_text_is_read(void **state)
{
	struct strbuf heap = pprof("alloc_space", "inuse_space", 7, false);
	const struct canned_answer answer = {200, "text/plain", NULL, heap.data, heap.length};
	struct outcome outcome = ask("/debug/pprof/heap", &answer, 1);

	(void)state;
	expect(&outcome, ERR_OK, "");
	done(&outcome);
	strbuf_release(&heap);
}

static void test_rubbish_is_an_error_that_names_its_place(void **state)
{
	const struct canned_answer rubbish = {
		200, "application/octet-stream", NULL, "\xff\xff\xff", 3};
	struct outcome outcome = ask("/debug/pprof/heap", &rubbish, 1);

	(void)state;
	expect(&outcome, ERR_CORRUPT, "/debug/pprof/heap: ");
	done(&outcome);
}

static void test_an_empty_profile_says_how_it_fills(void **state)
{
	static const struct {
		const char *path, *hint;
	} cases[] = {{"/debug/pprof/mutex", "SetMutexProfileFraction"},
		{"/debug/pprof/block", "SetBlockProfileRate"},
		{"/debug/pprof/profile?seconds=1", "used no CPU time"},
		{"/debug/pprof/mutex?seconds=1", "nothing of it changed"},
		{"/debug/pprof/other", "nothing of this kind"}};
	struct strbuf empty = pprof("contentions", "delay", 0, true);
	const struct canned_answer answer = {
		200, "application/octet-stream", NULL, empty.data, empty.length};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct outcome outcome = ask(cases[i].path, &answer, 1);

		expect(&outcome, ERR_NOT_FOUND, cases[i].hint);
		done(&outcome);
	}
	strbuf_release(&empty);
}

static void test_what_cannot_work_is_refused_without_a_request(void **state)
{
	static const char *const seconds[] = {
		"1.5", "0", "-1", "+1", "", "%201", "1x", "3601", "99999999999999999999"};

	(void)state;
	for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++) {
		char path[128];

		snprintf(path, sizeof(path), "/debug/pprof/heap?seconds=%s", seconds[i]);
		refuse(path, "whole number from 1 to 3600");
	}
	refuse("/debug/pprof/heap?debug=1", "leave \"debug\" out");
	refuse("/debug/pprof/heap?debug=2", "leave \"debug\" out");
	refuse("/debug/pprof/trace", "is no profile");
	refuse("/debug/pprof/", "is no profile");
	refuse("", "is no profile");
	refuse("/debug/pprof/heap?from=now-1h", "knows no past");
	refuse("/debug/pprof/heap?until=now", "knows no past");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_path_and_parameters_are_asked_for_as_written),
		cmocka_unit_test(test_credentials_come_from_the_environment),
		cmocka_unit_test(test_what_counts_in_allocs_is_what_was_allocated),
		cmocka_unit_test(test_a_second_cpu_profile_is_explained),
		cmocka_unit_test(test_an_unknown_profile_is_answered_with_those_that_there_are),
		cmocka_unit_test(test_a_server_without_profiles_is_told_apart),
		cmocka_unit_test(test_text_is_not_taken_for_a_profile),
		cmocka_unit_test(test_a_server_that_repeats_the_request_is_not_quoted),
		cmocka_unit_test(test_a_profile_that_is_called_text_is_read),
		cmocka_unit_test(test_rubbish_is_an_error_that_names_its_place),
		cmocka_unit_test(test_an_empty_profile_says_how_it_fills),
		cmocka_unit_test(test_what_cannot_work_is_refused_without_a_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
