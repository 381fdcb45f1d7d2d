/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/cmake/cmake.h"

#include <stdlib.h>
#include <string.h>

#include "gate/bench/cmake/cmake_internal.h"

#define LISTS "CMakeLists.txt"

struct cmake_script *cmake_script_of(struct cmake_run *run, const char *path)
{
	uint32_t at = path ? map_get_str(&run->paths, path) : MAP_NONE;

	return at == MAP_NONE ? NULL : &run->scripts[at];
}

static bool is_lists(const struct cmake_script *script)
{
	const char *slash = strrchr(script->source->path, '/');

	return strcmp(slash ? slash + 1 : script->source->path, LISTS) == 0;
}

static bool has_project(const struct cmake_script *script)
{
	for (size_t i = 0; i < script->count; i++)
		if (cmake_is(&script->commands[i], "project"))
			return true;
	return false;
}

static void start(struct cmake_run *run)
{
	run->variable_count = run->function_count = 0;
	run->need_count = run->maybe = run->depth = 0;
	run->script = NULL;
	map_release(&run->names);
	map_init(&run->names);
}

/* As CMake would with this folder's file: the project's own, or one that it adds in a way that
 * cannot be followed. */
static void run_from(struct cmake_run *run, struct cmake_script *script, const char *project)
{
	const char *folder = script->source->folder;
	bool is_whole = strcmp(project, folder) == 0;

	start(run);
	run->project = project;
	run->folder = folder;
	run->binary = is_whole ? "." : folder;
	cmake_set(run, "CMAKE_SOURCE_DIR",
		arena_printf(run->arena, "%s/%s", CMAKE_SOURCE_ROOT, project));
	cmake_set(run, "CMAKE_BINARY_DIR", CMAKE_BINARY_ROOT);
	cmake_set(run, "PROJECT_SOURCE_DIR",
		arena_printf(run->arena, "%s/%s", CMAKE_SOURCE_ROOT, project));
	cmake_set(run, "PROJECT_BINARY_DIR", CMAKE_BINARY_ROOT);
	cmake_set(run, "CMAKE_CURRENT_SOURCE_DIR",
		arena_printf(run->arena, "%s/%s", CMAKE_SOURCE_ROOT, folder));
	cmake_set(run, "CMAKE_CURRENT_BINARY_DIR",
		arena_printf(run->arena, "%s/%s", CMAKE_BINARY_ROOT, run->binary));
	cmake_run_script(run, script);
}

static size_t depth_of(const char *path)
{
	size_t depth = 0;

	for (; *path; path++)
		depth += *path == '/';
	return depth;
}

/* The shallowest first: what is below may be reached from there. */
static int by_depth(const void *left, const void *right)
{
	const struct cmake_script *const *a = left, *const *b = right;
	size_t depth = depth_of((*a)->source->path), other = depth_of((*b)->source->path);

	if (depth != other)
		return depth < other ? -1 : 1;
	return strcmp((*a)->source->path, (*b)->source->path);
}

/* The root's, then those of other projects, then what none of them has reached. */
static void run_all(struct cmake_run *run)
{
	struct cmake_script **order = xcalloc(run->script_count + 1, sizeof(*order));
	size_t count = 0;

	for (size_t i = 0; i < run->script_count; i++)
		if (is_lists(&run->scripts[i]))
			order[count++] = &run->scripts[i];
	qsort(order, count, sizeof(*order), by_depth);
	for (size_t i = 0; i < count; i++)
		if (!order[i]->reached &&
			(strcmp(order[i]->source->path, LISTS) == 0 || has_project(order[i])))
			run_from(run, order[i], order[i]->source->folder);
	for (size_t i = 0; i < count; i++)
		if (!order[i]->reached)
			run_from(run, order[i], ".");
	free(order);
}

static void parse_all(struct cmake_run *run, const struct cmake_text *texts)
{
	for (size_t i = 0; i < run->script_count; i++) {
		run->scripts[i].source = &texts[i];
		cmake_parse(run->arena, &run->scripts[i]);
		map_put_str(&run->paths, texts[i].path, (uint32_t)i);
	}
}

static void keep_sites(struct arena *arena, struct cmake_sites *sites)
{
	struct cmake_site *items = arena_array(arena, sites->count, sizeof(*items));

	if (sites->count)
		memcpy(items, sites->items, sites->count * sizeof(*items));
	free(sites->items);
	sites->items = items;
}

void cmake_read(
	struct arena *arena, const struct cmake_text *texts, size_t count, struct cmake_sites *out)
{
	struct cmake_run run = {
		.arena = arena,
		.scripts = xcalloc(count + 1, sizeof(*run.scripts)),
		.script_count = count,
		.sites = out,
		.steps_left = CMAKE_MAX_STEPS,
	};

	*out = (struct cmake_sites){0};
	map_init(&run.names);
	map_init(&run.paths);
	parse_all(&run, texts);
	run.most_bytes = arena->used_bytes + CMAKE_MAX_EXPANDED_BYTES;
	run_all(&run);
	keep_sites(arena, out);
	map_release(&run.names);
	map_release(&run.paths);
	free(run.scripts);
	free(run.variables);
	free(run.functions);
}
