/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/decide/callers.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/map.h"
#include "gate/check/analysis/analysis.h"
#include "gate/check/result.h"
#include "gate/check/source/source_calls.h"
#include "gate/check/source/sources.h"

/* ---- which functions are of the repository --------------------------------------------------- */

/* Libraries of the system whose debug information has paths like those of a repository. */
static bool is_system_module(const char *module)
{
	static const char *const names[] = {
		"ld-linux", "libc.so", "libgcc_s.so", "libm.so", "libpthread.so", "libstdc++.so"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(module, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* A system's headers have paths from the root on; "<stdin>" and "[vdso]" are no files. */
static bool looks_like_path(const char *file)
{
	return file[0] && !strchr("/<[", file[0]) && strncmp(file, "../", 3) != 0;
}

static bool is_within(const struct reference *reference, uint32_t function, struct map *files)
{
	const struct matched_function *matched = &reference->comparison.matches.functions[function];
	int version = matched->file[VERSION_HEAD][0] ? VERSION_HEAD : VERSION_BASE;
	const char *file = matched->file[version];
	uint32_t known;

	if (!looks_like_path(file))
		return false;
	if (!reference->sources)
		return !is_system_module(reference->comparison.function_module[function]);
	known = map_get_str(files, file);
	if (known == MAP_NONE) {
		known = sources_has(reference->sources, version, file);
		map_put_str(files, file, known);
	}
	return known;
}

/* ---- the nearest of them --------------------------------------------------------------------- */

struct share {
	uint32_t function, caller;
	double growth;
};

static int compare_shares(const void *left, const void *right)
{
	const struct share *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return a->caller < b->caller ? -1 : a->caller > b->caller;
}

static double growth_of(const struct reference *reference, const struct comparison_node *node)
{
	return node->self[VERSION_HEAD] /
		       recording_total_work(reference->recordings[VERSION_HEAD]) -
	       node->self[VERSION_BASE] / recording_total_work(reference->recordings[VERSION_BASE]);
}

/* [node]: the nearest function of the repository, itself too. */
static uint32_t *find_nearest(const struct reference *reference)
{
	const struct comparison *comparison = &reference->comparison;
	size_t count = comparison->matches.count;
	uint32_t *nearest = arena_array(reference->arena, comparison->node_count, sizeof(*nearest));
	bool *within = arena_array(reference->arena, count, sizeof(*within));
	struct map files;

	map_init(&files);
	for (uint32_t f = 0; f < count; f++)
		within[f] = is_within(reference, f, &files);
	map_release(&files);
	nearest[0] = COMPARE_NONE;
	for (size_t i = 1; i < comparison->node_count; i++) {
		const struct comparison_node *node = &comparison->nodes[i];

		nearest[i] = within[node->function] ? node->function : nearest[node->parent];
	}
	return nearest;
}

static size_t find_shares(const struct reference *reference, struct share *shares)
{
	const struct comparison *comparison = &reference->comparison;
	const uint32_t *nearest = find_nearest(reference);
	size_t count = 0;

	for (size_t i = 1; i < comparison->node_count; i++) {
		const struct comparison_node *node = &comparison->nodes[i];

		if (nearest[i] != COMPARE_NONE && nearest[i] != node->function)
			shares[count++] = (struct share){
				node->function, nearest[i], growth_of(reference, node)};
	}
	qsort(shares, count, sizeof(*shares), compare_shares);
	return count;
}

const uint32_t *callers_find(const struct reference *reference)
{
	size_t functions = reference->comparison.matches.count;
	struct share *shares = xcalloc(reference->comparison.node_count, sizeof(*shares));
	size_t count = find_shares(reference, shares);
	uint32_t *callers = arena_array(reference->arena, functions, sizeof(*callers));
	double *most = arena_array(reference->arena, functions, sizeof(*most));

	memset(callers, 0xff, functions * sizeof(*callers));
	for (size_t i = 0, next; i < count; i = next) {
		const struct share *share = &shares[i];
		double growth = 0;

		for (next = i; next < count && !compare_shares(share, &shares[next]); next++)
			growth += shares[next].growth;
		if (growth > most[share->function]) {
			most[share->function] = growth;
			callers[share->function] = share->caller;
		}
	}
	free(shares);
	return callers;
}

/* ---- its line -------------------------------------------------------------------------------- */

static int64_t touched_call(const struct reference *reference, uint32_t function, uint32_t caller)
{
	const char *file = reference->comparison.matches.functions[caller].file[VERSION_HEAD];
	size_t count;
	struct comparison_line *lines = source_call_lines(reference->recordings[VERSION_HEAD],
		reference->comparison.matches.of[VERSION_HEAD], function, caller, &count);
	int64_t line = 0;

	for (size_t i = 0; i < count && !line; i++)
		if (diff_touches_line(reference->diff, file, lines[i].line))
			line = lines[i].line;
	free(lines);
	return line;
}

void callers_fill(const struct reference *reference, uint32_t function, uint32_t caller,
	struct arena *arena, struct result_reference_finding *out)
{
	const struct matched_function *matched = &reference->comparison.matches.functions[caller];
	int version = matched->kind == MATCHED_VANISHED ? VERSION_BASE : VERSION_HEAD;
	int64_t touched = version == VERSION_HEAD ? touched_call(reference, function, caller) : 0;

	out->caller = arena_strdup(arena, matched->name);
	out->caller_file = arena_strdup(arena, matched->file[version]);
	out->caller_line = touched ? touched : matched->line[version];
}
