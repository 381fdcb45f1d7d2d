/* SPDX-License-Identifier: Apache-2.0 */
/* `policy.gate`: what an increase of each metric does. */
#include "gate/bench/config/config_values.h"

#include <string.h>

#include "gate/base/error.h"

/* Profiles whose name stands for all that their runs tell. */
static const char *const groups[] = {"heap", "lock"};

static bool is_group(const char *name)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (strcmp(groups[i], name) == 0)
			return true;
	return false;
}

static bool is_called(const struct metric_info *metric, const char *name)
{
	return strcmp(metric->name, name) == 0 ||
	       (is_group(name) && strcmp(metric->kind, name) == 0);
}

static void add_names(struct strbuf *out)
{
	strbuf_addstr(out, "heap, lock");
	for (size_t i = 0; i < METRIC_COUNT; i++)
		strbuf_addf(out, ", %s", metrics[i].name);
}

static int unknown_metric(const struct config_reader *reader, const struct yaml_node *key)
{
	struct strbuf names = STRBUF_INIT;
	int rc;

	add_names(&names);
	rc = config_fail(reader, key, "there is no metric %s (there are: %s)",
		config_quote(reader, key->text), names.data);
	strbuf_release(&names);
	return rc;
}

static int read_gate(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, enum metric_gate *gate)
{
	const char *text;
	int rc = config_text(reader, value, path, &text);

	for (unsigned i = METRIC_FAILS; i < METRIC_GATES && !rc; i++) {
		if (strcmp(text, metric_gate_words[i]) != 0)
			continue;
		*gate = (enum metric_gate)i;
		return ERR_OK;
	}
	return rc ? rc
		  : config_fail(reader, value, "a metric's gate is fail, warn or show; this is %s",
			    config_quote(reader, text));
}

/* Of a profile's name the metrics that are named themselves are left out. */
static int apply(const struct config_reader *reader, const struct yaml_node *key, bool by_kind,
	enum metric_gate *gates)
{
	enum metric_gate gate = METRIC_BY_DEFAULT;
	bool known = false;
	int rc = read_gate(reader, key->next, "policy.gate", &gate);

	for (size_t i = 0; i < METRIC_COUNT; i++) {
		bool own = strcmp(metrics[i].name, key->text) == 0;

		if (!is_called(&metrics[i], key->text))
			continue;
		known = true;
		if (!rc && own != by_kind)
			gates[i] = gate;
	}
	return known ? rc : unknown_metric(reader, key);
}

static int parse_gate(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	enum metric_gate *gates = field;
	int rc = ERR_OK;

	(void)path;
	if (value->kind != YAML_MAP)
		return config_fail(reader, value,
			"'gate' must be metrics with fail, warn or show, such as {heap: warn}");
	memset(gates, 0, sizeof(*gates) * METRIC_COUNT);
	/* Profiles first: what is named itself has the last word, in whatever order. */
	for (int by_kind = 1; by_kind >= 0; by_kind--)
		for (const struct yaml_node *key = value->first; key && !rc; key = key->next->next)
			rc = apply(reader, key, by_kind, gates);
	return rc;
}

static void show_gate(const void *field, struct strbuf *out)
{
	const enum metric_gate *gates = field;
	const char *between = "";

	strbuf_addch(out, '{');
	for (size_t i = 0; i < METRIC_COUNT; i++) {
		if (gates[i] == METRIC_BY_DEFAULT)
			continue;
		strbuf_addf(out, "%s%s: %s", between, metrics[i].name, metric_gate_words[gates[i]]);
		between = ", ";
	}
	strbuf_addch(out, '}');
}

const struct config_type config_type_gate = {
	"metrics with fail, warn or show, such as {heap: warn}", parse_gate, show_gate, true};
