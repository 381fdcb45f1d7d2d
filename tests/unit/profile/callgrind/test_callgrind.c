/* SPDX-License-Identifier: Apache-2.0 */
/* The formats' syntax: what is read, and what is refused with which words. */
#include "tests/unit/profile/callgrind_scene.h"

#include <stdio.h>

#include "gate/base/error.h"

static void test_the_manuals_example_is_read(void **state)
{
	struct profile *profile = profile_of(HEAD "fl=file1.c\nfn=main\n16 20\ncfn=func1\n"
						  "calls=1 50\n16 400\ncfi=file2.c\ncfn=func2\n"
						  "calls=3 20\n16 400\n\nfn=func1\n51 100\n"
						  "cfi=file2.c\ncfn=func2\ncalls=2 20\n51 300\n\n"
						  "fl=file2.c\nfn=func2\n20 700\ntotals: 820\n",
		NULL);

	(void)state;
	assert_int_equal(profile->type_count, 1);
	assert_string_equal(profile->types[0].type, "instructions");
	assert_string_equal(profile->types[0].unit, "count");
	assert_int_equal(grand_total(profile), 820);
	assert_int_equal(stack_of(profile, "main"), 20);
	assert_int_equal(stack_of(profile, "main;func1"), 100);
	assert_int_equal(stack_of(profile, "main;func2"), 400);
	assert_int_equal(stack_of(profile, "main;func1;func2"), 300);
	assert_int_equal(profile_sample_number(&profile->samples[0], "round", -1), 3);
	profile_free(profile);
}

static void test_names_are_compressed_by_kind(void **state)
{
	struct profile *profile = profile_of(HEAD "ob=(1) /bin/a\nfl=(1) one.c\nfn=(1) main\n"
						  "1 10\ncob=(2) /lib/b.so\ncfi=(2) two.c\n"
						  "cfn=(2) work\ncalls=1 5\n1 30\n"
						  "ob=(2)\nfl=(2)\nfn=(2)\n5 30\ntotals: 40\n",
		NULL);

	(void)state;
	assert_int_equal(stack_of(profile, "main;work"), 30);
	assert_int_equal(total_of(profile, "main"), 40);
	assert_int_equal(profile->function_count, 2);
	assert_string_equal(profile->mappings[0].file, "/bin/a");
	for (size_t i = 0; i < profile->location_count; i++)
		if (profile->locations[i].lines[0].line == 5) {
			const struct profile_location *location = &profile->locations[i];

			assert_string_equal(profile->mappings[location->mapping].file, "/lib/b.so");
			assert_string_equal(
				profile->functions[location->lines[0].function].file, "two.c");
		}
	profile_free(profile);
}

/* valgrind writes a call's position relative to the last cost, and the next cost's too. */
static void test_positions_are_relative_to_the_last_cost(void **state)
{
	struct profile *profile = profile_of(HEAD "fl=a.c\nfn=f\n100 1\n+5 2\n-3 4\n* 8\n"
						  "cfn=g\ncalls=1 +900\n+7 100\n+2 16\n"
						  "fn=g\n0x10 100\ntotals: 131\n",
		NULL);

	(void)state;
	assert_int_equal(line_of(profile, "f", 100), 1);
	assert_int_equal(line_of(profile, "f", 105), 2);
	assert_int_equal(line_of(profile, "f", 102), 12);
	assert_int_equal(line_of(profile, "f", 104), 16);
	assert_int_equal(line_of(profile, "g", 16), 100);
	assert_int_equal(stack_of(profile, "f;g"), 100);
	profile_free(profile);
}

static void test_call_lines_stand_in_the_callers_frame(void **state)
{
	/* Of several calls of one function, the dearest one's. */
	struct profile *profile = profile_of(HEAD "fl=a.c\nfn=f\n1 1\ncfn=g\ncalls=1 9\n7 10\n"
						  "cfn=g\ncalls=1 9\n8 30\ncfn=g\n"
						  "calls=1 9\n9 20\nfn=g\n5 60\ntotals: 61\n",
		NULL);

	(void)state;
	assert_int_equal(stack_of(profile, "f;g"), 60);
	for (size_t i = 0; i < profile->sample_count; i++)
		if (profile->samples[i].depth == 2)
			assert_int_equal(frame_of(profile, &profile->samples[i], 1)->line, 8);
	profile_free(profile);
}

static void test_instruction_addresses_are_skipped(void **state)
{
	struct profile *profile = profile_of("positions: instr line\nevents: Ir\nfl=a.c\nfn=f\n"
					     "0x4000 10 3\n+4 * 5\n+2 +1 7\ntotals: 15\n",
		NULL);

	(void)state;
	assert_int_equal(line_of(profile, "f", 10), 8);
	assert_int_equal(line_of(profile, "f", 11), 7);
	profile_free(profile);
}

static struct callgrind *calls_of(const char *text)
{
	struct callgrind *callgrind = callgrind_new(NULL);
	struct error err;

	callgrind_keep_calls(callgrind);
	if (callgrind_add(callgrind, text, strlen(text), "test", &err))
		fail_msg("%s", err.message);
	return callgrind;
}

static void test_calls_are_kept_by_the_addresses_of_instructions(void **state)
{
	struct callgrind *callgrind =
		calls_of(HEAD "positions: instr line\n"
			      "ob=/bin/x\nfl=a.c\nfn=main\n0x1000 3 10\n"
			      "cfn=work\ncalls=3 +0x250 7\n+16 +1 90\n"
			      "cob=/lib/y.so\ncfn=puts\ncalls=1 0x9000 0\n* * 5\n"
			      "totals: 10\n");
	struct callgrind_calls one, two;

	(void)state;
	assert_int_equal(callgrind_calls_count(callgrind), 2);
	one = callgrind_calls_at(callgrind, 0);
	two = callgrind_calls_at(callgrind, 1);
	assert_string_equal(one.caller, "main");
	assert_string_equal(one.callee, "work");
	assert_string_equal(one.callee_object, "/bin/x");
	assert_true(one.from == 0x1010 && one.to == 0x1250 && one.count == 3);
	assert_true(one.instructions == 90 && two.instructions == 5);
	assert_string_equal(two.caller_object, "/bin/x");
	assert_string_equal(two.callee_object, "/lib/y.so");
	assert_true(two.from == 0x1000 && two.to == 0x9000 && two.count == 1);
	callgrind_free(callgrind);
}

static void test_without_addresses_no_calls_are_kept(void **state)
{
	struct callgrind *callgrind =
		calls_of(HEAD "fl=a.c\nfn=main\n3 10\ncfn=work\ncalls=3 7\n4 90\ntotals: 10\n");

	(void)state;
	assert_int_equal(callgrind_calls_count(callgrind), 0);
	callgrind_free(callgrind);
}

static void test_kept_calls_are_numbers(void **state)
{
	static const char *const lines[] = {"calls=x 0x1\n", "calls=\n", "calls=1 -0x2000\n",
		"calls=1 0x1y\n", "calls=99999999999999999999 0x1\n"};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct callgrind *callgrind = callgrind_new(NULL);
		struct strbuf text = STRBUF_INIT;

		callgrind_keep_calls(callgrind);
		strbuf_addf(&text,
			HEAD "positions: instr line\nfn=main\n0x1000 3 10\ncfn=f\n%s* * 1\n"
			     "totals: 10\n",
			lines[i]);
		assert_int_equal(callgrind_add(callgrind, text.data, text.length, "test", &err),
			ERR_CORRUPT);
		assert_non_null(strstr(err.message, "test:8: "));
		strbuf_release(&text);
		callgrind_free(callgrind);
	}
}

static void test_instructions_are_found_among_other_events(void **state)
{
	struct profile *profile = profile_of("events: Dr Ir Dw\nfl=a.c\nfn=f\n1 900 3 800\n"
					     "2 900 4\n3 900\n4\ntotals: 2700 7 800\n",
		NULL);

	(void)state;
	assert_int_equal(self_of(profile, "f"), 7);
	assert_int_equal(line_of(profile, "f", 2), 4);
	profile_free(profile);
}

static void test_inlined_code_counts_for_its_function_without_a_line(void **state)
{
	struct profile *profile = profile_of(HEAD "fl=(1) a.c\nfn=f\n10 1\nfi=(2) a.h\n10 2\n"
						  "fe=(1)\n11 4\nfn=g\n12 8\nfi=(2)\n3 16\n"
						  "fn=h\n3 32\ntotals: 63\n",
		NULL);
	bool found = false;

	(void)state;
	assert_int_equal(self_of(profile, "f"), 7);
	assert_int_equal(line_of(profile, "f", 10), 1);
	assert_int_equal(line_of(profile, "f", 0), 2);
	assert_int_equal(line_of(profile, "f", 11), 4);
	assert_int_equal(line_of(profile, "g", 0), 16);
	assert_int_equal(line_of(profile, "h", 3), 32);
	for (size_t i = 0; i < profile->function_count; i++)
		if (strcmp(profile->functions[i].name, "h") == 0) {
			assert_string_equal(profile->functions[i].file, "a.h");
			found = true;
		}
	assert_true(found);
	profile_free(profile);
}

static void test_a_callee_lies_where_its_caller_does_unless_told(void **state)
{
	/* Two functions of one name: which is called depends on cfi= and cob=,
	 * each for one call. */
	struct profile *profile = profile_of(HEAD "ob=/a\nfl=a.c\nfn=main\n1 1\n"
						  "cob=/b\ncfl=b.c\ncfn=f\ncalls=1 1\n1 10\n"
						  "cfn=f\ncalls=1 1\n1 20\n"
						  "fn=f\n5 20\nob=/b\nfl=b.c\nfn=f\n6 10\n"
						  "totals: 31\n",
		NULL);

	(void)state;
	assert_int_equal(stack_of(profile, "main;f"), 30);
	assert_int_equal(total_of(profile, "main"), 31);
	profile_free(profile);
}

static void test_jumps_cost_nothing_and_their_names_are_known_later(void **state)
{
	struct profile *profile =
		profile_of(HEAD "fl=a.c\nfn=f\n1 1\njump=8 +3\n*\njcnd=2/3 7\n+1\njfi=(7) b.c\n"
				"jfn=(7) g\njump=1 4\n* \n+1 2\nfl=(7)\nfn=(7)\n9 4\ntotals: 7\n",
			NULL);

	(void)state;
	assert_int_equal(line_of(profile, "f", 3), 2);
	assert_int_equal(self_of(profile, "g"), 4);
	profile_free(profile);
}

static void test_parts_of_a_file_are_added_up(void **state)
{
	struct profile *profile =
		profile_of(HEAD "part: 1\nsummary: 5\nfl=a.c\nfn=f\n1 5\ntotals: 5\n"
				"part: 2\nevents: Ir\nsummary: 7\nfl=a.c\nfn=f\n1 7\ntotals: 7\n",
			NULL);

	(void)state;
	assert_int_equal(self_of(profile, "f"), 12);
	profile_free(profile);
}

static void test_cachegrind_is_flat(void **state)
{
	struct profile *profile =
		profile_of("desc: I1 cache:         32768 B, 64 B, 8-way\r\n"
			   "cmd: ./prog arg\nevents: Ir\nfl=a.c\nfn=f\n1 2\n3 4\n"
			   "fn=(below main)\n1 8\nfl=\nfn=???\n0 16\nsummary: 30\n",
			NULL);

	(void)state;
	assert_int_equal(stack_of(profile, "f"), 6);
	assert_int_equal(stack_of(profile, "(below main)"), 8);
	assert_int_equal(stack_of(profile, "[unknown]"), 16);
	assert_int_equal(profile->comment_count, 0);
	assert_string_equal(profile->mappings[0].file, "./prog");
	profile_free(profile);
}

static void test_names_say_what_can_be_said(void **state)
{
	struct profile *profile = profile_of(HEAD
		"ob=/usr/lib/libz.so.1\nfl=???\nfn=0x0000000000004120\n0 1\n"
		"fn=0x0000000000004120'2\n0 2\nfn=walk'2\n0 4\nfn=a::b(char, 'x')\n0 8\n"
		"fn=operator\"\" _s'13\n0 16\nfn='2\n0 32\n"
		"ob=???\nfn=0x0000000000005000\n0 64\nfn=0x12\n0 128\nfn=0x0000000000005000_old\n0 "
		"256\ntotals: 511\n",
		NULL);

	(void)state;
	assert_int_equal(self_of(profile, "[libz.so.1+0x4120]"), 3);
	assert_int_equal(self_of(profile, "walk"), 4);
	assert_int_equal(self_of(profile, "a::b(char, 'x')"), 8);
	assert_int_equal(self_of(profile, "operator\"\" _s"), 16);
	assert_int_equal(self_of(profile, "'2"), 32);
	assert_int_equal(self_of(profile, "[unknown]"), 64);
	assert_int_equal(self_of(profile, "0x12"), 128);
	assert_int_equal(self_of(profile, "0x0000000000005000_old"), 256);
	assert_string_equal(profile->functions[0].file, "");
	profile_free(profile);
}

static void test_paths_are_cleaned_and_stripped(void **state)
{
	static const char text[] = HEAD "ob=/home/u/base/prog\nfl=/home/u/base/./src/../src/a.c\n"
					"fn=f\n1 1\ntotals: 1\n";
	static const char *const prefixes[] = {"/home/u/base", NULL};
	const struct callgrind_options options = {.strip_prefixes = prefixes};
	struct callgrind *callgrind = callgrind_new(NULL);
	struct profile *profile = profile_new();
	struct error err;

	(void)state;
	assert_int_equal(callgrind_add(callgrind, text, strlen(text), "test", &err), ERR_OK);
	assert_int_equal(callgrind_add_samples(callgrind, &options, profile, &err), ERR_OK);
	assert_string_equal(profile->functions[0].file, "src/a.c");
	assert_string_equal(profile->mappings[0].file, "prog");
	profile_free(profile);
	callgrind_free(callgrind);
}

static const char *build_id(void *data, const char *object)
{
	assert_string_equal(data, "data");
	return strcmp(object, "/bin/a") == 0 ? "abcd" : NULL;
}

static void test_build_ids_are_asked_for(void **state)
{
	static const char text[] = HEAD "ob=/bin/a\nfn=f\n1 1\nob=/bin/b\nfn=g\n1 1\ntotals: 2\n";
	char data[] = "data";
	const struct callgrind_options options = {.build_id = build_id, .build_id_data = data};
	struct callgrind *callgrind = callgrind_new(NULL);
	struct profile *profile = profile_new();
	struct error err;

	(void)state;
	assert_int_equal(callgrind_add(callgrind, text, strlen(text), "test", &err), ERR_OK);
	assert_int_equal(callgrind_add_samples(callgrind, &options, profile, &err), ERR_OK);
	assert_int_equal(profile->mapping_count, 2);
	assert_string_equal(profile->mappings[0].build_id, "abcd");
	assert_string_equal(profile->mappings[1].build_id, "");
	profile_free(profile);
	callgrind_free(callgrind);
}

static const char *program_in(struct callgrind *callgrind, const char *text)
{
	struct error err;

	if (callgrind_add(callgrind, text, strlen(text), "test", &err))
		fail_msg("%s", err.message);
	return callgrind_program(callgrind);
}

static void test_the_program_is_found_among_the_objects(void **state)
{
	struct callgrind *callgrind = callgrind_new(NULL);

	(void)state;
	assert_string_equal(program_in(callgrind, "cmd: ./t -x\n" HEAD "totals: 0\n"), "./t");
	assert_string_equal(callgrind_command(callgrind), "./t -x");
	assert_string_equal(program_in(callgrind, "cmd:  ./script.sh\n" HEAD
						  "ob=/lib/ld-linux.so.2\nob=/usr/bin/dash\n"
						  "ob=/usr/bin/other\ntotals: 0\n"),
		"/usr/bin/dash");
	assert_string_equal(
		program_in(callgrind, "cmd: bin/tool\n" HEAD "ob=/opt/plugin\n"
				      "ob=/opt/bin/tool\nob=/opt/bin/tools\ntotals: 0\n"),
		"/opt/bin/tool");
	callgrind_free(callgrind);
}

static void test_files_add_up_in_one_graph(void **state)
{
	static const char parent[] = HEAD "fl=a.c\nfn=main\n1 10\ncfn=f\ncalls=1 1\n2 5\n"
					  "fn=f\n3 5\ntotals: 15\n";
	static const char child[] = HEAD "fl=a.c\nfn=(9) main\n1 1\ncfn=f\ncalls=1 1\n2 7\n"
					 "fn=f\n3 7\ntotals: 8\n";
	const struct callgrind_options options = {.round = 0};
	struct callgrind *callgrind = callgrind_new(NULL);
	struct profile *profile = profile_new();
	struct error err;

	(void)state;
	assert_int_equal(callgrind_add(callgrind, parent, strlen(parent), "a", &err), ERR_OK);
	assert_int_equal(callgrind_add(callgrind, child, strlen(child), "b", &err), ERR_OK);
	assert_int_equal(callgrind_instructions(callgrind), 23);
	assert_int_equal(callgrind_add_samples(callgrind, &options, profile, &err), ERR_OK);
	assert_int_equal(stack_of(profile, "main;f"), 12);
	assert_int_equal(profile->sample_count, 2);
	profile_free(profile);
	callgrind_free(callgrind);
}

static void test_totals_must_be_the_sum(void **state)
{
	(void)state;
	assert_refused(HEAD "fn=f\n1 5\n2 6\ntotals: 12\n", ERR_CORRUPT,
		"test:7: its costs add up to 11 instructions, but its totals say 12");
	assert_refused("events: Ir\nfn=f\n1 5\nsummary: 4\n", ERR_CORRUPT, "its totals say 4");
	assert_refused(HEAD "fn=f\n1 5\n", ERR_CORRUPT, "it ends without totals");
	assert_refused(HEAD "fn=f\n1 5\ntotals: 5\n2 1\n", ERR_CORRUPT, "it ends without totals");
	assert_refused(HEAD "fn=f\n1 5\nevents: Ir\nfn=f\n2 6\ntotals: 6\n", ERR_CORRUPT,
		"its costs add up to 11");
	/* callgrind's summary leaves out signal handlers. */
	profile_free(profile_of(HEAD "summary: 9\nfn=f\n1 11\ntotals: 11\n", NULL));
}

static void test_broken_lines_are_refused_with_their_number(void **state)
{
	static const struct {
		const char *text, *part;
	} cases[] = {
		{HEAD "fn=f\nnonsense\n", "test:5: not a line of the callgrind format: nonsense"},
		{HEAD "fn=f\n1 5 6\n", "test:5: more counts than events: 1 5 6"},
		{HEAD "fn=f\n1 5x\n", "not a count"},
		{HEAD "fn=f\n1 -5\n", "not a count"},
		{HEAD "fn=f\n1x 5\n", "not a position"},
		{HEAD "fn=f\n+ 5\n", "not a position"},
		{HEAD "fn=f\n3 1\n-4 5\n", "a position out of range"},
		{HEAD "fn=f\n2147483648 5\n", "a position out of range"},
		{HEAD "fn=f\n1 18446744073709551616\n", "not a count"},
		{HEAD "fn=f\n1 9223372036854775807\n2 1\n", "more instructions than a number"},
		{HEAD "1 5\n", "a cost before the first function"},
		{"version: 1\nfn=f\n1 5\n", "a cost before the line 'events:'"},
		{"version: 2\nevents: Ir\n", "a version of the format"},
		{"events: Time Memory\n", "no instructions (Ir)"},
		{"events: Ir\npositions: bb line\n", "positions must be"},
		{"positions: instr line\nevents: Ir\nfn=f\n1\n", "fewer positions"},
		{HEAD "fn=(3)\n", "a number that no name has: fn=(3)"},
		{HEAD "fn=(3x) f\n", "not a name's number"},
		{HEAD "fn=f\ncalls=1 1\n", "a call of no function"},
		{HEAD "cfn=g\ncalls=1 1\n", "a call before the first function"},
		{HEAD "fn=f\ncfn=g\ncalls=1 1\nfn=g\n", "a call without the line of its cost"},
		{HEAD "fn=f\ncfn=g\ncalls=1 1\n", "it ends after a call"},
		{HEAD "fn=f\ncfn=g\ncalls=1 1\n2 3\ncalls=1 1\n", "a call of no function"},
		{"# callgrind format\n", "it has no line 'events:'"},
		{"", "it has no line 'events:'"},
		{HEAD "fn=f\n\033[31m::error::x\n", "not a line of the callgrind format: :"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_refused(cases[i].text, ERR_CORRUPT, cases[i].part);
}

static void test_a_nul_byte_is_refused(void **state)
{
	static const char text[] = "events: Ir\nfn=f\0g\n1 1\ntotals: 1\n";
	struct callgrind *callgrind = callgrind_new(NULL);
	struct error err;

	(void)state;
	assert_int_equal(
		callgrind_add(callgrind, text, sizeof(text) - 1, "test", &err), ERR_CORRUPT);
	callgrind_free(callgrind);
}

static void test_limits_are_kept(void **state)
{
	static const struct {
		const char *text, *part;
		struct callgrind_limits limits;
	} cases[] = {
		{HEAD "fn=f\nfn=g\nfn=h\n", "more than 2 functions",
			{1000, 2, 99, 9, 9, 99, 9, 9, 9}},
		{HEAD "fn=f\nfn=g\nfn=h\n", "more than 3 names", {1000, 9, 3, 9, 9, 99, 9, 9, 9}},
		{HEAD "fn=f\ncfn=g\ncalls=1 1\n1 1\ncfn=g\ncalls=1 1\n1 1\n", "more than 1 calls",
			{1000, 9, 99, 1, 9, 99, 9, 9, 9}},
		{HEAD "fn=f\n1 1\n2 1\n3 1\n", "more than 2 lines with costs",
			{1000, 9, 99, 9, 2, 99, 9, 9, 9}},
		{HEAD "fn=abcdef\n", "a name of more than 5 bytes",
			{1000, 9, 99, 9, 9, 5, 9, 9, 9}},
		{HEAD "fn=abcdef\n", "larger than 20 bytes", {20, 9, 99, 9, 9, 99, 9, 9, 9}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = {0};

		assert_int_equal(refusal(cases[i].text, &cases[i].limits, &err), ERR_LIMIT);
		if (!strstr(err.message, cases[i].part))
			fail_msg("%s", err.message);
	}
}

static void test_formats_are_told_from_others(void **state)
{
	static const char *const ours[] = {"# callgrind format\n", "version: 1\nevents: Ir\n",
		"desc: I1 cache: 1\ncmd: ./x\nevents: Ir\nfl=a\n",
		"\n# made by hand\nevents: Ir\n"};
	static const char *const others[] = {"", "\x1f\x8b", "main;work 5\n", "{\"events\": 1}\n",
		"events: Ir", "a: b\nc: d\n", "fl=a\nevents: Ir\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (!callgrind_is_format(ours[i], strlen(ours[i])))
			fail_msg("not ours: %s", ours[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (callgrind_is_format(others[i], strlen(others[i])))
			fail_msg("ours: %s", others[i]);
}

static void test_other_profiles_are_left_alone(void **state)
{
	const struct callgrind_options options = {.round = 0};
	struct callgrind *callgrind = callgrind_new(NULL);
	struct profile *profile = profile_new();
	struct error err;

	(void)state;
	profile_add_type(profile, "cpu", "nanoseconds");
	assert_int_equal(callgrind_add_samples(callgrind, &options, profile, &err), ERR_USAGE);
	assert_int_equal(profile->type_count, 1);
	profile_free(profile);
	callgrind_free(callgrind);
}

static void test_broken_bytes_give_no_profile(void **state)
{
	struct profile *profile = NULL;
	struct error err;

	(void)state;
	assert_int_equal(
		callgrind_decode("events: Ir\n", 11, "x", NULL, &profile, &err), ERR_CORRUPT);
	assert_null(profile);
	assert_int_equal(callgrind_decode("events: Ir\nfn=f\n1 2\ntotals: 2\n", 30, "x", NULL,
				 &profile, &err),
		ERR_OK);
	assert_int_equal(self_of(profile, "f"), 2);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_manuals_example_is_read),
		cmocka_unit_test(test_names_are_compressed_by_kind),
		cmocka_unit_test(test_positions_are_relative_to_the_last_cost),
		cmocka_unit_test(test_call_lines_stand_in_the_callers_frame),
		cmocka_unit_test(test_instruction_addresses_are_skipped),
		cmocka_unit_test(test_calls_are_kept_by_the_addresses_of_instructions),
		cmocka_unit_test(test_without_addresses_no_calls_are_kept),
		cmocka_unit_test(test_kept_calls_are_numbers),
		cmocka_unit_test(test_instructions_are_found_among_other_events),
		cmocka_unit_test(test_inlined_code_counts_for_its_function_without_a_line),
		cmocka_unit_test(test_a_callee_lies_where_its_caller_does_unless_told),
		cmocka_unit_test(test_jumps_cost_nothing_and_their_names_are_known_later),
		cmocka_unit_test(test_parts_of_a_file_are_added_up),
		cmocka_unit_test(test_cachegrind_is_flat),
		cmocka_unit_test(test_names_say_what_can_be_said),
		cmocka_unit_test(test_paths_are_cleaned_and_stripped),
		cmocka_unit_test(test_build_ids_are_asked_for),
		cmocka_unit_test(test_the_program_is_found_among_the_objects),
		cmocka_unit_test(test_files_add_up_in_one_graph),
		cmocka_unit_test(test_totals_must_be_the_sum),
		cmocka_unit_test(test_broken_lines_are_refused_with_their_number),
		cmocka_unit_test(test_a_nul_byte_is_refused),
		cmocka_unit_test(test_limits_are_kept),
		cmocka_unit_test(test_formats_are_told_from_others),
		cmocka_unit_test(test_other_profiles_are_left_alone),
		cmocka_unit_test(test_broken_bytes_give_no_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
