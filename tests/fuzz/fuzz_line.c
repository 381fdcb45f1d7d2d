/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line by any hand. The input is the head's JSON, and behind the first "\n" the payload before it
 * is deflated: hash, deflate and base64 are put around it here, since no mutation finds those. What
 * decodes must add up, encode again, and survive summarising and merging. "@@" in the head stands
 * for the hash.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/line/line.h"
#include "baseline/line/line_payload.h"
#include "gate/base/base64.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/bench/recording/recording.h"

#define COMMIT "0123456789abcdef0123456789abcdef01234567"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

#define REQUIRE(condition)                                                                         \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

static void add_head(struct strbuf *line, const char *head, size_t length, const char *hash)
{
	const char *mark = memmem(head, length, "@@", 2);

	if (!mark) {
		strbuf_add(line, head, length);
		return;
	}
	strbuf_add(line, head, (size_t)(mark - head));
	strbuf_addstr(line, hash);
	strbuf_add(line, mark + 2, length - (size_t)(mark + 2 - head));
}

static void make_line(struct strbuf *line, const char *data, size_t length)
{
	const char *end = memchr(data, '\n', length);
	size_t head = end ? (size_t)(end - data) : length;
	struct strbuf deflated = STRBUF_INIT;
	char hash[65];

	if (end) {
		REQUIRE(!gzip_compress(end + 1, length - head - 1, &deflated, NULL));
		sha256_hex(deflated.data, deflated.length, hash);
		add_head(line, data, head, hash);
		strbuf_addch(line, ' ');
		base64_encode(deflated.data, deflated.length, line);
	} else {
		strbuf_add(line, data, length);
	}
	strbuf_release(&deflated);
}

/* A sound recording is written and read again as often as one likes. */
static void check_recording(const struct recording *recording)
{
	struct error err;

	REQUIRE(recording_check(recording, &err) == ERR_OK);
	for (int detail = BASELINE_TREE; detail <= BASELINE_SUMMARY; detail++) {
		struct strbuf line = STRBUF_INIT;
		enum baseline_detail found;
		struct recording again;

		if (line_encode(recording, (enum baseline_detail)detail, &line, &err)) {
			REQUIRE(err.code == ERR_LIMIT);
			continue;
		}
		REQUIRE(line.data[line.length - 1] == '\n');
		REQUIRE(!memchr(line.data, '\n', line.length - 1));
		if (!line_decode(line.data, line.length - 1, COMMIT, &again, &found, &err)) {
			REQUIRE((int)found == detail);
			recording_release(&again);
		}
		strbuf_release(&line);
	}
}

static void decode(const struct strbuf *line)
{
	struct recording recording;
	enum baseline_detail detail;
	struct error err = {0};

	if (line_decode(line->data, line->length, COMMIT, &recording, &detail, &err)) {
		REQUIRE(err.code && err.message[0]);
		return;
	}
	check_recording(&recording);
	recording_release(&recording);
}

static void merge(const struct strbuf *note)
{
	struct strbuf once = STRBUF_INIT, twice = STRBUF_INIT, summary = STRBUF_INIT;
	struct store_lines warnings = {.arena = ARENA_INIT};
	size_t summarised, before;

	REQUIRE(!note_merge(note->data, note->length, "", 0, COMMIT, &once, &warnings, NULL));
	before = warnings.count;
	REQUIRE(!note_merge(
		once.data, once.length, note->data, note->length, COMMIT, &twice, &warnings, NULL));
	REQUIRE(warnings.count == 2 * before);
	REQUIRE(once.length == twice.length && !memcmp(once.data, twice.data, once.length));
	REQUIRE(!note_summarise(
		note->data, note->length, COMMIT, &summary, &summarised, &warnings, NULL));
	strbuf_release(&once);
	strbuf_release(&twice);
	strbuf_release(&summary);
	store_lines_release(&warnings);
}

static void decode_payload(const uint8_t *data, size_t length, bool counted)
{
	struct line_tree tree;
	struct error err;

	if (line_payload_decode(data, length, counted, &tree, &err))
		return;
	REQUIRE(line_tree_fits(&tree, &err) == ERR_OK);
	line_tree_release(&tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	const uint8_t *payload = memchr(data, '\n', length);
	struct strbuf line = STRBUF_INIT, raw = STRBUF_INIT;

	make_line(&line, (const char *)data, length);
	decode(&line);
	merge(&line);
	strbuf_add(&raw, data, length);
	merge(&raw);
	payload = payload ? payload + 1 : data;
	for (int counted = 0; counted < 2; counted++)
		decode_payload(payload, length - (size_t)(payload - data), counted);
	strbuf_release(&line);
	strbuf_release(&raw);
	return 0;
}
