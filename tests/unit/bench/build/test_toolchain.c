/* SPDX-License-Identifier: Apache-2.0 */
/* Finding compilers and reading what they say of themselves, with made-up ones in a folder. */
#include "gate/bench/build/toolchain.h"

#include <sys/stat.h>

#include "gate/base/error.h"
#include "tests/unit/bench/scene.h"

static void assert_version(const char *answer, const char *expected)
{
	struct strbuf version = STRBUF_INIT;

	toolchain_parse_version(answer, &version);
	assert_string_equal(version.data, expected);
	strbuf_release(&version);
}

static void test_versions_are_found_in_real_answers(void **state)
{
	(void)state;
	assert_version("gcc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright 2.1\n", "12.2.0");
	assert_version("g++-13 (Ubuntu 13.1.0-8ubuntu1~22.04) 13.1.0\n", "13.1.0");
	assert_version("Debian clang version 14.0.6\nTarget: x86_64-pc-linux-gnu\n", "14.0.6");
	assert_version("Ubuntu clang version 14.0.0-1ubuntu1.1\n", "14.0.0");
	assert_version("rustc 1.95.0 (59807616e 2026-04-14)\n", "1.95.0");
	assert_version("go version go1.26.8 linux/amd64\n", "1.26.8");
	assert_version("v20.20.2\n", "20.20.2");
	assert_version("openjdk version \"17.0.15\" 2025-04-15\n", "17.0.15");
	assert_version("java version \"1.8.0_292\"\r\n", "1.8.0");
	assert_version("The OCaml toplevel, version 4.13.1\n", "4.13.1");
	assert_version("\nThis is perl 5, version 36, subversion 0 (v5.36.0) built for x86_64\n",
		"5.36.0");
	assert_version("0.11.0", "0.11.0");
	assert_version("ruby 3.1.2p20 (2022-04-12 revision 4491) [x86_64-linux-gnu]\n", "3.1.2");
}

static void test_answers_without_a_version_give_none(void **state)
{
	(void)state;
	assert_version("", "");
	assert_version("\n\n", "");
	assert_version("usage: tool", "");
	assert_version("tool 7\n1.2.3\n", "");
	assert_version("tool 7...\n", "");
	assert_version("x86_64-linux-gnu )(", "");
	assert_version("(((((", "");
}

/* A program that prints and exits, and leaves a line in <dir>/log. */
static void make_tool(const struct scene *scene, const char *name, const char *script)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "#!/bin/sh\necho \"$0 $*\" >>'%s/log'\n%s\n", scene->dir, script);
	unlink(at(scene, name));
	assert_int_equal(file_write(at(scene, name), text.data, text.length, NULL), ERR_OK);
	assert_int_equal(chmod(at(scene, name), 0755), 0);
	strbuf_release(&text);
}

/* The answer where PATH is the folder; variable is one more entry, or NULL. */
static void assert_versions(const struct scene *scene, const char *variable, const char *expected)
{
	struct strbuf path = STRBUF_INIT, versions = STRBUF_INIT;
	const char *env[] = {NULL, variable, NULL};

	strbuf_addf(&path, "PATH=%s", scene->dir);
	env[0] = path.data;
	strbuf_addstr(&versions, "> ");
	toolchain_versions(env, &versions);
	assert_string_equal(versions.data + 2, expected);
	strbuf_release(&versions);
	strbuf_release(&path);
}

static void test_compilers_are_listed_in_a_fixed_order(void **state)
{
	const struct scene *scene = *state;

	make_tool(scene, "rustc", "echo rustc 1.70.0 '(90c541806 2023-05-31)'");
	make_tool(scene, "go", "[ \"$1\" = version ] && echo go version go1.21.0 linux/amd64");
	make_tool(scene, "gcc", "[ \"$1\" = --version ] && echo gcc 12.2.0");
	make_tool(scene, "java", "[ \"$1\" = -version ] && echo openjdk version 17.0.1 >&2");
	make_tool(scene, "make", "echo GNU Make 4.3");
	assert_versions(scene, NULL, "gcc 12.2.0, rustc 1.70.0, go 1.21.0, java 17.0.1");
}

static void test_no_compiler_at_all_is_said(void **state)
{
	const struct scene *scene = *state;

	assert_versions(scene, NULL, "none");
	make_tool(scene, "make", "echo GNU Make 4.3");
	assert_versions(scene, "A=1", "none");
}

static void test_one_compiler_by_two_names_is_listed_once(void **state)
{
	const struct scene *scene = *state;

	make_tool(scene, "gcc", "echo ${0##*/} 12.2.0");
	assert_int_equal(symlink(at(scene, "gcc"), at(scene, "cc")), 0);
	make_tool(scene, "c++", "echo c++ 12.2.0");
	assert_versions(scene, "PWD=/", "gcc 12.2.0, c++ 12.2.0");
}

/* ccache and busybox are many programs in one file. */
static void test_one_file_that_is_two_compilers_is_listed_twice(void **state)
{
	const struct scene *scene = *state;

	make_tool(scene, "gcc", "case $0 in */gcc) echo 12.2.0;; *) echo 14.0.6;; esac");
	assert_int_equal(symlink(at(scene, "gcc"), at(scene, "clang")), 0);
	assert_versions(scene, NULL, "gcc 12.2.0, clang 14.0.6");
}

static void test_compilers_of_variables_are_listed(void **state)
{
	const struct scene *scene = *state;
	struct strbuf variable = STRBUF_INIT;

	make_tool(scene, "gcc-13", "echo gcc-13 13.1.0");
	assert_versions(scene, "CC=gcc-13 -m32", "gcc-13 13.1.0");
	make_tool(scene, "e vil\x1b[31m", "echo 1.0");
	assert_versions(scene, "CC=e vil", "none");
	rename(at(scene, "e vil\x1b[31m"), at(scene, "evil\x1b[31m"));
	strbuf_addf(&variable, "CC=%s/evil\x1b[31m", scene->dir);
	assert_versions(scene, variable.data, "evil__31m 1.0");
	assert_versions(scene, "CC=", "none");
	assert_versions(scene, "AR=gcc-13", "none");
	assert_versions(scene, "CC=./gcc-13", "none");
	strbuf_release(&variable);
}

static void test_compilers_that_do_not_run_are_not_listed(void **state)
{
	const struct scene *scene = *state;

	make_tool(scene, "gcc", "echo gcc 12.2.0");
	make_tool(scene, "rustc", "echo rustc 1.70.0; exit 127");
	make_tool(scene, "ghc", "kill -9 $$");
	assert_versions(scene, NULL, "gcc 12.2.0");
}

static void test_compilers_that_do_not_say_are_unknown(void **state)
{
	const struct scene *scene = *state;

	make_tool(scene, "gcc", "echo hello");
	make_tool(scene, "clang", "while :; do echo tool 1.2.3; done");
	assert_versions(scene, NULL, "gcc ?, clang ?");
}

static void test_each_is_asked_once_per_environment_in_the_root_folder(void **state)
{
	const struct scene *scene = *state;
	struct strbuf log = STRBUF_INIT;

	make_tool(scene, "gcc", "{ pwd; echo \"<$X>\"; } >>${0%/*}/log; echo 12.2.0");
	assert_versions(scene, "X=1", "gcc 12.2.0");
	assert_versions(scene, "X=2", "gcc 12.2.0");
	assert_versions(scene, "X=2", "gcc 12.2.0");
	assert_versions(scene, "X=2", "gcc 12.2.0");
	assert_int_equal(file_read(at(scene, "log"), 4096, &log, NULL), ERR_OK);
	assert_non_null(strstr(log.data, "gcc --version\n/\n<2>\n"));
	assert_null(strstr(strstr(log.data, "<2>") + 1, "<2>"));
	strbuf_release(&log);
}

static void test_tools_without_a_version_are_found_too(void **state)
{
	const struct scene *scene = *state;
	struct strbuf path = STRBUF_INIT;
	struct toolchain toolchain;
	const char *env[] = {NULL, "LD=ld.gold", NULL};

	make_tool(scene, "ld.gold", "");
	make_tool(scene, "cargo", "");
	make_tool(scene, "cmake", "");
	strbuf_addf(&path, "PATH=%s", scene->dir);
	env[0] = path.data;
	toolchain_find(&toolchain, env);
	assert_int_equal(toolchain.count, 3);
	assert_string_equal(toolchain.programs[0].name, "cmake");
	assert_string_equal(toolchain.programs[1].name, "cargo");
	assert_string_equal(toolchain.programs[2].name, "ld.gold");
	assert_string_equal(toolchain.programs[2].path, at(scene, "ld.gold"));
	assert_null(toolchain.programs[2].option);
	toolchain_release(&toolchain);
	assert_int_equal(toolchain.count, 0);
	assert_int_equal(access(at(scene, "log"), F_OK), -1);
	strbuf_release(&path);
}

#define SCENE(test) cmocka_unit_test_setup_teardown(test, scene_begin, scene_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions_are_found_in_real_answers),
		cmocka_unit_test(test_answers_without_a_version_give_none),
		SCENE(test_compilers_are_listed_in_a_fixed_order),
		SCENE(test_no_compiler_at_all_is_said),
		SCENE(test_one_compiler_by_two_names_is_listed_once),
		SCENE(test_one_file_that_is_two_compilers_is_listed_twice),
		SCENE(test_compilers_of_variables_are_listed),
		SCENE(test_compilers_that_do_not_run_are_not_listed),
		SCENE(test_compilers_that_do_not_say_are_unknown),
		SCENE(test_each_is_asked_once_per_environment_in_the_root_folder),
		SCENE(test_tools_without_a_version_are_found_too),
	};

	process_init();
	return cmocka_run_group_tests_name("toolchain", tests, NULL, NULL);
}
