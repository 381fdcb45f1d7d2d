/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile names through the formats of other tools: SARIF, JUnit, Code Quality, OpenMetrics. */
#include "tests/unit/report/hostile_corpus.h"

#include "gate/base/error.h"
#include "gate/base/map.h"
#include "gate/net/json.h"
#include "report/ci/code_quality.h"
#include "report/ci/junit.h"
#include "report/ci/metrics_text.h"
#include "report/ci/sarif.h"

static struct json *parse(const struct strbuf *text)
{
	struct json *root = NULL;
	struct error err = {0};

	if (json_parse(text->data, text->length, "it", NULL, &root, &err))
		fail_msg("%s", err.message);
	return root;
}

static const char *string_of(const struct json *object, const char *key)
{
	const char *string = NULL;

	assert_int_equal(json_get_string(object, key, &string, NULL), ERR_OK);
	return string;
}

/* Relative to the repository, and nothing but a path. */
static void assert_path(const char *path)
{
	for (const char *at = path; *at; at += strcspn(at, "/") + (at[strcspn(at, "/")] == '/')) {
		size_t length = strcspn(at, "/");

		assert_true(length > 0);
		assert_false(length == 1 && *at == '.');
		assert_false(length == 2 && strncmp(at, "..", 2) == 0);
	}
	assert_true(*path && path[strlen(path) - 1] != '/');
	assert_null(strpbrk(path, "\r\n"));
}

/* ---- SARIF ---------------------------------------------------------------------------------- */

static void check_uri(const char *uri)
{
	assert_path(uri);
	for (const char *at = uri; *at; at++) {
		assert_true((unsigned char)*at > ' ' && (unsigned char)*at < 0x7f);
		assert_null(strchr("<>\"\\^`{|}?#:[]", *at));
		if (*at == '%')
			assert_int_equal(strspn(at + 1, "0123456789ABCDEF") >= 2, true);
	}
}

/* An embedded link as SARIF 2.1.0 has it in 3.11.6. */
static bool is_link(const char *at)
{
	if (*at++ != '[')
		return false;
	while (*at && !strchr("[]", *at))
		at += *at == '\\' ? (strchr("\\[]", at[1]) && at[1] ? 2 : 1) : 1;
	return at[0] == ']' && at[1] == '(' && strchr(at, ')');
}

/* No links, and no braces that would be placeholders (3.11.5). */
static void check_message(const struct json *object)
{
	const char *text = string_of(json_get(object, "message"), "text");

	assert_true(*text);
	for (const char *at = text; *at; at++) {
		assert_false(is_link(at));
		if (strchr("{}", *at)) {
			assert_int_equal(at[1], at[0]);
			at++;
		}
	}
}

static void check_result(const struct json *result)
{
	const struct json *location = json_first(json_get(result, "locations"));
	const struct json *physical = json_get(location, "physicalLocation");

	check_uri(string_of(json_get(physical, "artifactLocation"), "uri"));
	check_message(result);
	assert_int_equal(
		strlen(string_of(json_get(result, "partialFingerprints"), "flamegate/v1")), 32);
}

static void check_sarif(const struct report_view *view, const char *name)
{
	struct strbuf out = STRBUF_INIT;
	const struct json *run, *results, *notifications;
	struct json *root;

	report_sarif(view, &out);
	assert_inert(&out, name, "SARIF");
	assert_null(strpbrk(out.data, "<>&"));
	root = parse(&out);
	run = json_first(json_get(root, "runs"));
	results = json_get(run, "results");
	notifications =
		json_get(json_first(json_get(run, "invocations")), "toolExecutionNotifications");
	assert_int_equal(json_length(results), 3);
	assert_int_equal(json_length(notifications), 1);
	for (const struct json *one = json_first(results); one; one = json_next(one))
		check_result(one);
	check_message(json_first(notifications));
	json_free(root);
	strbuf_release(&out);
}

static void assert_sarif_holds(const char *name, const char *text)
{
	struct report_view *view = hostile_view(name);
	struct strbuf out = STRBUF_INIT;

	report_sarif(view, &out);
	if (!strstr(out.data, text))
		fail_msg("no %s", text);
	strbuf_release(&out);
	report_view_free(view);
}

/* JSON doubles each backslash. */
static void test_a_sarif_message_says_the_name_in_its_own_syntax(void **state)
{
	(void)state;
	assert_sarif_holds("[x](0)\\y", "\"text\":\"\\\\[x\\\\](0)\\\\\\\\y: ");
	assert_sarif_holds("{0}", "\"text\":\"{{0}}: ");
	assert_sarif_holds("a[1]\\", "\"text\":\"a[1]\\\\: ");
	assert_sarif_holds("[x](0){", "\"benchmark\":\"[x](0){\"");
}

static void test_sarif_stays_sarif(void **state)
{
	(void)state;
	for_each_hostile_name(check_sarif);
}

/* ---- JUnit: as many elements and attributes as with a harmless name ------------------------- */

static void collect_tags(struct strbuf *tags, const char *xml)
{
	for (const char *at = strchr(xml, '<'); at; at = strchr(at, '<')) {
		const char *close = strchr(at, '>');
		bool inside = false;

		assert_non_null(close);
		assert_null(memchr(at + 1, '<', (size_t)(close - at - 1)));
		for (; at <= close; at++) {
			inside ^= *at == '"';
			if (!inside)
				strbuf_addch(tags, *at);
		}
		assert_false(inside);
	}
}

static void assert_entities(const char *xml)
{
	for (const char *at = strchr(xml, '&'); at; at = strchr(at + 1, '&'))
		assert_true(strncmp(at, "&amp;", 5) == 0 || strncmp(at, "&lt;", 4) == 0 ||
			    strncmp(at, "&gt;", 4) == 0 || strncmp(at, "&quot;", 6) == 0 ||
			    strncmp(at, "&#39;", 5) == 0);
}

static void check_junit(const struct report_view *view, const char *name)
{
	struct report_view *harmless = hostile_view(*name ? "x" : "");
	struct strbuf out = STRBUF_INIT, expected = STRBUF_INIT;
	struct strbuf tags = STRBUF_INIT, expected_tags = STRBUF_INIT;

	report_junit(view, &out);
	report_junit(harmless, &expected);
	assert_inert(&out, name, "JUnit");
	for (size_t i = 0; i < out.length; i++)
		assert_true((unsigned char)out.data[i] >= 0x20 || out.data[i] == '\n');
	assert_null(strstr(out.data, "\xef\xbf\xbe"));
	assert_null(strstr(out.data, "\xef\xbf\xbf"));
	assert_entities(out.data);
	collect_tags(&tags, out.data);
	collect_tags(&expected_tags, expected.data);
	assert_string_equal(tags.data, expected_tags.data);
	report_view_free(harmless);
	strbuf_release(&out);
	strbuf_release(&expected);
	strbuf_release(&tags);
	strbuf_release(&expected_tags);
}

static void test_junit_stays_xml(void **state)
{
	(void)state;
	for_each_hostile_name(check_junit);
	check_hostile_name("a\xef\xbf\xbe\xef\xbf\xbf z", check_junit);
}

/* ---- Code Quality --------------------------------------------------------------------------- */

static void check_code_quality(const struct report_view *view, const char *name)
{
	struct strbuf out = STRBUF_INIT;
	struct json *root;

	report_code_quality(view, &out);
	assert_inert(&out, name, "Code Quality");
	assert_null(strpbrk(out.data, "<>&"));
	root = parse(&out);
	assert_int_equal(json_length(root), 3);
	for (const struct json *one = json_first(root); one; one = json_next(one)) {
		assert_path(string_of(json_get(one, "location"), "path"));
		assert_true(*string_of(one, "description"));
		assert_int_equal(strlen(string_of(one, "fingerprint")), 32);
	}
	json_free(root);
	strbuf_release(&out);
}

static void test_code_quality_stays_json_with_paths(void **state)
{
	(void)state;
	for_each_hostile_name(check_code_quality);
}

static void test_a_path_out_of_the_repository_is_no_place(void **state)
{
	static const char *const paths[] = {"../x", "a/../../x", "..", ".", "./x", "a/./b",
		"/etc/passwd", "a/..", "a//b", "a/", "/", "../../secret"};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		check_hostile_name(paths[i], check_code_quality);
		check_hostile_name(paths[i], check_sarif);
	}
}

/* A report of a few megabytes must not become one of gigabytes. */
static size_t count_of(const struct strbuf *text, const char *what)
{
	size_t count = 0;

	for (const char *at = text->data; (at = strstr(at, what)); at++)
		count++;
	return count;
}

static void test_long_names_and_stacks_stay_within_bounds(void **state)
{
	struct result *result = fixture_fail();
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	size_t size = 1 << 20, culprits = 2000, frames = 1000;
	char *name = arena_alloc(&result->arena, size);
	struct result_culprit *many =
		arena_array(&result->arena, culprits, sizeof(*benchmark->culprits));
	uint32_t *path = arena_array(&result->arena, frames, sizeof(*path));
	struct report_view view = {0};
	struct strbuf out = STRBUF_INIT;

	(void)state;
	memset(name, '<', size - 1);
	name[size - 1] = '\0';
	benchmark->name = name;
	for (size_t i = 0; i < culprits; i++) {
		many[i] = benchmark->culprits[0];
		many[i].path = path;
		many[i].path_length = frames;
	}
	benchmark->culprits = many;
	benchmark->culprit_count = 1;
	view.result = *result;
	report_sarif(&view, &out);
	assert_int_equal(count_of(&out, "logicalLocations"), 1 + 40); /* its own, and 40 frames */
	benchmark->culprit_count = culprits;
	view.result = *result;
	report_sarif(&view, &out);
	assert_true(out.length < 40u << 20);
	report_code_quality(&view, &out);
	report_junit(&view, &out);
	report_metrics_text(&view, &out);
	assert_true(out.length < 50u << 20);
	strbuf_release(&out);
	fixture_free(result);
}

static void test_junits_times_are_decimal_numbers(void **state)
{
	static const double hostile[] = {1e308, -5, 0.25};
	struct result *result = fixture_fail();
	struct strbuf out = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		struct report_view view = {0};

		((struct result_benchmark *)result->benchmarks)->wall_seconds = hostile[i];
		view.result = *result;
		report_junit(&view, &out);
	}
	assert_non_null(strstr(out.data, "time=\"1000000000.000\""));
	assert_non_null(strstr(out.data, "time=\"0.000\""));
	assert_non_null(strstr(out.data, "time=\"0.250\""));
	assert_null(strstr(out.data, "inf"));
	strbuf_release(&out);
	fixture_free(result);
}

/* ---- OpenMetrics, as GitLab reads it: shell words, and '#' begins a comment anywhere --------- */

static void check_line(struct map *seen, const char *line, size_t length)
{
	const char *blank = memchr(line, ' ', length);
	size_t quotes = 0;
	char *end;

	if (*line == '#')
		return;
	assert_non_null(blank);
	for (const char *at = line; at < line + length; at++) {
		assert_null(strchr("#\\'`$;&|<>()", *at));
		assert_true((unsigned char)*at >= ' ' && (unsigned char)*at < 0x7f);
		quotes += *at == '"';
	}
	assert_int_equal(quotes % 2, 0);
	strtod(blank + 1, &end);
	assert_ptr_equal(end, line + length);
	assert_int_equal(map_get(seen, line, (size_t)(blank - line)), MAP_NONE);
	map_put(seen, line, (size_t)(blank - line), 1);
}

static void check_metrics(const struct report_view *view, const char *name)
{
	struct strbuf out = STRBUF_INIT;
	struct map seen;
	size_t length;

	report_metrics_text(view, &out);
	assert_inert(&out, name, "the metrics");
	map_init(&seen);
	for (const char *line = out.data; *line; line += length + 1) {
		length = strcspn(line, "\n");
		assert_int_equal(line[length], '\n');
		check_line(&seen, line, length);
	}
	assert_string_equal(out.data + out.length - 6, "# EOF\n");
	map_release(&seen);
	strbuf_release(&out);
}

static void test_metrics_stay_lines_of_two_words(void **state)
{
	(void)state;
	for_each_hostile_name(check_metrics);
}

/* Names that differ in what no label can hold are two series all the same. */
static void test_no_two_benchmarks_share_a_label(void **state)
{
	struct result *result = fixture_many();
	struct result_benchmark *benchmarks;
	struct report_view *view = NULL;
	struct error err = {0};

	(void)state;
	benchmarks = arena_array(&result->arena, result->benchmark_count, sizeof(*benchmarks));
	memcpy(benchmarks, result->benchmarks, result->benchmark_count * sizeof(*benchmarks));
	benchmarks[0].name = "a b";
	benchmarks[1].name = "a#b";
	benchmarks[2].name = "a_b_2";
	benchmarks[3].name = "a?b";
	result->benchmarks = benchmarks;
	assert_int_equal(report_view_of(result, &view, &err), ERR_OK);
	check_metrics(view, "");
	report_view_free(view);
	fixture_free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sarif_stays_sarif),
		cmocka_unit_test(test_a_sarif_message_says_the_name_in_its_own_syntax),
		cmocka_unit_test(test_junit_stays_xml),
		cmocka_unit_test(test_code_quality_stays_json_with_paths),
		cmocka_unit_test(test_a_path_out_of_the_repository_is_no_place),
		cmocka_unit_test(test_long_names_and_stacks_stay_within_bounds),
		cmocka_unit_test(test_junits_times_are_decimal_numbers),
		cmocka_unit_test(test_metrics_stay_lines_of_two_words),
		cmocka_unit_test(test_no_two_benchmarks_share_a_label),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
