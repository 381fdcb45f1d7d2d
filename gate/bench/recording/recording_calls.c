/* SPDX-License-Identifier: Apache-2.0 */
/* The member "calls" of recording.json: how often the culprits of a regression were called. */
#include "gate/bench/recording/recording_json.h"

#include <string.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/bench/recording/call_counts.h"
#include "gate/bench/recording/recording.h"
#include "gate/bench/recording/recording_fields.h"
#include "gate/net/json.h"

#define ITEM_VALUES 5
#define ITEM_VALUES_MOST 7 /* where instructions were counted; the callee's own last */

static bool is_there(const char *text)
{
	return text && *text;
}

static bool is_counted(double instructions)
{
	return instructions > 0 && instructions <= MAX_METRIC;
}

static void write_instructions(struct json_writer *writer, const struct call_count *item)
{
	if (!is_counted(item->instructions))
		return;
	json_write_double(writer, item->instructions);
	if (is_counted(item->own_instructions))
		json_write_double(writer, item->own_instructions);
}

void recording_write_calls(struct json_writer *writer, const struct recording *recording)
{
	const struct call_counts *calls = &recording->calls;

	if (!is_there(calls->engine) && !is_there(calls->why_not))
		return;
	json_member_object(writer, "calls");
	json_member_string(writer, "engine", is_there(calls->engine) ? calls->engine : "");
	json_member_string(writer, "why_not", is_there(calls->why_not) ? calls->why_not : "");
	json_member_bool(writer, "exact", calls->exact);
	json_member_int64(writer, "runs", calls->runs);
	json_member_array(writer, "items");
	for (size_t i = 0; i < calls->count && i < CALL_COUNTS_MAX; i++) {
		const struct call_count *item = &calls->items[i];

		json_array_begin(writer);
		json_write_string(writer, item->caller);
		json_write_string(writer, item->caller_file);
		json_write_string(writer, item->callee);
		json_write_string(writer, item->callee_file);
		json_write_double(writer, item->calls);
		write_instructions(writer, item);
		json_array_end(writer);
	}
	json_array_end(writer);
	json_object_end(writer);
}

/* ---- read ---------------------------------------------------------------------------------- */

static int read_string(
	const struct json *node, struct arena *arena, const char **out, struct error *err)
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

static int read_number(const struct json *node, double *out, struct error *err)
{
	double number;
	int rc = json_number(node, &number, err);

	if (!rc && !(number >= 0 && number <= MAX_METRIC))
		rc = json_error(node, err, "expected a number from 0 to %.0f", MAX_METRIC);
	if (!rc)
		*out = number;
	return rc;
}

static int check_item(const struct json *node, const struct call_count *item,
	const struct call_count *before, struct error *err)
{
	if (!item->callee[0])
		return json_error(json_at(node, 2), err, "expected a function's name");
	if (!item->caller[0] && item->caller_file[0])
		return json_error(json_at(node, 1), err, "is the file of no caller");
	if (before && call_count_compare(before, item) >= 0)
		return json_error(node, err, "is not in the functions' order");
	return ERR_OK;
}

static int read_item(
	const struct json *node, struct arena *arena, struct call_count *item, struct error *err)
{
	const char **texts[] = {
		&item->caller, &item->caller_file, &item->callee, &item->callee_file};
	double *numbers[] = {&item->calls, &item->instructions, &item->own_instructions};
	int rc = json_expect(node, JSON_ARRAY, err);
	size_t length = rc ? 0 : json_length(node);

	if (!rc && (length < ITEM_VALUES || length > ITEM_VALUES_MOST))
		rc = json_error(
			node, err, "expected %d to %d elements", ITEM_VALUES, ITEM_VALUES_MOST);
	for (size_t i = 0; !rc && i < ITEM_VALUES - 1; i++)
		rc = read_string(json_at(node, i), arena, texts[i], err);
	for (size_t i = ITEM_VALUES - 1; !rc && i < length; i++)
		rc = read_number(json_at(node, i), numbers[i - (ITEM_VALUES - 1)], err);
	return rc;
}

static int read_items(const struct json *object, struct arena *arena, struct call_counts *calls,
	struct error *err)
{
	const struct json *array, *node;
	int rc = json_get_array(object, "items", &array, err);

	if (rc)
		return rc;
	if (json_length(array) > CALL_COUNTS_MAX)
		return json_error(array, err, "has more than %d entries", CALL_COUNTS_MAX);
	calls->items = arena_array(arena, json_length(array), sizeof(*calls->items));
	for (node = json_first(array); !rc && node; node = json_next(node)) {
		struct call_count *item = &calls->items[calls->count];

		rc = read_item(node, arena, item, err);
		if (!rc)
			rc = check_item(node, item, calls->count ? item - 1 : NULL, err);
		if (!rc)
			calls->count++;
	}
	return rc;
}

static int read_runs(const struct json *object, unsigned *out, struct error *err)
{
	int64_t number;
	int rc = json_get_int64(object, "runs", &number, err);

	if (!rc && (number < 0 || number > RECORDING_MAX_ROUNDS))
		rc = json_error(json_get(object, "runs"), err,
			"expected a whole number from 0 to %d", RECORDING_MAX_ROUNDS);
	if (!rc)
		*out = (unsigned)number;
	return rc;
}

static int check_engine(
	const struct json *object, const struct call_counts *calls, struct error *err)
{
	const char *engine = calls->engine;

	if (engine[0] && strcmp(engine, CALL_COUNTS_CALLGRIND) != 0 &&
		strcmp(engine, CALL_COUNTS_PERF) != 0)
		return json_error(json_get(object, "engine"), err,
			"expected \"" CALL_COUNTS_CALLGRIND "\", \"" CALL_COUNTS_PERF "\" or \"\"");
	if (engine[0] ? !calls->runs : calls->runs || calls->count || calls->exact)
		return json_error(object, err, "engine, runs and items do not go together");
	return ERR_OK;
}

static int read_counts(const struct json *object, struct arena *arena, struct call_counts *calls,
	struct error *err)
{
	int rc = json_get_string(object, "engine", &calls->engine, err);

	if (!rc)
		rc = read_string(json_get(object, "engine"), arena, &calls->engine, err);
	if (!rc)
		rc = json_get_string(object, "why_not", &calls->why_not, err);
	if (!rc)
		rc = read_string(json_get(object, "why_not"), arena, &calls->why_not, err);
	if (!rc)
		rc = json_get_bool(object, "exact", &calls->exact, err);
	if (!rc)
		rc = read_runs(object, &calls->runs, err);
	if (!rc)
		rc = read_items(object, arena, calls, err);
	return rc ? rc : check_engine(object, calls, err);
}

/* Only recordings of a regression have it, and only since later. */
int recording_read_calls(const struct json *root, struct recording *recording, struct error *err)
{
	struct call_counts calls = {.engine = "", .why_not = ""};
	const struct json *object;
	int rc;

	recording->calls = calls;
	if (!json_get(root, "calls"))
		return ERR_OK;
	rc = json_get_object(root, "calls", &object, err);
	if (!rc)
		rc = read_counts(object, &recording->arena, &calls, err);
	if (!rc)
		recording->calls = calls;
	return rc;
}
