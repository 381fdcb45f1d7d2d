/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/harness/harness_command.h"

#include <string.h>

#include "gate/bench/preload/preload.h"

/* ---- escaping ------------------------------------------------------------------------------ */

static void escape(const char *name, const char *special, struct strbuf *out)
{
	for (; *name; name++) {
		if (strchr(special, *name))
			strbuf_addch(out, '\\');
		strbuf_addch(out, *name);
	}
}

/* std::regex refuses a backslash before anything else: ']' and '}' alone are themselves. */
void harness_escape_extended(const char *name, struct strbuf *out)
{
	escape(name, ".[\\()*+?{|^$", out);
}

void harness_escape_regex(const char *name, struct strbuf *out)
{
	escape(name, ".[\\()*+?{|^$]}", out);
}

/* testing splits the pattern at '/' first, then each part is a regular expression. */
void harness_escape_go(const char *name, struct strbuf *out)
{
	struct strbuf whole = STRBUF_INIT;

	harness_escape_regex(name, &whole);
	strbuf_addch(out, '^');
	for (const char *at = whole.data; at && *at; at++) {
		if (*at == '/')
			strbuf_addstr(out, "$/^");
		else
			strbuf_addch(out, *at);
	}
	strbuf_addch(out, '$');
	strbuf_release(&whole);
}

/* A '*' at an end stays a wild card: there is no escape for it. */
void harness_escape_catch2(const char *name, struct strbuf *out)
{
	if (*name == '~' || *name == '"' || *name == '-')
		strbuf_addch(out, '\\');
	escape(name, "\\,[", out);
}

void harness_escape_nothing(const char *name, struct strbuf *out)
{
	strbuf_addstr(out, name);
}

/* ---- arguments ----------------------------------------------------------------------------- */

static const char *fill(struct arena *arena, const char *pattern, const char *filling)
{
	const char *hole = strchr(pattern, HARNESS_HOLE);

	if (!hole)
		return pattern;
	return arena_printf(arena, "%.*s%s%s", (int)(hole - pattern), pattern, filling, hole + 1);
}

void harness_arguments_add(
	struct harness_arguments *arguments, const char *const *pattern, const char *filling)
{
	for (size_t i = 0; i < HARNESS_MAX_ARGUMENTS && pattern[i]; i++)
		arguments->items[arguments->count++] = fill(arguments->arena, pattern[i], filling);
	arguments->items[arguments->count] = NULL;
}

static size_t length_of(const char *const *list)
{
	size_t count = 0;

	while (list[count])
		count++;
	return count;
}

/* The text of a shell command without blanks at its end; NULL if no argument can follow it. */
static const char *open_ended(struct arena *arena, const char *text)
{
	size_t length = strlen(text);

	while (length && strchr(" \t\r\n", text[length - 1]))
		length--;
	if (!length || strchr(";&|\\<>", text[length - 1]))
		return NULL;
	return arena_strndup(arena, text, length);
}

const char *const *harness_command(
	struct arena *arena, const struct config_benchmark *benchmark, const char *const *arguments)
{
	size_t own = length_of(benchmark->argv), more = length_of(arguments), count = 0;
	const char **argv = arena_array(arena, own + more + 2, sizeof(*argv));

	for (size_t i = 0; i < own; i++)
		argv[count++] = benchmark->argv[i];
	if (benchmark->shell && more) {
		const char *text = open_ended(arena, benchmark->argv[2]);

		if (!text)
			return NULL;
		argv[2] = arena_printf(arena, "%s" PRELOAD_ARGUMENTS, text);
		argv[count++] = benchmark->argv[0];
	}
	for (size_t i = 0; i < more; i++)
		argv[count++] = arguments[i];
	return argv;
}

/* ---- what it says already ------------------------------------------------------------------ */

/* Words of a shell command are what stands between blanks: enough to see an option. */
static const char *const *words_of(struct arena *arena, const struct config_benchmark *benchmark)
{
	const char *text = benchmark->command_text;
	const char **words;
	size_t count = 0;

	if (!benchmark->shell)
		return benchmark->argv;
	words = arena_array(arena, strlen(text) / 2 + 2, sizeof(*words));
	for (text += strspn(text, " \t\n"); *text; text += strspn(text, " \t\n")) {
		size_t length = strcspn(text, " \t\n");

		words[count++] = arena_strndup(arena, text, length);
		text += length;
	}
	return words;
}

/* The option itself, with or without a value behind '='. */
static bool is_option(const char *word, const char *const *options, size_t most)
{
	size_t length = strcspn(word, "=");

	for (size_t i = 0; i < most && options[i]; i++)
		if (strlen(options[i]) == length && strncmp(word, options[i], length) == 0)
			return true;
	return false;
}

static bool is_any(const char *word, const char *const *others, size_t most)
{
	for (size_t i = 0; i < most && others[i]; i++)
		if (strcmp(word, others[i]) == 0)
			return true;
	return false;
}

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The word alone may stand before its value: "-test.bench ." is "-test.bench=.". */
static const char *joined(struct arena *arena, const char *const *words)
{
	bool has_value = words[1] && words[1][0] != '-' && !strchr(words[0], '=');

	return has_value ? arena_printf(arena, "%s=%s", words[0], words[1]) : words[0];
}

static const char *filter_at(
	struct arena *arena, const struct harness *harness, const char *const *words)
{
	const char *text;

	if (!is_option(words[0], harness->filters, COUNT_OF(harness->filters)))
		return NULL;
	text = joined(arena, words);
	return is_any(text, harness->no_filters, COUNT_OF(harness->no_filters)) ? NULL : text;
}

/* previous: the word before; the program itself is words[0] of its command, and no filter. */
static bool is_bare(const struct harness *harness, const char *previous, const char *word)
{
	bool is_value = previous[0] == '-' && !strchr(previous, '=') &&
			!is_any(previous, harness->switches, COUNT_OF(harness->switches));

	return word[0] != '-' && !is_value;
}

/* The first word that is the program: variables and wrappers stand before it. */
static size_t program_at(const struct config_benchmark *benchmark, const char *const *words)
{
	static const char *const wrappers[] = {"exec", "env", "nice", "time", "command"};
	size_t i = 0;

	while (benchmark->shell && words[i] &&
		(strchr(words[i], '=') || is_any(words[i], wrappers, COUNT_OF(wrappers))))
		i++;
	return i;
}

const char *harness_selected(struct arena *arena, const struct harness *harness,
	const struct config_benchmark *benchmark)
{
	const char *const *words = words_of(arena, benchmark);
	size_t i = program_at(benchmark, words);

	for (; words[i] && words[i + 1]; i++) {
		const char *filter = filter_at(arena, harness, words + i + 1);

		if (filter)
			return filter;
		if (harness->bare_words_select && is_bare(harness, words[i], words[i + 1]))
			return words[i + 1];
	}
	return NULL;
}

/* Any option of the pattern's. */
static bool has_option(
	struct arena *arena, const char *const *pattern, const struct config_benchmark *benchmark)
{
	const char *const *words = words_of(arena, benchmark);

	for (size_t k = 0; k < HARNESS_MAX_ARGUMENTS && pattern[k]; k++) {
		size_t length = strcspn(pattern[k], "=");

		for (size_t i = 0; words[i]; i++)
			if (strncmp(words[i], pattern[k], length) == 0)
				return true;
	}
	return false;
}

bool harness_is_counted(struct arena *arena, const struct harness *harness,
	const struct config_benchmark *benchmark)
{
	return has_option(arena, harness->count, benchmark);
}

bool harness_may_be_brief(struct arena *arena, const struct harness *harness,
	const struct config_benchmark *benchmark)
{
	bool is_ours =
		benchmark->work == CONFIG_WORK_AUTO || benchmark->work == CONFIG_WORK_REPLAYED;

	return harness->brief[0] && is_ours && !has_option(arena, harness->brief, benchmark);
}
