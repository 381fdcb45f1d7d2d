/* SPDX-License-Identifier: Apache-2.0 */
/* Formats are told by content, and messages name the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/profile/pprof.h"
#include "gate/profile/profile_read.h"

struct scene {
	char *dir, *path;
};

static int begin(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	assert_non_null(scene);
	assert_int_equal(file_make_temp_dir(NULL, "fg-read-", &scene->dir, NULL), ERR_OK);
	scene->path = file_join(scene->dir, "profile");
	*state = scene;
	return 0;
}

static int end(void **state)
{
	struct scene *scene = *state;

	file_remove_tree(scene->dir, NULL);
	free(scene->dir);
	free(scene->path);
	free(scene);
	return 0;
}

static void put(const struct scene *scene, const char *text)
{
	assert_int_equal(file_write(scene->path, text, strlen(text), NULL), ERR_OK);
}

static void test_pprof_is_read(void **state)
{
	struct scene *scene = *state;
	struct profile *made = profile_new(), *read = NULL;
	struct error err;

	profile_add_type(made, "cpu", "nanoseconds");
	profile_add_comment(made, "made here");
	assert_int_equal(pprof_write_file(made, scene->path, &err), ERR_OK);
	assert_int_equal(profile_read_file(scene->path, &read, &err), ERR_OK);
	assert_string_equal(read->comments[0], "made here");
	profile_free(made);
	profile_free(read);
}

static void test_callgrind_is_read(void **state)
{
	struct scene *scene = *state;
	struct profile *read = NULL;
	struct error err;

	put(scene, "# callgrind format\nevents: Ir\nfn=f\n1 7\ntotals: 7\n");
	assert_int_equal(profile_read_file(scene->path, &read, &err), ERR_OK);
	assert_string_equal(read->types[0].type, "instructions");
	assert_int_equal(read->samples[0].values[0], 7);
	profile_free(read);
}

static void test_cachegrind_is_read(void **state)
{
	struct scene *scene = *state;
	struct profile *read = NULL;
	struct error err;

	put(scene, "cmd: ./x\nevents: Ir\nfl=a.c\nfn=f\n1 7\nsummary: 7\n");
	assert_int_equal(profile_read_file(scene->path, &read, &err), ERR_OK);
	assert_string_equal(read->functions[0].name, "f");
	profile_free(read);
}

static void refuse(struct scene *scene, const char *text, int code)
{
	struct profile *read = NULL;
	struct error err;

	put(scene, text);
	assert_int_equal(profile_read_file(scene->path, &read, &err), code);
	assert_non_null(strstr(err.message, scene->path));
	assert_null(read);
}

static void test_what_is_broken_or_unknown_is_refused_by_name(void **state)
{
	refuse(*state, "# callgrind format\nevents: Ir\nfn=f\n1 7\n", ERR_CORRUPT);
	refuse(*state, "events: Time\n", ERR_CORRUPT);
	refuse(*state, "just a text\n", ERR_CORRUPT);
}

/* ---- what it looks like --------------------------------------------------------------------- */

struct looks_like {
	const char *content;
	size_t length;
	const char *words;
};

#define LOOKS_LIKE(content, words)                                                                 \
	{                                                                                          \
		content, sizeof(content) - 1, words                                                \
	}
static const struct looks_like formats[] = {
	LOOKS_LIKE("PERFILE2\x68\0\0\0\0\0\0\0", "a perf.data file; perf_to_profile"),
	LOOKS_LIKE("\177ELF\2\1\1\0\0\0\0\0\0\0\0\0", "an ELF program or library"),
	LOOKS_LIKE("{\"nodes\":[{\"id\":1}],\"startTime\":1,\"timeDeltas\":[1]}",
		"a Chrome .cpuprofile"),
	LOOKS_LIKE("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"}",
		"speedscope's JSON"),
	LOOKS_LIKE("main;work;inner 12\nmain;work 3\nother 1\n", "collapsed stacks"),
	LOOKS_LIKE("<!DOCTYPE html>\n<html><head>", "an HTML page"),
	LOOKS_LIKE("\n  <html lang=en>", "an HTML page"),
	LOOKS_LIKE("<?xml version=\"1.0\"?>\n<svg width=\"1\">", "an SVG picture"),
	LOOKS_LIKE("<?xml version=\"1.0\"?>\n<a/>", "an XML file"),
	LOOKS_LIKE("{\"traceEvents\":[]}", "a Chrome trace"),
	LOOKS_LIKE("[{\"ph\":\"X\",\"ts\":1}]", "a Chrome trace"),
	LOOKS_LIKE("{\"a\": 1}", "a JSON file"),
	LOOKS_LIKE("[1, 2]", "a JSON file"),
	LOOKS_LIKE("{\"schema\":1,\"verdict\":\"pass\",\"benchmarks\":[]}",
		"a report.json of flamegate"),
	LOOKS_LIKE("{\"dhatFileVersion\":2}", "DHAT's output"),
	LOOKS_LIKE("{\"flamebearer\":{}}", "Pyroscope's JSON"),
	LOOKS_LIKE("desc: --massif-out-file\n", "massif's output"),
	LOOKS_LIKE("go 1.21 trace\0\0\0", "a Go execution trace"),
	LOOKS_LIKE("FLR\0\0\2\0\1", "a Java Flight Recorder file"),
	LOOKS_LIKE("JAVA PROFILE 1.0.2\0", "a Java heap dump"),
	LOOKS_LIKE("gmon\1\0\0\0\0\0", "gprof's gmon.out"),
	LOOKS_LIKE("prog 12 [001] 3.456:     250000 cycles:u: \n\t    55d0c0 main+0x10 "
		   "(/bin/prog)\n\n",
		"perf script's text; perf_to_profile"),
	LOOKS_LIKE("# hostname : here\n#\nprog 12 3.456: cycles:u:\n\t55d0c0 main (/bin/prog)\n",
		"perf script's text"),
	LOOKS_LIKE("to do:\n\tbadly written\n", "a text file"),
	LOOKS_LIKE("to do\n\t55d0c0 main\n", "a text file"),
	LOOKS_LIKE("SQLite format 3\0", "an SQLite database"),
	LOOKS_LIKE("PK\3\4\24\0", "a zip file"),
	LOOKS_LIKE("BZh91AY&SY", "bzip2 data"),
	LOOKS_LIKE("\xfd"
		   "7zXZ\0\0\4",
		"xz data"),
	LOOKS_LIKE("\x28\xb5\x2f\xfd\4\0", "zstd data"),
	LOOKS_LIKE("!<arch>\n", "a static library"),
	LOOKS_LIKE("\x89PNG\r\n\x1a\n", "a PNG picture"),
	LOOKS_LIKE("%PDF-1.4\n", "a PDF file"),
	LOOKS_LIKE("2ELIFREP\0\0\0\0", "a perf.data file of a machine with the other byte order"),
	LOOKS_LIKE("#!/bin/sh\nexit\n", "a script"),
	LOOKS_LIKE("version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer"),
	LOOKS_LIKE("just a text\n", "a text file"),
	LOOKS_LIKE("1 2\n3 4\n", "a text file"),
};

static void refuse_bytes(struct scene *scene, const void *data, size_t length, const char *words)
{
	struct profile *read = NULL;
	struct error err;

	assert_int_equal(file_write(scene->path, data, length, NULL), ERR_OK);
	assert_int_equal(profile_read_file(scene->path, &read, &err), ERR_CORRUPT);
	if (!strstr(err.message, words) || !strstr(err.message, scene->path))
		fail_msg("no '%s' in '%s'", words, err.message);
	/* Nothing of what it holds. */
	for (const char *at = err.message; *at; at++)
		assert_true(*at >= ' ' && *at <= '~');
}

static void test_a_file_in_another_format_is_told_by_what_it_looks_like(void **state)
{
	char tar[512] = "name", words[128];

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		struct strbuf packed = STRBUF_INIT;

		snprintf(words, sizeof(words), "it looks like %s", formats[i].words);
		refuse_bytes(*state, formats[i].content, formats[i].length, words);
		gzip_compress(formats[i].content, formats[i].length, &packed, NULL);
		snprintf(words, sizeof(words), "it looks like gzip of %s", formats[i].words);
		refuse_bytes(*state, packed.data, packed.length, words);
		strbuf_release(&packed);
	}
	memcpy(tar + 257, "ustar", 5);
	refuse_bytes(*state, tar, sizeof(tar), "it looks like a tar file");
	refuse_bytes(*state, "", 0, "the profile is empty (0 bytes)");
}

/* A profile that is only damaged is not called a text or JSON. */
static void test_what_looks_like_nothing_keeps_the_decoders_words(void **state)
{
	refuse_bytes(*state, "\x0a\xff\xff\xff\x0f\0", 6, "not a pprof profile: broken at byte 0");
	refuse_bytes(*state, "\x1f\x8b\x08\0", 4, "gzip data is truncated");
	refuse_bytes(
		*state, "heap profile: 1: 2 [3: 4] @ heapprofile\n", 40, "pprof's older formats");
}

/* A gzip bomb of another format is looked at as far as is needed. */
static void test_only_the_start_of_packed_data_is_looked_at(void **state)
{
	const size_t length = (size_t)8 << 20;
	struct strbuf packed = STRBUF_INIT;
	char *data = calloc(length, 1);

	assert_non_null(data);
	memset(data, '<', length);
	assert_int_equal(gzip_compress(data, length, &packed, NULL), ERR_OK);
	refuse_bytes(*state, packed.data, packed.length, "it looks like gzip of a text file");
	strbuf_release(&packed);
	free(data);
}

static void test_a_missing_file_is_not_found(void **state)
{
	struct profile *read = NULL;
	struct error err;

	assert_int_equal(
		profile_read_file(((struct scene *)*state)->path, &read, &err), ERR_NOT_FOUND);
	assert_null(read);
}

#define read_test(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		read_test(test_pprof_is_read),
		read_test(test_callgrind_is_read),
		read_test(test_cachegrind_is_read),
		read_test(test_what_is_broken_or_unknown_is_refused_by_name),
		read_test(test_a_file_in_another_format_is_told_by_what_it_looks_like),
		read_test(test_what_looks_like_nothing_keeps_the_decoders_words),
		read_test(test_only_the_start_of_packed_data_is_looked_at),
		read_test(test_a_missing_file_is_not_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
