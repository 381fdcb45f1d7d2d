/* SPDX-License-Identifier: Apache-2.0 */
/* What was counted makes another verdict, and that one's culprits are told as well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "gate/check/calls/calls_settle.h"
#include "gate/check/calls/unchanged_calls.h"
#include "tests/unit/check/synthetic.h"

/* hash gets slower itself. grew gets slower by what keep, whose code is the same, gets faster. still is
 * the same code and gets slower. */
static const struct synthetic_function functions[] = {
	{"main;hash", {0.20, 0.28}},
	{"main;keep", {0.30, 0.24}},
	{"main;grew", {0.20, 0.26}},
	{"main;grew;leaf", {0.05, 0.05}},
	{"main;other", {0.25, 0.25}},
	{"main;still", {0.03, 0.10}},
};
#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))
#define INSTRUCTIONS 20 /* of each call, with all below it */

struct fixture {
	struct measurements *measurements;
	struct recording *versions;
	struct analysis analysis;
	struct profile *profiles[VERSION_COUNT];
	struct counted_calls counted[VERSION_COUNT];
	int64_t grew_varies; /* calls between the runs */
};

/* Of keep, other and still it is the same. */
static void know_code(struct recording *recording, int version)
{
	const struct profile *profile = recording->profile;

	recording->code =
		arena_array(&recording->arena, profile->function_count, sizeof(*recording->code));
	recording->code_count = profile->function_count;
	for (size_t i = 0; i < profile->function_count; i++) {
		const char *name = profile->functions[i].name;
		bool same = strcmp(name, "keep") == 0 || strcmp(name, "other") == 0 ||
			    strcmp(name, "still") == 0;

		recording->code[i] = (struct recording_code){.function = (uint32_t)i,
			.bytes = 64,
			.hash = same ? name : version_names[version]};
	}
}

static void decide(struct fixture *f)
{
	struct error err;

	analysis_release(&f->analysis);
	if (calls_decide(&f->analysis, f->versions, NULL, 1, true, &err))
		fail_msg("%s", err.message);
	unchanged_calls_wanted(&f->analysis);
	giver_calls_want(&f->analysis);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->measurements = synthetic_measurements(functions, FUNCTIONS, 7);
	f->versions = f->measurements->benchmarks[0].recordings;
	for (int version = 0; version < VERSION_COUNT; version++) {
		know_code(&f->versions[version], version);
		f->profiles[version] = support_profile();
		f->counted[version] = (struct counted_calls){
			.profile = f->profiles[version], .runs = 2, .iterations = {1, 1}};
	}
	decide(f);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	analysis_release(&f->analysis);
	measurements_free(f->measurements);
	for (int version = 0; version < VERSION_COUNT; version++)
		profile_free(f->profiles[version]);
	free(f);
	return 0;
}

static uint32_t location_of(struct profile *profile, const char *name, uint64_t address)
{
	struct profile_function function = {
		.name = name, .system_name = "", .file = "src/a.c", .start_line = 1};
	struct profile_line line = {profile_add_function(profile, &function), 5};
	struct profile_location location = {
		.mapping = PROFILE_NO_MAPPING, .address = address, .lines = &line, .line_count = 1};

	return profile_add_location(profile, &location);
}

/* The second run has `more` of them. */
static void add_calls_of_runs(struct fixture *f, int version, const char *caller,
	const char *callee, int64_t calls, int64_t more)
{
	struct profile *profile = f->profiles[version];
	uint32_t stack[] = {location_of(profile, callee, 16), location_of(profile, caller, 32)};

	for (int64_t run = 0; run < 2; run++) {
		int64_t made = calls + run * more;
		int64_t values[] = {made, INSTRUCTIONS * made, 0};
		struct profile_label label = {
			.key = PROFILE_LABEL_ROUND, .number = run, .unit = ""};
		struct profile_sample sample = {.locations = stack,
			.depth = 2,
			.values = values,
			.labels = &label,
			.label_count = 1};

		profile_add_sample(profile, &sample);
	}
}

static void add_calls(
	struct fixture *f, int version, const char *caller, const char *callee, int64_t calls)
{
	add_calls_of_runs(f, version, caller, callee, calls, 0);
}

static void count(struct fixture *f, int64_t keep_of_head)
{
	for (int version = 0; version < VERSION_COUNT; version++) {
		add_calls(f, version, "main", "hash", 100);
		add_calls(
			f, version, "main", "keep", version == VERSION_HEAD ? keep_of_head : 1000);
		add_calls_of_runs(f, version, "main", "grew", 30, f->grew_varies);
		add_calls(f, version, "grew", "leaf", 60);
		add_calls(f, version, "main", "other", 5);
		add_calls(f, version, "main", "still", 40);
	}
}

static bool is_told(const struct fixture *f, const char *caller, const char *callee)
{
	return call_counts_find(&f->versions[VERSION_HEAD].calls, caller, *caller ? "src/a.c" : "",
		       callee, "src/a.c") != NULL;
}

static bool has_culprit(const struct fixture *f, const char *name)
{
	const struct verdict_result *verdict = &f->analysis.verdict;

	for (size_t i = 0; i < verdict->culprit_count; i++) {
		uint32_t function = verdict->culprits[i].function;

		if (strcmp(f->analysis.comparison.matches.functions[function].name, name) == 0)
			return true;
	}
	return false;
}

static void settle(struct fixture *f)
{
	calls_settle(&f->analysis, 1, true, f->counted, f->versions);
	decide(f);
}

static void test_who_gave_nothing_away_leaves_another_culprit_which_is_told(void **state)
{
	struct fixture *f = *state;

	assert_true(has_culprit(f, "hash") && !has_culprit(f, "grew"));
	assert_int_equal(f->analysis.giver_count, 1);
	count(f, 1000);
	settle(f);
	assert_true(has_culprit(f, "grew"));
	assert_true(is_told(f, "main", "grew") && is_told(f, "grew", "leaf"));
	/* Without its counts the verdict would be the first again. */
	assert_true(is_told(f, "", "keep"));
	assert_false(is_told(f, "", "other"));
}

static void test_who_is_called_less_may_have_given_and_nothing_more_is_told(void **state)
{
	struct fixture *f = *state;

	count(f, 800);
	settle(f);
	assert_true(has_culprit(f, "hash") && !has_culprit(f, "grew"));
	assert_true(is_told(f, "", "keep"));
	assert_false(is_told(f, "grew", "leaf"));
}

static void test_who_is_not_called_alike_takes_no_counts_away(void **state)
{
	struct fixture *f = *state;

	f->grew_varies = 1;
	count(f, 1000);
	settle(f);
	assert_true(f->versions[VERSION_HEAD].calls.exact);
	assert_true(is_told(f, "", "keep"));
	assert_false(is_told(f, "", "grew"));
	assert_true(has_culprit(f, "grew"));
}

static void test_who_is_cleared_by_counts_keeps_them(void **state)
{
	struct fixture *f = *state;

	assert_true(has_culprit(f, "still"));
	count(f, 1000);
	settle(f);
	assert_true(is_told(f, "", "still"));
	assert_false(has_culprit(f, "still"));
}

#define test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(test_who_gave_nothing_away_leaves_another_culprit_which_is_told),
		test(test_who_is_not_called_alike_takes_no_counts_away),
		test(test_who_is_cleared_by_counts_keeps_them),
		test(test_who_is_called_less_may_have_given_and_nothing_more_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
