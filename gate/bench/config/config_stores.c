/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of values of `baseline:` and of what a stored baseline may do. */
#include "gate/bench/config/config_values.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"

#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"
#define MAX_KEEP 100000
#define MAX_STORE_BYTES 2000
#define MAX_PREFIX_BYTES 64

static const char *const stored_words[] = {"screen", "warn", "fail", NULL};
static const char *const screen_words[] = {"prove", "fast", NULL};
/* What a store's address may begin with; baseline/store.h says what they mean. */
static const char *const store_schemes[] = {
	"notes:", "dir:", "pyroscope://", "pyroscopes://", "parca://", "parcas://", NULL};

/* Of profiles; baseline/source.h says what they mean. */
static const char *const profile_schemes[] = {
	"pyroscope://", "pyroscopes://", "parca://", "parcas://", "http://", "https://", NULL};

static int parse_word(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, const char *const *words, const char *shape, unsigned *out)
{
	const char *text;
	int rc = config_text(reader, value, path, &text);

	if (rc)
		return rc;
	for (unsigned i = 0; words[i]; i++) {
		if (strcmp(text, words[i]) == 0) {
			*out = i;
			return ERR_OK;
		}
	}
	return config_fail(reader, value, "'%s' must be %s", path, shape);
}

static int parse_stored(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	return parse_word(
		reader, value, path, stored_words, config_type_stored.shape, (unsigned *)field);
}

static int parse_screen(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	return parse_word(
		reader, value, path, screen_words, config_type_screen.shape, (unsigned *)field);
}

static void show_stored(const void *field, struct strbuf *out)
{
	strbuf_addstr(out, stored_words[*(const unsigned *)field]);
}

static void show_screen(const void *field, struct strbuf *out)
{
	strbuf_addstr(out, screen_words[*(const unsigned *)field]);
}

static bool has_scheme(const char *text)
{
	if (strcmp(text, "notes") == 0)
		return true;
	for (size_t i = 0; store_schemes[i]; i++)
		if (strncmp(text, store_schemes[i], strlen(store_schemes[i])) == 0)
			return true;
	return false;
}

/* The address stands in messages, and a line of its own could be a command to the runner. */
static bool has_control(const char *text)
{
	for (; *text; text++)
		if (iscntrl((unsigned char)*text))
			return true;
	return false;
}

static int check_address(
	const struct config_reader *reader, const struct yaml_node *value, const char *text)
{
	const char *authority = strstr(text, "://");

	if (has_control(text))
		return config_fail(reader, value, "an address has no control characters");
	authority = authority ? authority + 3 : "";
	if (memchr(authority, '@', strcspn(authority, "/?")))
		return config_fail(reader, value,
			"credentials do not belong into a file: put them into variables and name "
			"their prefix by 'baseline.credentials'");
	return ERR_OK;
}

static int check_store(
	const struct config_reader *reader, const struct yaml_node *value, const char *text)
{
	if (!has_scheme(text) || strlen(text) > MAX_STORE_BYTES)
		return config_fail(reader, value, "a store is %s", config_type_store.shape);
	return check_address(reader, value, text);
}

static int parse_store(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char *text;
	int rc = config_text(reader, value, path, &text);

	if (!rc)
		rc = check_store(reader, value, text);
	if (!rc)
		*(const char **)field = text;
	return rc;
}

static void show_store(const void *field, struct strbuf *out)
{
	strbuf_addstr(out, *(const char *const *)field);
}

static int parse_stores(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char **list = arena_array(reader->arena, value->count + 1, sizeof(*list));
	size_t count = 0;

	if (value->kind != YAML_LIST)
		return config_fail(reader, value, "'publish' must be a list of stores");
	for (const struct yaml_node *item = value->first; item; item = item->next) {
		int rc = parse_store(reader, item, path, &list[count++]);

		if (rc)
			return rc;
	}
	*(const char *const **)field = list;
	return ERR_OK;
}

static void show_stores(const void *field, struct strbuf *out)
{
	config_show_list(*(const char *const *const *)field, out);
}

static int parse_keep(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char *text;
	int rc = config_text(reader, value, path, &text);
	unsigned long number;

	if (rc)
		return rc;
	number = strtoul(text, NULL, 10);
	if (text[strspn(text, DIGITS)] || strlen(text) > 6 || !number || number > MAX_KEEP)
		return config_fail(reader, value, "'keep' must be %s", config_type_keep.shape);
	*(uint32_t *)field = (uint32_t)number;
	return ERR_OK;
}

static void show_keep(const void *field, struct strbuf *out)
{
	strbuf_addf(out, "%" PRIu32, *(const uint32_t *)field);
}

static int parse_prefix(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char *text;
	int rc = config_text(reader, value, path, &text);

	if (rc)
		return rc;
	if (!strchr(UPPER, *text) || text[strspn(text, UPPER DIGITS "_")] ||
		strlen(text) > MAX_PREFIX_BYTES)
		return config_fail(
			reader, value, "'credentials' must be %s", config_type_prefix.shape);
	*(const char **)field = text;
	return ERR_OK;
}

/* A file below the repository's root, one anywhere, or what baseline/source.h reads. */
static int check_production(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, const char *text)
{
	const char *inner;

	if (strlen(text) > MAX_STORE_BYTES)
		return config_fail(reader, value, "'%s' is %s", path, config_type_production.shape);
	if (has_control(text))
		return config_fail(reader, value, "an address has no control characters");
	if (!strstr(text, "://"))
		return text[0] == '/' ? ERR_OK : config_inner_path(reader, value, path, &inner);
	for (size_t i = 0; profile_schemes[i]; i++)
		if (strncmp(text, profile_schemes[i], strlen(profile_schemes[i])) == 0)
			return check_address(reader, value, text);
	return config_fail(reader, value, "'%s' is %s", path, config_type_production.shape);
}

static int parse_production(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char *text;
	int rc = config_text(reader, value, path, &text);

	if (!rc)
		rc = check_production(reader, value, path, text);
	if (!rc)
		*(const char **)field = text;
	return rc;
}

static void show_production(const void *field, struct strbuf *out)
{
	const char *text = *(const char *const *)field;

	strbuf_addstr(out, text ? text : "none");
}

const struct config_type config_type_stored = {
	"screen, warn or fail", parse_stored, show_stored, true};
const struct config_type config_type_screen = {"prove or fast", parse_screen, show_screen, true};
const struct config_type config_type_store = {"notes, notes:REMOTE, dir:PATH, pyroscope://HOST, "
					      "pyroscopes://HOST, parca://HOST or parcas://HOST",
	parse_store, show_store, true};
const struct config_type config_type_stores = {
	"a list of stores", parse_stores, show_stores, false};
const struct config_type config_type_keep = {
	"a number from 1 to 100000", parse_keep, show_keep, true};
const struct config_type config_type_prefix = {
	"the beginning of variables' names such as GRAFANA", parse_prefix, show_store, true};
const struct config_type config_type_production = {
	"a pprof file, or the URL of a profile as flamegate compare takes it (pyroscope://, "
	"parca://, http://, or with TLS)",
	parse_production, show_production, true};
