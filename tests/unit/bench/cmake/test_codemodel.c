/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/cmake/codemodel.h"

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/strbuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char *folder; /* the build folder */

static void put(const char *name, const char *text)
{
	char *reply = file_join(folder, ".cmake/api/v1/reply"), *path = file_join(reply, name);

	assert_int_equal(file_mkdirs(reply, NULL), ERR_OK);
	assert_int_equal(file_write(path, text, strlen(text), NULL), ERR_OK);
	free(path);
	free(reply);
}

static void put_index(const char *file)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "{\"reply\": {\"codemodel-v2\": {\"jsonFile\": \"%s\"}}}", file);
	put("index-2.json", text.data);
	strbuf_release(&text);
}

static void put_model(const char *target_file)
{
	struct strbuf text = STRBUF_INIT;

	put_index("codemodel.json");
	strbuf_addf(&text, "{\"configurations\": [{\"targets\": [{\"jsonFile\": \"%s\"}]}]}",
		target_file);
	put("codemodel.json", text.data);
	strbuf_release(&text);
}

static int read_model(struct codemodel *model)
{
	struct error err;

	return codemodel_read(folder, model, &err);
}

static void test_an_executable_is_told_with_sources_links_and_place(void **state)
{
	struct codemodel model;

	(void)state;
	put("index-1.json", "an older one, which is no JSON");
	put_model("target-b.json");
	put("target-b.json",
		"{\"name\": \"b\", \"type\": \"EXECUTABLE\", \"artifacts\": [{\"path\": \"bin/b\"}],"
		"\"paths\": {\"source\": \"sub\"}, \"sources\": ["
		"{\"path\": \"sub/b.cc\", \"compileGroupIndex\": 0}, {\"path\": \"sub/b.h\"},"
		"{\"path\": \"gen.cc\", \"compileGroupIndex\": 0, \"isGenerated\": true}],"
		"\"link\": {\"commandFragments\": [{\"fragment\": \"-O2\", \"role\": \"flags\"},"
		"{\"fragment\": \"/usr/lib/libbenchmark.so\", \"role\": \"libraries\"}]},"
		"\"backtrace\": 1, \"backtraceGraph\": {\"files\": [\"x\", \"cmake/b.cmake\"],"
		"\"nodes\": [{\"file\": 0}, {\"file\": 1, \"line\": 7}]}}");
	assert_int_equal(read_model(&model), ERR_OK);
	assert_int_equal(model.count, 1);
	assert_string_equal(model.targets[0].name, "b");
	assert_string_equal(model.targets[0].output, "bin/b");
	assert_string_equal(model.targets[0].folder, "sub");
	assert_string_equal(model.targets[0].sources, "sub/b.cc\n");
	assert_string_equal(model.targets[0].links, "/usr/lib/libbenchmark.so\n");
	assert_string_equal(model.targets[0].file, "cmake/b.cmake");
	assert_int_equal(model.targets[0].line, 7);
	codemodel_release(&model);
	put("target-b.json", "{\"name\": \"b\", \"type\": \"STATIC_LIBRARY\"}");
	assert_int_equal(read_model(&model), ERR_OK);
	assert_int_equal(model.count, 0);
	codemodel_release(&model);
}

static void test_what_is_missing_or_of_another_type_is_left_empty(void **state)
{
	struct codemodel model;

	(void)state;
	put_model("t.json");
	put("t.json", "{\"type\": \"EXECUTABLE\", \"name\": 5, \"artifacts\": {}, \"sources\": 1,"
		      "\"link\": [], \"backtrace\": -1, \"backtraceGraph\": {\"nodes\": \"\"}}");
	assert_int_equal(read_model(&model), ERR_OK);
	assert_string_equal(model.targets[0].name, "");
	assert_string_equal(model.targets[0].output, "");
	assert_string_equal(model.targets[0].file, "");
	assert_int_equal(model.targets[0].line, 0);
	codemodel_release(&model);
}

static void test_an_answer_that_is_not_its_own_is_refused(void **state)
{
	struct codemodel untouched = {.count = 77};
	char *reply = file_join(folder, ".cmake/api/v1/reply/link.json");

	(void)state;
	assert_int_equal(read_model(&untouched), ERR_NOT_FOUND);
	put_index("../../../../../secret.json");
	assert_int_equal(read_model(&untouched), ERR_CORRUPT);
	put_model("/etc/passwd");
	assert_int_equal(read_model(&untouched), ERR_CORRUPT);
	put_model("link.json");
	assert_int_equal(symlink("/etc/passwd", reply), 0);
	assert_int_equal(read_model(&untouched), ERR_CORRUPT);
	put_model("gone.json");
	assert_int_equal(read_model(&untouched), ERR_NOT_FOUND);
	put_index("index-2.json");
	assert_int_equal(read_model(&untouched), ERR_CORRUPT);
	assert_int_equal(untouched.count, 77);
	free(reply);
}

static void test_too_many_targets_and_too_large_files_are_refused(void **state)
{
	struct codemodel untouched = {.count = 77};
	struct strbuf text = STRBUF_INIT;

	(void)state;
	put_index("codemodel.json");
	strbuf_addstr(&text, "{\"configurations\": [{\"targets\": [0");
	for (int i = 0; i < CODEMODEL_MAX_TARGETS; i++)
		strbuf_addstr(&text, ",0");
	strbuf_addstr(&text, "]}]}");
	put("codemodel.json", text.data);
	assert_int_equal(read_model(&untouched), ERR_LIMIT);
	strbuf_reset(&text);
	strbuf_reserve(&text, CODEMODEL_MAX_FILE_BYTES + 2);
	while (text.length <= CODEMODEL_MAX_FILE_BYTES)
		strbuf_addstr(
			&text, "                                                            ");
	put("codemodel.json", text.data);
	assert_int_equal(read_model(&untouched), ERR_LIMIT);
	assert_int_equal(untouched.count, 77);
	strbuf_release(&text);
}

static int set_up(void **state)
{
	(void)state;
	return file_make_temp_dir(NULL, "fg-codemodel-", &folder, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	file_remove_tree(folder, NULL);
	free(folder);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_an_executable_is_told_with_sources_links_and_place),
		TEST(test_what_is_missing_or_of_another_type_is_left_empty),
		TEST(test_an_answer_that_is_not_its_own_is_refused),
		TEST(test_too_many_targets_and_too_large_files_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
