/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/line/line_head.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/store_internal.h"
#include "gate/base/base64.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/bench/config/config.h"
#include "gate/bench/recording/memory_line.h"
#include "gate/bench/recording/recording.h"
#include "gate/bench/recording/recording_json.h"
#include "gate/net/json.h"

#define MAX_QUANTUM 9007199254740992.0 /* 2^53: up to it doubles are whole numbers */
#define MAX_COST 9223372036854775808.0 /* 2^63: no sum of a profile is more */
#define MAX_MEMBERS 64
#define MAX_UNIT_BYTES 64

static const struct json_limits head_limits = {.max_bytes = LINE_MAX_BYTES, .max_depth = 8};
static const char *const detail_names[] = {
	[BASELINE_TREE] = "tree", [BASELINE_SUMMARY] = "summary"};

/* ---- spreads -------------------------------------------------------------------------------- */

struct line_spread line_spread_of(const double *values, size_t count)
{
	struct line_spread spread = {0, 0};

	for (size_t i = 0; i < count; i++)
		spread.mean += values[i] / (double)count;
	for (size_t i = 0; i < count; i++)
		spread.sd += (values[i] - spread.mean) * (values[i] - spread.mean);
	spread.sd = count > 1 ? sqrt(spread.sd / (double)(count - 1)) : 0;
	return spread;
}

/* Six digits are more than any standard error here, and keep neighbouring commits' lines alike. */
static double rounded(double number)
{
	char text[32];

	snprintf(text, sizeof(text), "%.5e", number);
	return strtod(text, NULL);
}

void line_write_spread(struct json_writer *writer, const struct line_spread *spread)
{
	json_write_double(writer, rounded(spread->mean));
	json_write_double(writer, rounded(spread->sd));
}

int line_read_spread(const struct json *mean, const struct json *sd, size_t rounds,
	struct line_spread *out, struct error *err)
{
	struct line_spread spread;
	int rc = json_number(mean, &spread.mean, err);

	if (!rc)
		rc = json_number(sd, &spread.sd, err);
	if (rc)
		return rc;
	if (!(spread.mean >= 0 && spread.mean <= MAX_COST))
		return json_error(mean, err, "expected a number from 0 to 2^63");
	/* One round that had all of it spreads most; 1e-4 for the rounding. */
	if (!(spread.sd >= 0 && spread.sd <= spread.mean * sqrt((double)rounds) * (1 + 1e-4)))
		return json_error(sd, err, "is more than %zu rounds can spread", rounds);
	if (rounds == 1 && spread.sd > 0)
		return json_error(sd, err, "is more than one round can spread");
	*out = spread;
	return ERR_OK;
}

/* ---- writing -------------------------------------------------------------------------------- */

static void write_spread_member(
	struct json_writer *writer, const char *key, const struct line_spread *spread)
{
	json_member_array(writer, key);
	line_write_spread(writer, spread);
	json_array_end(writer);
}

/* Few moments, and times of six digits: one chart is not worth more than the tree. */
static void write_memory(struct json_writer *writer, const struct recording *recording)
{
	struct memory_line median = memory_line_median(recording->memory, recording->memory_count);
	struct recording said = {.arena = ARENA_INIT};
	struct memory_line line = memory_line_thin(&median, LINE_MEMORY_MOMENTS, &said.arena);

	for (size_t i = 0; i < line.count; i++)
		line.moments[i].seconds = rounded(line.moments[i].seconds);
	said.memory = &line;
	said.memory_count = 1;
	recording_write_memory(writer, &said);
	arena_release(&said.arena);
}

void line_head_write(struct json_writer *writer, const struct recording *recording,
	enum baseline_detail detail, const struct line_totals *totals)
{
	struct arena arena = ARENA_INIT;

	json_object_begin(writer);
	json_member_int64(writer, "flamegate", LINE_FORMAT);
	/* Here, so that of two lines alike but for this the tree is the larger (note_merge). */
	json_member_string(writer, "detail", detail_names[detail]);
	json_member_string(writer, "environment", recording_environment(recording, &arena));
	recording_write_members(writer, recording);
	if (detail == BASELINE_TREE)
		write_memory(writer, recording);
	json_member_uint64(writer, "rounds", totals->rounds);
	json_member_string(writer, "unit", totals->unit);
	json_member_int64(writer, "quantum", totals->quantum);
	write_spread_member(writer, "cpu", &totals->cpu);
	write_spread_member(writer, "cost", &totals->cost);
	arena_release(&arena);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Readers that take the first of two equal keys and readers that take the last must not differ. */
static int refuse_duplicates(const struct json *node, struct error *err)
{
	const struct json *child, *other;
	int rc = ERR_OK;

	if (json_type(node) == JSON_OBJECT && json_length(node) > MAX_MEMBERS)
		return json_error(node, err, "has more than %d members", MAX_MEMBERS);
	for (child = json_first(node); child && !rc; child = json_next(child)) {
		for (other = json_next(child); json_key(child) && other; other = json_next(other))
			if (strcmp(json_key(child), json_key(other)) == 0)
				return json_error(other, err, "is there twice");
		rc = refuse_duplicates(child, err);
	}
	return rc;
}

/* Ours at all? The format's number is told before anything of its text is believed. */
static int check_prefix(const char *text, size_t length, struct error *err)
{
	size_t prefix = strlen(LINE_PREFIX), format = 0;

	if (length < prefix || memcmp(text, LINE_PREFIX, prefix) != 0)
		return error_set(err, ERR_NOT_FOUND, "it is not flamegate's");
	for (; prefix < length && text[prefix] >= '0' && text[prefix] <= '9'; prefix++)
		format = format < 1000000 ? format * 10 + (size_t)(text[prefix] - '0') : format;
	if (format > LINE_FORMAT)
		return error_set(err, ERR_NOT_FOUND,
			"it is of format %zu, this flamegate reads format %d", format, LINE_FORMAT);
	return ERR_OK;
}

/* Base64 has neither blanks nor braces, so the last of them tells where the head ends. */
static int split(const char *text, size_t length, struct line_parts *parts, struct error *err)
{
	const char *blank = memrchr(text, ' ', length);
	size_t head = length;

	if (text[length - 1] != '}') {
		if (!blank || blank == text || blank[-1] != '}')
			return error_set(err, ERR_CORRUPT, "it ends within its head");
		head = (size_t)(blank - text);
		parts->payload = blank + 1;
		parts->payload_length = length - head - 1;
	}
	return json_parse(text, head, "line", &head_limits, &parts->head, err);
}

static int check_format(const struct json *head, struct error *err)
{
	int64_t format;
	int rc = json_expect(json_get(head, "flamegate"), JSON_NUMBER, err);

	if (!rc)
		rc = json_get_int64(head, "flamegate", &format, err);
	if (!rc && format != LINE_FORMAT)
		rc = json_error(json_get(head, "flamegate"), err, "is no format");
	return rc;
}

static int read_detail(struct line_parts *parts, struct error *err)
{
	const char *text;
	int rc = json_get_string(parts->head, "detail", &text, err);

	if (rc)
		return rc;
	if (strcmp(text, detail_names[BASELINE_TREE]) == 0)
		parts->detail = BASELINE_TREE;
	else if (strcmp(text, detail_names[BASELINE_SUMMARY]) == 0)
		parts->detail = BASELINE_SUMMARY;
	else
		return json_error(
			json_get(parts->head, "detail"), err, "expected \"tree\" or \"summary\"");
	if ((parts->detail == BASELINE_TREE) != (parts->payload != NULL))
		return error_set(err, ERR_CORRUPT, "a tree has a payload, a summary has none");
	return ERR_OK;
}

static int check_key(struct line_parts *parts, const char *commit, struct error *err)
{
	struct recording *recording = &parts->recording;
	int rc = json_get_string(parts->head, "environment", &parts->environment, err);

	if (rc)
		return rc;
	if (!store_is_commit_id(recording->commit))
		return json_error(
			json_get(parts->head, "commit"), err, "expected a full commit id");
	if (strcmp(recording->commit, commit) != 0)
		return error_set(err, ERR_CORRUPT, "it was copied from another commit (%.12s)",
			recording->commit);
	if (!*recording->benchmark)
		return json_error(json_get(parts->head, "benchmark"), err, "is empty");
	if (strcmp(parts->environment, recording_environment(recording, &recording->arena)) != 0)
		return json_error(json_get(parts->head, "environment"), err,
			"is not that of the fingerprint");
	return ERR_OK;
}

static int read_spread_member(const struct json *head, const char *key, size_t rounds,
	struct line_spread *out, struct error *err)
{
	const struct json *pair;
	int rc = json_get_array(head, key, &pair, err);

	if (rc)
		return rc;
	if (json_length(pair) != 2)
		return json_error(pair, err, "expected two numbers");
	return line_read_spread(json_at(pair, 0), json_at(pair, 1), rounds, out, err);
}

static int read_whole(
	const struct json *head, const char *key, double most, int64_t *out, struct error *err)
{
	int64_t number;
	int rc = json_get_int64(head, key, &number, err);

	if (!rc && (number < 1 || (double)number > most))
		rc = json_error(
			json_get(head, key), err, "expected a whole number from 1 to %.0f", most);
	if (!rc)
		*out = number;
	return rc;
}

static int read_totals(struct line_parts *parts, struct error *err)
{
	struct line_totals *totals = &parts->totals;
	int64_t rounds;
	int rc = read_whole(parts->head, "rounds", RECORDING_MAX_ROUNDS, &rounds, err);

	if (!rc) {
		totals->rounds = (size_t)rounds;
		rc = read_whole(parts->head, "quantum", MAX_QUANTUM, &totals->quantum, err);
	}
	if (!rc)
		rc = json_get_string(parts->head, "unit", &totals->unit, err);
	if (!rc && strlen(totals->unit) > MAX_UNIT_BYTES)
		rc = json_error(json_get(parts->head, "unit"), err, "is too long");
	if (!rc)
		rc = read_spread_member(parts->head, "cpu", totals->rounds, &totals->cpu, err);
	return rc ? rc
		  : read_spread_member(parts->head, "cost", totals->rounds, &totals->cost, err);
}

static int read_parts(const char *text, size_t length, const char *commit, struct line_parts *parts,
	struct error *err)
{
	int rc = split(text, length, parts, err);

	if (!rc)
		rc = refuse_duplicates(parts->head, err);
	if (!rc)
		rc = check_format(parts->head, err);
	if (!rc)
		rc = read_detail(parts, err);
	if (!rc)
		rc = recording_read_members(parts->head, &parts->recording, err);
	if (!rc)
		rc = recording_read_memory(parts->head, &parts->recording, err);
	if (!rc)
		rc = check_key(parts, commit, err);
	return rc ? rc : read_totals(parts, err);
}

int line_parts_read(const char *text, size_t length, const char *commit, struct line_parts *out,
	struct error *err)
{
	struct line_parts parts = {.recording = {.arena = ARENA_INIT}};
	int rc;

	if (length && text[length - 1] == '\r')
		length--;
	rc = check_prefix(text, length, err);
	if (rc)
		return rc;
	if (length >= LINE_MAX_BYTES)
		return error_set(err, ERR_LIMIT, "it is longer than %zu bytes", LINE_MAX_BYTES);
	parts.recording.policy = config_policy_default();
	rc = read_parts(text, length, commit, &parts, err);
	if (rc)
		line_parts_release(&parts);
	else
		*out = parts;
	return rc;
}

void line_parts_release(struct line_parts *parts)
{
	json_free(parts->head);
	recording_release(&parts->recording);
	*parts = (struct line_parts){.recording = {.arena = ARENA_INIT}};
}

int line_parts_payload(const struct line_parts *parts, struct strbuf *out, struct error *err)
{
	size_t before = out->length;
	const char *wanted;
	char hash[65];
	int rc = json_get_string(parts->head, "sha256", &wanted, err);

	if (!rc)
		rc = base64_decode(parts->payload, parts->payload_length, out, err);
	if (rc)
		return rc;
	sha256_hex(out->data + before, out->length - before, hash);
	if (strcmp(hash, wanted) == 0)
		return ERR_OK;
	strbuf_truncate(out, before);
	return error_set(err, ERR_CORRUPT, "its payload is not the one that its head describes");
}
