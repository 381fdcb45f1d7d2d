/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of a Pyroscope server by selector, type and range; our own server or a real one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "baseline/source.h"
#include "gate/base/error.h"
#include "tests/unit/baseline/pyroscope_scene.h"

#define DAY_NS INT64_C(86400000000000)

struct reading {
	int rc;
	struct profile *profile;
	struct store_lines notes;
	struct error err;
};

/* "query=" is the whole service of the store, which holds just one recording. */
static struct reading read_url(
	const char *service, const char *parameters, const struct source_options *options)
{
	struct reading reading = {.err = {0, ""}};
	char url[1024];

	snprintf(url, sizeof(url), "pyroscope%s/?query={service_name=%%22%s%%22}%s", scene.url + 4,
		service, parameters);
	reading.rc = source_read(url, options, &reading.profile, &reading.notes, &reading.err);
	return reading;
}

static void release(struct reading *reading)
{
	profile_free(reading->profile);
	store_lines_release(&reading->notes);
}

static struct store *push(struct recording *recording, int64_t *pushed_ns)
{
	struct store *store = scene_open("");

	*recording =
		recordings_make(&(struct recordings_options){.seed = 1, .nodes = 10, .rounds = 2});
	*pushed_ns = instant_now();
	scene_must_put(store, recording);
	return store;
}

static int64_t total(const struct profile *profile, size_t type)
{
	int64_t sum = 0;

	for (size_t i = 0; i < profile->sample_count; i++)
		sum += profile->samples[i].values[type];
	return sum;
}

static bool notes_have(const struct store_lines *notes, const char *text)
{
	for (size_t i = 0; i < notes->count; i++)
		if (strstr(notes->items[i], text))
			return true;
	return false;
}

static void test_a_selector_gives_the_sum_of_what_it_matches(void **state)
{
	struct recording recording;
	int64_t pushed_ns;
	struct store *store = push(&recording, &pushed_ns);
	struct reading reading =
		read_url(scene_data(store)->service, "&from=now-10m&until=now", NULL);

	(void)state;
	assert_string_equal(reading.err.message, "");
	assert_int_equal(reading.profile->type_count, 1);
	assert_string_equal(reading.profile->types[0].type, "cpu");
	assert_string_equal(reading.profile->types[0].unit, "nanoseconds");
	assert_int_equal(total(reading.profile, 0), total(recording.profile, 1));
	assert_true(notes_have(&reading.notes, scene.url));
	assert_true(notes_have(&reading.notes, "1,000 frames"));
	release(&reading);
	reading = read_url(scene_data(store)->service,
		"&type=process_cpu:samples:count:cpu:nanoseconds", NULL);
	assert_int_equal(reading.rc, ERR_OK);
	assert_string_equal(reading.profile->types[0].unit, "count");
	assert_int_equal(total(reading.profile, 0), total(recording.profile, 0));
	release(&reading);
	store_close(store);
	recording_release(&recording);
}

static void test_a_range_of_days_is_asked_for_in_pieces_and_summed(void **state)
{
	struct recording recording;
	int64_t pushed_ns;
	struct store *store = push(&recording, &pushed_ns);
	struct reading reading =
		read_url(scene_data(store)->service, "&from=now-100h&until=now", NULL);

	(void)state;
	assert_string_equal(reading.err.message, "");
	assert_int_equal(total(reading.profile, 0), total(recording.profile, 1));
	assert_true(notes_have(&reading.notes, "5 pieces"));
	assert_int_equal(reading.profile->duration_ns, 100 * (DAY_NS / 24));
	release(&reading);
	store_close(store);
	recording_release(&recording);
}

/* The CPU time in two days around this border. */
static int64_t sum_around(const struct store *store, const char *selector, int64_t border_ns)
{
	struct pyroscope_range left = {border_ns - DAY_NS, border_ns + DAY_NS}, range;
	int64_t sum = 0;
	struct error err;

	while (pyroscope_next_range(&left, &range)) {
		struct profile *profile = NULL;

		assert_int_equal(pyroscope_profile(&scene_data(store)->server,
					 "process_cpu:cpu:nanoseconds:cpu:nanoseconds", selector,
					 range, &profile, &err),
			ERR_OK);
		sum += profile ? total(profile, 0) : 0;
		profile_free(profile);
	}
	return sum;
}

/* Borders are whole milliseconds, profiles are between them. */
static void test_a_profile_next_to_the_border_of_two_pieces_counts_once(void **state)
{
	struct recording recording;
	int64_t pushed_ns;
	struct store *store = push(&recording, &pushed_ns);
	struct strbuf selector = STRBUF_INIT;
	struct piece_list pieces = {.arena = ARENA_INIT};
	struct error err;

	(void)state;
	pyroscope_store_selector(scene_data(store), &selector);
	strbuf_addch(&selector, '}');
	assert_int_equal(
		pyroscope_store_gather(scene_data(store), selector.data, false, &pieces, &err), 0);
	pushed_ns = pieces.items[0].pushed_ns / 1000000 * 1000000;
	for (int64_t border = -2; border <= 2; border++)
		assert_int_equal(sum_around(store, selector.data, pushed_ns + border * 1000000),
			total(recording.profile, 1));
	strbuf_release(&selector);
	piece_list_release(&pieces);
	store_close(store);
	recording_release(&recording);
}

/* The server refuses 0 as a time. */
static void test_a_range_may_begin_in_1970(void **state)
{
	const struct pyroscope_range range = {0, DAY_NS};
	struct store *store = scene_open("");
	struct profile *profile = NULL;
	struct error err;

	(void)state;
	assert_int_equal(pyroscope_profile(&scene_data(store)->server,
				 "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
				 "{service_name=\"x\"}", range, &profile, &err),
		ERR_OK);
	assert_null(profile);
	store_close(store);
}

static void test_pieces_cover_a_range_without_gap_or_overlap(void **state)
{
	struct pyroscope_range left = {5, 5 + 2 * DAY_NS + 1}, range;

	(void)state;
	assert_true(pyroscope_next_range(&left, &range));
	assert_int_equal(range.until_ns, 5 + 2 * DAY_NS + 1);
	assert_int_equal(range.from_ns, 5 + DAY_NS + 1);
	assert_true(pyroscope_next_range(&left, &range));
	assert_int_equal(range.until_ns, 5 + DAY_NS + 1);
	assert_int_equal(range.from_ns, 6);
	assert_true(pyroscope_next_range(&left, &range));
	assert_int_equal(range.until_ns, 6);
	assert_int_equal(range.from_ns, 5);
	assert_false(pyroscope_next_range(&left, &range));
}

static void test_a_range_from_1970_is_refused_before_it_is_asked_for(void **state)
{
	struct reading reading = read_url("nobody", "&from=0", NULL);

	(void)state;
	assert_int_equal(reading.rc, ERR_USAGE);
	assert_non_null(strstr(reading.err.message, "a year"));
	release(&reading);
}

static void test_no_profile_of_a_type_names_the_types_there_are(void **state)
{
	struct recording recording;
	int64_t pushed_ns;
	struct store *store = push(&recording, &pushed_ns);
	struct reading reading = read_url(
		scene_data(store)->service, "&type=memory:alloc_space:bytes:space:bytes", NULL);

	(void)state;
	assert_int_equal(reading.rc, ERR_NOT_FOUND);
	assert_null(reading.profile);
	assert_non_null(strstr(reading.err.message, scene.url));
	assert_non_null(strstr(reading.err.message, "memory:alloc_space"));
	assert_non_null(strstr(reading.err.message, "process_cpu:samples:count:cpu:nanoseconds"));
	release(&reading);
	store_close(store);
	recording_release(&recording);
}

static void test_no_profile_of_a_selector_says_where_and_when_was_looked(void **state)
{
	struct source_options options = {.now_ns = instant_now()};
	struct reading reading = read_url("nobody-has-this", "&from=now-1h", &options);

	(void)state;
	assert_int_equal(reading.rc, ERR_NOT_FOUND);
	assert_non_null(strstr(reading.err.message, "nobody-has-this"));
	assert_non_null(strstr(reading.err.message, " from 2"));
	assert_non_null(strstr(reading.err.message, "service_name"));
	release(&reading);
}

/* Before the lookback the server answers as if there were nothing. */
static void test_a_range_before_the_lookback_is_empty_and_says_so(void **state)
{
	struct recording recording;
	int64_t pushed_ns;
	struct store *store = push(&recording, &pushed_ns);
	struct reading reading =
		read_url(scene_data(store)->service, "&from=now-30d&until=now-29d", NULL);

	(void)state;
	assert_int_equal(reading.rc, ERR_NOT_FOUND);
	assert_non_null(strstr(reading.err.message, "7 days"));
	release(&reading);
	store_close(store);
	recording_release(&recording);
}

static void test_what_the_server_cannot_parse_is_its_own_words(void **state)
{
	char url[512];
	struct profile *profile = NULL;
	struct error err;

	(void)state;
	snprintf(url, sizeof(url), "pyroscope%s?query={service_name=", scene.url + 4);
	assert_int_not_equal(source_read(url, NULL, &profile, NULL, &err), ERR_OK);
	assert_non_null(strstr(err.message, scene.url));
	assert_non_null(strstr(err.message, "selector"));
	assert_null(profile);
}

static void test_urls_that_ask_for_nothing_are_usage_errors(void **state)
{
	static const struct {
		const char *url, *text;
	} cases[] = {
		{"pyroscope://127.0.0.1:1", "query"},
		{"pyroscope://127.0.0.1:1?query=", "query"},
		{"pyroscope://127.0.0.1:1?query={}&type=cpu", "process_cpu:cpu"},
		{"pyroscope://127.0.0.1:1?query={}&type=a:b:c:d", "profile type"},
	};
	struct profile *profile = NULL;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(source_read(cases[i].url, NULL, &profile, NULL, &err), ERR_USAGE);
		assert_non_null(strstr(err.message, cases[i].text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_selector_gives_the_sum_of_what_it_matches),
		cmocka_unit_test(test_a_range_of_days_is_asked_for_in_pieces_and_summed),
		cmocka_unit_test(test_a_profile_next_to_the_border_of_two_pieces_counts_once),
		cmocka_unit_test(test_a_range_may_begin_in_1970),
		cmocka_unit_test(test_pieces_cover_a_range_without_gap_or_overlap),
		cmocka_unit_test(test_a_range_from_1970_is_refused_before_it_is_asked_for),
		cmocka_unit_test(test_no_profile_of_a_type_names_the_types_there_are),
		cmocka_unit_test(test_no_profile_of_a_selector_says_where_and_when_was_looked),
		cmocka_unit_test(test_a_range_before_the_lookback_is_empty_and_says_so),
		cmocka_unit_test(test_what_the_server_cannot_parse_is_its_own_words),
		cmocka_unit_test(test_urls_that_ask_for_nothing_are_usage_errors),
	};

	return cmocka_run_group_tests(tests, scene_start, scene_stop);
}
