/* SPDX-License-Identifier: Apache-2.0 */
/* recording.json: what is known of the functions' machine code. */
#include "gate/bench/recording/recording_json.h"

#include <string.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/bench/recording/recording.h"
#include "gate/profile/code/code_callee.h"
#include "gate/profile/code/function_names.h"

/* ---- written ------------------------------------------------------------------------------- */

static bool has_shapes(const struct recording *recording)
{
	for (size_t i = 0; i < recording->code_count; i++)
		if (recording->code[i].shape)
			return true;
	return false;
}

/* Beside the code, not in it: earlier flamegates take only what they know there. */
static void write_shapes(struct json_writer *writer, const struct recording *recording)
{
	if (!has_shapes(recording))
		return;
	json_member_array(writer, "code_shapes");
	for (size_t i = 0; i < recording->code_count && i < RECORDING_MAX_CODE; i++) {
		const struct recording_code *code = &recording->code[i];

		if (!code->shape)
			continue;
		json_array_begin(writer);
		json_write_uint64(writer, code->function);
		json_write_string(writer, code->shape);
		json_write_string(writer, code->callees);
		json_array_end(writer);
	}
	json_array_end(writer);
}

static void write_names(struct json_writer *writer, const struct function_names *names)
{
	if (!names->count)
		return;
	json_member_object(writer, "function_names");
	json_member_bool(writer, "complete", names->complete);
	json_member_string(writer, "digits", names->digits);
	json_object_end(writer);
}

void recording_write_code(struct json_writer *writer, const struct recording *recording)
{
	json_member_array(writer, "code");
	for (size_t i = 0; i < recording->code_count && i < RECORDING_MAX_CODE; i++) {
		json_array_begin(writer);
		json_write_uint64(writer, recording->code[i].function);
		json_write_string(writer, recording->code[i].hash);
		json_write_uint64(writer, recording->code[i].bytes);
		json_array_end(writer);
	}
	json_array_end(writer);
	write_shapes(writer, recording);
	write_names(writer, &recording->names);
}

/* ---- read ---------------------------------------------------------------------------------- */

static int read_whole(const struct json *node, int64_t most, int64_t *out, struct error *err)
{
	int64_t number = 0;
	int rc = json_int64(node, &number, err);

	if (!rc && (number < 0 || number > most))
		return json_error(
			node, err, "expected a whole number from 0 to %lld", (long long)most);
	if (!rc)
		*out = number;
	return rc;
}

/* An array of three, the first a function; they come in the functions' order. */
static int read_function(
	const struct json *entry, int64_t least, int64_t *function, struct error *err)
{
	int rc = json_expect(entry, JSON_ARRAY, err);

	if (!rc && json_length(entry) != 3)
		rc = json_error(entry, err, "expected three elements");
	if (!rc)
		rc = read_whole(json_at(entry, 0), UINT32_MAX - 1, function, err);
	if (!rc && *function < least)
		rc = json_error(entry, err, "is not in the functions' order");
	return rc;
}

static int read_hash(
	const struct json *node, struct arena *arena, const char **out, struct error *err)
{
	const char *hash = "";
	int rc = json_string(node, &hash, err);

	if (!rc && (strlen(hash) != RECORDING_CODE_DIGITS ||
			   strspn(hash, "0123456789abcdef") != RECORDING_CODE_DIGITS))
		rc = json_error(node, err, "expected %d hexadecimal digits", RECORDING_CODE_DIGITS);
	if (!rc)
		*out = arena_strdup(arena, hash);
	return rc;
}

/* An optional array: earlier recordings do not have it. */
static int get_list(const struct json *root, const char *key, size_t most,
	const struct json **array, struct error *err)
{
	int rc;

	*array = json_get(root, key);
	if (!*array)
		return ERR_OK;
	rc = json_expect(*array, JSON_ARRAY, err);
	if (!rc && json_length(*array) > most)
		rc = json_error(*array, err, "has more than %zu entries", most);
	return rc;
}

static int read_callees(
	const struct json *node, struct arena *arena, const char **out, struct error *err)
{
	const char *callees = "";
	int rc = json_string(node, &callees, err);

	if (!rc && (!callees[0] || !code_callees_are_valid(callees, strlen(callees))))
		rc = json_error(node, err,
			"expected %d hexadecimal digits for each of 1 to %d callees",
			CODE_CALLEE_DIGITS, CODE_MAX_CALLEES);
	if (!rc)
		*out = arena_strdup(arena, callees);
	return rc;
}

static int read_shape(const struct json *node, struct recording *recording,
	struct recording_code *code, struct error *err)
{
	const char *shape, *callees;
	int rc = read_hash(json_at(node, 1), &recording->arena, &shape, err);

	if (!rc)
		rc = read_callees(json_at(node, 2), &recording->arena, &callees, err);
	if (rc)
		return rc;
	code->shape = shape;
	code->callees = callees;
	return ERR_OK;
}

/* Of functions whose code is known. */
static int read_shapes(const struct json *root, struct recording *recording, struct error *err)
{
	const struct json *array, *node;
	int64_t function = 0, least = 0;
	size_t next = 0;
	int rc = get_list(root, "code_shapes", RECORDING_MAX_CODE, &array, err);

	for (node = rc || !array ? NULL : json_first(array); !rc && node; node = json_next(node)) {
		rc = read_function(node, least, &function, err);
		while (!rc && next < recording->code_count &&
			recording->code[next].function < function)
			next++;
		if (!rc && (next == recording->code_count ||
				   recording->code[next].function != function))
			rc = json_error(node, err, "is of a function without code");
		if (!rc)
			rc = read_shape(node, recording, &recording->code[next], err);
		least = function + 1;
	}
	return rc;
}

static int read_hashes(const struct json *root, struct recording *recording, struct error *err)
{
	const struct json *array, *node;
	int64_t function = 0, least = 0, bytes = 0;
	int rc = get_list(root, "code", RECORDING_MAX_CODE, &array, err);

	if (rc || !array)
		return rc;
	recording->code =
		arena_array(&recording->arena, json_length(array), sizeof(*recording->code));
	for (node = json_first(array); !rc && node; node = json_next(node)) {
		struct recording_code *code = &recording->code[recording->code_count];

		rc = read_function(node, least, &function, err);
		if (!rc)
			rc = read_hash(json_at(node, 1), &recording->arena, &code->hash, err);
		if (!rc)
			rc = read_whole(json_at(node, 2), UINT32_MAX, &bytes, err);
		if (rc)
			break;
		code->function = (uint32_t)function;
		code->bytes = (uint32_t)bytes;
		recording->code_count++;
		least = function + 1;
	}
	return rc;
}

/* Only what a check or `record` measured has them, and only since later. */
static int read_names(const struct json *root, struct recording *recording, struct error *err)
{
	const struct json *object;
	const char *digits;
	bool complete;
	int rc;

	if (!json_get(root, "function_names"))
		return ERR_OK;
	rc = json_get_object(root, "function_names", &object, err);
	if (!rc)
		rc = json_get_bool(object, "complete", &complete, err);
	if (!rc)
		rc = json_get_string(object, "digits", &digits, err);
	if (!rc && !function_names_are_valid(digits, strlen(digits)))
		rc = json_error(json_get(object, "digits"), err,
			"expected ascending entries of %d hexadecimal digits, at most %d of them",
			FUNCTION_NAME_DIGITS, FUNCTION_NAMES_MAX);
	if (!rc)
		recording->names =
			(struct function_names){.digits = arena_strdup(&recording->arena, digits),
				.count = strlen(digits) / FUNCTION_NAME_DIGITS,
				.complete = complete};
	return rc;
}

int recording_read_code(const struct json *root, struct recording *recording, struct error *err)
{
	int rc = read_hashes(root, recording, err);

	if (!rc)
		rc = read_shapes(root, recording, err);
	return rc ? rc : read_names(root, recording, err);
}

int recording_check_code(const struct recording *recording, struct error *err)
{
	size_t count = recording->profile->function_count, last = recording->code_count;

	/* In order: the last is the largest. */
	if (!last || recording->code[last - 1].function < count)
		return ERR_OK;
	return error_set(err, ERR_CORRUPT,
		RECORDING_JSON_NAME " tells of function %u, but the profile has %zu",
		recording->code[last - 1].function + 1, count);
}
