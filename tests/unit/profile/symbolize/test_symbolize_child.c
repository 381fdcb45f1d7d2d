/* SPDX-License-Identifier: Apache-2.0 */
/* The child that reads debug information may die, hang or lie: that costs names, never the run. */
#include "tests/unit/profile/symbolize_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

/* Symbolises a module that the hook spoils and one that it leaves alone. */
static struct profile *with_hook(
	void (*hook)(const char *, int), const struct symbolizer_options *options)
{
	struct fixture_capture capture;
	struct capture_module modules[2] = {{fixture_path("symtab.so"), "", 0, 0x2000, 0},
		{fixture_path("plain.so"), "", 0, 0x2000, 0}};
	struct symbolizer *symbolizer = symbolizer_new(options);
	fixture_capture_init(&capture, "", "");
	capture.process.modules = modules;
	capture.process.module_count = 2;
	fixture_capture_add(&capture, 0, fixture_symbol("plain.so", "mark_local"), true);
	fixture_capture_add(&capture, 1, fixture_symbol("plain.so", "mark_local"), true);
	symbolizer_child_hook = hook;
	struct profile *profile = fixture_profile(symbolizer, &capture);
	symbolizer_child_hook = NULL;
	symbolizer_free(symbolizer);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no process is left behind */
	assert_int_equal(errno, ECHILD);
	return profile;
}

static void assert_only_second_named(void (*hook)(const char *, int),
	const struct symbolizer_options *options, const char *warning)
{
	struct profile *profile = with_hook(hook, options);
	assert_true(fixture_warned(profile, warning));
	assert_true(fixture_warned(profile, "symtab.so"));
	assert_int_equal(profile->comment_count, 1);
	assert_non_null(strstr(fixture_function(profile, 0, 0)->name, "[symtab.so+0x"));
	assert_string_equal(fixture_function(profile, 1, 0)->name, "only_in_symtab");
	profile_free(profile);
}

static bool is_victim(const char *path)
{
	return strstr(path, "symtab.so") != NULL;
}

static void die(const char *path, int fd)
{
	(void)fd;
	if (is_victim(path))
		raise(SIGKILL);
}

static void test_crash_costs_one_module_its_names(void **state)
{
	(void)state;
	assert_only_second_named(die, NULL, "was killed by SIGKILL");
}

static void spin(const char *path, int fd)
{
	volatile unsigned long turns = 0;
	(void)fd;
	while (is_victim(path))
		turns++;
}

static void test_endless_loop_ends_at_the_cpu_limit(void **state)
{
	(void)state;
	const struct symbolizer_options options = {.max_cpu_seconds = 1};
	assert_only_second_named(spin, &options, "used up its CPU time");
}

static void eat(const char *path, int fd)
{
	(void)fd;
	for (size_t i = 0; is_victim(path) && i < 4096; i++) {
		char *bytes = malloc(1 << 20);
		if (bytes == NULL)
			abort();
		memset(bytes, 1, 1 << 20);
	}
}

static void test_memory_is_limited(void **state)
{
	(void)state;
#if defined(__SANITIZE_ADDRESS__)
	skip(); /* no limit there: see symbolize_confine.c */
#endif
	const struct symbolizer_options options = {.max_memory_bytes = 64 << 20};
	assert_only_second_named(eat, &options, "was killed by SIGABRT");
}

/* A function whose code needs more memory than there is, and one of another module. */
static void test_a_reader_lost_while_hashing_costs_hashes_only(void **state)
{
	(void)state;
#if defined(__SANITIZE_ADDRESS__)
	skip(); /* no limit there */
#endif
	const struct symbolizer_options options = {.max_memory_bytes = 64 << 20, .hash_code = true};
	struct fixture_capture capture;
	struct capture_module modules[2] = {{fixture_path("sled.so"), "", 0, 0x200000, 0},
		{fixture_path("symtab.so"), "", 0, 0x2000, 0}};
	struct symbolizer *symbolizer = symbolizer_new(&options);
	fixture_capture_init(&capture, "", "");
	capture.process.modules = modules;
	capture.process.module_count = 2;
	fixture_capture_add(&capture, 0, fixture_symbol("sled.so", "sled"), true);
	fixture_capture_add(&capture, 1, fixture_symbol("plain.so", "mark_local"), true);
	struct profile *profile = fixture_profile(symbolizer, &capture);
	assert_int_equal(profile->comment_count, 1);
	assert_true(fixture_warned(profile, "sled.so is not known: the symbol reader was killed"));
	assert_string_equal(fixture_function(profile, 0, 0)->name, "sled");
	assert_string_equal(symbolizer_code(symbolizer, fixture_function(profile, 0, 0)).hash, "");
	assert_string_equal(fixture_function(profile, 1, 0)->name, "only_in_symtab");
	assert_int_equal(strlen(symbolizer_code(symbolizer, fixture_function(profile, 1, 0)).hash),
		CODE_HASH_DIGITS);
	profile_free(profile);
	symbolizer_free(symbolizer);
}

static void test_code_beyond_the_budget_is_not_known_and_that_is_said(void **state)
{
	(void)state;
	const struct symbolizer_options options = {.max_code_units = 1 << 20, .hash_code = true};
	struct fixture_capture capture;
	struct symbolizer *symbolizer = symbolizer_new(&options);
	fixture_capture_init(&capture, fixture_path("sled.so"), "");
	fixture_capture_add(&capture, 0, fixture_symbol("sled.so", "sled"), true);
	struct profile *profile = fixture_profile(symbolizer, &capture);
	assert_int_equal(profile->comment_count, 1);
	assert_true(fixture_warned(profile, "sled.so is not known: there is too much of it"));
	assert_string_equal(fixture_function(profile, 0, 0)->name, "sled");
	assert_string_equal(symbolizer_code(symbolizer, fixture_function(profile, 0, 0)).hash, "");
	profile_free(profile);
	symbolizer_free(symbolizer);
}

static void wait_for_nothing(const char *path, int fd)
{
	(void)fd;
	while (is_victim(path))
		pause();
}

static void test_child_that_waits_is_ended(void **state)
{
	(void)state;
	const struct symbolizer_options options = {.max_wait_seconds = 1};
	assert_only_second_named(wait_for_nothing, &options, "did not answer");
}

/* It waits for no longer than it is allowed to,
 * and a second of work takes long on a busy machine. */
static void test_child_that_works_is_waited_for(void **state)
{
	(void)state;
	const struct symbolizer_options options = {.max_cpu_seconds = 2, .max_wait_seconds = 1};
	assert_only_second_named(spin, &options, "used up its CPU time");
}

static void hang_up(const char *path, int fd)
{
	if (!is_victim(path))
		return;
	close(fd);
	for (;;)
		pause();
}

static void test_child_that_hangs_up_and_stays_is_ended(void **state)
{
	(void)state;
	assert_only_second_named(hang_up, NULL, "was killed by SIGKILL");
}

/* Replies of an attacker who has taken over the child. */
static struct strbuf forged;
static void forge(const char *path, int fd)
{
	if (!is_victim(path))
		return;
	for (size_t sent = 0; sent < forged.length;) {
		ssize_t put = write(fd, forged.data + sent, forged.length - sent);
		if (put <= 0)
			_exit(1);
		sent += (size_t)put;
	}
	for (;;)
		pause();
}

static void forge_start(uint32_t flags, uint32_t functions)
{
	strbuf_init(&forged);
	symbol_put_u32(&forged, 0);
	symbol_put_u32(&forged, flags);
	symbol_put_string(&forged, "");
	symbol_put_u32(&forged, functions);
}

static void forge_function(const char *name)
{
	symbol_put_string(&forged, name);
	symbol_put_string(&forged, "");
	symbol_put_string(&forged, "");
	symbol_put_u32(&forged, 1);
}

static void forge_coded_frame(
	uint32_t count, uint32_t function, const char *hash, const char *shape, const char *callees)
{
	symbol_put_u32(&forged, count);
	symbol_put_u32(&forged, function);
	symbol_put_u32(&forged, 1);
	symbol_put_string(&forged, hash);
	symbol_put_u32(&forged, 0);
	symbol_put_string(&forged, shape);
	symbol_put_string(&forged, callees);
}

static void forge_frame(uint32_t count, uint32_t function)
{
	forge_coded_frame(count, function, "", "", "");
}

static void assert_forgery_refused(uint32_t claimed_extra)
{
	uint32_t length = (uint32_t)(forged.length - sizeof(length)) + claimed_extra;
	memcpy(forged.data, &length, sizeof(length));
	assert_only_second_named(forge, NULL, "damaged answer");
	strbuf_release(&forged);
}

static void test_function_index_out_of_range_is_refused(void **state)
{
	(void)state;
	forge_start(1, 1);
	forge_function("f");
	forge_frame(1, 1);
	assert_forgery_refused(0);
}

static void test_false_counts_are_refused(void **state)
{
	(void)state;
	forge_start(1, UINT32_MAX);
	forge_function("f");
	assert_forgery_refused(0);
	forge_start(1, 1);
	forge_function("f");
	forge_frame(SYMBOL_MAX_INLINED + 1, 0);
	assert_forgery_refused(0);
	forge_start(1, 0);
	assert_forgery_refused(0);
}

static void test_bytes_behind_the_answer_are_refused(void **state)
{
	(void)state;
	forge_start(1, 1);
	forge_function("f");
	forge_frame(1, 0);
	strbuf_addstr(&forged, "more");
	assert_forgery_refused(0);
}

static void test_bad_names_are_refused(void **state)
{
	(void)state;
	char *huge = xcalloc(1, SYMBOL_MAX_NAME_BYTES + 2);
	memset(huge, 'x', SYMBOL_MAX_NAME_BYTES + 1);
	const char *const names[] = {"", huge};
	for (size_t i = 0; i < 2; i++) {
		forge_start(1, 1);
		forge_function(names[i]);
		forge_frame(1, 0);
		assert_forgery_refused(0);
	}
	forge_start(1, 1);
	symbol_put_u32(&forged, 3);
	strbuf_add(&forged, "a\0b", 3);
	symbol_put_string(&forged, "");
	symbol_put_string(&forged, "");
	symbol_put_u32(&forged, 1);
	forge_frame(1, 0);
	assert_forgery_refused(0);
	free(huge);
}

static void test_bad_code_hashes_are_refused(void **state)
{
	static const char *const hashes[] = {"0123", "0123456789ABCDEF0123456789ABCDEF",
		"0123456789abcdef0123456789abcdef0", "\"></script>0123456789abcdef01234"};
	(void)state;
	for (size_t i = 0; i < sizeof(hashes) / sizeof(*hashes); i++) {
		forge_start(1, 1);
		forge_function("f");
		forge_coded_frame(1, 0, hashes[i], "", "");
		assert_forgery_refused(0);
	}
}

#define HASH "0123456789abcdef0123456789abcdef"

static void test_bad_shapes_are_refused(void **state)
{
	char *many = xcalloc(1, (CODE_MAX_CALLEES + 1) * CODE_CALLEE_DIGITS + 1);
	memset(many, 'a', (CODE_MAX_CALLEES + 1) * CODE_CALLEE_DIGITS);
	const char *const codes[][3] = {
		{HASH, "0123", "0123456789abcdef"},
		{HASH, "\"></script>0123456789abcdef01234", "0123456789abcdef"},
		{HASH, HASH, ""},
		{HASH, "", "0123456789abcdef"},
		{"", HASH, "0123456789abcdef"},
		{HASH, HASH, "0123456789abcde"},
		{HASH, HASH, "0123456789abcdeg"},
		{HASH, HASH, many},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
		forge_start(1, 1);
		forge_function("f");
		forge_coded_frame(1, 0, codes[i][0], codes[i][1], codes[i][2]);
		assert_forgery_refused(0);
	}
	free(many);
}

static void test_the_calls_of_a_function_are_told(void **state)
{
	const struct symbolizer_options options = {.hash_code = true};
	struct symbolizer *symbolizer = symbolizer_new(&options);
	struct fixture_capture capture;
	char digits[CODE_CALLEE_DIGITS + 1];
	(void)state;
	fixture_capture_init(&capture, fixture_path("code-many.so"), "");
	fixture_capture_add(&capture, 0, fixture_symbol("code-many.so", "calls_many"), true);
	struct profile *profile = fixture_profile(symbolizer, &capture);
	struct symbolized_code code = symbolizer_code(symbolizer, fixture_function(profile, 0, 0));
	code_callee_digits("callee_10", strlen("callee_10"), digits);
	assert_int_equal(strlen(code.shape), CODE_HASH_DIGITS);
	assert_string_not_equal(code.shape, code.hash);
	assert_int_equal(strlen(code.callees), CODE_MAX_CALLEES * CODE_CALLEE_DIGITS);
	assert_memory_equal(code.callees, digits, CODE_CALLEE_DIGITS);
	profile_free(profile);
	symbolizer_free(symbolizer);
}

static void test_endless_answer_is_cut(void **state)
{
	(void)state;
	strbuf_init(&forged);
	symbol_put_u32(&forged, UINT32_MAX);
	char *zeros = xcalloc(1, SYMBOL_MAX_REPLY_BYTES + 1);
	strbuf_add(&forged, zeros, SYMBOL_MAX_REPLY_BYTES + 1);
	free(zeros);
	assert_only_second_named(forge, NULL, "said too much");
	strbuf_release(&forged);
}

/* What works though it should not makes the child die of a signal that tells what it was. */
static void reach_out(const char *path, int fd)
{
	if (open("/tmp/fg-symbolize-escape", O_WRONLY | O_CREAT, 0600) >= 0)
		raise(SIGUSR1);
	if (socket(AF_INET, SOCK_STREAM, 0) >= 0)
		raise(SIGUSR2);
	if (fork() >= 0)
		raise(SIGVTALRM);
	if (kill(getppid(), 0) == 0)
		raise(SIGPROF);
	if (getenv("PATH") != NULL)
		raise(SIGALRM);
	if (is_victim(path) && fcntl(fd + 1, F_GETFD) >= 0)
		raise(SIGHUP);
	execl("/bin/true", "true", (char *)NULL);
}

static void test_child_can_reach_nothing_outside(void **state)
{
	(void)state;
	struct profile *profile = with_hook(reach_out, NULL);
	assert_int_equal(profile->comment_count, 0);
	assert_string_equal(fixture_function(profile, 0, 0)->name, "only_in_symtab");
	assert_int_not_equal(access("/tmp/fg-symbolize-escape", F_OK), 0);
	profile_free(profile);
}

static int copy_file(const char *from, const char *to)
{
	struct strbuf bytes = STRBUF_INIT;
	FILE *in = fopen(from, "re"), *out = fopen(to, "we");
	char buffer[4096];
	size_t got;
	assert_true(in != NULL && out != NULL);
	while ((got = fread(buffer, 1, sizeof(buffer), in)) > 0)
		assert_int_equal(fwrite(buffer, 1, got, out), got);
	strbuf_release(&bytes);
	fclose(in);
	return fclose(out);
}

static void test_resolved_addresses_are_remembered(void **state)
{
	(void)state;
	char path[] = "/tmp/fg-symbolize-XXXXXX";
	struct fixture_capture capture;
	struct symbolizer *symbolizer = symbolizer_new(NULL);
	close(mkstemp(path));
	copy_file(fixture_path("plain.so"), path);
	fixture_capture_init(&capture, path, "");
	fixture_capture_add(&capture, 0, fixture_symbol("plain.so", "mark_local"), true);
	struct profile *first = fixture_profile(symbolizer, &capture);
	unlink(path);
	symbolizer_child_hook = die;
	struct profile *second = fixture_profile(symbolizer, &capture);
	symbolizer_child_hook = NULL;
	assert_string_equal(fixture_function(first, 0, 0)->name, "only_in_symtab");
	assert_string_equal(fixture_function(second, 0, 0)->name, "only_in_symtab");
	profile_free(first);
	profile_free(second);
	symbolizer_free(symbolizer);
}

static void test_more_addresses_than_one_request_holds(void **state)
{
	(void)state;
	enum { COUNT = 3 * SYMBOL_CHUNK_ADDRESSES + 7 };
	struct fixture_capture capture;
	struct symbolizer *symbolizer = symbolizer_new(NULL);
	struct capture_frame *frames = xcalloc(COUNT, sizeof(*frames));
	fixture_capture_init(&capture, fixture_path("plain.so"), "");
	fixture_capture_add(&capture, 0, 0, true);
	for (uint32_t i = 0; i < COUNT; i++)
		frames[i] = (struct capture_frame){0, true, i};
	capture.stacks[0].frames = frames;
	capture.stacks[0].depth = COUNT;
	struct profile *profile = fixture_profile(symbolizer, &capture);
	uint64_t mark = fixture_symbol("plain.so", "mark_local");
	const struct profile_location *location =
		&profile->locations[profile->samples[0].locations[mark]];
	assert_string_equal(profile->functions[location->lines[0].function].name, "only_in_symtab");
	assert_int_equal(profile->location_count, COUNT);
	free(frames);
	profile_free(profile);
	symbolizer_free(symbolizer);
}

/* Every byte of the sections behind the code, in turn: the reader survives,
 * or only the child dies. */
static void test_damaged_objects_never_reach_the_parent(void **state)
{
	(void)state;
	char path[] = "/tmp/fg-symbolize-XXXXXX";
	int fd = mkstemp(path);
	uint64_t mark = fixture_symbol("plain.so", "mark_innermost");
	uint32_t seed = 1;
	for (int round = 0; round < 150; round++) {
		assert_int_equal(copy_file(fixture_path("plain.so"), path), 0);
		off_t size = lseek(fd, 0, SEEK_END);
		for (int i = 0; i < 40; i++) {
			seed = seed * 1664525u + 1013904223u;
			unsigned char byte = (unsigned char)(seed >> 24);
			off_t offset = round % 3 == 0 ? (off_t)(seed >> 8) % 4096
						      : (off_t)(seed >> 8) % size;
			assert_int_equal(pwrite(fd, &byte, 1, offset), 1);
		}
		struct profile *profile = fixture_one(path, "", mark);
		assert_int_equal(profile->sample_count, 1);
		assert_true(fixture_location(profile, 0)->line_count > 0);
		profile_free(profile);
	}
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crash_costs_one_module_its_names),
		cmocka_unit_test(test_endless_loop_ends_at_the_cpu_limit),
		cmocka_unit_test(test_memory_is_limited),
		cmocka_unit_test(test_a_reader_lost_while_hashing_costs_hashes_only),
		cmocka_unit_test(test_code_beyond_the_budget_is_not_known_and_that_is_said),
		cmocka_unit_test(test_child_that_waits_is_ended),
		cmocka_unit_test(test_child_that_works_is_waited_for),
		cmocka_unit_test(test_child_that_hangs_up_and_stays_is_ended),
		cmocka_unit_test(test_function_index_out_of_range_is_refused),
		cmocka_unit_test(test_false_counts_are_refused),
		cmocka_unit_test(test_bytes_behind_the_answer_are_refused),
		cmocka_unit_test(test_bad_names_are_refused),
		cmocka_unit_test(test_bad_code_hashes_are_refused),
		cmocka_unit_test(test_bad_shapes_are_refused),
		cmocka_unit_test(test_the_calls_of_a_function_are_told),
		cmocka_unit_test(test_endless_answer_is_cut),
		cmocka_unit_test(test_child_can_reach_nothing_outside),
		cmocka_unit_test(test_resolved_addresses_are_remembered),
		cmocka_unit_test(test_more_addresses_than_one_request_holds),
		cmocka_unit_test(test_damaged_objects_never_reach_the_parent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
