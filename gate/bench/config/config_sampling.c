/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of values that say what is measured, and how often. */
#include "gate/bench/config/config_values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/profile/profile_kind.h"
#include "gate/sampler/environment.h"

#define MAX_PROCESSES 64
#define MIN_SLICE_MS 5
#define MAX_SLICE_MS 1000
#define MAX_PROCESS_NAME 255

/* ---- rate --------------------------------------------------------------------------------- */

static int parse_rate(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char *text;
	char *end;
	unsigned long rate = 0;
	int rc = config_text(reader, value, path, &text);

	if (rc)
		return rc;
	if (strcmp(text, "auto") != 0) {
		rate = strtoul(text, &end, 10);
		if (text[0] < '1' || text[0] > '9' || *end || rate > FG_MAX_RATE)
			return config_fail(reader, value,
				"'rate' must be auto or a number of samples per "
				"CPU second from 1 to %d",
				FG_MAX_RATE);
	}
	*(uint32_t *)field = (uint32_t)rate;
	return ERR_OK;
}

/* Or any number of which 0 stands for auto. */
static void show_rate(const void *field, struct strbuf *out)
{
	uint32_t rate = *(const uint32_t *)field;

	if (rate)
		strbuf_addf(out, "%" PRIu32, rate);
	else
		strbuf_addstr(out, "auto");
}

/* ---- repeat ------------------------------------------------------------------------------- */

static int parse_repeat(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char *text;
	char *end;
	unsigned long repeat = 0;
	int rc = config_text(reader, value, path, &text);

	if (rc)
		return rc;
	if (strcmp(text, "auto") != 0) {
		repeat = strtoul(text, &end, 10);
		if (text[0] < '1' || text[0] > '9' || *end || repeat > CONFIG_MAX_REPEAT)
			return config_fail(reader, value,
				"'repeat' must be auto or a number of runs from 1 to %d",
				CONFIG_MAX_REPEAT);
	}
	*(uint32_t *)field = (uint32_t)repeat;
	return ERR_OK;
}

/* ---- profiles ----------------------------------------------------------------------------- */

static int unknown_profile(
	const struct config_reader *reader, const struct yaml_node *item, const char *name)
{
	return config_fail(reader, item,
		"%s cannot be checked: there are cpu, wall, heap, lock and instructions",
		config_quote(reader, name));
}

static int parse_profiles(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char **list;
	size_t count = 0;

	if (value->kind != YAML_LIST || value->count > 8)
		return config_fail(reader, value,
			"'profiles' must be a list of cpu, wall, heap, lock and instructions, such "
			"as [cpu, heap]");
	list = arena_array(reader->arena, value->count + 1, sizeof(*list));
	for (const struct yaml_node *item = value->first; item; item = item->next) {
		int rc = config_text(reader, item, path, &list[count]);

		if (rc)
			return rc;
		if (!profile_kind_find(list[count]))
			return unknown_profile(reader, item, list[count]);
		count++;
	}
	*(const char *const **)field = list;
	return ERR_OK;
}

static void show_names(const void *field, struct strbuf *out)
{
	const char *const *list = *(const char *const *const *)field;
	const char *between = "";

	strbuf_addch(out, '[');
	for (; list && *list; list++, between = ", ")
		strbuf_addf(out, "%s%s", between, *list);
	strbuf_addch(out, ']');
}

/* ---- alloc, start ------------------------------------------------------------------------- */

static int parse_word(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, const char *no, const char *yes, bool *field)
{
	const char *text;
	int rc = config_text(reader, value, path, &text);

	if (rc)
		return rc;
	if (strcmp(text, no) != 0 && strcmp(text, yes) != 0)
		return config_fail(
			reader, value, "'%s' must be %s or %s", strrchr(path, '.') + 1, no, yes);
	*field = strcmp(text, yes) == 0;
	return ERR_OK;
}

static int parse_alloc(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	return parse_word(reader, value, path, "exact", "sampled", field);
}

static void show_alloc(const void *field, struct strbuf *out)
{
	strbuf_addstr(out, *(const bool *)field ? "sampled" : "exact");
}

static int parse_start(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	return parse_word(reader, value, path, "running", "paused", field);
}

static void show_start(const void *field, struct strbuf *out)
{
	strbuf_addstr(out, *(const bool *)field ? "paused" : "running");
}

/* ---- slices ------------------------------------------------------------------------------- */

static int parse_slices(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char *text;
	char *end;
	unsigned long ms;
	int rc = config_text(reader, value, path, &text);

	if (rc)
		return rc;
	ms = text[0] >= '1' && text[0] <= '9' ? strtoul(text, &end, 10) : 0;
	if (strcmp(text, "auto") == 0)
		*(uint64_t *)field = CONFIG_SLICES_AUTO;
	else if (strcmp(text, "off") == 0)
		*(uint64_t *)field = 0;
	else if (ms >= MIN_SLICE_MS && ms <= MAX_SLICE_MS && strcmp(end, "ms") == 0)
		*(uint64_t *)field = ms * 1000000;
	else
		return config_fail(reader, value,
			"'slices' must be auto, off, or a time from %dms to %dms, such as 20ms",
			MIN_SLICE_MS, MAX_SLICE_MS);
	return ERR_OK;
}

static void show_slices(const void *field, struct strbuf *out)
{
	uint64_t ns = *(const uint64_t *)field;

	if (ns == 0 || ns == CONFIG_SLICES_AUTO)
		strbuf_addstr(out, ns ? "auto" : "off");
	else
		strbuf_addf(out, "%" PRIu64 "ms", ns / 1000000);
}

/* ---- processes ---------------------------------------------------------------------------- */

static int parse_process_list(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, const char **list)
{
	size_t count = 0;

	for (const struct yaml_node *item = value->first; item; item = item->next) {
		int rc = config_text(reader, item, path, &list[count]);

		if (rc)
			return rc;
		if (strchr(list[count], '/') || strlen(list[count]) > MAX_PROCESS_NAME)
			return config_fail(reader, item,
				"%s is no program's name (without folders, as in [server])",
				config_quote(reader, list[count]));
		count++;
	}
	return ERR_OK;
}

static int parse_processes(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char **list;
	int rc = ERR_OK;

	if (value->kind == YAML_SCALAR && strcmp(value->text, "auto") == 0) {
		*(const char *const **)field = NULL;
		return ERR_OK;
	}
	if (value->kind == YAML_SCALAR && strcmp(value->text, "all") == 0) {
		list = arena_array(reader->arena, 1, sizeof(*list));
	} else {
		if (value->kind != YAML_LIST || !value->count || value->count > MAX_PROCESSES)
			return config_fail(reader, value,
				"'processes' must be auto, all, or a list of "
				"programs' names, such as [server]");
		list = arena_array(reader->arena, value->count + 1, sizeof(*list));
		rc = parse_process_list(reader, value, path, list);
	}
	if (!rc)
		*(const char *const **)field = list;
	return rc;
}

static void show_processes(const void *field, struct strbuf *out)
{
	const char *const *list = *(const char *const *const *)field;

	if (!list)
		strbuf_addstr(out, "auto");
	else if (!list[0])
		strbuf_addstr(out, "all");
	else
		config_show_list(list, out);
}

const struct config_type config_type_rate = {"auto or a number", parse_rate, show_rate, true};
const struct config_type config_type_repeat = {"auto or a number", parse_repeat, show_rate, true};
const struct config_type config_type_profiles = {
	"a list of cpu, heap, instructions", parse_profiles, show_names, true};
const struct config_type config_type_alloc = {"exact or sampled", parse_alloc, show_alloc, true};
const struct config_type config_type_slices = {
	"auto, off or a time such as 20ms", parse_slices, show_slices, true};
const struct config_type config_type_start = {"running or paused", parse_start, show_start, true};
const struct config_type config_type_processes = {
	"auto, all, or a list of names", parse_processes, show_processes, false};
