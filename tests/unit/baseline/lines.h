/* SPDX-License-Identifier: Apache-2.0 */
/* Lines for tests, sound ones and others. */
#ifndef FG_TESTS_BASELINE_LINES_H
#define FG_TESTS_BASELINE_LINES_H

#include "baseline/line/line.h"
#include "gate/base/base64.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "tests/unit/baseline/recordings.h"
#include "tests/unit/bench/scene.h"

/* Appends the recording's line. */
static inline void lines_add(
	struct strbuf *out, const struct recording *recording, enum baseline_detail detail)
{
	struct error err;

	if (line_encode(recording, detail, out, &err))
		fail_msg("%s", err.message);
}

/* The same of what the options say. */
static inline void lines_make(
	struct strbuf *out, const struct recordings_options *options, enum baseline_detail detail)
{
	struct recording recording = recordings_make(options);

	lines_add(out, &recording, detail);
	recording_release(&recording);
}

/* Appends text with the first `from` in it replaced by `to`. */
static inline void lines_edit(
	struct strbuf *out, const char *text, const char *from, const char *to)
{
	const char *found = strstr(text, from);

	if (!found)
		fail_msg("\"%s\" is not in the line", from);
	strbuf_add(out, text, (size_t)(found - text));
	strbuf_addstr(out, to);
	strbuf_addstr(out, found + strlen(from));
}

/* Appends the line with another payload, and the hash that goes with it. */
static inline void lines_with_payload(
	struct strbuf *out, const char *line, const void *payload, size_t length)
{
	static const char key[] = "\"sha256\":\"";
	struct strbuf deflated = STRBUF_INIT;
	const char *hash = strstr(line, key);
	char hex[65];

	assert_non_null(hash);
	assert_int_equal(gzip_compress(payload, length, &deflated, NULL), ERR_OK);
	sha256_hex(deflated.data, deflated.length, hex);
	strbuf_add(out, line, (size_t)(hash - line));
	strbuf_addf(out, "%s%s\"} ", key, hex);
	base64_encode(deflated.data, deflated.length, out);
	strbuf_addch(out, '\n');
	strbuf_release(&deflated);
}

/* Decodes text (without its last "\n", if it has one); ERR_OK leaves nothing behind. */
static inline int lines_decode(const struct strbuf *text, const char *commit, struct error *err)
{
	struct recording recording;
	enum baseline_detail detail;
	size_t length = text->length;
	int rc;

	length -= length && text->data[length - 1] == '\n';
	rc = line_decode(text->data, length, commit, &recording, &detail, err);
	if (!rc)
		recording_release(&recording);
	return rc;
}

#endif
