/* SPDX-License-Identifier: Apache-2.0 */
/* accept and policy.accept_by: which regressions may pass, and who may say so. */
#include "gate/base/error.h"
#include "gate/bench/config/config_schema.h"
#include "gate/bench/config/config_values.h"

#include <string.h>

#define MAX_ACCEPTANCES 1000
#define MAX_ACCEPT_BY 100
#define IN_ACCEPT "accept[]."

/* ---- accept_by ---------------------------------------------------------------------------- */

static bool may_accept(const char *text)
{
	return strcmp(text, CONFIG_ACCEPT_CONFIG) == 0 ||
	       strcmp(text, CONFIG_ACCEPT_TRAILER) == 0 || strchr(text, '@');
}

static int parse_accept_by(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char **list;
	size_t count = 0;

	if (value->kind != YAML_LIST || value->count > MAX_ACCEPT_BY)
		return config_fail(reader, value,
			"'accept_by' must be a list of config, trailer and committers' addresses");
	list = arena_array(reader->arena, value->count + 1, sizeof(*list));
	for (const struct yaml_node *item = value->first; item; item = item->next) {
		int rc = config_text(reader, item, path, &list[count]);

		if (rc)
			return rc;
		if (!may_accept(list[count]))
			return config_fail(reader, item,
				"%s can accept nothing: there are config (an entry of 'accept' in "
				"this file), trailer (a line of any commit's message) and "
				"addresses of committers whose trailers count",
				config_quote(reader, list[count]));
		count++;
	}
	*(const char *const **)field = list;
	return ERR_OK;
}

static void show_accept_by(const void *field, struct strbuf *out)
{
	config_show_list(*(const char *const *const *)field, out);
}

/* ---- an entry ------------------------------------------------------------------------------ */

static int parse_text(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	return config_text(reader, value, path, field);
}

static unsigned days_of(unsigned year, unsigned month)
{
	static const unsigned days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

static unsigned number(const char *digits, size_t count)
{
	unsigned value = 0;

	while (count--)
		value = value * 10 + (unsigned)(*digits++ - '0');
	return value;
}

static bool is_date(const char *text)
{
	unsigned month, day;

	if (strlen(text) != 10)
		return false;
	for (size_t i = 0; i < 10; i++)
		if (i == 4 || i == 7 ? text[i] != '-' : text[i] < '0' || text[i] > '9')
			return false;
	month = number(text + 5, 2);
	day = number(text + 8, 2);
	return month >= 1 && month <= 12 && day >= 1 && day <= days_of(number(text, 4), month);
}

static int parse_date(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char *text;
	int rc = config_text(reader, value, path, &text);

	if (rc)
		return rc;
	if (!is_date(text))
		return config_fail(reader, value,
			"'until' must be the last day on which it counts, "
			"such as 2026-12-31; this is %s",
			config_quote(reader, text));
	*(const char **)field = text;
	return ERR_OK;
}

static int parse_metric(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	struct strbuf names = STRBUF_INIT;
	const char *text;
	int rc = config_text(reader, value, path, &text);

	if (rc)
		return rc;
	if (metric_find(text) != METRIC_COUNT) {
		*(const char **)field = text;
		return ERR_OK;
	}
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", metrics[i].name);
	rc = config_fail(reader, value, "there is no metric %s (there are: %s)",
		config_quote(reader, text), names.data);
	strbuf_release(&names);
	return rc;
}

/* ---- the list ------------------------------------------------------------------------------ */

static int parse_acceptances(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	struct config_acceptances *list = field;
	struct config_acceptance *items;
	int rc = ERR_OK;

	(void)path;
	if (value->kind != YAML_LIST || value->count > MAX_ACCEPTANCES)
		return config_fail(reader, value,
			"'accept' must be a list of at most %d entries, "
			"each with benchmark, reason and until",
			MAX_ACCEPTANCES);
	items = arena_array(reader->arena, value->count, sizeof(*items));
	list->items = items;
	list->count = 0;
	for (const struct yaml_node *node = value->first; node && !rc; node = node->next) {
		struct config_acceptance *entry = &items[list->count++];

		entry->function = entry->metric = "";
		entry->line = node->line;
		rc = config_read_map(reader, node, IN_ACCEPT, entry);
		if (!rc && *entry->function && *entry->metric)
			rc = config_fail(reader, node,
				"an acceptance names a function or a metric, not both");
	}
	return rc;
}

static void show_acceptances(const void *field, struct strbuf *out)
{
	const struct config_acceptances *list = field;

	for (size_t i = 0; i < list->count; i++) {
		const struct config_acceptance *entry = &list->items[i];
		const char *const texts[] = {entry->benchmark, entry->function, entry->metric,
			entry->reason, entry->until, NULL};

		config_show_list(texts, out);
	}
}

const struct config_type config_type_accept_by = {
	"a list of config, trailer, addresses", parse_accept_by, show_accept_by, false};
const struct config_type config_type_acceptances = {
	"a list", parse_acceptances, show_acceptances, false};
const struct config_type config_type_text = {"a text", parse_text, NULL, false};
const struct config_type config_type_metric = {
	"a metric such as max_rss", parse_metric, NULL, false};
const struct config_type config_type_date = {"a date such as 2026-12-31", parse_date, NULL, false};
