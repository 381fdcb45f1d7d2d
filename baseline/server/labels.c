/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/server/labels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "baseline/instant.h"
#include "baseline/store_internal.h"
#include "gate/base/base64.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/map.h"
#include "gate/base/text.h"
#include "gate/bench/recording/memory_line.h"
#include "gate/bench/recording/recording.h"
#include "gate/bench/recording/recording_json.h"
#include "gate/net/json.h"

#define META_MAX_BYTES ((size_t)1 << 20) /* inflated */
#define LEAST_MOMENTS 20                 /* of the heap over time; fewer show no course */
#define TOTALS_COUNT 9
#define RECORDING_DIGITS (LABELS_RECORDING_BYTES - 1)

const char *const labels_names[LABELS_MAX] = {"benchmark", "branch", "commit", "environment",
	"part", "parts", "pushed", "recorded", "recording", "round", "rounds", "sum", "totals",
	"type", "meta_0", "meta_1", "meta_2", "meta_3"};
static const char *const *const meta_names = labels_names + LABELS_MAX - LABELS_META_LABELS;

void labels_new_recording(char id[LABELS_RECORDING_BYTES])
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number)) {
		int64_t now[] = {instant_now(), getpid()};

		number = hash_bytes(now, sizeof(now), 0);
	}
	(void)snprintf(id, LABELS_RECORDING_BYTES, "%016" PRIx64, number);
}

/* ---- meta --------------------------------------------------------------------------------- */

static int encode_meta(const struct recording *recording, struct strbuf *text, struct error *err)
{
	struct strbuf json = STRBUF_INIT, packed = STRBUF_INIT;
	int rc;

	recording_encode(recording, &json);
	rc = gzip_compress(json.data, json.length, &packed, err);
	strbuf_reset(text);
	if (!rc)
		base64_encode(packed.data, packed.length, text);
	strbuf_release(&json);
	strbuf_release(&packed);
	return rc;
}

/* Half as many moments, and at last none. */
static void shorten_memory(struct recording *recording, struct arena *arena)
{
	struct memory_line line = memory_line_median(recording->memory, recording->memory_count);

	recording->memory_count = 0;
	if (line.count / 2 < LEAST_MOMENTS)
		return;
	recording->memory = arena_alloc(arena, sizeof(line));
	recording->memory[0] = memory_line_thin(&line, line.count / 2, arena);
	recording->memory_count = 1;
}

/* Leaves out the next thing that may be; false if there is nothing left. */
static bool shorten(struct recording *recording, struct arena *arena)
{
	if (recording->memory_count)
		shorten_memory(recording, arena);
	else if (recording->warning_count)
		recording->warning_count = 0;
	else if (*recording->command)
		recording->command = "";
	else
		return false;
	return true;
}

int labels_meta_encode(const struct recording *recording, struct arena *arena, const char **text,
	struct error *err)
{
	const size_t room = (size_t)LABELS_META_LABELS * LABELS_MAX_VALUE_BYTES;
	struct recording meta = *recording;
	struct strbuf encoded = STRBUF_INIT;
	int rc;

	meta.rounds = NULL;
	meta.round_count = 0;
	do
		rc = encode_meta(&meta, &encoded, err);
	while (!rc && encoded.length > room && shorten(&meta, arena));
	if (!rc && encoded.length > room)
		rc = error_set(err, ERR_LIMIT,
			"what describes the recording is too long for a server's labels");
	if (!rc)
		*text = arena_strndup(arena, encoded.data, encoded.length);
	strbuf_release(&encoded);
	return rc;
}

int labels_meta_decode(const char *text, struct recording *out, struct error *err)
{
	struct strbuf packed = STRBUF_INIT, json = STRBUF_INIT;
	struct recording recording = {.arena = ARENA_INIT};
	int rc = base64_decode(text, strlen(text), &packed, err);

	if (!rc)
		rc = gzip_decompress(packed.data, packed.length, META_MAX_BYTES, &json, err);
	if (!rc)
		rc = recording_decode(json.data, json.length, &recording, err);
	if (!rc && recording.round_count)
		rc = error_set(err, ERR_CORRUPT, "the label meta_0 has rounds");
	if (rc)
		recording_release(&recording);
	else
		*out = recording;
	strbuf_release(&packed);
	strbuf_release(&json);
	return rc;
}

/* ---- totals: one order for writing and reading ---------------------------------------------- */

static const char *totals_text(const struct recording_round *round, struct arena *arena)
{
	struct strbuf text = STRBUF_INIT;
	struct json_writer writer;
	const char *copy;

	json_writer_init(&writer, &text, 0);
	json_array_begin(&writer);
	json_write_double(&writer, round->cpu_seconds);
	json_write_double(&writer, round->sampled_seconds);
	json_write_double(&writer, round->wall_seconds);
	json_write_double(&writer, round->iterations);
	json_write_uint64(&writer, round->samples);
	json_write_uint64(&writer, round->complete);
	json_write_uint64(&writer, round->lost);
	json_write_uint64(&writer, round->order);
	json_write_uint64(&writer, round->processes);
	json_array_end(&writer);
	copy = arena_strndup(arena, text.data, text.length);
	strbuf_release(&text);
	return copy;
}

static int read_metrics(const struct json *array, double seconds[4], struct error *err)
{
	int rc = ERR_OK;

	for (size_t i = 0; i < 4 && !rc; i++) {
		rc = json_number(json_at(array, i), &seconds[i], err);
		if (!rc && seconds[i] < 0)
			rc = json_error(json_at(array, i), err, "is negative");
	}
	return rc;
}

static int read_counts(const struct json *array, int64_t counts[5], struct error *err)
{
	static const int64_t most[5] = {INT64_MAX, INT64_MAX, INT64_MAX, 1, UINT32_MAX};
	int rc = ERR_OK;

	for (size_t i = 0; i < 5 && !rc; i++) {
		rc = json_int64(json_at(array, i + 4), &counts[i], err);
		if (!rc && (counts[i] < 0 || counts[i] > most[i]))
			rc = json_error(json_at(array, i + 4), err, "is out of range");
	}
	return rc;
}

static int read_totals(const char *text, struct recording_round *round, struct error *err)
{
	const struct json_limits limits = {.max_bytes = LABELS_MAX_VALUE_BYTES, .max_depth = 2};
	struct json *root;
	double seconds[4];
	int64_t counts[5];
	int rc = json_parse(text, strlen(text), "the label totals", &limits, &root, err);

	if (rc)
		return rc;
	rc = json_expect(root, JSON_ARRAY, err);
	if (!rc && json_length(root) != TOTALS_COUNT)
		rc = json_error(root, err, "expected %d numbers", TOTALS_COUNT);
	if (!rc)
		rc = read_metrics(root, seconds, err);
	if (!rc)
		rc = read_counts(root, counts, err);
	if (!rc)
		*round = (struct recording_round){.cpu_seconds = seconds[0],
			.sampled_seconds = seconds[1],
			.wall_seconds = seconds[2],
			.iterations = seconds[3],
			.samples = (uint64_t)counts[0],
			.complete = (uint64_t)counts[1],
			.lost = (uint64_t)counts[2],
			.order = (uint32_t)counts[3],
			.processes = (uint32_t)counts[4]};
	json_free(root);
	return rc;
}

/* ---- writing ------------------------------------------------------------------------------ */

struct label_writer {
	struct arena *arena;
	struct label *labels;
	size_t count;
	struct error *err;
	int rc;
};

/* Servers take an empty value for a missing one. */
static void put(struct label_writer *writer, const char *name, const char *value)
{
	struct strbuf text = STRBUF_INIT;

	text_add_utf8(&text, value, strlen(value));
	if (text.length > LABELS_MAX_VALUE_BYTES && !writer->rc)
		writer->rc = error_set(writer->err, ERR_LIMIT,
			"the %s is longer than the %d bytes that servers take as a label", name,
			LABELS_MAX_VALUE_BYTES);
	else if (text.length)
		writer->labels[writer->count++] =
			(struct label){name, arena_strndup(writer->arena, text.data, text.length)};
	strbuf_release(&text);
}

static void put_number(struct label_writer *writer, const char *name, int64_t number)
{
	put(writer, name, arena_printf(writer->arena, "%" PRId64, number));
}

static void put_meta(struct label_writer *writer, const char *meta)
{
	size_t left = strlen(meta);

	for (size_t i = 0; i < LABELS_META_LABELS && left; i++) {
		size_t length = left < LABELS_MAX_VALUE_BYTES ? left : LABELS_MAX_VALUE_BYTES;

		put(writer, meta_names[i], arena_strndup(writer->arena, meta, length));
		meta += length;
		left -= length;
	}
}

/* In the order of the names. */
int labels_write(const struct piece_labels *piece, struct arena *arena, struct label **labels,
	size_t *count, struct error *err)
{
	struct label_writer writer = {.arena = arena,
		.labels = arena_array(arena, LABELS_MAX, sizeof(*writer.labels)),
		.err = err};

	put(&writer, "benchmark", piece->key.benchmark);
	put(&writer, "branch", piece->branch ? piece->branch : "");
	put(&writer, "commit", piece->key.commit);
	put(&writer, "environment", piece->key.environment);
	put_meta(&writer, piece->meta);
	put_number(&writer, "part", piece->part);
	put_number(&writer, "parts", piece->parts);
	put_number(&writer, "pushed", piece->pushed_ns);
	put_number(&writer, "recorded", piece->time_ns);
	put(&writer, "recording", piece->recording);
	put_number(&writer, "round", piece->round);
	put_number(&writer, "rounds", piece->rounds);
	put_number(&writer, "sum", piece->sum);
	put(&writer, "totals", totals_text(&piece->totals, arena));
	put(&writer, "type", piece->key.profile_type);
	if (writer.rc)
		return writer.rc;
	*labels = writer.labels;
	*count = writer.count;
	return ERR_OK;
}

/* ---- reading ------------------------------------------------------------------------------ */

/* The value of the first label with this name, or "". */
static const char *value_of(const struct label *labels, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(labels[i].name, name) == 0)
			return labels[i].value;
	return "";
}

static int wrong(struct error *err, const char *name)
{
	return error_set(
		err, ERR_CORRUPT, "a series whose label \"%s\" is none of flamegate's", name);
}

static int read_number(const struct label *labels, size_t count, const char *name, int64_t most,
	int64_t *out, struct error *err)
{
	const char *text = value_of(labels, count, name);
	size_t length = strlen(text);
	int64_t number = 0;

	if (!length || strspn(text, "0123456789") != length)
		return wrong(err, name);
	for (; *text; text++)
		if (__builtin_mul_overflow(number, 10, &number) ||
			__builtin_add_overflow(number, *text - '0', &number))
			return wrong(err, name);
	if (number > most)
		return wrong(err, name);
	*out = number;
	return ERR_OK;
}

static int read_position(
	const struct label *labels, size_t count, struct piece_labels *piece, struct error *err)
{
	int64_t round = 0, rounds = 0, part = 0, parts = 0;
	int rc = read_number(labels, count, "rounds", RECORDING_MAX_ROUNDS, &rounds, err);

	if (!rc)
		rc = read_number(labels, count, "round", rounds - 1, &round, err);
	if (!rc)
		rc = read_number(labels, count, "parts", LABELS_MAX_PARTS, &parts, err);
	if (!rc)
		rc = read_number(labels, count, "part", parts - 1, &part, err);
	if (!rc)
		rc = read_number(labels, count, "recorded", INT64_MAX, &piece->time_ns, err);
	if (!rc)
		rc = read_number(labels, count, "pushed", INT64_MAX, &piece->pushed_ns, err);
	if (!rc)
		rc = read_number(labels, count, "sum", INT64_MAX, &piece->sum, err);
	piece->round = (uint32_t)round;
	piece->rounds = (uint32_t)rounds;
	piece->part = (uint32_t)part;
	piece->parts = (uint32_t)parts;
	return rc;
}

static bool is_hex(const char *text, size_t digits)
{
	return strlen(text) == digits && strspn(text, "0123456789abcdef") == digits;
}

static int check_names(const struct piece_labels *piece, struct error *err)
{
	if (!store_is_commit_id(piece->key.commit))
		return wrong(err, "commit");
	if (!*piece->key.benchmark)
		return wrong(err, "benchmark");
	if (!recording_type_is_valid(piece->key.profile_type))
		return wrong(err, "type");
	if (!*piece->key.environment)
		return wrong(err, "environment");
	return is_hex(piece->recording, RECORDING_DIGITS) ? ERR_OK : wrong(err, "recording");
}

static const char *join_meta(const struct label *labels, size_t count, struct arena *arena)
{
	struct strbuf text = STRBUF_INIT;
	const char *copy;

	for (size_t i = 0; i < LABELS_META_LABELS; i++)
		strbuf_addstr(&text, value_of(labels, count, meta_names[i]));
	copy = arena_strndup(arena, text.data, text.length);
	strbuf_release(&text);
	return copy;
}

int labels_read(const struct label *labels, size_t count, struct arena *arena,
	struct piece_labels *out, struct error *err)
{
	struct piece_labels piece = {
		.key = {.commit = value_of(labels, count, "commit"),
			.benchmark = value_of(labels, count, "benchmark"),
			.profile_type = value_of(labels, count, "type"),
			.environment = value_of(labels, count, "environment")},
		.branch = value_of(labels, count, "branch"),
		.recording = value_of(labels, count, "recording"),
	};
	int rc = check_names(&piece, err);

	if (!rc)
		rc = read_position(labels, count, &piece, err);
	if (!rc)
		rc = read_totals(value_of(labels, count, "totals"), &piece.totals, err);
	if (rc)
		return rc;
	piece.key.commit = arena_strdup(arena, piece.key.commit);
	piece.key.benchmark = arena_strdup(arena, piece.key.benchmark);
	piece.key.profile_type = arena_strdup(arena, piece.key.profile_type);
	piece.key.environment = arena_strdup(arena, piece.key.environment);
	piece.branch = arena_strdup(arena, piece.branch);
	piece.recording = arena_strdup(arena, piece.recording);
	piece.meta = join_meta(labels, count, arena);
	*out = piece;
	return ERR_OK;
}

void labels_add_matcher(struct strbuf *selector, const char *name, const char *value)
{
	if (selector->length && selector->data[selector->length - 1] != '{')
		strbuf_addch(selector, ',');
	strbuf_addf(selector, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			strbuf_addch(selector, '\\');
		if (*value == '\n')
			strbuf_addstr(selector, "\\n");
		else
			strbuf_addch(selector, *value);
	}
	strbuf_addch(selector, '"');
}
