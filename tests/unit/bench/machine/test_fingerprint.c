/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/config/config.h"
#include "gate/bench/machine/fingerprint.h"

#include "tests/unit/bench/scene.h"

static void test_this_machine_is_described(void **state)
{
	struct arena arena = ARENA_INIT;
	struct fingerprint fingerprint;

	(void)state;
	fingerprint_read(&fingerprint, &arena);
	assert_true(*fingerprint.cpu_model);
	assert_contains(fingerprint.kernel, "Linux ");
	assert_contains(fingerprint.libc, "glibc 2.");
	assert_true(*fingerprint.machine);
	assert_int_equal(strlen(fingerprint.cpu_flags_hash), 16);
	assert_true(fingerprint.cpus_allowed >= 1);
	assert_true(fingerprint.cpus_online >= 1);
	assert_true(fingerprint.memory_bytes > 1 << 20);
	assert_non_null(fingerprint.governor);
	assert_non_null(fingerprint.turbo);
	assert_non_null(fingerprint.virtualization);
	assert_non_null(fingerprint.perf_event_paranoid);
	assert_non_null(fingerprint.os);
	assert_null(strchr(fingerprint.cpu_model, '\n'));
	arena_release(&arena);
}

static void test_id_is_stable_and_depends_on_what_decides(void **state)
{
	struct arena arena = ARENA_INIT;
	struct fingerprint one, other;
	const char *id;

	(void)state;
	fingerprint_read(&one, &arena);
	fingerprint_read(&other, &arena);
	id = fingerprint_id(&one, &arena);
	assert_int_equal(strlen(id), 16);
	assert_string_equal(id, fingerprint_id(&other, &arena));
	other.memory_bytes++;
	other.perf_event_paranoid = "4";
	assert_string_equal(id, fingerprint_id(&other, &arena));
	other.cpu_model = "another";
	assert_string_not_equal(id, fingerprint_id(&other, &arena));
	other = one;
	other.cpus_allowed++;
	assert_string_not_equal(id, fingerprint_id(&other, &arena));
	other = one;
	other.kernel = "Linux 1.0";
	assert_string_not_equal(id, fingerprint_id(&other, &arena));
	arena_release(&arena);
}

static char *our_path;

/* Without compilers nobody has to wait for their answers. */
static int hide_compilers(void **state)
{
	(void)state;
	our_path = xstrdup(getenv("PATH"));
	return setenv("PATH", "/nonexistent", 1);
}

static int show_compilers(void **state)
{
	int rc = setenv("PATH", our_path, 1);

	(void)state;
	free(our_path);
	return rc;
}

static const char *hash_of(const struct config *config, struct arena *arena)
{
	struct fingerprint fingerprint = {.cpu_model = "kept"};

	fingerprint_read_toolchain(&fingerprint, config, arena);
	assert_string_equal(fingerprint.cpu_model, "kept");
	assert_int_equal(strlen(fingerprint.build_hash), 16);
	return fingerprint.build_hash;
}

static void test_the_compiler_that_built_us_is_in_the_toolchain(void **state)
{
	struct arena arena = ARENA_INIT;
	struct fingerprint fingerprint = {0};
	const struct config config = {0};
	struct strbuf version = STRBUF_INIT;

	(void)state;
	fingerprint_read_toolchain(&fingerprint, &config, &arena);
	strbuf_addf(&version, "gcc %d.%d.", __GNUC__, __GNUC_MINOR__);
#ifdef __clang__
	strbuf_reset(&version);
	strbuf_addf(&version, "clang %d.%d.", __clang_major__, __clang_minor__);
#endif
	assert_contains(fingerprint.compiler, version.data);
	strbuf_release(&version);
	arena_release(&arena);
}

static void test_build_hash_depends_on_commands_and_what_decides_the_code(void **state)
{
	const char *one[] = {"make", NULL}, *other[] = {"make -O3", NULL};
	const char *both[] = {"make", "make -O3", NULL}, *env[] = {"MODE=fast", NULL};
	const struct config configs[] = {
		{.setup = NULL},
		{.build = one},
		{.build = other},
		{.build = both},
		{.setup = one},
		{.setup = one, .build = other},
		{.build = one, .env = env},
		{.build = one, .pass = one},
	};
	enum { COUNT = sizeof(configs) / sizeof(configs[0]) };
	struct arena arena = ARENA_INIT;
	const char *hash[COUNT], *flags;

	(void)state;
	unsetenv("CFLAGS");
	for (size_t i = 0; i < COUNT; i++) {
		hash[i] = hash_of(&configs[i], &arena);
		assert_string_equal(hash[i], hash_of(&configs[i], &arena));
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(hash[i], hash[j]);
	}
	setenv("CFLAGS", "-O3", 1);
	flags = hash_of(&configs[1], &arena);
	assert_string_not_equal(flags, hash[1]);
	unsetenv("CFLAGS");
	arena_release(&arena);
}

static void test_a_benchmarks_hash_depends_on_what_it_does_and_what_counts(void **state)
{
	const char *argv[] = {"./bench", NULL}, *more[] = {"./bench", "-v", NULL};
	const char *none[] = {NULL}, *server[] = {"server", NULL};
	const struct config_benchmark benchmarks[] = {
		{.argv = argv, .directory = "."},
		{.argv = more, .directory = "."},
		{.argv = argv, .directory = "sub"},
		{.argv = argv, .directory = ".", .env = server},
		{.argv = argv, .directory = ".", .work = CONFIG_WORK_ITERATIONS},
		{.argv = argv, .directory = ".", .work = CONFIG_WORK_MARKS},
		{.argv = argv, .directory = ".", .alloc_sampled = true},
		{.argv = argv, .directory = ".", .start_paused = true},
		{.argv = argv, .directory = ".", .processes = none},
		{.argv = argv, .directory = ".", .processes = server},
	};
	enum { COUNT = sizeof(benchmarks) / sizeof(benchmarks[0]) };
	struct arena arena = ARENA_INIT;
	const char *hash[COUNT];

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		hash[i] = fingerprint_benchmark_hash("00", &benchmarks[i], &arena);
		assert_int_equal(strlen(hash[i]), 16);
		assert_string_equal(
			hash[i], fingerprint_benchmark_hash("00", &benchmarks[i], &arena));
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(hash[i], hash[j]);
	}
	assert_string_not_equal(hash[0], fingerprint_benchmark_hash("01", &benchmarks[0], &arena));
	assert_string_equal(fingerprint_benchmark_hash("", &benchmarks[0], &arena), "");
	arena_release(&arena);
}

static void test_build_hash_knows_no_paths_and_no_secrets(void **state)
{
	const char *names[] = {"SECRET", NULL};
	const struct config config = {.pass = names};
	struct arena arena = ARENA_INIT;
	const char *hash;

	(void)state;
	setenv("SECRET", "one", 1);
	hash = hash_of(&config, &arena);
	setenv("SECRET", "two", 1);
	setenv("GOCACHE", "/elsewhere", 1);
	setenv("PATH", "/elsewhere", 1);
	assert_string_equal(hash, hash_of(&config, &arena));
	unsetenv("SECRET");
	unsetenv("GOCACHE");
	arena_release(&arena);
}

static const struct fingerprint built = {
	.machine = "x86_64",
	.libc = "glibc 2.36",
	.compiler = "gcc 12.2.0",
	.build_hash = "0123456789abcdef",
};

static void assert_misfit(
	const struct fingerprint *a, const struct fingerprint *b, const char *expected)
{
	struct arena arena = ARENA_INIT;
	const char *difference = NULL;

	assert_false(fingerprint_toolchain_fits(a, b, &arena, &difference));
	assert_string_equal(difference, expected);
	assert_false(fingerprint_toolchain_fits(a, b, &arena, NULL));
	arena_release(&arena);
}

static void test_toolchains_that_are_the_same_fit(void **state)
{
	struct fingerprint other = built;
	struct arena arena = ARENA_INIT;
	const char *difference = NULL;

	(void)state;
	other.cpu_model = "another";
	other.kernel = "Linux 1.0";
	assert_true(fingerprint_toolchain_fits(&built, &other, &arena, &difference));
	assert_string_equal(difference, "");
	assert_true(fingerprint_toolchain_fits(&built, &other, &arena, NULL));
	arena_release(&arena);
}

static void test_the_first_difference_of_toolchains_is_named(void **state)
{
	struct fingerprint other = built;

	(void)state;
	other.build_hash = "fedcba9876543210";
	assert_misfit(&built, &other, "commands, their environment, or what counts");
	other.compiler = "gcc 13.1.0";
	assert_misfit(&built, &other, "compilers: gcc 12.2.0 / gcc 13.1.0");
	other.libc = "glibc 2.31";
	assert_misfit(&built, &other, "libc: glibc 2.36 / glibc 2.31");
	other.machine = "aarch64";
	assert_misfit(&built, &other, "machine: x86_64 / aarch64");
}

static void test_what_is_not_known_fits_nothing(void **state)
{
	struct fingerprint other = built;

	(void)state;
	other.compiler = "gcc ?";
	assert_misfit(&other, &other, "compilers: gcc ?");
	other.compiler = "";
	assert_misfit(&other, &other, "compilers: unknown");
	assert_misfit(&built, &other, "compilers: gcc 12.2.0 / unknown");
	other = built;
	other.build_hash = "";
	assert_misfit(&other, &other, "commands, their environment, or what counts");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_this_machine_is_described),
		cmocka_unit_test(test_id_is_stable_and_depends_on_what_decides),
		cmocka_unit_test(test_the_compiler_that_built_us_is_in_the_toolchain),
		cmocka_unit_test(test_a_benchmarks_hash_depends_on_what_it_does_and_what_counts),
		cmocka_unit_test_setup_teardown(
			test_build_hash_depends_on_commands_and_what_decides_the_code,
			hide_compilers, show_compilers),
		cmocka_unit_test_setup_teardown(test_build_hash_knows_no_paths_and_no_secrets,
			hide_compilers, show_compilers),
		cmocka_unit_test(test_toolchains_that_are_the_same_fit),
		cmocka_unit_test(test_the_first_difference_of_toolchains_is_named),
		cmocka_unit_test(test_what_is_not_known_fits_nothing),
	};

	process_init();
	return cmocka_run_group_tests_name("fingerprint", tests, NULL, NULL);
}
