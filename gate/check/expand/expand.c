/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/expand/expand.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/bench/environment.h"
#include "gate/bench/harness/harness_ask.h"
#include "gate/bench/harness/harness_command.h"
#include "gate/bench/harness/harness_expand.h"

#define MAX_GONE_LINES 20

/* One entry on its way to its benchmarks. */
struct expansion {
	struct plan *plan;
	struct config *config; /* which has the entry */
	struct config_benchmark entry;
	size_t measured; /* its place in the measurements */
	const struct harness *harness;
	struct {
		const struct build *build; /* NULL: it is not asked */
		char *directory;
		struct harness_names names;
		bool is_known; /* names are there */
	} versions[VERSION_COUNT];
	char **env;
	bool is_replaced; /* by what it lists */
	bool is_counted;  /* its number of iterations is to be fixed by its own flag */
	struct harness_items items;
	struct error base_failure; /* base's program has no list */
};

static struct measured_benchmark *measured_of(const struct expansion *expansion)
{
	return &expansion->plan->measurements->benchmarks[expansion->measured];
}

static struct harness_program program_of(const struct expansion *expansion, int version)
{
	return (struct harness_program){
		.benchmark = &expansion->entry,
		.env = (const char *const *)expansion->env,
		.directory = expansion->versions[version].directory,
	};
}

static int activate(const struct expansion *expansion, int version, struct error *err)
{
	return build_activate(
		&expansion->plan->builds.cache, expansion->versions[version].build, err);
}

/* ---- asking -------------------------------------------------------------------------------- */

static void expansion_open(struct expansion *expansion)
{
	struct plan *plan = expansion->plan;
	bool is_own = expansion->config == &plan->own.config;

	expansion->env = environment_build(expansion->config, expansion->entry.env);
	if (is_own)
		expansion->versions[VERSION_HEAD].build = &plan->own.build;
	else
		expansion->versions[VERSION_HEAD].build = plan->builds.of[VERSION_HEAD];
	/* A base whose configuration does not have the entry is not asked. */
	if (measured_of(expansion)->outcome == OUTCOME_MEASURED)
		expansion->versions[VERSION_BASE].build = plan->builds.of[VERSION_BASE];
	for (int version = 0; version < VERSION_COUNT; version++) {
		harness_names_init(&expansion->versions[version].names);
		if (expansion->versions[version].build)
			expansion->versions[version].directory =
				file_join(expansion->versions[version].build->path,
					expansion->entry.directory);
	}
}

static void expansion_close(struct expansion *expansion)
{
	environment_free(expansion->env);
	for (int version = 0; version < VERSION_COUNT; version++) {
		harness_names_release(&expansion->versions[version].names);
		free(expansion->versions[version].directory);
	}
}

/* Where it stands and what it is, before the message. */
static int blame_entry(const struct expansion *expansion, struct error *err)
{
	return error_prefix(err, "%s:%u: benchmark %s, harness %s", expansion->config->origin,
		expansion->entry.line, expansion->entry.name,
		config_harness_names[expansion->harness->id]);
}

static int ask_version(struct expansion *expansion, int version, struct error *err)
{
	const struct harness_program program = program_of(expansion, version);
	int rc = activate(expansion, version, err);

	if (!rc)
		rc = harness_ask_names(
			&program, expansion->harness, &expansion->versions[version].names, err);
	expansion->versions[version].is_known = !rc;
	if (rc && rc != ERR_INTERRUPTED)
		error_prefix(err, "%s's program", version_names[version]);
	return rc;
}

/* Head's list is needed; base's failure is the policy's to judge. */
static int ask_both(struct expansion *expansion, struct error *err)
{
	int rc = ask_version(expansion, VERSION_HEAD, err);

	if (rc || !expansion->versions[VERSION_BASE].build)
		return rc;
	rc = ask_version(expansion, VERSION_BASE, &expansion->base_failure);
	if (rc != ERR_INTERRUPTED)
		return ERR_OK;
	*err = expansion->base_failure;
	return rc;
}

/* ---- what becomes of each ------------------------------------------------------------------ */

static int first_version_of(const struct harness_item *item)
{
	return item->in[VERSION_BASE] ? VERSION_BASE : VERSION_HEAD;
}

/* 0: its harness decides. A trial that fails says nothing: the measurement will. */
static int count_of(struct expansion *expansion, const struct harness_item *item, uint64_t *count,
	struct error *err)
{
	int version = first_version_of(item), rc;
	const struct harness_program program = program_of(expansion, version);
	struct error why;

	*count = 0;
	if (!expansion->is_counted)
		return ERR_OK;
	rc = activate(expansion, version, err);
	if (!rc && harness_ask_count(&program, expansion->harness, expansion->items.question,
			   item->listed, count, &why) == ERR_INTERRUPTED) {
		*err = why;
		rc = ERR_INTERRUPTED;
	}
	return rc;
}

static const char *slug_of(struct expansion *expansion, const char *name)
{
	char *slug = arena_strdup(&expansion->config->arena, name);

	for (char *at = slug; *at; at++)
		if (*at == '/' || *at == '+')
			*at = '_';
	return plan_free_slug(expansion->plan->measurements, slug);
}

static void set_outcome(const struct expansion *expansion, const struct measured_benchmark *entry,
	const struct harness_item *item, struct measured_benchmark *out)
{
	struct arena *arena = &expansion->plan->measurements->arena;

	out->outcome = entry->outcome;
	out->fails = entry->fails;
	out->detail = entry->detail;
	if (entry->outcome != OUTCOME_MEASURED || expansion->plan->recording)
		return;
	if (expansion->base_failure.code) {
		out->outcome = OUTCOME_BASE_FAILED;
		out->fails = expansion->plan->config.policy.on_base_failure == CONFIG_FAIL;
		out->detail = arena_strdup(arena, expansion->base_failure.message);
	} else if (!item->in[VERSION_BASE]) {
		out->outcome = OUTCOME_NEW;
		out->detail = "";
	}
}

/* In head's list, or in none that is known; and asked for on the command line. */
static bool is_kept(const struct expansion *expansion, const struct harness_item *item)
{
	return item->in[VERSION_HEAD] &&
	       plan_wants(expansion->plan, item->name, expansion->entry.name);
}

static void tell_gone(const struct expansion *expansion)
{
	struct measurements *measurements = expansion->plan->measurements;
	size_t gone = 0;

	for (size_t i = 0; i < expansion->items.count; i++) {
		const struct harness_item *item = &expansion->items.items[i];

		if (!item->in[VERSION_HEAD] && gone++ < MAX_GONE_LINES)
			measurements_add_line(measurements, &measurements->config_changes,
				arena_printf(&measurements->arena,
					"benchmark %s: removed (head's program does not list it)",
					item->name));
	}
	if (gone > MAX_GONE_LINES)
		measurements_add_line(measurements, &measurements->config_changes,
			arena_printf(&measurements->arena, "%zu more benchmarks of %s: removed",
				gone - MAX_GONE_LINES, expansion->entry.name));
}

/* ---- putting them in its place ------------------------------------------------------------- */

/* The configuration's benchmarks with so many more behind the entry, which is overwritten. */
static struct config_benchmark *make_room(struct config *config, size_t entry, size_t count)
{
	struct config_benchmark *all =
		arena_array(&config->arena, config->benchmark_count + count + 1, sizeof(*all));
	size_t behind = config->benchmark_count - entry - 1;

	memcpy(all, config->benchmarks, entry * sizeof(*all));
	memcpy(all + entry + count, config->benchmarks + entry + 1, behind * sizeof(*all));
	config->benchmarks = all;
	config->benchmark_count += count - 1;
	return all + entry;
}

static size_t place_in_config(const struct expansion *expansion)
{
	size_t i = 0;

	while (strcmp(expansion->config->benchmarks[i].name, expansion->entry.name) != 0)
		i++;
	return i;
}

/* All of them; names that hold good in the arena of the configuration, which lives as long. */
static int make_benchmarks(struct expansion *expansion, struct config_benchmark *made,
	const struct harness_item **items, size_t *count, struct error *err)
{
	struct arena *arena = &expansion->config->arena;
	/* A self-test plants into one. */
	bool is_single = expansion->plan->options->plant;
	int rc = ERR_OK;

	*count = 0;
	for (size_t i = 0; i < expansion->items.count && !rc; i++) {
		const struct harness_item *item = &expansion->items.items[i];
		uint64_t iterations;

		if (!is_kept(expansion, item) || (is_single && *count))
			continue;
		rc = count_of(expansion, item, &iterations, err);
		if (!rc && !harness_make(arena, expansion->harness, &expansion->entry, item,
				   expansion->items.question, iterations, &made[*count]))
			rc = error_set(err, ERR_BENCHMARK, "its command takes no more arguments");
		if (!rc)
			items[(*count)++] = item;
	}
	return rc;
}

static void put_benchmarks(struct expansion *expansion, struct config_benchmark *made,
	const struct harness_item *const *items, size_t count)
{
	struct measurements *measurements = expansion->plan->measurements;
	const struct measured_benchmark entry = *measured_of(expansion);
	struct config_benchmark *configured =
		make_room(expansion->config, place_in_config(expansion), count);
	struct measured_benchmark *out =
		measurements_split_benchmark(measurements, expansion->measured, count);

	for (size_t i = 0; i < count; i++) {
		made[i].slug = slug_of(expansion, made[i].name);
		configured[i] = made[i];
		out[i].name = arena_strdup(&measurements->arena, made[i].name);
		out[i].slug = arena_strdup(&measurements->arena, made[i].slug);
		out[i].command = arena_strdup(&measurements->arena, made[i].command_text);
		set_outcome(expansion, &entry, items[i], &out[i]);
	}
}

static int replace_entry(struct expansion *expansion, size_t *count, struct error *err)
{
	size_t most = expansion->items.count;
	struct config_benchmark *made = xcalloc(most + 1, sizeof(*made));
	const struct harness_item **items = xcalloc(most + 1, sizeof(struct harness_item *));
	int rc = make_benchmarks(expansion, made, items, count, err);

	if (!rc) {
		put_benchmarks(expansion, made, items, *count);
		expansion->is_replaced = true;
		tell_gone(expansion);
	}
	free(items);
	free(made);
	return rc;
}

/* ---- one entry ----------------------------------------------------------------------------- */

static bool has_globs(const struct config_benchmark *entry)
{
	return entry->include[0] || entry->exclude[0];
}

/* *harness NULL: it stays as it is. */
static int choose_harness(struct expansion *expansion, struct error *err)
{
	const struct config_benchmark *entry = &expansion->entry;
	const struct harness_program program = program_of(expansion, VERSION_HEAD);
	const char *selected;
	int rc = activate(expansion, VERSION_HEAD, err);

	if (rc)
		return rc;
	expansion->harness = harness_find(&program);
	if (!expansion->harness || !harness_lists(expansion->harness)) {
		expansion->harness = NULL;
		return has_globs(entry)
			       ? error_set(err, ERR_BENCHMARK,
					 "%s:%u: benchmark %s has 'include' or 'exclude', "
					 "but no harness was found in its program: name "
					 "it by 'harness:'",
					 expansion->config->origin, entry->line, entry->name)
			       : ERR_OK;
	}
	selected = harness_selected(&expansion->config->arena, expansion->harness, entry);
	if (selected && has_globs(entry))
		return error_set(err, ERR_BENCHMARK,
			"%s:%u: benchmark %s has 'include' or 'exclude', but its command selects "
			"benchmarks itself (%.100s): take one of them away",
			expansion->config->origin, entry->line, entry->name, selected);
	if (selected)
		expansion->harness = NULL;
	return ERR_OK;
}

static int check_items(const struct expansion *expansion, struct error *err)
{
	const struct config_benchmark *entry = &expansion->entry;
	size_t in_head = 0;

	for (size_t i = 0; i < expansion->items.count; i++)
		in_head += expansion->items.items[i].in[VERSION_HEAD];
	if (in_head)
		return ERR_OK;
	return error_set(err, ERR_BENCHMARK,
		"%s:%u: benchmark %s: of the %zu that its program lists, 'include' and 'exclude' "
		"leave none in head: change them",
		expansion->config->origin, entry->line, entry->name,
		expansion->versions[VERSION_HEAD].names.count);
}

/* 'auto' that cannot be asked is an ordinary command, as it was before anybody looked. */
static int leave_as_it_is(struct expansion *expansion, const struct error *why)
{
	struct measurements *measurements = expansion->plan->measurements;

	measurements_add_line(measurements, &measured_of(expansion)->notes,
		arena_printf(&measurements->arena,
			"Measured as one benchmark: its program seems to be of %s, but does not "
			"list its benchmarks: %s",
			config_harness_names[expansion->harness->id], why->message));
	return ERR_OK;
}

static void tell_expanded(const struct expansion *expansion, size_t count)
{
	plan_progress(expansion->plan, "%s: %zu benchmark%s, listed by %s%s", expansion->entry.name,
		count, count == 1 ? "" : "s", config_harness_names[expansion->harness->id],
		expansion->is_counted ? ", which fixes their iterations" : "");
}

static int expand_listed(struct expansion *expansion, size_t *count, struct error *err)
{
	const struct harness_program program = program_of(expansion, VERSION_HEAD);
	const struct harness_names *lists[VERSION_COUNT] = {NULL, NULL};
	struct arena *arena = &expansion->config->arena;
	enum config_work work = expansion->entry.work;
	int rc;

	for (int version = 0; version < VERSION_COUNT; version++)
		if (expansion->versions[version].is_known)
			lists[version] = &expansion->versions[version].names;
	harness_unite(arena, expansion->config, &expansion->entry, lists[VERSION_BASE],
		lists[VERSION_HEAD], &expansion->items);
	rc = check_items(expansion, err);
	if (!rc && expansion->plan->measurements->benchmark_count + expansion->items.count >
			   MEASUREMENTS_MAX_BENCHMARKS)
		rc = error_set(err, ERR_BENCHMARK,
			"%s:%u: benchmark %s: all entries together list more than %d benchmarks: "
			"choose some by 'include'",
			expansion->config->origin, expansion->entry.line, expansion->entry.name,
			MEASUREMENTS_MAX_BENCHMARKS);
	if (rc)
		return rc;
	/* Who asks for a replay gets one; "auto" would find out that this is fixed. */
	expansion->is_counted = (work == CONFIG_WORK_FIXED || work == CONFIG_WORK_AUTO) &&
				!harness_is_counted(arena, expansion->harness, &expansion->entry) &&
				harness_has_count(&program, expansion->harness);
	rc = replace_entry(expansion, count, err);
	if (!rc)
		tell_expanded(expansion, *count);
	return rc;
}

static int expand(struct expansion *expansion, size_t *count, struct error *err)
{
	int rc = choose_harness(expansion, err);

	if (rc || !expansion->harness)
		return rc;
	rc = ask_both(expansion, err);
	if (rc && rc != ERR_INTERRUPTED && expansion->entry.harness == CONFIG_HARNESS_AUTO &&
		!has_globs(&expansion->entry))
		return leave_as_it_is(expansion, err);
	if (rc && rc != ERR_INTERRUPTED)
		return blame_entry(expansion, err);
	return rc ? rc : expand_listed(expansion, count, err);
}

/* ---- all of them --------------------------------------------------------------------------- */

static bool is_to_run(const struct measured_benchmark *benchmark)
{
	return benchmark->outcome == OUTCOME_MEASURED ||
	       benchmark->outcome == OUTCOME_BASE_FAILED ||
	       (benchmark->outcome == OUTCOME_NEW && !benchmark->detail[0]);
}

/* Which configuration has it, and head's build by it; NULL: nothing to ask. */
static struct config *config_of(struct plan *plan, const struct measured_benchmark *benchmark)
{
	if (config_find(&plan->config, benchmark->name))
		return plan->builds.of[VERSION_HEAD] ? &plan->config : NULL;
	return plan->own.exists && plan->own.build.path ? &plan->own.config : NULL;
}

/* One that counts its work for us knows what it does. */
static bool may_list(const struct config_benchmark *entry)
{
	return entry->harness != CONFIG_HARNESS_NONE && !entry->entry &&
	       (entry->harness != CONFIG_HARNESS_AUTO || !config_counts_work(entry->work));
}

/* One that lists nothing was kept as long as what it lists could have been asked for. */
static void drop_unwanted(struct plan *plan, size_t index, size_t *count)
{
	if (plan_wants(plan, plan->measurements->benchmarks[index].name, NULL))
		return;
	measurements_split_benchmark(plan->measurements, index, 0);
	*count = 0;
}

/* *count: how many benchmarks stand in its place now. */
static int expand_one(struct plan *plan, size_t index, size_t *count, struct error *err)
{
	struct measured_benchmark *benchmark = &plan->measurements->benchmarks[index];
	struct expansion expansion = {.plan = plan, .measured = index};
	struct error why = {0};
	int rc;

	*count = 1;
	expansion.config = is_to_run(benchmark) ? config_of(plan, benchmark) : NULL;
	if (!expansion.config)
		return ERR_OK;
	expansion.entry = *config_find(expansion.config, benchmark->name);
	if (!may_list(&expansion.entry)) {
		drop_unwanted(plan, index, count);
		return ERR_OK;
	}
	expansion_open(&expansion);
	rc = expand(&expansion, count, &why);
	if (!rc && !expansion.is_replaced)
		drop_unwanted(plan, index, count);
	expansion_close(&expansion);
	if (rc == ERR_INTERRUPTED) {
		*err = why;
		return rc;
	}
	if (rc) {
		benchmark->outcome = OUTCOME_ERROR;
		benchmark->fails = false;
		benchmark->detail = arena_strdup(&plan->measurements->arena, why.message);
	}
	return ERR_OK;
}

int plan_expand(struct plan *plan, struct error *err)
{
	size_t count;
	int rc = ERR_OK;

	for (size_t i = 0; i < plan->measurements->benchmark_count && !rc; i += count)
		rc = expand_one(plan, i, &count, err);
	if (!rc)
		plan_accept_again(plan);
	return rc ? rc : plan_check_names(plan, err);
}
