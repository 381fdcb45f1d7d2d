/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/measure/measure_reference.h"

#include <string.h>
#include <time.h>

#include "baseline/choose.h"
#include "gate/base/error.h"
#include "gate/check/measure/measure_counted.h"
#include "gate/check/measure/measure_history.h"

#define DESK_TIMEOUT_NS (30 * 1000000000ULL)
#define SHORT_ID 10
#define MOST_SECONDS 120 /* for all benchmarks: the pairs are what counts */

static void store_progress_line(void *data, const char *line)
{
	plan_progress(data, "%s", line);
}

/* At a desk nobody waits for a server that the configuration does not name. */
static const char *store_url(const struct plan *plan)
{
	const struct check_options *options = plan->options;

	if (options->no_store)
		return NULL;
	if (options->store)
		return options->store;
	return options->ci || plan->config.has_store ? plan->config.store : NULL;
}

/* The same store may be asked twice in a check. */
static void warn_once(struct plan *plan, const char *text)
{
	struct measurements_lines *lines = &plan->measurements->warnings;

	for (size_t i = 0; i < lines->count; i++)
		if (strcmp(lines->items[i], text) == 0)
			return;
	measurements_add_line(plan->measurements, lines, text);
}

static void cannot_look(struct plan *plan, const struct error *err)
{
	warn_once(plan, arena_printf(&plan->measurements->arena,
				"no stored baseline was looked at: %s", err->message));
	plan_progress(plan, "no stored baseline was looked at: %s", err->message);
}

/* The first thing that makes CPU times differ; all of them are in fingerprint_id(). */
static const char *environment_difference(struct plan *plan, const struct fingerprint *there)
{
	struct fingerprint here;
	struct arena *arena = &plan->measurements->arena;

	fingerprint_read(&here, arena);
	const struct {
		const char *what, *here, *there;
	} fields[] = {
		{"CPU", here.cpu_model, there->cpu_model},
		{"kernel", here.kernel, there->kernel},
		{"libc", here.libc, there->libc},
		{"system", here.os, there->os},
		{"frequency governor", here.governor, there->governor},
		{"virtual machine", here.virtualization, there->virtualization},
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (strcmp(fields[i].here, fields[i].there) != 0)
			return arena_printf(arena, "another %s: %s there, %s here", fields[i].what,
				fields[i].there[0] ? fields[i].there : "unknown",
				fields[i].here[0] ? fields[i].here : "unknown");
	return "another number of CPUs, or other CPU features";
}

static const char *distance_text(struct arena *arena, size_t distance)
{
	if (!distance)
		return "the base itself";
	return arena_printf(
		arena, "%zu commit%s before the base", distance, distance == 1 ? "" : "s");
}

/* One of the benchmark's profile types that is looked for. */
struct wanted_type {
	struct measured_benchmark *benchmark;
	const char *type;
};

static void add_choice(struct plan *plan, struct store *store, const struct wanted_type *wanted,
	struct baseline_choice *choice)
{
	struct arena *arena = &plan->measurements->arena;
	struct measured_reference *reference =
		measurements_add_reference(plan->measurements, wanted->benchmark, wanted->type);
	const char *const *losses = store_losses(store);

	reference->store = arena_strdup(arena, store_name(store));
	reference->commit = arena_strdup(arena, choice->commit);
	reference->distance = choice->distance;
	reference->baseline = choice->recording;
	reference->has_baseline = true;
	if (!choice->same_environment)
		reference->environment =
			environment_difference(plan, &choice->recording.fingerprint);
	if (choice->detail == BASELINE_SUMMARY)
		measurements_add_line(plan->measurements, &reference->losses,
			"only the hottest functions of it are still kept");
	if (choice->detail != BASELINE_EXACT)
		for (; losses && *losses; losses++)
			measurements_add_line(plan->measurements, &reference->losses, *losses);
	plan_progress(plan, "%s: stored %s of %.*s, %s%s", wanted->benchmark->name,
		strcmp(wanted->type, RECORDING_TYPE_CPU) == 0 ? "baseline" : wanted->type, SHORT_ID,
		choice->commit, distance_text(arena, choice->distance),
		choice->same_environment ? "" : ", from another environment");
}

static void add_lost(struct plan *plan, struct store *store, const struct wanted_type *wanted,
	const struct error *lost)
{
	struct measured_reference *reference =
		measurements_add_reference(plan->measurements, wanted->benchmark, wanted->type);

	reference->store = arena_strdup(&plan->measurements->arena, store_name(store));
	reference->detail = arena_strdup(&plan->measurements->arena, lost->message);
}

/* What one entry is to blame for does not concern the others; the store's own failure does. */
static bool is_of_store(int rc)
{
	return rc && rc != ERR_NOT_FOUND && rc != ERR_CORRUPT && rc != ERR_LIMIT;
}

/* True: there is one. */
static bool find_one(struct plan *plan, struct store *store, const char *const *ancestors,
	size_t count, const char *environment, const struct wanted_type *wanted, struct error *lost)
{
	struct baseline_choice choice;
	struct error err = {0};
	int rc = baseline_choose(store, ancestors, count, wanted->benchmark->name, wanted->type,
		environment, &choice, &err);

	if (!rc)
		add_choice(plan, store, wanted, &choice);
	else if (rc == ERR_NOT_FOUND)
		plan_progress(plan, "%s: %s", wanted->benchmark->name, err.message);
	else
		add_lost(plan, store, wanted, &err);
	if (is_of_store(rc))
		*lost = err;
	return !rc;
}

/* expanded: see plan_find_references(). */
static bool wants_reference(
	const struct plan *plan, const struct measured_benchmark *benchmark, bool expanded)
{
	const struct config_benchmark *config = config_find(&plan->config, benchmark->name);
	bool is_expanded = config && config->entry;

	return is_expanded == expanded && (benchmark->outcome == OUTCOME_MEASURED ||
						  benchmark->outcome == OUTCOME_BASE_FAILED);
}

static bool wants_any(const struct plan *plan, bool expanded)
{
	for (size_t i = 0; i < plan->measurements->benchmark_count; i++)
		if (wants_reference(plan, &plan->measurements->benchmarks[i], expanded))
			return true;
	return false;
}

/* CPU time, then each value type that is counted exactly; NULL: no more. */
static const char *nth_type(const struct config_benchmark *config, size_t n)
{
	const struct profile_kind *kind;

	if (n == 0)
		return RECORDING_TYPE_CPU;
	n--;
	for (size_t i = 0; config && (kind = counted_kind(config, i)) != NULL; i++)
		for (size_t k = 0; kind->exact_types[k]; k++)
			if (!n--)
				return kind->exact_types[k];
	return NULL;
}

/* A server that keeps silent is waited for once, not for each benchmark. */
struct search {
	struct store *store;
	const char *const *ancestors;
	size_t count;
	const char *environment;
	time_t start;
	struct error lost;
	struct history history;
};

static void find_types(
	struct plan *plan, struct search *search, struct measured_benchmark *benchmark)
{
	const struct config_benchmark *config = config_find(&plan->config, benchmark->name);
	struct wanted_type wanted = {.benchmark = benchmark};

	for (size_t i = 0; (wanted.type = nth_type(config, i)) != NULL; i++) {
		if (!search->lost.code && time(NULL) - search->start > MOST_SECONDS)
			error_set(&search->lost, ERR_LIMIT, "%s took too long to look through",
				store_name(search->store));
		if (search->lost.code)
			add_lost(plan, search->store, &wanted, &search->lost);
		else if (find_one(plan, search->store, search->ancestors, search->count,
				 search->environment, &wanted, &search->lost) &&
			 i > 0)
			history_read(&search->history, benchmark->name, &plan->measurements->arena,
				&benchmark->references[benchmark->reference_count - 1]);
	}
}

static void find_all(struct plan *plan, bool expanded, struct store *store,
	const char *const *ancestors, size_t count)
{
	struct fingerprint here;
	const struct store_lines *warnings;
	struct search search = {.store = store,
		.ancestors = ancestors,
		.count = count,
		.start = time(NULL),
		.history = {.store = store, .ancestors = ancestors, .count = count}};

	fingerprint_read(&here, &plan->measurements->arena);
	search.environment = fingerprint_id(&here, &plan->measurements->arena);
	for (size_t i = 0; i < plan->measurements->benchmark_count; i++)
		if (wants_reference(plan, &plan->measurements->benchmarks[i], expanded))
			find_types(plan, &search, &plan->measurements->benchmarks[i]);
	history_release(&search.history);
	warnings = store_warnings(store);
	for (size_t i = 0; i < warnings->count; i++)
		warn_once(plan, warnings->items[i]);
}

void plan_find_references(struct plan *plan, bool expanded)
{
	const char *url = store_url(plan);
	struct store_options options = {
		.repo = plan->repo,
		.credentials = plan->config.credentials,
		.timeout_ns = plan->options->ci ? 0 : DESK_TIMEOUT_NS,
		.progress = store_progress_line,
		.progress_data = plan,
	};
	const char *const *ancestors;
	struct store *store = NULL;
	struct error err = {0};
	size_t count;
	int rc;

	if (!url || !wants_any(plan, expanded))
		return;
	rc = store_open(url, &options, &store, &err);
	if (!rc)
		rc = repo_first_parents(plan->repo, plan->commits.base, BASELINE_REACH,
			&plan->measurements->arena, &ancestors, &count, NULL, &err);
	if (!rc)
		find_all(plan, expanded, store, ancestors, count);
	else
		cannot_look(plan, &err);
	store_close(store);
}
