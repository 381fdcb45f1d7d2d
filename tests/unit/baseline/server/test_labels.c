/* SPDX-License-Identifier: Apache-2.0 */
/* Labels of pieces, what is hostile in them, and the recordings that pieces make up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "baseline/server/labels.h"
#include "baseline/server/pieces.h"
#include "gate/base/error.h"
#include "tests/unit/baseline/recordings.h"

#define COMMIT "0123456789abcdef0123456789abcdef01234567"

static struct piece_labels a_piece(void)
{
	return (struct piece_labels){
		.key = {COMMIT, "parse/large", "cpu", "00112233aabbccdd"},
		.branch = "main",
		.recording = "0123456789abcdef",
		.time_ns = INT64_C(1767225600123456789),
		.pushed_ns = INT64_C(1767225700000000001),
		.round = 2,
		.rounds = 3,
		.part = 1,
		.parts = 2,
		.sum = 12345,
		.totals = {0.1, 0.2, 1.0 / 3, 4, 5, 6, 7, 1, 9},
		.meta = "",
	};
}

static void test_labels_come_back_as_they_were(void **state)
{
	struct arena arena = ARENA_INIT;
	struct piece_labels piece = a_piece(), back;
	struct label *labels;
	struct error err;
	size_t count;

	(void)state;
	assert_int_equal(labels_write(&piece, &arena, &labels, &count, &err), ERR_OK);
	assert_in_range(count, 14, LABELS_MAX);
	for (size_t i = 1; i < count; i++)
		assert_true(strcmp(labels[i - 1].name, labels[i].name) < 0);
	assert_int_equal(labels_read(labels, count, &arena, &back, &err), ERR_OK);
	assert_true(piece_key_equals(&piece.key, &back.key));
	assert_string_equal(back.branch, "main");
	assert_string_equal(back.recording, piece.recording);
	assert_int_equal(back.time_ns, piece.time_ns);
	assert_int_equal(back.pushed_ns, piece.pushed_ns);
	assert_int_equal(back.round * 1000 + back.rounds * 100 + back.part * 10 + back.parts, 2312);
	assert_int_equal(back.sum, 12345);
	assert_memory_equal(&back.totals, &piece.totals, sizeof(back.totals));
	assert_string_equal(back.meta, "");
	arena_release(&arena);
}

static void test_every_label_has_a_name_in_the_list(void **state)
{
	struct arena arena = ARENA_INIT;
	struct piece_labels piece = a_piece();
	char meta[LABELS_META_LABELS * LABELS_MAX_VALUE_BYTES + 1];
	struct label *labels;
	struct error err;
	size_t count;

	(void)state;
	memset(meta, 'x', sizeof(meta) - 1);
	meta[sizeof(meta) - 1] = '\0';
	piece.meta = meta;
	assert_int_equal(labels_write(&piece, &arena, &labels, &count, &err), ERR_OK);
	assert_int_equal(count, LABELS_MAX);
	for (size_t i = 0; i < count; i++) {
		size_t j = 0;

		while (j < LABELS_MAX && strcmp(labels[i].name, labels_names[j]) != 0)
			j++;
		assert_in_range(j, 0, LABELS_MAX - 1);
		assert_in_range(strlen(labels[i].value), 1, LABELS_MAX_VALUE_BYTES);
	}
	assert_int_equal(labels_read(labels, count, &arena, &piece, &err), ERR_OK);
	assert_string_equal(piece.meta, meta);
	arena_release(&arena);
}

static void test_values_that_servers_refuse_are_mended_or_refused(void **state)
{
	struct arena arena = ARENA_INIT;
	struct piece_labels piece = a_piece(), back;
	char branch[LABELS_MAX_VALUE_BYTES + 2];
	struct label *labels;
	struct error err;
	size_t count;

	(void)state;
	piece.branch = "caf\xe9";
	assert_int_equal(labels_write(&piece, &arena, &labels, &count, &err), ERR_OK);
	assert_int_equal(labels_read(labels, count, &arena, &back, &err), ERR_OK);
	assert_string_equal(back.branch, "caf\xEF\xBF\xBD");
	piece.branch = NULL;
	assert_int_equal(labels_write(&piece, &arena, &labels, &count, &err), ERR_OK);
	assert_int_equal(labels_read(labels, count, &arena, &back, &err), ERR_OK);
	assert_string_equal(back.branch, "");
	memset(branch, 'b', sizeof(branch) - 1);
	branch[sizeof(branch) - 1] = '\0';
	piece.branch = branch;
	assert_int_equal(labels_write(&piece, &arena, &labels, &count, &err), ERR_LIMIT);
	assert_non_null(strstr(err.message, "branch"));
	arena_release(&arena);
}

static void test_hostile_labels_are_refused(void **state)
{
	static const struct label hostile[] = {
		{"commit", "HEAD"},
		{"commit", ""},
		{"benchmark", ""},
		{"type", "../cpu"},
		{"environment", ""},
		{"recording", "0123456789ABCDEF"},
		{"recording", "0123"},
		{"round", "3"}, /* of 3 */
		{"round", "-1"},
		{"round", "1.5"},
		{"round", "99999999999999999999999"},
		{"rounds", "0"},
		{"rounds", "1025"},
		{"part", "2"}, /* of 2 */
		{"parts", "257"},
		{"pushed", "now"},
		{"recorded", "9223372036854775808"},
		{"sum", "-5"},
		{"totals", "[1,2]"},
		{"totals", "[0,0,0,0,0,0,0,0,0,0]"},
		{"totals", "[-1,0,0,0,0,0,0,0,0]"},
		{"totals", "[0,0,0,0,0.5,0,0,0,0]"},
		{"totals", "[0,0,0,0,0,0,0,2,0]"},
		{"totals", "{}"},
		{"totals", "[0,0,0,0,0,0,0,0,"},
	};
	struct arena arena = ARENA_INIT;
	struct piece_labels piece = a_piece(), back;
	struct label *labels;
	struct error err;
	size_t count;

	(void)state;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		assert_int_equal(labels_write(&piece, &arena, &labels, &count, &err), ERR_OK);
		for (size_t j = 0; j < count; j++)
			if (strcmp(labels[j].name, hostile[i].name) == 0)
				labels[j].value = hostile[i].value;
		if (labels_read(labels, count, &arena, &back, &err) != ERR_CORRUPT)
			fail_msg("%s=%s was taken", hostile[i].name, hostile[i].value);
	}
	arena_release(&arena);
}

static void test_ids_of_recordings_are_new_each_time(void **state)
{
	char a[LABELS_RECORDING_BYTES], b[LABELS_RECORDING_BYTES];

	(void)state;
	labels_new_recording(a);
	labels_new_recording(b);
	assert_string_not_equal(a, b);
	assert_int_equal(strspn(a, "0123456789abcdef"), 16);
}

static void test_matchers_are_quoted(void **state)
{
	struct strbuf selector = STRBUF_INIT;

	(void)state;
	strbuf_addch(&selector, '{');
	labels_add_matcher(&selector, "a", "x\"\\\ny");
	labels_add_matcher(&selector, "b", "");
	assert_string_equal(selector.data, "{a=\"x\\\"\\\\\\ny\",b=\"\"");
	strbuf_release(&selector);
}

/* ---- meta ------------------------------------------------------------------------------------ */

static void test_meta_leaves_out_what_does_not_fit_but_nothing_else(void **state)
{
	struct recording recording = recordings_make(&(struct recordings_options){.seed = 1}), back;
	struct arena arena = ARENA_INIT;
	const char *warnings[1], *text;
	char noise[40000];
	struct error err;
	uint64_t random = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(noise) - 1; i++)
		noise[i] = (char)('0' + recordings_random(&random) % 60);
	noise[sizeof(noise) - 1] = '\0';
	warnings[0] = noise;
	recording.warnings = warnings;
	recording.warning_count = 1;
	assert_int_equal(labels_meta_encode(&recording, &arena, &text, &err), ERR_OK);
	assert_int_equal(labels_meta_decode(text, &back, &err), ERR_OK);
	assert_int_equal(back.warning_count, 0);
	assert_string_equal(back.command, recording.command);
	assert_int_equal(back.round_count, 0);
	recording_release(&back);
	recording.command = noise;
	assert_int_equal(labels_meta_encode(&recording, &arena, &text, &err), ERR_OK);
	assert_int_equal(labels_meta_decode(text, &back, &err), ERR_OK);
	assert_string_equal(back.command, "");
	assert_string_equal(back.fingerprint.cpu_model, recording.fingerprint.cpu_model);
	recording_release(&back);
	recording.fingerprint.os = noise;
	assert_int_equal(labels_meta_encode(&recording, &arena, &text, &err), ERR_LIMIT);
	recording_release(&recording);
	arena_release(&arena);
}

/* Of the heap over time, in numbers that no compression shortens. */
static void test_meta_keeps_as_many_moments_as_fit(void **state)
{
	struct recording recording = recordings_make(&(struct recordings_options){.seed = 1}), back;
	struct memory_moment moments[MEMORY_LINE_MOST];
	struct memory_line line = {moments, MEMORY_LINE_MOST, 1, 3};
	struct arena arena = ARENA_INIT;
	const char *text;
	struct error err;
	uint64_t random = 7;

	(void)state;
	for (size_t i = 0; i < MEMORY_LINE_MOST; i++) {
		double bytes = (double)(recordings_random(&random) >> 16);

		moments[i] =
			(struct memory_moment){.seconds = (double)i + recordings_uniform(&random),
				.iterations = (double)i,
				.inuse_bytes = bytes,
				.most_bytes = bytes + (double)(recordings_random(&random) >> 20)};
	}
	recording.memory = &line;
	recording.memory_count = 1;
	assert_int_equal(labels_meta_encode(&recording, &arena, &text, &err), ERR_OK);
	assert_int_equal(labels_meta_decode(text, &back, &err), ERR_OK);
	assert_int_equal(back.memory_count, 1);
	assert_in_range(back.memory->count, 20, MEMORY_LINE_MOST / 2);
	assert_int_equal(back.memory->runs, 3);
	assert_true(memory_line_peak(back.memory) == memory_line_peak(&line));
	assert_string_equal(back.command, recording.command);
	recording_release(&back);
	recording_release(&recording);
	arena_release(&arena);
}

static void test_short_warnings_are_kept(void **state)
{
	struct recording recording = recordings_make(&(struct recordings_options){.seed = 1}), back;
	const char *warnings[] = {"the clock is slow"}, *text;
	struct arena arena = ARENA_INIT;
	struct error err;

	(void)state;
	recording.warnings = warnings;
	recording.warning_count = 1;
	assert_int_equal(labels_meta_encode(&recording, &arena, &text, &err), ERR_OK);
	assert_int_equal(labels_meta_decode(text, &back, &err), ERR_OK);
	assert_int_equal(back.warning_count, 1);
	assert_string_equal(back.warnings[0], "the clock is slow");
	recording_release(&back);
	recording_release(&recording);
	arena_release(&arena);
}

static void test_meta_that_is_none_is_refused(void **state)
{
	static const char *const texts[] = {"", "!!", "aGVsbG8=", "H4sIAAAAAAAAAwMAAAAAAAAAAAA="};
	struct recording back;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(labels_meta_decode(texts[i], &back, &err), ERR_CORRUPT);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static void add_piece(struct piece_list *list, const char *recording, uint32_t round,
	uint32_t rounds, uint32_t part, uint32_t parts)
{
	struct piece_labels piece = a_piece();
	struct label *labels;
	struct error err;
	size_t count;

	piece.recording = recording;
	piece.round = round;
	piece.rounds = rounds;
	piece.part = part;
	piece.parts = parts;
	assert_int_equal(labels_write(&piece, &list->arena, &labels, &count, &err), ERR_OK);
	piece_list_add(list, labels, count);
}

/* Pieces as digits "round part parts", of a recording of two rounds. */
static bool is_whole(const char *pieces)
{
	struct piece_list list = {.arena = ARENA_INIT};
	struct piece_group *groups;
	size_t count;
	bool whole;

	for (; *pieces; pieces += pieces[3] ? 4 : 3)
		add_piece(&list, "00000000000000aa", (uint32_t)(pieces[0] - '0'), 2,
			(uint32_t)(pieces[1] - '0'), (uint32_t)(pieces[2] - '0'));
	groups = piece_list_group(&list, &count);
	assert_int_equal(count, 1);
	whole = groups[0].complete;
	piece_list_release(&list);
	return whole;
}

static void test_a_recording_is_whole_with_every_part_of_every_round(void **state)
{
	(void)state;
	assert_true(is_whole("001 101"));
	assert_true(is_whole("112 001 102"));
	assert_true(is_whole("001 101 001")); /* seen in two ranges */
	assert_false(is_whole("001"));
	assert_false(is_whole("101"));
	assert_false(is_whole("001 102"));
	assert_false(is_whole("001 112"));
	assert_false(is_whole("001 101 113"));
	assert_false(is_whole("002 013 101"));
}

static void test_pieces_of_two_pushes_never_mix(void **state)
{
	struct piece_list list = {.arena = ARENA_INIT};
	struct baseline_list entries = {.arena = ARENA_INIT};
	struct store_lines warnings = {.arena = ARENA_INIT};
	const struct label foreign = {"service_name", "x"};
	struct piece_group *groups;
	size_t count;

	(void)state;
	add_piece(&list, "00000000000000aa", 0, 2, 0, 1);
	add_piece(&list, "00000000000000bb", 1, 2, 0, 1);
	piece_list_add(&list, &foreign, 1);
	groups = piece_list_group(&list, &count);
	assert_int_equal(count, 2);
	assert_false(groups[0].complete || groups[1].complete);
	assert_int_equal(list.foreign, 1);
	piece_list_entries(&list, &entries, &warnings);
	assert_int_equal(entries.count, 0);
	assert_int_equal(warnings.count, 2);
	piece_list_release(&list);
	baseline_list_release(&entries);
	store_lines_release(&warnings);
}

static void test_a_recording_whose_meta_contradicts_its_labels_is_refused(void **state)
{
	struct recording recording = recordings_make(&(struct recordings_options){.seed = 1}), back;
	struct piece_labels piece = a_piece();
	struct piece_group group = {&piece, 1, true};
	struct arena arena = ARENA_INIT;
	struct error err;

	(void)state;
	assert_int_equal(labels_meta_encode(&recording, &arena, &piece.meta, &err), ERR_OK);
	piece.key = (struct baseline_key){recording.commit, recording.benchmark, "cpu",
		recording_environment(&recording, &arena)};
	piece.time_ns = recording.time_ns;
	assert_int_equal(piece_group_recording(&group, &back, &err), ERR_OK);
	assert_int_equal(back.round_count, 3);
	assert_true(back.rounds[2].cpu_seconds > 0.09);
	recording_release(&back);
	group.complete = false;
	assert_int_equal(piece_group_recording(&group, &back, &err), ERR_CORRUPT);
	group.complete = true;
	piece.key.commit = COMMIT;
	assert_int_equal(piece_group_recording(&group, &back, &err), ERR_CORRUPT);
	piece.key.commit = recording.commit;
	piece.time_ns++;
	assert_int_equal(piece_group_recording(&group, &back, &err), ERR_CORRUPT);
	recording_release(&recording);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_labels_come_back_as_they_were),
		cmocka_unit_test(test_every_label_has_a_name_in_the_list),
		cmocka_unit_test(test_values_that_servers_refuse_are_mended_or_refused),
		cmocka_unit_test(test_hostile_labels_are_refused),
		cmocka_unit_test(test_ids_of_recordings_are_new_each_time),
		cmocka_unit_test(test_matchers_are_quoted),
		cmocka_unit_test(test_meta_leaves_out_what_does_not_fit_but_nothing_else),
		cmocka_unit_test(test_meta_keeps_as_many_moments_as_fit),
		cmocka_unit_test(test_short_warnings_are_kept),
		cmocka_unit_test(test_meta_that_is_none_is_refused),
		cmocka_unit_test(test_a_recording_is_whole_with_every_part_of_every_round),
		cmocka_unit_test(test_pieces_of_two_pushes_never_mix),
		cmocka_unit_test(test_a_recording_whose_meta_contradicts_its_labels_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
