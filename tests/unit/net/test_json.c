/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/net/json.h"

static struct json *parse(const char *text)
{
	struct json *root = NULL;
	struct error err = {0};

	if (json_parse(text, strlen(text), "t.json", NULL, &root, &err))
		fail_msg("%s: %s", text, err.message);
	return root;
}

static void test_values_are_found_by_key_and_index(void **state)
{
	struct json *root = parse(" {\"a\": [1, -2.5e1, \"x\\u00e9\\ud83d\\ude00\", true, null], "
				  "\"b\": {\"c\": {}}} \n");
	const struct json *array = json_get(root, "a");
	const char *string;
	struct error err;
	double number;
	int64_t whole;
	bool flag;

	(void)state;
	assert_int_equal(json_type(root), JSON_OBJECT);
	assert_int_equal(json_length(array), 5);
	assert_int_equal(json_int64(json_at(array, 0), &whole, &err), 0);
	assert_int_equal(whole, 1);
	assert_int_equal(json_number(json_at(array, 1), &number, &err), 0);
	assert_true(number == -25.0);
	assert_int_equal(json_string(json_at(array, 2), &string, &err), 0);
	assert_string_equal(string, "x\xc3\xa9\xf0\x9f\x98\x80");
	assert_int_equal(json_bool(json_at(array, 3), &flag, &err), 0);
	assert_true(flag);
	assert_int_equal(json_type(json_at(array, 4)), JSON_NULL);
	assert_null(json_at(array, 5));
	assert_int_equal(json_length(json_get(json_get(root, "b"), "c")), 0);
	json_free(root);
}

static void test_absent_nodes_are_safe_to_walk(void **state)
{
	struct json *root = parse("7");

	(void)state;
	assert_null(json_get(root, "a"));
	assert_null(json_get(NULL, "a"));
	assert_null(json_at(NULL, 0));
	assert_null(json_first(NULL));
	assert_null(json_first(root));
	assert_null(json_next(root));
	assert_null(json_next(NULL));
	assert_null(json_key(root));
	assert_int_equal(json_type(NULL), JSON_NULL);
	assert_int_equal(json_length(NULL), 0);
	json_free(root);
	json_free(NULL);
}

static void test_iteration_visits_members_in_order(void **state)
{
	struct json *root = parse("{\"b\":1,\"a\":2,\"b\":3}");
	struct strbuf keys = STRBUF_INIT;
	struct error err;
	int64_t first;

	(void)state;
	for (const struct json *node = json_first(root); node; node = json_next(node))
		strbuf_addstr(&keys, json_key(node));
	assert_string_equal(keys.data, "bab");
	assert_int_equal(json_get_int64(root, "b", &first, &err), 0);
	assert_int_equal(first, 1);
	strbuf_release(&keys);
	json_free(root);
}

static void test_errors_name_the_path_of_the_value(void **state)
{
	struct json *root = parse("{\"benchmarks\":[{},{\"name\":3}],\"</script>\":{\"x\":1}}");
	const struct json *benchmarks, *benchmark;
	const char *name = "untouched";
	struct error err;

	(void)state;
	assert_int_equal(json_get_array(root, "benchmarks", &benchmarks, &err), 0);
	benchmark = json_at(benchmarks, 1);
	assert_int_equal(json_get_string(benchmark, "name", &name, &err), ERR_CORRUPT);
	assert_string_equal(err.message, "t.json: benchmarks[1].name: expected a string");
	assert_int_equal(json_get_string(json_at(benchmarks, 0), "name", &name, &err), ERR_CORRUPT);
	assert_string_equal(err.message, "t.json: benchmarks[0]: \"name\" is missing");
	assert_int_equal(json_get_string(root, "name", &name, &err), ERR_CORRUPT);
	assert_string_equal(err.message, "t.json: \"name\" is missing");
	assert_int_equal(json_string(json_first(json_at(benchmarks, 0)), &name, &err), ERR_CORRUPT);
	assert_int_equal(
		json_string(json_get(json_get(root, "</script>"), "x"), &name, &err), ERR_CORRUPT);
	assert_string_equal(err.message, "t.json: {1}.x: expected a string");
	assert_string_equal(name, "untouched");
	json_free(root);
}

static void test_integers_are_exact_or_refused(void **state)
{
	struct json *root = parse("[9007199254740992, -9007199254740992, 9007199254740994, 1.5, "
				  "\"9223372036854775807\", \"-9223372036854775808\", "
				  "\"9223372036854775808\", \" 1\", \"+1\", \"\", \"-\", 1e300]");
	static const int64_t good[] = {9007199254740992, -9007199254740992};
	struct error err;
	int64_t value = 42;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(json_int64(json_at(root, i), &value, &err), 0);
		assert_true(value == good[i]);
	}
	assert_int_equal(json_int64(json_at(root, 4), &value, &err), 0);
	assert_true(value == INT64_MAX);
	assert_int_equal(json_int64(json_at(root, 5), &value, &err), 0);
	assert_true(value == INT64_MIN);
	value = 42;
	assert_int_equal(json_int64(json_at(root, 2), &value, &err), ERR_CORRUPT);
	assert_int_equal(json_int64(json_at(root, 3), &value, &err), ERR_CORRUPT);
	for (size_t i = 6; i < json_length(root); i++)
		assert_int_equal(json_int64(json_at(root, i), &value, &err), ERR_CORRUPT);
	assert_int_equal(value, 42);
	json_free(root);
}

static void test_invalid_texts_are_refused_with_the_offset(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "byte 0"},
		{"{", "byte 0: the text ends too early"},
		{"[1,]", "byte 3"},
		{"{\"a\":1,}", "byte 7"},
		{"[1 2]", "byte 3"},
		{"[1]]", "byte 3: something follows"},
		{"1 2", "byte 2: something follows"},
		{"01", "byte 0: invalid number"},
		{"[1.]", "byte 1: invalid number"},
		{"[-]", "byte 1: invalid number"},
		{"[.5]", "byte 1: unexpected"},
		{"[+1]", "byte 1: unexpected"},
		{"[1e]", "byte 1: invalid number"},
		{"1e999", "too large"},
		{"[NaN]", "byte 1: unexpected"},
		{"[truex]", "byte"},
		{"'a'", "byte 0: unexpected"},
		{"\"a", "byte 0: a string without an end"},
		{"\"\\x\"", "byte 1: invalid escape"},
		{"\"\\u12g4\"", "byte 1: invalid \\u"},
		{"\"\\u0000\"", "byte 1: the character NUL"},
		{"\"\\ud800\"", "byte 1: half of a surrogate"},
		{"\"\\ud800\\u0041\"", "byte 1: half of a surrogate"},
		{"\"\\udc00\"", "byte 1: half of a surrogate"},
		{"\"a\x01\"", "byte 2: control character"},
		{"\"a\nb\"", "byte 2: control character"},
		{"\"\xff\"", "byte 1: invalid UTF-8"},
		{"\"\xc0\x80\"", "byte 1: invalid UTF-8"},
		{"\"\xed\xa0\x80\"", "byte 1: invalid UTF-8"},
		{"\"\xf4\x90\x80\x80\"", "byte 1: invalid UTF-8"},
		{"\"\xe2\x82\"", "byte 1: invalid UTF-8"},
		{"[1]\x01", "byte 3: unexpected"},
		{"/* c */ 1", "byte 0: unexpected"},
		{"[12345678901234567890123456789012345678901234567890123456789012345]",
			"byte 1: number with too many digits"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct json *root = NULL;
		struct error err = {0};
		int rc = json_parse(
			cases[i].text, strlen(cases[i].text), "t.json", NULL, &root, &err);

		if (rc != ERR_CORRUPT || root || !strstr(err.message, cases[i].message))
			fail_msg("%s: rc %d, message: %s", cases[i].text, rc, err.message);
	}
}

static void test_a_nul_byte_is_refused_anywhere(void **state)
{
	struct json *root = NULL;
	struct error err;

	(void)state;
	assert_int_equal(json_parse("[1]\0", 4, "t", NULL, &root, &err), ERR_CORRUPT);
	assert_int_equal(json_parse("\"a\0b\"", 5, "t", NULL, &root, &err), ERR_CORRUPT);
	assert_int_equal(json_parse("\0", 1, "t", NULL, &root, &err), ERR_CORRUPT);
	assert_null(root);
}

static void test_every_truncation_of_a_text_is_refused(void **state)
{
	static const char text[] = "{\"a\":[1,-2.5,\"x\\u00e9\",true,null,{\"b\":false}]}";

	(void)state;
	for (size_t length = 0; length + 1 < sizeof(text); length++) {
		/* An own block of exactly this size, so that a read past it is seen. */
		char *copy = malloc(length ? length : 1);
		struct json *root = NULL;
		struct error err;

		memcpy(copy, text, length);
		assert_int_equal(json_parse(copy, length, "t", NULL, &root, &err), ERR_CORRUPT);
		free(copy);
	}
}

static void test_limits_on_size_and_depth_hold(void **state)
{
	struct json_limits limits = {10, 3, 0};
	struct json *root = NULL;
	struct error err;

	(void)state;
	assert_int_equal(json_parse("[[[1]]]", 7, "t", &limits, &root, &err), 0);
	json_free(root);
	root = NULL;
	assert_int_equal(json_parse("[[[[1]]]]", 9, "t", &limits, &root, &err), ERR_LIMIT);
	assert_string_equal(
		err.message, "t: byte 3: more than 3 arrays and objects within each other");
	assert_int_equal(json_parse("[1,2,3,4,5]", 11, "t", &limits, &root, &err), ERR_LIMIT);
	assert_null(root);
	limits = (struct json_limits){20, 3, 4};
	assert_int_equal(json_parse("{\"a\":[1,2,\",,,\"]}", 17, "t", &limits, &root, &err), 0);
	json_free(root);
	root = NULL;
	assert_int_equal(json_parse("{\"a\":[1,2,3,4]}", 15, "t", &limits, &root, &err), ERR_LIMIT);
	assert_string_equal(err.message, "t: byte 11: more than 4 values");
	assert_null(root);
}

static void test_depth_is_capped_whatever_the_caller_says(void **state)
{
	struct json_limits limits = {1 << 20, SIZE_MAX, 0};
	size_t count = 100000;
	char *text = malloc(count);
	struct json *root = NULL;
	struct error err;

	(void)state;
	memset(text, '[', count);
	assert_int_equal(json_parse(text, count, "t", &limits, &root, &err), ERR_LIMIT);
	free(text);
}

static void test_the_deepest_allowed_path_is_named(void **state)
{
	struct json_limits limits = {1 << 20, 512, 0};
	struct strbuf text = STRBUF_INIT;
	const struct json *node;
	struct json *root = NULL;
	struct error err;
	bool flag;

	(void)state;
	for (int i = 0; i < 512; i++)
		strbuf_addch(&text, '[');
	strbuf_addch(&text, '1');
	for (int i = 0; i < 512; i++)
		strbuf_addch(&text, ']');
	assert_int_equal(json_parse(text.data, text.length, "t", &limits, &root, &err), 0);
	for (node = root; json_first(node);)
		node = json_first(node);
	assert_int_equal(json_bool(node, &flag, &err), ERR_CORRUPT);
	assert_memory_equal(err.message, "t: [0][0]", 9);
	strbuf_release(&text);
	json_free(root);
}

static void test_writer_separates_elements(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct json_writer w;

	(void)state;
	json_writer_init(&w, &out, 0);
	json_object_begin(&w);
	json_member_int64(&w, "a", INT64_MIN);
	json_member_array(&w, "b");
	json_write_bool(&w, true);
	json_write_null(&w);
	json_array_begin(&w);
	json_array_end(&w);
	json_object_begin(&w);
	json_object_end(&w);
	json_array_end(&w);
	json_member_string(&w, "c", NULL);
	json_member_uint64(&w, "d", UINT64_MAX);
	json_member_object(&w, "e");
	json_member_bool(&w, "f", false);
	json_object_end(&w);
	json_object_end(&w);
	assert_string_equal(out.data, "{\"a\":-9223372036854775808,\"b\":[true,null,[],{}],"
				      "\"c\":null,\"d\":18446744073709551615,\"e\":{\"f\":false}}");
	strbuf_release(&out);
}

static void test_writer_breaks_lines_down_to_the_given_depth(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct json_writer w;

	(void)state;
	json_writer_init(&w, &out, 2);
	json_object_begin(&w);
	json_member_array(&w, "a");
	json_write_int64(&w, 1);
	json_array_begin(&w);
	json_write_int64(&w, 2);
	json_write_int64(&w, 3);
	json_array_end(&w);
	json_array_end(&w);
	json_member_object(&w, "b");
	json_object_end(&w);
	json_object_end(&w);
	assert_string_equal(out.data, "{\n \"a\": [\n  1,\n  [2,3]\n ],\n \"b\": {}\n}");
	strbuf_release(&out);
}

static void test_written_strings_are_inert_in_html_and_scripts(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct json_writer w;

	(void)state;
	json_writer_init(&w, &out, 0);
	json_array_begin(&w);
	json_write_string(&w, "</script>&\"\\\n\t\r\x01\x7f");
	json_write_string(&w, "\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa\xc3\xa9");
	json_write_bytes(&w, "a\0b\xff\xed\xa0\x80z\xe2\x82", 10);
	json_array_end(&w);
	assert_string_equal(out.data,
		"[\"\\u003c/script\\u003e\\u0026\\\"\\\\\\n\\t\\u000d\\u0001\\u007f\","
		"\"\\u2028\\u2029\xe2\x80\xaa\xc3\xa9\","
		"\"a\\u0000b\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz"
		"\xef\xbf\xbd\xef\xbf\xbd\"]");
	strbuf_release(&out);
}

static void assert_double_written(double number, const char *expected)
{
	struct strbuf out = STRBUF_INIT;
	struct json_writer w;

	json_writer_init(&w, &out, 0);
	json_write_double(&w, number);
	assert_string_equal(out.data, expected);
	strbuf_release(&out);
}

static void test_doubles_are_written_shortest_and_round_trip(void **state)
{
	struct error err;

	(void)state;
	assert_double_written(0.1, "0.1");
	assert_double_written(0.1 + 0.2, "0.30000000000000004");
	assert_double_written(1.0 / 3.0, "0.3333333333333333");
	assert_double_written(100, "100");
	assert_double_written(-0.0, "-0");
	assert_double_written(1e300, "1e+300");
	assert_double_written(5e-324, "4.94065645841247e-324");
	assert_double_written(NAN, "null");
	assert_double_written(-INFINITY, "null");
	for (uint64_t i = 1, x = 88172645463325252; i < 2000; i++) {
		struct strbuf out = STRBUF_INIT;
		struct json_writer w;
		struct json *root;
		double number, back;

		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		memcpy(&number, &x, sizeof(number));
		if (!isfinite(number))
			continue;
		json_writer_init(&w, &out, 0);
		json_write_double(&w, number);
		root = parse(out.data);
		assert_int_equal(json_number(root, &back, &err), 0);
		assert_true(back == number);
		json_free(root);
		strbuf_release(&out);
	}
}

static void test_numbers_do_not_depend_on_the_locale(void **state)
{
	static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
	struct json *root;
	struct error err;
	double number;

	(void)state;
	/* Where none of these is installed this is a check of the C locale only. */
	for (size_t i = 0; i < 3 && !setlocale(LC_NUMERIC, names[i]); i++)
		;
	assert_double_written(1234.5, "1234.5");
	assert_double_written(1.5e-300, "1.5e-300");
	root = parse("[1.25]");
	assert_int_equal(json_number(json_at(root, 0), &number, &err), 0);
	assert_true(number == 1.25);
	json_free(root);
	setlocale(LC_NUMERIC, "C");
}

static void test_what_is_written_is_read_back(void **state)
{
	static const char hostile[] = "\"</script>\\\b\f\x1f\xe2\x80\xa8 \xf0\x9f\x98\x80";
	struct strbuf out = STRBUF_INIT;
	struct json_writer w;
	struct json *root;
	const char *string;
	struct error err;

	(void)state;
	json_writer_init(&w, &out, 1);
	json_object_begin(&w);
	json_member_string(&w, hostile, hostile);
	json_object_end(&w);
	root = parse(out.data);
	assert_string_equal(json_key(json_first(root)), hostile);
	assert_int_equal(json_string(json_first(root), &string, &err), 0);
	assert_string_equal(string, hostile);
	json_free(root);
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_are_found_by_key_and_index),
		cmocka_unit_test(test_absent_nodes_are_safe_to_walk),
		cmocka_unit_test(test_iteration_visits_members_in_order),
		cmocka_unit_test(test_errors_name_the_path_of_the_value),
		cmocka_unit_test(test_integers_are_exact_or_refused),
		cmocka_unit_test(test_invalid_texts_are_refused_with_the_offset),
		cmocka_unit_test(test_a_nul_byte_is_refused_anywhere),
		cmocka_unit_test(test_every_truncation_of_a_text_is_refused),
		cmocka_unit_test(test_limits_on_size_and_depth_hold),
		cmocka_unit_test(test_depth_is_capped_whatever_the_caller_says),
		cmocka_unit_test(test_the_deepest_allowed_path_is_named),
		cmocka_unit_test(test_writer_separates_elements),
		cmocka_unit_test(test_writer_breaks_lines_down_to_the_given_depth),
		cmocka_unit_test(test_written_strings_are_inert_in_html_and_scripts),
		cmocka_unit_test(test_doubles_are_written_shortest_and_round_trip),
		cmocka_unit_test(test_numbers_do_not_depend_on_the_locale),
		cmocka_unit_test(test_what_is_written_is_read_back),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
