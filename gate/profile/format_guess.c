/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/format_guess.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "gate/base/file.h"
#include "gate/profile/pprof_scan.h"

#define LOOKED_AT ((size_t)64 << 10)
#define SAMPLE_LINES 5

/* A look at the first bytes; they hold anything. */
struct look {
	const char *data;
	size_t length;
};

static const char from_collapsed[] = "; let the profiler write pprof instead";
static const char from_perf_script[] =
	"; perf_to_profile (of perf_data_converter) makes pprof of its perf.data";
static const char from_perf[] = "; perf_to_profile (of perf_data_converter) makes pprof of it";

/* ---- by what stands at a fixed place -------------------------------------------------------- */

static const struct {
	size_t offset;
	const char *bytes;
	size_t length;
	const char *words, *advice;
} magics[] = {
#define MAGIC(offset, bytes, words, advice)                                                        \
	{                                                                                          \
		offset, bytes, sizeof(bytes) - 1, words, advice                                    \
	}
	MAGIC(0, "PERFILE2", "a perf.data file", from_perf),
	MAGIC(0, "2ELIFREP", "a perf.data file of a machine with the other byte order", from_perf),
	MAGIC(0, "\177ELF", "an ELF program or library", "; was its profile meant?"),
	MAGIC(0, "FLR\0", "a Java Flight Recorder file", ""),
	MAGIC(0, "JAVA PROFILE", "a Java heap dump", ""),
	MAGIC(0, "go 1.", "a Go execution trace", "; a Go program writes pprof by -cpuprofile"),
	MAGIC(0, "desc: ", "massif's output", "; count the heap by flamegate run --profile heap"),
	MAGIC(0, "gmon\1", "gprof's gmon.out", ""),
	MAGIC(0, "SQLite format 3", "an SQLite database", ""),
	MAGIC(0, "PK\3\4", "a zip file", "; unpack it"),
	MAGIC(0, "BZh", "bzip2 data", "; unpack it"),
	MAGIC(0,
		"\xfd"
		"7zXZ",
		"xz data", "; unpack it"),
	MAGIC(0, "\x28\xb5\x2f\xfd", "zstd data", "; unpack it"),
	MAGIC(257, "ustar", "a tar file", "; unpack it"),
	MAGIC(0, "!<arch>", "a static library", ""),
	MAGIC(0, "\x89PNG", "a PNG picture", ""),
	MAGIC(0, "%PDF", "a PDF file", ""),
	MAGIC(0, "#!", "a script", ""),
#undef MAGIC
};

static bool by_magic(const struct look *look, struct strbuf *out)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++) {
		if (look->length < magics[i].offset + magics[i].length ||
			memcmp(look->data + magics[i].offset, magics[i].bytes, magics[i].length))
			continue;
		strbuf_addf(out, "%s%s", magics[i].words, magics[i].advice);
		return true;
	}
	return false;
}

/* ---- by words in a text ---------------------------------------------------------------------- */

static bool holds(const struct look *look, const char *word)
{
	return memmem(look->data, look->length, word, strlen(word));
}

/* The first whose words are all there. first: the first character that is no space. */
static const struct {
	char first;
	const char *needed[2];
	const char *words, *advice;
} texts[] = {
	{'{', {"speedscope.app/file-format-schema"}, "speedscope's JSON", ""},
	{'{', {"\"timeDeltas\"", "\"nodes\""}, "a Chrome .cpuprofile",
		"; the pprof package of npm makes pprof of a Node.js program"},
	{'{', {"\"traceEvents\""}, "a Chrome trace", ""},
	{'[', {"\"ph\"", "\"ts\""}, "a Chrome trace", ""},
	{'{', {"dhatFileVersion"}, "DHAT's output",
		"; count the heap by flamegate run --profile heap"},
	{'{', {"\"flamebearer\""}, "Pyroscope's JSON", "; give the server's address instead"},
	{'{', {"\"verdict\"", "\"benchmarks\""}, "a report.json of flamegate",
		"; flamegate report --from reads it, and compare wants recordings"},
	{'{', {":"}, "a JSON file", ""},
	{'[', {"]"}, "a JSON file", ""},
	{'<', {"<svg"}, "an SVG picture", "; a flame graph's picture is no profile"},
	{'<', {"<html"}, "an HTML page", "; did a server answer with a login or an error?"},
	{'<', {"<!DOCTYPE html"}, "an HTML page",
		"; did a server answer with a login or an error?"},
	{'<', {"<?xml"}, "an XML file", ""},
	{'v', {"version https://git-lfs"}, "a Git LFS pointer", "; git lfs pull brings the file"},
};

static bool has_words(const struct look *look, const char *const needed[2])
{
	for (size_t i = 0; i < 2 && needed[i]; i++)
		if (!holds(look, needed[i]))
			return false;
	return true;
}

static bool by_words(const struct look *look, struct strbuf *out)
{
	size_t at = 0;

	while (at < look->length && isspace((unsigned char)look->data[at]))
		at++;
	for (size_t i = 0; at < look->length && i < sizeof(texts) / sizeof(*texts); i++) {
		if (look->data[at] != texts[i].first || !has_words(look, texts[i].needed))
			continue;
		strbuf_addf(out, "%s%s", texts[i].words, texts[i].advice);
		return true;
	}
	return false;
}

/* ---- by lines -------------------------------------------------------------------------------- */

static bool is_text(const struct look *look)
{
	for (size_t i = 0; i < look->length; i++) {
		unsigned char c = (unsigned char)look->data[i];

		if (c < ' ' && !strchr("\t\n\r\f", c ? c : 1))
			return false;
	}
	return look->length > 0;
}

/* "main;work;inner 42": frames with semicolons, or one, and a count behind the last space. */
static bool is_stack(const char *line, size_t length)
{
	size_t digits = 0;

	while (digits < length && isdigit((unsigned char)line[length - digits - 1]))
		digits++;
	return digits && length > digits + 1 && line[length - digits - 1] == ' ';
}

static bool is_collapsed(const struct look *look)
{
	const char *at = look->data, *end = at + look->length;
	size_t lines = 0;
	bool deep = false;

	for (; at < end && lines < SAMPLE_LINES; lines++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((stop ? stop : end) - at);

		if (!is_stack(at, length))
			return false;
		deep = deep || memchr(at, ';', length);
		at += length + 1;
	}
	return deep;
}

/* "prog 12 3.456: 1 cycles:u: ", and below it "\t    55d0c0 main+0x10 (/bin/prog)". */
static bool is_perf_script(const struct look *look)
{
	enum { FEWEST_DIGITS = 4 };
	const char *end = look->data + look->length;
	const char *head = memmem(look->data, look->length, "\n\t", 2), *frame = head;
	size_t digits = 0;

	if (!head)
		return false;
	while (head > look->data && isspace((unsigned char)*head))
		head--;
	while (frame < end && isspace((unsigned char)*frame))
		frame++;
	while (frame + digits < end && isxdigit((unsigned char)frame[digits]))
		digits++;
	return *head == ':' && digits >= FEWEST_DIGITS && frame + digits < end &&
	       frame[digits] == ' ';
}

static void by_lines(const struct look *look, struct strbuf *out)
{
	if (!is_text(look))
		return;
	if (is_perf_script(look))
		strbuf_addf(out, "perf script's text%s", from_perf_script);
	else if (is_collapsed(look))
		strbuf_addf(out, "collapsed stacks%s", from_collapsed);
	else
		strbuf_addstr(out, "a text file");
}

/* ---- together -------------------------------------------------------------------------------- */

static void guess(const struct look *look, struct strbuf *out)
{
	/* The decoder knows more of these. */
	if (pprof_is_legacy(look->data, look->length))
		return;
	if (!by_magic(look, out) && !by_words(look, out))
		by_lines(look, out);
}

void format_guess(const void *data, size_t length, struct strbuf *out)
{
	struct look look = {data, length < LOOKED_AT ? length : LOOKED_AT};
	struct strbuf raw = STRBUF_INIT;

	if (!gzip_is_compressed(data, length)) {
		guess(&look, out);
		return;
	}
	gzip_decompress_start(data, length, LOOKED_AT, &raw);
	look = (struct look){raw.data, raw.length};
	if (look.length) {
		size_t before = out->length;

		strbuf_addstr(out, "gzip of ");
		guess(&look, out);
		if (out->length == before + strlen("gzip of "))
			strbuf_truncate(out, before);
	}
	strbuf_release(&raw);
}
