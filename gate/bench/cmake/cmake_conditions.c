/* SPDX-License-Identifier: Apache-2.0 */
/* What an if() takes: which options must be set for a condition to come out as wanted. */
#include "gate/bench/cmake/cmake_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gate/base/strbuf.h"

/* Bounds how deep it is nested, and the square of it the time. */
#define MAX_CONDITION_WORDS 250

enum kind { UNKNOWN, VARIABLE, CONSTANT, NOT, AND, OR };

struct condition {
	enum kind kind;
	const char *name; /* of a variable */
	bool value;       /* of a constant */
	struct condition *left, *right;
};

struct parser {
	struct cmake_run *run;
	const struct cmake_words *words;
	size_t at, depth;
};

static bool is_one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (strcasecmp(word, *words) == 0)
			return true;
	return false;
}

/* ---- constants ------------------------------------------------------------------------------ */

static bool is_false(const char *text)
{
	static const char *const words[] = {
		"", "0", "OFF", "NO", "FALSE", "N", "IGNORE", "NOTFOUND", NULL};
	size_t length = strlen(text);

	return is_one_of(text, words) ||
	       (length > 9 && strcasecmp(text + length - 9, "-NOTFOUND") == 0);
}

bool cmake_is_true(const char *text)
{
	return !is_false(text);
}

static bool is_constant(const char *text)
{
	static const char *const words[] = {"ON", "YES", "TRUE", "Y", NULL};

	return is_false(text) || is_one_of(text, words) ||
	       (*text && strspn(text, "0123456789.") == strlen(text));
}

/* The platform's, as they are where flamegate runs. */
static bool is_platform(const char *name, bool *value)
{
	static const char *const on[] = {"UNIX", "LINUX", "PROJECT_IS_TOP_LEVEL", NULL};
	static const char *const off[] = {"WIN32", "APPLE", "MSVC", "MINGW", "CYGWIN", "MSYS",
		"ANDROID", "IOS", "EMSCRIPTEN", "BORLAND", "XCODE", "CMAKE_CROSSCOMPILING", NULL};

	*value = is_one_of(name, on);
	return *value || is_one_of(name, off);
}

/* ---- reading -------------------------------------------------------------------------------- */

static struct condition *new_condition(
	struct parser *parser, enum kind kind, struct condition *left, struct condition *right)
{
	struct condition *condition = arena_alloc(parser->run->arena, sizeof(*condition));

	*condition = (struct condition){.kind = kind, .left = left, .right = right};
	return condition;
}

static const struct cmake_word *peek(const struct parser *parser, size_t ahead)
{
	static const struct cmake_word none = {.text = ""};
	size_t at = parser->at + ahead;

	return at < parser->words->count ? &parser->words->items[at] : &none;
}

static bool next_is(const struct parser *parser, const char *word)
{
	return !peek(parser, 0)->quoted && strcmp(peek(parser, 0)->text, word) == 0;
}

/* "${X}" and no more is X, so that it stays known which option it is. */
static const char *name_in(struct parser *parser, const char *text)
{
	size_t length = strlen(text);

	if (length < 4 || strncmp(text, "${", 2) != 0 || strcspn(text + 2, "}") != length - 3 ||
		strchr(text + 2, '$'))
		return NULL;
	return arena_strndup(parser->run->arena, text + 2, length - 3);
}

static struct condition *read_word(struct parser *parser)
{
	const struct cmake_word *word = peek(parser, 0);
	struct condition *condition = new_condition(parser, UNKNOWN, NULL, NULL);
	const char *name = name_in(parser, word->text);
	bool known = true;

	parser->at++;
	if (!name && word->quoted)
		return condition;
	if (!name)
		name = cmake_expand(parser->run, word->text, &known);
	if (!known)
		return condition;
	condition->kind = is_constant(name) ? CONSTANT : VARIABLE;
	condition->name = name;
	condition->value = cmake_is_true(name);
	return condition;
}

static struct condition *read_or(struct parser *parser);

static struct condition *read_test(struct parser *parser)
{
	static const char *const of_one[] = {"EXISTS", "COMMAND", "DEFINED", "TARGET", "POLICY",
		"TEST", "IS_DIRECTORY", "IS_SYMLINK", "IS_ABSOLUTE", "IS_READABLE", NULL};
	static const char *const of_two[] = {"STREQUAL", "EQUAL", "LESS", "GREATER", "LESS_EQUAL",
		"GREATER_EQUAL", "STRLESS", "STRGREATER", "STRLESS_EQUAL", "STRGREATER_EQUAL",
		"MATCHES", "IN_LIST", "VERSION_LESS", "VERSION_GREATER", "VERSION_EQUAL",
		"VERSION_LESS_EQUAL", "VERSION_GREATER_EQUAL", "IS_NEWER_THAN", "PATH_EQUAL", NULL};
	struct condition *inner;

	if (next_is(parser, "(")) {
		parser->at++;
		inner = read_or(parser);
		parser->at += next_is(parser, ")");
		return inner;
	}
	if (is_one_of(peek(parser, 1)->text, of_two)) {
		parser->at += 3;
		return new_condition(parser, UNKNOWN, NULL, NULL);
	}
	if (!peek(parser, 0)->quoted && is_one_of(peek(parser, 0)->text, of_one)) {
		parser->at += 2;
		return new_condition(parser, UNKNOWN, NULL, NULL);
	}
	return read_word(parser);
}

static struct condition *read_not(struct parser *parser)
{
	struct condition *inner;

	if (++parser->depth > CMAKE_MAX_DEPTH || parser->at >= parser->words->count) {
		parser->at = parser->words->count;
		inner = new_condition(parser, UNKNOWN, NULL, NULL);
	} else if (next_is(parser, "NOT")) {
		parser->at++;
		inner = new_condition(parser, NOT, read_not(parser), NULL);
	} else {
		inner = read_test(parser);
	}
	parser->depth--;
	return inner;
}

static struct condition *read_and(struct parser *parser)
{
	struct condition *left = read_not(parser);

	while (next_is(parser, "AND")) {
		parser->at++;
		left = new_condition(parser, AND, left, read_not(parser));
	}
	return left;
}

static struct condition *read_or(struct parser *parser)
{
	struct condition *left = read_and(parser);

	while (next_is(parser, "OR")) {
		parser->at++;
		left = new_condition(parser, OR, left, read_and(parser));
	}
	return left;
}

/* ---- wanting -------------------------------------------------------------------------------- */

static enum cmake_fit want(struct cmake_run *run, const struct condition *condition, bool on);
static enum cmake_fit want_variable(struct cmake_run *run, const char *name, bool on);

static enum cmake_fit add_need(struct cmake_run *run, const char *name, bool on)
{
	if (run->need_count == CMAKE_MAX_NEEDS)
		return CMAKE_NEVER;
	run->needs[run->need_count++] = (struct cmake_need){name, on};
	return CMAKE_SURELY;
}

/* No file declares it; by its name it is for the command line. */
static bool looks_like_option(const char *name)
{
	static const char ending[] = "_FOUND";
	size_t length = strlen(name);

	if (strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != length ||
		(length > 6 && strcmp(name + length - 6, ending) == 0))
		return false;
	return strstr(name, "BENCH") || strstr(name, "TESTS") || strstr(name, "TESTING");
}

/* Each of a list's conditions. */
static enum cmake_fit want_all(struct cmake_run *run, const char *list)
{
	enum cmake_fit fit = CMAKE_SURELY;

	for (size_t length; *list && fit != CMAKE_NEVER; list += length + (list[length] == ';')) {
		struct cmake_script script = {0};
		struct cmake_text text = {.path = "", .folder = ""};
		enum cmake_fit one;

		length = strcspn(list, ";");
		text.text = arena_printf(run->arena, "if(%.*s)", (int)length, list);
		script.source = &text;
		cmake_parse(run->arena, &script);
		one = script.count ? cmake_want(run, &script.commands[0].words, true) : CMAKE_MAYBE;
		fit = one < fit ? one : fit;
	}
	return fit;
}

static enum cmake_fit want_option(
	struct cmake_run *run, const struct cmake_variable *variable, bool on)
{
	const char *name = variable->name;
	bool is_set = variable->text && cmake_is_true(variable->text) == on;

	if (variable->depends && on) {
		enum cmake_fit fit = want_all(run, variable->depends);

		return is_set || !fit ? fit : add_need(run, name, on);
	}
	return is_set ? CMAKE_SURELY : add_need(run, name, on);
}

/* Set in a branch, it takes what the branch takes. */
static enum cmake_fit want_set(
	struct cmake_run *run, const struct cmake_variable *variable, bool on)
{
	if (variable->maybe || !variable->text)
		return CMAKE_MAYBE;
	if (cmake_is_true(variable->text) == on) {
		for (size_t i = 0; i < variable->need_count; i++)
			if (!want_variable(run, variable->needs[i].name, variable->needs[i].on))
				return CMAKE_NEVER;
		return CMAKE_SURELY;
	}
	if (variable->need_count && cmake_is_true(variable->other ? variable->other : "") == on)
		return CMAKE_SURELY;
	/* It may be changed by what cannot be followed. */
	return CMAKE_MAYBE;
}

static enum cmake_fit want_variable(struct cmake_run *run, const char *name, bool on)
{
	const struct cmake_variable *variable = cmake_find(run, name);
	enum cmake_fit fit = CMAKE_MAYBE;
	bool value;

	for (size_t i = 0; i < run->need_count; i++)
		if (strcmp(run->needs[i].name, name) == 0)
			return run->needs[i].on == on ? CMAKE_SURELY : CMAKE_NEVER;
	run->steps_left -= run->steps_left > 0;
	if (++run->depth > CMAKE_MAX_DEPTH || !run->steps_left)
		fit = CMAKE_NEVER;
	else if (is_platform(name, &value))
		fit = value == on ? CMAKE_SURELY : CMAKE_NEVER;
	else if (variable && variable->option)
		fit = want_option(run, variable, on);
	else if (variable)
		fit = want_set(run, variable, on);
	else if (looks_like_option(name))
		fit = on ? add_need(run, name, true) : CMAKE_SURELY;
	run->depth--;
	return fit;
}

/* Known to be so as things are. */
static bool is_now(struct cmake_run *run, const struct condition *condition, bool on)
{
	const struct condition *left = condition->left, *right = condition->right;
	size_t before = run->need_count;
	bool is = false;

	switch (condition->kind) {
	case VARIABLE:
		is = want_variable(run, condition->name, on) == CMAKE_SURELY &&
		     run->need_count == before;
		run->need_count = before;
		return is;
	case CONSTANT:
		return condition->value == on;
	case NOT:
		return is_now(run, left, !on);
	case AND:
	case OR:
		if ((condition->kind == AND) == on)
			return is_now(run, left, on) && is_now(run, right, on);
		return is_now(run, left, on) || is_now(run, right, on);
	case UNKNOWN:
		break;
	}
	return false;
}

static bool is_about_benchmarks(const struct condition *condition)
{
	if (!condition)
		return false;
	return (condition->kind == VARIABLE && strcasestr(condition->name, "bench")) ||
	       is_about_benchmarks(condition->left) || is_about_benchmarks(condition->right);
}

static enum cmake_fit want_either(
	struct cmake_run *run, const struct condition *left, const struct condition *right, bool on)
{
	size_t before = run->need_count;
	enum cmake_fit fit;

	if (is_now(run, left, on) || is_now(run, right, on))
		return CMAKE_SURELY;
	if (is_about_benchmarks(right) && !is_about_benchmarks(left))
		return want_either(run, right, left, on);
	fit = want(run, left, on);
	if (fit != CMAKE_NEVER)
		return fit;
	run->need_count = before;
	return want(run, right, on);
}

static enum cmake_fit want_both(
	struct cmake_run *run, const struct condition *left, const struct condition *right, bool on)
{
	enum cmake_fit first = want(run, left, on), second;

	if (first == CMAKE_NEVER)
		return CMAKE_NEVER;
	second = want(run, right, on);
	return first < second ? first : second;
}

static enum cmake_fit want(struct cmake_run *run, const struct condition *condition, bool on)
{
	switch (condition->kind) {
	case VARIABLE:
		return want_variable(run, condition->name, on);
	case CONSTANT:
		return condition->value == on ? CMAKE_SURELY : CMAKE_NEVER;
	case NOT:
		return want(run, condition->left, !on);
	case AND:
		return on ? want_both(run, condition->left, condition->right, on)
			  : want_either(run, condition->left, condition->right, on);
	case OR:
		return on ? want_either(run, condition->left, condition->right, on)
			  : want_both(run, condition->left, condition->right, on);
	case UNKNOWN:
		break;
	}
	return CMAKE_MAYBE;
}

enum cmake_fit cmake_want(struct cmake_run *run, const struct cmake_words *words, bool on)
{
	struct parser parser = {.run = run, .words = words};
	size_t before = run->need_count;
	enum cmake_fit fit = CMAKE_MAYBE;

	if (words->count <= MAX_CONDITION_WORDS && cmake_room(run))
		fit = want(run, read_or(&parser), on);
	if (fit == CMAKE_NEVER)
		run->need_count = before;
	return fit;
}
