/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/recording/production_shares.h"

#include <math.h>
#include <string.h>

#include "gate/base/error.h"

/* A build elsewhere has other folders above the repository: "src/a.c" is "/build/src/a.c". */
static bool ends_with_path(const char *path, const char *tail)
{
	size_t length = strlen(path), tail_length = strlen(tail);

	if (!tail_length || tail_length > length || strcmp(path + length - tail_length, tail) != 0)
		return false;
	return tail_length == length || path[length - tail_length - 1] == '/';
}

static bool is_same_file(const char *a, const char *b)
{
	return ends_with_path(a, b) || ends_with_path(b, a);
}

static bool is_named(
	const struct production_share *share, const struct production_function *function)
{
	return strcmp(share->name, function->name) == 0 || strcmp(share->key, function->key) == 0;
}

/* Which of the shares are the function's. */
struct picking {
	const struct production_function *function;
	bool by_file; /* several files have the name */
};

static bool is_picked(const struct picking *picking, const struct production_share *share)
{
	return is_named(share, picking->function) &&
	       (!picking->by_file || is_same_file(share->file, picking->function->file));
}

/* False: of several files none is the function's. */
static bool pick(const struct production *production, const struct production_function *function,
	struct picking *out)
{
	const char *first = NULL;
	bool is_here = false;

	*out = (struct picking){.function = function};
	for (size_t i = 0; i < production->count; i++) {
		const struct production_share *share = &production->shares[i];

		if (!is_named(share, function))
			continue;
		out->by_file |= first && strcmp(first, share->file) != 0;
		first = share->file;
		is_here |= is_same_file(share->file, function->file);
	}
	return !out->by_file || is_here;
}

double production_self(
	const struct production *production, const struct production_function *function)
{
	struct picking picking;
	double sum = 0;

	if (!pick(production, function, &picking))
		return NAN;
	for (size_t i = 0; i < production->count; i++)
		if (is_picked(&picking, &production->shares[i]))
			sum += production->shares[i].share;
	return fmin(sum, 1);
}

double production_total(
	const struct production *production, const struct production_function *function)
{
	struct picking picking;
	double sum = 0;

	if (!pick(production, function, &picking))
		return NAN;
	for (size_t i = 0; i < production->count; i++)
		if (is_picked(&picking, &production->shares[i]))
			sum += production->shares[i].total;
	return sum < 1 || isnan(sum) ? sum : 1;
}

double production_called(const struct production *production,
	const struct production_function *caller, const struct production_function *function)
{
	struct picking by, of;
	double sum = 0;

	if (!pick(production, caller, &by) || !pick(production, function, &of))
		return NAN;
	for (size_t i = 0; i < production->count; i++) {
		const struct production_share *from = &production->shares[i];

		for (size_t k = 0; is_picked(&by, from) && k < from->call_count; k++)
			if (is_picked(&of, &production->shares[from->calls[k].callee]))
				sum += from->calls[k].share;
	}
	return fmin(sum, 1);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void write_calls(struct json_writer *json, const struct production_share *share)
{
	if (!share->call_count)
		return;
	json_member_array(json, "calls");
	for (size_t i = 0; i < share->call_count; i++)
		json_write_int64(json, share->calls[i].callee);
	json_array_end(json);
	json_member_array(json, "call_shares");
	for (size_t i = 0; i < share->call_count; i++)
		json_write_double(json, share->calls[i].share);
	json_array_end(json);
}

void production_write_json(
	struct json_writer *json, const char *key, const struct production *production)
{
	if (!production->known)
		return;
	json_member_array(json, key);
	for (size_t i = 0; i < production->count; i++) {
		const struct production_share *share = &production->shares[i];

		json_object_begin(json);
		json_member_string(json, "name", share->name);
		json_member_string(json, "key", share->key);
		json_member_string(json, "file", share->file);
		json_member_double(json, "share", share->share);
		if (!isnan(share->total))
			json_member_double(json, "total", share->total);
		write_calls(json, share);
		json_object_end(json);
	}
	json_array_end(json);
}

static int check_fraction(const struct json *node, double number, struct error *err)
{
	return number >= 0 && number <= 1 ? ERR_OK : json_error(node, err, "no share of a whole");
}

static int read_fraction(const struct json *object, const char *key, double *out, struct error *err)
{
	int rc = json_get_number(object, key, out, err);

	return rc ? rc : check_fraction(json_get(object, key), *out, err);
}

/* What the text in hand may still hold, and how many shares there are. */
struct reading {
	struct arena *arena;
	size_t count, calls_left;
};

static int read_call(const struct json *callee, const struct json *share, size_t count,
	struct production_call *out, struct error *err)
{
	double place;
	int rc = json_number(callee, &place, err);

	if (!rc && !(place >= 0 && place < (double)count && place == floor(place)))
		rc = json_error(callee, err, "no place among the %zu", count);
	if (!rc)
		rc = json_number(share, &out->share, err);
	if (!rc)
		rc = check_fraction(share, out->share, err);
	if (!rc)
		out->callee = (uint32_t)place;
	return rc;
}

/* Only since later; before there were none. */
static int read_calls(const struct json *object, struct reading *reading,
	struct production_share *out, struct error *err)
{
	const struct json *callees, *shares, *callee, *share;
	struct production_call *calls;
	int rc;

	if (!json_get(object, "calls"))
		return ERR_OK;
	rc = json_get_array(object, "calls", &callees, err);
	if (!rc)
		rc = json_get_array(object, "call_shares", &shares, err);
	if (!rc && json_length(shares) != json_length(callees))
		rc = json_error(shares, err, "expected %zu entries", json_length(callees));
	if (!rc && json_length(callees) > reading->calls_left)
		rc = json_error(callees, err, "more than %d in all", PRODUCTION_MAX_CALLS);
	if (rc)
		return rc;
	reading->calls_left -= json_length(callees);
	out->calls = calls = arena_array(reading->arena, json_length(callees), sizeof(*calls));
	callee = json_first(callees);
	share = json_first(shares);
	for (; callee && !rc; callee = json_next(callee), share = json_next(share))
		rc = read_call(callee, share, reading->count, &calls[out->call_count++], err);
	return rc;
}

static int read_share(const struct json *object, struct reading *reading,
	struct production_share *out, struct error *err)
{
	const char *name, *key, *file;
	int rc = json_get_string(object, "name", &name, err);

	if (!rc)
		rc = json_get_string(object, "key", &key, err);
	if (!rc)
		rc = json_get_string(object, "file", &file, err);
	if (!rc)
		rc = read_fraction(object, "share", &out->share, err);
	out->total = NAN;
	if (!rc && json_get(object, "total"))
		rc = read_fraction(object, "total", &out->total, err);
	if (!rc)
		rc = read_calls(object, reading, out, err);
	if (rc)
		return rc;
	out->name = arena_strdup(reading->arena, name);
	out->key = arena_strdup(reading->arena, key);
	out->file = arena_strdup(reading->arena, file);
	return ERR_OK;
}

int production_read_json(const struct json *object, const char *key, struct arena *arena,
	struct production *out, struct error *err)
{
	const struct json *array, *item;
	struct reading reading = {.arena = arena, .calls_left = PRODUCTION_MAX_CALLS};
	struct production_share *shares;
	size_t count = 0;
	int rc;

	if (!json_get(object, key))
		return ERR_OK;
	rc = json_get_array(object, key, &array, err);
	if (!rc && json_length(array) > PRODUCTION_MAX_SHARES)
		rc = json_error(array, err, "more than %d elements", PRODUCTION_MAX_SHARES);
	if (rc)
		return rc;
	reading.count = json_length(array);
	shares = arena_array(arena, reading.count, sizeof(*shares));
	for (item = json_first(array); item && !rc; item = json_next(item))
		rc = read_share(item, &reading, &shares[count++], err);
	if (!rc)
		*out = (struct production){.known = true, .shares = shares, .count = count};
	return rc;
}
