/* SPDX-License-Identifier: Apache-2.0 */
/* What GitHub's events say of the commits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/check/plan/ci_event.h"

#define BEFORE "6dcb09b5b57875f334f61aebed695e2e4193db5e"
#define ZEROS "0000000000000000000000000000000000000000"

struct fixture {
	struct arena arena;
	struct ci_event event;
	struct error err;
};

static int set_up(void **state)
{
	static struct fixture f;

	f = (struct fixture){.arena = ARENA_INIT};
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	arena_release(&((struct fixture *)*state)->arena);
	return 0;
}

/* payload NULL: the runner names no file. */
static int read_event(struct fixture *f, const char *name, const char *payload)
{
	char path[] = "/tmp/flamegate-event.XXXXXX";
	int fd = mkstemp(path), rc;

	assert_true(fd >= 0);
	close(fd);
	setenv("GITHUB_EVENT_NAME", name, 1);
	unsetenv("GITHUB_EVENT_PATH");
	if (payload) {
		assert_int_equal(file_write(path, payload, strlen(payload), &f->err), ERR_OK);
		setenv("GITHUB_EVENT_PATH", path, 1);
	}
	rc = ci_event_read(&f->arena, &f->event, &f->err);
	unlink(path);
	return rc;
}

static void assert_event(const struct fixture *f, enum ci_event_kind kind, const char *branch,
	const char *commit, const char *pushed)
{
	assert_int_equal(f->event.kind, kind);
	assert_string_equal(f->event.base_branch, branch);
	assert_string_equal(f->event.base_commit, commit);
	assert_string_equal(f->event.pushed_branch, pushed);
}

static void test_push_says_what_the_branch_was_before(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(
		read_event(f, "push",
			"{\"ref\":\"refs/heads/topic/a\",\"before\":\"" BEFORE
			"\",\"forced\":false,\"repository\":{\"default_branch\":\"trunk\"}}"),
		ERR_OK);
	assert_event(f, CI_EVENT_PUSH, "trunk", BEFORE, "topic/a");
	assert_string_equal(f->event.name, "push");
}

static void test_new_branch_was_nothing_before(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(
		read_event(f, "push",
			"{\"ref\":\"refs/heads/topic\",\"before\":\"" ZEROS
			"\",\"created\":true,\"repository\":{\"default_branch\":\"main\"}}"),
		ERR_OK);
	assert_event(f, CI_EVENT_PUSH, "main", "", "topic");
}

static void test_tag_is_no_branch_that_was_pushed(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(
		read_event(f, "push", "{\"ref\":\"refs/tags/v1\",\"before\":\"" ZEROS "\"}"),
		ERR_OK);
	assert_event(f, CI_EVENT_PUSH, "", "", "");
}

static void test_push_may_leave_everything_out(void **state)
{
	static const char *const payloads[] = {"{}", "[]",
		"{\"before\":null,\"ref\":null,\"repository\":null}", "{\"before\":\"\"}"};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(payloads) / sizeof(payloads[0]); i++) {
		assert_int_equal(read_event(f, "push", payloads[i]), ERR_OK);
		assert_event(f, CI_EVENT_PUSH, "", "", "");
	}
}

static void test_push_that_says_something_else_is_refused(void **state)
{
	static const char *const payloads[] = {"{\"before\":\"--all\"}", "{\"before\":\"HEAD\"}",
		"{\"before\":7}", "{\"ref\":[]}", "{\"repository\":{\"default_branch\":1}}", "{"};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(payloads) / sizeof(payloads[0]); i++) {
		assert_int_equal(read_event(f, "push", payloads[i]), ERR_CORRUPT);
		assert_non_null(strstr(f->err.message, "GITHUB_EVENT_PATH"));
	}
}

static void test_queue_says_its_branch_and_the_entry_before(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(read_event(f, "merge_group",
				 "{\"merge_group\":{\"base_ref\":\"refs/heads/main\",\"base_sha\":"
				 "\"" BEFORE "\",\"head_sha\":\"" BEFORE "\"}}"),
		ERR_OK);
	assert_event(f, CI_EVENT_QUEUE, "main", BEFORE, "");
	assert_int_equal(read_event(f, "merge_group", "{\"merge_group\":{}}"), ERR_CORRUPT);
	assert_int_equal(read_event(f, "merge_group",
				 "{\"merge_group\":{\"base_ref\":\"main\",\"base_sha\":\"x\"}}"),
		ERR_CORRUPT);
}

static void test_other_events_are_named_and_not_read(void **state)
{
	static const char *const names[] = {
		"pull_request", "pull_request_target", "workflow_dispatch", "schedule", ""};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(read_event(f, names[i], "no JSON"), ERR_OK);
		assert_event(f, CI_EVENT_OTHER, "", "", "");
		assert_string_equal(f->event.name, names[i]);
	}
	assert_int_equal(read_event(f, "push", NULL), ERR_OK);
	assert_event(f, CI_EVENT_OTHER, "", "", "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_push_says_what_the_branch_was_before),
		TEST(test_new_branch_was_nothing_before),
		TEST(test_tag_is_no_branch_that_was_pushed),
		TEST(test_push_may_leave_everything_out),
		TEST(test_push_that_says_something_else_is_refused),
		TEST(test_queue_says_its_branch_and_the_entry_before),
		TEST(test_other_events_are_named_and_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
