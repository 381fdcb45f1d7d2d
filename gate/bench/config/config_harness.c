/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of a benchmark whose program holds many: its harness, and which of them count. */
#include "gate/bench/config/config_values.h"

#include <string.h>

#include "gate/base/error.h"

#define MAX_GLOBS 200
#define MAX_GLOB_BYTES 300

const char *const config_harness_names[CONFIG_HARNESS_COUNT] = {
	[CONFIG_HARNESS_AUTO] = "auto",
	[CONFIG_HARNESS_NONE] = "none",
	[CONFIG_HARNESS_GOOGLE] = "google-benchmark",
	[CONFIG_HARNESS_CATCH2] = "catch2",
	[CONFIG_HARNESS_NANOBENCH] = "nanobench",
	[CONFIG_HARNESS_CRITERION] = "criterion",
	[CONFIG_HARNESS_DIVAN] = "divan",
	[CONFIG_HARNESS_GO] = "go",
};

#define HARNESS_SHAPE "auto, none, google-benchmark, catch2, nanobench, criterion, divan, or go"

static int parse_harness(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	for (int i = 0; value->kind == YAML_SCALAR && i < CONFIG_HARNESS_COUNT; i++) {
		if (strcmp(value->text, config_harness_names[i]) == 0) {
			*(enum config_harness *)field = (enum config_harness)i;
			return ERR_OK;
		}
	}
	return config_fail(reader, value, "'%s' must be " HARNESS_SHAPE, path);
}

static void show_harness(const void *field, struct strbuf *out)
{
	strbuf_addstr(out, config_harness_names[*(const enum config_harness *)field]);
}

static int parse_globs(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char **list = arena_array(reader->arena, value->count + 1, sizeof(*list));
	size_t count = 0;

	if (value->kind != YAML_LIST || value->count > MAX_GLOBS)
		return config_fail(reader, value,
			"'%s' must be a list of at most %d globs, such as [\"parse/*\"]", path,
			MAX_GLOBS);
	for (const struct yaml_node *item = value->first; item; item = item->next) {
		int rc = config_text(reader, item, path, &list[count]);

		if (rc)
			return rc;
		if (strlen(list[count++]) > MAX_GLOB_BYTES)
			return config_fail(
				reader, item, "a glob has at most %d bytes", MAX_GLOB_BYTES);
	}
	*(const char *const **)field = list;
	return ERR_OK;
}

static void show_globs(const void *field, struct strbuf *out)
{
	config_show_list(*(const char *const *const *)field, out);
}

const struct config_type config_type_harness = {HARNESS_SHAPE, parse_harness, show_harness, true};
const struct config_type config_type_globs = {"a list of globs", parse_globs, show_globs, false};
