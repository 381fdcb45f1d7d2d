/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/recording/diff_json.h"

#define MAX_ELEMENTS 100000

static void write_hunk(struct json_writer *json, const struct repo_hunk *hunk)
{
	json_array_begin(json);
	json_write_int64(json, hunk->old_start);
	json_write_int64(json, hunk->old_lines);
	json_write_int64(json, hunk->new_start);
	json_write_int64(json, hunk->new_lines);
	json_array_end(json);
}

static void write_file(struct json_writer *json, const struct repo_file_change *file)
{
	json_object_begin(json);
	json_member_string(json, "old_path", file->old_path);
	json_member_string(json, "new_path", file->new_path);
	json_member_bool(json, "binary", file->binary);
	json_member_array(json, "hunks");
	for (size_t i = 0; i < file->hunk_count; i++)
		write_hunk(json, &file->hunks[i]);
	json_array_end(json);
	json_object_end(json);
}

void diff_write_json(struct json_writer *json, const char *key, const struct repo_diff *diff)
{
	json_member_array(json, key);
	for (size_t i = 0; i < diff->file_count; i++)
		write_file(json, &diff->files[i]);
	json_array_end(json);
}

static int read_array(
	const struct json *object, const char *key, const struct json **out, struct error *err)
{
	int rc = json_get_array(object, key, out, err);

	if (!rc && json_length(*out) > MAX_ELEMENTS)
		rc = json_error(*out, err, "more than %d elements", MAX_ELEMENTS);
	return rc;
}

static int read_path(const struct json *object, const char *key, struct arena *arena,
	const char **out, struct error *err)
{
	const char *text;
	int rc = json_get_string(object, key, &text, err);

	if (!rc)
		*out = arena_strdup(arena, text);
	return rc;
}

static int read_hunk(const struct json *array, struct repo_hunk *hunk, struct error *err)
{
	uint32_t *fields[] = {
		&hunk->old_start, &hunk->old_lines, &hunk->new_start, &hunk->new_lines};
	int64_t number;
	int rc = json_expect(array, JSON_ARRAY, err);

	if (!rc && json_length(array) != 4)
		rc = json_error(array, err, "expected four numbers");
	for (size_t i = 0; i < 4 && !rc; i++) {
		rc = json_int64(json_at(array, i), &number, err);
		if (!rc && (number < 0 || number > INT32_MAX))
			rc = json_error(array, err, "no line number");
		if (!rc)
			*fields[i] = (uint32_t)number;
	}
	return rc;
}

/* Each behind the one before, in both files: who looks for a line relies on it. */
static bool is_behind(const struct repo_hunk *hunk)
{
	const struct repo_hunk *last = hunk - 1;

	return (int64_t)hunk->old_start + !hunk->old_lines >=
		       (int64_t)last->old_start + (last->old_lines ? last->old_lines : 1) &&
	       (int64_t)hunk->new_start + !hunk->new_lines >=
		       (int64_t)last->new_start + (last->new_lines ? last->new_lines : 1);
}

static int read_file(const struct json *object, struct arena *arena, struct repo_file_change *file,
	struct error *err)
{
	const struct json *array, *item;
	struct repo_hunk *hunks;
	int rc = read_path(object, "old_path", arena, &file->old_path, err);

	if (!rc)
		rc = read_path(object, "new_path", arena, &file->new_path, err);
	if (!rc)
		rc = json_get_bool(object, "binary", &file->binary, err);
	if (!rc)
		rc = read_array(object, "hunks", &array, err);
	if (rc)
		return rc;
	hunks = arena_array(arena, json_length(array), sizeof(*hunks));
	file->hunks = hunks;
	for (item = json_first(array); item && !rc; item = json_next(item)) {
		struct repo_hunk *hunk = &hunks[file->hunk_count++];

		rc = read_hunk(item, hunk, err);
		if (!rc && hunk > hunks && !is_behind(hunk))
			rc = json_error(item, err, "the hunks are not in order");
	}
	return rc;
}

int diff_read_json(const struct json *object, const char *key, struct arena *arena,
	struct repo_diff *out, struct error *err)
{
	const struct json *array, *item;
	int rc = read_array(object, key, &array, err);

	if (rc)
		return rc;
	out->files = arena_array(arena, json_length(array), sizeof(*out->files));
	for (item = json_first(array); item && !rc; item = json_next(item))
		rc = read_file(item, arena, &out->files[out->file_count++], err);
	return rc;
}
