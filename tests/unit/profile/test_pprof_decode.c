/* SPDX-License-Identifier: Apache-2.0 */
/* What the codec makes of profiles that break the rules, or only just keep them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/profile/pprof.h"

/* ---- a writer of wire bytes that, unlike the real one, can write nonsense ---- */

static void varint(struct strbuf *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		strbuf_addch(out, (char)(0x80 | (value & 0x7f)));
	strbuf_addch(out, (char)value);
}

static void number(struct strbuf *out, unsigned field, uint64_t value)
{
	varint(out, field << 3);
	varint(out, value);
}

static void bytes(struct strbuf *out, unsigned field, const void *data, size_t length)
{
	varint(out, field << 3 | 2);
	varint(out, length);
	strbuf_add(out, data, length);
}

/* A message of numeric fields 1, 2, ...; 0 leaves a field out. */
static void message(struct strbuf *out, unsigned field, size_t count, const uint64_t *values)
{
	struct strbuf inner = STRBUF_INIT;

	for (unsigned i = 0; i < count; i++)
		if (values[i])
			number(&inner, i + 1, values[i]);
	bytes(out, field, inner.data, inner.length);
	strbuf_release(&inner);
}
#define MESSAGE(out, field, ...)                                                                   \
	message((out), (field), sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t),              \
		(uint64_t[]){__VA_ARGS__})

static void location(struct strbuf *out, uint64_t id, uint64_t mapping, uint64_t function)
{
	struct strbuf inner = STRBUF_INIT;

	number(&inner, 1, id);
	if (mapping)
		number(&inner, 2, mapping);
	if (function)
		MESSAGE(&inner, 4, function, 7);
	bytes(out, 4, inner.data, inner.length);
	strbuf_release(&inner);
}

static void strings(struct strbuf *out)
{
	static const char *const table[] = {"", "cpu", "nanoseconds", "main", "work", "main.c"};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		bytes(out, 6, table[i], strlen(table[i]));
}

/* One type, two functions and locations with the given ids, one sample of both. */
static void small_profile(struct strbuf *out, uint64_t first_id, uint64_t second_id)
{
	strings(out);
	MESSAGE(out, 1, 1, 2);
	MESSAGE(out, 5, first_id, 3, 0, 5);
	MESSAGE(out, 5, second_id, 4, 0, 5);
	location(out, first_id, 0, first_id);
	location(out, second_id, 0, second_id);
	struct strbuf sample = STRBUF_INIT;

	number(&sample, 1, second_id);
	number(&sample, 1, first_id);
	number(&sample, 2, 10);
	bytes(out, 2, sample.data, sample.length);
	strbuf_release(&sample);
}

/* Decodes and releases raw. */
static struct profile *decode(struct strbuf *raw)
{
	struct profile *profile = NULL;
	struct error err = {0};

	if (pprof_decode(raw->data, raw->length, NULL, &profile, &err))
		fail_msg("%s", err.message);
	strbuf_release(raw);
	return profile;
}

static void refused_with(
	struct strbuf *raw, const struct pprof_limits *limits, int code, const char *message_part)
{
	struct profile *profile = NULL;
	struct error err = {0};
	int rc = pprof_decode(raw->data, raw->length, limits, &profile, &err);

	if (rc != code || profile || !strstr(err.message, message_part))
		fail_msg("code %d, message \"%s\", not %d, \"%s\"", rc, err.message, code,
			message_part);
	strbuf_release(raw);
}

static void refused(struct strbuf *raw, const char *message_part)
{
	refused_with(raw, NULL, ERR_CORRUPT, message_part);
}

static const char *frame_name(const struct profile *profile, size_t sample, size_t frame)
{
	uint32_t index = profile->samples[sample].locations[frame];

	return profile->functions[profile->locations[index].lines[0].function].name;
}

/* ---- accepted ---- */

static void test_sparse_ids_in_any_order_are_followed(void **state)
{
	static const uint64_t ids[][2] = {
		{1, 2}, {2, 1}, {7, 3}, {UINT64_MAX, 1}, {1, UINT64_MAX}, {1, 4294967298}};

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		struct strbuf raw = STRBUF_INIT;
		struct profile *profile;

		small_profile(&raw, ids[i][0], ids[i][1]);
		profile = decode(&raw);
		assert_string_equal(frame_name(profile, 0, 0), "work");
		assert_string_equal(frame_name(profile, 0, 1), "main");
		profile_free(profile);
	}
}

static void test_packed_and_unpacked_fields_are_joined(void **state)
{
	struct strbuf raw = STRBUF_INIT, sample = STRBUF_INIT;
	struct profile *profile;

	(void)state;
	small_profile(&raw, 1, 2);
	bytes(&sample, 1, "\x01\x02", 2);
	number(&sample, 1, 1);
	bytes(&sample, 1, "\x02", 1);
	bytes(&sample, 2, "\x2a", 1);
	bytes(&raw, 2, sample.data, sample.length);
	strbuf_release(&sample);
	profile = decode(&raw);
	assert_int_equal(profile->samples[1].depth, 4);
	assert_string_equal(frame_name(profile, 1, 1), "work");
	assert_string_equal(frame_name(profile, 1, 2), "main");
	assert_string_equal(frame_name(profile, 1, 3), "work");
	assert_int_equal(profile->samples[1].values[0], 42);
	profile_free(profile);
}

static void test_samples_without_locations_and_negative_values_are_kept(void **state)
{
	struct strbuf raw = STRBUF_INIT;
	struct profile *profile;

	(void)state;
	small_profile(&raw, 1, 2);
	MESSAGE(&raw, 2, 0, (uint64_t)INT64_MIN);
	profile = decode(&raw);
	assert_int_equal(profile->sample_count, 2);
	assert_int_equal(profile->samples[1].depth, 0);
	assert_true(profile->samples[1].values[0] == INT64_MIN);
	profile_free(profile);
}

static void test_unknown_mapping_means_no_mapping_and_equal_locations_become_one(void **state)
{
	struct strbuf raw = STRBUF_INIT;
	struct profile *profile;

	(void)state;
	small_profile(&raw, 1, 2);
	MESSAGE(&raw, 3, 1, 0x1000, 0x2000, 0, 5);
	location(&raw, 3, 99, 1);
	location(&raw, 4, 1, 1);
	bytes(&raw, 2, "\x0a\x02\x03\x04\x12\x01\x05", 7);
	profile = decode(&raw);
	/* Location 3 is like location 1 then, and so becomes one with it. */
	assert_int_equal(profile->location_count, 3);
	assert_int_equal(profile->samples[1].locations[0], 0);
	assert_int_equal(profile->locations[0].mapping, PROFILE_NO_MAPPING);
	assert_int_equal(profile->samples[1].locations[1], 2);
	assert_int_equal(profile->locations[2].mapping, 0);
	profile_free(profile);
}

static void test_locations_without_lines_are_named_by_their_place_in_the_file(void **state)
{
	struct strbuf raw = STRBUF_INIT;
	struct profile *profile;

	(void)state;
	small_profile(&raw, 1, 2);
	bytes(&raw, 6, "/usr/lib/libz.so.1", 18);
	MESSAGE(&raw, 3, 1, 0x10000, 0x20000, 0x300, 6);
	MESSAGE(&raw, 3, 2, 0x10000, 0x20000);
	MESSAGE(&raw, 4, 3, 1, 0x10042);
	MESSAGE(&raw, 4, 4, 1, 0x42);
	MESSAGE(&raw, 4, 5, 0, 0x42);
	MESSAGE(&raw, 4, 6, 2, 0x10042);
	profile = decode(&raw);
	static const char *const names[] = {
		"[libz.so.1+0x342]", "[libz.so.1+0x42]", "[unknown]", "[unknown]"};
	for (size_t i = 0; i < 4; i++) {
		const struct profile_location *l = &profile->locations[2 + i];

		assert_int_equal(l->line_count, 1);
		assert_string_equal(profile->functions[l->lines[0].function].name, names[i]);
	}
	profile_free(profile);
}

static void test_period_type_with_only_a_unit_is_taken(void **state)
{
	struct strbuf raw = STRBUF_INIT;
	struct profile *profile;

	(void)state;
	small_profile(&raw, 1, 2);
	MESSAGE(&raw, 11, 0, 2);
	profile = decode(&raw);
	assert_string_equal(profile->period_type.type, "");
	assert_string_equal(profile->period_type.unit, "nanoseconds");
	profile_free(profile);
}

static void test_profile_without_samples_or_strings_is_empty_not_broken(void **state)
{
	struct strbuf raw = STRBUF_INIT;
	struct profile *profile;

	(void)state;
	number(&raw, 9, 1);
	profile = decode(&raw);
	assert_int_equal(profile->sample_count, 0);
	assert_int_equal(profile->type_count, 0);
	assert_int_equal(profile->time_ns, 1);
	profile_free(profile);
}

static void test_unknown_fields_are_ignored(void **state)
{
	struct strbuf raw = STRBUF_INIT;
	struct profile *profile;

	(void)state;
	small_profile(&raw, 1, 2);
	number(&raw, 15, 1);
	bytes(&raw, 1000, "x", 1);
	profile = decode(&raw);
	assert_int_equal(profile->sample_count, 1);
	profile_free(profile);
}

static void test_equal_types_keep_their_values_apart(void **state)
{
	struct strbuf raw = STRBUF_INIT, sample = STRBUF_INIT;
	struct profile *profile;

	(void)state;
	strings(&raw);
	MESSAGE(&raw, 1, 1, 2);
	MESSAGE(&raw, 1, 1, 2);
	bytes(&sample, 2, "\x03\x04", 2);
	bytes(&raw, 2, sample.data, sample.length);
	strbuf_release(&sample);
	profile = decode(&raw);
	assert_int_equal(profile->type_count, 2);
	assert_int_equal(profile->samples[0].values[1], 4);
	assert_int_equal(profile->default_type, 1);
	profile_free(profile);
}

/* ---- refused ---- */

static void test_value_count_must_fit_the_types(void **state)
{
	struct strbuf raw = STRBUF_INIT;

	(void)state;
	small_profile(&raw, 1, 2);
	MESSAGE(&raw, 2, 1);
	refused(&raw, "a sample has 0 values for 1 sample types");
	small_profile(&raw, 1, 2);
	MESSAGE(&raw, 1, 1, 2);
	refused(&raw, "a sample has 1 values for 2 sample types");
}

static void test_ids_must_be_unique_and_not_zero(void **state)
{
	struct strbuf raw = STRBUF_INIT;

	(void)state;
	small_profile(&raw, 1, 2);
	location(&raw, 2, 0, 1);
	refused(&raw, "location id 2 is used twice");
	small_profile(&raw, 5, 9);
	MESSAGE(&raw, 5, 9, 3);
	refused(&raw, "function id 9 is used twice");
	small_profile(&raw, 1, 2);
	MESSAGE(&raw, 5, 0, 3);
	refused(&raw, "function id 0 is reserved");
	small_profile(&raw, 1, 2);
	MESSAGE(&raw, 3, 0, 3);
	refused(&raw, "mapping id 0 is reserved");
}

static void test_references_must_lead_somewhere(void **state)
{
	struct strbuf raw = STRBUF_INIT;

	(void)state;
	small_profile(&raw, 1, 2);
	MESSAGE(&raw, 2, 3, 1);
	refused(&raw, "location id 3 is used by a sample but does not exist");
	small_profile(&raw, 1, 2);
	bytes(&raw, 2, "\x08\x00\x10\x01", 4);
	refused(&raw, "location id 0 is used by a sample");
	small_profile(&raw, 1, 2);
	MESSAGE(&raw, 2, UINT64_MAX, 1);
	refused(&raw, "location id 18446744073709551615 is used by a sample");
	small_profile(&raw, 1, 2);
	location(&raw, 3, 0, 3);
	refused(&raw, "function id 3 is used by a location but does not exist");
	small_profile(&raw, 8, 9);
	location(&raw, 10, 0, 1);
	refused(&raw, "function id 1 is used by a location but does not exist");
}

static void test_strings_must_exist(void **state)
{
	struct strbuf raw = STRBUF_INIT;

	(void)state;
	small_profile(&raw, 1, 2);
	MESSAGE(&raw, 5, 3, 6);
	refused(&raw, "string 6 does not exist (the table has 6)");
	small_profile(&raw, 1, 2);
	MESSAGE(&raw, 5, 3, UINT64_MAX);
	refused(&raw, "string -1 does not exist");
	small_profile(&raw, 1, 2);
	number(&raw, 13, (uint64_t)INT64_MAX);
	refused(&raw, "string 9223372036854775807 does not exist");
	bytes(&raw, 6, "x", 1);
	refused(&raw, "first entry is not empty");
}

static void test_what_is_not_pprof_is_refused(void **state)
{
	struct strbuf raw = STRBUF_INIT;

	(void)state;
	refused(&raw, "empty");
	strbuf_addstr(&raw, "{\"profile\": 1}");
	refused(&raw, "broken at byte 0");
	strbuf_addstr(&raw, "goroutine profile: total 1\n");
	refused(&raw, "pprof -proto");
	strbuf_add(&raw, "\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10);
	refused(&raw, "broken at byte 0");
	strbuf_add(&raw, "\x48\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12);
	refused(&raw, "broken at byte 0");
	/* The outer framing is fine, the sample's is not. */
	strbuf_add(&raw, "\x12\x02\x0a\x05", 4);
	refused(&raw, "a message in it is broken");
	strbuf_add(&raw, "\x1f\x8b\x08\x00", 4);
	refused(&raw, "gzip");
}

static void test_limits_hold(void **state)
{
	static const struct {
		size_t field, value;
		const char *message;
	} cases[] = {
		{offsetof(struct pprof_limits, max_bytes), 10, "larger than 10 bytes"},
		{offsetof(struct pprof_limits, max_samples), 0, "more than 0 samples"},
		{offsetof(struct pprof_limits, max_locations), 1, "more than 1 locations"},
		{offsetof(struct pprof_limits, max_functions), 1, "more than 1 functions"},
		{offsetof(struct pprof_limits, max_depth), 1, "more than 1 locations"},
		{offsetof(struct pprof_limits, max_name_bytes), 10, "longer than 10 bytes"},
		{offsetof(struct pprof_limits, max_labels), 1, "more than 1 labels"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pprof_limits limits = pprof_default_limits;
		struct strbuf raw = STRBUF_INIT;

		memcpy((char *)&limits + cases[i].field, &cases[i].value, sizeof(size_t));
		small_profile(&raw, 1, 2);
		/* a sample of one value and two labels */
		strbuf_add(&raw, "\x12\x0a\x10\x01\x1a\x02\x08\x01\x1a\x02\x08\x01", 12);
		refused_with(&raw, &limits, ERR_LIMIT, cases[i].message);
	}
}

static void test_gzip_bomb_stops_at_the_limit(void **state)
{
	struct pprof_limits limits = pprof_default_limits;
	size_t length = 4 << 20;
	char *zeros = calloc(1, length);
	struct strbuf packed = STRBUF_INIT;
	struct error err;

	(void)state;
	limits.max_bytes = 1 << 20;
	assert_int_equal(gzip_compress(zeros, length, &packed, &err), 0);
	assert_true(packed.length < 8192);
	free(zeros);
	refused_with(&packed, &limits, ERR_LIMIT, "1048576 bytes");
}

static void test_flat_profiles_fit_the_memory_limit(void **state)
{
	struct strbuf raw = STRBUF_INIT;
	struct profile *profile;

	(void)state;
	strings(&raw);
	MESSAGE(&raw, 1, 1, 2);
	for (uint64_t id = 1; id <= 16000; id++)
		location(&raw, id, 0, 0);
	for (uint64_t i = 0; i < 200000; i++)
		MESSAGE(&raw, 2, i % 16000 + 1, 1);
	profile = decode(&raw);
	assert_int_equal(profile->sample_count, 200000);
	profile_free(profile);
}

static void test_memory_is_bounded_by_the_input(void **state)
{
	struct strbuf raw = STRBUF_INIT;

	(void)state;
	/* Two bytes of comment-like nothing make a message of about a hundred. */
	for (int i = 0; i < 400000; i++)
		strbuf_add(&raw, "\x12\x00", 2);
	refused_with(&raw, NULL, ERR_LIMIT, "bytes of memory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sparse_ids_in_any_order_are_followed),
		cmocka_unit_test(test_packed_and_unpacked_fields_are_joined),
		cmocka_unit_test(test_samples_without_locations_and_negative_values_are_kept),
		cmocka_unit_test(
			test_unknown_mapping_means_no_mapping_and_equal_locations_become_one),
		cmocka_unit_test(test_locations_without_lines_are_named_by_their_place_in_the_file),
		cmocka_unit_test(test_period_type_with_only_a_unit_is_taken),
		cmocka_unit_test(test_profile_without_samples_or_strings_is_empty_not_broken),
		cmocka_unit_test(test_unknown_fields_are_ignored),
		cmocka_unit_test(test_equal_types_keep_their_values_apart),
		cmocka_unit_test(test_value_count_must_fit_the_types),
		cmocka_unit_test(test_ids_must_be_unique_and_not_zero),
		cmocka_unit_test(test_references_must_lead_somewhere),
		cmocka_unit_test(test_strings_must_exist),
		cmocka_unit_test(test_what_is_not_pprof_is_refused),
		cmocka_unit_test(test_limits_hold),
		cmocka_unit_test(test_gzip_bomb_stops_at_the_limit),
		cmocka_unit_test(test_flat_profiles_fit_the_memory_limit),
		cmocka_unit_test(test_memory_is_bounded_by_the_input),
	};

	return cmocka_run_group_tests_name("pprof_decode", tests, NULL, NULL);
}
