/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/recording_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/net/json.h"

#define MAX_QUANTITY                                                                               \
	1e15 /* seconds, iterations and counts: past it doubles are no longer exact                \
	      */

/* ---- plain members: one table for writing and reading ------------------------------------- */

enum field_kind {
	FIELD_STRING,
	FIELD_DOUBLE,
	FIELD_UINT32,
	FIELD_UINT64,
	FIELD_UNSIGNED,
	FIELD_LONG,
	FIELD_BOOL,
	FIELD_WORD /* an enum: one of words[] */
};

struct field {
	const char *key;
	enum field_kind kind;
	size_t offset;
	double most;              /* of a number; the least is 0 */
	const char *const *words; /* NULL-terminated, in the enum's order */
	bool optional;            /* came later: earlier recordings do not have it */
};

static const char *const failure_words[] = {"warn", "fail", NULL};
static const char *const stored_words[] = {"screen", "warn", "fail", NULL};
static const char *const screen_words[] = {"prove", "fast", NULL};

#define FIELD(structure, member, kind, most)                                                       \
	{                                                                                          \
#member, kind, offsetof(struct structure, member), most, NULL, false               \
	}
#define WORD(structure, member, words, optional)                                                   \
	{                                                                                          \
#member, FIELD_WORD, offsetof(struct structure, member), 0, words, optional        \
	}
#define LATER(structure, member, kind)                                                             \
	{                                                                                          \
#member, kind, offsetof(struct structure, member), 0, NULL, true                   \
	}

static const struct field recording_fields[] = {
	FIELD(recording, tool_version, FIELD_STRING, 0),
	FIELD(recording, benchmark, FIELD_STRING, 0),
	FIELD(recording, command, FIELD_STRING, 0),
	FIELD(recording, arm, FIELD_STRING, 0),
	FIELD(recording, commit, FIELD_STRING, 0),
	FIELD(recording, tree, FIELD_STRING, 0),
	FIELD(recording, mechanism, FIELD_STRING, 0),
	FIELD(recording, rate_hz, FIELD_UINT32, 1e6),
	FIELD(recording, counted_work, FIELD_BOOL, 0),
	LATER(recording, branch, FIELD_STRING),
	LATER(recording, profile_type, FIELD_STRING),
};

static const struct field policy_fields[] = {
	WORD(config_policy, on_base_failure, failure_words, false),
	FIELD(config_policy, stage1_blocks, FIELD_UINT32, RECORDING_MAX_BLOCKS),
	FIELD(config_policy, stage2_blocks, FIELD_UINT32, RECORDING_MAX_BLOCKS),
	FIELD(config_policy, margin_points, FIELD_DOUBLE, 1e6),
	FIELD(config_policy, margin_self, FIELD_DOUBLE, 1e6),
	FIELD(config_policy, margin_inclusive, FIELD_DOUBLE, 1e6),
	FIELD(config_policy, margin_total, FIELD_DOUBLE, 1e6),
	WORD(config_policy, stored, stored_words, true),
	WORD(config_policy, screen, screen_words, true),
};

static const struct field fingerprint_fields[] = {
	FIELD(fingerprint, cpu_model, FIELD_STRING, 0),
	FIELD(fingerprint, cpu_flags_hash, FIELD_STRING, 0),
	FIELD(fingerprint, cpus_online, FIELD_UNSIGNED, 1e6),
	FIELD(fingerprint, cpus_allowed, FIELD_UNSIGNED, 1e6),
	FIELD(fingerprint, kernel, FIELD_STRING, 0),
	FIELD(fingerprint, machine, FIELD_STRING, 0),
	FIELD(fingerprint, libc, FIELD_STRING, 0),
	FIELD(fingerprint, os, FIELD_STRING, 0),
	FIELD(fingerprint, governor, FIELD_STRING, 0),
	FIELD(fingerprint, turbo, FIELD_STRING, 0),
	FIELD(fingerprint, virtualization, FIELD_STRING, 0),
	FIELD(fingerprint, perf_event_paranoid, FIELD_STRING, 0),
	FIELD(fingerprint, memory_bytes, FIELD_LONG, MAX_QUANTITY),
	LATER(fingerprint, compiler, FIELD_STRING),
	LATER(fingerprint, build_hash, FIELD_STRING),
};

static const struct field block_fields[] = {
	FIELD(recording_block, cpu_seconds, FIELD_DOUBLE, MAX_QUANTITY),
	FIELD(recording_block, sampled_seconds, FIELD_DOUBLE, MAX_QUANTITY),
	FIELD(recording_block, wall_seconds, FIELD_DOUBLE, MAX_QUANTITY),
	FIELD(recording_block, iterations, FIELD_DOUBLE, MAX_QUANTITY),
	FIELD(recording_block, samples, FIELD_UINT64, MAX_QUANTITY),
	FIELD(recording_block, complete, FIELD_UINT64, MAX_QUANTITY),
	FIELD(recording_block, lost, FIELD_UINT64, MAX_QUANTITY),
	FIELD(recording_block, order, FIELD_UINT32, 1),
	FIELD(recording_block, processes, FIELD_UINT32, UINT32_MAX),
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- writing ------------------------------------------------------------------------------ */

static void write_field(
	struct json_writer *writer, const struct field *field, const unsigned char *from)
{
	const void *value = from + field->offset;
	const char *const *string = value;

	json_write_key(writer, field->key);
	switch (field->kind) {
	case FIELD_STRING:
		json_write_string(writer, *string ? *string : "");
		break;
	case FIELD_DOUBLE:
		json_write_double(writer, *(const double *)value);
		break;
	case FIELD_UINT32:
		json_write_uint64(writer, *(const uint32_t *)value);
		break;
	case FIELD_UINT64:
		json_write_uint64(writer, *(const uint64_t *)value);
		break;
	case FIELD_UNSIGNED:
		json_write_uint64(writer, *(const unsigned *)value);
		break;
	case FIELD_LONG:
		json_write_uint64(writer, *(const unsigned long long *)value);
		break;
	case FIELD_BOOL:
		json_write_bool(writer, *(const bool *)value);
		break;
	case FIELD_WORD:
		json_write_string(writer, field->words[*(const unsigned *)value]);
		break;
	}
}

static void write_fields(
	struct json_writer *writer, const struct field *fields, size_t count, const void *from)
{
	size_t i;

	for (i = 0; i < count; i++)
		write_field(writer, &fields[i], from);
}

static void write_blocks(struct json_writer *writer, const struct recording *recording)
{
	size_t i;

	json_member_array(writer, "blocks");
	for (i = 0; i < recording->block_count; i++) {
		json_object_begin(writer);
		write_fields(writer, block_fields, COUNT(block_fields), &recording->blocks[i]);
		json_object_end(writer);
	}
	json_array_end(writer);
}

static void write_calibration(struct json_writer *writer, const struct calibration *calibration)
{
	json_member_object(writer, "calibration");
	for (size_t i = 0; i < CALIBRATION_COUNT; i++) {
		json_member_array(writer, calibration_names[i]);
		json_write_double(writer, calibration->ns[i]);
		json_write_double(writer, calibration->spread[i]);
		json_array_end(writer);
	}
	json_object_end(writer);
}

/* As text: JSON numbers do not hold 64 bits. */
static void write_long(
	struct json_writer *writer, const char *key, const char *format, unsigned long long number)
{
	char text[24];

	snprintf(text, sizeof(text), format, number);
	json_member_string(writer, key, text);
}

static void write_warnings(struct json_writer *writer, const struct recording *recording)
{
	json_member_array(writer, "warnings");
	for (size_t i = 0; i < recording->warning_count && i < RECORDING_MAX_WARNINGS; i++)
		json_write_string(writer, recording->warnings[i]);
	json_array_end(writer);
}

void recording_write_members(struct json_writer *writer, const struct recording *recording)
{
	write_fields(writer, recording_fields, COUNT(recording_fields), recording);
	write_long(writer, "time_ns", "%lld", (unsigned long long)recording->time_ns);
	write_long(writer, "seed", "%016llx", recording->seed);
	json_member_object(writer, "fingerprint");
	write_fields(
		writer, fingerprint_fields, COUNT(fingerprint_fields), &recording->fingerprint);
	json_object_end(writer);
	write_calibration(writer, &recording->calibration);
	write_warnings(writer, recording);
}

void recording_encode(const struct recording *recording, struct strbuf *out)
{
	struct json_writer writer;

	json_writer_init(&writer, out, 2);
	json_object_begin(&writer);
	json_member_int64(&writer, "format", RECORDING_FORMAT);
	recording_write_members(&writer, recording);
	json_member_object(&writer, "policy");
	write_fields(&writer, policy_fields, COUNT(policy_fields), &recording->policy);
	json_object_end(&writer);
	write_blocks(&writer, recording);
	json_object_end(&writer);
	strbuf_addch(out, '\n');
}

/* ---- reading ------------------------------------------------------------------------------ */

static int read_text(
	struct arena *arena, const struct json *node, const char **out, struct error *err)
{
	const char *text;
	int rc = json_string(node, &text, err);

	if (rc)
		return rc;
	if (strlen(text) > RECORDING_MAX_STRING_BYTES)
		return json_error(node, err, "is longer than %d bytes", RECORDING_MAX_STRING_BYTES);
	*out = arena_strdup(arena, text);
	return ERR_OK;
}

static int read_quantity(const struct json *object, const struct field *field, bool whole,
	double *out, struct error *err)
{
	double number;
	int rc = json_get_number(object, field->key, &number, err);

	if (rc)
		return rc;
	if (!(number >= 0 && number <= field->most) || (whole && number != floor(number)))
		return json_error(json_get(object, field->key), err,
			"expected a%s number from 0 to %.0f", whole ? " whole" : "", field->most);
	*out = number;
	return ERR_OK;
}

static int read_word(
	const struct json *object, const struct field *field, unsigned *out, struct error *err)
{
	struct strbuf known = STRBUF_INIT;
	const char *text;
	int rc = json_get_string(object, field->key, &text, err);

	if (rc)
		return rc;
	for (unsigned i = 0; field->words[i]; i++) {
		if (strcmp(text, field->words[i]) == 0) {
			*out = i;
			return ERR_OK;
		}
		strbuf_addf(&known, "%s\"%s\"", i ? " or " : "", field->words[i]);
	}
	rc = json_error(json_get(object, field->key), err, "expected %s", known.data);
	strbuf_release(&known);
	return rc;
}

static void store_number(enum field_kind kind, double number, void *to)
{
	if (kind == FIELD_DOUBLE)
		*(double *)to = number;
	else if (kind == FIELD_UINT32)
		*(uint32_t *)to = (uint32_t)number;
	else if (kind == FIELD_UINT64)
		*(uint64_t *)to = (uint64_t)number;
	else if (kind == FIELD_UNSIGNED)
		*(unsigned *)to = (unsigned)number;
	else
		*(unsigned long long *)to = (unsigned long long)number;
}

static int read_field(const struct json *object, const struct field *field, struct arena *arena,
	unsigned char *base, struct error *err)
{
	void *to = base + field->offset;
	const char *text;
	double number = 0;
	int rc;

	switch (field->kind) {
	case FIELD_STRING:
		rc = json_get_string(object, field->key, &text, err); /* says if it is missing */
		return rc ? rc : read_text(arena, json_get(object, field->key), to, err);
	case FIELD_BOOL:
		return json_get_bool(object, field->key, to, err);
	case FIELD_WORD:
		return read_word(object, field, to, err);
	default:
		rc = read_quantity(object, field, field->kind != FIELD_DOUBLE, &number, err);
		if (!rc)
			store_number(field->kind, number, to);
		return rc;
	}
}

static int read_fields(const struct json *object, const struct field *fields, size_t count,
	struct arena *arena, void *to, struct error *err)
{
	int rc = ERR_OK;
	size_t i;

	for (i = 0; !rc && i < count; i++)
		if (!fields[i].optional || json_get(object, fields[i].key))
			rc = read_field(object, &fields[i], arena, to, err);
	return rc;
}

static int read_group(const struct json *root, const char *key, const struct field *fields,
	size_t count, struct arena *arena, void *to, struct error *err)
{
	const struct json *object;
	int rc = json_get_object(root, key, &object, err);

	return rc ? rc : read_fields(object, fields, count, arena, to, err);
}

static int read_blocks(const struct json *root, struct recording *recording, struct error *err)
{
	const struct json *array, *node;
	int rc = json_get_array(root, "blocks", &array, err);
	size_t i = 0;

	if (rc)
		return rc;
	if (json_length(array) > RECORDING_MAX_BLOCKS)
		return json_error(array, err, "has more than %d blocks", RECORDING_MAX_BLOCKS);
	recording->block_count = json_length(array);
	recording->blocks =
		arena_array(&recording->arena, recording->block_count, sizeof(*recording->blocks));
	for (node = json_first(array); !rc && node; node = json_next(node)) {
		rc = json_expect(node, JSON_OBJECT, err);
		if (!rc)
			rc = read_fields(node, block_fields, COUNT(block_fields), &recording->arena,
				&recording->blocks[i++], err);
	}
	return rc;
}

static int read_warnings(const struct json *root, struct recording *recording, struct error *err)
{
	const struct json *array, *node;
	int rc = json_get_array(root, "warnings", &array, err);

	if (rc)
		return rc;
	if (json_length(array) > RECORDING_MAX_WARNINGS)
		return json_error(array, err, "has more than %d entries", RECORDING_MAX_WARNINGS);
	recording->warnings =
		arena_array(&recording->arena, json_length(array), sizeof(*recording->warnings));
	for (node = json_first(array); !rc && node; node = json_next(node))
		rc = read_text(&recording->arena, node,
			&recording->warnings[recording->warning_count++], err);
	return rc;
}

static int read_seed(const struct json *root, uint64_t *seed, struct error *err)
{
	const char *text;
	int rc = json_get_string(root, "seed", &text, err);

	if (rc)
		return rc;
	if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
		return json_error(json_get(root, "seed"), err, "expected 16 hexadecimal digits");
	*seed = strtoull(text, NULL, 16);
	return ERR_OK;
}

static int read_time(const struct json *root, int64_t *time_ns, struct error *err)
{
	const struct json *node = json_get(root, "time_ns");
	int64_t number;
	int rc = node ? json_int64(node, &number, err) : ERR_OK;

	if (rc || !node)
		return rc;
	if (number < 0)
		return json_error(node, err, "is before 1970");
	*time_ns = number;
	return ERR_OK;
}

static int read_rate(const struct json *node, double *out, struct error *err)
{
	double number;
	int rc = json_number(node, &number, err);

	if (!rc && !(number >= 0 && number <= MAX_QUANTITY))
		rc = json_error(node, err, "expected a number from 0 to %.0f", MAX_QUANTITY);
	if (!rc)
		*out = number;
	return rc;
}

static int read_calibration(
	const struct json *root, struct calibration *calibration, struct error *err)
{
	const struct json *object = json_get(root, "calibration");
	int rc = object ? json_expect(object, JSON_OBJECT, err) : ERR_OK;

	for (size_t i = 0; object && !rc && i < CALIBRATION_COUNT; i++) {
		const struct json *pair;

		rc = json_get_array(object, calibration_names[i], &pair, err);
		if (!rc && json_length(pair) != 2)
			rc = json_error(pair, err, "expected two numbers");
		if (!rc)
			rc = read_rate(json_at(pair, 0), &calibration->ns[i], err);
		if (!rc)
			rc = read_rate(json_at(pair, 1), &calibration->spread[i], err);
	}
	return rc;
}

static int check_format(const struct json *root, struct error *err)
{
	int64_t format;
	int rc = json_expect(root, JSON_OBJECT, err);

	if (!rc)
		rc = json_get_int64(root, "format", &format, err);
	if (!rc && format != RECORDING_FORMAT)
		rc = json_error(json_get(root, "format"), err,
			"is %lld, this flamegate reads format %d", (long long)format,
			RECORDING_FORMAT);
	return rc;
}

/* Reports and file names are made from it. */
static int check_arm(const struct json *root, const char *arm, struct error *err)
{
	static const char *const arms[] = {"base", "head", "record", "run"};

	for (size_t i = 0; i < COUNT(arms); i++)
		if (strcmp(arm, arms[i]) == 0)
			return ERR_OK;
	return json_error(
		json_get(root, "arm"), err, "expected \"base\", \"head\", \"record\" or \"run\"");
}

/* A file is called after it. */
static int check_type(const struct json *root, const char *type, struct error *err)
{
	if (recording_type_is_valid(type))
		return ERR_OK;
	return json_error(json_get(root, "profile_type"), err,
		"expected a name of lower-case letters, digits and '_'");
}

int recording_read_members(const struct json *root, struct recording *recording, struct error *err)
{
	struct arena *arena = &recording->arena;
	int rc;

	recording->profile_type = RECORDING_TYPE_CPU;
	recording->branch = recording->fingerprint.compiler = recording->fingerprint.build_hash =
		"";
	rc = read_fields(root, recording_fields, COUNT(recording_fields), arena, recording, err);
	if (!rc)
		rc = check_arm(root, recording->arm, err);
	if (!rc)
		rc = check_type(root, recording->profile_type, err);
	if (!rc)
		rc = read_time(root, &recording->time_ns, err);
	if (!rc)
		rc = read_calibration(root, &recording->calibration, err);
	if (!rc)
		rc = read_seed(root, &recording->seed, err);
	if (!rc)
		rc = read_group(root, "fingerprint", fingerprint_fields, COUNT(fingerprint_fields),
			arena, &recording->fingerprint, err);
	return rc ? rc : read_warnings(root, recording, err);
}

static int read_all(const struct json *root, struct recording *recording, struct error *err)
{
	int rc = check_format(root, err);

	if (!rc)
		rc = recording_read_members(root, recording, err);
	if (!rc)
		rc = read_group(root, "policy", policy_fields, COUNT(policy_fields),
			&recording->arena, &recording->policy, err);
	return rc ? rc : read_blocks(root, recording, err);
}

int recording_decode(
	const void *data, size_t length, struct recording *recording, struct error *err)
{
	struct json *root;
	int rc = json_parse(data, length, RECORDING_JSON_NAME, NULL, &root, err);

	if (rc)
		return rc;
	rc = read_all(root, recording, err);
	json_free(root);
	return rc;
}
