/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in a line may have been written by anybody. */
#include "gate/base/error.h"
#include "tests/unit/baseline/lines.h"

struct sound {
	char *commit;
	struct strbuf tree, summary;
};

static int begin(void **state)
{
	static const struct recordings_options options = {.seed = 1, .nodes = 30};
	struct recording recording = recordings_make(&options);
	struct sound *sound = calloc(1, sizeof(*sound));

	sound->commit = xstrdup(recording.commit);
	strbuf_init(&sound->tree);
	strbuf_init(&sound->summary);
	lines_add(&sound->tree, &recording, BASELINE_TREE);
	lines_add(&sound->summary, &recording, BASELINE_SUMMARY);
	recording_release(&recording);
	*state = sound;
	return 0;
}

static int end(void **state)
{
	struct sound *sound = *state;

	strbuf_release(&sound->tree);
	strbuf_release(&sound->summary);
	free(sound->commit);
	free(sound);
	return 0;
}

struct edit {
	const char *from, *to;
	int code;
	const char *message;
};

static void check_edits(
	const struct strbuf *line, const char *commit, const struct edit *edits, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct strbuf text = STRBUF_INIT;
		struct error err = {0};
		int rc;

		lines_edit(&text, line->data, edits[i].from, edits[i].to);
		rc = lines_decode(&text, commit, &err);
		if (rc != edits[i].code)
			fail_msg("%s gave %d: %s", edits[i].to, rc, err.message);
		assert_int_equal(err.code, rc);
		assert_contains(err.message, edits[i].message);
		strbuf_release(&text);
	}
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_heads_that_lie_are_refused(void **state)
{
	static const struct edit edits[] = {
		{"\"detail\":\"tree\"", "\"detail\":\"summary\"", ERR_CORRUPT, "payload"},
		{"\"detail\":\"tree\"", "\"detail\":\"exact\"", ERR_CORRUPT, "detail"},
		{"\"detail\":\"tree\"", "\"retail\":\"tree\"", ERR_CORRUPT, "detail"},
		{"\"environment\":\"1", "\"environment\":\"2", ERR_CORRUPT, "fingerprint"},
		{"\"kernel\":\"", "\"kernel\":\"x", ERR_CORRUPT, "fingerprint"},
		{"\"commit\":\"", "\"commit\":\"\\u001b[31m", ERR_CORRUPT, "full commit id"},
		{"\"benchmark\":\"parse\"", "\"benchmark\":\"\"", ERR_CORRUPT, "benchmark"},
		{"\"benchmark\":\"parse\"", "\"benchmark\":7", ERR_CORRUPT, "benchmark"},
		{"\"profile_type\":\"cpu\"", "\"profile_type\":\"../x\"", ERR_CORRUPT,
			"profile_type"},
		{"\"role\":\"record\"", "\"role\":\"/etc\"", ERR_CORRUPT, "role"},
		{"\"time_ns\":\"1", "\"time_ns\":\"-1", ERR_CORRUPT, "1970"},
		{"\"rounds\":4", "\"rounds\":5", ERR_CORRUPT, "differ"},
		{"\"rounds\":4", "\"rounds\":0", ERR_CORRUPT, "rounds"},
		{"\"rounds\":4", "\"rounds\":1000000", ERR_CORRUPT, "rounds"},
		{"\"rounds\":4", "\"rounds\":4.5", ERR_CORRUPT, "rounds"},
		{"\"quantum\":1", "\"quantum\":2", ERR_CORRUPT, "differ"},
		{"\"quantum\":1", "\"quantum\":-1", ERR_CORRUPT, "quantum"},
		{"\"quantum\":1", "\"quantum\":\"900000000000000", ERR_CORRUPT, ""},
		{"\"cpu\":[1", "\"cpu\":[2", ERR_CORRUPT, "differ"},
		{"\"cpu\":[1", "\"cpu\":[-1", ERR_CORRUPT, "cpu[0]"},
		{"\"cpu\":[1", "\"cpu\":[0,1", ERR_CORRUPT, "cpu"},
		{"\"cost\":[", "\"cost\":[1e300,", ERR_CORRUPT, "cost"},
		{"\"cost\":[1", "\"cost\":[3", ERR_CORRUPT, "differ"},
		{"\"unit\":\"nano", "\"unit\":1,\"x\":\"nano", ERR_CORRUPT, "unit"},
		{"\"unit\":\"nano",
			"\"unit\":\"0123456789012345678901234567890123456789012345678901234567890"
			"123456789",
			ERR_CORRUPT, "unit"},
		{"\"sha256\":\"", "\"sha256\":\"0", ERR_CORRUPT, "payload"},
		{"\"sha256\"", "\"sha257\"", ERR_CORRUPT, "sha256"},
		{"\"sha256\"", "\"rounds\":4,\"sha256\"", ERR_CORRUPT, "twice"},
		{"\"machine\":", "\"libc\":\"\",\"machine\":", ERR_CORRUPT, "twice"},
		{"\"warnings\":[]", "\"warnings\":[[[[[[[[[[]]]]]]]]]]", ERR_LIMIT, ""},
		{"\"warnings\":[]", "\"warnings\":[\"\\u0000\"]", ERR_CORRUPT, ""},
		{"\"warnings\":[]", "\"warnings\":[\"\xff\"]", ERR_CORRUPT, ""},
		{"} H4s", "} {} H4s", ERR_CORRUPT, ""},
		{"} H4s", "} H4s=", ERR_CORRUPT, ""},
		{"} H4s", "}H4s", ERR_CORRUPT, ""},
		{"} H4s", "}  H4s", ERR_CORRUPT, ""},
		{"} H4s", "} I4s", ERR_CORRUPT, "payload"},
	};
	const struct sound *sound = *state;

	check_edits(&sound->tree, sound->commit, edits, COUNT(edits));
}

static void test_summaries_that_lie_are_refused(void **state)
{
	static const struct edit edits[] = {
		{"\"detail\":\"summary\"", "\"detail\":\"tree\"", ERR_CORRUPT, "payload"},
		{"\"functions\":[", "\"functions\":[7,", ERR_CORRUPT, "functions[0]"},
		{"\"functions\":[[", "\"functions\":[[\"f\"],[", ERR_CORRUPT, "6 elements"},
		{"\"functions\":[", "\"functions\":[[\"f\",\"\",\"\",1,-1,0],", ERR_CORRUPT,
			"functions[0][4]"},
		{"\"functions\":[", "\"functions\":[[\"f\",\"\",\"\",1,10,21],", ERR_CORRUPT,
			"spread"},
		{"\"functions\":[", "\"functions\":[[\"f\",\"\",\"\",1,9e18,1e18],", ERR_CORRUPT,
			"out of range"},
		{"\"functions\":[", "\"functions\":[[\"f\",\"\",\"\",1,4e18,0],", ERR_CORRUPT,
			"overflows"},
		{"\"functions\":[", "\"functions\":[[\"f\",\"\",\"\",1,1e15,0],", ERR_CORRUPT,
			"samples account for"},
		{"\"functions\":[", "\"functions\":[[\"f\",\"\",\"\",\"x\",1,0],", ERR_CORRUPT,
			"functions[0][3]"},
		{"\"functions\"", "\"fun\"", ERR_CORRUPT, "functions"},
		{"\"other\":[", "\"other\":[\"", ERR_CORRUPT, ""},
		{"\"other\"", "\"others\"", ERR_CORRUPT, "other"},
		{"\"iterations\":1", "\"iterations\":0", ERR_CORRUPT, "did no work"},
		{"\"iterations\":1", "\"iterations\":-1", ERR_CORRUPT, "iterations"},
		{"\"squares\":", "\"squares\":-", ERR_CORRUPT, "squares"},
		{"\"wall\":[", "\"wall\":[0,", ERR_CORRUPT, "wall"},
	};
	const struct sound *sound = *state;

	check_edits(&sound->summary, sound->commit, edits, COUNT(edits));
}

static void test_a_summary_has_at_most_24_functions(void **state)
{
	const struct sound *sound = *state;
	struct strbuf many = STRBUF_INIT, line = STRBUF_INIT;
	struct error err;

	strbuf_addstr(&many, "\"functions\":[");
	for (int i = 0; i < LINE_SUMMARY_FUNCTIONS; i++)
		strbuf_addstr(&many, "[\"f\",\"\",\"\",1,1,0],");
	lines_edit(&line, sound->summary.data, "\"functions\":[", many.data);
	assert_int_equal(lines_decode(&line, sound->commit, &err), ERR_CORRUPT);
	assert_contains(err.message, "more than 24 functions");
	strbuf_release(&many);
	strbuf_release(&line);
}

static void test_one_round_does_not_spread(void **state)
{
	struct recording recording =
		recordings_make(&(struct recordings_options){.seed = 1, .rounds = 1});
	struct strbuf line = STRBUF_INIT, edited = STRBUF_INIT;
	struct error err;

	(void)state;
	lines_add(&line, &recording, BASELINE_SUMMARY);
	lines_edit(
		&edited, line.data, "\"functions\":[", "\"functions\":[[\"f\",\"\",\"\",1,9,1],");
	assert_int_equal(lines_decode(&edited, recording.commit, &err), ERR_CORRUPT);
	assert_contains(err.message, "more than one round can spread");
	strbuf_release(&line);
	strbuf_release(&edited);
	recording_release(&recording);
}

static void test_a_line_of_another_commit_is_refused(void **state)
{
	const struct sound *sound = *state;
	struct error err;

	assert_int_equal(
		lines_decode(&sound->tree, "0123456789012345678901234567890123456789", &err),
		ERR_CORRUPT);
	assert_contains(err.message, "copied from another commit");
}

static void test_what_is_not_ours_is_told_apart_from_what_is_damaged(void **state)
{
	static const struct edit edits[] = {
		{"{\"flamegate\":1,", "{\"flamegate\":2,", ERR_NOT_FOUND, "format 2"},
		{"{\"flamegate\":1,", "{\"flamegate\":99999999999999999999,", ERR_NOT_FOUND,
			"format"},
		{"{\"flamegate\":1,", "{\"other\":1,", ERR_NOT_FOUND, "not flamegate's"},
		{"{\"flamegate\":1,", " {\"flamegate\":1,", ERR_NOT_FOUND, "not flamegate's"},
		{"{\"flamegate\":1,", "{\"flamegate\":\"1\",", ERR_CORRUPT, ""},
		{"{\"flamegate\":1,", "{\"flamegate\":0,", ERR_CORRUPT, "format"},
	};
	const struct sound *sound = *state;
	struct strbuf empty = STRBUF_INIT;
	struct error err;

	check_edits(&sound->tree, sound->commit, edits, COUNT(edits));
	assert_int_equal(lines_decode(&empty, sound->commit, &err), ERR_NOT_FOUND);
}

static void test_a_carriage_return_does_no_harm(void **state)
{
	const struct sound *sound = *state;
	const struct strbuf *lines[] = {&sound->tree, &sound->summary};

	for (size_t i = 0; i < 2; i++) {
		struct strbuf text = STRBUF_INIT;

		strbuf_add(&text, lines[i]->data, lines[i]->length - 1);
		strbuf_addstr(&text, "\r\n");
		assert_int_equal(lines_decode(&text, sound->commit, NULL), ERR_OK);
		strbuf_release(&text);
	}
}

static void test_a_line_that_is_too_long_is_not_parsed(void **state)
{
	const struct sound *sound = *state;
	struct strbuf line = STRBUF_INIT;
	struct error err;

	strbuf_add(&line, sound->tree.data, sound->tree.length - 1);
	while (line.length < LINE_MAX_BYTES)
		strbuf_addstr(&line, "AAAAAAAAAAAAAAAA");
	assert_int_equal(lines_decode(&line, sound->commit, &err), ERR_LIMIT);
	strbuf_release(&line);
}

static void test_every_truncation_is_refused(void **state)
{
	const struct sound *sound = *state;
	const struct strbuf *lines[] = {&sound->tree, &sound->summary};

	for (size_t i = 0; i < 2; i++)
		for (size_t length = 0; length + 1 < lines[i]->length; length++) {
			struct strbuf part = STRBUF_INIT;

			strbuf_add(&part, lines[i]->data, length);
			assert_int_not_equal(lines_decode(&part, sound->commit, NULL), ERR_OK);
			strbuf_release(&part);
		}
}

static void test_every_damaged_byte_of_a_payload_is_noticed(void **state)
{
	const struct sound *sound = *state;
	const char *payload = strrchr(sound->tree.data, ' ');
	size_t start = (size_t)(payload - sound->tree.data) + 1;

	for (size_t i = start; i + 1 < sound->tree.length; i++) {
		char *byte = &sound->tree.data[i], was = *byte;

		*byte = was == 'A' ? 'B' : 'A';
		assert_int_not_equal(lines_decode(&sound->tree, sound->commit, NULL), ERR_OK);
		*byte = was;
	}
	assert_int_equal(lines_decode(&sound->tree, sound->commit, NULL), ERR_OK);
}

static void test_a_head_tells_its_entry(void **state)
{
	const struct sound *sound = *state;
	const struct strbuf *lines[] = {&sound->tree, &sound->summary};
	struct arena arena = ARENA_INIT;

	for (size_t i = 0; i < 2; i++) {
		struct line_head head;
		const struct baseline_entry *entry = &head.entry;

		assert_int_equal(line_read_head(lines[i]->data, lines[i]->length - 1, sound->commit,
					 &arena, &head, NULL),
			ERR_OK);
		assert_string_equal(entry->key.commit, sound->commit);
		assert_string_equal(entry->key.benchmark, "parse");
		assert_string_equal(entry->key.profile_type, "cpu");
		assert_int_equal(strlen(entry->key.environment), 16);
		assert_true(entry->time_ns == INT64_C(1735689601123456789));
		assert_int_equal(entry->detail, i ? BASELINE_SUMMARY : BASELINE_TREE);
		assert_int_equal(entry->rounds, 4);
		assert_true(entry->cpu_seconds > 0.99 && entry->cpu_seconds < 1.02);
		assert_int_equal(entry->bytes, lines[i]->length);
	}
	arena_release(&arena);
}

#define head_test(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		head_test(test_heads_that_lie_are_refused),
		head_test(test_summaries_that_lie_are_refused),
		head_test(test_a_summary_has_at_most_24_functions),
		head_test(test_one_round_does_not_spread),
		head_test(test_a_line_of_another_commit_is_refused),
		head_test(test_what_is_not_ours_is_told_apart_from_what_is_damaged),
		head_test(test_a_carriage_return_does_no_harm),
		head_test(test_a_line_that_is_too_long_is_not_parsed),
		head_test(test_every_truncation_is_refused),
		head_test(test_every_damaged_byte_of_a_payload_is_noticed),
		head_test(test_a_head_tells_its_entry),
	};

	return cmocka_run_group_tests_name("head", tests, NULL, NULL);
}
