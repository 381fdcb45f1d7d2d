/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/preload/preload.h"

#include "gate/base/error.h"
#include "tests/unit/bench/scene.h"

#define MAIN "int main(void) { return 0; }\n"

static const char *path_variable(const struct scene *scene)
{
	static char variable[4200];

	snprintf(variable, sizeof(variable), "PATH=%s/bin:/usr/bin:/bin", scene->dir);
	return variable;
}

/* preload_check() of up to three words in the scene's folder. */
static int check(struct scene *scene, const char *first, const char *second, const char *third)
{
	const char *argv[] = {first, second, third, NULL};
	const char *env[] = {path_variable(scene), NULL};

	return preload_check(argv, env, scene->dir, &scene->err);
}

static void test_ordinary_program_is_fine(void **state)
{
	struct scene *scene = *state;

	put_file(scene, "main.c", MAIN);
	sh(scene, "cc -o prog main.c");
	assert_ok(scene, check(scene, "./prog", NULL, NULL));
	assert_ok(scene, check(scene, at(scene, "prog"), "-x", NULL));
}

static void test_name_is_looked_up_in_the_given_path(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"fgprog", NULL}, *elsewhere[] = {"PATH=/nowhere", NULL};

	put_file(scene, "main.c", MAIN);
	sh(scene, "mkdir bin && cc -o bin/fgprog main.c");
	assert_ok(scene, check(scene, "fgprog", NULL, NULL));
	assert_fails(scene, preload_check(argv, elsewhere, scene->dir, &scene->err), ERR_BENCHMARK,
		"fgprog: no such program");
}

static void test_relative_path_entries_start_at_the_benchmarks_directory(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"fgprog", NULL}, *env[] = {"PATH=tools:", NULL};

	put_file(scene, "main.c", MAIN);
	sh(scene, "mkdir tools && cc -o tools/fgprog main.c");
	assert_ok(scene, preload_check(argv, env, scene->dir, &scene->err));
	sh(scene, "mv tools/fgprog .");
	assert_ok(scene, preload_check(argv, env, scene->dir, &scene->err));
}

static void test_missing_and_unexecutable_programs_are_refused(void **state)
{
	struct scene *scene = *state;

	put_file(scene, "data", "x");
	assert_fails(scene, check(scene, "./none", NULL, NULL), ERR_BENCHMARK, "no such program");
	assert_fails(scene, check(scene, "./data", NULL, NULL), ERR_BENCHMARK, "not executable");
	assert_fails(scene, check(scene, "", NULL, NULL), ERR_BENCHMARK, "no such program");
	assert_fails(scene, check(scene, "/", NULL, NULL), ERR_BENCHMARK, "no such program");
}

static void test_static_programs_are_refused(void **state)
{
	struct scene *scene = *state;

	put_file(scene, "main.c", MAIN);
	sh(scene, "cc -static -o fixed main.c && cc -static-pie -o pie main.c");
	assert_fails(scene, check(scene, "./fixed", NULL, NULL), ERR_BENCHMARK, "without -static");
	assert_fails(scene, check(scene, "./pie", NULL, NULL), ERR_BENCHMARK, "statically linked");
}

static void test_static_go_programs_get_go_advice(void **state)
{
	struct scene *scene = *state;

	put_file(scene, "main.c",
		"__attribute__((section(\".go.buildinfo\"), used)) static int mark = 1;\n" MAIN);
	sh(scene, "cc -static -o prog main.c");
	assert_fails(
		scene, check(scene, "./prog", NULL, NULL), ERR_BENCHMARK, "-linkmode=external");
}

/* Go's -buildmode=pie without cgo: a loader, and threads that the C library knows nothing of. */
static void test_programs_without_the_c_library_are_refused(void **state)
{
	struct scene *scene = *state;

	put_file(scene, "main.c", "void _start(void) { for (;;) ; }\n");
	sh(scene, "cc -nostdlib -pie -Wl,--dynamic-linker=/lib64/ld-linux-x86-64.so.2 -o prog "
		  "main.c");
	assert_fails(scene, check(scene, "./prog", NULL, NULL), ERR_BENCHMARK,
		"does not use the C library");
	put_file(scene, "go.c",
		"__attribute__((section(\".go.buildinfo\"), used)) static int mark = 1;\n"
		"void _start(void) { for (;;) ; }\n");
	sh(scene, "cc -nostdlib -pie -Wl,--dynamic-linker=/lib64/ld-linux-x86-64.so.2 -o go go.c");
	assert_fails(scene, check(scene, "./go", NULL, NULL), ERR_BENCHMARK,
		"a Go program without the C library");
}

static void replace_bytes(struct scene *scene, const char *file, const char *from, const char *to)
{
	struct strbuf bytes = STRBUF_INIT;
	char *found;

	assert_ok(scene, file_read(at(scene, file), 1 << 24, &bytes, &scene->err));
	found = memmem(bytes.data, bytes.length, from, strlen(from));
	assert_non_null(found);
	memcpy(found, to, strlen(to) + 1);
	assert_ok(scene, file_write(at(scene, file), bytes.data, bytes.length, &scene->err));
	strbuf_release(&bytes);
	sh(scene, "chmod +x *");
}

static void test_musl_programs_are_refused(void **state)
{
	struct scene *scene = *state;

#ifndef __x86_64__
	skip(); /* the loader's name has another length */
#endif
	put_file(scene, "main.c", MAIN);
	sh(scene, "cc -o prog main.c");
	replace_bytes(scene, "prog", "/lib64/ld-linux-x86-64.so.2", "/lib/ld-musl-x86_64.so.1");
	assert_fails(scene, check(scene, "./prog", NULL, NULL), ERR_BENCHMARK, "musl");
	sh(scene, "cc -o prog main.c");
	replace_bytes(scene, "prog", "/lib64/ld-linux-x86-64.so.2", "/system/bin/linker64");
	assert_fails(scene, check(scene, "./prog", NULL, NULL), ERR_BENCHMARK, "linker64");
}

static void test_programs_for_other_machines_are_refused(void **state)
{
	struct scene *scene = *state;

	put_file(scene, "main.c", MAIN);
	sh(scene, "cc -o a main.c; cp a b; cp a c;"
		  "printf '\\001' | dd of=a bs=1 seek=4 conv=notrunc 2>/dev/null;"  /* 32-bit */
		  "printf '\\363' | dd of=b bs=1 seek=18 conv=notrunc 2>/dev/null;" /* RISC-V */
		  "head -c 70 c >d; chmod +x d");
	assert_fails(scene, check(scene, "./a", NULL, NULL), ERR_BENCHMARK, "another machine");
	assert_fails(scene, check(scene, "./b", NULL, NULL), ERR_BENCHMARK, "another machine");
	assert_fails(scene, check(scene, "./d", NULL, NULL), ERR_BENCHMARK, "damaged");
}

static void test_sanitizer_builds_are_refused(void **state)
{
	struct scene *scene = *state;

	put_file(scene, "main.c", MAIN "void __tsan_init(void); void __tsan_init(void) {}\n");
	sh(scene, "cc -rdynamic -o thread main.c");
	assert_fails(
		scene, check(scene, "./thread", NULL, NULL), ERR_BENCHMARK, "-fsanitize=thread");
	put_file(scene, "main.c", MAIN);
	sh(scene, "cc -fsanitize=address -o address main.c");
	assert_fails(
		scene, check(scene, "./address", NULL, NULL), ERR_BENCHMARK, "-fsanitize=address");
}

static void test_scripts_are_followed_to_their_interpreter(void **state)
{
	struct scene *scene = *state;

	put_file(scene, "main.c", MAIN);
	put_file(scene, "s1", "#!/bin/sh\nexit 0\n");
	put_file(scene, "s2", "#! /usr/bin/env -S A=b sh -e\n");
	put_file(scene, "s3", "#!./static -x\n");
	put_file(scene, "s4", "#!/usr/bin/env fgstatic\n");
	put_file(scene, "s5", "#!/no/such/interpreter\n");
	put_file(scene, "s6", "#!\n");
	put_file(scene, "s7", "echo no shebang\n");
	put_file(scene, "s8", "#!./s1\r\n");
	sh(scene, "mkdir bin && cc -static -o static main.c && cp static bin/fgstatic && chmod +x "
		  "s?");
	assert_ok(scene, check(scene, "./s1", NULL, NULL));
	assert_ok(scene, check(scene, "./s2", NULL, NULL));
	assert_fails(scene, check(scene, "./s3", NULL, NULL), ERR_BENCHMARK, "static");
	assert_fails(scene, check(scene, "./s4", NULL, NULL), ERR_BENCHMARK, "fgstatic");
	assert_fails(scene, check(scene, "./s5", NULL, NULL), ERR_BENCHMARK, "no program");
	assert_fails(scene, check(scene, "./s6", NULL, NULL), ERR_BENCHMARK, "no program");
	assert_fails(scene, check(scene, "./s7", NULL, NULL), ERR_BENCHMARK, "neither");
	assert_ok(scene, check(scene, "./s8", NULL, NULL));
}

static void test_endless_script_chains_are_refused(void **state)
{
	struct scene *scene = *state;

	put_file(scene, "loop", "#!./loop\n");
	sh(scene, "chmod +x loop");
	assert_fails(scene, check(scene, "./loop", NULL, NULL), ERR_BENCHMARK, "start one another");
}

static void test_simple_shell_commands_are_checked_and_others_left_alone(void **state)
{
	struct scene *scene = *state;

	put_file(scene, "main.c", MAIN);
	sh(scene, "cc -static -o static main.c && cc -o prog main.c");
	assert_fails(
		scene, check(scene, "sh", "-c", "./static --fast"), ERR_BENCHMARK, "statically");
	assert_fails(
		scene, check(scene, "sh", "-c", "A=1 exec ./static"), ERR_BENCHMARK, "statically");
	assert_fails(scene, check(scene, "sh", "-c", "./static --fast" PRELOAD_ARGUMENTS),
		ERR_BENCHMARK, "statically");
	assert_ok(scene, check(scene, "sh", "-c", "./prog --fast"));
	assert_ok(scene, check(scene, "sh", "-c", "./static; ./prog"));
	assert_ok(scene, check(scene, "sh", "-c", "for i in 1; do ./static; done"));
	assert_ok(scene, check(scene, "sh", "-c", "cd /"));
	assert_ok(scene, check(scene, "sh", "-c", ""));
	assert_ok(scene, check(scene, "sh", "-c", "no-such-program"));
}

static void test_privileges_are_judged_as_the_kernel_does(void **state)
{
	struct stat plain = {.st_mode = S_IFREG | 0755, .st_uid = 10, .st_gid = 20};
	struct stat user = {.st_mode = S_IFREG | 04755, .st_uid = 10, .st_gid = 20};
	struct stat group = {.st_mode = S_IFREG | 02755, .st_uid = 10, .st_gid = 20};
	struct stat lock = {.st_mode = S_IFREG | 02745, .st_uid = 10, .st_gid = 20};

	(void)state;
	assert_false(preload_is_privileged(&plain, false, 1, 1));
	assert_true(preload_is_privileged(&plain, true, 1, 1));
	assert_false(preload_is_privileged(&plain, true, 0, 0));
	assert_true(preload_is_privileged(&user, false, 1, 1));
	assert_true(preload_is_privileged(&user, false, 0, 0));
	assert_false(preload_is_privileged(&user, false, 10, 1));
	assert_true(preload_is_privileged(&group, false, 10, 1));
	assert_false(preload_is_privileged(&group, false, 1, 20));
	assert_false(preload_is_privileged(&lock, false, 1, 1));
}

static void test_setuid_programs_are_refused(void **state)
{
	struct scene *scene = *state;

	if (geteuid() != 0)
		skip();
	put_file(scene, "main.c", MAIN);
	sh(scene, "cc -o prog main.c && chown 12345 prog && chmod 4755 prog");
	assert_fails(scene, check(scene, "./prog", NULL, NULL), ERR_BENCHMARK, "setuid");
}

static void test_library_is_found_by_variable_and_must_suit_the_loader(void **state)
{
	struct scene *scene = *state;
	char *path = NULL;

	put_file(scene, "lib.so", "x");
	put_file(scene, "a lib.so", "x");
	setenv("FLAMEGATE_LIBRARY", at(scene, "lib.so"), 1);
	assert_ok(scene, preload_library(PRELOAD_SAMPLER, scene->dir, &path, &scene->err));
	assert_string_equal(path, at(scene, "lib.so"));
	free(path);
	assert_fails(scene, preload_library(PRELOAD_HEAP, scene->dir, &path, &scene->err),
		ERR_USAGE, "lib-heap.so");
	put_file(scene, "lib-heap.so", "x");
	sh(scene, "mkdir v1.2 && touch v1.2/lib.so.1 v1.2/lib-heap.so.1");
	setenv("FLAMEGATE_LIBRARY", at(scene, "v1.2/lib.so.1"), 1);
	assert_ok(scene, preload_library(PRELOAD_HEAP, scene->dir, &path, &scene->err));
	assert_string_equal(path, at(scene, "v1.2/lib-heap.so.1"));
	free(path);
	setenv("FLAMEGATE_LIBRARY", at(scene, "lib.so"), 1);
	assert_ok(scene, preload_library(PRELOAD_HEAP, scene->dir, &path, &scene->err));
	assert_string_equal(path, at(scene, "lib-heap.so"));
	free(path);
	setenv("FLAMEGATE_LIBRARY", at(scene, "none.so"), 1);
	assert_fails(scene, preload_library(PRELOAD_SAMPLER, scene->dir, &path, &scene->err),
		ERR_USAGE, "none.so");
	setenv("FLAMEGATE_LIBRARY", at(scene, "a lib.so"), 1);
	assert_ok(scene, preload_library(PRELOAD_SAMPLER, NULL, &path, &scene->err));
	assert_string_equal(path, at(scene, "a lib.so"));
	free(path);
	sh(scene, "mkdir links 'a folder'");
	assert_ok(scene, preload_library(PRELOAD_SAMPLER, at(scene, "links"), &path, &scene->err));
	assert_string_equal(path, at(scene, "links/libflamegate.so"));
	free(path);
	sh(scene, "test \"$(readlink links/libflamegate.so)\" = \"$PWD/a lib.so\"");
	assert_fails(scene,
		preload_library(PRELOAD_SAMPLER, at(scene, "a folder"), &path, &scene->err),
		ERR_USAGE, "TMPDIR");
	assert_fails(scene, preload_library(PRELOAD_HEAP, at(scene, "links"), &path, &scene->err),
		ERR_USAGE, "a lib-heap.so");
	setenv("FLAMEGATE_LIBRARY", scene->dir, 1);
	assert_fails(scene, preload_library(PRELOAD_SAMPLER, scene->dir, &path, &scene->err),
		ERR_USAGE, "not a readable file");
	unsetenv("FLAMEGATE_LIBRARY");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scene_test(test_ordinary_program_is_fine),
		scene_test(test_name_is_looked_up_in_the_given_path),
		scene_test(test_relative_path_entries_start_at_the_benchmarks_directory),
		scene_test(test_missing_and_unexecutable_programs_are_refused),
		scene_test(test_static_programs_are_refused),
		scene_test(test_static_go_programs_get_go_advice),
		scene_test(test_programs_without_the_c_library_are_refused),
		scene_test(test_musl_programs_are_refused),
		scene_test(test_programs_for_other_machines_are_refused),
		scene_test(test_sanitizer_builds_are_refused),
		scene_test(test_scripts_are_followed_to_their_interpreter),
		scene_test(test_endless_script_chains_are_refused),
		scene_test(test_simple_shell_commands_are_checked_and_others_left_alone),
		cmocka_unit_test(test_privileges_are_judged_as_the_kernel_does),
		scene_test(test_setuid_programs_are_refused),
		scene_test(test_library_is_found_by_variable_and_must_suit_the_loader),
	};

	return cmocka_run_group_tests_name("preload", tests, NULL, NULL);
}
