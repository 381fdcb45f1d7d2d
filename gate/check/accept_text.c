/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/accept_text.h"

#include <string.h>

#define MAX_REASON_BYTES 500
#define MAX_NAME_BYTES 4096

/* The benchmark that the text begins with, followed by a blank, a slash or nothing. */
static const struct config_benchmark *named_first(const char *text, const struct config *config)
{
	const struct config_benchmark *longest = NULL;

	for (size_t i = 0; i < config->benchmark_count; i++) {
		const struct config_benchmark *one = &config->benchmarks[i];
		size_t length = strlen(one->name);

		if (strncmp(text, one->name, length) != 0 || !strchr(" /", text[length]))
			continue;
		if (!longest || length > strlen(longest->name))
			longest = one;
	}
	return longest;
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

void accept_read(const char *value, const struct config *config, struct arena *arena,
	struct session_acceptance *out)
{
	const struct config_benchmark *benchmark = named_first(value, config);
	const char *at = value + (benchmark ? strlen(benchmark->name) : strcspn(value, " "));

	out->benchmark = arena_strndup(arena, value, (size_t)(at - value));
	out->function = out->problem = "";
	if (benchmark && *at == '/') {
		at = read_function(at + 1, arena, &out->function);
		if (!*out->function)
			out->problem = "it names no function after the slash";
	}
	out->reason = cut(arena, at + strspn(at, " "), MAX_REASON_BYTES);
	if (strlen(out->benchmark) > MAX_NAME_BYTES || strlen(out->function) > MAX_NAME_BYTES)
		out->problem = "its name is too long";
	out->benchmark = cut(arena, out->benchmark, MAX_NAME_BYTES);
	out->function = cut(arena, out->function, MAX_NAME_BYTES);
	if (!benchmark)
		out->problem = "no benchmark has this name";
	else if (!*out->problem && !*out->reason)
		out->problem = "it gives no reason";
}
