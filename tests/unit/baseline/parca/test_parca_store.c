/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings on Parca: what goes wrong with them. How they come back:
 * tests/servers/test_parca.sh */
#include "gate/base/error.h"
#include "tests/unit/baseline/parca_scene.h"
#include "tests/unit/baseline/recordings.h"

#define TYPE(name, type, delta)                                                                    \
	"{\"name\":\"" name "\",\"sampleType\":\"" type "\",\"sampleUnit\":\"nanoseconds\","       \
	"\"periodType\":\"cpu\",\"periodUnit\":\"nanoseconds\",\"delta\":" delta "}"
#define NO_TYPES "{\"types\":[]}"
#define CPU_TYPE "{\"types\":[" TYPE("process_cpu", "cpu", "true") "]}"
#define NO_SERIES "{\"series\":[]}"
#define COMMIT "0123456789012345678901234567890123456789"

#define OK(text)                                                                                   \
	{                                                                                          \
		.status = 200, .body = text                                                        \
	}

static struct store *open_store(const struct canned_answer *answers, size_t count)
{
	struct store *store;

	scene_start(answers, count);
	assert_int_equal(store_open(arena_printf(&scene.arena, "parca://127.0.0.1:%u", canned.port),
				 &(struct store_options){0}, &store, &scene.err),
		ERR_OK);
	return store;
}

static int put(const struct canned_answer *answers, size_t count, const struct recording *recording)
{
	struct store *store = open_store(answers, count);
	unsigned attempts = 0;
	int rc = store_put(store, &recording, 1, &attempts, &scene.err);

	store_close(store);
	canned_stop();
	return rc;
}

static struct recording two_rounds(void)
{
	const struct recordings_options options = {
		.seed = 3, .rounds = 2, .nodes = 8, .round_seconds = 0.05};

	return recordings_make(&options);
}

static void test_each_round_is_pushed_once_with_its_labels(void **state)
{
	const struct canned_answer answers[] = {OK(NO_TYPES), OK("{}"), OK("{}"), OK(NO_TYPES)};
	struct recording recording = two_rounds();

	(void)state;
	scene_expect(put(answers, 4, &recording), ERR_TOOL, "does not have all of it");
	assert_int_equal(canned.request_count, 4);
	for (size_t i = 1; i <= 2; i++) {
		scene_asked(i, "POST /api/profiles/writeraw");
		scene_asked(i, "{\"name\":\"__name__\",\"value\":\"process_cpu\"}");
		scene_asked(i, "{\"name\":\"benchmark\",\"value\":\"parse\"}");
		scene_asked(i, "{\"name\":\"rounds\",\"value\":\"2\"}");
	}
	scene_asked(1, "{\"name\":\"round\",\"value\":\"0\"}");
	scene_asked(1, "\"meta_0\"");
	scene_asked(2, "{\"name\":\"round\",\"value\":\"1\"}");
	assert_null(strstr(canned.requests[2].data, "\"meta_0\""));
	recording_release(&recording);
	scene_stop();
}

static void test_a_push_ends_with_the_first_refusal(void **state)
{
	const struct canned_answer answers[] = {
		OK(NO_TYPES), {.status = 500, .body = "{}"}, OK("{}"), OK("{}")};
	struct recording recording = two_rounds();

	(void)state;
	scene_expect(put(answers, 4, &recording), ERR_TOOL, "500");
	assert_int_equal(canned.request_count, 2);
	recording_release(&recording);
	scene_stop();
}

static void test_nothing_is_sent_of_what_cannot_all_be_sent(void **state)
{
	const struct canned_answer answers[] = {OK(NO_TYPES), OK("{}"), OK("{}"), OK(NO_TYPES)};
	struct recording recording = two_rounds();
	struct profile_sample *last;

	(void)state;
	recording.profile->types[2].unit = profile_intern(recording.profile, "a/b");
	scene_expect(put(answers, 4, &recording), ERR_USAGE, "a/b");
	assert_int_equal(canned.request_count, 0);
	recording_release(&recording);
	scene_stop();

	recording = two_rounds();
	last = &recording.profile->samples[recording.profile->sample_count - 1];
	((int64_t *)last->values)[2] = -1;
	scene_expect(put(answers, 4, &recording), ERR_MEASURE, "negative");
	assert_int_equal(canned.request_count, 0);
	recording_release(&recording);
	scene_stop();
}

static void test_only_types_of_recordings_are_asked_for(void **state)
{
	const struct canned_answer answers[] = {
		OK("{\"types\":[" TYPE("process_cpu", "samples", "true") "," TYPE("process_cpu",
			"cpu", "false") "," TYPE("memory", "inuse", "true") "," TYPE("instructions",
			"instructions", "true") "," TYPE("process_cpu", "cpu", "true") "]}"),
		OK(NO_SERIES), OK(NO_SERIES)};
	struct store *store = open_store(answers, 3);
	struct baseline_list list;

	(void)state;
	scene_expect(store_list(store, COMMIT, true, &list, &scene.err), ERR_OK, "");
	canned_stop();
	assert_int_equal(canned.request_count, 3);
	scene_asked(
		1, "query=instructions%3Ainstructions%3Ananoseconds%3Acpu%3Ananoseconds%3Adelta");
	scene_asked(1, "commit%3D%22" COMMIT "%22");
	scene_asked(1, "sumBy=recording");
	scene_asked(2, "query=process_cpu%3Acpu%3Ananoseconds%3Acpu%3Ananoseconds%3Adelta");
	assert_int_equal(list.count, 0);
	baseline_list_release(&list);
	store_close(store);
	scene_stop();
}

/* They would become part of an address, and the end of it a usage error. */
static void test_types_with_odd_units_are_none_of_ours(void **state)
{
	const struct canned_answer answers[] = {
		OK("{\"types\":[{\"name\":\"process_cpu\",\"sampleType\":\"cpu\",\"sampleUnit\":"
		   "\"nano\\u001bseconds\",\"periodType\":\"cpu\",\"periodUnit\":\"nanoseconds\","
		   "\"delta\":true}]}"),
		OK(NO_SERIES)};
	struct store *store = open_store(answers, 2);
	struct baseline_list list;

	(void)state;
	scene_expect(store_list(store, NULL, false, &list, &scene.err), ERR_OK, "");
	assert_int_equal(list.count, 0);
	baseline_list_release(&list);
	store_close(store);
	assert_int_equal(canned_stop(), 1);
	scene_stop();
}

/* Whoever answers must not keep us asking. */
static void test_a_server_of_endless_types_is_asked_for_few(void **state)
{
	struct strbuf types = STRBUF_INIT;
	struct canned_answer answers[CANNED_MAX];
	struct store *store;
	struct baseline_list list;

	(void)state;
	strbuf_addstr(&types, "{\"types\":[" TYPE("process_cpu", "cpu", "true"));
	for (size_t i = 0; i < 100; i++)
		strbuf_addstr(&types, "," TYPE("process_cpu", "cpu", "true"));
	strbuf_addstr(&types, "]}");
	for (size_t i = 0; i < CANNED_MAX; i++)
		answers[i] = (struct canned_answer)OK(NO_SERIES);
	answers[0].body = types.data;
	store = open_store(answers, CANNED_MAX);
	scene_expect(store_list(store, NULL, false, &list, &scene.err), ERR_CORRUPT,
		"more than 64 of recordings");
	store_close(store);
	assert_int_equal(canned_stop(), 65);
	strbuf_release(&types);
	scene_stop();
}

static void test_series_of_others_are_passed_over_with_a_warning(void **state)
{
	const struct canned_answer answers[] = {OK(CPU_TYPE),
		OK("{\"series\":[{\"labelset\":{\"labels\":[{\"name\":\"recording\",\"value\":"
		   "\"x\"}]}},{\"labelset\":{}}]}")};
	struct store *store = open_store(answers, 2);
	struct baseline_list list;

	(void)state;
	scene_expect(store_list(store, NULL, false, &list, &scene.err), ERR_OK, "");
	canned_stop();
	scene_asked(1, "recording%21%3D%22%22");
	assert_int_equal(list.count, 0);
	assert_int_equal(store_warnings(store)->count, 1);
	assert_non_null(strstr(store_warnings(store)->items[0], "passed over 2 series"));
	baseline_list_release(&list);
	store_close(store);
	scene_stop();
}

/* So Parca says that nothing matches. */
static void test_404_is_an_empty_list(void **state)
{
	const struct canned_answer answers[] = {OK(CPU_TYPE),
		{.status = 404, .type = "text/plain", .body = "404 page not found\n"}};
	struct store *store = open_store(answers, 2);
	struct baseline_list list;

	(void)state;
	scene_expect(store_list(store, NULL, false, &list, &scene.err), ERR_OK, "");
	canned_stop();
	assert_int_equal(list.count, 0);
	baseline_list_release(&list);
	store_close(store);
	scene_stop();
}

static void test_broken_lists_are_errors(void **state)
{
	static const struct canned_answer broken[][2] = {
		{OK("{}"), {.status = 500}},
		{OK("{\"types\":[{}]}"), {.status = 500}},
		{OK("{\"types\":[{\"name\":1}]}"), {.status = 500}},
		{OK(CPU_TYPE), OK("{}")},
		{OK(CPU_TYPE), OK("{\"series\":[{\"labelset\":{\"labels\":[{\"name\":\"a\"}]}}]}")},
		{OK(CPU_TYPE), OK("{\"series\":7}")},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		struct store *store = open_store(broken[i], 2);
		struct baseline_list list;

		scene_expect(store_list(store, NULL, false, &list, &scene.err), ERR_CORRUPT, "");
		canned_stop();
		store_close(store);
		scene_stop();
	}
}

static void test_a_label_more_than_was_asked_for_is_refused(void **state)
{
	struct strbuf series = STRBUF_INIT;
	struct canned_answer answers[] = {OK(CPU_TYPE), {.status = 200}};
	struct baseline_list list;
	struct store *store;

	(void)state;
	strbuf_addstr(&series, "{\"series\":[{\"labelset\":{\"labels\":[");
	for (int i = 0; i <= LABELS_MAX; i++)
		strbuf_addf(&series, "%s{\"name\":\"l%d\",\"value\":\"v\"}", i ? "," : "", i);
	strbuf_addstr(&series, "]}}]}");
	answers[1].body = series.data;
	store = open_store(answers, 2);
	scene_expect(store_list(store, NULL, false, &list, &scene.err), ERR_CORRUPT, "more labels");
	canned_stop();
	store_close(store);
	scene_stop();
	strbuf_release(&series);
}

static void test_commits_are_found_by_one_question(void **state)
{
	const struct canned_answer answer = OK("{\"labelValues\":[\"" COMMIT "\",\"x\"]}");
	const char *const commits[] = {"ffffffffffffffffffffffffffffffffffffffff", COMMIT};
	struct store *store = open_store(&answer, 1);
	bool found[2] = {true, false};

	(void)state;
	scene_expect(store_find(store, commits, 2, found, &scene.err), ERR_OK, "");
	canned_stop();
	scene_asked(0, "GET /api/profiles/labels/commit/values");
	assert_false(found[0]);
	assert_true(found[1]);
	store_close(store);
	scene_stop();
}

static void test_a_recording_that_is_not_there_is_named(void **state)
{
	const struct canned_answer answers[] = {OK(CPU_TYPE), OK(NO_SERIES)};
	const struct baseline_key key = {COMMIT, "parse", "cpu", NULL};
	struct store *store = open_store(answers, 2);
	enum baseline_detail detail;
	struct recording recording;

	(void)state;
	scene_expect(store_get(store, &key, &recording, &detail, &scene.err), ERR_NOT_FOUND,
		"no recording of parse (cpu) for commit 012345678901");
	canned_stop();
	scene_asked(1, "sumBy=meta_3");
	store_close(store);
	scene_stop();
}

static void test_a_store_takes_no_parameters(void **state)
{
	struct store *store = NULL;
	struct error err;

	(void)state;
	assert_int_equal(store_open("parca://h?query=x", &(struct store_options){0}, &store, &err),
		ERR_USAGE);
	assert_non_null(strstr(err.message, "\"query\""));
	assert_null(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_round_is_pushed_once_with_its_labels),
		cmocka_unit_test(test_a_push_ends_with_the_first_refusal),
		cmocka_unit_test(test_nothing_is_sent_of_what_cannot_all_be_sent),
		cmocka_unit_test(test_only_types_of_recordings_are_asked_for),
		cmocka_unit_test(test_types_with_odd_units_are_none_of_ours),
		cmocka_unit_test(test_a_server_of_endless_types_is_asked_for_few),
		cmocka_unit_test(test_series_of_others_are_passed_over_with_a_warning),
		cmocka_unit_test(test_404_is_an_empty_list),
		cmocka_unit_test(test_broken_lists_are_errors),
		cmocka_unit_test(test_a_label_more_than_was_asked_for_is_refused),
		cmocka_unit_test(test_commits_are_found_by_one_question),
		cmocka_unit_test(test_a_recording_that_is_not_there_is_named),
		cmocka_unit_test(test_a_store_takes_no_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
