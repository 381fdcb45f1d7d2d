/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/cmake/cmake.h"

#include "gate/base/strbuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* What reading has shown: a line for each, "name|file:line|output|options|sources". */
static struct strbuf shown;
static size_t used_bytes; /* of the arena */

static void show(const struct cmake_site *site)
{
	strbuf_addf(&shown, "%s%s|%s:%zu|%s|%s|", site->name, site->computed ? "?" : "", site->file,
		site->line, site->output, site->options);
	for (const char *at = site->sources ? site->sources : "?"; *at; at++)
		strbuf_addch(&shown, *at == '\n' ? ' ' : *at);
	strbuf_addch(&shown, '\n');
}

/* Pairs of path and text, up to NULL. */
static const char *read_tree(const char *const *files)
{
	struct arena arena = ARENA_INIT;
	struct cmake_text texts[8] = {0};
	struct cmake_sites sites;
	size_t count = 0;

	for (; files[2 * count]; count++) {
		const char *path = files[2 * count], *slash = strrchr(path, '/');

		texts[count] = (struct cmake_text){.path = path,
			.folder = slash ? arena_strndup(&arena, path, (size_t)(slash - path)) : ".",
			.text = files[2 * count + 1]};
	}
	strbuf_reset(&shown);
	strbuf_addstr(&shown, "");
	cmake_read(&arena, texts, count, &sites);
	for (size_t i = 0; i < sites.count; i++)
		show(&sites.items[i]);
	if (sites.cut)
		strbuf_addstr(&shown, "cut\n");
	used_bytes = arena.used_bytes;
	arena_release(&arena);
	return shown.data;
}

static const char *read_text(const char *text)
{
	const char *const files[] = {"CMakeLists.txt", text, NULL};

	return read_tree(files);
}

static void test_what_is_included_is_read_in_the_including_folder(void **state)
{
	const char *const files[] = {"CMakeLists.txt",
		"project(x)\ninclude(cmake/bench.cmake)\nadd_subdirectory(sub)\n",
		"cmake/bench.cmake", "# comment (\nadd_executable(one src/one.cc)\n",
		"cmake/Named.cmake", "add_executable(${NAME} [==[two.cc]==] \"two.h\")\n",
		"sub/CMakeLists.txt",
		"set(NAME two)\ninclude(Named)\nadd_executable(up ../up.cc ${NOT_KNOWN})\n", NULL};

	(void)state;
	assert_string_equal(read_tree(files), "one|cmake/bench.cmake:2|one||src/one.cc \n"
					      "two|cmake/Named.cmake:1|sub/two||sub/two.cc \n"
					      "up|sub/CMakeLists.txt:3|sub/up||?\n");
}

static void test_an_option_that_guards_a_target_is_turned_on(void **state)
{
	(void)state;
	assert_string_equal(read_text("option(A \"\" OFF)\noption(B \"\" ON)\noption(C \"\")\n"
				      "if(A AND B)\nadd_executable(in a.c)\nelse()\n"
				      "add_executable(out b.c)\nendif()\n"
				      "if(NOT A OR WIN32)\n  return()\nendif()\n"
				      "add_executable(behind c.c)\nif(NOT B)\n"
				      "add_executable(off d.c)\nendif()\nif(WIN32)\n"
				      "add_executable(never e.c)\nendif()\n"),
		"in|CMakeLists.txt:5|in|-DA=ON|a.c \n"
		"out|CMakeLists.txt:7|out||b.c \n"
		"behind|CMakeLists.txt:12|behind|-DA=ON|c.c \n"
		"off|CMakeLists.txt:14|off|-DA=ON -DB=OFF|d.c \n");
}

static void test_only_what_is_needed_is_turned_on(void **state)
{
	(void)state;
	assert_string_equal(
		read_text("option(X_TESTS \"\" OFF)\nset(X_BENCH OFF CACHE BOOL \"\")\n"
			  "option(X_DOCS \"\" OFF)\nif(X_TESTS OR X_BENCH)\n"
			  "add_executable(either a.c)\nendif()\n"
			  "if(X_FOUND AND NOT X_DOCS)\nadd_executable(found a.c)\nendif()\n"
			  "if(MY_BUILD_BENCHMARKS)\nadd_executable(undeclared a.c)\nendif()\n"
			  "if((X_TESTS) AND NOT X_TESTS)\nadd_executable(never a.c)\nendif()\n"),
		"either|CMakeLists.txt:5|either|-DX_BENCH=ON|a.c \n"
		"found|CMakeLists.txt:8|found||a.c \n"
		"undeclared|CMakeLists.txt:11|undeclared|-DMY_BUILD_BENCHMARKS=ON|a.c \n");
}

static void test_dependent_options_take_what_they_depend_on(void **state)
{
	(void)state;
	assert_string_equal(
		read_text("option(DEV \"\" OFF)\ninclude(CTest)\n"
			  "cmake_dependent_option(TESTING \"\" ON \"DEV;NOT WIN32\" OFF)\n"
			  "cmake_dependent_option(EXTRA \"\" OFF \"DEV\" OFF)\n"
			  "if(BUILD_TESTING AND TESTING)\nadd_executable(self a.c)\nendif()\n"
			  "if(EXTRA)\nadd_executable(extra a.c)\nendif()\n"),
		"self|CMakeLists.txt:6|self|-DDEV=ON|a.c \n"
		"extra|CMakeLists.txt:9|extra|-DDEV=ON -DEXTRA=ON|a.c \n");
}

static void test_a_variable_takes_what_it_was_set_under(void **state)
{
	(void)state;
	assert_string_equal(read_text("project(Lib)\noption(${PROJECT_NAME}_DEV \"\" OFF)\n"
				      "if(${PROJECT_NAME}_DEV)\nset(ALL ON)\nendif()\nif(${ALL})\n"
				      "add_executable(all a.c)\nendif()\nif(NOT ALL)\n"
				      "add_executable(few a.c)\nendif()\n"),
		"all|CMakeLists.txt:7|all|-DLib_DEV=ON|a.c \n"
		"few|CMakeLists.txt:10|few||a.c \n");
}

static void test_loops_and_functions_are_followed(void **state)
{
	(void)state;
	assert_string_equal(
		read_text("option(BENCH \"\" OFF)\nset(NAMES a b)\nlist(APPEND NAMES c)\n"
			  "function(add_bench name)\nadd_executable(bench_${name} ${ARGN})\n"
			  "target_link_libraries(bench_${name} benchmark::benchmark)\n"
			  "endfunction()\nif(BENCH)\nforeach(n IN LISTS NAMES)\n"
			  "Add_Bench(${n} \"${n}.cc\")\nendforeach()\nendif()\n"
			  "foreach(f x/one.cc)\nget_filename_component(base ${f} NAME_WE)\n"
			  "add_executable(${base} ${CMAKE_CURRENT_SOURCE_DIR}/${f})\n"
			  "endforeach()\nfile(GLOB FILES *.cc)\nforeach(f ${FILES})\n"
			  "add_executable(bench_${f} ${f})\nendforeach()\n"),
		"bench_a|CMakeLists.txt:5|bench_a|-DBENCH=ON|a.cc \n"
		"bench_b|CMakeLists.txt:5|bench_b|-DBENCH=ON|b.cc \n"
		"bench_c|CMakeLists.txt:5|bench_c|-DBENCH=ON|c.cc \n"
		"one|CMakeLists.txt:15|one||x/one.cc \n"
		"bench_${f}?|CMakeLists.txt:19|bench_${f}||?\n");
}

static void test_what_a_function_sets_ends_with_it_but_not_options(void **state)
{
	(void)state;
	assert_string_equal(
		read_text(
			"option(A \"\" OFF)\nset(y b)\nfunction(f)\nset(y c)\noption(D \"\" OFF)\n"
			"endfunction()\nf()\nif(D)\nadd_executable(${y} b.c)\nendif()\n"),
		"b|CMakeLists.txt:9|b|-DD=ON|b.c \n");
}

static void test_programs_are_where_cmake_is_told_to_put_them(void **state)
{
	(void)state;
	assert_string_equal(read_text("set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)"
				      "\nadd_executable(b b.c)\n"),
		"b|CMakeLists.txt:2|bin/b||b.c \n");
}

static void test_paths_that_lead_outside_are_not_known(void **state)
{
	(void)state;
	assert_string_equal(
		read_text("add_executable(a ../../etc/passwd.c)\nadd_executable(b /etc/x.c)\n"
			  "include(../../etc/x.cmake)\nadd_subdirectory(..)\n"),
		"a|CMakeLists.txt:1|a||?\nb|CMakeLists.txt:2|b||?\n");
}

/* None of these ends where CMake would be followed for ever. */
static void test_circles_and_growth_end(void **state)
{
	struct strbuf text = STRBUF_INIT;
	const char *const files[] = {"CMakeLists.txt", "include(a.cmake)\n", "a.cmake",
		"include(CMakeLists.txt)\nadd_subdirectory(.)\nfunction(f)\nf()\nf()\nendfunction()"
		"\nf()\nif(A\nadd_executable(b b.c)\n",
		NULL};

	(void)state;
	read_tree(files);
	strbuf_addstr(&text, "set(x aaaaaaaaaaaaaaaa)\nset(l a b c d e f g h)\n");
	for (int i = 0; i < 40; i++)
		strbuf_addstr(&text, "set(x \"${x}${x}\")\n");
	for (int i = 0; i < 30; i++)
		strbuf_addstr(&text, "foreach(i ${l})\n");
	strbuf_addstr(&text, "add_executable(${x} ${x})\n");
	for (int i = 0; i < 30; i++)
		strbuf_addstr(&text, "endforeach()\n");
	read_text(text.data);
	assert_non_null(strstr(shown.data, "cut\n"));
	strbuf_reset(&text);
	strbuf_addstr(&text, "if(");
	for (int i = 0; i < 100000; i++)
		strbuf_addstr(&text, "NOT (A AND ");
	read_text(text.data);
	strbuf_reset(&text);
	for (int i = 0; i < 60; i++)
		strbuf_addf(&text, "cmake_dependent_option(O%d \"\" ON \"O%d;O%d;O%d\" OFF)\n", i,
			i + 1, i + 1, i + 1);
	strbuf_addstr(&text, "if(O0)\nadd_executable(deep b.c)\nendif()\n");
	read_text(text.data);
	strbuf_release(&text);
}

/* A word of 60 kB that a loop copies each time, in whatever command. */
static void test_memory_is_bounded_whatever_is_copied(void **state)
{
	static const char *const bodies[] = {"f(%s)\n", "set(x ${%s})\n",
		"if(\"${%s}\")\nendif()\n", "set(x %s;%s)\n", "include(%s)\n",
		"get_filename_component(x %s NAME_WE)\n"};
	struct strbuf word = STRBUF_INIT, text = STRBUF_INIT;

	(void)state;
	while (word.length < 60000)
		strbuf_addch(&word, 'a');
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		const char *hole = bodies[i];

		strbuf_reset(&text);
		strbuf_addstr(&text, "function(f)\nendfunction()\nset(l a b c d e f g h)\n");
		for (int k = 0; k < 4; k++)
			strbuf_addstr(&text, "foreach(i ${l})\n");
		for (const char *at; (at = strstr(hole, "%s")); hole = at + 2) {
			strbuf_add(&text, hole, (size_t)(at - hole));
			strbuf_addstr(&text, word.data);
		}
		strbuf_addstr(&text, hole);
		for (int k = 0; k < 4; k++)
			strbuf_addstr(&text, "endforeach()\n");
		read_text(text.data);
		if (used_bytes > (size_t)70 * 1024 * 1024)
			fail_msg("%s: %zu bytes", bodies[i], used_bytes);
	}
	strbuf_release(&word);
	strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_included_is_read_in_the_including_folder),
		cmocka_unit_test(test_an_option_that_guards_a_target_is_turned_on),
		cmocka_unit_test(test_only_what_is_needed_is_turned_on),
		cmocka_unit_test(test_dependent_options_take_what_they_depend_on),
		cmocka_unit_test(test_a_variable_takes_what_it_was_set_under),
		cmocka_unit_test(test_loops_and_functions_are_followed),
		cmocka_unit_test(test_what_a_function_sets_ends_with_it_but_not_options),
		cmocka_unit_test(test_programs_are_where_cmake_is_told_to_put_them),
		cmocka_unit_test(test_paths_that_lead_outside_are_not_known),
		cmocka_unit_test(test_circles_and_growth_end),
		cmocka_unit_test(test_memory_is_bounded_whatever_is_copied),
	};
	int failed;

	strbuf_init(&shown);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	strbuf_release(&shown);
	return failed;
}
