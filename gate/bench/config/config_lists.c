/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of values that are lists of texts: commands, variables, names. */
#include "gate/bench/config/config_values.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

void config_show_list(const char *const *list, struct strbuf *out)
{
	/* With the length before each, no two lists look alike. */
	for (; list && *list; list++)
		strbuf_addf(out, "%zu:%s ", strlen(*list), *list);
}

static void show_list(const void *field, struct strbuf *out)
{
	config_show_list(*(const char *const *const *)field, out);
}

static int parse_texts(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, const char ***list)
{
	size_t count = 0;

	*list = arena_array(reader->arena, value->count + 1, sizeof(**list));
	for (const struct yaml_node *item = value->first; item; item = item->next) {
		int rc = config_text(reader, item, path, &(*list)[count++]);

		if (rc)
			return rc;
	}
	return ERR_OK;
}

static int parse_commands(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	struct yaml_node item = *value;
	const struct yaml_node single = {.kind = YAML_LIST, .first = &item, .count = 1};
	const char **list;
	int rc;

	/* What follows it in its map is no part of the list. */
	item.next = NULL;
	if (value->kind == YAML_MAP)
		return config_fail(
			reader, value, "'%s' must be a command or a list of commands", path);
	rc = parse_texts(reader, value->kind == YAML_LIST ? value : &single, path, &list);
	if (!rc)
		*(const char *const **)field = list;
	return rc;
}

/* ---- variables ---------------------------------------------------------------------------- */

static int check_variable(
	const struct config_reader *reader, const struct yaml_node *node, const char *path)
{
	const char *name;
	int rc = config_text(reader, node, path, &name);

	if (rc)
		return rc;
	if (!strchr(LETTERS "_", *name) || name[strspn(name, LETTERS DIGITS "_")])
		return config_fail(reader, node, "%s is no name of an environment variable",
			config_quote(reader, name));
	return ERR_OK;
}

static int by_text(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Sorted, so that the order in the file means nothing. */
static void keep_sorted(const char **list, size_t count, void *field)
{
	qsort(list, count, sizeof(*list), by_text);
	*(const char *const **)field = list;
}

static int parse_environment(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char **list = arena_array(reader->arena, value->count / 2 + 1, sizeof(*list));
	size_t count = 0;

	if (value->kind != YAML_MAP)
		return config_fail(
			reader, value, "'environment' must be variables, as in 'NAME: value'");
	for (const struct yaml_node *name = value->first; name; name = name->next->next) {
		const struct yaml_node *text = name->next;
		int rc = check_variable(reader, name, path);

		if (rc)
			return rc;
		if (text->kind != YAML_SCALAR || yaml_is_null(text))
			return config_fail(reader, text,
				"the variable %s needs a text as value (\"\" for an empty one)",
				name->text);
		list[count++] = arena_printf(reader->arena, "%s=%s", name->text, text->text);
	}
	keep_sorted(list, count, field);
	return ERR_OK;
}

static int parse_names(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char **list;
	int rc = ERR_OK;

	if (value->kind != YAML_LIST)
		return config_fail(
			reader, value, "'pass' must be a list of names, such as [CC, CFLAGS]");
	for (const struct yaml_node *item = value->first; item && !rc; item = item->next)
		rc = check_variable(reader, item, path);
	if (!rc)
		rc = parse_texts(reader, value, path, &list);
	if (!rc)
		keep_sorted(list, value->count, field);
	return rc;
}

const struct config_type config_type_commands = {
	"a command or a list of commands", parse_commands, show_list, false};
const struct config_type config_type_environment = {
	"NAME: value pairs", parse_environment, show_list, false};
const struct config_type config_type_names = {"a list of names", parse_names, show_list, false};
