/* SPDX-License-Identifier: Apache-2.0 */
/* A recording back from Parca: what was pushed is kept, and handed out as Parca would. */
#include "gate/base/error.h"
#include "tests/unit/baseline/parca_scene.h"
#include "tests/unit/baseline/recordings.h"

#define CPU_TYPE                                                                                   \
	"{\"types\":[{\"name\":\"process_cpu\",\"sampleType\":\"cpu\",\"sampleUnit\":"             \
	"\"nanoseconds\",\"periodType\":\"cpu\",\"periodUnit\":\"nanoseconds\",\"delta\":true}]}"
#define COLUMNS 3
#define ANSWERS (2 + COLUMNS)

/* Of one push of one round. */
static struct {
	struct recording recording;
	struct baseline_key key;
	struct strbuf series;   /* the answer to query_range */
	char *columns[COLUMNS]; /* the answers to query */
	char pushed[64];        /* the label */
	struct canned_answer answers[ANSWERS];
} kept;

static void keep_labels(const struct json *labels)
{
	struct json_writer writer;

	strbuf_init(&kept.series);
	json_writer_init(&writer, &kept.series, 0);
	json_object_begin(&writer);
	json_member_array(&writer, "series");
	json_object_begin(&writer);
	json_member_object(&writer, "labelset");
	json_member_array(&writer, "labels");
	for (const struct json *label = json_first(labels); label; label = json_next(label)) {
		const char *name, *value;

		assert_int_equal(json_get_string(label, "name", &name, NULL), ERR_OK);
		assert_int_equal(json_get_string(label, "value", &value, NULL), ERR_OK);
		if (strcmp(name, "pushed") == 0)
			snprintf(kept.pushed, sizeof(kept.pushed), "%s", value);
		if (strcmp(name, "__name__") == 0)
			continue;
		json_object_begin(&writer);
		json_member_string(&writer, "name", name);
		json_member_string(&writer, "value", value);
		json_object_end(&writer);
	}
	json_array_end(&writer);
	json_object_end(&writer);
	json_object_end(&writer);
	json_array_end(&writer);
	json_object_end(&writer);
}

/* The profile with one of its value types alone, as Parca answers. */
static char *column_json(const struct profile *profile, size_t column)
{
	struct profile one = *profile;
	struct strbuf pprof = STRBUF_INIT, out = STRBUF_INIT;
	struct profile_sample *samples = calloc(profile->sample_count, sizeof(*samples));

	for (size_t i = 0; i < profile->sample_count; i++) {
		samples[i] = profile->samples[i];
		samples[i].values += column;
	}
	one.types += column;
	one.type_count = 1;
	one.default_type = 0;
	one.samples = samples;
	assert_int_equal(pprof_encode(&one, &pprof, NULL), ERR_OK);
	strbuf_addstr(&out, "{\"pprof\":\"");
	base64_encode(pprof.data, pprof.length, &out);
	strbuf_addstr(&out, "\"}");
	strbuf_release(&pprof);
	free(samples);
	return strbuf_detach(&out, NULL);
}

static void keep_columns(const char *raw)
{
	struct strbuf pprof = STRBUF_INIT;
	struct profile *profile;

	assert_int_equal(base64_decode(raw, strlen(raw), &pprof, NULL), ERR_OK);
	assert_int_equal(pprof_decode(pprof.data, pprof.length, NULL, &profile, NULL), ERR_OK);
	assert_int_equal(profile->type_count, COLUMNS);
	for (size_t i = 0; i < COLUMNS; i++)
		kept.columns[i] = column_json(profile, i);
	profile_free(profile);
	strbuf_release(&pprof);
}

static void keep_request(const char *request)
{
	const char *body = strstr(request, "\r\n\r\n") + 4, *raw;
	const struct json *series;
	struct json *root;

	assert_int_equal(json_parse(body, strlen(body), "push", NULL, &root, NULL), ERR_OK);
	series = json_at(json_get(root, "series"), 0);
	keep_labels(json_get(json_get(series, "labels"), "labels"));
	assert_int_equal(
		json_get_string(json_at(json_get(series, "samples"), 0), "rawProfile", &raw, NULL),
		ERR_OK);
	keep_columns(raw);
	json_free(root);
}

static struct store *open_store(void)
{
	struct store *store;

	assert_int_equal(store_open(arena_printf(&scene.arena, "parca://127.0.0.1:%u", canned.port),
				 &(struct store_options){0}, &store, NULL),
		ERR_OK);
	return store;
}

static int push_and_keep(void **state)
{
	const struct canned_answer answers[] = {{.status = 200, .body = "{\"types\":[]}"},
		{.status = 200, .body = "{}"}, {.status = 200, .body = "{\"types\":[]}"}};
	const struct recordings_options options = {.seed = 5, .rounds = 1, .nodes = 12};
	const struct recording *recording = &kept.recording;
	struct store *store;

	(void)state;
	kept.recording = recordings_make(&options);
	scene_start(answers, 3);
	store = open_store();
	/* It does not find its recording again; what it sent is all we want. */
	assert_int_equal(store_put(store, &recording, 1, NULL, NULL), ERR_TOOL);
	canned_stop();
	keep_request(canned.requests[1].data);
	store_close(store);
	scene_stop();
	kept.key = (struct baseline_key){recording->commit, recording->benchmark, "cpu",
		recording_environment(recording, &kept.recording.arena)};
	kept.answers[0] = (struct canned_answer){.status = 200, .body = CPU_TYPE};
	kept.answers[1] = (struct canned_answer){.status = 200, .body = kept.series.data};
	for (size_t i = 0; i < COLUMNS; i++)
		kept.answers[2 + i] =
			(struct canned_answer){.status = 200, .body = kept.columns[i]};
	return 0;
}

static int forget(void **state)
{
	(void)state;
	recording_release(&kept.recording);
	strbuf_release(&kept.series);
	for (size_t i = 0; i < COLUMNS; i++)
		free(kept.columns[i]);
	return 0;
}

/* With these answers; the recording is released again. */
static int get(const struct canned_answer *answers, const struct baseline_key *key)
{
	enum baseline_detail detail = BASELINE_EXACT;
	struct recording recording;
	struct store *store;
	int rc;

	scene_start(answers, ANSWERS);
	store = open_store();
	rc = store_get(store, key, &recording, &detail, &scene.err);
	canned_stop();
	if (!rc) {
		assert_int_equal(detail, BASELINE_SERVER);
		assert_int_equal(recording.round_count, 1);
		assert_memory_equal(
			recording.rounds, kept.recording.rounds, sizeof(*recording.rounds));
		assert_int_equal(recording.profile->type_count, COLUMNS);
		assert_int_equal(recording.profile->default_type, 1);
		recording_release(&recording);
	}
	store_close(store);
	return rc;
}

static void test_a_recording_is_put_together_from_its_columns(void **state)
{
	(void)state;
	scene_expect(get(kept.answers, &kept.key), ERR_OK, "");
	assert_int_equal(canned.request_count, ANSWERS);
	scene_asked(1, "environment%3D%22");
	scene_asked(1, "benchmark%3D%22parse%22");
	scene_asked(2,
		"query=process_cpu%3Asamples%3Acount%3Acpu%3Ananoseconds%3Adelta%7Brecording%3D");
	scene_asked(3, "query=process_cpu%3Acpu%3Ananoseconds%3Acpu%3Ananoseconds%3Adelta%7B");
	scene_asked(
		4, "query=process_cpu%3Acpu_squares%3Amicroseconds_squared%3Acpu%3Ananoseconds");
	scene_asked(4, "round%3D%220%22%2Cpart%3D%220%22%7D");
	scene_stop();
}

static void test_each_column_is_asked_for_at_the_millisecond_of_the_push(void **state)
{
	int64_t ns = strtoll(kept.pushed, NULL, 10);
	char fraction[32];

	(void)state;
	assert_int_equal(ns % 1000000, 0);
	snprintf(fraction, sizeof(fraction), ".%03dZ ", (int)(ns / 1000000 % 1000));
	scene_expect(get(kept.answers, &kept.key), ERR_OK, "");
	for (size_t i = 2; i < ANSWERS; i++) {
		scene_asked(i, "mode=MODE_SINGLE_UNSPECIFIED");
		scene_asked(i, fraction);
	}
	scene_stop();
}

static void test_any_environment_will_do_where_none_is_named(void **state)
{
	struct baseline_key key = kept.key;

	(void)state;
	key.environment = NULL;
	scene_expect(get(kept.answers, &key), ERR_OK, "");
	assert_null(strstr(canned.requests[1].data, "environment%3D%22"));
	scene_stop();
}

/* The series with another value of a label whose value is before; free() it. */
static char *series_with(const char *label, const char *before, const char *after)
{
	char *from = arena_printf(
		&kept.recording.arena, "{\"name\":\"%s\",\"value\":\"%s\"}", label, before);
	const char *at = strstr(kept.series.data, from);
	struct strbuf out = STRBUF_INIT;

	assert_non_null(at);
	strbuf_add(&out, kept.series.data, (size_t)(at - kept.series.data));
	strbuf_addf(&out, "{\"name\":\"%s\",\"value\":\"%s\"}%s", label, after, at + strlen(from));
	return strbuf_detach(&out, NULL);
}

static void test_a_recording_with_a_round_missing_is_none(void **state)
{
	struct canned_answer answers[ANSWERS];
	char *two = series_with("rounds", "1", "2");

	(void)state;
	memcpy(answers, kept.answers, sizeof(answers));
	answers[1].body = two;
	scene_expect(get(answers, &kept.key), ERR_NOT_FOUND, "no recording");
	assert_int_equal(canned.request_count, 2);
	scene_stop();
	free(two);
}

static int64_t kept_sum(void)
{
	int64_t sum = 0;

	for (size_t i = 0; i < kept.recording.profile->sample_count; i++)
		sum += kept.recording.profile->samples[i].values[1];
	return sum;
}

static char *values_json(int64_t sum)
{
	return arena_printf(&kept.recording.arena,
		"{\"series\":[{\"samples\":[{\"value\":\"%lld\"}]}]}", (long long)sum);
}

/* Is a recording pushed where the server has this series already, with this value in all? */
static bool is_pushed(const char *series, int64_t sum)
{
	const struct canned_answer answers[] = {{.status = 200, .body = CPU_TYPE},
		{.status = 200, .body = series}, {.status = 200, .body = CPU_TYPE},
		{.status = 200, .body = values_json(sum)}, {.status = 200, .body = "{}"}};
	const struct recording *recording = &kept.recording;
	bool pushed = false;
	struct store *store;
	int rc;

	scene_start(answers, 5);
	store = open_store();
	rc = store_put(store, &recording, 1, NULL, &scene.err);
	canned_stop();
	for (size_t i = 0; i < canned.request_count; i++)
		pushed |= strstr(canned.requests[i].data, "writeraw") != NULL;
	assert_int_equal(rc == ERR_OK, !pushed); /* no more answers: it cannot be found again */
	store_close(store);
	scene_stop();
	return pushed;
}

static void test_what_is_there_is_not_pushed_again(void **state)
{
	char *broken = series_with("rounds", "1", "2");
	char *time = arena_printf(&kept.recording.arena, "%lld", (long long)kept.recording.time_ns);
	char *older = series_with("recorded", time, "1"), *newer, *future;

	(void)state;
	newer = series_with("recorded", time,
		arena_printf(&kept.recording.arena, "%lld", (long long)kept.recording.time_ns + 1));
	future = series_with("recorded", time, "9000000000000000000");
	assert_false(is_pushed(kept.series.data, kept_sum()));
	assert_false(is_pushed(newer, kept_sum()));
	assert_true(is_pushed(kept.series.data, 2 * kept_sum()));
	assert_true(is_pushed(future, kept_sum()));
	assert_true(is_pushed(broken, kept_sum()));
	assert_true(is_pushed(older, kept_sum()));
	free(broken);
	free(older);
	free(newer);
	free(future);
}

/* What comes of a push after which the server has this series, with this value in all. */
static int push_arrives(const char *series, int64_t sum)
{
	char *values = values_json(sum);
	const struct canned_answer answers[] = {{.status = 200, .body = "{\"types\":[]}"},
		{.status = 200, .body = "{}"}, {.status = 200, .body = CPU_TYPE},
		{.status = 200, .body = series}, {.status = 200, .body = values}};
	const struct recording *recording = &kept.recording;
	unsigned attempts = 0;
	struct store *store;
	int rc;

	scene_start(answers, 5);
	store = open_store();
	rc = store_put(store, &recording, 1, &attempts, &scene.err);
	canned_stop();
	assert_int_equal(canned.request_count, 5);
	scene_asked(3, "recording%3D%22");
	assert_null(strstr(canned.requests[4].data, "sumBy"));
	assert_int_equal(attempts, rc ? 0 : 1);
	store_close(store);
	scene_stop();
	return rc;
}

static void test_what_has_arrived_is_added_up(void **state)
{
	int64_t sum = kept_sum();

	(void)state;
	scene_expect(push_arrives(kept.series.data, sum), ERR_OK, "");
	scene_expect(push_arrives(kept.series.data, 2 * sum), ERR_TOOL, "repeat requests");
	scene_expect(push_arrives(kept.series.data, sum - 1), ERR_TOOL, "instead of");
	assert_null(strstr(scene.err.message, "repeat requests"));
}

static void test_what_was_not_asked_for_is_not_believed(void **state)
{
	struct baseline_key key = kept.key;

	(void)state;
	key.environment = "0000000000000000";
	scene_expect(get(kept.answers, &key), ERR_NOT_FOUND, "no recording");
	scene_stop();
	key = kept.key;
	key.benchmark = "other";
	scene_expect(get(kept.answers, &key), ERR_NOT_FOUND, "no recording of other");
	scene_stop();
}

static void test_another_value_type_is_not_taken_for_a_column(void **state)
{
	struct canned_answer answers[ANSWERS];

	(void)state;
	memcpy(answers, kept.answers, sizeof(answers));
	answers[2].body = kept.columns[1]; /* as a merge answers samples:count */
	scene_expect(get(answers, &kept.key), ERR_CORRUPT, "another value type than samples/count");
	scene_stop();
}

static void test_a_column_that_is_gone_makes_no_recording(void **state)
{
	struct canned_answer answers[ANSWERS];
	int rc;

	(void)state;
	memcpy(answers, kept.answers, sizeof(answers));
	answers[3] = (struct canned_answer){.status = 404, .type = "text/plain", .body = "no"};
	rc = get(answers, &kept.key);
	assert_true(rc == ERR_CORRUPT || rc == ERR_MEASURE);
	scene_stop();
}

static void test_a_server_that_fails_in_the_middle_is_an_error(void **state)
{
	struct canned_answer answers[ANSWERS];

	(void)state;
	memcpy(answers, kept.answers, sizeof(answers));
	answers[4] = (struct canned_answer){.status = 500, .body = "{}"};
	scene_expect(get(answers, &kept.key), ERR_TOOL, "500");
	scene_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_recording_is_put_together_from_its_columns),
		cmocka_unit_test(test_each_column_is_asked_for_at_the_millisecond_of_the_push),
		cmocka_unit_test(test_any_environment_will_do_where_none_is_named),
		cmocka_unit_test(test_a_recording_with_a_round_missing_is_none),
		cmocka_unit_test(test_what_is_there_is_not_pushed_again),
		cmocka_unit_test(test_what_has_arrived_is_added_up),
		cmocka_unit_test(test_what_was_not_asked_for_is_not_believed),
		cmocka_unit_test(test_another_value_type_is_not_taken_for_a_column),
		cmocka_unit_test(test_a_column_that_is_gone_makes_no_recording),
		cmocka_unit_test(test_a_server_that_fails_in_the_middle_is_an_error),
	};

	return cmocka_run_group_tests(tests, push_and_keep, forget);
}
