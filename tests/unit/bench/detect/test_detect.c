/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/detect/detect.h"

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/bench/cmake/codemodel.h"
#include "gate/bench/config/config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct tree {
	char *dir;
	struct detection found;
	bool scanned;
};

static void put(struct tree *tree, const char *path, const char *text)
{
	char *full = file_join(tree->dir, path), *slash = strrchr(full, '/');
	struct error err;

	*slash = '\0';
	if (file_mkdirs(full, &err))
		fail_msg("%s", err.message);
	*slash = '/';
	if (file_write(full, text, strlen(text), &err))
		fail_msg("%s", err.message);
	free(full);
}

static void put_program(struct tree *tree, const char *path, const char *text)
{
	char *full = file_join(tree->dir, path);

	put(tree, path, text);
	assert_int_equal(chmod(full, 0755), 0);
	free(full);
}

/* Whatever was found, the configuration must be one, and hold what it proposes. */
static void assert_config(const struct detection *found)
{
	struct strbuf text = STRBUF_INIT;
	struct config config;
	struct error err;
	size_t running = 0;

	for (size_t i = 0; i < found->candidate_count; i++)
		running += detect_is_proposed(found, &found->candidates[i]);
	detect_write_config(found, &text);
	if (config_parse(&config, text.data, text.length, CONFIG_FILE_NAME, &err))
		fail_msg("%s\n%s", err.message, text.data);
	assert_int_equal(config.benchmark_count, running ? running : 1);
	for (size_t i = 0; i < running; i++) {
		const struct detect_candidate *candidate = &found->candidates[i];
		const struct config_benchmark *benchmark = config_find(&config, candidate->name);

		assert_non_null(benchmark);
		assert_string_equal(benchmark->command_text, candidate->command);
		assert_string_equal(benchmark->directory, candidate->directory);
	}
	config_release(&config);
	strbuf_release(&text);
}

static void scan(struct tree *tree)
{
	struct error err;

	if (tree->scanned)
		detection_release(&tree->found);
	if (detect_scan(tree->dir, NULL, 0, &tree->found, &err))
		fail_msg("%s", err.message);
	tree->scanned = true;
	assert_config(&tree->found);
}

static const struct detect_candidate *candidate(const struct tree *tree, const char *name)
{
	for (size_t i = 0; i < tree->found.candidate_count; i++) {
		if (strcmp(tree->found.candidates[i].name, name) == 0)
			return &tree->found.candidates[i];
	}
	fail_msg("no candidate %s", name);
	return NULL;
}

static void assert_candidate(const struct tree *tree, const char *name,
	enum detect_readiness readiness, const char *command, const char *build, const char *advice)
{
	const struct detect_candidate *one = candidate(tree, name);

	assert_string_equal(one->command, command);
	assert_int_equal(one->readiness, readiness);
	assert_string_equal(one->build[0] ? one->build[0] : "", build);
	if (!strstr(one->advice, advice))
		fail_msg("no \"%s\" in: %s", advice, one->advice);
}

static void assert_systems(const struct tree *tree, const char *expected)
{
	struct strbuf list = STRBUF_INIT;

	for (size_t i = 0; i < tree->found.system_count; i++)
		strbuf_addf(&list, "%s%s", i ? ", " : "", tree->found.systems[i]);
	assert_string_equal(list.data, expected);
	strbuf_release(&list);
}

static void test_empty_tree_has_a_placeholder_that_fails(void **state)
{
	struct tree *tree = *state;
	struct strbuf text = STRBUF_INIT;

	scan(tree);
	assert_int_equal(tree->found.candidate_count, 0);
	assert_systems(tree, "");
	detect_write_config(&tree->found, &text);
	assert_non_null(strstr(text.data, "exit 1"));
	assert_non_null(strstr(text.data, "# build: "));
	strbuf_release(&text);
}

static void test_make_targets_that_build_or_run(void **state)
{
	struct tree *tree = *state;

	put(tree, "Makefile",
		"BENCH_FLAGS := -O2\n"
		"bench_dir = x\n"
		"# bench: commented\n"
		"all: prog\n"
		"bench: bench.o\n"
		"\t$(CC) -o $@ $^\n"
		"implicit-bench: main.o\n"
		".PHONY: bench-run bench-clean\n"
		"bench-run benchmark: bench\n"
		"\t./bench\n"
		"bench-clean:\n"
		"\trm -f bench\n"
		"%-bench: %.o\n"
		"\t$(CC) -o $@ $^\n"
		"bench$(EXE): x\n"
		"bench::=5\n");
	scan(tree);
	assert_systems(tree, "Make (Makefile)");
	assert_int_equal(tree->found.candidate_count, 4);
	assert_candidate(tree, "bench", DETECT_UNRECOGNISED, "./bench", "make -s bench", "");
	assert_candidate(tree, "implicit-bench", DETECT_UNRECOGNISED, "./implicit-bench",
		"make -s implicit-bench", "");
	assert_candidate(tree, "bench-run", DETECT_UNRECOGNISED, "make -s bench-run", "make -s all",
		"make itself");
	assert_candidate(tree, "benchmark", DETECT_UNRECOGNISED, "make -s benchmark", "make -s all",
		"make itself");
}

static void test_makefile_in_a_folder(void **state)
{
	struct tree *tree = *state;

	put(tree, "src/perf/Makefile",
		"bench:\n\tcc -o bench bench.c\nrun-bench: bench\n\t./bench\n");
	scan(tree);
	assert_candidate(tree, "bench", DETECT_UNRECOGNISED, "./src/perf/bench",
		"make -s -C src/perf bench", "");
	assert_candidate(
		tree, "run-bench", DETECT_UNRECOGNISED, "make -s -C src/perf run-bench", "", "");
}

static void test_google_benchmark_needs_a_count(void **state)
{
	struct tree *tree = *state;

	put(tree, "CMakeLists.txt", "project(x)\nadd_subdirectory(bench)\n");
	put(tree, "bench/CMakeLists.txt",
		"find_package(benchmark REQUIRED)\n"
		"# add_executable(old_bench old.cc)\n"
		"add_executable(parse_bench parse.cc)\n"
		"add_executable(${NAME}_bench x.cc)\n"
		"target_link_libraries(parse_bench benchmark::benchmark)\n");
	scan(tree);
	assert_systems(tree, "CMake (CMakeLists.txt), CMake (bench/CMakeLists.txt)");
	assert_int_equal(tree->found.candidate_count, 1);
	assert_candidate(tree, "parse_bench", DETECT_TIMED, "./build/bench/parse_bench",
		"cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo",
		"--benchmark_min_time=1000x");
	assert_string_equal(candidate(tree, "parse_bench")->harness, "google-benchmark");
	put(tree, "Makefile", "gbench: b.o\n\t$(CXX) -o $@ $^ -lbenchmark\n");
	scan(tree);
	assert_candidate(tree, "gbench", DETECT_TIMED, "./gbench", "make -s gbench", "fixed time");
}

/* Each with what it needs; together the project is configured once, with all of it. */
static void test_options_of_cmake_are_in_the_command_that_configures(void **state)
{
	struct tree *tree = *state;
	struct strbuf text = STRBUF_INIT;

	put(tree, "CMakeLists.txt",
		"option(ONE \"\" OFF)\noption(TWO \"\" OFF)\noption(THREE \"\" OFF)\nif(ONE)\n"
		"add_executable(a_bench a.c)\nif(TWO)\nadd_executable(b_bench b.c)\nendif()\n"
		"endif()\nif(THREE)\nadd_executable(speed c.cc)\nendif()\n");
	put(tree, "a.c", "int main(void) { return 0; }\n");
	put(tree, "b.c", "int main(void) { return 0; }\n");
	put(tree, "c.cc", "#include \"other.h\"\n");
	scan(tree);
	assert_int_equal(tree->found.candidate_count, 2);
	assert_string_equal(candidate(tree, "a_bench")->options, "-DONE=ON");
	assert_string_equal(candidate(tree, "b_bench")->options, "-DONE=ON -DTWO=ON");
	detect_write_config(&tree->found, &text);
	assert_non_null(strstr(text.data,
		"\n  - 'cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo -DONE=ON -DTWO=ON'"
		"\n  - 'cmake --build build --parallel $(nproc) --target a_bench'\n"));
	assert_int_equal(tree->found.project_count, 1);
	assert_string_equal(tree->found.projects[0].attempts[0], "-DONE=ON -DTWO=ON");
	assert_int_equal(tree->found.projects[0].attempt_count, 3);
	assert_string_equal(tree->found.projects[0].attempts[2], "");
	strbuf_release(&text);
}

/* By what is linked, by what its own sources include, by its name. */
static void test_the_surest_benchmarks_of_cmake_come_first(void **state)
{
	struct tree *tree = *state;

	put(tree, "CMakeLists.txt",
		"add_executable(a_bench a.cc)\nadd_executable(speed b.cc)\n"
		"add_executable(z c.cc)\ntarget_link_libraries(z PRIVATE benchmark::benchmark)\n"
		"add_executable(tests d.cc)\n");
	for (const char *name = "abcd"; *name; name++) {
		const char path[] = {*name, '.', 'c', 'c', '\0'};

		put(tree, path, *name == 'd' ? "int d;\n" : "#include <benchmark/benchmark.h>\n");
	}
	put(tree, "a.cc", "#include \"harness.h\"\n");
	put(tree, "d.cc", "#include <catch2/benchmark/catch_benchmark.hpp>\nTEST_CASE(\"x\") {}\n");
	put(tree, "harness.h", "#include <benchmark/benchmark.h>\n");
	scan(tree);
	assert_int_equal(tree->found.candidate_count, 3);
	assert_string_equal(tree->found.candidates[0].name, "z");
	assert_string_equal(tree->found.candidates[1].name, "speed");
	assert_string_equal(tree->found.candidates[2].name, "a_bench");
	put(tree, "d.cc",
		"#include <catch2/catch_all.hpp>\nTEST_CASE(\"x\") {\n\tBENCHMARK(\"y\") {};\n}\n");
	scan(tree);
	assert_string_equal(candidate(tree, "tests")->harness, "Catch2");
}

static void scan_configured(struct tree *tree, const struct detect_configured *configured)
{
	struct error err;

	if (tree->scanned)
		detection_release(&tree->found);
	if (detect_scan(tree->dir, configured, 1, &tree->found, &err))
		fail_msg("%s", err.message);
	tree->scanned = true;
	assert_config(&tree->found);
}

/* Its answer counts: names that were computed, paths, and what it has not. */
static void test_what_cmake_says_of_its_targets_counts(void **state)
{
	struct tree *tree = *state;
	struct codemodel_target targets[] = {
		{"bench_x", "bin/bench_x", ".", "CMakeLists.txt", 4, "x.c\n", ""},
		{"tests", "bin/tests", ".", "CMakeLists.txt", 6, "t.c\n", ""},
		{"made", "made", "sub", "", 0, "gone.cc\n", "-lm\nlib/libbenchmark.so.1\n"},
		{"other_bench", "o", "third_party/o", "", 0, "", ""},
		{"out_bench", "o", "/usr", "", 0, "", ""},
		{"odd bench", "odd", ".", "", 0, "", ""},
	};
	struct codemodel model = {.targets = targets, .count = 6};
	struct detect_configured configured = {
		.folder = ".", .model = &model, .options = "-DALL=ON", .reason = ""};

	put(tree, "CMakeLists.txt",
		"option(B \"\" OFF)\nif(B)\nforeach(n ${NAMES})\nadd_executable(bench_${n} ${n}.c)\n"
		"endforeach()\nadd_executable(tests t.c)\nadd_executable(gone_bench g.c)\nendif()\n");
	put(tree, "x.c", "int main(void) { return 0; }\n");
	scan_configured(tree, &configured);
	assert_int_equal(tree->found.candidate_count, 3);
	assert_candidate(tree, "bench_x", DETECT_RUNS, "./build/bin/bench_x",
		"cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo", "");
	assert_string_equal(candidate(tree, "bench_x")->options, "-DB=ON");
	assert_string_equal(candidate(tree, "made")->options, "-DALL=ON");
	assert_string_equal(candidate(tree, "made")->harness, "google-benchmark");
	assert_int_equal(candidate(tree, "gone_bench")->readiness, DETECT_UNSUPPORTED);
	assert_non_null(strstr(candidate(tree, "gone_bench")->advice, "no such target"));
	assert_int_equal(tree->found.odd_names, 1);
	configured = (struct detect_configured){
		.folder = ".", .options = "", .reason = "it downloads something"};
	scan_configured(tree, &configured);
	assert_int_equal(tree->found.candidate_count, 1);
	assert_candidate(tree, "gone_bench", DETECT_UNSUPPORTED, "./build/gone_bench",
		"cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo", "it downloads something");
}

/* No link flag tells: the library comes by add_subdirectory() and FetchContent. */
static void test_harnesses_are_found_by_what_sources_include(void **state)
{
	struct tree *tree = *state;

	put(tree, "CMakeLists.txt",
		"add_subdirectory(\"third_party/benchmark\")\nadd_executable(zip_benchmark \"\")\n"
		"target_sources(zip_benchmark PRIVATE \"zip_benchmark.cc\")\n"
		"target_link_libraries(zip_benchmark zip benchmark_main)\n");
	put(tree, "zip_benchmark.cc", "#include \"benchmark/benchmark.h\"\nBENCHMARK(x);\n");
	scan(tree);
	assert_candidate(tree, "zip_benchmark", DETECT_TIMED, "./build/zip_benchmark",
		"cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo", "fixed time");
	put(tree, "CMakeLists.txt", "add_subdirectory(tests/benchmarks)\n");
	put(tree, "zip_benchmark.cc", "");
	put(tree, "tests/benchmarks/CMakeLists.txt",
		"include(FetchContent)\nadd_executable(list_benchmarks src/all.cpp)\n"
		"target_link_libraries(list_benchmarks PRIVATE benchmark list)\n");
	put(tree, "tests/benchmarks/src/all.cpp", "#include <benchmark/benchmark.h>\n");
	put(tree, "other/CMakeLists.txt", "add_executable(plain_bench main.c)\n");
	put(tree, "other/main.c", "int main(void) { return 0; }\n");
	put(tree, "nano/Makefile", "bench: b.cpp\n\t$(CXX) -o $@ $<\n");
	put(tree, "nano/b.cpp", "#include <nanobench.h>\n");
	put(tree, "catch/meson.build", "executable('catch-bench', 'b.cpp')\n");
	put(tree, "catch/b.cpp", "#include <catch2/benchmark/catch_benchmark.hpp>\n");
	scan(tree);
	assert_string_equal(candidate(tree, "list_benchmarks")->harness, "google-benchmark");
	assert_int_equal(candidate(tree, "list_benchmarks")->readiness, DETECT_TIMED);
	assert_string_equal(candidate(tree, "bench")->harness, "nanobench");
	assert_string_equal(candidate(tree, "catch-bench")->harness, "Catch2");
	assert_int_equal(candidate(tree, "plain_bench")->readiness, DETECT_RUNS);
}

/* Both are in one build file: each is judged by its own sources. */
static void test_each_program_of_a_build_file_is_judged_by_its_own_sources(void **state)
{
	struct tree *tree = *state;

	put(tree, "CMakeLists.txt",
		"add_executable(timed_bench timed.cc)\nadd_executable(plain_bench plain.c util.c)\n"
		"add_executable(clock_bench clock.c)\nadd_executable(set_bench set.cc)\n"
		"add_executable(macro_bench macro.cc)\nadd_executable(hidden_bench hidden.c)\n"
		"add_executable(listed_bench ${SOURCES})\n");
	put(tree, "timed.cc", "#include \"harness.h\"\nint main() { return run(); }\n");
	put(tree, "harness.h", "#include <benchmark/benchmark.h>\n");
	put(tree, "plain.c", "#include <stdio.h>\n#include \"util.h\"\nint main(void) {}\n");
	put(tree, "util.h", "int use(int);\n");
	put(tree, "util.c", "#include \"util.h\"\nint use(int x) { return x; }\n");
	put(tree, "clock.c", "int main(void) { while (clock() < 100000); }\n");
	put(tree, "set.cc",
		"#include <benchmark/benchmark.h>\nBENCHMARK(a)\n\t->Iterations(1000);\n"
		"BENCHMARK_MAIN();\n");
	put(tree, "macro.cc", "#include \"util.h\"\nBENCHMARK(a);\n");
	put(tree, "hidden.c", "#include <generated.h>\nint main(void) {}\n");
	scan(tree);
	assert_int_equal(candidate(tree, "timed_bench")->readiness, DETECT_TIMED);
	assert_int_equal(candidate(tree, "plain_bench")->readiness, DETECT_RUNS);
	assert_int_equal(candidate(tree, "clock_bench")->readiness, DETECT_UNRECOGNISED);
	assert_int_equal(candidate(tree, "set_bench")->readiness, DETECT_RUNS);
	assert_string_equal(candidate(tree, "set_bench")->harness, "google-benchmark");
	assert_int_equal(candidate(tree, "macro_bench")->readiness, DETECT_NEEDS_COUNT);
	assert_string_equal(candidate(tree, "macro_bench")->harness, "BENCHMARK()");
	/* What these do is not known, and a harness lies beside them. */
	assert_int_equal(candidate(tree, "hidden_bench")->readiness, DETECT_TIMED);
	assert_int_equal(candidate(tree, "listed_bench")->readiness, DETECT_TIMED);
}

/* Where something runs now, what was not recognised is a comment; else it is proposed. */
static void test_what_is_not_recognised_is_proposed_only_for_want_of_better(void **state)
{
	struct tree *tree = *state;
	struct strbuf text = STRBUF_INIT;

	put_program(tree, "run-bench.sh", "#!/bin/sh\n./x\n");
	scan(tree);
	detect_write_config(&tree->found, &text);
	assert_non_null(strstr(text.data, "  # Not recognised: check"));
	assert_non_null(strstr(text.data, "\n  - name: 'run-bench.sh'"));
	put(tree, "Makefile", "bench: main.c\n\t$(CC) $(CFLAGS) -o $@ $<\n");
	put(tree, "main.c", "#include <stdio.h>\nint main(void) { return 0; }\n");
	scan(tree);
	assert_candidate(tree, "bench", DETECT_RUNS, "./bench", "make -s bench", "");
	strbuf_truncate(&text, 0);
	detect_write_config(&tree->found, &text);
	assert_non_null(strstr(text.data, "\n  - name: 'bench'"));
	assert_non_null(strstr(text.data, "\n  # - name: 'run-bench.sh'"));
	strbuf_release(&text);
}

/* Chains and circles of includes end. */
static void test_includes_without_end_are_not_followed_for_ever(void **state)
{
	struct tree *tree = *state;
	char name[32], text[64];

	put(tree, "Makefile", "bench: 0.c\n\tcc -o bench 0.c\n");
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "%u.c", i);
		snprintf(text, sizeof(text), "#include \"%u.c\"\n#include \"0.c\"\n", i + 1);
		put(tree, name, text);
	}
	put(tree, "1000.c", "");
	scan(tree);
	assert_int_equal(candidate(tree, "bench")->readiness, DETECT_UNRECOGNISED);
}

static void test_plain_cmake_and_meson_programs_run(void **state)
{
	struct tree *tree = *state;

	put(tree, "CMakeLists.txt",
		"ADD_EXECUTABLE( \"Benchmarks\"\n  a.c)\nadd_executable(tool t.c)\n");
	put(tree, "perf/meson.build", "b = executable('json-bench', 'b.c')\n");
	scan(tree);
	assert_int_equal(tree->found.candidate_count, 2);
	assert_candidate(tree, "Benchmarks", DETECT_UNRECOGNISED, "./build/Benchmarks",
		"cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo", "");
	assert_string_equal(candidate(tree, "Benchmarks")->build[1],
		"cmake --build build --parallel $(nproc) --target Benchmarks");
	assert_candidate(tree, "json-bench", DETECT_UNRECOGNISED, "./build/perf/json-bench",
		"meson setup build --buildtype=debugoptimized", "");
}

#define TO_PARSE                                                                                   \
	"mkdir -p target && CARGO_PROFILE_BENCH_DEBUG=1 cargo bench --no-run "                     \
	"--message-format=json >target/flamegate.json"

static void test_criterion_needs_a_count_and_programs_run(void **state)
{
	struct tree *tree = *state;

	put(tree, "Cargo.toml", "[dev-dependencies]\ncriterion = \"0.5\"\n");
	put(tree, "benches/parse.rs", "use criterion::*;\ncriterion_main!(b);\n");
	put(tree, "benches/plain.rs", "fn main() {}\n");
	put(tree, "benches/grind.rs", "use gungraun::*;\nfn main() {}\n");
	put(tree, "benches/common.rs", "pub fn x() {}\n");
	put(tree, "src/bin/bench_all.rs", "fn main() {}\n");
	put(tree, "examples/tinybench.rs", "fn main() {}\n");
	put(tree, "src/bench.rs", "fn main() {}\n");
	scan(tree);
	assert_systems(tree, "Cargo (Cargo.toml)");
	assert_int_equal(tree->found.candidate_count, 5);
	assert_candidate(tree, "grind", DETECT_NEEDS_COUNT, "cargo bench --bench grind",
		"cargo bench --no-run", "valgrind");
	assert_candidate(tree, "parse", DETECT_TIMED, "./target/flamegate-parse", TO_PARSE,
		"fixed number of times");
	assert_candidate(tree, "plain", DETECT_UNRECOGNISED, "cargo bench --bench plain",
		"cargo bench --no-run", "cargo itself");
	assert_candidate(tree, "bench_all", DETECT_UNRECOGNISED, "./target/release/bench_all",
		"CARGO_PROFILE_RELEASE_DEBUG=1 cargo build --release --bins", "");
	assert_candidate(tree, "tinybench", DETECT_UNRECOGNISED,
		"./target/release/examples/tinybench",
		"CARGO_PROFILE_RELEASE_DEBUG=1 cargo build --release --examples", "");
}

#define GO_BUILD "CGO_ENABLED=1 go test -c -ldflags=-linkmode=external -o flamegate.test ."

/* Its flags fix the iterations; it runs where cargo would run it. */
static void test_divan_runs_in_its_crate(void **state)
{
	struct tree *tree = *state;
	const struct detect_candidate *candidate;

	put(tree, "crates/a/Cargo.toml", "[dev-dependencies]\ndivan = \"0.1\"\n");
	put(tree, "crates/a/benches/sort.rs", "fn main() { divan::main(); }\n");
	scan(tree);
	assert_int_equal(tree->found.candidate_count, 1);
	candidate = &tree->found.candidates[0];
	assert_int_equal(candidate->readiness, DETECT_RUNS);
	assert_string_equal(candidate->directory, "crates/a");
	assert_string_equal(candidate->command, "../../target/flamegate-crates-a-sort");
	assert_non_null(strstr(candidate->build[0], "--manifest-path crates/a/Cargo.toml"));
	assert_non_null(strstr(candidate->build[1], "target/flamegate-crates-a-sort"));
}

static void test_go_runs_and_the_jvm_is_not_supported_yet(void **state)
{
	struct tree *tree = *state;

	put(tree, "go.mod", "module x\n");
	put(tree, "a_test.go", "func BenchmarkX(b *testing.B) {}\n");
	put(tree, "pkg/codec/a_test.go", "func BenchmarkX(b *testing.B) {}\n");
	put(tree, "pkg/codec/b_test.go", "func BenchmarkY(b *testing.B) {}\n");
	put(tree, "pkg/other/b_test.go",
		"func TestY(t *testing.T) {}\nfunc BenchmarkHelper(n int) {}\n");
	put(tree, "java/pom.xml", "<groupId>org.openjdk.jmh</groupId>\n");
	put(tree, "other/build.gradle", "// no jmh here\n");
	scan(tree);
	assert_systems(tree, "Go (go.mod), Gradle (other/build.gradle), Maven (java/pom.xml)");
	assert_int_equal(tree->found.candidate_count, 3);
	assert_candidate(tree, "go", DETECT_RUNS, "./flamegate.test", GO_BUILD, "");
	assert_candidate(
		tree, "codec", DETECT_RUNS, "./flamegate.test", "cd pkg/codec && " GO_BUILD, "");
	assert_candidate(
		tree, "jmh", DETECT_UNSUPPORTED, "java (java/pom.xml)", "", "virtual machine");
}

static void test_python_scripts_run_and_pytest_benchmark_needs_a_count(void **state)
{
	struct tree *tree = *state;

	put(tree, "pyproject.toml", "[project]\n");
	put(tree, "tests/test_speed.py", "def test_x(benchmark):\n    benchmark(f)\n");
	put(tree, "tests/test_fixed.py", "def test_x(benchmark):\n    benchmark.pedantic(f)\n");
	put(tree, "tests/test_other.py", "def test_x():\n    pass\n");
	put(tree, "tests/test_passed.py", "def test_x(tmp, benchmark):\n    helper(benchmark)\n");
	put(tree, "tests/test_named.py", "def test_benchmark(x):\n    benchmarks(x)\n");
	put(tree, "bench/bench_own.py", "import json\ndef benchmark(f):\n    f()\n");
	put(tree, "bench/bench_json.py", "import json\n");
	put(tree, "bench/bench_perf.py", "import pyperf\n");
	scan(tree);
	assert_systems(tree, "Python (pyproject.toml)");
	assert_int_equal(tree->found.candidate_count, 6);
	assert_int_equal(candidate(tree, "bench_own")->readiness, DETECT_UNRECOGNISED);
	assert_candidate(tree, "test_passed", DETECT_TIMED,
		"python3 -m pytest -q tests/test_passed.py", "", "pedantic");
	assert_candidate(tree, "bench_json", DETECT_UNRECOGNISED, "python3 bench/bench_json.py", "",
		"interpreter");
	assert_candidate(tree, "bench_perf", DETECT_NEEDS_COUNT, "python3 bench/bench_perf.py", "",
		"--loops");
	assert_candidate(tree, "test_fixed", DETECT_RUNS,
		"python3 -m pytest -q tests/test_fixed.py", "", "interpreter");
	assert_candidate(tree, "test_speed", DETECT_TIMED,
		"python3 -m pytest -q tests/test_speed.py", "", "pedantic");
}

static void test_node_scripts_run_unless_their_harness_repeats(void **state)
{
	struct tree *tree = *state;

	put(tree, "package.json",
		"{\"scripts\":{\"bench\":\"node b.js\",\"bench:all\":\"x\",\"test\":\"y\","
		"\"bench; rm -rf /\":\"z\"},\"devDependencies\":{\"left\":\"1\"}}");
	put(tree, "web/package.json",
		"{\"scripts\":{\"benchmark\":\"node b.js\"},"
		"\"dependencies\":{\"tinybench\":\"2\"}}");
	put(tree, "tool/package.json", "{\"scripts\":{\"fixed-bench\":\"node b.js\"}}");
	put(tree, "broken/package.json", "{\"scripts\":");
	put(tree, "odd/package.json", "{\"scripts\":[\"bench\"]}");
	scan(tree);
	assert_int_equal(tree->found.candidate_count, 4);
	assert_int_equal(tree->found.odd_names, 1);
	assert_candidate(
		tree, "fixed-bench", DETECT_UNRECOGNISED, "npm run --silent fixed-bench", "", "");
	assert_string_equal(candidate(tree, "fixed-bench")->directory, "tool");
	assert_candidate(tree, "bench", DETECT_UNRECOGNISED, "npm run --silent bench",
		"npm install --no-audit --no-fund", "interpreter");
	assert_candidate(tree, "bench-all", DETECT_UNRECOGNISED, "npm run --silent bench:all",
		"npm install --no-audit --no-fund", "interpreter");
	assert_candidate(tree, "benchmark", DETECT_NEEDS_COUNT, "npm run --silent benchmark",
		"npm install --no-audit --no-fund --prefix web", "iterations: N");
	assert_string_equal(candidate(tree, "benchmark")->directory, "web");
}

static void test_harnesses_of_node_are_found_by_what_is_imported(void **state)
{
	struct tree *tree = *state;

	put(tree, "a/package.json", "{\"scripts\":{\"bench\":\"node b.mjs\"}}");
	put(tree, "a/b.mjs", "import { Bench } from 'tinybench';\n");
	put(tree, "b/package.json", "{\"scripts\":{\"bench-m\":\"node src/b.ts\"}}");
	put(tree, "b/src/b.ts", "import { run } from \"mitata\";\n");
	put(tree, "c/package.json", "{\"scripts\":{\"bench-c\":\"node b.js\"}}");
	put(tree, "c/b.js", "const x = require('fs');\n");
	put(tree, "c/test.js", "import { test } from 'vitest';\n");
	put(tree, "d/package.json", "{\"scripts\":{\"bench-d\":\"vitest\"}}");
	put(tree, "d/x.bench.ts", "import { bench } from 'vitest';\nbench('x', f);\n");
	put(tree, "e/package.json", "{\"scripts\":{\"bench-e\":\"node b.cjs\"}}");
	put(tree, "e/b.cjs", "const { Suite } = require('benchmark');\n");
	scan(tree);
	assert_string_equal(candidate(tree, "bench")->harness, "tinybench");
	assert_string_equal(candidate(tree, "bench-m")->harness, "mitata");
	assert_int_equal(candidate(tree, "bench-c")->readiness, DETECT_UNRECOGNISED);
	assert_string_equal(candidate(tree, "bench-d")->harness, "vitest bench");
	assert_string_equal(candidate(tree, "bench-e")->harness, "benchmark.js");
	assert_int_equal(candidate(tree, "bench-e")->readiness, DETECT_NEEDS_COUNT);
}

static void test_what_is_no_benchmark_is_none(void **state)
{
	struct tree *tree = *state;

	put_program(tree, "bench-prereq.sh", "#!/bin/sh\napt-get update\n");
	put_program(tree, "BenchmarkDotNet.dll", "MZ\x90");
	put_program(tree, "bench-text", "a list of benchmarks\n");
	put(tree, "bench a b.c", "int x;\n");
	scan(tree);
	assert_int_equal(tree->found.candidate_count, 0);
	assert_int_equal(tree->found.odd_names, 0);
}

static void test_programs_and_scripts_that_lie_there(void **state)
{
	struct tree *tree = *state;
	char *target = file_join(tree->dir, "copied-bench");
	char *marked = file_join(tree->dir, "marked-bench");
	struct strbuf program = STRBUF_INIT;

	put_program(tree, "bench.pl", "#!/usr/bin/perl\n");
	put_program(tree, "broken-bench", "\177ELF");
	put_program(tree, "tool", "#!/bin/sh\n");
	put_program(tree, "run-bench.sh", "#!/bin/sh\n./x\n");
	put(tree, "bench.txt", "text\n");
	put(tree, "compare.sh", "hyperfine './prog a'\n");
	assert_int_equal(file_read("/bin/true", 1 << 28, &program, NULL), ERR_OK);
	assert_int_equal(file_write(target, program.data, program.length, NULL), ERR_OK);
	assert_int_equal(chmod(target, 0755), 0);
	/* What stands behind a program's sections harms nothing. */
	strbuf_addstr(&program, "--benchmark_min_time=<min_time>");
	assert_int_equal(file_write(marked, program.data, program.length, NULL), ERR_OK);
	assert_int_equal(chmod(marked, 0755), 0);
	scan(tree);
	assert_candidate(tree, "bench.pl", DETECT_UNRECOGNISED, "./bench.pl", "", "");
	assert_candidate(tree, "run-bench.sh", DETECT_UNRECOGNISED, "./run-bench.sh", "", "");
	assert_candidate(
		tree, "broken-bench", DETECT_UNSUPPORTED, "./broken-bench", "", "dynamically");
	assert_candidate(tree, "compare.sh", DETECT_NEEDS_COUNT, "sh compare.sh", "", "hyperfine");
	assert_candidate(tree, "copied-bench", DETECT_UNRECOGNISED, "./copied-bench", "", "");
	assert_candidate(
		tree, "marked-bench", DETECT_TIMED, "./marked-bench", "", "Iterations(1000)");
	assert_string_equal(candidate(tree, "marked-bench")->harness, "google-benchmark");
	assert_int_equal(tree->found.candidate_count, 6);
	free(marked);
	strbuf_release(&program);
	free(target);
}

static void test_links_pipes_and_other_peoples_code_are_passed_over(void **state)
{
	static const char *const folders[] = {
		"node_modules", "vendor", "build", "target", ".cache", "third_party", "build-x"};
	struct tree *tree = *state;
	char outside[] = "/tmp/fg-outside-XXXXXX", *link = file_join(tree->dir, "linked");
	char *file_link = file_join(tree->dir, "Makefile"), *outer,
	     *pipe = file_join(tree->dir, "test_p.py");

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		char *path = file_join(folders[i], "Makefile");

		put(tree, path, "bench: b.o\n\tcc -o $@\n");
		free(path);
	}
	assert_non_null(mkdtemp(outside));
	outer = file_join(outside, "Makefile");
	assert_int_equal(file_write(outer, "bench:\n\tcc -o bench\n", 20, NULL), ERR_OK);
	assert_int_equal(symlink(outside, link), 0);
	assert_int_equal(symlink(outer, file_link), 0);
	assert_int_equal(mkfifo(pipe, 0644), 0);
	scan(tree);
	assert_int_equal(tree->found.candidate_count, 0);
	assert_systems(tree, "");
	file_remove_tree(outside, NULL);
	free(pipe);
	free(outer);
	free(file_link);
	free(link);
}

static void test_hostile_names_are_left_out_and_counted(void **state)
{
	static const char *const names[] = {"bench $(touch owned).py", "bench\n::error::x.py",
		"bench'.py", "bench\".py", "bench;x.py", "bench\033[31m.py", "b#ench bench.py",
		"-bench.py", "bench\xff.py", "bench##[set-output].py"};
	struct tree *tree = *state;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		put(tree, names[i], "import x\n");
	put(tree, "Makefile", "bench`id`: x.o\n\tcc -o $@\nbench|x:\n\t./y\n");
	put(tree, "a b/Makefile", "bench: x.o\n\tcc -o $@\n");
	scan(tree);
	assert_int_equal(tree->found.candidate_count, 0);
	assert_int_equal(tree->found.odd_names, sizeof(names) / sizeof(*names) + 3);
}

static void test_huge_files_are_named_not_read(void **state)
{
	struct tree *tree = *state;
	char *path = file_join(tree->dir, "Makefile");

	put(tree, "Makefile", "bench: b.o\n\tcc -o $@\n");
	assert_int_equal(truncate(path, (off_t)1 << 30), 0);
	scan(tree);
	assert_int_equal(tree->found.candidate_count, 0);
	assert_int_equal(tree->found.too_large_count, 1);
	assert_string_equal(tree->found.too_large[0], "Makefile");
	free(path);
}

static void test_depth_and_number_are_bounded(void **state)
{
	struct tree *tree = *state;
	struct strbuf text = STRBUF_INIT;

	put(tree, "1/2/3/4/5/Makefile", "bench: b.o\n\tcc -o $@\n");
	scan(tree);
	assert_int_equal(tree->found.candidate_count, 1);
	assert_false(tree->found.cut);
	put(tree, "1/2/3/4/5/6/Makefile", "bench: b.o\n\tcc -o $@\n");
	scan(tree);
	assert_int_equal(tree->found.candidate_count, 1);
	assert_true(tree->found.cut);
	for (unsigned i = 0; i < 3 * DETECT_MAX_CANDIDATES; i++)
		strbuf_addf(&text, "bench%u:\n\tcc -o $@\n", i);
	put(tree, "Makefile", text.data);
	scan(tree);
	assert_int_equal(tree->found.candidate_count, DETECT_MAX_CANDIDATES);
	assert_true(tree->found.cut);
	strbuf_release(&text);
}

static void test_more_files_than_the_limit_end_the_search(void **state)
{
	struct tree *tree = *state;
	char name[32], *path;

	for (unsigned i = 0; i < DETECT_MAX_FILES; i++) {
		snprintf(name, sizeof(name), "%05u", i);
		path = file_join(tree->dir, name);
		close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
		free(path);
	}
	scan(tree);
	assert_false(tree->found.cut);
	/* Behind them in the order of names. */
	put(tree, "Makefile", "bench:\n\tcc -o $@\n");
	scan(tree);
	assert_int_equal(tree->found.candidate_count, 0);
	assert_true(tree->found.cut);
}

static void test_names_are_fit_and_unique_and_sorted_by_readiness(void **state)
{
	struct tree *tree = *state;

	put(tree, "a/Makefile", "bench:\n\tcc -o $@\n@bench:\n\tcc -o $@\n");
	put(tree, "b/Makefile", "bench:\n\tcc -o $@\n_bench=x:\n");
	put(tree, "b/x_test.go", "func BenchmarkX(b *testing.B) {}\n");
	put(tree, "benches/.rs", "fn main\n");
	put(tree, "GNUmakefile",
		"a_very_long_bench_name_that_goes_on_and_on_and_on_and_on_and_on_and_on:\n\tx\n");
	scan(tree);
	assert_int_equal(tree->found.candidate_count, 5);
	assert_candidate(tree, "bench", DETECT_UNRECOGNISED, "./a/bench", "make -s -C a bench", "");
	assert_candidate(
		tree, "bench-2", DETECT_UNRECOGNISED, "./b/bench", "make -s -C b bench", "");
	assert_candidate(
		tree, "x-bench", DETECT_UNRECOGNISED, "./a/@bench", "make -s -C a @bench", "");
	assert_candidate(tree, "b", DETECT_RUNS, "./flamegate.test", "cd b && " GO_BUILD, "");
	assert_string_equal(tree->found.candidates[0].name, "b");
}

static void test_missing_root_is_an_error(void **state)
{
	struct tree *tree = *state;
	struct detection untouched = {.odd_names = 77};
	struct error err;
	char *path = file_join(tree->dir, "nowhere");

	assert_int_equal(detect_scan(path, NULL, 0, &untouched, &err), ERR_IO);
	assert_int_equal(untouched.odd_names, 77);
	free(path);
}

static int set_up(void **state)
{
	struct tree *tree = calloc(1, sizeof(*tree));

	assert_non_null(tree);
	assert_int_equal(file_make_temp_dir(NULL, "fg-detect-", &tree->dir, NULL), ERR_OK);
	*state = tree;
	return 0;
}

static int tear_down(void **state)
{
	struct tree *tree = *state;

	if (tree->scanned)
		detection_release(&tree->found);
	file_remove_tree(tree->dir, NULL);
	free(tree->dir);
	free(tree);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_empty_tree_has_a_placeholder_that_fails),
		TEST(test_make_targets_that_build_or_run),
		TEST(test_makefile_in_a_folder),
		TEST(test_google_benchmark_needs_a_count),
		TEST(test_options_of_cmake_are_in_the_command_that_configures),
		TEST(test_the_surest_benchmarks_of_cmake_come_first),
		TEST(test_what_cmake_says_of_its_targets_counts),
		TEST(test_harnesses_are_found_by_what_sources_include),
		TEST(test_each_program_of_a_build_file_is_judged_by_its_own_sources),
		TEST(test_what_is_not_recognised_is_proposed_only_for_want_of_better),
		TEST(test_includes_without_end_are_not_followed_for_ever),
		TEST(test_plain_cmake_and_meson_programs_run),
		TEST(test_criterion_needs_a_count_and_programs_run),
		TEST(test_divan_runs_in_its_crate),
		TEST(test_go_runs_and_the_jvm_is_not_supported_yet),
		TEST(test_python_scripts_run_and_pytest_benchmark_needs_a_count),
		TEST(test_node_scripts_run_unless_their_harness_repeats),
		TEST(test_harnesses_of_node_are_found_by_what_is_imported),
		TEST(test_what_is_no_benchmark_is_none),
		TEST(test_programs_and_scripts_that_lie_there),
		TEST(test_links_pipes_and_other_peoples_code_are_passed_over),
		TEST(test_hostile_names_are_left_out_and_counted),
		TEST(test_huge_files_are_named_not_read),
		TEST(test_depth_and_number_are_bounded),
		TEST(test_more_files_than_the_limit_end_the_search),
		TEST(test_names_are_fit_and_unique_and_sorted_by_readiness),
		TEST(test_missing_root_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
