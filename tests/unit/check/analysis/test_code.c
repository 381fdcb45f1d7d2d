/* SPDX-License-Identifier: Apache-2.0 */
/* What recordings know of machine code, and what that makes of their verdict. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "gate/check/analysis/analysis.h"
#include "gate/check/analysis/code.h"
#include "gate/check/check.h"
#include "gate/check/result.h"
#include "gate/profile/code/code_callee.h"
#include "gate/profile/symbolize/symbolize_internal.h"
#include "tests/unit/check/synthetic.h"

#define FUNCTIONS 4

/* parse takes a third longer. */
static const struct synthetic_function slower[FUNCTIONS] = {
	{"main", {0.10, 0.10}},
	{"main;read", {0.40, 0.40}},
	{"main;parse", {0.20, 0.265}},
	{"main;print", {0.30, 0.30}},
};

struct fixture {
	struct measurements *measurements;
	struct recording *versions;
	struct result *result;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->measurements = synthetic_measurements(slower, FUNCTIONS, 42);
	f->versions = f->measurements->benchmarks[0].recordings;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	measurements_free(f->measurements);
	result_free(f->result);
	free(f);
	return 0;
}

static void map_file(struct fixture *f, int version, const char *file, const char *build_id)
{
	struct profile_mapping mapping = {.file = file, .build_id = build_id};

	profile_add_mapping(f->versions[version].profile, &mapping);
}

static void map_both(struct fixture *f, const char *file, const char *base, const char *head)
{
	map_file(f, VERSION_BASE, file, base);
	map_file(f, VERSION_HEAD, file, head);
}

static void know_all_code(struct fixture *f)
{
	for (int version = 0; version < VERSION_COUNT; version++) {
		struct recording *recording = &f->versions[version];
		size_t count = recording->profile->function_count;

		recording->code = arena_array(&recording->arena, count, sizeof(*recording->code));
		recording->code_count = count;
		for (size_t i = 0; i < count; i++)
			recording->code[i] = (struct recording_code){.function = (uint32_t)i,
				.bytes = 64,
				.hash = recording->profile->functions[i].name};
	}
}

static enum result_status decide(struct fixture *f)
{
	result_free(f->result);
	f->result = decide_measurements(f->measurements);
	return f->result->benchmarks[0].status;
}

/* A third more is what a place in memory may do; a script that takes longer is not a place. */
static void test_the_same_code_is_excused_but_not_in_one_build(void **state)
{
	struct fixture *f = *state;

	know_all_code(f);
	map_both(f, "bench", "aa", "bb");
	assert_int_equal(decide(f), RESULT_WARN);
	tear_down(state);
	set_up(state);
	f = *state;
	know_all_code(f);
	map_both(f, "bench", "aa", "aa");
	assert_int_equal(decide(f), RESULT_FAIL);
	assert_int_equal(f->result->benchmarks[0].culprit_count, 1);
}

static struct recording_code *code_of(struct fixture *f, int version, const char *name)
{
	for (size_t i = 0; i < f->versions[version].code_count; i++)
		if (strcmp(f->versions[version].code[i].hash, name) == 0)
			return &f->versions[version].code[i];
	fail_msg("no code of %s", name);
	return NULL;
}

/* Only stage 1 was measured: it saw that parse was split, and flagged nobody. */
static void test_strictly_what_was_split_still_counts_as_one(void **state)
{
	static const struct synthetic_function split[] = {
		{"main;read", {0.40, 0.40}},
		{"main;parse", {0.40, 0.20}},
		{"main;parse;field", {0, 0.20}},
	};

	for (int strict = 0; strict < 2; strict++) {
		struct fixture *f = *state;

		measurements_free(f->measurements);
		f->measurements = synthetic_measurements(split, 3, 43);
		f->versions = f->measurements->benchmarks[0].recordings;
		know_all_code(f);
		for (int version = 0; version < VERSION_COUNT; version++)
			f->versions[version].policy.stage1_pairs = SYNTHETIC_ROUNDS;
		*code_of(f, VERSION_BASE, "parse") = (struct recording_code){
			code_of(f, VERSION_BASE, "parse")->function, 300, "both", NULL, NULL};
		*code_of(f, VERSION_HEAD, "parse") = (struct recording_code){
			code_of(f, VERSION_HEAD, "parse")->function, 160, "rest", NULL, NULL};
		code_of(f, VERSION_HEAD, "field")->bytes = 150;
		f->measurements->strict = strict;
		assert_int_equal(decide(f), RESULT_PASS);
		assert_int_equal(f->result->benchmarks[0].inlining_count, 1);
	}
}

static void test_strictly_the_same_code_is_judged_as_any_other(void **state)
{
	struct fixture *f = *state;

	know_all_code(f);
	map_both(f, "bench", "aa", "bb");
	f->measurements->strict = true;
	assert_int_equal(decide(f), RESULT_FAIL);
	assert_int_equal(f->result->benchmarks[0].culprit_count, 1);
}

/* In head it is called otherwise; all code is known, and parse's has this name in it. */
static void rename_callee(struct fixture *f, const char *shape[VERSION_COUNT])
{
	static const char *const names[VERSION_COUNT] = {"parse;field", "parse;next"};

	for (int version = 0; version < VERSION_COUNT; version++)
		support_add(f->versions[version].profile, names[version], "src/a.c", 100, 0);
	know_all_code(f);
	for (int version = 0; version < VERSION_COUNT; version++)
		for (size_t i = 0; i < f->versions[version].code_count; i++) {
			struct recording_code *code = &f->versions[version].code[i];
			const char *callee = strchr(names[version], ';') + 1;
			char digits[CODE_CALLEE_DIGITS + 1];

			if (strcmp(code->hash, callee) == 0)
				code->hash = "the same";
			if (strcmp(code->hash, "parse") != 0)
				continue;
			code_callee_digits(callee, strlen(callee), digits);
			code->hash = callee;
			code->shape = shape[version];
			code->callees = arena_strdup(&f->versions[version].arena, digits);
		}
}

static uint8_t flags_of(struct fixture *f, const char *name)
{
	const struct recording *recordings[VERSION_COUNT] = {
		&f->versions[VERSION_BASE], &f->versions[VERSION_HEAD]};
	uint8_t flags[16] = {0}, found = 0;
	struct comparison_limits limits = {0};
	struct comparison comparison;
	struct code_known known;

	code_known_init(&known, recordings[VERSION_BASE], recordings[VERSION_HEAD]);
	limits.code = known.versions;
	assert_int_equal(comparison_build(&comparison, recordings[VERSION_BASE]->profile,
				 recordings[VERSION_HEAD]->profile, 0, &limits, NULL),
		ERR_OK);
	code_known_release(&known);
	assert_true(comparison.matches.count <= sizeof(flags));
	code_flag_functions(&comparison, recordings, flags);
	for (size_t i = 0; i < comparison.matches.count; i++)
		if (strcmp(comparison.matches.functions[i].name, name) == 0)
			found = flags[i];
	comparison_release(&comparison);
	return found;
}

static void test_the_caller_of_a_renamed_function_is_unchanged(void **state)
{
	struct fixture *f = *state;
	const char *same[VERSION_COUNT] = {"shape", "shape"},
		   *other[VERSION_COUNT] = {"shape", "other"};
	const char *none[VERSION_COUNT] = {NULL, NULL};

	rename_callee(f, same);
	assert_int_equal(flags_of(f, "parse"), VERDICT_FUNCTION_UNCHANGED);
	assert_int_equal(flags_of(f, "next"), VERDICT_FUNCTION_UNCHANGED);
	tear_down(state);
	set_up(state);
	f = *state;
	rename_callee(f, other);
	assert_int_equal(flags_of(f, "parse"), VERDICT_FUNCTION_CHANGED_CODE);
	tear_down(state);
	set_up(state);
	f = *state;
	rename_callee(f, none);
	assert_int_equal(flags_of(f, "parse"), VERDICT_FUNCTION_CHANGED_CODE);
}

/* ---- noting --------------------------------------------------------------------------------- */

#define HASH "00112233445566778899aabbccddeeff"
#define SHAPE "ffeeddccbbaa99887766554433221100"

/* As the symbolizer's child says it. */
static void tell_code(struct symbolizer *symbolizer, const struct profile_function *function,
	const struct symbolized_code *code)
{
	struct symbol_function told = {function->name, function->system_name, function->file,
		(uint32_t)function->start_line};
	struct symbol_frame frame = {0};
	struct symbol_address address = {&frame, 1};
	struct strbuf reply = STRBUF_INIT;
	struct symbol_cursor cursor;

	symbol_put_string(&reply, code->hash);
	symbol_put_u32(&reply, code->bytes);
	symbol_put_string(&reply, code->shape);
	symbol_put_string(&reply, code->callees);
	cursor = (struct symbol_cursor){reply.data, reply.data + reply.length, false};
	symbolizer->functions = &told;
	symbolizer_take_code(symbolizer, &cursor, &address);
	symbolizer->functions = NULL;
	assert_false(cursor.failed);
	assert_ptr_equal(cursor.at, cursor.end);
	strbuf_release(&reply);
}

static struct symbolizer *new_symbolizer(void)
{
	return symbolizer_new(&(struct symbolizer_options){.hash_code = true});
}

static uint32_t index_of(const struct recording *recording, const char *name)
{
	for (size_t i = 0; i < recording->profile->function_count; i++)
		if (strcmp(recording->profile->functions[i].name, name) == 0)
			return (uint32_t)i;
	fail_msg("no function is called %s", name);
	return 0;
}

/* Its size is what tells a function that was split from one that does more. */
static void test_a_recording_notes_each_functions_code(void **state)
{
	struct fixture *f = *state;
	struct recording *recording = &f->versions[VERSION_HEAD];
	const struct profile_function *functions = recording->profile->functions;
	uint32_t parse = index_of(recording, "parse"), print = index_of(recording, "print");
	struct symbolizer *symbolizer = new_symbolizer();
	char digits[CODE_CALLEE_DIGITS + 1];

	code_callee_digits("field", 5, digits);
	tell_code(symbolizer, &functions[print], &(struct symbolized_code){SHAPE, 48, "", ""});
	tell_code(
		symbolizer, &functions[parse], &(struct symbolized_code){HASH, 260, SHAPE, digits});
	tell_code(symbolizer, &functions[index_of(recording, "read")],
		&(struct symbolized_code){"", 99, "", ""}); /* in doubt */
	code_note(recording, symbolizer);
	symbolizer_free(symbolizer); /* what is noted is the recording's own */
	assert_int_equal(recording->code_count, 2);
	assert_true(parse < print);
	assert_int_equal(recording->code[0].function, parse);
	assert_int_equal(recording->code[0].bytes, 260);
	assert_string_equal(recording->code[0].hash, HASH);
	assert_string_equal(recording->code[0].shape, SHAPE);
	assert_string_equal(recording->code[0].callees, digits);
	assert_int_equal(recording->code[1].function, print);
	assert_int_equal(recording->code[1].bytes, 48);
	assert_string_equal(recording->code[1].hash, SHAPE);
	assert_null(recording->code[1].shape);
	assert_null(recording->code[1].callees);
}

static void test_a_recording_notes_only_so_many(void **state)
{
	struct fixture *f = *state;
	struct recording *recording = &f->versions[VERSION_HEAD];
	struct profile *profile = recording->profile;
	struct symbolizer *symbolizer = new_symbolizer();

	for (int i = 0; i < RECORDING_MAX_CODE + 3; i++) {
		char name[32];
		struct profile_function function = {.name = name, .system_name = "", .file = ""};
		uint32_t added;

		snprintf(name, sizeof(name), "many%d", i);
		added = profile_add_function(profile, &function);
		tell_code(symbolizer, &profile->functions[added],
			&(struct symbolized_code){HASH, 32, "", ""});
	}
	code_note(recording, symbolizer);
	symbolizer_free(symbolizer);
	assert_int_equal(recording->code_count, RECORDING_MAX_CODE);
}

/* ---- places --------------------------------------------------------------------------------- */

/* One sample of memcpy, in libc, in the first round. */
static void add_libc_sample(struct recording *recording)
{
	struct profile *profile = recording->profile;
	struct profile_mapping libc = {.file = "/usr/lib/libc.so.6", .build_id = "cc"};
	struct profile_function memcpy_ = {
		.name = "memcpy", .system_name = "", .file = "", .start_line = 0};
	struct profile_line line = {.function = profile_add_function(profile, &memcpy_)};
	struct profile_location location = {.mapping = profile_add_mapping(profile, &libc),
		.address = 0x99,
		.lines = &line,
		.line_count = 1};
	uint32_t place = profile_add_location(profile, &location);
	int64_t values[3] = {1, 1000000, 1000000};
	struct profile_label label = {.key = PROFILE_LABEL_ROUND, .unit = ""};
	struct profile_sample sample = {.values = values,
		.labels = &label,
		.label_count = 1,
		.locations = &place,
		.depth = 1};

	profile_add_sample(profile, &sample);
	recording->rounds[0].samples++;
	recording->rounds[0].complete++;
	recording->rounds[0].sampled_seconds += 0.001;
	recording->rounds[0].cpu_seconds += 0.001;
}

static void test_the_verdict_is_told_what_has_one_place(void **state)
{
	struct fixture *f = *state;
	struct analysis analysis;
	size_t told = 0;

	for (int version = 0; version < VERSION_COUNT; version++)
		add_libc_sample(&f->versions[version]);
	assert_int_equal(analysis_prepare(&analysis, &f->versions[VERSION_BASE],
				 &f->versions[VERSION_HEAD], NULL, 1, NULL),
		ERR_OK);
	for (size_t i = 0; i < analysis.input.function_count; i++) {
		bool is_libc = strcmp(analysis.comparison.matches.functions[i].name, "memcpy") == 0;
		uint8_t flags = analysis.input.function_flags[i];

		assert_int_equal((flags & VERDICT_FUNCTION_SAME_PLACE) != 0, is_libc);
		told += is_libc;
	}
	assert_int_equal(told, 1);
	analysis_release(&analysis);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_the_same_code_is_excused_but_not_in_one_build),
		CASE(test_strictly_what_was_split_still_counts_as_one),
		CASE(test_strictly_the_same_code_is_judged_as_any_other),
		CASE(test_the_caller_of_a_renamed_function_is_unchanged),
		CASE(test_a_recording_notes_each_functions_code),
		CASE(test_a_recording_notes_only_so_many),
		CASE(test_the_verdict_is_told_what_has_one_place),
	};

	return cmocka_run_group_tests_name("code", tests, NULL, NULL);
}
