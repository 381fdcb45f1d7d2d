/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/accept/accept_text.h"

#include <string.h>

#define MAX_REASON_BYTES 500
#define MAX_NAME_BYTES 4096
#define BY_KEYS "benchmark="

/* The nth benchmark that the text begins with, followed by a blank, a slash or nothing. */
static const struct config_benchmark *named_first(
	const char *text, const struct config *config, size_t n)
{
	for (size_t i = 0; i < config->benchmark_count; i++) {
		const char *name = config->benchmarks[i].name;
		size_t length = strlen(name);

		if (strncmp(text, name, length) == 0 && strchr(" /", text[length]) && !n--)
			return &config->benchmarks[i];
	}
	return NULL;
}

/* "ns::f(int, char)" is one name; in "operator< reason" the bracket never closes. */
static size_t name_length(const char *text)
{
	size_t first_blank = strcspn(text, " "), length = 0;
	int depth = 0;

	for (; text[length]; length++) {
		if (text[length] == ' ' && depth <= 0)
			return length;
		depth += strchr("(<", text[length]) ? 1 : strchr(")>", text[length]) ? -1 : 0;
	}
	return depth > 0 ? first_blank : length;
}

/* The end of the function's name; *function is "" without one. */
static const char *read_function(const char *text, struct arena *arena, const char **function)
{
	const char *quote = *text == '"' ? strchr(text + 1, '"') : NULL;
	size_t length = quote ? (size_t)(quote - text) - 1 : name_length(text);

	*function = arena_strndup(arena, quote ? text + 1 : text, length);
	return quote ? quote + 1 : text + length;
}

/* Cut between characters: anybody may write a trailer, and it goes into every recording. */
static const char *cut(struct arena *arena, const char *text, size_t most)
{
	size_t length = strlen(text);

	if (length <= most)
		return arena_strdup(arena, text);
	for (length = most; ((unsigned char)text[length] & 0xc0) == 0x80; length--)
		;
	return arena_printf(arena, "%.*s...", (int)length, text);
}

/* ---- keys ---------------------------------------------------------------------------------- */

struct reader {
	const struct config *config;
	struct arena *arena;
	struct measurements_acceptance *out;
	const char *file;
};

struct key {
	const char *name;
	void (*take)(struct reader *reader, const char *value);
};

static void take_benchmark(struct reader *reader, const char *value)
{
	if (*reader->out->benchmark)
		reader->out->problem = "it names two benchmarks";
	else
		reader->out->benchmark = value;
}

static void take_function(struct reader *reader, const char *value)
{
	if (!*value)
		reader->out->problem = "it names no function";
	else if (*reader->out->function)
		reader->out->problem = "it names two functions";
	else
		reader->out->function = value;
}

static void take_file(struct reader *reader, const char *value)
{
	reader->file = value;
}

static void take_metric(struct reader *reader, const char *value)
{
	reader->out->metric = value;
	if (metric_find(value) == METRIC_COUNT)
		reader->out->problem = "there is no such metric (see policy.gate)";
}

static const struct key keys[] = {
	{"benchmark", take_benchmark},
	{"function", take_function},
	{"file", take_file},
	{"metric", take_metric},
};

static const struct key *find_key(const char *text, size_t length)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strlen(keys[i].name) == length && strncmp(keys[i].name, text, length) == 0)
			return &keys[i];
	return NULL;
}

static const char *read_value(const char *text, struct arena *arena, const char **value)
{
	const char *quote = *text == '"' ? strchr(text + 1, '"') : NULL;
	size_t length = quote ? (size_t)(quote - text) - 1 : strcspn(text, " ");

	*value = arena_strndup(arena, quote ? text + 1 : text, length);
	return quote ? quote + 1 : text + length;
}

/* The reason's beginning. A misspelt key must not let more pass than was meant. */
static const char *read_keys(struct reader *reader, const char *text, bool all)
{
	for (;;) {
		const char *at = text + strspn(text, " ");
		size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
		const struct key *key = find_key(at, length);
		const char *value;

		if (!length || at[length] != '=')
			return at;
		if (!key && all)
			reader->out->problem = "it has a key that is not benchmark, "
					       "function, file or metric";
		if (!key)
			return at;
		text = read_value(at + length + 1, reader->arena, &value);
		key->take(reader, value);
	}
}

static void add_file(struct reader *reader)
{
	struct measurements_acceptance *out = reader->out;

	if (!reader->file)
		return;
	if (*out->function)
		out->function = arena_printf(reader->arena, "%s@%s", out->function, reader->file);
	else
		out->problem = "it names a file without a function";
}

/* ---- the whole ----------------------------------------------------------------------------- */

static const char *read_names(struct reader *reader, const char *value)
{
	const struct config_benchmark *one = named_first(value, reader->config, 0);
	const struct config_benchmark *other = named_first(value, reader->config, 1);
	struct measurements_acceptance *out = reader->out;
	const char *at = value + (one ? strlen(one->name) : strcspn(value, " "));

	out->benchmark = arena_strndup(reader->arena, value, (size_t)(at - value));
	if (!one)
		return at;
	if (other)
		out->problem = arena_printf(reader->arena,
			"it may mean the benchmark %s or %s: write benchmark=... function=...",
			one->name, other->name);
	if (*at == '/') {
		at = read_function(at + 1, reader->arena, &out->function);
		if (!*out->function)
			out->problem = "it names no function after the slash";
	}
	return at;
}

static void check_names(struct reader *reader)
{
	struct measurements_acceptance *out = reader->out;
	const char **names[] = {&out->benchmark, &out->function, &out->metric};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(*names[i]) > MAX_NAME_BYTES)
			out->problem = "its name is too long";
		*names[i] = cut(reader->arena, *names[i], MAX_NAME_BYTES);
	}
	if (*out->function && *out->metric)
		out->problem = "it names a function and a metric: one of them may grow, not both";
	if (!config_find(reader->config, out->benchmark))
		out->problem = "no benchmark has this name";
	else if (!*out->problem && !*out->reason)
		out->problem = "it gives no reason";
}

void accept_read(const char *value, const struct config *config, struct arena *arena,
	struct measurements_acceptance *out)
{
	struct reader reader = {.config = config, .arena = arena, .out = out};
	bool all = strncmp(value, BY_KEYS, strlen(BY_KEYS)) == 0 && !named_first(value, config, 0);
	const char *at = value;

	out->benchmark = out->function = out->metric = out->problem = "";
	if (!all)
		at = read_names(&reader, value);
	at = read_keys(&reader, at, all);
	add_file(&reader);
	out->reason = cut(arena, at, MAX_REASON_BYTES);
	check_names(&reader);
}
