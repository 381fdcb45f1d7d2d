/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/net/url.h"

static struct url parse(const char *text, struct arena *arena)
{
	struct url url;
	struct error err = {0};

	if (url_parse(text, arena, &url, &err))
		fail_msg("%s: %s", text, err.message);
	return url;
}

static void test_a_url_is_taken_apart(void **state)
{
	static const struct {
		const char *text, *scheme, *host, *port, *path;
	} cases[] = {
		{"http://h", "http", "h", "", ""},
		{"http://h/", "http", "h", "", "/"},
		{"HTTP://Host.Example:80/A/b", "http", "Host.Example", "80", "/A/b"},
		{"pyroscope://127.0.0.1:4040", "pyroscope", "127.0.0.1", "4040", ""},
		{"parcas://[::1]:7070/x?y=z", "parcas", "[::1]", "7070", "/x"},
		{"http://a_b-c.d?x=/y", "http", "a_b-c.d", "", ""},
		{"http://h/a/../b%2Fc%20d", "http", "h", "", "/a/../b%2Fc%20d"},
		{"x+y-z.1://h", "x+y-z.1", "h", "", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena arena = ARENA_INIT;
		struct url url = parse(cases[i].text, &arena);

		assert_string_equal(url.scheme, cases[i].scheme);
		assert_string_equal(url.host, cases[i].host);
		assert_string_equal(url.port, cases[i].port);
		assert_string_equal(url.path, cases[i].path);
		arena_release(&arena);
	}
}

static void test_parameters_are_decoded_in_their_order(void **state)
{
	struct arena arena = ARENA_INIT;
	struct url url = parse("pyroscope://h?query={a=\"x y\",b=~\"m+%2B%26\"}&&n%20m=1&flag&e=&"
			       "query=second&=v",
		&arena);

	(void)state;
	assert_int_equal(url.parameter_count, 6);
	assert_string_equal(url.parameters[0].name, "query");
	assert_string_equal(url.parameters[0].value, "{a=\"x y\",b=~\"m +&\"}");
	assert_string_equal(url.parameters[1].name, "n m");
	assert_string_equal(url_parameter(&url, "n m"), "1");
	assert_string_equal(url_parameter(&url, "flag"), "");
	assert_string_equal(url_parameter(&url, "e"), "");
	assert_string_equal(url_parameter(&url, "query"), url.parameters[0].value);
	assert_string_equal(url_parameter(&url, ""), "v");
	assert_null(url_parameter(&url, "Query"));
	arena_release(&arena);
}

static void test_a_url_without_a_query_has_no_parameters(void **state)
{
	struct arena arena = ARENA_INIT;
	struct url url = parse("http://h/p", &arena);

	(void)state;
	assert_int_equal(url.parameter_count, 0);
	assert_null(url_parameter(&url, "p"));
	url = parse("http://h/p?", &arena);
	assert_int_equal(url.parameter_count, 0);
	arena_release(&arena);
}

static void test_what_is_wrong_is_said_and_nothing_is_filled(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "scheme://"},
		{"h:80/x", "scheme://"},
		{"://h", "scheme://"},
		{"1http://h", "scheme://"},
		{"http:/h", "scheme://"},
		{"http://", "host is missing"},
		{"http:///h", "host is missing"},
		{"http://:80/", "host is missing"},
		{"http://?x", "host is missing"},
		{"http://h:0/", "port"},
		{"http://h:65536/", "port"},
		{"http://h:8x/", "port"},
		{"http://h/a\nb", "control character"},
		{"http://h/a\x7f", "control character"},
		{"http://h/?q=%0a", "control character"},
		{"http://h/?q=%7F", "control character"},
		{"http://h/%00", "control character"},
		{"http://h%00.x/", "control character"},
		{"http://h/%", "'%'"},
		{"http://h/%2", "'%'"},
		{"http://h/?q=%2g", "'%'"},
		{"http://h/%g2", "'%'"},
		{"http://h/a b", "%20"},
		{"http://a b/", "%20"},
		{"http://h/#f", "%23"},
		{"http://h?q=#f", "%23"},
		{"http://h%2fx/", "percent escapes"},
		{"http://h%40x/", "percent escapes"},
		{"http://%341/", "percent escapes"}, /* 41, and taken apart again 0.0.0.41 */
		{"http://h\xc3\xa4/", "characters other than"},
		{"http://h\\x/", "invalid URL"},
		{"http://[::1/", "invalid URL"},
		{"http://[fe80::1%25eth0]/", "zone"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena arena = ARENA_INIT;
		struct url url = {.scheme = "before"};
		struct error err = {0};

		if (url_parse(cases[i].text, &arena, &url, &err) != ERR_USAGE)
			fail_msg("%s: taken", cases[i].text);
		if (!strstr(err.message, cases[i].message))
			fail_msg("%s: %s", cases[i].text, err.message);
		assert_string_equal(url.scheme, "before");
		arena_release(&arena);
	}
}

static void test_credentials_are_refused_and_never_repeated(void **state)
{
	static const char *const cases[] = {
		"http://user:s3cret@h/",
		"http://s3cret@h",
		"http://:s3cret@h?x",
		"http://user:s3cret\\@h/",
		"http://h:s3cret@/",
		"pyroscope://user:s3cret@h:4040",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena arena = ARENA_INIT;
		struct url url;
		struct error err = {0};

		assert_int_equal(url_parse(cases[i], &arena, &url, &err), ERR_USAGE);
		assert_non_null(strstr(err.message, "FLAMEGATE_USER and FLAMEGATE_PASSWORD"));
		assert_null(strstr(err.message, "s3cret"));
		arena_release(&arena);
	}
}

static void test_an_at_sign_behind_the_host_is_no_credential(void **state)
{
	struct arena arena = ARENA_INIT;

	(void)state;
	assert_string_equal(parse("http://h/a@b", &arena).path, "/a@b");
	assert_string_equal(parse("http://h?x=a@b", &arena).parameters[0].value, "a@b");
	arena_release(&arena);
}

static void test_the_longest_url_has_8192_bytes(void **state)
{
	char *text = calloc(1, 8194);
	struct arena arena = ARENA_INIT;
	struct url url;
	struct error err;

	(void)state;
	memset(text, 'a', 8193);
	memcpy(text, "http://h/", 9);
	assert_int_equal(url_parse(text, &arena, &url, &err), ERR_USAGE);
	assert_non_null(strstr(err.message, "8192"));
	text[8192] = '\0';
	assert_int_equal(url_parse(text, &arena, &url, &err), 0);
	arena_release(&arena);
	free(text);
}

static void test_text_with_a_scheme_is_a_url(void **state)
{
	(void)state;
	assert_true(url_is("http://h"));
	assert_true(url_is("x+y://"));
	assert_false(url_is("dir:/a"));
	assert_false(url_is("a/b://c"));
	assert_false(url_is("://c"));
	assert_false(url_is("1a://c"));
	assert_false(url_is("file.pb.gz"));
	assert_false(url_is(""));
}

static void test_all_but_unreserved_characters_are_encoded(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	strbuf_addstr(&out, "x=");
	url_add_encoded(&out, "AZaz09-._~ +&=/?#%\"{}\xc3\xa4\n");
	assert_string_equal(out.data, "x=AZaz09-._~%20%2B%26%3D%2F%3F%23%25%22%7B%7D%C3%A4%0A");
	strbuf_reset(&out);
	url_add_encoded(&out, "");
	assert_string_equal(out.data, "");
	strbuf_release(&out);
}

static void test_the_origin_is_host_and_port_under_another_scheme(void **state)
{
	struct arena arena = ARENA_INIT;
	struct url url = parse("pyroscope://[::1]:4040/a?b=c", &arena);

	(void)state;
	assert_string_equal(url_origin(&url, "http", &arena), "http://[::1]:4040");
	url = parse("parcas://h", &arena);
	assert_string_equal(url_origin(&url, "https", &arena), "https://h");
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_url_is_taken_apart),
		cmocka_unit_test(test_parameters_are_decoded_in_their_order),
		cmocka_unit_test(test_a_url_without_a_query_has_no_parameters),
		cmocka_unit_test(test_what_is_wrong_is_said_and_nothing_is_filled),
		cmocka_unit_test(test_credentials_are_refused_and_never_repeated),
		cmocka_unit_test(test_an_at_sign_behind_the_host_is_no_credential),
		cmocka_unit_test(test_the_longest_url_has_8192_bytes),
		cmocka_unit_test(test_text_with_a_scheme_is_a_url),
		cmocka_unit_test(test_all_but_unreserved_characters_are_encoded),
		cmocka_unit_test(test_the_origin_is_host_and_port_under_another_scheme),
	};

	return cmocka_run_group_tests_name("url", tests, NULL, NULL);
}
