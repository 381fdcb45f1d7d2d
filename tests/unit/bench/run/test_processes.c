/* SPDX-License-Identifier: Apache-2.0 */
/* Which processes count: shells and build tools do not, but for where nothing else ran. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "gate/bench/run/processes.h"

#define MAX_PROCESSES 16

static const char *const no_names[] = {NULL};

struct scene {
	struct capture_process processes[MAX_PROCESSES];
	struct capture_set set;
	struct strbuf left_out;
	struct error err;
};

static void init(struct scene *scene)
{
	memset(scene, 0, sizeof(*scene));
	strbuf_init(&scene->left_out);
	scene->set.processes = scene->processes;
}

/* One CPU sample of so many milliseconds for each of `samples`. */
static void ran(struct scene *scene, const char *executable, uint64_t cpu_ms, uint64_t samples)
{
	struct capture_process *process = &scene->processes[scene->set.process_count++];

	assert_true(scene->set.process_count <= MAX_PROCESSES);
	process->executable = executable;
	process->cpu_ns = cpu_ms * 1000000;
	process->samples = samples;
	process->entry_count = samples ? 1 : 0;
	process->totals[CAPTURE_CPU].complete = samples / 2;
	process->lost = samples / 4;
}

static int choose(struct scene *scene, const char *const *names)
{
	strbuf_reset(&scene->left_out);
	return processes_select(&scene->set, names, &scene->left_out, &scene->err);
}

/* The excluded processes as a mask. */
static unsigned excluded(const struct scene *scene)
{
	unsigned mask = 0;

	for (size_t i = 0; i < scene->set.process_count; i++)
		mask |= (unsigned)scene->processes[i].excluded << i;
	return mask;
}

static void test_shells_and_build_tools_are_left_out_and_named(void **state)
{
	struct scene scene;

	(void)state;
	init(&scene);
	ran(&scene, "/usr/bin/dash", 10, 8);
	ran(&scene, "/usr/bin/make", 200, 40);
	ran(&scene, "/usr/bin/x86_64-linux-gnu-gcc-12", 20, 4);
	ran(&scene, "/home/u/bench", 900, 100);
	ran(&scene, "/usr/bin/make", 110, 4);
	assert_int_equal(choose(&scene, NULL), ERR_OK);
	assert_int_equal(excluded(&scene), 0x17);
	assert_int_equal(scene.set.samples, 100);
	assert_int_equal(scene.set.complete, 50);
	assert_int_equal(scene.set.lost, 25);
	assert_string_equal(scene.left_out.data,
		"not counted: make (2 processes, 0.31 s of CPU time), x86_64-linux-gnu-gcc-12 "
		"(1 process, 0.02 s), dash (1 process, 0.01 s)");
	strbuf_release(&scene.left_out);
}

static void test_interpreters_and_lookalikes_count(void **state)
{
	static const char *const measured[] = {"/usr/bin/python3.11", "/usr/bin/node",
		"/usr/bin/perl", "/opt/bench-as", "/opt/makeself", "/opt/shell", "/opt/timer",
		"/lib/ld-linux-x86-64.so.2", "/opt/go-fast", "/opt/lsh", "/opt/gcc-bench", ""};
	struct scene scene;

	(void)state;
	init(&scene);
	for (size_t i = 0; i < sizeof(measured) / sizeof(*measured); i++)
		ran(&scene, measured[i], 1, 1);
	ran(&scene, "/bin/sh", 1, 1);
	assert_int_equal(choose(&scene, NULL), ERR_OK);
	assert_int_equal(excluded(&scene), 1 << 12);
	strbuf_release(&scene.left_out);
}

static void test_versions_targets_and_replaced_files_are_seen_through(void **state)
{
	static const char *const helpers[] = {"/bin/bash5.2", "/usr/bin/clang-14",
		"/usr/bin/aarch64-linux-gnu-g++-12", "/usr/bin/bash (deleted)", "/usr/bin/ksh93",
		"dash"};
	struct scene scene;

	(void)state;
	init(&scene);
	for (size_t i = 0; i < sizeof(helpers) / sizeof(*helpers); i++)
		ran(&scene, helpers[i], 1, 1);
	ran(&scene, "/home/u/bench", 1, 1);
	assert_int_equal(choose(&scene, NULL), ERR_OK);
	assert_int_equal(excluded(&scene), 0x3f);
	strbuf_release(&scene.left_out);
}

static void test_where_nothing_else_ran_all_count(void **state)
{
	struct scene scene;

	(void)state;
	init(&scene);
	ran(&scene, "/usr/bin/bash", 100, 80);
	ran(&scene, "/usr/bin/make", 100, 20);
	assert_int_equal(choose(&scene, NULL), ERR_OK);
	assert_int_equal(excluded(&scene), 0);
	assert_int_equal(scene.set.samples, 100);
	assert_string_equal(scene.left_out.data, "");
	/* A program that was never sampled is nothing to show either. */
	ran(&scene, "/usr/bin/true", 1, 0);
	assert_int_equal(choose(&scene, NULL), ERR_OK);
	assert_int_equal(excluded(&scene), 0);
	strbuf_release(&scene.left_out);
}

static void test_empty_list_means_all(void **state)
{
	struct scene scene;

	(void)state;
	init(&scene);
	ran(&scene, "/bin/sh", 1, 3);
	ran(&scene, "/home/u/bench", 1, 4);
	scene.processes[1].excluded = true;
	assert_int_equal(choose(&scene, no_names), ERR_OK);
	assert_int_equal(excluded(&scene), 0);
	assert_int_equal(scene.set.samples, 7);
	assert_string_equal(scene.left_out.data, "");
	strbuf_release(&scene.left_out);
}

static void test_names_replace_the_default(void **state)
{
	static const char *const names[] = {"bash", "python", "/opt/a/run", NULL};
	struct scene scene;

	(void)state;
	init(&scene);
	ran(&scene, "/usr/bin/bash", 1, 1);
	ran(&scene, "/usr/bin/python3.11", 1, 1);
	ran(&scene, "/opt/a/run", 1, 1);
	ran(&scene, "/opt/b/run", 1, 1);
	ran(&scene, "/usr/bin/pythonic", 1, 1);
	assert_int_equal(choose(&scene, names), ERR_OK);
	assert_int_equal(excluded(&scene), 0x18);
	assert_string_equal(scene.left_out.data,
		"not counted: pythonic (1 process, 0.00 s of CPU time), run (1 process, 0.00 s)");
	strbuf_release(&scene.left_out);
}

static void test_names_that_did_not_run_are_an_error_that_says_what_did(void **state)
{
	static const char *const names[] = {"bensh", "other", NULL};
	struct scene scene;

	(void)state;
	init(&scene);
	ran(&scene, "/bin/sh", 1, 1);
	ran(&scene, "/home/u/bench", 5, 1);
	assert_int_equal(choose(&scene, names), ERR_MEASURE);
	assert_non_null(strstr(scene.err.message, "`processes` names bensh and others"));
	assert_non_null(strstr(scene.err.message, "bench (1 process, 0.01 s of CPU time), sh ("));
	assert_int_equal(excluded(&scene), 0);
	assert_int_equal(scene.set.samples, 2);
	assert_string_equal(scene.left_out.data, "");
	scene.set.process_count = 0; /* a run without captures is somebody else's error */
	assert_int_equal(choose(&scene, names), ERR_OK);
	strbuf_release(&scene.left_out);
}

static void test_line_is_bounded_and_inert(void **state)
{
	static const char *const names[] = {"bench", NULL};
	static char paths[MAX_PROCESSES][300];
	struct scene scene;

	(void)state;
	init(&scene);
	ran(&scene, "/home/u/bench", 1, 1);
	for (int i = 1; i < MAX_PROCESSES; i++) {
		memset(paths[i], 'a' + i, 299);
		memcpy(paths[i], "/\x1b[31m\n::error::", 15);
		ran(&scene, paths[i], 1, 1);
	}
	assert_int_equal(choose(&scene, names), ERR_OK);
	assert_null(strpbrk(scene.left_out.data, "\x1b\n"));
	assert_true(scene.left_out.length < 700);
	assert_non_null(strstr(scene.left_out.data, " and 9 more"));
	strbuf_release(&scene.left_out);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shells_and_build_tools_are_left_out_and_named),
		cmocka_unit_test(test_interpreters_and_lookalikes_count),
		cmocka_unit_test(test_versions_targets_and_replaced_files_are_seen_through),
		cmocka_unit_test(test_where_nothing_else_ran_all_count),
		cmocka_unit_test(test_empty_list_means_all),
		cmocka_unit_test(test_names_replace_the_default),
		cmocka_unit_test(test_names_that_did_not_run_are_an_error_that_says_what_did),
		cmocka_unit_test(test_line_is_bounded_and_inert),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
