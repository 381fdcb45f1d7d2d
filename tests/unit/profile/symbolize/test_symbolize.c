/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of compiled shared objects get the names, files and lines of their sources. */
#include "tests/unit/profile/symbolize_fixture.h"

#include <sys/stat.h>

#include "gate/base/error.h"

#define PLAIN_FILE "/fixture-root/tests/unit/profile/fixture/plain.c"
#define HOSTILE "</script><img src=x onerror=alert(1)>|@team"

static void assert_line(
	const struct profile *profile, uint32_t line, const char *name, uint64_t number)
{
	assert_string_equal(fixture_function(profile, 0, line)->name, name);
	assert_string_equal(fixture_function(profile, 0, line)->file, PLAIN_FILE);
	assert_int_equal(fixture_location(profile, 0)->lines[line].line, number);
}

static void assert_inlined_frames(const char *object)
{
	struct profile *profile =
		fixture_one(fixture_path(object), "", fixture_symbol("plain.so", "mark_innermost"));
	assert_int_equal(fixture_location(profile, 0)->line_count, 3);
	assert_line(profile, 0, "innermost", fixture_symbol("plain.so", "line_innermost"));
	assert_line(profile, 1, "middle", fixture_symbol("plain.so", "line_middle") + 1);
	assert_line(profile, 2, "fixture_outer", fixture_symbol("plain.so", "line_outer") + 1);
	assert_int_equal(profile->comment_count, 0);
	profile_free(profile);
}

static void test_inlined_frames_have_their_own_lines(void **state)
{
	(void)state;
	assert_inlined_frames("plain.so");
}

static void test_function_that_names_no_file_is_in_that_of_its_lines(void **state)
{
	(void)state;
	assert_inlined_frames("undeclared.so");
}

static void test_function_has_its_declaration(void **state)
{
	(void)state;
	struct profile *profile =
		fixture_one(fixture_path("plain.so"), "", fixture_symbol("plain.so", "mark_local"));
	const struct profile_function *function = fixture_function(profile, 0, 0);
	assert_string_equal(function->name, "only_in_symtab");
	assert_string_equal(function->system_name, "");
	assert_int_equal(function->start_line, fixture_symbol("plain.so", "line_local") - 2);
	assert_true(profile->mappings[0].has_functions && profile->mappings[0].has_inline_frames);
	assert_true(profile->mappings[0].has_filenames && profile->mappings[0].has_line_numbers);
	profile_free(profile);
}

static void test_line_of_another_file_is_not_shown(void **state)
{
	(void)state;
	struct profile *profile = fixture_one(
		fixture_path("plain.so"), "", fixture_symbol("plain.so", "mark_foreign"));
	assert_line(profile, 0, "fixture_foreign_line", 0);
	profile_free(profile);
}

static void test_return_address_is_looked_up_in_the_call(void **state)
{
	(void)state;
	struct fixture_capture capture;
	struct symbolizer *symbolizer = symbolizer_new(NULL);
	uint64_t behind = fixture_symbol("plain.so", "mark_innermost");
	fixture_capture_init(&capture, fixture_path("plain.so"), "");
	fixture_capture_add(&capture, 0, behind, true);
	fixture_capture_add(&capture, 0, behind, false);
	struct profile *profile = fixture_profile(symbolizer, &capture);
	assert_int_equal(fixture_location(profile, 0)->line_count, 3);
	assert_int_equal(fixture_location(profile, 1)->line_count, 2);
	assert_string_equal(fixture_function(profile, 1, 0)->name, "middle");
	assert_int_equal(fixture_location(profile, 1)->address, behind);
	profile_free(profile);
	symbolizer_free(symbolizer);
}

static void test_cpp_names_are_demangled(void **state)
{
	(void)state;
	struct profile *profile = fixture_one(
		fixture_path("shapes.so"), "", fixture_symbol("shapes.so", "mark_area"));
	const struct profile_function *function = fixture_function(profile, 0, 0);
	assert_string_equal(function->name, "shapes::box<int>::area() const");
	assert_string_equal(function->system_name, "_ZNK6shapes3boxIiE4areaEv");
	assert_non_null(strstr(function->file, "fixture/shapes.cc"));
	profile_free(profile);
}

static void test_rust_names_of_v0_are_demangled(void **state)
{
	(void)state;
	struct profile *profile = fixture_one(fixture_path("shapes.so"), "",
		fixture_symbol("shapes.so", "_RNvC7mycrate5parse") + 1);
	assert_string_equal(fixture_function(profile, 0, 0)->name, "mycrate::parse");
	profile_free(profile);
}

static void test_other_build_is_not_symbolised(void **state)
{
	(void)state;
	struct profile *profile = fixture_one(
		fixture_path("plain.so"), "00112233445566778899aabbccddeeff00112233", 0x1234);
	assert_string_equal(fixture_function(profile, 0, 0)->name, "[plain.so+0x1234]");
	assert_true(fixture_warned(profile, "is another build"));
	assert_false(profile->mappings[0].has_functions);
	profile_free(profile);
}

static void test_stripped_object_is_named_by_its_dynamic_symbols(void **state)
{
	(void)state;
	struct profile *profile = fixture_one(
		fixture_path("stripped.so"), "", fixture_symbol("plain.so", "fixture_outer") + 2);
	assert_string_equal(fixture_function(profile, 0, 0)->name, "fixture_outer");
	assert_string_equal(fixture_function(profile, 0, 0)->file, "");
	assert_true(profile->mappings[0].has_functions);
	assert_false(profile->mappings[0].has_line_numbers);
	profile_free(profile);
}

static void test_symbol_table_knows_static_functions(void **state)
{
	(void)state;
	struct profile *profile = fixture_one(
		fixture_path("symtab.so"), "", fixture_symbol("plain.so", "mark_local") + 1);
	assert_string_equal(fixture_function(profile, 0, 0)->name, "only_in_symtab");
	profile_free(profile);
}

/* Each address has its function's start in its name: that changes only where a function starts. */
static void test_function_without_a_symbol_is_one_function(void **state)
{
	(void)state;
	unsigned long long last = 0, inside = 0;
	for (unsigned long long address = 0x1100; address < 0x1180; address++) {
		unsigned long long start = 0;
		struct profile *profile = fixture_one(fixture_path("bare.so"), "", address);
		const char *name = fixture_function(profile, 0, 0)->name;
		assert_int_equal(sscanf(name, "[bare.so+0x%llx]", &start), 1);
		assert_true(start <= address);
		assert_true(address == 0x1100 || start == last || start == address);
		inside += start < address;
		last = start;
		profile_free(profile);
	}
	assert_true(inside > 64); /* the start-up code has no unwind information */
}

static void test_hostile_symbol_name_is_kept_as_it_is(void **state)
{
	(void)state;
	struct profile *profile = fixture_one(
		fixture_path("symtab.so"), "", fixture_symbol("plain.so", "mark_hostile"));
	assert_string_equal(fixture_function(profile, 0, 0)->name, HOSTILE);
	profile_free(profile);
}

static void test_linkage_stub_is_named_by_its_target(void **state)
{
	(void)state;
#ifndef __x86_64__
	skip();
#endif
	bool found = false;
	for (uint64_t address = 0x1000; address < 0x1060 && !found; address += 8) {
		struct profile *profile = fixture_one(fixture_path("plain.so"), "", address);
		found = strcmp(fixture_function(profile, 0, 0)->name, "malloc@plt") == 0;
		profile_free(profile);
	}
	assert_true(found);
}

static void test_debug_file_is_found_by_its_link(void **state)
{
	(void)state;
	assert_inlined_frames("linked.so");
}

static void test_debug_file_without_build_id_is_found_by_checksum(void **state)
{
	(void)state;
	assert_inlined_frames("checksum.so");
}

static void test_changed_debug_file_is_not_used(void **state)
{
	(void)state;
	struct profile *profile = fixture_one(
		fixture_path("mislinked.so"), "", fixture_symbol("plain.so", "mark_innermost") + 1);
	assert_int_equal(fixture_location(profile, 0)->line_count, 1);
	assert_string_equal(fixture_function(profile, 0, 0)->name, "fixture_outer");
	profile_free(profile);
}

static void test_prefix_is_cut_at_a_component(void **state)
{
	(void)state;
	const char *const prefixes[] = {
		"/fixture-root/te", "/fixture-root", "/fixture-root/tests/", NULL};
	const struct symbolizer_options options = {.strip_prefixes = prefixes};
	struct symbolizer *symbolizer = symbolizer_new(&options);
	assert_string_equal(
		symbolizer_strip(symbolizer, PLAIN_FILE), "unit/profile/fixture/plain.c");
	assert_string_equal(symbolizer_strip(symbolizer, "/fixture-root/tes/a.c"), "tes/a.c");
	assert_string_equal(
		symbolizer_strip(symbolizer, "/fixture-rooted/a.c"), "/fixture-rooted/a.c");
	assert_string_equal(symbolizer_strip(symbolizer, "/fixture-root/"), "/fixture-root/");
	assert_string_equal(symbolizer_strip(symbolizer, ""), "");
	struct fixture_capture capture;
	fixture_capture_init(&capture, fixture_path("plain.so"), "");
	fixture_capture_add(&capture, 0, fixture_symbol("plain.so", "mark_local"), true);
	struct profile *profile = fixture_profile(symbolizer, &capture);
	assert_string_equal(fixture_function(profile, 0, 0)->file, "unit/profile/fixture/plain.c");
	profile_free(profile);
	symbolizer_free(symbolizer);
}

static void test_places_without_a_file_have_fixed_names(void **state)
{
	(void)state;
	struct fixture_capture capture;
	struct capture_module modules[3] = {{"[vdso]", "", 0, 0x1000, 0}, {"", "", 0, 0x1000, 0},
		{"/nonexistent/lib.so", "", 0, 0x1000, 0}};
	struct symbolizer *symbolizer = symbolizer_new(NULL);
	fixture_capture_init(&capture, "", "");
	capture.process.modules = modules;
	capture.process.module_count = 3;
	fixture_capture_add(&capture, 0, 0xabc, true);
	fixture_capture_add(&capture, 1, 0xabc, true);
	fixture_capture_add(&capture, 2, 0xabc, true);
	fixture_capture_add(&capture, CAPTURE_NO_MODULE, 0xabc, true);
	struct profile *profile = fixture_profile(symbolizer, &capture);
	assert_string_equal(fixture_function(profile, 0, 0)->name, "[vdso]");
	assert_string_equal(fixture_function(profile, 1, 0)->name, "[unknown]");
	assert_string_equal(fixture_function(profile, 2, 0)->name, "[lib.so+0xabc]");
	assert_true(fixture_warned(profile, "/nonexistent/lib.so"));
	assert_int_equal(profile->sample_count, 3); /* the two unknowns at one address are one */
	profile_free(profile);
	symbolizer_free(symbolizer);
}

static void test_what_is_not_an_object_is_refused(void **state)
{
	(void)state;
	char pipe_path[] = "/tmp/fg-symbolize-XXXXXX";
	assert_non_null(mkdtemp(pipe_path));
	char fifo[64];
	snprintf(fifo, sizeof(fifo), "%s/fifo", pipe_path);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	const char *const paths[] = {fifo, pipe_path, "/dev/zero", "/etc/passwd"};
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct profile *profile = fixture_one(paths[i], "", 0x10);
		assert_true(fixture_warned(profile, paths[i]));
		profile_free(profile);
	}
	unlink(fifo);
	rmdir(pipe_path);
}

static void test_main_binary_of_the_busiest_process_is_the_first_mapping(void **state)
{
	(void)state;
	struct fixture_capture capture;
	struct capture_module quiet[1] = {{"/bin/quiet", "", 0, 0x1000, 0}};
	struct capture_module busy[2] = {
		{"[vdso]", "", 0, 0x1000, 0}, {"/bin/busy", "", 0x9000, 0xa000, 0x8000}};
	struct symbolizer *symbolizer = symbolizer_new(NULL);
	fixture_capture_init(&capture, "", "");
	fixture_capture_add(&capture, 0, 0xabc, true);
	struct capture_sample more = capture.entries[0];
	more.count = 7;
	struct capture_process processes[2] = {capture.process, capture.process};
	processes[0].executable = "/bin/quiet";
	processes[0].modules = quiet;
	processes[1].executable = "/bin/busy";
	processes[1].modules = busy;
	processes[1].module_count = 2;
	processes[1].entries = &more;
	capture.set.processes = processes;
	capture.set.process_count = 2;
	struct profile *profile = fixture_profile(symbolizer, &capture);
	assert_string_equal(profile->mappings[0].file, "/bin/busy");
	assert_int_equal(profile->mappings[0].start, 0x1000); /* link-time */
	assert_int_equal(profile->period, 1000000000 / 997);
	profile_free(profile);
	symbolizer_free(symbolizer);
}

static void assert_values(const struct profile *profile, size_t sample, int64_t count, int64_t cpu,
	int64_t squares, int64_t epoch)
{
	const struct profile_sample *found = &profile->samples[sample];
	assert_int_equal(found->values[0], count);
	assert_int_equal(found->values[1], cpu);
	assert_int_equal(found->values[2], squares);
	assert_int_equal(profile_sample_number(found, PROFILE_LABEL_ROUND, -1), 5);
	assert_int_equal(profile_sample_number(found, "epoch", -1), epoch);
}

static void test_equal_stacks_are_summed_by_epoch(void **state)
{
	(void)state;
	struct fixture_capture capture;
	struct error err = {0};
	struct symbolizer *symbolizer = symbolizer_new(NULL);
	struct profile *profile = profile_new();
	fixture_capture_init(&capture, "", "");
	for (int i = 0; i < 4; i++)
		fixture_capture_add(&capture, 0, 0xabc, true);
	capture.entries[1].epoch = 2;
	capture.entries[1].sum_squares = 0.0 / 0.0; /* the measured code can write anything */
	capture.entries[2].count = 4;
	capture.entries[3].count = 0;
	assert_int_equal(
		symbolizer_add_captures(symbolizer, &capture.set, profile_kinds, 5, profile, &err),
		ERR_OK);
	assert_int_equal(profile->sample_count, 2);
	assert_values(profile, 0, 5, 2000, 2, -1);
	assert_values(profile, 1, 1, 1000, 0, 2);
	assert_int_equal(profile->default_type, 1);
	profile_free(profile);
	symbolizer_free(symbolizer);
}

static void test_profile_of_another_kind_is_refused(void **state)
{
	(void)state;
	struct fixture_capture capture;
	struct error err = {0};
	struct symbolizer *symbolizer = symbolizer_new(NULL);
	struct profile *profile = profile_new();
	profile_add_type(profile, "alloc_space", "bytes");
	fixture_capture_init(&capture, "", "");
	assert_int_equal(
		symbolizer_add_captures(symbolizer, &capture.set, profile_kinds, 0, profile, &err),
		ERR_USAGE);
	profile_free(profile);
	symbolizer_free(symbolizer);
}

static const char *frame_name(const struct profile *profile, uint32_t frame)
{
	const struct profile_location *location =
		&profile->locations[profile->samples[0].locations[frame]];

	return profile->functions[location->lines[0].function].name;
}

static void test_a_harness_is_one_frame(void **state)
{
	static const char *const symbols[] = {
		"mark_area", "_ZN5Catch6invokeEi", "_ZN5Catch7sessionEi", "mark_largest"};
	struct fixture_capture capture;
	struct symbolizer *symbolizer = symbolizer_new(NULL);
	struct profile *profile;

	(void)state;
	fixture_capture_init(&capture, fixture_path("shapes.so"), "");
	fixture_capture_add(&capture, 0, fixture_symbol("shapes.so", symbols[0]), true);
	for (uint32_t i = 1; i < 4; i++)
		capture.frames[i] = (struct capture_frame){
			0, false, fixture_symbol("shapes.so", symbols[i]) + 1};
	capture.stacks[0].depth = 4;
	profile = fixture_profile(symbolizer, &capture);
	assert_int_equal(profile->sample_count, 1);
	assert_int_equal(profile->samples[0].depth, 3);
	assert_string_equal(frame_name(profile, 0), "shapes::box<int>::area() const");
	assert_string_equal(frame_name(profile, 1), "(Catch2)");
	assert_non_null(strstr(frame_name(profile, 2), "shapes::largest("));
	profile_free(profile);
	symbolizer_free(symbolizer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_harness_is_one_frame),
		cmocka_unit_test(test_inlined_frames_have_their_own_lines),
		cmocka_unit_test(test_function_that_names_no_file_is_in_that_of_its_lines),
		cmocka_unit_test(test_function_has_its_declaration),
		cmocka_unit_test(test_line_of_another_file_is_not_shown),
		cmocka_unit_test(test_return_address_is_looked_up_in_the_call),
		cmocka_unit_test(test_cpp_names_are_demangled),
		cmocka_unit_test(test_rust_names_of_v0_are_demangled),
		cmocka_unit_test(test_other_build_is_not_symbolised),
		cmocka_unit_test(test_stripped_object_is_named_by_its_dynamic_symbols),
		cmocka_unit_test(test_symbol_table_knows_static_functions),
		cmocka_unit_test(test_function_without_a_symbol_is_one_function),
		cmocka_unit_test(test_hostile_symbol_name_is_kept_as_it_is),
		cmocka_unit_test(test_linkage_stub_is_named_by_its_target),
		cmocka_unit_test(test_debug_file_is_found_by_its_link),
		cmocka_unit_test(test_debug_file_without_build_id_is_found_by_checksum),
		cmocka_unit_test(test_changed_debug_file_is_not_used),
		cmocka_unit_test(test_prefix_is_cut_at_a_component),
		cmocka_unit_test(test_places_without_a_file_have_fixed_names),
		cmocka_unit_test(test_what_is_not_an_object_is_refused),
		cmocka_unit_test(test_main_binary_of_the_busiest_process_is_the_first_mapping),
		cmocka_unit_test(test_equal_stacks_are_summed_by_epoch),
		cmocka_unit_test(test_profile_of_another_kind_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
