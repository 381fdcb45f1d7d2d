/* SPDX-License-Identifier: Apache-2.0 */
/* None of the profiles that harm a Parca server is sent to one. */
#include "gate/base/error.h"
#include "tests/unit/baseline/parca_scene.h"

static void expect_refused(
	const struct label *labels, size_t count, struct profile *profile, const char *message)
{
	struct error err = {0};
	int rc = parca_check(labels, count, profile, &err);

	if (rc != ERR_CORRUPT || !strstr(err.message, message))
		fail_msg("code %d, expected \"%s\": %s", rc, message, rc ? err.message : "");
	profile_free(profile);
}

static const struct label named[] = {{"job", "x"}, {"__name__", "process_cpu"}};

static struct profile *with_period(const char *type, const char *unit)
{
	struct profile *profile = sound_profile(1);

	profile->period_type.type = profile_intern(profile, type);
	profile->period_type.unit = profile_intern(profile, unit);
	return profile;
}

static struct profile *with_type(const char *type, const char *unit)
{
	struct profile *profile = sound_profile(1);

	profile->types[0].type = profile_intern(profile, type);
	profile->types[0].unit = profile_intern(profile, unit);
	return profile;
}

static void test_a_sound_profile_passes(void **state)
{
	struct profile *profile = sound_profile(1);

	(void)state;
	assert_int_equal(parca_check(named, 2, profile, NULL), ERR_OK);
	profile_free(profile);
	profile = with_type("cpu_squares2", "_x");
	assert_int_equal(parca_check(named, 2, profile, NULL), ERR_OK);
	profile_free(profile);
}

static void test_a_period_type_is_needed(void **state)
{
	(void)state;
	expect_refused(named, 2, with_period("", ""), "period type is empty");
	expect_refused(named, 2, with_period("", "nanoseconds"), "period type is empty");
	expect_refused(named, 2, with_period("cpu", ""), "period type's unit is empty");
}

static void test_types_and_units_are_words(void **state)
{
	static const char *const wrong[] = {
		"alloc-samples", "a/b", "a b", "a:b", "9a", "\xc3\xa9", "a\n", "a{", "a\"", "-"};

	(void)state;
	expect_refused(named, 2, with_type("", "count"), "sample type is empty");
	expect_refused(named, 2, with_type("cpu", ""), "sample type's unit is empty");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		expect_refused(named, 2, with_type(wrong[i], "count"), "sample type \"");
		expect_refused(named, 2, with_type("cpu", wrong[i]), "sample type's unit \"");
		expect_refused(named, 2, with_period(wrong[i], "count"), "period type \"");
		expect_refused(named, 2, with_period("cpu", wrong[i]), "period type's unit \"");
	}
}

static void test_every_type_is_looked_at(void **state)
{
	struct profile *profile = sound_profile(0);
	const int64_t values[2] = {1, 2};

	(void)state;
	profile_add_type(profile, "samples", "");
	profile_add_sample(profile, &(struct profile_sample){NULL, 0, values, NULL, 0});
	expect_refused(named, 2, profile, "sample type's unit is empty");
}

static void test_a_profile_has_types_and_samples(void **state)
{
	struct profile *profile = with_period("cpu", "nanoseconds");

	(void)state;
	expect_refused(named, 2, sound_profile(0), "no samples");
	profile->type_count = 0;
	expect_refused(named, 2, profile, "no types");
}

static void test_a_series_has_a_name_and_labels_are_words(void **state)
{
	const struct label unnamed[] = {{"job", "x"}}, dashed[] = {{"__name__", "my-app"}},
			   empty[] = {{"__name__", ""}},
			   odd[] = {{"__name__", "x"}, {"job.name", "x"}};

	(void)state;
	expect_refused(unnamed, 1, sound_profile(1), "label __name__ is missing");
	expect_refused(unnamed, 0, sound_profile(1), "label __name__ is missing");
	expect_refused(dashed, 1, sound_profile(1), "\"my-app\"");
	expect_refused(empty, 1, sound_profile(1), "label __name__ is empty");
	expect_refused(odd, 2, sound_profile(1), "\"job.name\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_sound_profile_passes),
		cmocka_unit_test(test_a_period_type_is_needed),
		cmocka_unit_test(test_types_and_units_are_words),
		cmocka_unit_test(test_every_type_is_looked_at),
		cmocka_unit_test(test_a_profile_has_types_and_samples),
		cmocka_unit_test(test_a_series_has_a_name_and_labels_are_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
