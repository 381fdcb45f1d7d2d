/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of a round: everything that profile servers refuse, lose, or are harmed by, is gone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "baseline/server/labels.h"
#include "baseline/server/split.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/profile/pprof.h"
#include "tests/unit/baseline/recordings.h"

#define NOW_NS INT64_C(1767225600123456789)

static const struct split_limits roomy = {1000000, 10000, 100};

static struct recording small(uint64_t seed)
{
	return recordings_make(
		&(struct recordings_options){.seed = seed, .nodes = 40, .rounds = 2});
}

static struct split must_split(
	const struct recording *recording, uint32_t round, const struct split_limits *limits)
{
	struct split split;
	struct error err;

	if (split_round(recording, round, NOW_NS, limits, &split, &err))
		fail_msg("%s", err.message);
	return split;
}

static struct profile *decode(const struct split_piece *piece)
{
	struct profile *profile = NULL;
	struct error err;

	if (pprof_decode(piece->pprof.data, piece->pprof.length, NULL, &profile, &err))
		fail_msg("%s", err.message);
	return profile;
}

static void assert_refused(const struct recording *recording, int code, const char *text)
{
	struct split split;
	struct error err;

	assert_int_equal(split_round(recording, 0, NOW_NS, &roomy, &split, &err), code);
	assert_non_null(strstr(err.message, text));
}

/* The values of a round and type in the recording. */
static int64_t total(const struct recording *recording, int64_t round, size_t type)
{
	const struct profile *profile = recording->profile;
	int64_t sum = 0;

	for (size_t i = 0; i < profile->sample_count; i++)
		if (profile_sample_number(&profile->samples[i], PROFILE_LABEL_ROUND, -1) == round)
			sum += profile->samples[i].values[type];
	return sum;
}

static int64_t sum_of(const struct profile *profile, size_t type)
{
	int64_t sum = 0;

	for (size_t i = 0; i < profile->sample_count; i++)
		sum += profile->samples[i].values[type];
	return sum;
}

static void test_a_piece_has_the_round_and_nothing_else(void **state)
{
	struct recording recording = small(1);
	struct split split = must_split(&recording, 1, &roomy);
	struct profile *profile = decode(&split.pieces[0]);

	(void)state;
	assert_int_equal(split.count, 1);
	assert_int_equal(split.deep, 0);
	assert_int_equal(profile->type_count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(split.totals[i], total(&recording, 1, i));
		assert_int_equal(sum_of(profile, i), split.totals[i]);
	}
	for (size_t i = 0; i < profile->sample_count; i++)
		assert_int_equal(profile->samples[i].label_count, 0);
	assert_int_equal(profile->time_ns, NOW_NS);
	assert_int_equal(profile->duration_ns, (int64_t)(recording.rounds[1].wall_seconds * 1e9));
	profile_free(profile);
	split_release(&split);
	recording_release(&recording);
}

static void test_a_period_type_is_never_missing(void **state)
{
	struct recording recording = small(2);
	struct split split = must_split(&recording, 0, &roomy);
	struct profile *profile = decode(&split.pieces[0]);
	struct strbuf id = STRBUF_INIT;

	(void)state;
	assert_string_equal(recording.profile->period_type.type, "");
	assert_string_equal(profile->period_type.type, "cpu");
	assert_string_equal(profile->period_type.unit, "nanoseconds");
	assert_int_equal(profile->period, 1);
	split_add_type_id(&recording, 0, &id);
	assert_string_equal(id.data, "process_cpu:samples:count:cpu:nanoseconds");
	strbuf_release(&id);
	profile_free(profile);
	split_release(&split);
	recording.rounds[0].wall_seconds = 0;
	recording.profile->period_type.type = profile_intern(recording.profile, "space");
	recording.profile->period_type.unit = profile_intern(recording.profile, "bytes");
	recording.profile->period = 512;
	split = must_split(&recording, 0, &roomy);
	profile = decode(&split.pieces[0]);
	assert_string_equal(profile->period_type.type, "space");
	assert_int_equal(profile->period, 512);
	assert_int_equal(profile->duration_ns, 1);
	profile_free(profile);
	split_release(&split);
	recording_release(&recording);
}

static void test_the_name_of_a_counted_type_is_its_own(void **state)
{
	struct recording recording =
		recordings_make(&(struct recordings_options){.seed = 3, .type = "alloc_bytes"});
	struct strbuf id = STRBUF_INIT;

	(void)state;
	assert_string_equal(split_profile_name(&recording), "alloc_bytes");
	split_add_type_id(&recording, 0, &id);
	assert_string_equal(id.data, "alloc_bytes:alloc_bytes:bytes:alloc_bytes:bytes");
	strbuf_release(&id);
	recording_release(&recording);
}

static void expect_parts(const struct split_limits *limits, size_t least)
{
	struct recording recording = small(4);
	struct split split = must_split(&recording, 0, limits);
	int64_t sum = 0;

	assert_in_range(split.count, least, LABELS_MAX_PARTS);
	for (size_t i = 0; i < split.count; i++) {
		struct profile *profile = decode(&split.pieces[i]);
		struct strbuf raw = STRBUF_INIT;
		struct error err;

		assert_in_range(profile->sample_count, 1, limits->max_samples);
		assert_in_range(split.pieces[i].bytes, 1, limits->max_bytes);
		assert_int_equal(gzip_decompress(split.pieces[i].pprof.data,
					 split.pieces[i].pprof.length, 1000000, &raw, &err),
			ERR_OK);
		assert_int_equal(raw.length, split.pieces[i].bytes);
		sum += sum_of(profile, 1);
		strbuf_release(&raw);
		profile_free(profile);
	}
	assert_int_equal(sum, total(&recording, 0, 1));
	split_release(&split);
	recording_release(&recording);
}

static void test_pieces_keep_the_limits_and_make_up_the_whole(void **state)
{
	(void)state;
	expect_parts(&(struct split_limits){1000000, 7, 100}, 3);
	expect_parts(&(struct split_limits){1000000, 1, 100}, 10);
	expect_parts(&(struct split_limits){1200, 1000, 100}, 3);
}

static void test_what_cannot_be_made_small_enough_is_a_limit(void **state)
{
	struct recording recording = small(5);
	struct split split;
	struct error err;

	(void)state;
	assert_int_equal(split_round(&recording, 0, NOW_NS, &(struct split_limits){100, 1000, 100},
				 &split, &err),
		ERR_LIMIT);
	recording_release(&recording);
	recording = recordings_make(&(struct recordings_options){
		.seed = 5, .nodes = 600, .rounds = 1, .round_seconds = 20});
	assert_int_equal(split_round(&recording, 0, NOW_NS, &(struct split_limits){1000000, 1, 100},
				 &split, &err),
		ERR_LIMIT);
	assert_non_null(strstr(err.message, "256 requests"));
	recording_release(&recording);
}

static void test_types_that_harm_a_server_are_refused(void **state)
{
	static const char *const bad[] = {"", "a-b", "a/b", "a b", "1a", "caf\xc3\xa9", "a:b"};
	struct recording recording = small(6);
	struct profile *profile = recording.profile;
	struct profile_value_type good = profile->types[2];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		profile->types[2].type = profile_intern(profile, bad[i]);
		assert_refused(&recording, ERR_USAGE, bad[i]);
		profile->types[2] = good;
		profile->types[2].unit = profile_intern(profile, bad[i]);
		assert_refused(&recording, ERR_USAGE, bad[i]);
		profile->types[2] = good;
		if (!*bad[i])
			continue; /* then another period type is taken */
		profile->period_type.type = profile_intern(profile, bad[i]);
		profile->period_type.unit = profile_intern(profile, "count");
		assert_refused(&recording, ERR_USAGE, bad[i]);
		profile->period_type.type = profile_intern(profile, "");
	}
	recording_release(&recording);
}

static void test_a_round_without_samples_or_with_negative_values_is_refused(void **state)
{
	struct recording recording = small(7);
	struct profile *profile = recording.profile;

	(void)state;
	((int64_t *)(uintptr_t)profile->samples[0].values)[2] = -1;
	assert_refused(&recording, ERR_MEASURE, "negative");
	for (size_t i = 0; i < profile->sample_count; i++)
		memset((void *)(uintptr_t)profile->samples[i].values, 0, 3 * sizeof(int64_t));
	assert_refused(&recording, ERR_MEASURE, "no samples");
	recording_release(&recording);
}

static void test_names_become_utf8_and_equal_ones_one(void **state)
{
	struct recording recording = small(8);
	struct profile *profile = recording.profile;
	struct split split;
	struct profile *piece;
	size_t found = 0;

	(void)state;
	profile->functions[0].name = profile_intern(profile, "a\xff");
	profile->functions[0].system_name = profile_intern(profile, "b\xc0");
	profile->functions[0].file = profile_intern(profile, "c\x80");
	profile->mappings[0].file = profile_intern(profile, "d\xe9");
	split = must_split(&recording, 0, &roomy);
	piece = decode(&split.pieces[0]);
	for (size_t i = 0; i < piece->function_count; i++)
		found += strcmp(piece->functions[i].name, "a\xEF\xBF\xBD") == 0 &&
			 strcmp(piece->functions[i].system_name, "b\xEF\xBF\xBD") == 0 &&
			 strcmp(piece->functions[i].file, "c\xEF\xBF\xBD") == 0;
	assert_int_equal(found, 1);
	for (size_t i = 0; i < piece->mapping_count; i++)
		found += strcmp(piece->mappings[i].file, "d\xEF\xBF\xBD") == 0;
	assert_int_equal(found, 2);
	profile_free(piece);
	split_release(&split);
	recording_release(&recording);
}

/* A varint's bytes are read; *at moves behind them. */
static uint64_t varint(const unsigned char *data, size_t *at)
{
	uint64_t value = 0;

	for (unsigned shift = 0;; shift += 7) {
		value |= (uint64_t)(data[*at] & 0x7f) << shift;
		if (data[(*at)++] < 0x80)
			return value;
	}
}

/* Parca takes ids of mappings, locations and functions only as 1, 2, 3 ... in this order. */
static void test_ids_are_from_one_in_order(void **state)
{
	struct recording recording = small(9);
	struct split split = must_split(&recording, 0, &(struct split_limits){1000000, 5, 100});
	struct strbuf raw = STRBUF_INIT;
	uint64_t next[6] = {1, 1, 1, 1, 1, 1};
	struct error err;

	(void)state;
	assert_int_equal(gzip_decompress(split.pieces[1].pprof.data, split.pieces[1].pprof.length,
				 1000000, &raw, &err),
		ERR_OK);
	for (size_t at = 0; at < raw.length;) {
		const unsigned char *data = (const unsigned char *)raw.data;
		uint64_t key = varint(data, &at), length = varint(data, &at);
		size_t inner = at;

		if ((key & 7) != 2)
			continue; /* it was a number */
		if (key >> 3 >= 3 && key >> 3 <= 5) {
			assert_int_equal(varint(data, &inner), 8); /* field 1: id */
			assert_int_equal(varint(data, &inner), next[key >> 3]++);
		}
		at += length;
	}
	assert_in_range(next[3], 2, 3);
	assert_in_range(next[4], 3, 100);
	assert_in_range(next[5], 3, 100);
	strbuf_release(&raw);
	split_release(&split);
	recording_release(&recording);
}

static void test_equal_recordings_give_equal_pieces(void **state)
{
	struct recording a = small(10), b = small(10);
	struct split x = must_split(&a, 0, &roomy), y = must_split(&b, 0, &roomy);

	(void)state;
	assert_int_equal(x.pieces[0].pprof.length, y.pieces[0].pprof.length);
	assert_memory_equal(
		x.pieces[0].pprof.data, y.pieces[0].pprof.data, x.pieces[0].pprof.length);
	split_release(&x);
	split_release(&y);
	recording_release(&a);
	recording_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_piece_has_the_round_and_nothing_else),
		cmocka_unit_test(test_a_period_type_is_never_missing),
		cmocka_unit_test(test_the_name_of_a_counted_type_is_its_own),
		cmocka_unit_test(test_pieces_keep_the_limits_and_make_up_the_whole),
		cmocka_unit_test(test_what_cannot_be_made_small_enough_is_a_limit),
		cmocka_unit_test(test_types_that_harm_a_server_are_refused),
		cmocka_unit_test(test_a_round_without_samples_or_with_negative_values_is_refused),
		cmocka_unit_test(test_names_become_utf8_and_equal_ones_one),
		cmocka_unit_test(test_ids_are_from_one_in_order),
		cmocka_unit_test(test_equal_recordings_give_equal_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
