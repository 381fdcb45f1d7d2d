/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/recording/recording.h"

#include <math.h>

#include "gate/base/error.h"
#include "gate/bench/recording/recording_json.h"
#include "gate/profile/code/code_callee.h"
#include "tests/unit/bench/scene.h"

/* Two functions' samples in each round, `share` of the round's CPU time in all. */
static struct profile *make_profile(const struct recording *recording, double share)
{
	struct profile *profile = profile_new();
	size_t i, j;

	profile_add_type(profile, PROFILE_TYPE_SAMPLES, "count");
	profile_add_type(profile, PROFILE_TYPE_CPU, "nanoseconds");
	profile_add_type(profile, PROFILE_TYPE_CPU_SQUARES, "microseconds_squared");
	profile->default_type = 1;
	for (i = 0; i < recording->round_count; i++)
		for (j = 0; j < 2; j++) {
			struct profile_function function = {j ? "main" : "</script>", "", "a.c", 1};
			struct profile_line line = {profile_add_function(profile, &function), 3};
			struct profile_location location = {
				PROFILE_NO_MAPPING, 16 + j, &line, 1, false};
			uint32_t index = profile_add_location(profile, &location);
			int64_t nanoseconds =
				(int64_t)(share * recording->rounds[i].cpu_seconds * 0.5e9);
			int64_t values[3] = {50, nanoseconds, 7};
			struct profile_label label = {PROFILE_LABEL_ROUND, NULL, (int64_t)i, ""};
			struct profile_sample sample = {&index, 1, values, &label, 1};

			profile_add_sample(profile, &sample);
		}
	return profile;
}

static const struct repo_hunk hunks[] = {{3, 1, 3, 2}, {9, 0, 11, 1}};
static struct repo_file_change changes[] = {
	{"a.c", "a.c", hunks, 2, false}, {"old/\"b\".c", "new/b.c", NULL, 0, true}};
static const char *context_lines[] = {"first", "</script>", "third"};

static struct recording_context make_context(void)
{
	return (struct recording_context){.benchmarks_in_gate = 3,
		.date = "2026-11-21T14:37:47Z",
		.policy_origin = "main:.flamegate.yml",
		.wall_seconds = 152.75,
		.warnings = {context_lines, 1},
		.notes = {context_lines + 1, 2},
		.check_warnings = {context_lines + 2, 1},
		.diff = {changes, 2}};
}

static const double history[] = {0.5, 0, 0.001953125};

static struct memory_moment moments[] = {
	{0.001, 0, 100, 250}, {0.5, 3, 4096, 4096}, {2.25, 7, 0, 1e9}};
static struct memory_line memory[] = {{0}, {moments, 3, 2, 3}};

static struct call_count call_items[] = {{"", "", "hash", "a.c", 300, 4500.5, 12},
	{"</script>", "", "hash", "a.c", 200}, {"main", "a.c", "hash", "a.c", 100},
	{"", "", "hash", "b.c", 2.5}, {"", "", "main", "a.c", 1}};

static struct recording make_recording(double share)
{
	struct recording recording = {.arena = ARENA_INIT,
		.tool_version = "0.1",
		.benchmark = "parse/\"large\"",
		.command = "./bench --x\n</script>",
		.role = "base",
		.commit = "0123456789abcdef0123456789abcdef01234567",
		.tree = "76543210",
		.mechanism = "perf",
		.branch = "main",
		.profile_type = RECORDING_TYPE_CPU,
		.time_ns = INT64_C(1764000000123456789),
		.rate_hz = 997,
		.seed = 0xFEDCBA9876543210,
		.counted_work = true,
		.policy = {CONFIG_FAIL, 16, 24, 0.002, 0.02, 0.01, 0.01},
		.round_count = 5};
	size_t i;

	fingerprint_read(&recording.fingerprint, &recording.arena);
	recording.rounds = arena_array(&recording.arena, 5, sizeof(*recording.rounds));
	for (i = 0; i < 5; i++)
		recording.rounds[i] = (struct recording_round){.cpu_seconds = 1.0 + 0.1 * (double)i,
			.sampled_seconds = share * (1.0 + 0.1 * (double)i),
			.wall_seconds = 1.5,
			.iterations = 1000.25,
			.samples = 100,
			.complete = 99,
			.lost = 1,
			.order = (uint32_t)(i % 2),
			.processes = 2,
			.own_seconds = 0.015625,
			.paused_seconds = 0.25,
			.left_out_seconds = 0.125,
			.planted_seconds = 0.0625,
			.max_rss_bytes = 1 << 20,
			.threads = 3,
			.off_cpu_seconds = 0.5,
			.lock_seconds = 0.75,
			.contentions = 12,
			.leak_bytes = -1.5,
			.leak_epochs = 9};
	recording.warnings = arena_array(&recording.arena, 1, sizeof(*recording.warnings));
	recording.warnings[0] = "a warning";
	recording.policy.gate[METRIC_MAX_RSS] = METRIC_FAILS;
	recording.warning_count = 1;
	recording.profile = make_profile(&recording, share);
	recording.context = make_context();
	recording.code = arena_array(&recording.arena, 2, sizeof(*recording.code));
	recording.code[0] = (struct recording_code){
		.function = 0, .bytes = 17, .hash = "0123456789abcdef0123456789abcdef"};
	recording.code[1] = (struct recording_code){.function = 1,
		.hash = "fedcba9876543210fedcba9876543210",
		.shape = "00112233445566778899aabbccddeeff",
		.callees = "a123456789abcdefb123456789abcdef"};
	recording.code_count = 2;
	recording.memory = memory;
	recording.memory_count = 2;
	recording.history = history;
	recording.history_count = 3;
	recording.calls = (struct call_counts){.engine = CALL_COUNTS_CALLGRIND,
		.exact = true,
		.runs = 2,
		.items = call_items,
		.count = sizeof(call_items) / sizeof(call_items[0])};
	return recording;
}

static void test_what_is_written_is_read_again(void **state)
{
	struct scene *scene = *state;
	struct recording one = make_recording(1), two;
	size_t i;

	assert_ok(scene, recording_write(&one, at(scene, "a/b"), &scene->err));
	assert_ok(scene, recording_read(at(scene, "a/b"), &two, &scene->err));
	assert_string_equal(two.benchmark, one.benchmark);
	assert_string_equal(two.command, one.command);
	assert_string_equal(two.role, "base");
	assert_string_equal(two.commit, one.commit);
	assert_string_equal(two.tree, one.tree);
	assert_string_equal(two.mechanism, "perf");
	assert_string_equal(two.branch, "main");
	assert_string_equal(two.profile_type, RECORDING_TYPE_CPU);
	assert_true(two.time_ns == INT64_C(1764000000123456789));
	assert_string_equal(two.tool_version, "0.1");
	assert_int_equal(two.rate_hz, 997);
	assert_true(two.seed == one.seed);
	assert_true(two.counted_work);
	assert_memory_equal(&two.policy, &one.policy, sizeof(one.policy));
	assert_string_equal(two.fingerprint.cpu_model, one.fingerprint.cpu_model);
	assert_string_equal(two.fingerprint.kernel, one.fingerprint.kernel);
	assert_true(two.fingerprint.memory_bytes == one.fingerprint.memory_bytes);
	assert_int_equal(two.round_count, 5);
	for (i = 0; i < 5; i++)
		assert_memory_equal(&two.rounds[i], &one.rounds[i], sizeof(one.rounds[i]));
	assert_int_equal(two.warning_count, 1);
	assert_string_equal(two.warnings[0], "a warning");
	assert_int_equal(two.profile->sample_count, one.profile->sample_count);
	assert_int_equal(two.history_count, 3);
	assert_memory_equal(two.history, one.history, 3 * sizeof(*one.history));
	assert_int_equal(two.memory_count, 1);
	assert_int_equal(two.memory->count, 3);
	assert_int_equal(two.memory->processes, 2);
	assert_int_equal(two.memory->runs, 3);
	assert_memory_equal(two.memory->moments, moments, sizeof(moments));
	assert_int_equal(two.code_count, 2);
	assert_int_equal(two.code[0].bytes, 17);
	assert_int_equal(two.code[1].function, 1);
	assert_string_equal(two.code[1].hash, "fedcba9876543210fedcba9876543210");
	assert_null(two.code[0].shape);
	assert_null(two.code[0].callees);
	assert_string_equal(two.code[1].shape, one.code[1].shape);
	assert_string_equal(two.code[1].callees, one.code[1].callees);
	assert_string_equal(two.profile->functions[1].name, one.profile->functions[1].name);
	assert_ok(scene, recording_check(&two, &scene->err));
	recording_release(&one);
	recording_release(&two);
}

static void test_what_the_check_knew_is_read_again(void **state)
{
	struct scene *scene = *state;
	struct recording one = make_recording(1), two;
	const struct recording_context *context = &two.context;

	assert_ok(scene, recording_write(&one, at(scene, "a"), &scene->err));
	assert_ok(scene, recording_read(at(scene, "a"), &two, &scene->err));
	assert_int_equal(context->benchmarks_in_gate, 3);
	assert_string_equal(context->date, "2026-11-21T14:37:47Z");
	assert_string_equal(context->policy_origin, "main:.flamegate.yml");
	assert_true(context->wall_seconds == 152.75);
	assert_int_equal(context->warnings.count, 1);
	assert_string_equal(context->warnings.items[0], "first");
	assert_int_equal(context->notes.count, 2);
	assert_string_equal(context->notes.items[1], "third");
	assert_int_equal(context->check_warnings.count, 1);
	assert_string_equal(context->check_warnings.items[0], "third");
	assert_int_equal(context->config_changes.count, 0);
	assert_int_equal(context->diff.file_count, 2);
	assert_int_equal(context->diff.files[0].hunk_count, 2);
	assert_memory_equal(context->diff.files[0].hunks, hunks, sizeof(hunks));
	assert_string_equal(context->diff.files[1].old_path, "old/\"b\".c");
	assert_string_equal(context->diff.files[1].new_path, "new/b.c");
	assert_true(context->diff.files[1].binary);
	recording_release(&one);
	recording_release(&two);
}

static void test_a_recording_of_no_check_has_no_context(void **state)
{
	struct scene *scene = *state;
	struct recording one = make_recording(1), two;

	one.context = (struct recording_context){0};
	assert_ok(scene, recording_write(&one, at(scene, "a"), &scene->err));
	sh(scene, "! grep -q '\"check\"' a/recording.json");
	assert_ok(scene, recording_read(at(scene, "a"), &two, &scene->err));
	assert_int_equal(two.context.benchmarks_in_gate, 0);
	assert_int_equal(two.context.diff.file_count, 0);
	recording_release(&one);
	recording_release(&two);
}

static void test_equal_recordings_give_equal_bytes(void **state)
{
	struct scene *scene = *state;
	struct recording one = make_recording(1), two;

	assert_ok(scene, recording_write(&one, at(scene, "a"), &scene->err));
	assert_ok(scene, recording_read(at(scene, "a"), &two, &scene->err));
	assert_ok(scene, recording_write(&two, at(scene, "b"), &scene->err));
	sh(scene, "cmp a/recording.json b/recording.json && cmp a/cpu.pb.gz b/cpu.pb.gz");
	recording_release(&one);
	recording_release(&two);
}

static void test_names_are_safe_in_html(void **state)
{
	struct recording recording = make_recording(1);
	struct strbuf text = STRBUF_INIT;

	(void)state;
	recording_encode(&recording, &text);
	assert_lacks(text.data, "</script>");
	strbuf_release(&text);
	recording_release(&recording);
}

static void test_links_are_not_followed(void **state)
{
	struct scene *scene = *state;
	struct recording one = make_recording(1), two;

	assert_ok(scene, recording_write(&one, at(scene, "a"), &scene->err));
	sh(scene, "mkdir b c && ln -s ../a/recording.json b/ && cp a/cpu.pb.gz b/ &&"
		  "cp a/recording.json c/ && ln -s ../a/cpu.pb.gz c/");
	assert_fails(scene, recording_read(at(scene, "b"), &two, &scene->err), ERR_CORRUPT,
		"symbolic link");
	assert_fails(scene, recording_read(at(scene, "c"), &two, &scene->err), ERR_CORRUPT,
		"symbolic link");
	assert_int_equal(recording_read(at(scene, "none"), &two, &scene->err), ERR_NOT_FOUND);
	sh(scene, "rm c/cpu.pb.gz; echo junk >c/cpu.pb.gz");
	assert_fails(
		scene, recording_read(at(scene, "c"), &two, &scene->err), ERR_CORRUPT, "cpu.pb.gz");
	recording_release(&one);
}

/* Decodes after the first `from` in the valid text is replaced by `to`. */
static int decode_edited(struct scene *scene, const char *from, const char *to)
{
	struct recording recording = make_recording(1), read = {.arena = ARENA_INIT};
	struct strbuf text = STRBUF_INIT, edited = STRBUF_INIT;
	const char *found;
	int rc;

	recording_encode(&recording, &text);
	found = strstr(text.data, from);
	assert_non_null(found);
	strbuf_add(&edited, text.data, (size_t)(found - text.data));
	strbuf_addstr(&edited, to);
	strbuf_addstr(&edited, found + strlen(from));
	rc = recording_decode(edited.data, edited.length, &read, &scene->err);
	arena_release(&read.arena);
	recording_release(&recording);
	strbuf_release(&text);
	strbuf_release(&edited);
	return rc;
}

static void test_schema_errors_name_the_place(void **state)
{
	static const struct {
		const char *from, *to, *message;
	} edits[] = {
		{"\"format\": 1", "\"format\": 2", "recording.json: format: is 2"},
		{"\"format\": 1", "\"f\": 1", "format"},
		{"\"rate_hz\": 997", "\"rate_hz\": -1", "rate_hz: expected a whole number"},
		{"\"rate_hz\": 997", "\"rate_hz\": 1.5", "rate_hz: expected a whole number"},
		{"\"rate_hz\": 997", "\"rate_hz\": 5e9", "rate_hz"},
		{"\"role\": \"base\"", "\"role\": \"../x\"", "role: expected \"base\""},
		{"\"seed\": \"fedcba9876543210\"", "\"seed\": \"x\"", "seed: expected 16"},
		{"\"on_base_failure\": \"fail\"", "\"on_base_failure\": \"no\"",
			"policy.on_base_failure"},
		{"\"cpu_seconds\":1", "\"cpu_seconds\":\"1\"", "rounds[0].cpu_seconds: expected"},
		{"\"cpu_seconds\":1", "\"cpu_seconds\":-1", "rounds[0].cpu_seconds"},
		{"\"order\":1", "\"order\":2", "rounds[1].order"},
		{"\"a warning\"", "7", "warnings[0]"},
		{"\"warnings\"", "\"wornings\"", "warnings"},
		{"\"rounds\": [", "\"rounds\": [3,", "rounds[0]"},
		{"\"check\": {", "\"check\": [], \"c\": {", "check: expected an object"},
		{"\"benchmarks_in_gate\": 3", "\"benchmarks_in_gate\": 0.5", "benchmarks_in_gate"},
		{"\"notes\"", "\"nites\"", "check: \"notes\" is missing"},
		{"[3,1,3,2]", "[3,1,3]", "check.diff[0].hunks[0]"},
		{"[3,1,3,2]", "[3,1,-3,2]", "no line number"},
		{"[3,1,3,2]", "[3,8,3,2]", "hunks[1]: the hunks are not in order"},
		{"[3,1,3,2]", "[3,1,3,9]", "hunks[1]: the hunks are not in order"},
		{"[0,\"0123", "[7,\"0123", "code[1]: is not in the functions' order"},
		{"[0,\"0123", "[-1,\"0123", "code[0][0]: expected a whole number"},
		{"[0,\"0123", "[0,1,\"0123", "code[0]: expected three"},
		{"[0,\"0123", "[0,\"X123", "code[0][1]: expected 32"},
		{",17]", ",1e12]", "code[0][2]: expected a whole number"},
		{"\"code_shapes\": [", "\"code_shapes\": 3, \"c\": [",
			"code_shapes: expected an array"},
		{"[1,\"0011", "[2,\"0011", "code_shapes[0]: is of a function without code"},
		{"[1,\"fedc", "[7,\"fedc", "code_shapes[0]: is of a function without code"},
		{"[1,\"0011", "[1.5,\"0011", "code_shapes[0][0]: expected a whole number"},
		{"[1,\"0011", "[1,1,\"0011", "code_shapes[0]: expected three"},
		{"[1,\"0011", "[1,\"X011", "code_shapes[0][1]: expected 32"},
		{"\"a123", "\"X123", "code_shapes[0][2]: expected 16"},
		{"\"a123", "\"1a123", "code_shapes[0][2]: expected 16"},
		{"\"a123456789abcdefb123456789abcdef\"", "\"\"", "code_shapes[0][2]: expected 16"},
		{"\"a123456789abcdefb123456789abcdef\"", "3",
			"code_shapes[0][2]: expected a string"},
		{"\"code_shapes\": [",
			"\"code_shapes\": "
			"[[1,\"00112233445566778899aabbccddeeff\",\"a123456789abcdef\"],",
			"code_shapes[1]: is not in the functions' order"},
		{"{", "[{", "recording.json"},
		{"}", "", "recording.json"},
	};
	struct scene *scene = *state;
	size_t i;

	for (i = 0; i < sizeof(edits) / sizeof(edits[0]); i++)
		assert_fails(scene, decode_edited(scene, edits[i].from, edits[i].to), ERR_CORRUPT,
			edits[i].message);
}

static void test_too_many_rounds_are_refused(void **state)
{
	struct scene *scene = *state;
	struct strbuf rounds = STRBUF_INIT;
	int i;

	strbuf_addstr(&rounds, "\"rounds\": [");
	for (i = 0; i <= RECORDING_MAX_ROUNDS; i++)
		strbuf_addstr(&rounds, "{},");
	assert_fails(scene, decode_edited(scene, "\"rounds\": [", rounds.data), ERR_CORRUPT,
		"more than 1024 rounds");
	strbuf_release(&rounds);
}

static void test_a_history_without_end_or_sense_is_refused(void **state)
{
	struct scene *scene = *state;
	struct strbuf text = STRBUF_INIT;

	strbuf_addstr(&text, "\"history\": [");
	for (int i = 0; i <= RECORDING_MAX_HISTORY; i++)
		strbuf_addstr(&text, "0,");
	assert_fails(scene, decode_edited(scene, "\"history\": [", text.data), ERR_CORRUPT,
		"more than 64 entries");
	assert_fails(scene, decode_edited(scene, "\"history\": [", "\"history\": [-1,"),
		ERR_CORRUPT, "expected a number from 0");
	strbuf_release(&text);
}

static void test_a_heap_over_time_without_end_or_sense_is_refused(void **state)
{
	static const struct {
		const char *from, *to, *part;
	} edits[] = {
		{"\"runs\": 3", "\"runs\": 0", "memory.runs: expected a whole number from 1"},
		{"\"processes\": 2", "\"processes\": 1e10", "memory.processes"},
		{"\"memory\": {", "\"memory\": [], \"x\": {", "memory"},
		{"\"seconds\": [0.001", "\"seconds\": [-1", "expected a number from 0"},
		{"\"seconds\": [0.001", "\"seconds\": [0.6", "expected a number from 0.6"},
		{"\"iterations\": [0", "\"iterations\": [0.5", "expected a whole number"},
		{"\"iterations\": [0", "\"iterations\": [0,0", "expected 3 entries"},
		{"\"inuse_bytes\": [100", "\"inuse_bytes\": [300", "is less than what is in use"},
		{"\"most_bytes\": [250", "\"most_bytes\": [1e16", "expected a whole number"},
		{"\"most_bytes\": [250", "\"most_bytes\": [null", "expected a number"},
	};
	struct scene *scene = *state;
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++)
		assert_fails(scene, decode_edited(scene, edits[i].from, edits[i].to), ERR_CORRUPT,
			edits[i].part);
	strbuf_addstr(&text, "\"seconds\": [");
	for (int i = 0; i < MEMORY_LINE_MOST; i++)
		strbuf_addstr(&text, "0,");
	assert_fails(scene, decode_edited(scene, "\"seconds\": [", text.data), ERR_CORRUPT,
		"expected 1 to 200 entries");
	strbuf_release(&text);
}

static const struct call_count *find_call(const struct recording *recording, const char *caller,
	const char *caller_file, const char *callee_file)
{
	return call_counts_find(&recording->calls, caller, caller_file, "hash", callee_file);
}

static void test_call_counts_are_read_again(void **state)
{
	struct scene *scene = *state;
	struct recording one = make_recording(1), two;

	assert_ok(scene, recording_write(&one, at(scene, "a"), &scene->err));
	assert_ok(scene, recording_read(at(scene, "a"), &two, &scene->err));
	assert_string_equal(two.calls.engine, CALL_COUNTS_CALLGRIND);
	assert_string_equal(two.calls.why_not, "");
	assert_true(two.calls.exact);
	assert_int_equal(two.calls.runs, 2);
	assert_int_equal(two.calls.count, 5);
	assert_true(find_call(&two, "", "", "a.c")->calls == 300);
	assert_true(find_call(&two, "", "", "a.c")->instructions == 4500.5);
	assert_true(find_call(&two, "", "", "a.c")->own_instructions == 12);
	assert_true(find_call(&two, "</script>", "", "a.c")->calls == 200);
	assert_true(find_call(&two, "main", "a.c", "a.c")->calls == 100);
	assert_true(find_call(&two, "main", "a.c", "a.c")->instructions == 0);
	assert_true(find_call(&two, "", "", "b.c")->calls == 2.5);
	assert_null(find_call(&two, "", "", "c.c"));
	assert_null(find_call(&two, "main", "b.c", "a.c"));
	recording_release(&one);
	recording_release(&two);
}

static void test_why_no_calls_were_counted_is_read_again(void **state)
{
	struct scene *scene = *state;
	struct recording one = make_recording(1), two;

	one.calls = (struct call_counts){.why_not = "valgrind is not installed"};
	assert_ok(scene, recording_write(&one, at(scene, "a"), &scene->err));
	assert_ok(scene, recording_read(at(scene, "a"), &two, &scene->err));
	assert_string_equal(two.calls.engine, "");
	assert_string_equal(two.calls.why_not, "valgrind is not installed");
	assert_int_equal(two.calls.count, 0);
	recording_release(&one);
	recording_release(&two);
}

static void test_a_recording_of_which_no_calls_were_wanted_has_no_member_for_them(void **state)
{
	struct scene *scene = *state;
	struct recording one = make_recording(1), two;

	one.calls = (struct call_counts){0};
	assert_ok(scene, recording_write(&one, at(scene, "a"), &scene->err));
	sh(scene, "! grep -q '\"calls\"' a/recording.json");
	assert_ok(scene, recording_read(at(scene, "a"), &two, &scene->err));
	assert_string_equal(two.calls.engine, "");
	assert_string_equal(two.calls.why_not, "");
	recording_release(&one);
	recording_release(&two);
}

static void test_call_counts_without_end_or_sense_are_refused(void **state)
{
	static const struct {
		const char *from, *to, *part;
	} edits[] = {
		{"\"calls\": {", "\"calls\": [], \"x\": {", "calls: expected an object"},
		{"\"engine\": \"callgrind\"", "\"engine\": \"gdb\"", "calls.engine: expected"},
		{"\"engine\": \"callgrind\"", "\"engine\": \"\"", "do not go together"},
		{"\"runs\": 2", "\"runs\": 0", "do not go together"},
		{"\"runs\": 2", "\"runs\": 1e6", "calls.runs: expected a whole number"},
		{"\"exact\": true", "\"exact\": 1", "calls.exact"},
		{"\"why_not\": \"\"", "\"why_not\": null", "calls.why_not"},
		{"\"hash\",\"a.c\",300,4500.5,12]", "\"hash\",\"a.c\"]",
			"calls.items[0]: expected 5"},
		{"\"hash\",\"a.c\",300,4500.5,12]", "\"hash\",\"a.c\",-1,4]",
			"items[0][4]: expected a number"},
		{"\"hash\",\"a.c\",300,4500.5,12]", "\"hash\",\"a.c\",1e16,4]",
			"items[0][4]: expected a number"},
		{"\"hash\",\"a.c\",300,4500.5,12]", "\"\",\"a.c\",300,4500.5,12]",
			"items[0][2]: expected a function"},
		{"\"hash\",\"a.c\",300,4500.5,12]", "3,\"a.c\",300,4500.5,12]",
			"items[0][2]: expected a string"},
		{"\"hash\",\"a.c\",300,4500.5,12]", "\"hush\",\"a.c\",300,4500.5,12]",
			"items[1]: is not in the"},
		{"\"hash\",\"a.c\",300,4500.5,12]", "\"hash\",\"a.c\",300,-4]",
			"items[0][5]: expected a number"},
		{"\"hash\",\"a.c\",300,4500.5,12]", "\"hash\",\"a.c\",300,4,-4]",
			"items[0][6]: expected a number"},
		{"\"hash\",\"a.c\",300,4500.5,12]", "\"hash\",\"a.c\",300,4,4,4]",
			"items[0]: expected 5 to 7"},
		{"[\"main\",\"a.c\",\"hash\"", "[\"\",\"a.c\",\"hash\"",
			"is the file of no caller"},
	};
	struct scene *scene = *state;
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++)
		assert_fails(scene, decode_edited(scene, edits[i].from, edits[i].to), ERR_CORRUPT,
			edits[i].part);
	strbuf_addstr(&text, "\"items\": [");
	for (int i = 0; i < CALL_COUNTS_MAX; i++)
		strbuf_addstr(&text, "0,");
	assert_fails(scene, decode_edited(scene, "\"items\": [", text.data), ERR_CORRUPT,
		"more than 1000 entries");
	strbuf_release(&text);
}

static void test_which_functions_there_are_is_read_again(void **state)
{
	struct scene *scene = *state;
	struct recording one = make_recording(1), two;

	one.names = (struct function_names){"00000000010000000002", 2, true};
	assert_ok(scene, recording_write(&one, at(scene, "a"), &scene->err));
	assert_ok(scene, recording_read(at(scene, "a"), &two, &scene->err));
	assert_int_equal(two.names.count, 2);
	assert_true(two.names.complete);
	assert_string_equal(two.names.digits, one.names.digits);
	recording_release(&two);
	one.names = (struct function_names){0};
	assert_ok(scene, recording_write(&one, at(scene, "b"), &scene->err));
	sh(scene, "! grep -q function_names b/recording.json");
	assert_ok(scene, recording_read(at(scene, "b"), &two, &scene->err));
	assert_int_equal(two.names.count, 0);
	recording_release(&one);
	recording_release(&two);
}

static void test_functions_in_no_order_are_refused(void **state)
{
	static const struct {
		const char *to, *part;
	} edits[] = {
		{"\"function_names\": 1, \"warnings\": [", "function_names: expected an object"},
		{"\"function_names\": {\"complete\": 1, \"digits\": \"\"}, \"warnings\": [",
			"complete"},
		{"\"function_names\": {\"complete\": true}, \"warnings\": [", "digits"},
		{"\"function_names\": {\"complete\": true, \"digits\": \"0123\"}, \"warnings\": [",
			"function_names.digits: expected ascending entries"},
		{"\"function_names\": {\"complete\": true, \"digits\": "
		 "\"00000000020000000001\"}, \"warnings\": [",
			"function_names.digits: expected ascending entries"},
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++)
		assert_fails(scene, decode_edited(scene, "\"warnings\": [", edits[i].to),
			ERR_CORRUPT, edits[i].part);
}

static void test_recordings_without_code_are_read(void **state)
{
	struct scene *scene = *state;
	struct recording one = make_recording(1), two;

	assert_ok(scene, recording_write(&one, at(scene, "a"), &scene->err));
	sh(scene, "sed -i 's/\"code/\"older/' a/recording.json");
	assert_ok(scene, recording_read(at(scene, "a"), &two, &scene->err));
	assert_int_equal(two.code_count, 0);
	recording_release(&one);
	recording_release(&two);
}

static void test_recordings_without_shapes_are_read(void **state)
{
	struct scene *scene = *state;
	struct recording one = make_recording(1), two;

	assert_ok(scene, recording_write(&one, at(scene, "a"), &scene->err));
	sh(scene, "sed -i 's/\"code_shapes\"/\"older\"/' a/recording.json");
	assert_ok(scene, recording_read(at(scene, "a"), &two, &scene->err));
	assert_int_equal(two.code_count, 2);
	assert_null(two.code[1].shape);
	recording_release(&one);
	recording_release(&two);
}

static void test_where_nothing_is_called_nothing_is_said(void **state)
{
	struct recording recording = make_recording(1);
	struct strbuf text = STRBUF_INIT;

	(void)state;
	recording.code[1].shape = recording.code[1].callees = NULL;
	recording_encode(&recording, &text);
	assert_lacks(text.data, "code_shapes");
	strbuf_release(&text);
	recording_release(&recording);
}

static void test_too_many_callees_are_refused(void **state)
{
	struct scene *scene = *state;
	struct strbuf callees = STRBUF_INIT;

	strbuf_addch(&callees, '"');
	for (int i = 0; i < CODE_MAX_CALLEES - 1; i++)
		strbuf_addstr(&callees, "0123456789abcdef");
	strbuf_addstr(&callees, "a123");
	assert_fails(scene, decode_edited(scene, "\"a123", callees.data), ERR_CORRUPT,
		"code_shapes[0][2]: expected 16 hexadecimal digits for each of 1 to 64 callees");
	strbuf_release(&callees);
}

static void test_code_of_no_function_is_refused(void **state)
{
	struct scene *scene = *state;
	struct recording one = make_recording(1), two;

	one.code[1].function = 2;
	assert_ok(scene, recording_write(&one, at(scene, "a"), &scene->err));
	assert_fails(scene, recording_read(at(scene, "a"), &two, &scene->err), ERR_CORRUPT,
		"function 3, but the profile has 2");
	recording_release(&one);
}

static void test_mutated_texts_never_crash_the_reader(void **state)
{
	static const char bytes[] = "{}[]\",:0-9eE.\\untf \xFF";
	struct recording recording = make_recording(1);
	struct strbuf text = STRBUF_INIT;
	unsigned seed = 3;
	char *copy;
	int round;

	(void)state;
	recording_encode(&recording, &text);
	copy = malloc(text.length);
	assert_non_null(copy);
	for (round = 0; round < 20000; round++) {
		struct recording read = {.arena = ARENA_INIT};
		int edits = 1 + rand_r(&seed) % 3;

		memcpy(copy, text.data, text.length);
		while (edits--)
			copy[(size_t)rand_r(&seed) % text.length] =
				bytes[(size_t)rand_r(&seed) % (sizeof(bytes) - 1)];
		if (!recording_decode(copy, text.length, &read, NULL))
			assert_true(read.round_count <= RECORDING_MAX_ROUNDS);
		arena_release(&read.arena);
	}
	free(copy);
	strbuf_release(&text);
	recording_release(&recording);
}

static void check_fails(struct scene *scene, struct recording *recording, const char *part)
{
	assert_fails(scene, recording_check(recording, &scene->err), ERR_MEASURE, part);
	recording_release(recording);
}

static void test_half_of_the_samples_missing_is_noticed(void **state)
{
	struct scene *scene = *state;
	struct recording recording = make_recording(0.5);

	check_fails(scene, &recording, "samples account for 50 % of the CPU time: 50 %");
}

static void test_half_of_a_short_run_missing_is_said_to_be_short(void **state)
{
	struct scene *scene = *state;
	struct recording recording = make_recording(0.5);

	recording.counted_work = false;
	for (size_t i = 0; i < recording.round_count; i++)
		recording.rounds[i].iterations = recording.rounds[i].cpu_seconds / 0.01;
	check_fails(scene, &recording, "a run takes only 10 ms of CPU time, too short");
}

static void test_more_samples_than_cpu_time_is_noticed(void **state)
{
	struct scene *scene = *state;
	struct recording recording = make_recording(1.5);

	check_fails(scene, &recording, "150 % of the CPU time");
}

static void test_ordinary_coverage_is_fine(void **state)
{
	struct scene *scene = *state;
	static const double shares[] = {0.75, 0.95, 1, 1.25};
	size_t i;

	for (i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		struct recording recording = make_recording(shares[i]);

		assert_ok(scene, recording_check(&recording, &scene->err));
		recording_release(&recording);
	}
}

/* Two milliseconds of each process, but never more than three tenths. */
static void test_ends_of_processes_cannot_be_seen(void **state)
{
	static const struct {
		double share;
		uint32_t processes; /* of a round of 1.2 s on average */
		bool fine;
	} cases[] = {
		{0.6, 50, false}, {0.6, 65, true}, {0.45, 100000, true}, {0.35, 100000, false}};
	struct scene *scene = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct recording recording = make_recording(cases[i].share);

		for (size_t b = 0; b < recording.round_count; b++)
			recording.rounds[b].processes = cases[i].processes;
		if (!cases[i].fine) {
			check_fails(scene, &recording, "of the CPU time");
			continue;
		}
		assert_ok(scene, recording_check(&recording, &scene->err));
		recording_release(&recording);
	}
}

static void test_a_round_without_samples_is_noticed(void **state)
{
	struct scene *scene = *state;
	struct recording recording = make_recording(1), empty = make_recording(1);

	recording.rounds[3].samples = 0;
	check_fails(scene, &recording, "round 3 has no samples");
	empty.rounds = arena_array(&empty.arena, 6, sizeof(*empty.rounds));
	empty.round_count = 6;
	while (empty.round_count--)
		empty.rounds[empty.round_count] = (struct recording_round){.cpu_seconds = 1,
			.sampled_seconds = 1,
			.wall_seconds = 1,
			.iterations = 1,
			.samples = 9,
			.complete = 9,
			.processes = 1};
	empty.round_count = 6;
	for (size_t i = 0; i < 5; i++)
		empty.rounds[i].sampled_seconds = 1.0 + 0.1 * (double)i;
	check_fails(scene, &empty, "round 5 has no samples");
}

static void test_profile_and_totals_must_belong_together(void **state)
{
	struct scene *scene = *state;
	struct recording recording = make_recording(1), fewer = make_recording(1);

	recording.rounds[2].sampled_seconds += 1e-4;
	check_fails(scene, &recording, "round 2: the profile holds");
	fewer.round_count = 4;
	check_fails(scene, &fewer, "a sample of round 4, but there are 4");
}

static void test_empty_recordings_are_noticed(void **state)
{
	struct scene *scene = *state;
	struct recording no_rounds = make_recording(1), no_samples = make_recording(1);
	struct recording no_cpu = make_recording(1), nan = make_recording(1);

	no_rounds.round_count = 0;
	check_fails(scene, &no_rounds, "no rounds");
	no_samples.profile->sample_count = 0;
	check_fails(scene, &no_samples, "profile is empty");
	no_cpu.rounds[0].cpu_seconds = 0;
	check_fails(scene, &no_cpu, "no CPU time");
	nan.rounds[0].sampled_seconds = NAN;
	check_fails(scene, &nan, "round 0");
}

/* A stray sample of the version's own program in each round, of a build each. */
static struct recording make_builds(const char *const builds[5], uint32_t layouts)
{
	struct recording recording = make_recording(1);
	struct profile *profile = recording.profile;

	recording.layouts = layouts;
	for (size_t i = 0; i < recording.round_count; i++) {
		struct profile_mapping mapping = {.file = "bench", .build_id = builds[i]};
		struct profile_location location = {
			.mapping = profile_add_mapping(profile, &mapping), .address = 64};
		uint32_t place = profile_add_location(profile, &location);
		int64_t values[3] = {0, 0, 0};
		struct profile_label label = {PROFILE_LABEL_ROUND, NULL, (int64_t)i, ""};
		struct profile_sample sample = {&place, 1, values, &label, 1};

		profile_add_sample(profile, &sample);
	}
	return recording;
}

static void test_a_program_that_changed_meanwhile_is_noticed(void **state)
{
	static const char *const builds[5] = {"aa", "aa", "aa", "bb", "aa"};
	static const char *const same[5] = {"aa", "aa", "aa", "aa", "aa"};
	struct scene *scene = *state;
	struct recording changed = make_builds(builds, 0), fine = make_builds(same, 0);

	check_fails(scene, &changed,
		"bench changed while it was measured: some runs were of build "
		"id aa, others of bb");
	assert_ok(scene, recording_check(&fine, &scene->err));
	recording_release(&fine);
}

/* Each seed has a build of its own, or one in common: what was linked does not move them all. */
static void test_each_layout_is_a_build_of_its_own(void **state)
{
	static const char *const builds[][5] = {
		{"aa", "bb", "aa", "bb", "aa"}, {"aa", "aa", "aa", "aa", "aa"}};
	struct scene *scene = *state;

	for (size_t i = 0; i < sizeof(builds) / sizeof(builds[0]); i++) {
		struct recording recording = make_builds(builds[i], 2);

		assert_ok(scene, recording_check(&recording, &scene->err));
		recording_release(&recording);
	}
}

static void test_a_layout_that_changed_meanwhile_is_noticed(void **state)
{
	static const char *const builds[][5] = {
		{"aa", "bb", "aa", "aa", "aa"}, {"aa", "bb", "aa", "cc", "aa"}};
	struct scene *scene = *state;

	for (size_t i = 0; i < sizeof(builds) / sizeof(builds[0]); i++) {
		struct recording recording = make_builds(builds[i], 2);

		check_fails(scene, &recording, "both of seed 1");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scene_test(test_what_is_written_is_read_again),
		scene_test(test_what_the_check_knew_is_read_again),
		scene_test(test_a_recording_of_no_check_has_no_context),
		scene_test(test_equal_recordings_give_equal_bytes),
		cmocka_unit_test(test_names_are_safe_in_html),
		scene_test(test_links_are_not_followed),
		scene_test(test_schema_errors_name_the_place),
		scene_test(test_too_many_rounds_are_refused),
		scene_test(test_a_history_without_end_or_sense_is_refused),
		scene_test(test_a_heap_over_time_without_end_or_sense_is_refused),
		scene_test(test_call_counts_are_read_again),
		scene_test(test_why_no_calls_were_counted_is_read_again),
		scene_test(test_a_recording_of_which_no_calls_were_wanted_has_no_member_for_them),
		scene_test(test_call_counts_without_end_or_sense_are_refused),
		scene_test(test_which_functions_there_are_is_read_again),
		scene_test(test_functions_in_no_order_are_refused),
		scene_test(test_recordings_without_code_are_read),
		scene_test(test_recordings_without_shapes_are_read),
		scene_test(test_where_nothing_is_called_nothing_is_said),
		scene_test(test_too_many_callees_are_refused),
		scene_test(test_code_of_no_function_is_refused),
		cmocka_unit_test(test_mutated_texts_never_crash_the_reader),
		scene_test(test_half_of_the_samples_missing_is_noticed),
		scene_test(test_half_of_a_short_run_missing_is_said_to_be_short),
		scene_test(test_more_samples_than_cpu_time_is_noticed),
		scene_test(test_ordinary_coverage_is_fine),
		scene_test(test_ends_of_processes_cannot_be_seen),
		scene_test(test_a_round_without_samples_is_noticed),
		scene_test(test_profile_and_totals_must_belong_together),
		scene_test(test_empty_recordings_are_noticed),
		scene_test(test_a_program_that_changed_meanwhile_is_noticed),
		scene_test(test_each_layout_is_a_build_of_its_own),
		scene_test(test_a_layout_that_changed_meanwhile_is_noticed),
	};

	return cmocka_run_group_tests_name("recording", tests, NULL, NULL);
}
