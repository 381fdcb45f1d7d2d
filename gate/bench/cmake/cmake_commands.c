/* SPDX-License-Identifier: Apache-2.0 */
/* CMake's commands that set something, or say what a target is made of. */
#include "gate/bench/cmake/cmake_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gate/base/strbuf.h"

static const char *join(struct cmake_run *run, const struct cmake_words *words, size_t first)
{
	struct strbuf list = STRBUF_INIT;
	const char *text = NULL;
	bool is_known = true;

	for (size_t i = first; i < words->count && is_known; i++) {
		strbuf_addf(&list, "%s%s", i > first ? ";" : "", words->items[i].text);
		is_known = words->items[i].known && list.length <= CMAKE_MAX_WORD_BYTES;
	}
	if (is_known && list.length <= cmake_room(run))
		text = arena_strndup(run->arena, list.data, list.length);
	strbuf_release(&list);
	return text;
}

/* ---- variables ------------------------------------------------------------------------------ */

static bool is_variable_name(const char *name)
{
	return *name && strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				     "0123456789_") == strlen(name);
}

/* The first to declare it counts; then it is in the cache. */
static void declare(struct cmake_run *run, const char *name, const char *text, const char *depends)
{
	struct cmake_variable *variable;

	if (!is_variable_name(name))
		return;
	variable = cmake_make(run, name);
	if (variable->option)
		return;
	*variable = (struct cmake_variable){.name = arena_strdup(run->arena, name),
		.text = text,
		.option = true,
		.depends = depends};
}

/* set(NAME ON CACHE BOOL "...") */
static bool is_in_cache(const struct cmake_words *words)
{
	for (size_t i = 1; i + 1 < words->count; i++)
		if (strcmp(words->items[i].text, "CACHE") == 0)
			return strcmp(words->items[i + 1].text, "BOOL") == 0;
	return false;
}

static void run_set(struct cmake_run *run, const struct cmake_words *words)
{
	struct cmake_words values = *words;

	if (!words->items[0].known)
		return;
	if (is_in_cache(words)) {
		values.count = 2;
		declare(run, words->items[0].text, join(run, &values, 1), NULL);
		return;
	}
	for (size_t i = 1; i < values.count; i++)
		if (strcmp(values.items[i].text, "CACHE") == 0 ||
			strcmp(values.items[i].text, "PARENT_SCOPE") == 0)
			values.count = i;
	cmake_set(run, words->items[0].text, join(run, &values, 1));
}

static void run_list(struct cmake_run *run, const struct cmake_words *words)
{
	const struct cmake_variable *variable;
	const char *more, *before;

	if (words->count < 3 || strcmp(words->items[0].text, "APPEND") != 0) {
		if (words->count > 1)
			cmake_set(run, words->items[1].text, NULL);
		return;
	}
	variable = cmake_find(run, words->items[1].text);
	before = variable ? variable->text : "";
	more = join(run, words, 2);
	if (before && *before && more && strlen(before) + strlen(more) <= CMAKE_MAX_WORD_BYTES &&
		strlen(before) + strlen(more) <= cmake_room(run)) {
		more = arena_printf(run->arena, "%s;%s", before, more);
	} else if (!before || *before) {
		more = NULL;
	}
	cmake_set(run, words->items[1].text, more);
}

static void run_option(struct cmake_run *run, const struct cmake_words *words)
{
	if (words->items[0].known)
		declare(run, words->items[0].text,
			words->count < 3        ? "OFF"
			: words->items[2].known ? words->items[2].text
						: NULL,
			NULL);
}

/* cmake_dependent_option(NAME "..." VALUE "DEPENDS" OTHERWISE) */
static void run_dependent_option(struct cmake_run *run, const struct cmake_words *words)
{
	if (words->count < 4 || !words->items[0].known)
		return;
	declare(run, words->items[0].text, words->items[2].known ? words->items[2].text : NULL,
		words->items[3].known ? words->items[3].text : NULL);
}

static void run_project(struct cmake_run *run, const struct cmake_words *words)
{
	if (!words->items[0].known)
		return;
	cmake_set(run, "PROJECT_NAME", words->items[0].text);
	if (!cmake_find(run, "CMAKE_PROJECT_NAME"))
		cmake_set(run, "CMAKE_PROJECT_NAME", words->items[0].text);
	cmake_set(run, "PROJECT_SOURCE_DIR",
		arena_printf(run->arena, "%s/%s", CMAKE_SOURCE_ROOT, run->folder));
	cmake_set(run, "PROJECT_BINARY_DIR",
		arena_printf(run->arena, "%s/%s", CMAKE_BINARY_ROOT, run->binary));
}

/* get_filename_component(VARIABLE PATH NAME_WE), and NAME. */
static void run_component(struct cmake_run *run, const struct cmake_words *words)
{
	const char *path, *slash, *text = NULL;

	if (words->count < 3)
		return;
	path = words->items[1].text;
	slash = strrchr(path, '/');
	path = slash ? slash + 1 : path;
	if (words->items[1].known && strcmp(words->items[2].text, "NAME") == 0)
		text = path;
	else if (words->items[1].known && strcmp(words->items[2].text, "NAME_WE") == 0)
		text = arena_strndup(run->arena, path, strcspn(path, "."));
	cmake_set(run, words->items[0].text, text);
}

/* file(GLOB X ...), string(... X): what comes out is not known. */
static void run_file(struct cmake_run *run, const struct cmake_words *words)
{
	if (words->count > 1 && strncmp(words->items[0].text, "GLOB", 4) == 0)
		cmake_set(run, words->items[1].text, NULL);
}

/* ---- targets -------------------------------------------------------------------------------- */

static bool ends_in_one(const char *word, const char *const *endings)
{
	size_t length = strlen(word);

	for (; *endings; endings++) {
		size_t own = strlen(*endings);

		if (length > own && strcmp(word + length - own, *endings) == 0)
			return true;
	}
	return false;
}

static bool is_keyword(const char *word)
{
	static const char *const words[] = {"WIN32", "MACOSX_BUNDLE", "EXCLUDE_FROM_ALL", "PRIVATE",
		"PUBLIC", "INTERFACE", "", NULL};

	for (const char *const *one = words; *one; one++)
		if (strcmp(*one, word) == 0)
			return true;
	return false;
}

/* False: there is one that is not known. */
static bool add_sources(
	struct cmake_run *run, const struct cmake_words *words, struct strbuf *paths)
{
	static const char *const sources[] = {
		".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".cu", ".o", NULL};
	static const char *const others[] = {
		".h", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".tpp", ".txt", ".md", ".rc", NULL};

	for (size_t i = 1; i < words->count; i++) {
		const struct cmake_word *word = &words->items[i];
		const char *path;

		if (is_keyword(word->text) || (word->known && ends_in_one(word->text, others)))
			continue;
		if (!word->known || !ends_in_one(word->text, sources) ||
			strncmp(word->text, CMAKE_BINARY_ROOT, strlen(CMAKE_BINARY_ROOT)) == 0)
			return false;
		path = cmake_path(run->arena, run->folder, word->text);
		if (!path)
			return false;
		strbuf_addf(paths, "%s\n", path);
	}
	return true;
}

/* Where CMake puts programs. */
static const char *output_of(struct cmake_run *run, const char *name)
{
	static const char *const variables[] = {
		"CMAKE_RUNTIME_OUTPUT_DIRECTORY", "EXECUTABLE_OUTPUT_PATH"};
	const char *folder = run->binary;

	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const struct cmake_variable *variable = cmake_find(run, variables[i]);
		const char *text = variable ? variable->text : NULL;

		if (text && strncmp(text, CMAKE_BINARY_ROOT, strlen(CMAKE_BINARY_ROOT)) == 0)
			folder = cmake_path(run->arena, run->binary, text);
	}
	return cmake_path(run->arena, folder ? folder : ".", name);
}

static const char *options_of(struct cmake_run *run)
{
	struct strbuf text = STRBUF_INIT;
	const char *options;

	for (size_t i = 0; i < run->need_count; i++)
		strbuf_addf(&text, "%s-D%s=%s", i ? " " : "", run->needs[i].name,
			run->needs[i].on ? "ON" : "OFF");
	options = arena_strdup(run->arena, text.data);
	strbuf_release(&text);
	return options;
}

void cmake_add_executable(struct cmake_run *run, const struct cmake_command *command)
{
	struct cmake_words words = cmake_expand_all(run, &command->words, 0);
	struct strbuf paths = STRBUF_INIT;
	struct cmake_site site;

	if (!words.count || (words.count > 1 && (strcmp(words.items[1].text, "IMPORTED") == 0 ||
							strcmp(words.items[1].text, "ALIAS") == 0)))
		return;
	if (run->sites->count == CMAKE_MAX_SITES) {
		run->sites->cut = true;
		return;
	}
	site = (struct cmake_site){.name = words.items[0].text,
		.computed = !words.items[0].known,
		.file = run->script->source->path,
		.line = command->line,
		.project = run->project,
		.links = "",
		.options = options_of(run)};
	site.output = output_of(run, site.name);
	if (add_sources(run, &words, &paths))
		site.sources = arena_strdup(run->arena, paths.data);
	strbuf_release(&paths);
	run->sites->items = grow_array(run->sites->items, &run->site_capacity,
		run->sites->count + 1, sizeof(*run->sites->items));
	run->sites->items[run->sites->count++] = site;
}

static struct cmake_site *site_named(struct cmake_run *run, const char *name)
{
	for (size_t i = run->sites->count; i > 0; i--)
		if (strcmp(run->sites->items[i - 1].name, name) == 0)
			return &run->sites->items[i - 1];
	return NULL;
}

static void add_links(
	struct cmake_run *run, const struct cmake_words *words, struct cmake_site *site)
{
	struct strbuf links = STRBUF_INIT;

	strbuf_addstr(&links, site->links);
	for (size_t i = 1; i < words->count; i++)
		if (words->items[i].known && !is_keyword(words->items[i].text))
			strbuf_addf(&links, "%s\n", words->items[i].text);
	if (links.length <= CMAKE_MAX_WORD_BYTES && links.length <= cmake_room(run))
		site->links = arena_strdup(run->arena, links.data);
	strbuf_release(&links);
}

/* target_sources(NAME ...), target_link_libraries(NAME ...) */
void cmake_add_to_target(struct cmake_run *run, const struct cmake_command *command)
{
	struct cmake_words words = cmake_expand_all(run, &command->words, 0);
	struct cmake_site *site = words.count ? site_named(run, words.items[0].text) : NULL;
	struct strbuf paths = STRBUF_INIT;

	if (!site)
		return;
	if (cmake_is(command, "target_link_libraries")) {
		add_links(run, &words, site);
		return;
	}
	strbuf_addstr(&paths, site->sources ? site->sources : "");
	if (!add_sources(run, &words, &paths) || paths.length > cmake_room(run)) {
		site->sources = NULL;
	} else if (site->sources) {
		site->sources = arena_strdup(run->arena, paths.data);
	}
	strbuf_release(&paths);
}

/* ---- which ---------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*run)(struct cmake_run *run, const struct cmake_words *words);
} commands[] = {
	{"set", run_set},
	{"list", run_list},
	{"option", run_option},
	{"cmake_dependent_option", run_dependent_option},
	{"project", run_project},
	{"get_filename_component", run_component},
	{"file", run_file},
};

bool cmake_run_command(struct cmake_run *run, const struct cmake_command *command)
{
	struct cmake_words words;

	if (cmake_is(command, "add_executable")) {
		cmake_add_executable(run, command);
		return true;
	}
	if (cmake_is(command, "target_sources") || cmake_is(command, "target_link_libraries")) {
		cmake_add_to_target(run, command);
		return true;
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		if (!cmake_is(command, commands[i].name))
			continue;
		words = cmake_expand_all(run, &command->words, 0);
		if (words.count)
			commands[i].run(run, &words);
		return true;
	}
	return false;
}
