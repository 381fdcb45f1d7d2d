/* SPDX-License-Identifier: Apache-2.0 */
/* Which source a URL names, for which range, and what Parca is asked for. */
#include "tests/unit/baseline/parca_scene.h"

#include "baseline/source.h"
#include "gate/base/error.h"

#define NOW INT64_C(1790000000123000000)
#define TYPES                                                                                      \
	"{\"types\":[{\"name\":\"\\u001b[31mred\",\"sampleType\":\"\",\"sampleUnit\":\"\","        \
	"\"periodType\":\"\",\"periodUnit\":\"\"},{\"name\":\"memory\",\"sampleType\":\"inuse\","  \
	"\"sampleUnit\":\"bytes\","                                                                \
	"\"periodType\":\"space\",\"periodUnit\":\"bytes\",\"delta\":false}]}"

static struct store_lines notes;

/* Reads "SCHEME://the canned server/rest". */
static int ask(const char *scheme, const char *rest, const struct canned_answer *answers,
	size_t count, struct profile **out)
{
	const struct source_options options = {.now_ns = NOW};
	int rc;

	scene_start(answers, count);
	notes = (struct store_lines){.arena = ARENA_INIT};
	rc = source_read(
		arena_printf(&scene.arena, "%s://127.0.0.1:%u%s", scheme, canned.port, rest),
		&options, out, &notes, &scene.err);
	canned_stop();
	return rc;
}

static void done(struct profile *profile)
{
	profile_free(profile);
	store_lines_release(&notes);
	scene_stop();
}

static void refuse(const char *scheme, const char *rest, const char *text)
{
	const struct canned_answer never = {.status = 500};
	struct profile *profile = NULL;

	scene_expect(ask(scheme, rest, &never, 1, &profile), ERR_USAGE, text);
	assert_int_equal(canned.request_count, 0);
	done(profile);
}

static void test_any_scheme_is_a_url_and_a_path_is_none(void **state)
{
	(void)state;
	assert_true(source_is_url("parca://h?query=x"));
	assert_true(source_is_url("ftp://h/x"));
	assert_false(source_is_url("profiles/http:/x.pb.gz"));
	assert_false(source_is_url("cpu.pb.gz"));
}

static void test_only_known_schemes_are_sources(void **state)
{
	(void)state;
	refuse("ftp", "/heap", "\"ftp://\" is no source of profiles");
	refuse("parcass", "/heap", "is no source of profiles");
}

static void test_a_range_ends_now_and_begins_an_hour_before(void **state)
{
	char *json = pprof_json(9);
	const struct canned_answer answer = {.status = 200, .body = json};
	struct profile *profile;

	(void)state;
	scene_expect(ask("parca", "?query=t{a=%22b%22}", &answer, 1, &profile), ERR_OK, "");
	scene_asked(0, "merge.query=t%7Ba%3D%22b%22%7D&");
	scene_asked(0, "merge.start=2026-09-21T13%3A13%3A20.123Z");
	scene_asked(0, "merge.end=2026-09-21T14%3A13%3A20.123Z");
	assert_non_null(
		strstr(notes.items[0], "t{a=\"b\"}, merged from 2026-09-21T13:13:20.123Z to"));
	done(profile);
	free(json);
}

static void test_a_range_is_taken_from_the_url(void **state)
{
	char *json = pprof_json(9);
	const struct canned_answer answer = {.status = 200, .body = json};
	struct profile *profile;

	(void)state;
	scene_expect(ask("parca", "?query=t{}&from=now-2d&until=now-1d", &answer, 1, &profile),
		ERR_OK, "");
	scene_asked(0, "merge.start=2026-09-19T14%3A13%3A20.123Z");
	scene_asked(0, "merge.end=2026-09-20T14%3A13%3A20.123Z");
	done(profile);
	scene_expect(ask("parca", "?query=t{}&until=2026-01-01T00:00:00Z", &answer, 1, &profile),
		ERR_OK, "");
	scene_asked(0, "merge.start=2025-12-31T23%3A00%3A00.000Z");
	scene_asked(0, "merge.end=2026-01-01T00%3A00%3A00.000Z");
	done(profile);
	free(json);
}

static void test_a_range_that_makes_no_sense_is_refused(void **state)
{
	(void)state;
	refuse("parca", "?query=t{}&from=tomorrow", "from: \"tomorrow\" is no time");
	refuse("parca", "?query=t{}&until=x", "until: \"x\" is no time");
	refuse("parca", "?query=t{}&from=now", "the range is empty");
	refuse("parca", "?query=t{}&from=now&until=now-1h", "the range is empty");
}

static void test_credentials_with_control_characters_are_refused_unseen(void **state)
{
	(void)state;
	setenv("FLAMEGATE_TOKEN", "s3same\r\nX: y", 1);
	refuse("parca", "?query=t{}", "FLAMEGATE_TOKEN");
	assert_null(strstr(scene.err.message, "s3same"));
	unsetenv("FLAMEGATE_TOKEN");
}

/* ---- Parca ---- */

static void test_parca_needs_a_query_that_it_merges_rightly(void **state)
{
	(void)state;
	refuse("parca", "", "?query=TYPE{");
	refuse("parca", "?query=process_cpu:samples:count:cpu:nanoseconds:delta{}", "ask for");
	refuse("parca", "?query={}&type=process_cpu:samples:count:cpu:nanoseconds", "ask for");
	refuse("parca", "?query=t{}&type=u", "the type is given twice");
}

static void test_parca_is_asked_for_cpu_time_by_default(void **state)
{
	char *json = pprof_json(9);
	const struct canned_answer answer = {.status = 200, .body = json};
	struct profile *profile;

	(void)state;
	scene_expect(ask("parca", "?query={}", &answer, 1, &profile), ERR_OK, "");
	scene_asked(0, "merge.query=process_cpu%3Acpu%3Ananoseconds%3Acpu%3Ananoseconds%7B%7D");
	done(profile);
	scene_expect(ask("parca", "?query={}&type=a:b:c:d:e", &answer, 1, &profile), ERR_OK, "");
	scene_asked(0, "merge.query=a%3Ab%3Ac%3Ad%3Ae%7B%7D");
	done(profile);
	scene_expect(ask("parca", "?query=t", &answer, 1, &profile), ERR_OK, "");
	scene_asked(0, "merge.query=t%7B%7D");
	done(profile);
	free(json);
}

static void test_parca_is_asked_for_the_other_kind_of_type_where_there_is_nothing(void **state)
{
	char *nothing = pprof_json(0), *json = pprof_json(9);
	const struct canned_answer answers[] = {
		{.status = 200, .body = nothing}, {.status = 200, .body = json}};
	struct profile *profile;

	(void)state;
	scene_expect(ask("parca", "?query=t{}", answers, 2, &profile), ERR_OK, "");
	scene_asked(0, "merge.query=t%7B%7D");
	scene_asked(1, "merge.query=t%3Adelta%7B%7D");
	assert_non_null(strstr(notes.items[0], "t:delta{}"));
	done(profile);
	scene_expect(ask("parca", "?query=t:delta{}", answers, 2, &profile), ERR_OK, "");
	scene_asked(1, "merge.query=t%7B%7D");
	done(profile);
	free(nothing);
	free(json);
}

static void test_nothing_at_all_is_explained_by_the_types_that_there_are(void **state)
{
	char *nothing = pprof_json(0);
	const struct canned_answer answers[] = {{.status = 200, .body = nothing},
		{.status = 200, .body = nothing}, {.status = 200, .body = TYPES}};
	struct profile *profile = NULL;

	(void)state;
	scene_expect(ask("parca", "?query=t{}", answers, 3, &profile), ERR_NOT_FOUND,
		"nothing of t{} between 2026-09-21T13:13:20.123Z");
	assert_non_null(strstr(
		scene.err.message, "the server has red::::, memory:inuse:bytes:space:bytes"));
	assert_null(strchr(scene.err.message, 0x1b));
	assert_null(profile);
	done(profile);
	free(nothing);
}

static void test_a_prefix_of_the_path_is_kept(void **state)
{
	char *json = pprof_json(9);
	const struct canned_answer answer = {.status = 200, .body = json};
	struct profile *profile;

	(void)state;
	scene_expect(ask("parca", "/profiling/?query=t{}", &answer, 1, &profile), ERR_OK, "");
	scene_asked(0, "GET /profiling/api/profiles/query?");
	done(profile);
	free(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_scheme_is_a_url_and_a_path_is_none),
		cmocka_unit_test(test_only_known_schemes_are_sources),
		cmocka_unit_test(test_a_range_ends_now_and_begins_an_hour_before),
		cmocka_unit_test(test_a_range_is_taken_from_the_url),
		cmocka_unit_test(test_a_range_that_makes_no_sense_is_refused),
		cmocka_unit_test(test_credentials_with_control_characters_are_refused_unseen),
		cmocka_unit_test(test_parca_needs_a_query_that_it_merges_rightly),
		cmocka_unit_test(test_parca_is_asked_for_cpu_time_by_default),
		cmocka_unit_test(
			test_parca_is_asked_for_the_other_kind_of_type_where_there_is_nothing),
		cmocka_unit_test(test_nothing_at_all_is_explained_by_the_types_that_there_are),
		cmocka_unit_test(test_a_prefix_of_the_path_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
