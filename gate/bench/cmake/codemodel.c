/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/cmake/codemodel.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/strbuf.h"
#include "gate/bench/untrusted_file.h"
#include "gate/net/json.h"

#define REPLY_FOLDER ".cmake/api/v1/reply"
#define MAX_NAME_BYTES 300
#define MAX_ENTRIES 20000

static const struct json_limits limits = {
	.max_bytes = CODEMODEL_MAX_FILE_BYTES, .max_depth = 64, .max_values = 1000000};

struct reading {
	char *folder; /* of the answers */
	struct codemodel *model;
	size_t capacity, bytes_left;
	struct error *err;
};

/* ---- files ---------------------------------------------------------------------------------- */

static bool is_file_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/') && strlen(name) <= MAX_NAME_BYTES;
}

static int read_json(struct reading *reading, const char *name, struct json **out)
{
	struct strbuf text = STRBUF_INIT;
	size_t most =
		reading->bytes_left < limits.max_bytes ? reading->bytes_left : limits.max_bytes;
	char *path;
	int rc;

	if (!is_file_name(name))
		return error_set(reading->err, ERR_CORRUPT,
			"CMake's answer names a file in a way that is not its own");
	path = file_join(reading->folder, name);
	rc = untrusted_file_read(path, most, &text, reading->err);
	if (!rc) {
		reading->bytes_left -= text.length;
		rc = json_parse(text.data, text.length, name, &limits, out, reading->err);
	}
	strbuf_release(&text);
	free(path);
	return rc;
}

/* The last by its name is the newest. */
static int find_index(struct reading *reading, char name[MAX_NAME_BYTES + 1])
{
	DIR *folder = opendir(reading->folder);
	struct dirent *entry;
	size_t count = 0;

	*name = '\0';
	while (folder && (entry = readdir(folder)) && count++ < MAX_ENTRIES)
		if (strncmp(entry->d_name, "index-", 6) == 0 && is_file_name(entry->d_name) &&
			strcmp(entry->d_name, name) > 0)
			memcpy(name, entry->d_name, strlen(entry->d_name) + 1);
	if (folder)
		closedir(folder);
	if (*name)
		return ERR_OK;
	return error_set(
		reading->err, ERR_NOT_FOUND, "CMake has left no answer in %s", reading->folder);
}

/* ---- a target ------------------------------------------------------------------------------- */

static const char *string_of(const struct json *node, const char *otherwise)
{
	const char *text = otherwise;

	json_string(node, &text, NULL);
	return text;
}

static const char *copy(struct reading *reading, const struct json *node)
{
	return arena_strdup(&reading->model->arena, string_of(node, ""));
}

static void add_line(struct strbuf *out, const char *text)
{
	if (*text && !strchr(text, '\n'))
		strbuf_addf(out, "%s\n", text);
}

static const char *sources_of(struct reading *reading, const struct json *target)
{
	const struct json *source = json_first(json_get(target, "sources"));
	struct strbuf lines = STRBUF_INIT;
	const char *text;

	for (; source; source = json_next(source)) {
		bool is_generated = false;

		json_bool(json_get(source, "isGenerated"), &is_generated, NULL);
		if (!is_generated && json_get(source, "compileGroupIndex"))
			add_line(&lines, string_of(json_get(source, "path"), ""));
	}
	text = arena_strdup(&reading->model->arena, lines.data);
	strbuf_release(&lines);
	return text;
}

static const char *links_of(struct reading *reading, const struct json *target)
{
	const struct json *fragments = json_get(json_get(target, "link"), "commandFragments");
	struct strbuf lines = STRBUF_INIT;
	const char *text;

	for (const struct json *one = json_first(fragments); one; one = json_next(one))
		if (strcmp(string_of(json_get(one, "role"), ""), "libraries") == 0)
			add_line(&lines, string_of(json_get(one, "fragment"), ""));
	text = arena_strdup(&reading->model->arena, lines.data);
	strbuf_release(&lines);
	return text;
}

static const struct json *element(const struct json *array, const struct json *index)
{
	int64_t at;

	if (!index || json_int64(index, &at, NULL) || at < 0 || (uint64_t)at >= json_length(array))
		return NULL;
	return json_at(array, (size_t)at);
}

static void find_place(
	struct reading *reading, const struct json *target, struct codemodel_target *out)
{
	const struct json *graph = json_get(target, "backtraceGraph");
	const struct json *node = element(json_get(graph, "nodes"), json_get(target, "backtrace"));
	int64_t line = 0;

	out->file = copy(reading, element(json_get(graph, "files"), json_get(node, "file")));
	if (!json_int64(json_get(node, "line"), &line, NULL) && line > 0)
		out->line = (size_t)line;
}

static void add_target(struct reading *reading, const struct json *target)
{
	struct codemodel *model = reading->model;
	const struct json *paths = json_get(target, "paths");
	struct codemodel_target one = {.name = copy(reading, json_get(target, "name"))};

	if (strcmp(string_of(json_get(target, "type"), ""), "EXECUTABLE") != 0)
		return;
	one.output = copy(reading, json_get(json_first(json_get(target, "artifacts")), "path"));
	one.folder = copy(reading, json_get(paths, "source"));
	one.sources = sources_of(reading, target);
	one.links = links_of(reading, target);
	find_place(reading, target, &one);
	model->targets = grow_array(
		model->targets, &reading->capacity, model->count + 1, sizeof(*model->targets));
	model->targets[model->count++] = one;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static int read_target(struct reading *reading, const struct json *target)
{
	struct json *root;
	const char *name;
	int rc = json_get_string(target, "jsonFile", &name, reading->err);

	if (!rc)
		rc = read_json(reading, name, &root);
	if (rc)
		return rc;
	add_target(reading, root);
	json_free(root);
	return ERR_OK;
}

/* A generator of many configurations lists the same targets in each. */
static int read_model(struct reading *reading, const struct json *root)
{
	const struct json *first = json_first(json_get(root, "configurations"));
	const struct json *targets;
	int rc = json_get_array(first, "targets", &targets, reading->err);

	if (!rc && json_length(targets) > CODEMODEL_MAX_TARGETS)
		return error_set(reading->err, ERR_LIMIT, "CMake has more than %d targets",
			CODEMODEL_MAX_TARGETS);
	if (rc)
		return rc;
	for (const struct json *one = json_first(targets); one && !rc; one = json_next(one))
		rc = read_target(reading, one);
	return rc;
}

static int read_all(struct reading *reading)
{
	char name[MAX_NAME_BYTES + 1];
	struct json *index, *model;
	const struct json *answer;
	const char *file;
	int rc = find_index(reading, name);

	if (!rc)
		rc = read_json(reading, name, &index);
	if (rc)
		return rc;
	answer = json_get(json_get(index, "reply"), CODEMODEL_QUERY);
	rc = json_get_string(answer, "jsonFile", &file, reading->err);
	if (!rc)
		rc = read_json(reading, file, &model);
	json_free(index);
	if (rc)
		return rc;
	rc = read_model(reading, model);
	json_free(model);
	return rc;
}

int codemodel_read(const char *build_folder, struct codemodel *out, struct error *err)
{
	struct codemodel model = {.arena = ARENA_INIT};
	struct reading reading = {.folder = file_join(build_folder, REPLY_FOLDER),
		.model = &model,
		.bytes_left = CODEMODEL_MAX_BYTES,
		.err = err};
	int rc = read_all(&reading);

	free(reading.folder);
	if (rc)
		codemodel_release(&model);
	else
		*out = model;
	return rc;
}

void codemodel_release(struct codemodel *model)
{
	free(model->targets);
	arena_release(&model->arena);
	*model = (struct codemodel){.arena = ARENA_INIT};
}
