/* SPDX-License-Identifier: Apache-2.0 */
/* recording.json, read: it may come from anywhere, so every value is checked. */
#include "gate/bench/recording/recording_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/bench/machine/calibration.h"
#include "gate/bench/recording/diff_json.h"
#include "gate/bench/recording/production_shares.h"
#include "gate/bench/recording/recording.h"
#include "gate/bench/recording/recording_fields.h"
#include "gate/net/json.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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

static int read_metric(const struct json *object, const struct field *field, bool whole,
	double *out, struct error *err)
{
	double number;
	int rc = json_get_number(object, field->key, &number, err);

	if (rc)
		return rc;
	if (!(number >= field->least && number <= field->most) ||
		(whole && number != floor(number)))
		return json_error(json_get(object, field->key), err,
			"expected a%s number from %.0f to %.0f", whole ? " whole" : "",
			field->least, field->most);
	*out = number;
	return ERR_OK;
}

static int unknown_word(const struct json *node, const char *const *words, struct error *err)
{
	struct strbuf known = STRBUF_INIT;
	int rc;

	for (size_t i = 0; words[i]; i++)
		strbuf_addf(&known, "%s\"%s\"", i ? " or " : "", words[i]);
	rc = json_error(node, err, "expected %s", known.data);
	strbuf_release(&known);
	return rc;
}

static int read_word(
	const struct json *object, const struct field *field, unsigned *out, struct error *err)
{
	const char *text;
	int rc = json_get_string(object, field->key, &text, err);

	if (rc)
		return rc;
	for (unsigned i = 0; field->words[i]; i++)
		if (strcmp(text, field->words[i]) == 0) {
			*out = i;
			return ERR_OK;
		}
	return unknown_word(json_get(object, field->key), field->words, err);
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
		rc = read_metric(object, field, field->kind != FIELD_DOUBLE, &number, err);
		if (!rc)
			store_number(field->kind, number, to);
		return rc;
	}
}

static int read_fields(const struct json *object, const struct field_list *fields,
	struct arena *arena, void *to, struct error *err)
{
	int rc = ERR_OK;

	for (size_t i = 0; !rc && i < fields->count; i++) {
		const struct field *field = &fields->items[i];

		if (!field->optional || json_get(object, field->key))
			rc = read_field(object, field, arena, to, err);
	}
	return rc;
}

static int read_group(const struct json *root, const char *key, const struct field_list *fields,
	struct arena *arena, void *to, struct error *err)
{
	const struct json *object;
	int rc = json_get_object(root, key, &object, err);

	return rc ? rc : read_fields(object, fields, arena, to, err);
}

static int read_rounds(const struct json *root, struct recording *recording, struct error *err)
{
	const struct json *array, *node;
	int rc = json_get_array(root, "rounds", &array, err);
	size_t i = 0;

	if (rc)
		return rc;
	if (json_length(array) > RECORDING_MAX_ROUNDS)
		return json_error(array, err, "has more than %d rounds", RECORDING_MAX_ROUNDS);
	recording->round_count = json_length(array);
	recording->rounds =
		arena_array(&recording->arena, recording->round_count, sizeof(*recording->rounds));
	for (node = json_first(array); !rc && node; node = json_next(node)) {
		rc = json_expect(node, JSON_OBJECT, err);
		if (!rc)
			rc = read_fields(node, &round_fields, &recording->arena,
				&recording->rounds[i++], err);
	}
	return rc;
}

static int read_lines(const struct json *root, const char *key, struct arena *arena,
	const char ***items, size_t *count, struct error *err)
{
	const struct json *array, *node;
	const char **lines;
	size_t i = 0;
	int rc = json_get_array(root, key, &array, err);

	if (rc)
		return rc;
	if (json_length(array) > RECORDING_MAX_WARNINGS)
		return json_error(array, err, "has more than %d entries", RECORDING_MAX_WARNINGS);
	lines = arena_array(arena, json_length(array), sizeof(*lines));
	for (node = json_first(array); !rc && node; node = json_next(node))
		rc = read_text(arena, node, &lines[i++], err);
	if (rc)
		return rc;
	*items = lines;
	*count = i;
	return ERR_OK;
}

static int read_acceptances(const struct json *object, struct arena *arena,
	struct recording_context *context, struct error *err)
{
	struct recording_acceptance *acceptances;
	const struct json *array, *node;
	int rc = json_get_array(object, "accept", &array, err);

	if (rc)
		return rc;
	if (json_length(array) > RECORDING_MAX_ACCEPTANCES)
		return json_error(
			array, err, "has more than %d entries", RECORDING_MAX_ACCEPTANCES);
	acceptances = arena_array(arena, json_length(array), sizeof(*acceptances));
	context->acceptances = acceptances;
	for (node = json_first(array); !rc && node; node = json_next(node)) {
		struct recording_acceptance *next = &acceptances[context->acceptance_count++];

		next->metric = "";
		rc = read_fields(node, &acceptance_fields, arena, next, err);
	}
	return rc;
}

/* Only what a check measured has one, and only since later. */
static int read_context(const struct json *root, struct recording *recording, struct error *err)
{
	struct recording_context context = {0};
	struct arena *arena = &recording->arena;
	const struct json *object;
	int rc;

	if (!json_get(root, "check"))
		return ERR_OK;
	rc = json_get_object(root, "check", &object, err);
	if (!rc)
		rc = read_fields(object, &context_fields, arena, &context, err);
	for (size_t i = 0; i < CONTEXT_LINES && !rc; i++) {
		struct recording_lines *lines = context_lines_of(&context, i);

		rc = read_lines(
			object, context_line_keys[i], arena, &lines->items, &lines->count, err);
	}
	if (!rc)
		rc = read_acceptances(object, arena, &context, err);
	if (!rc)
		rc = diff_read_json(object, "diff", arena, &context.diff, err);
	if (!rc)
		rc = production_read_json(object, "production", arena, &context.production, err);
	if (!rc)
		recording->context = context;
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

	if (!rc && !(number >= 0 && number <= MAX_METRIC))
		rc = json_error(node, err, "expected a number from 0 to %.0f", MAX_METRIC);
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

/* Only head's counts in a check have it, and only since later. */
static int read_history(const struct json *root, struct recording *recording, struct error *err)
{
	const struct json *array, *node;
	double *history;
	size_t count = 0;
	int rc;

	if (!json_get(root, "history"))
		return ERR_OK;
	rc = json_get_array(root, "history", &array, err);
	if (rc)
		return rc;
	if (json_length(array) > RECORDING_MAX_HISTORY)
		return json_error(array, err, "has more than %d entries", RECORDING_MAX_HISTORY);
	history = arena_array(&recording->arena, json_length(array), sizeof(*history));
	for (node = json_first(array); !rc && node; node = json_next(node))
		rc = read_rate(node, &history[count++], err);
	if (rc)
		return rc;
	recording->history = history;
	recording->history_count = count;
	return ERR_OK;
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
static int check_role(const struct json *root, const char *role, struct error *err)
{
	static const char *const roles[] = {"base", "head", "record", "run"};

	for (size_t i = 0; i < COUNT(roles); i++)
		if (strcmp(role, roles[i]) == 0)
			return ERR_OK;
	return json_error(
		json_get(root, "role"), err, "expected \"base\", \"head\", \"record\" or \"run\"");
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
	recording->branch = recording->unsliced = recording->fingerprint.compiler =
		recording->fingerprint.build_hash = "";
	rc = read_fields(root, &recording_fields, arena, recording, err);
	if (!rc)
		rc = check_role(root, recording->role, err);
	if (!rc)
		rc = check_type(root, recording->profile_type, err);
	if (!rc)
		rc = read_time(root, &recording->time_ns, err);
	if (!rc)
		rc = read_calibration(root, &recording->calibration, err);
	if (!rc)
		rc = read_seed(root, &recording->seed, err);
	if (!rc)
		rc = read_group(root, "fingerprint", &fingerprint_fields, arena,
			&recording->fingerprint, err);
	return rc ? rc
		  : read_lines(root, "warnings", arena, &recording->warnings,
			    &recording->warning_count, err);
}

static int read_all(const struct json *root, struct recording *recording, struct error *err)
{
	int rc = check_format(root, err);

	if (!rc)
		rc = recording_read_members(root, recording, err);
	if (!rc)
		rc = read_group(
			root, "policy", &policy_fields, &recording->arena, &recording->policy, err);
	if (!rc)
		rc = read_context(root, recording, err);
	if (!rc)
		rc = read_history(root, recording, err);
	if (!rc)
		rc = read_rounds(root, recording, err);
	if (!rc)
		rc = recording_read_memory(root, recording, err);
	if (!rc)
		rc = recording_read_calls(root, recording, err);
	return rc ? rc : recording_read_code(root, recording, err);
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
