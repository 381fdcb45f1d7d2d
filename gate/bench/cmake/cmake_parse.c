/* SPDX-License-Identifier: Apache-2.0 */
/* CMake's language: commands with words, comments and brackets (cmake-language(7)). */
#include "gate/bench/cmake/cmake_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gate/base/strbuf.h"

struct reader {
	struct arena *arena;
	const char *at;
	size_t line;
};

static void step_to(struct reader *reader, const char *end)
{
	for (; reader->at < end; reader->at++)
		reader->line += *reader->at == '\n';
}

/* "[[...]]", "[=[...]=]": what stands between, and behind it; NULL if this is none. */
static const char *bracket(const char *at, const char **inside, size_t *length)
{
	size_t equals = strspn(at + (*at == '['), "=");
	const char *begin = at + 2 + equals, *end;

	if (*at != '[' || at[1 + equals] != '[')
		return NULL;
	for (end = begin; (end = strchr(end, ']')); end++) {
		if (strspn(end + 1, "=") != equals || end[1 + equals] != ']')
			continue;
		*inside = begin;
		*length = (size_t)(end - begin);
		return end + 2 + equals;
	}
	return NULL;
}

/* White space and comments. */
static void skip(struct reader *reader)
{
	const char *inside, *end;
	size_t length;

	for (;;) {
		step_to(reader, reader->at + strspn(reader->at, " \t\r\n"));
		if (*reader->at != '#')
			return;
		end = bracket(reader->at + 1, &inside, &length);
		step_to(reader, end ? end : reader->at + strcspn(reader->at, "\n"));
	}
}

void cmake_add_word(struct arena *arena, struct cmake_words *words, struct cmake_word word)
{
	if (words->count == words->capacity) {
		size_t capacity = words->capacity ? words->capacity * 2 : 8;
		struct cmake_word *more = arena_array(arena, capacity, sizeof(*more));

		if (words->count)
			memcpy(more, words->items, words->count * sizeof(*more));
		words->items = more;
		words->capacity = capacity;
	}
	words->items[words->count++] = word;
}

/* Up to the end, or a character that ends the word. */
static void read_plain(struct reader *reader, const char *ends, struct strbuf *out)
{
	const char *at = reader->at;

	while (*at && !strchr(ends, *at)) {
		if (*at == '\\' && at[1] == '\n') {
			at += 2;
			continue;
		}
		at += *at == '\\' && at[1] && at[1] != ';';
		strbuf_addch(out, *at++);
	}
	step_to(reader, at);
}

static void read_word(struct reader *reader, struct cmake_words *words)
{
	struct strbuf text = STRBUF_INIT;
	struct cmake_word word = {.quoted = *reader->at != '\0' && strchr("\"[", *reader->at)};
	const char *inside, *end;
	size_t length;

	if ((end = bracket(reader->at, &inside, &length))) {
		strbuf_add(&text, inside, length);
		step_to(reader, end);
	} else if (*reader->at == '"') {
		reader->at++;
		read_plain(reader, "\"", &text);
		reader->at += *reader->at == '"';
	} else {
		word.quoted = false;
		read_plain(reader, " \t\r\n()#\"", &text);
	}
	word.text = arena_strndup(reader->arena, text.data, text.length);
	cmake_add_word(reader->arena, words, word);
	strbuf_release(&text);
}

/* Up to behind the parenthesis that closes the command; those within are words. */
static void read_words(struct reader *reader, struct cmake_words *words)
{
	size_t open = 1;

	for (skip(reader); *reader->at; skip(reader)) {
		struct cmake_word parenthesis = {.text = *reader->at == '(' ? "(" : ")"};

		if (*reader->at != '(' && *reader->at != ')') {
			read_word(reader, words);
			continue;
		}
		open += *reader->at == '(' ? 1 : (size_t)-1;
		reader->at++;
		if (!open)
			return;
		cmake_add_word(reader->arena, words, parenthesis);
	}
}

static char *lower(struct arena *arena, const char *text, size_t length)
{
	char *name = arena_strndup(arena, text, length);

	for (char *at = name; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	return name;
}

/* False at the end, and where no command begins. */
static bool read_command(struct reader *reader, struct cmake_command *command)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
	size_t length;

	skip(reader);
	length = strspn(reader->at, letters);
	if (!length)
		return false;
	*command = (struct cmake_command){
		.name = lower(reader->arena, reader->at, length), .line = reader->line};
	step_to(reader, reader->at + length);
	step_to(reader, reader->at + strspn(reader->at, " \t"));
	if (*reader->at != '(')
		return false;
	reader->at++;
	read_words(reader, &command->words);
	return true;
}

void cmake_parse(struct arena *arena, struct cmake_script *script)
{
	struct reader reader = {arena, script->source->text, 1};
	struct cmake_command *commands = NULL, command;
	size_t capacity = 0, count = 0;

	while (read_command(&reader, &command)) {
		commands = grow_array(commands, &capacity, count + 1, sizeof(*commands));
		commands[count++] = command;
	}
	script->commands = arena_array(arena, count + 1, sizeof(*commands));
	if (count)
		memcpy(script->commands, commands, count * sizeof(*commands));
	script->count = count;
	free(commands);
}

bool cmake_is(const struct cmake_command *command, const char *name)
{
	return strcmp(command->name, name) == 0;
}

size_t cmake_block_end(const struct cmake_script *script, size_t first, size_t end)
{
	const char *name = script->commands[first].name;
	size_t open = 0;

	for (size_t i = first; i < end; i++) {
		const char *other = script->commands[i].name;

		if (strcmp(other, name) == 0)
			open++;
		else if (strncmp(other, "end", 3) == 0 && strcmp(other + 3, name) == 0 && !--open)
			return i;
	}
	return end;
}
