/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/config/config_values.h"

#include <inttypes.h>
#include <string.h>

#include "gate/base/error.h"

#define DIGITS "0123456789"
#define MICRO 1000000ULL
#define SECOND_NS 1000000000ULL
#define MAX_DURATION_NS (7 * 24 * 3600 * SECOND_NS)
#define MIN_PAIRS 8
#define MAX_PAIRS 1000
#define MAX_CPUS 4096
#define MAX_PATH_BYTES 1000

static const char *last_part(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

static int not_shaped(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, const char *shape)
{
	return config_fail(reader, value, "'%s' must be %s", last_part(path), shape);
}

int config_text(const struct config_reader *reader, const struct yaml_node *value, const char *path,
	const char **text)
{
	if (value->kind != YAML_SCALAR)
		return not_shaped(reader, value, path, "a single value");
	if (yaml_is_null(value) || !*value->text)
		return config_fail(reader, value, "'%s' has no value", last_part(path));
	*text = value->text;
	return ERR_OK;
}

/* ---- numbers ------------------------------------------------------------------------------ */

/* A decimal without sign or exponent, in millionths; at most 9 digits before and 6 behind the
 * point. */
static bool read_decimal(const char **at, uint64_t *micros)
{
	size_t whole = strspn(*at, DIGITS), parts = 0;
	uint64_t value = 0, unit = MICRO;

	if (!whole || whole > 9)
		return false;
	for (size_t i = 0; i < whole; i++)
		value = value * 10 + (uint64_t)((*at)[i] - '0');
	value *= MICRO;
	*at += whole;
	if (**at == '.') {
		++*at;
		parts = strspn(*at, DIGITS);
		if (!parts || parts > 6)
			return false;
		for (size_t i = 0; i < parts; i++)
			value += (uint64_t)((*at)[i] - '0') * (unit /= 10);
		*at += parts;
	}
	*micros = value;
	return true;
}

static bool read_whole(const char *text, uint32_t *number)
{
	uint64_t micros;

	if (!read_decimal(&text, &micros) || *text || micros % MICRO)
		return false;
	*number = (uint32_t)(micros / MICRO);
	return true;
}

static int parse_version(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char *text;
	int rc = config_text(reader, value, path, &text);

	if (!rc && strcmp(text, "1") != 0)
		rc = config_fail(reader, value,
			"version %s is not known here: this flamegate reads version 1",
			config_quote(reader, text));
	if (!rc)
		*(int *)field = 1;
	return rc;
}

static void show_version(const void *field, struct strbuf *out)
{
	strbuf_addf(out, "%d", *(const int *)field);
}

static const struct {
	const char *name;
	uint64_t ns;
} units[] = {{"h", 3600 * SECOND_NS}, {"m", 60 * SECOND_NS}, {"s", SECOND_NS}};

static uint64_t unit_ns(const char *name)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(units[i].name, name) == 0)
			return units[i].ns;
	}
	return 0;
}

static int parse_duration(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char *text;
	uint64_t micros, unit, ns;
	int rc = config_text(reader, value, path, &text);

	if (rc)
		return rc;
	if (!read_decimal(&text, &micros) || !(unit = unit_ns(text)))
		return config_fail(reader, value,
			"'%s' needs a number with a unit (s, m or h), "
			"such as 90s, 10m or 1.5h; this is %s",
			last_part(path), config_quote(reader, value->text));
	/* A unit is divisible by a million, and 10^9 units overflow nothing but the limit. */
	if (micros > MAX_DURATION_NS / (unit / MICRO) || micros == 0)
		return config_fail(
			reader, value, "'%s' must be above 0 and at most 168h", last_part(path));
	ns = micros * (unit / MICRO);
	*(uint64_t *)field = ns;
	return ERR_OK;
}

static void show_duration(const void *field, struct strbuf *out)
{
	uint64_t ns = *(const uint64_t *)field;
	size_t i = 0;

	while (i + 1 < sizeof(units) / sizeof(*units) && ns % units[i].ns)
		i++;
	strbuf_addf(out, "%" PRIu64, ns / units[i].ns);
	if (ns % units[i].ns)
		strbuf_addf(out, ".%09" PRIu64, ns % units[i].ns);
	strbuf_addstr(out, units[i].name);
}

static int parse_percentage(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char *text;
	uint64_t micros;
	int rc = config_text(reader, value, path, &text);

	if (rc)
		return rc;
	if (read_decimal(&text, &micros)) {
		text += strspn(text, " ");
		if (strcmp(text, "%") == 0 && micros <= 100 * MICRO) {
			*(double *)field = (double)micros / (100.0 * (double)MICRO);
			return ERR_OK;
		}
	}
	return config_fail(reader, value,
		"'%s' needs a percentage from 0%% to 100%% with its sign, such as 0.2%%; this is %s",
		last_part(path), config_quote(reader, value->text));
}

static void show_percentage(const void *field, struct strbuf *out)
{
	strbuf_addf(out, "%.10g %%", *(const double *)field * 100);
}

/* Where in pairs[] this key's number belongs; -1: it is none of them. */
static int pairs_index(const struct yaml_node *key)
{
	return strcmp(key->text, "min") == 0 ? 0 : strcmp(key->text, "max") == 0 ? 1 : -1;
}

static int read_pairs(
	const struct config_reader *reader, const struct yaml_node *key, uint32_t pairs[2])
{
	int at = pairs_index(key);

	if (at < 0)
		return config_fail(reader, key, "there is no %s in 'pairs' (there are: min, max)",
			config_quote(reader, key->text));
	if (key->next->kind != YAML_SCALAR || !read_whole(key->next->text, &pairs[at]) ||
		!pairs[at])
		return config_fail(reader, key->next, "'pairs.%s' is a number", key->text);
	return ERR_OK;
}

/* The first stage has the least; what confirms it has the rest. */
static int parse_pairs(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	struct config_policy *policy = field;
	uint32_t pairs[2] = {0, 0};
	int rc = ERR_OK;

	if (value->kind != YAML_MAP)
		return not_shaped(reader, value, path, "two numbers, such as {min: 16, max: 40}");
	for (const struct yaml_node *key = value->first; key && !rc; key = key->next->next)
		rc = read_pairs(reader, key, pairs);
	if (rc)
		return rc;
	if (pairs[0] < MIN_PAIRS || pairs[0] > MAX_PAIRS || pairs[1] < pairs[0] + MIN_PAIRS ||
		pairs[1] > pairs[0] + MAX_PAIRS)
		return config_fail(reader, value,
			"'pairs' needs a min from %d to %d, and a max that is more by %d to %d: fewer "
			"could never prove a change",
			MIN_PAIRS, MAX_PAIRS, MIN_PAIRS, MAX_PAIRS);
	policy->stage1_pairs = pairs[0];
	policy->stage2_pairs = pairs[1] - pairs[0];
	return ERR_OK;
}

static void show_pairs(const void *field, struct strbuf *out)
{
	const struct config_policy *policy = field;

	strbuf_addf(out, "{min: %" PRIu32 ", max: %" PRIu32 "}", policy->stage1_pairs,
		policy->stage1_pairs + policy->stage2_pairs);
}

static int parse_cpus(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char *text;
	uint32_t count = 0;
	int rc = config_text(reader, value, path, &text);

	if (rc)
		return rc;
	if (strcmp(text, "auto") != 0 && (!read_whole(text, &count) || !count || count > MAX_CPUS))
		return config_fail(
			reader, value, "'cpus' must be auto or a number from 1 to %d", MAX_CPUS);
	*(uint32_t *)field = count;
	return ERR_OK;
}

static void show_cpus(const void *field, struct strbuf *out)
{
	uint32_t count = *(const uint32_t *)field;

	if (count)
		strbuf_addf(out, "%" PRIu32, count);
	else
		strbuf_addstr(out, "auto");
}

static int parse_failure(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char *text;
	int rc = config_text(reader, value, path, &text);

	if (rc)
		return rc;
	if (strcmp(text, "warn") != 0 && strcmp(text, "fail") != 0)
		return not_shaped(reader, value, path, "warn or fail");
	*(enum config_failure *)field = *text == 'w' ? CONFIG_WARN : CONFIG_FAIL;
	return ERR_OK;
}

static void show_failure(const void *field, struct strbuf *out)
{
	strbuf_addstr(out, *(const enum config_failure *)field == CONFIG_WARN ? "warn" : "fail");
}

/* ---- paths -------------------------------------------------------------------------------- */

static bool climbs(const char *text)
{
	for (;;) {
		size_t length = strcspn(text, "/");

		if (length == 2 && strncmp(text, "..", 2) == 0)
			return true;
		text += length;
		if (!*text++)
			return false;
	}
}

int config_inner_path(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, const char **text)
{
	int rc = config_text(reader, value, path, text);

	if (rc)
		return rc;
	if (strlen(*text) > MAX_PATH_BYTES)
		return config_fail(reader, value, "'%s' is longer than %d bytes", last_part(path),
			MAX_PATH_BYTES);
	if (**text == '/' || climbs(*text))
		return config_fail(reader, value,
			"'%s' must be a path inside the repository: relative and without '..'",
			last_part(path));
	return ERR_OK;
}

static int parse_directory(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char *text;
	int rc = config_inner_path(reader, value, path, &text);

	if (!rc)
		*(const char **)field = text;
	return rc;
}

static int parse_file(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char *text, *name;
	int rc = config_inner_path(reader, value, path, &text);

	if (rc)
		return rc;
	name = strrchr(text, '/');
	name = name ? name + 1 : text;
	if (!*name || strcmp(name, ".") == 0)
		return not_shaped(reader, value, path, "the path of a file");
	*(const char **)field = text;
	return ERR_OK;
}

static void show_text(const void *field, struct strbuf *out)
{
	const char *text = *(const char *const *)field;

	strbuf_addstr(out, text ? text : "");
}

/* ---- the table's types -------------------------------------------------------------------- */

const struct config_type config_type_version = {"1", parse_version, show_version, true};
const struct config_type config_type_duration = {
	"a duration such as 90s, 10m or 1.5h", parse_duration, show_duration, true};
const struct config_type config_type_percentage = {
	"a percentage such as 0.2%", parse_percentage, show_percentage, true};
const struct config_type config_type_pairs = {
	"two numbers such as {min: 16, max: 40}", parse_pairs, show_pairs, true};
const struct config_type config_type_cpus = {"auto or a number", parse_cpus, show_cpus, true};
const struct config_type config_type_failure = {"warn or fail", parse_failure, show_failure, true};
const struct config_type config_type_directory = {
	"a relative path", parse_directory, show_text, false};
const struct config_type config_type_file = {"a relative path", parse_file, show_text, false};
