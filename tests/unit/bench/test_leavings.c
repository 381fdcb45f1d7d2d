/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/leavings.h"

#include <math.h>

#include "gate/base/error.h"
#include "tests/unit/bench/scene.h"

static int read_number(struct scene *scene, const char *text, double *number)
{
	put_file(scene, "n", text);
	return iterations_read(at(scene, "n"), number, &scene->err);
}

static void test_iterations_are_one_positive_number(void **state)
{
	struct scene *scene = *state;
	double number = 0;

	assert_ok(scene, read_number(scene, "42", &number));
	assert_true(number == 42);
	assert_ok(scene, read_number(scene, " \n1.5e3\r\n", &number));
	assert_true(number == 1500);
	assert_ok(scene, read_number(scene, "1e15", &number));
	assert_true(number == 1e15);
}

static void test_other_contents_are_refused(void **state)
{
	static const char *const wrong[] = {"", " \n", "0", "-1", "1 2", "0x10", "inf", "nan",
		"1e16", "1e999", "1e-999", "12abc", "1,5", "--1", "e", "."};
	struct scene *scene = *state;
	double number = 7;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_fails(scene, read_number(scene, wrong[i], &number), ERR_BENCHMARK,
			"one number above 0");
		assert_true(number == 7);
	}
	assert_int_equal(file_write(at(scene, "n"), "1\0002", 3, NULL), ERR_OK);
	assert_int_equal(iterations_read(at(scene, "n"), &number, &scene->err), ERR_BENCHMARK);
}

static void test_links_pipes_and_large_files_are_refused(void **state)
{
	struct scene *scene = *state;
	double number;

	sh(scene, "echo 5 >five; ln -s five link; mkfifo pipe; mkdir folder; seq 1 1000 >large");
	assert_fails(scene, iterations_read(at(scene, "link"), &number, &scene->err), ERR_BENCHMARK,
		"regular file");
	assert_fails(scene, iterations_read(at(scene, "pipe"), &number, &scene->err), ERR_BENCHMARK,
		"regular file");
	assert_fails(scene, iterations_read(at(scene, "folder"), &number, &scene->err),
		ERR_BENCHMARK, "regular file");
	assert_fails(scene, iterations_read(at(scene, "large"), &number, &scene->err),
		ERR_BENCHMARK, "small");
	assert_fails(scene, iterations_read(at(scene, "none"), &number, &scene->err), ERR_BENCHMARK,
		"wrote no");
}

static void add_tail(struct scene *scene, struct strbuf *message, const char *file)
{
	strbuf_reset(message);
	strbuf_addstr(message, "failed");
	output_tail(message, at(scene, file));
}

static void test_tail_shows_the_last_lines_that_fit(void **state)
{
	struct scene *scene = *state;
	struct strbuf message = STRBUF_INIT;

	sh(scene, "seq 1 100000 >out; printf 'one\\ntwo\\n' >short; : >empty");
	add_tail(scene, &message, "short");
	assert_string_equal(message.data, "failed; its last lines:\none\ntwo");
	add_tail(scene, &message, "out");
	assert_contains(message.data, "\n99981\n");
	assert_lacks(message.data, "\n99980\n");
	assert_string_equal(message.data + message.length - 7, "\n100000");
	assert_true(message.length < ERROR_MESSAGE_BYTES);
	add_tail(scene, &message, "empty");
	assert_string_equal(message.data, "failed");
	add_tail(scene, &message, "none");
	assert_string_equal(message.data, "failed");
	strbuf_release(&message);
}

static void test_tail_is_inert(void **state)
{
	struct scene *scene = *state;
	struct strbuf message = STRBUF_INIT;

	sh(scene, "printf '\\033[31mred\\033[0m\\r::error::pwned\\n  ::set-output name=x::y\\n"
		  "##[error]z\\0\\377\\n' >out");
	add_tail(scene, &message, "out");
	assert_lacks(message.data, "\n::");
	assert_lacks(message.data, "  ::");
	assert_lacks(message.data, "##[");
	assert_lacks(message.data, "\x1B");
	assert_contains(message.data, "red\n");
	assert_contains(message.data, "error::pwned");
	strbuf_release(&message);
}

/* A line that is cut must not lay bare a command in its middle. */
static void test_cut_lines_are_inert_too(void **state)
{
	struct scene *scene = *state;
	struct strbuf message = STRBUF_INIT, text = STRBUF_INIT;
	int i;

	for (i = 0; i < 3000; i++)
		strbuf_addstr(&text, "::error::");
	put_file(scene, "out", text.data);
	for (i = 0; i < 9; i++) {
		add_tail(scene, &message, "out");
		assert_lacks(message.data, "\n::");
		assert_contains(message.data, "error::");
		strbuf_addch(&text, 'x');
		put_file(scene, "out", text.data);
	}
	strbuf_release(&text);
	strbuf_release(&message);
}

static void test_tail_that_grows_when_made_inert_still_fits(void **state)
{
	struct scene *scene = *state;
	struct strbuf message = STRBUF_INIT;

	sh(scene, "head -c 5000 /dev/zero | tr '\\0' '\\377' >out");
	add_tail(scene, &message, "out");
	assert_true(message.length > 100);
	assert_true(message.length < ERROR_MESSAGE_BYTES);
	strbuf_release(&message);
}

static void test_both_outputs_are_shown_errors_last(void **state)
{
	struct scene *scene = *state;
	struct strbuf message = STRBUF_INIT;

	put_file(scene, "out", "result");
	put_file(scene, "err", "it failed\n");
	outputs_tail(&message, at(scene, "out"), at(scene, "err"));
	assert_string_equal(message.data, "; its last lines:\nresult\nit failed");
	strbuf_reset(&message);
	outputs_tail(&message, at(scene, "none"), at(scene, "err"));
	assert_string_equal(message.data, "; its last lines:\nit failed");
	strbuf_release(&message);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scene_test(test_iterations_are_one_positive_number),
		scene_test(test_other_contents_are_refused),
		scene_test(test_links_pipes_and_large_files_are_refused),
		scene_test(test_tail_shows_the_last_lines_that_fit),
		scene_test(test_tail_is_inert),
		scene_test(test_both_outputs_are_shown_errors_last),
		scene_test(test_cut_lines_are_inert_too),
		scene_test(test_tail_that_grows_when_made_inert_still_fits),
	};

	return cmocka_run_group_tests_name("leavings", tests, NULL, NULL);
}
