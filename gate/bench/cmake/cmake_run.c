/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the flow of CMake files: branches, loops, functions, folders. */
#include "gate/bench/cmake/cmake_internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gate/base/strbuf.h"

static bool run_range(struct cmake_run *run, size_t first, size_t end);

/* ---- scopes --------------------------------------------------------------------------------- */

struct scope {
	struct cmake_variable *variables;
	size_t count, maybe, need_count;
};

static struct scope begin_scope(struct cmake_run *run)
{
	struct scope scope = {
		.count = run->variable_count, .maybe = run->maybe, .need_count = run->need_count};
	size_t size = (scope.count + 1) * sizeof(*scope.variables), cost = scope.count / 16;

	scope.variables = xmalloc(size);
	if (scope.count)
		memcpy(scope.variables, run->variables, scope.count * sizeof(*scope.variables));
	run->steps_left -= cost < run->steps_left ? cost : run->steps_left;
	return scope;
}

/* Options are of no scope. */
static void end_scope(struct cmake_run *run, struct scope *scope)
{
	for (size_t i = 0; i < run->variable_count; i++) {
		struct cmake_variable *variable = &run->variables[i];

		if (variable->option)
			continue;
		if (i < scope->count)
			*variable = scope->variables[i];
		else
			*variable = (struct cmake_variable){.name = variable->name, .maybe = true};
	}
	run->maybe = scope->maybe;
	run->need_count = scope->need_count;
	free(scope->variables);
}

/* ---- branches ------------------------------------------------------------------------------- */

/* Where the branch ends: at the next elseif() or else() of the same if(), or its end. */
static size_t branch_end(const struct cmake_script *script, size_t first, size_t end)
{
	size_t i = first + 1;

	while (i < end) {
		const struct cmake_command *command = &script->commands[i];

		if (cmake_is(command, "elseif") || cmake_is(command, "else"))
			return i;
		i = cmake_is(command, "if") ? cmake_block_end(script, i, end) + 1 : i + 1;
	}
	return end;
}

/* True: the block that it stands in goes no further. */
static bool run_branch(struct cmake_run *run, size_t at, size_t stop)
{
	const struct cmake_command *command = &run->script->commands[at];
	size_t needs = run->need_count, maybe = run->maybe;
	enum cmake_fit fit = CMAKE_SURELY;
	bool ends = false;

	if (!cmake_is(command, "else"))
		fit = cmake_want(run, &command->words, true);
	if (fit != CMAKE_NEVER) {
		run->maybe += fit == CMAKE_MAYBE;
		ends = run_range(run, at + 1, stop);
	}
	run->need_count = needs;
	run->maybe = maybe;
	return ends;
}

/*
 * Each branch, under what it takes. What is behind an if() whose branch returns takes that this one
 * is not gone. True: nothing is behind it.
 */
static bool run_if(struct cmake_run *run, size_t first, size_t end)
{
	const struct cmake_command *commands = run->script->commands;
	size_t needs = run->need_count, maybe = run->maybe, left = SIZE_MAX;
	bool is_over = false, first_stays = true;
	enum cmake_fit fit;

	for (size_t at = first, stop; at < end && !is_over; at = stop) {
		stop = branch_end(run->script, at, end);
		if (run_branch(run, at, stop)) {
			left = at;
			first_stays &= at != first;
		}
		if (cmake_is(&commands[at], "else"))
			break;
		fit = cmake_want(run, &commands[at].words, false);
		run->maybe += fit == CMAKE_MAYBE;
		is_over = fit == CMAKE_NEVER;
	}
	run->need_count = needs;
	run->maybe = maybe;
	if (left == SIZE_MAX)
		return false;
	if (cmake_is(&commands[left], "else"))
		return !first_stays || !cmake_want(run, &commands[first].words, true);
	return !cmake_want(run, &commands[left].words, false);
}

/* ---- loops ---------------------------------------------------------------------------------- */

/* What foreach() goes through: its words without keywords, those behind LISTS as variables. */
static struct cmake_words loop_items(struct cmake_run *run, const struct cmake_words *words)
{
	struct cmake_words given = cmake_expand_all(run, words, 1), items = {0};
	bool are_lists = false;

	for (size_t i = 0; i < given.count; i++) {
		const struct cmake_word *word = &given.items[i];

		if (strcmp(word->text, "RANGE") == 0 || strcmp(word->text, "ZIP_LISTS") == 0)
			return (struct cmake_words){0};
		if (i < 2 && (strcmp(word->text, "IN") == 0 || strcmp(word->text, "ITEMS") == 0))
			continue;
		if (strcmp(word->text, "LISTS") == 0) {
			are_lists = true;
		} else if (are_lists) {
			const char *text = arena_printf(run->arena, "${%s}", word->text);
			struct cmake_word list = {.text = text};
			struct cmake_words one = {.items = &list, .count = 1}, more;

			more = cmake_expand_all(run, &one, 0);
			for (size_t k = 0; k < more.count; k++)
				cmake_add_word(run->arena, &items, more.items[k]);
		} else {
			cmake_add_word(run->arena, &items, *word);
		}
	}
	return items;
}

/* The body for each item; once with what is not known. */
static void run_foreach(struct cmake_run *run, size_t first, size_t end)
{
	const struct cmake_command *command = &run->script->commands[first];
	struct cmake_words items;
	const char *name;
	bool is_known = false;

	if (!command->words.count)
		return;
	name = command->words.items[0].text;
	items = loop_items(run, &command->words);
	for (size_t i = 0; i < items.count && run->steps_left; i++) {
		if (!items.items[i].known)
			continue;
		is_known = true;
		cmake_set(run, name, items.items[i].text);
		run_range(run, first + 1, end);
	}
	cmake_set(run, name, NULL);
	if (!is_known)
		run_range(run, first + 1, end);
}

/* ---- functions ------------------------------------------------------------------------------ */

static void define(struct cmake_run *run, size_t first, size_t end)
{
	const struct cmake_command *command = &run->script->commands[first];

	if (!command->words.count || run->function_count == CMAKE_MAX_FUNCTIONS)
		return;
	run->functions = grow_array(run->functions, &run->function_capacity,
		run->function_count + 1, sizeof(*run->functions));
	run->functions[run->function_count++] = (struct cmake_function){
		.name = command->words.items[0].text,
		.script = run->script,
		.first = first + 1,
		.end = end,
		.parameters = &command->words,
		.is_macro = cmake_is(command, "macro"),
	};
}

/* The last of that name. */
static const struct cmake_function *function_of(const struct cmake_run *run, const char *name)
{
	for (size_t i = run->function_count; i > 0; i--)
		if (strcasecmp(run->functions[i - 1].name, name) == 0)
			return &run->functions[i - 1];
	return NULL;
}

static void set_argument(
	struct cmake_run *run, const char *name, const struct cmake_words *given, size_t at)
{
	bool is_known = at < given->count && given->items[at].known;

	cmake_set(run, name, is_known ? given->items[at].text : NULL);
}

/* ARGN: what is given beyond the parameters. */
static void set_rest(struct cmake_run *run, const struct cmake_words *given, size_t first)
{
	struct strbuf list = STRBUF_INIT;
	bool is_known = true;

	for (size_t i = first; i < given->count; i++) {
		strbuf_addf(&list, "%s%s", i > first ? ";" : "", given->items[i].text);
		is_known &= given->items[i].known;
	}
	cmake_set(run, "ARGN", is_known ? arena_strdup(run->arena, list.data) : NULL);
	strbuf_release(&list);
}

static void call(struct cmake_run *run, const struct cmake_command *command)
{
	const struct cmake_function *found = function_of(run, command->name);
	const struct cmake_script *script = run->script;
	struct cmake_function function;
	struct cmake_words given;
	struct scope scope;

	if (!found || run->depth >= CMAKE_MAX_DEPTH)
		return;
	function = *found; /* the array may grow */
	given = cmake_expand_all(run, &command->words, 0);
	if (!function.is_macro)
		scope = begin_scope(run);
	for (size_t i = 1; i < function.parameters->count; i++)
		set_argument(run, function.parameters->items[i].text, &given, i - 1);
	set_rest(run, &given, function.parameters->count - 1);
	run->depth++;
	run->script = function.script;
	run_range(run, function.first, function.end);
	run->script = script;
	run->depth--;
	if (!function.is_macro)
		end_scope(run, &scope);
}

/* ---- files ---------------------------------------------------------------------------------- */

void cmake_run_script(struct cmake_run *run, struct cmake_script *script)
{
	const struct cmake_script *before = run->script;
	size_t needs = run->need_count, maybe = run->maybe;

	if (script->running || run->depth >= CMAKE_MAX_DEPTH)
		return;
	script->running = script->reached = true;
	run->depth++;
	run->script = script;
	cmake_set(run, "CMAKE_CURRENT_LIST_DIR",
		arena_printf(run->arena, "%s/%s", CMAKE_SOURCE_ROOT, script->source->folder));
	run_range(run, 0, script->count);
	run->script = before;
	if (before)
		cmake_set(run, "CMAKE_CURRENT_LIST_DIR",
			arena_printf(
				run->arena, "%s/%s", CMAKE_SOURCE_ROOT, before->source->folder));
	run->depth--;
	run->need_count = needs;
	run->maybe = maybe;
	script->running = false;
}

static void set_folders(struct cmake_run *run)
{
	cmake_set(run, "CMAKE_CURRENT_SOURCE_DIR",
		arena_printf(run->arena, "%s/%s", CMAKE_SOURCE_ROOT, run->folder));
	cmake_set(run, "CMAKE_CURRENT_BINARY_DIR",
		arena_printf(run->arena, "%s/%s", CMAKE_BINARY_ROOT, run->binary));
}

static void add_subdirectory(struct cmake_run *run, const struct cmake_command *command)
{
	struct cmake_words given = cmake_expand_all(run, &command->words, 0);
	const char *folder = run->folder, *binary = run->binary, *path;
	bool has_binary = given.count > 1 && strcmp(given.items[1].text, "EXCLUDE_FROM_ALL") != 0;
	struct cmake_script *script;
	struct scope scope;

	if (!given.count || !given.items[0].known)
		return;
	path = cmake_path(run->arena, folder, given.items[0].text);
	script = path ? cmake_script_of(run, cmake_path(run->arena, path, "CMakeLists.txt")) : NULL;
	if (!script || script->running)
		return;
	scope = begin_scope(run);
	run->binary = cmake_path(run->arena, binary, given.items[has_binary].text);
	if (!run->binary || !given.items[has_binary].known)
		run->binary = path;
	run->folder = path;
	set_folders(run);
	cmake_run_script(run, script);
	run->folder = folder;
	run->binary = binary;
	end_scope(run, &scope);
	set_folders(run);
}

/* A module's name: any file that is so called. */
static struct cmake_script *module(struct cmake_run *run, const char *name)
{
	const char *file = arena_printf(run->arena, "%s.cmake", name);
	size_t length = strlen(file), cost = run->script_count / 64;

	run->steps_left -= cost < run->steps_left ? cost : run->steps_left;
	for (size_t i = 0; i < run->script_count && !strchr(name, '/'); i++) {
		const char *path = run->scripts[i].source->path;
		size_t whole = strlen(path);

		if (whole >= length && strcmp(path + whole - length, file) == 0 &&
			(whole == length || path[whole - length - 1] == '/'))
			return &run->scripts[i];
	}
	return NULL;
}

static void include(struct cmake_run *run, const struct cmake_command *command)
{
	struct cmake_words given = cmake_expand_all(run, &command->words, 0);
	struct cmake_script *script;
	const char *path;

	if (!given.count || !given.items[0].known)
		return;
	path = cmake_path(run->arena, run->folder, given.items[0].text);
	script = path ? cmake_script_of(run, path) : NULL;
	if (!script)
		script = module(run, given.items[0].text);
	if (script)
		cmake_run_script(run, script);
	else if (strcmp(given.items[0].text, "CTest") == 0 && !cmake_find(run, "BUILD_TESTING"))
		*cmake_make(run, "BUILD_TESTING") = (struct cmake_variable){
			.name = "BUILD_TESTING", .text = "ON", .option = true};
}

/* ---- the flow ------------------------------------------------------------------------------- */

static void run_plain(struct cmake_run *run, const struct cmake_command *command)
{
	if (cmake_is(command, "add_subdirectory"))
		add_subdirectory(run, command);
	else if (cmake_is(command, "include"))
		include(run, command);
	else if (!cmake_run_command(run, command))
		call(run, command);
}

/* A block; true: what is behind it in the block around is not reached. */
static bool run_block(struct cmake_run *run, size_t first, size_t end)
{
	const struct cmake_command *command = &run->script->commands[first];

	if (cmake_is(command, "if"))
		return run_if(run, first, end);
	if (cmake_is(command, "foreach"))
		run_foreach(run, first, end);
	else if (cmake_is(command, "function") || cmake_is(command, "macro"))
		define(run, first, end);
	return false;
}

static bool is_block(const struct cmake_command *command)
{
	return cmake_is(command, "if") || cmake_is(command, "foreach") ||
	       cmake_is(command, "while") || cmake_is(command, "function") ||
	       cmake_is(command, "macro");
}

static bool run_range(struct cmake_run *run, size_t first, size_t end)
{
	bool is_over = ++run->depth > CMAKE_MAX_DEPTH;

	for (size_t i = first, stop; i < end && !is_over; i = stop) {
		const struct cmake_command *command = &run->script->commands[i];

		stop = i + 1;
		if (!run->steps_left || !cmake_room(run)) {
			run->sites->cut = true;
			break;
		}
		run->steps_left--;
		if (cmake_is(command, "return")) {
			is_over = true;
		} else if (is_block(command)) {
			size_t last = cmake_block_end(run->script, i, end);

			is_over = run_block(run, i, last);
			stop = last + 1;
		} else {
			run_plain(run, command);
		}
	}
	run->depth--;
	return is_over;
}
