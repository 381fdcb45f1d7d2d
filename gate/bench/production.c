/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/production.h"

#include <math.h>
#include <string.h>

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

static bool is_named(const struct production_share *share, const char *name, const char *key)
{
	return strcmp(share->name, name) == 0 || strcmp(share->key, key) == 0;
}

double production_find(
	const struct production *production, const char *name, const char *key, const char *file)
{
	const char *first = NULL;
	double all = 0, here = 0;
	bool is_ambiguous = false, is_here = false;

	for (size_t i = 0; i < production->count; i++) {
		const struct production_share *share = &production->shares[i];

		if (!is_named(share, name, key))
			continue;
		is_ambiguous |= first && strcmp(first, share->file) != 0;
		first = share->file;
		all += share->share;
		if (is_same_file(share->file, file)) {
			here += share->share;
			is_here = true;
		}
	}
	if (!is_ambiguous)
		return all < 1 ? all : 1;
	return is_here ? fmin(here, 1) : NAN;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

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
		json_object_end(json);
	}
	json_array_end(json);
}

static int read_share(const struct json *object, struct arena *arena, struct production_share *out,
	struct error *err)
{
	const char *name, *key, *file;
	int rc = json_get_string(object, "name", &name, err);

	if (!rc)
		rc = json_get_string(object, "key", &key, err);
	if (!rc)
		rc = json_get_string(object, "file", &file, err);
	if (!rc)
		rc = json_get_number(object, "share", &out->share, err);
	if (!rc && !(out->share >= 0 && out->share <= 1))
		rc = json_error(json_get(object, "share"), err, "no share of a whole");
	if (rc)
		return rc;
	out->name = arena_strdup(arena, name);
	out->key = arena_strdup(arena, key);
	out->file = arena_strdup(arena, file);
	return ERR_OK;
}

int production_read_json(const struct json *object, const char *key, struct arena *arena,
	struct production *out, struct error *err)
{
	const struct json *array, *item;
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
	shares = arena_array(arena, json_length(array), sizeof(*shares));
	for (item = json_first(array); item && !rc; item = json_next(item))
		rc = read_share(item, arena, &shares[count++], err);
	if (!rc)
		*out = (struct production){.known = true, .shares = shares, .count = count};
	return rc;
}
