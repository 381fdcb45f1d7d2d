/* SPDX-License-Identifier: Apache-2.0 */
/* What harnesses print: recorded lists of real programs, and what a hostile one might print. */
#include "gate/bench/harness/harness_parse.h"

#include "tests/unit/bench/scene.h"

/* google-benchmark 1.7.1. */
static const char google[] = "BM_a\n"
			     "na me (x)+[y]\\d|^$.*?{}/8\n"
			     "na me (x)+[y]\\d|^$.*?{}/64\n"
			     "BM_t<int>/8/real_time/threads:2\n"
			     "BM_t<int>/64/real_time/threads:2\n";
/* Catch2 2.13.10, by --list-test-names-only. */
static const char catch2[] = "Fib [a], \"b\" \\c*\n~odd name\n\"#hash\"\n*starred*\n\"quoted\"\n";
/* criterion 0.5.1, without --format terse. */
static const char criterion[] = "fib 20: benchmark\n\ngroup/one/fib (x)/5: benchmark\n"
				"group/one/fib (x)/10: benchmark\n\n";
/* divan 0.1.21, for nextest. */
static const char divan[] = "div::inner::deep: benchmark\ndiv::inner::g2::c::1: benchmark\n"
			    "div::with_args::10: benchmark\ndiv::typed::String: benchmark\n";
/* Go 1.26, each once with one CPU. */
static const char go_runs[] = "goos: linux\ngoarch: amd64\npkg: example.com/samp\ncpu: AMD EPYC\n"
			      "BenchmarkFib \t       1\t     40991 ns/op\n"
			      "BenchmarkSub/a_b         \t       1\t       621.0 ns/op\n"
			      "BenchmarkSub/x/y         \t       1\t       611.0 ns/op\n"
			      "BenchmarkSub/sz=1        \t       1\t       451.0 ns/op\nPASS\n";
static const char go_list[] = "BenchmarkFib\nBenchmarkSub\nok  \texample.com/samp\t0.001s\n";

struct reading {
	struct harness_names names;
	struct error err;
	int rc;
};

static struct reading read_bytes(harness_names_reader *read, const char *text, size_t length)
{
	/* In a block of its own size: a sanitizer sees what is read beyond. */
	char *copy = malloc(length ? length : 1);
	struct reading reading = {.rc = ERR_OK};

	assert_non_null(copy);
	memcpy(copy, text, length);
	harness_names_init(&reading.names);
	reading.rc = read(copy, length, &reading.names, &reading.err);
	free(copy);
	return reading;
}

static void reads(harness_names_reader *read, const char *text, const char *const *wanted)
{
	struct reading reading = read_bytes(read, text, strlen(text));
	size_t count = 0;

	assert_int_equal(reading.rc, ERR_OK);
	for (; wanted[count]; count++) {
		assert_true(count < reading.names.count);
		assert_string_equal(reading.names.items[count], wanted[count]);
	}
	assert_int_equal(reading.names.count, count);
	harness_names_release(&reading.names);
}

static void refuses(
	harness_names_reader *read, const char *text, size_t length, int code, const char *message)
{
	struct reading reading = read_bytes(read, text, length);

	assert_int_equal(reading.rc, code);
	assert_contains(reading.err.message, message);
	harness_names_release(&reading.names);
}

static void test_google_lists_a_name_on_each_line(void **state)
{
	static const char *const names[] = {"BM_a", "na me (x)+[y]\\d|^$.*?{}/8",
		"na me (x)+[y]\\d|^$.*?{}/64", "BM_t<int>/8/real_time/threads:2",
		"BM_t<int>/64/real_time/threads:2", NULL};

	(void)state;
	reads(harness_read_lines, google, names);
}

static void test_catch2_puts_a_hash_in_quotes_and_nothing_else(void **state)
{
	static const char *const names[] = {
		"Fib [a], \"b\" \\c*", "~odd name", "#hash", "*starred*", "\"quoted\"", NULL};

	(void)state;
	reads(harness_read_catch2, catch2, names);
}

static void test_rust_names_end_in_benchmark(void **state)
{
	static const char *const of_criterion[] = {
		"fib 20", "group/one/fib (x)/5", "group/one/fib (x)/10", NULL};
	static const char *const of_divan[] = {"div::inner::deep", "div::inner::g2::c::1",
		"div::with_args::10", "div::typed::String", NULL};

	(void)state;
	reads(harness_read_rust, criterion, of_criterion);
	reads(harness_read_rust, divan, of_divan);
	reads(harness_read_rust, "a: test\n: benchmark\nbanner\nb: benchmark",
		(const char *const[]){"b", NULL});
}

/* divan 0.1.17, by --test. */
static void test_a_trees_leaves_are_names(void **state)
{
	static const char tree[] =
		"main\n├─ from_slice\n│  ├─ bench_arcstr\n│  │  ├─ 0\n│  │  ╰─ 16\n"
		"│  ╰─ off  (ignored)\n╰─ from_string\n   ╰─ bench_x\n\n";

	(void)state;
	reads(harness_read_tree, tree,
		(const char *const[]){"main::from_slice::bench_arcstr::0",
			"main::from_slice::bench_arcstr::16", "main::from_string::bench_x", NULL});
	reads(harness_read_tree, "main\n\n", (const char *const[]){NULL});
	refuses(harness_read_tree, "├─ a\n", strlen("├─ a\n"), ERR_CORRUPT, "no tree");
	refuses(harness_read_tree, "a\n│  ├─ b\n", strlen("a\n│  ├─ b\n"), ERR_CORRUPT, "no tree");
}

/* criterion 0.3.5 has lines of its own before them. */
static void test_older_criterion_says_bench(void **state)
{
	(void)state;
	reads(harness_read_rust,
		"WARNING: HTML report generation will become\n\nreq/req: bench\n\nreq/short: bench\n\n",
		(const char *const[]){"req/req", "req/short", NULL});
}

static void test_go_names_what_it_ran(void **state)
{
	static const char *const run[] = {
		"BenchmarkFib", "BenchmarkSub/a_b", "BenchmarkSub/x/y", "BenchmarkSub/sz=1", NULL};
	static const char *const listed[] = {"BenchmarkFib", "BenchmarkSub", NULL};

	(void)state;
	reads(harness_read_go_runs, go_runs, run);
	reads(harness_read_go_list, go_list, listed);
	reads(harness_read_go_runs,
		"Benchmarks are fun\t1\nBenchmarking\t1\nBenchmark a b\t1\nBenchmarkA \tlog\n",
		(const char *const[]){"BenchmarkA", NULL});
}

static void test_carriage_returns_and_repetitions_are_left_out(void **state)
{
	(void)state;
	reads(harness_read_lines, "a\r\nb\r\na\r\n\r\n", (const char *const[]){"a", "b", NULL});
	reads(harness_read_lines, "", (const char *const[]){NULL});
}

static void test_control_characters_are_no_names(void **state)
{
	(void)state;
	refuses(harness_read_lines, "a\nb\x1b[31m\n", 8, ERR_CORRUPT, "control characters");
	refuses(harness_read_lines, "a\0b\n", 4, ERR_CORRUPT, "control characters");
}

static void test_long_names_are_refused(void **state)
{
	static char text[HARNESS_MAX_NAME_BYTES + 1];

	(void)state;
	memset(text, 'a', sizeof(text));
	refuses(harness_read_lines, text, sizeof(text), ERR_LIMIT, "more than 1000 bytes");
}

static void test_more_than_2000_names_are_refused(void **state)
{
	struct strbuf text = STRBUF_INIT;

	(void)state;
	for (unsigned i = 0; i < HARNESS_MAX_BENCHMARKS; i++)
		strbuf_addf(&text, "b%u\n", i);
	{
		struct reading reading = read_bytes(harness_read_lines, text.data, text.length);

		assert_int_equal(reading.rc, ERR_OK);
		assert_int_equal(reading.names.count, HARNESS_MAX_BENCHMARKS);
		harness_names_release(&reading.names);
	}
	strbuf_addstr(&text, "one more\n");
	refuses(harness_read_lines, text.data, text.length, ERR_LIMIT, "more than 2000 benchmarks");
	strbuf_release(&text);
}

static uint64_t counted(harness_count_reader *read, const char *text)
{
	size_t length = strlen(text);
	char *copy = malloc(length ? length : 1);
	uint64_t count;

	assert_non_null(copy);
	memcpy(copy, text, length);
	count = read(copy, length);
	free(copy);
	return count;
}

static void test_iterations_are_read(void **state)
{
	(void)state;
	assert_int_equal(counted(harness_count_google,
				 "{\"context\": {\"iterations\": 5},\n \"benchmarks\": [ {\n"
				 "\"name\": \"BM_a\",\n\"iterations\": 650849,\n"),
		650849);
	assert_int_equal(counted(harness_count_go,
				 "pkg: a\nBenchmarkSub/sz=1-2   \t  899677\t 258.3 ns/op\n"),
		899677);
	assert_int_equal(
		counted(harness_count_divan,
			"div  fastest │ slowest │ median │ mean │ samples │ iters\n"
			"╰─ inner     │         │        │      │         │\n"
			"   ╰─ deep  3.357 ns │ 711.7 ns │ 4.377 ns │ 4.473 ns │ 52786 │ 27026432\n"),
		456933);
	assert_int_equal(counted(harness_count_divan, "╰─ a 1 ms │ 1 ms │ 20 │ 20\n"), 1);
}

/* divan 0.1.21: a sample of one iteration costs several times as much as the iteration. */
static void test_what_divan_spends_between_samples_is_no_iteration(void **state)
{
	(void)state;
	assert_int_equal(
		counted(harness_count_divan,
			"╰─ a  199.5 ns │ 12.08 ms │ 259.5 ns │ 1.075 µs │ 112463 │ 112463\n"),
		7707);
	assert_int_equal(
		counted(harness_count_divan, "╰─ a  1 µs │ 3 ms │ 2.5 µs │ 4 µs │ 100 │ 100\n"),
		800);
	assert_int_equal(counted(harness_count_divan, "╰─ a  1 s │ 1 s │ 1 s │ 1 s │ 1 │ 1\n"), 1);
	assert_int_equal(
		counted(harness_count_divan, "╰─ a  1 x │ 1 x │ 0 ns │ 1 x │ 1 │ 900\n"), 9);
}

static void test_no_number_is_none(void **state)
{
	(void)state;
	assert_int_equal(counted(harness_count_google, "\"benchmarks\" \"iterations\""), 0);
	assert_int_equal(counted(harness_count_google, "\"iterations\": 7"), 0);
	assert_int_equal(counted(harness_count_google,
				 "\"benchmarks\" \"iterations\": 99999999999999999999"),
		0);
	assert_int_equal(counted(harness_count_go, "BenchmarkA\tfailed\n"), 0);
	assert_int_equal(counted(harness_count_divan, "deep 3.5 ns │ 10x │ 20\n"), 0);
	assert_int_equal(counted(harness_count_divan, ""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_google_lists_a_name_on_each_line),
		cmocka_unit_test(test_catch2_puts_a_hash_in_quotes_and_nothing_else),
		cmocka_unit_test(test_rust_names_end_in_benchmark),
		cmocka_unit_test(test_a_trees_leaves_are_names),
		cmocka_unit_test(test_older_criterion_says_bench),
		cmocka_unit_test(test_go_names_what_it_ran),
		cmocka_unit_test(test_carriage_returns_and_repetitions_are_left_out),
		cmocka_unit_test(test_control_characters_are_no_names),
		cmocka_unit_test(test_long_names_are_refused),
		cmocka_unit_test(test_more_than_2000_names_are_refused),
		cmocka_unit_test(test_iterations_are_read),
		cmocka_unit_test(test_what_divan_spends_between_samples_is_no_iteration),
		cmocka_unit_test(test_no_number_is_none),
	};

	return cmocka_run_group_tests_name("bench/harness_parse", tests, NULL, NULL);
}
