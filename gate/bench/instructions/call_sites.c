/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/instructions/call_sites.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/profile/callgrind/callgrind.h"
#include "gate/profile/capture/capture_read.h"
#include "gate/profile/profile_kind.h"
#include "gate/profile/symbolize/symbolize.h"

void call_sites_init(struct call_sites *sites)
{
	*sites = (struct call_sites){.arena = ARENA_INIT};
	map_init(&sites->object_index);
	map_init(&sites->index);
}

void call_sites_release(struct call_sites *sites)
{
	map_release(&sites->object_index);
	map_release(&sites->index);
	free(sites->objects);
	free(sites->items);
	arena_release(&sites->arena);
	*sites = (struct call_sites){.arena = ARENA_INIT};
}

/* ---- what is a call ------------------------------------------------------------------------ */

/* "f.cold", "f.part.0.cold", "f.part.0", "f() [clone .cold]": where the suffix begins, or NULL. */
static const char *find_suffix(const char *symbol, const char *suffix)
{
	size_t length = strlen(suffix);
	const char *at = symbol;

	while ((at = strstr(at, suffix)) != NULL) {
		if (at > symbol && (at[length] == '\0' || strchr(".]' ", at[length])))
			return at;
		at += length;
	}
	return NULL;
}

/* The unlikely part of the callee, on its way back. */
static bool returns_from_cold(const char *caller, const char *callee)
{
	static const char clone[] = " [clone ";
	const size_t clone_length = sizeof(clone) - 1;
	const char *cold = find_suffix(caller, ".cold");
	size_t length = cold ? (size_t)(cold - caller) : 0;

	if (length > clone_length && memcmp(cold - clone_length, clone, clone_length) == 0)
		length -= clone_length;
	return cold && strncmp(caller, callee, length) == 0 &&
	       (callee[length] == '\0' || callee[length] == '\'');
}

static bool is_call(const struct callgrind_calls *calls)
{
	return !find_suffix(calls->callee, ".cold") && !find_suffix(calls->callee, ".part") &&
	       !returns_from_cold(calls->caller, calls->callee);
}

/* ---- sites --------------------------------------------------------------------------------- */

static uint32_t object_of(struct call_sites *sites, const char *path)
{
	bool added;
	uint32_t id = map_intern(
		&sites->object_index, path, strlen(path), (uint32_t)sites->object_count, &added);

	if (!added)
		return id;
	sites->objects = grow_array(sites->objects, &sites->object_capacity,
		sites->object_count + 1, sizeof(*sites->objects));
	sites->objects[sites->object_count++] = arena_strdup(&sites->arena, path);
	return id;
}

static struct call_site *site_of(struct call_sites *sites, const struct callgrind_calls *calls)
{
	const uint64_t key[] = {object_of(sites, calls->caller_object),
		object_of(sites, calls->callee_object), calls->from, calls->to};
	bool added;
	uint32_t id = map_intern(&sites->index, key, sizeof(key), (uint32_t)sites->count, &added);

	if (!added)
		return &sites->items[id];
	sites->items =
		grow_array(sites->items, &sites->capacity, sites->count + 1, sizeof(*sites->items));
	sites->items[sites->count] = (struct call_site){.object = (uint32_t)key[0],
		.callee_object = (uint32_t)key[1],
		.from = calls->from,
		.to = calls->to};
	return &sites->items[sites->count++];
}

static void add_capped(uint64_t *sum, uint64_t number)
{
	if (__builtin_add_overflow(*sum, number, sum))
		*sum = UINT64_MAX;
}

void call_sites_add(struct call_sites *sites, const struct instructions_run *run)
{
	if (!run->counts || run->engine != INSTRUCTIONS_CALLGRIND || sites->runs == CALL_SITES_RUNS)
		return;
	for (size_t i = 0; i < callgrind_calls_count(run->counts); i++) {
		struct callgrind_calls calls = callgrind_calls_at(run->counts, i);
		struct call_site *site;

		if (!is_call(&calls))
			continue;
		site = site_of(sites, &calls);
		add_capped(&site->calls[sites->runs], calls.count);
		add_capped(&site->instructions[sites->runs], calls.instructions);
	}
	sites->iterations[sites->runs++] = run->iterations;
	sites->lost |= run->lost > 0;
}

/* ---- their names --------------------------------------------------------------------------- */

/* One process that "sampled" each call once for each time it was made, in one of the runs, with its
 * instructions for weights. */
static struct capture_process process_of(
	const struct call_sites *sites, unsigned run, struct arena *arena)
{
	struct capture_process process = {.executable = "",
		.module_count = sites->object_count,
		.stack_count = sites->count,
		.entry_count = sites->count};

	process.modules = arena_array(arena, sites->object_count, sizeof(*process.modules));
	for (size_t i = 0; i < sites->object_count; i++)
		process.modules[i] =
			(struct capture_module){.path = sites->objects[i], .build_id = ""};
	process.stacks = arena_array(arena, sites->count, sizeof(*process.stacks));
	process.entries = arena_array(arena, sites->count, sizeof(*process.entries));
	for (size_t i = 0; i < sites->count; i++) {
		const struct call_site *site = &sites->items[i];
		struct capture_frame *frames = arena_array(arena, 2, sizeof(*frames));

		frames[0] = (struct capture_frame){site->callee_object, true, site->to};
		frames[1] = (struct capture_frame){site->object, true, site->from};
		process.stacks[i] = (struct capture_stack){.frames = frames, .depth = 2};
		process.entries[i] = (struct capture_sample){.kind = CAPTURE_CPU,
			.stack = (uint32_t)i,
			.count = site->calls[run],
			.sum = site->instructions[run]};
	}
	return process;
}

static int add_run(const struct call_sites *sites, unsigned run, struct symbolizer *symbolizer,
	struct profile *profile, struct error *err)
{
	struct capture_set set;
	struct capture_process process;
	int rc;

	capture_set_init(&set);
	process = process_of(sites, run, &set.arena);
	set.processes = &process;
	set.process_count = 1;
	rc = symbolizer_add_captures(symbolizer, &set, profile_kinds, run, profile, err);
	capture_set_release(&set);
	return rc;
}

int call_sites_profile(const struct call_sites *sites, const char *const *strip_prefixes,
	struct profile **out, struct error *err)
{
	const struct symbolizer_options options = {.strip_prefixes = strip_prefixes};
	struct symbolizer *symbolizer = symbolizer_new(&options);
	struct profile *profile = profile_new();
	int rc = ERR_OK;

	for (unsigned run = 0; run < sites->runs && !rc; run++)
		rc = add_run(sites, run, symbolizer, profile, err);
	symbolizer_free(symbolizer);
	if (rc)
		profile_free(profile);
	else
		*out = profile;
	return rc;
}
