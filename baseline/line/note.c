/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole git note: the union of two, with one line for each key, and a note whose lines become
 * summaries. Lines that cannot be trusted are left out with a warning. Declared in line.h.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/instant.h"
#include "baseline/line/line.h"
#include "baseline/line/line_head.h"
#include "gate/base/error.h"
#include "gate/base/map.h"
#include "gate/bench/recording/recording.h"

struct note_line {
	const char *text; /* borrowed, without its line break */
	size_t length;
	int64_t time_ns;
};

/* The lines that a note shall have. */
struct note {
	struct arena arena;
	struct note_line *lines;
	size_t count, capacity;
	struct map keys; /* of ours: their key; of others: the whole line */
	const char *commit;
	struct store_lines *warnings;
};

static void note_init(struct note *note, const char *commit, struct store_lines *warnings)
{
	*note = (struct note){.arena = ARENA_INIT, .commit = commit, .warnings = warnings};
	map_init(&note->keys);
}

static void note_release(struct note *note)
{
	free(note->lines);
	map_release(&note->keys);
	arena_release(&note->arena);
}

static void skip(const struct note *note, const char *reason)
{
	store_lines_add(note->warnings, "a record of %.12s was skipped: %s", note->commit, reason);
}

/* Bytes as unsigned ones, the shorter first: the order of sort(1) in the C locale. */
static int compare_lines(const void *left, const void *right)
{
	const struct note_line *a = left, *b = right;
	int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);

	return order ? order : (a->length > b->length) - (a->length < b->length);
}

static bool replaces(const struct note_line *line, const struct note_line *old)
{
	int64_t a = instant_rank(line->time_ns), b = instant_rank(old->time_ns);

	if (a != b)
		return a > b;
	return compare_lines(line, old) > 0;
}

static void put_line(
	struct note *note, const struct note_line *line, const void *key, size_t key_length)
{
	bool added;
	uint32_t index = map_intern(&note->keys, key, key_length, (uint32_t)note->count, &added);

	if (!added) {
		if (replaces(line, &note->lines[index]))
			note->lines[index] = *line;
		return;
	}
	note->lines =
		grow_array(note->lines, &note->capacity, note->count + 1, sizeof(*note->lines));
	note->lines[note->count++] = *line;
}

/* A terminal or a parser of lines would obey these; JSON as we write it has none. */
static bool has_control(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (((unsigned char)text[i] < ' ' && text[i] != '\t') || text[i] == '\x7f')
			return true;
	return false;
}

/* Head and payload's hash; the payload itself is decoded by who wants it. */
static int check_line(const struct note *note, const struct note_line *line,
	struct line_parts *parts, struct error *err)
{
	struct strbuf payload = STRBUF_INIT;
	int rc;

	if (line->length >= LINE_MAX_BYTES)
		return error_set(err, ERR_LIMIT, "it is longer than %zu bytes", LINE_MAX_BYTES);
	if (has_control(line->text, line->length))
		return error_set(err, ERR_CORRUPT, "it holds control characters");
	rc = line_parts_read(line->text, line->length, note->commit, parts, err);
	if (rc || !parts->payload)
		return rc;
	rc = line_parts_payload(parts, &payload, err);
	if (rc)
		line_parts_release(parts);
	strbuf_release(&payload);
	return rc;
}

static void add_line(struct note *note, const char *text, size_t length)
{
	struct note_line line = {text, length, 0};
	struct line_parts parts;
	struct error err;
	char *key;
	int rc;

	if (length && text[length - 1] == '\r')
		line.length = --length;
	if (!length)
		return;
	rc = check_line(note, &line, &parts, &err);
	if (rc == ERR_NOT_FOUND) {
		put_line(note, &line, text, length);
	} else if (rc) {
		skip(note, err.message);
	} else {
		/* Keys hold line breaks, which no line does. */
		key = arena_printf(&note->arena, "%s\n%s\n%s", parts.recording.benchmark,
			parts.recording.profile_type, parts.environment);
		line.time_ns = parts.recording.time_ns;
		put_line(note, &line, key, strlen(key));
		line_parts_release(&parts);
	}
}

static void add_lines(struct note *note, const char *text, size_t length)
{
	while (length) {
		const char *end = memchr(text, '\n', length);
		size_t line = end ? (size_t)(end - text) : length;

		add_line(note, text, line);
		text += line + (end != NULL);
		length -= line + (end != NULL);
	}
}

static int write_note(struct note *note, struct strbuf *out, struct error *err)
{
	size_t bytes = 0;

	for (size_t i = 0; i < note->count; i++)
		bytes += note->lines[i].length + 1;
	if (bytes > NOTE_MAX_BYTES)
		return error_set(err, ERR_LIMIT,
			"the records of %.12s would take more than %zu bytes", note->commit,
			NOTE_MAX_BYTES);
	if (note->count)
		qsort(note->lines, note->count, sizeof(*note->lines), compare_lines);
	for (size_t i = 0; i < note->count; i++) {
		strbuf_add(out, note->lines[i].text, note->lines[i].length);
		strbuf_addch(out, '\n');
	}
	return ERR_OK;
}

int note_merge(const char *a, size_t a_length, const char *b, size_t b_length, const char *commit,
	struct strbuf *out, struct store_lines *warnings, struct error *err)
{
	struct note note;
	int rc;

	note_init(&note, commit, warnings);
	add_lines(&note, a, a_length);
	add_lines(&note, b, b_length);
	rc = write_note(&note, out, err);
	note_release(&note);
	return rc;
}

/* Appends the line's summary; *done is false where it is none of ours, or a summary already. */
static int summarise_line(const struct note_line *line, const char *commit, struct strbuf *out,
	bool *done, struct error *err)
{
	struct recording recording;
	enum baseline_detail detail;
	int rc = line_decode(line->text, line->length, commit, &recording, &detail, err);

	if (rc == ERR_NOT_FOUND)
		return ERR_OK;
	if (rc)
		return rc;
	if (detail != BASELINE_SUMMARY) {
		rc = line_encode(&recording, BASELINE_SUMMARY, out, err);
		*done = !rc;
	}
	recording_release(&recording);
	return rc;
}

static size_t summarise_lines(const struct note *note, struct strbuf *out)
{
	size_t summarised = 0;

	for (size_t i = 0; i < note->count; i++) {
		const struct note_line *line = &note->lines[i];
		struct error err;
		bool done = false;

		if (summarise_line(line, note->commit, out, &done, &err)) {
			skip(note, err.message);
		} else if (!done) {
			strbuf_add(out, line->text, line->length);
			strbuf_addch(out, '\n');
		}
		summarised += done;
	}
	return summarised;
}

int note_summarise(const char *text, size_t length, const char *commit, struct strbuf *out,
	size_t *summarised, struct store_lines *warnings, struct error *err)
{
	struct strbuf lines = STRBUF_INIT;
	struct note note;
	size_t count;
	int rc;

	note_init(&note, commit, warnings);
	add_lines(&note, text, length);
	count = summarise_lines(&note, &lines);
	rc = note_merge(lines.data, lines.length, "", 0, commit, out, NULL, err);
	if (!rc)
		*summarised = count;
	note_release(&note);
	strbuf_release(&lines);
	return rc;
}
