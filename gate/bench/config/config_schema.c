/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/config/config_schema.h"

#include <string.h>

#include "gate/base/error.h"
#include "gate/bench/config/config_benchmarks.h"
#include "gate/bench/config/config_values.h"

static int parse_section(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	return config_read_map(reader, value, arena_printf(reader->arena, "%s.", path), field);
}

static const struct config_type section = {"keys of its own", parse_section, NULL, false};

#define CONFIG(member) offsetof(struct config, member)
#define BENCHMARK(member) offsetof(struct config_benchmark, member)
#define ACCEPT(member) offsetof(struct config_acceptance, member)

/* clang-format off */
const struct config_key config_keys[] = {
	{"version", &config_type_version, CONFIG(version), NULL, true,
		"format of this file: 1"},
	{"setup", &config_type_commands, CONFIG(setup), "[]", false,
		"commands that fetch dependencies, before build"},
	{"build", &config_type_commands, CONFIG(build), "[]", false,
		"commands that build the benchmarks, run in a fresh checkout of each commit"},
	{"relink", &config_type_commands, CONFIG(relink), "[]", false,
		"commands that link what build made anew, in another order for each FLAMEGATE_SEED or {seed} (0 to 7)"},
	{"environment", &config_type_environment, CONFIG(env), "{}", false,
		"variables for setup, build and benchmarks"},
	{"pass", &config_type_names, CONFIG(pass), "[]", false,
		"names of variables to let through from flamegate's own environment; all else but a "
		"short list (PATH, HOME, LANG ...) is withheld"},
	{"build_timeout", &config_type_duration, CONFIG(build_timeout_ns), "30m", false,
		"time limit of setup and build together"},
	{"rate", &config_type_rate, CONFIG(rate_hz), "997", false,
		"samples per CPU second; auto: 997, less where the clock itself would cost over 1 %"},
	{"benchmarks", &config_type_benchmarks, 0, NULL, true,
		"what to measure: a list of benchmarks"},
	{"benchmarks[].name", &config_type_name, BENCHMARK(name), NULL, true,
		"unique name"},
	{"benchmarks[].command", &config_type_command, 0, NULL, true,
		"what to run: a text for the shell, or a list of arguments (no shell)"},
	{"benchmarks[].directory", &config_type_directory, BENCHMARK(directory), ".", false,
		"folder to run in, relative to the repository's root"},
	{"benchmarks[].environment", &config_type_environment, BENCHMARK(env), "{}", false,
		"variables for this benchmark alone"},
	{"benchmarks[].work", &config_type_work, 0, "auto", false,
		"what one run does: fixed; the same in every run by base's clock (replayed), or by one that "
		"goes on by a step at each call (stepped); counted in iterations (by a file, or by "
		"flamegate.h); auto: fixed or else replayed, whichever can be proven"},
	{"benchmarks[].work.iterations", &config_type_file, BENCHMARK(iterations_file), NULL, true,
		"file, relative to directory, into which the benchmark writes how many iterations it did"},
	{"benchmarks[].benchmark_time", &config_type_duration, BENCHMARK(benchmark_time_ns), "0.2s", false,
		"of a benchmark that runs for a fixed time: the CPU time, beyond its start, on which a run shall "
		"settle by a clock that runs faster"},
	{"benchmarks[].timeout", &config_type_duration, BENCHMARK(timeout_ns), "10m", false,
		"time limit of one run"},
	{"benchmarks[].repeat", &config_type_repeat, BENCHMARK(repeat), "auto", false,
		"runs of a version in each pair; auto: as many as take one CPU-second together"},
	{"benchmarks[].budget", &config_type_duration, BENCHMARK(budget_ns), "2m", false,
		"time for its pairs, within which there may be up to four times as many as policy.pairs "
		"says where policy.detect needs them"},
	{"benchmarks[].cpus", &config_type_cpus, BENCHMARK(cpus), "auto", false,
		"number of CPUs; auto: one for a single-threaded program, else all"},
	{"benchmarks[].profiles", &config_type_profiles, BENCHMARK(profiles), "[cpu]", false,
		"what to measure besides CPU time: heap (allocations) and instructions are counted exactly; wall, lock"},
	{"benchmarks[].alloc", &config_type_alloc, BENCHMARK(alloc_sampled), "exact", false,
		"exact: every allocation is counted; sampled: for runs with very many of them"},
	{"benchmarks[].slices", &config_type_slices, BENCHMARK(slice_ns), "auto", false,
		"base and head run at the same time, taking turns: auto (20ms where it is possible), off, or "
		"the length of a turn"},
	{"benchmarks[].start", &config_type_start, BENCHMARK(start_paused), "running", false,
		"paused: nothing counts before the program's first region or iteration (flamegate.h)"},
	{"benchmarks[].processes", &config_type_processes, BENCHMARK(processes), "auto", false,
		"which processes count: auto (all but shells, build tools and debuggers), all, or programs by name"},
	{"benchmarks[].harness", &config_type_harness, BENCHMARK(harness), "auto", false,
		"which library runs the program's benchmarks, each of which becomes one of its own, NAME/ITS-NAME: "
		"auto (found by the program's file), none, or a name"},
	{"benchmarks[].include", &config_type_globs, BENCHMARK(include), "[]", false,
		"of those that the program lists, which: globs of their names; without it, all"},
	{"benchmarks[].exclude", &config_type_globs, BENCHMARK(exclude), "[]", false,
		"of those that the program lists, which not: globs of their names"},
	{"policy", &section, 0, NULL, false,
		"what decides; in CI it is read from the target branch"},
	{"policy.on_base_failure", &config_type_failure, CONFIG(policy.on_base_failure), "warn", false,
		"what to do when the base cannot be built or run: warn or fail"},
	{"policy.pairs", &config_type_pairs, CONFIG(policy), "{min: 16, max: 40}", false,
		"how many pairs are measured: min in any case, and up to max to confirm what looks slower"},
	{"policy.margin", &section, 0, NULL, false,
		"how much slower is still fine"},
	{"policy.margin.points", &config_type_percentage, CONFIG(policy.margin_points), "0.2%", false,
		"of the benchmark's total: smaller changes of a function never count"},
	{"policy.margin.self", &config_type_percentage, CONFIG(policy.margin_self), "2%", false,
		"of a function's own cost"},
	{"policy.margin.inclusive", &config_type_percentage, CONFIG(policy.margin_inclusive), "1%", false,
		"of a function's cost with all that it calls"},
	{"policy.margin.total", &config_type_percentage, CONFIG(policy.margin_total), "1%", false,
		"of the benchmark's total, of whole runs"},
	{"policy.margin.sliced", &config_type_percentage, CONFIG(policy.margin_sliced), "0.5%", false,
		"of the benchmark's total, where base and head took turns (slices)"},
	{"policy.detect", &config_type_percentage, CONFIG(policy.detect), "1%", false,
		"increase in one function, of the benchmark's total, that a check is to detect"},
	{"policy.on_mde", &config_type_failure, CONFIG(policy.on_mde), "warn", false,
		"what to do when a measurement would miss policy.detect more often than find it: warn or fail"},
	{"policy.stored", &config_type_stored, CONFIG(policy.stored), "screen", false,
		"what a stored baseline of the CPU time may do: screen (order benchmarks, be shown), warn, or "
		"fail (only where the base cannot be rebuilt)"},
	{"policy.screen", &config_type_screen, CONFIG(policy.screen), "prove", false,
		"prove: every benchmark is measured in pairs; fast: what the stored baseline clears passes"},
	{"policy.gate", &config_type_gate, CONFIG(policy.gate), "{}", false,
		"what an increase of each metric does, where that differs from the table in the manual"},
	{"policy.accept_by", &config_type_accept_by, CONFIG(accept_by), "[config]", false,
		"who may let a regression pass: config (entries of accept), trailer (any commit's "
		"Flamegate-Accept line), or addresses of committers whose trailers count"},
	{"production", &config_type_production, CONFIG(production), NULL, false,
		"profile of production, by which culprits are weighed; in CI read from the target branch"},
	{"accept", &config_type_acceptances, CONFIG(accept), "[]", false,
		"regressions that may pass; in CI read from the target branch"},
	{"accept[].benchmark", &config_type_text, ACCEPT(benchmark), NULL, true,
		"the benchmark's name"},
	{"accept[].function", &config_type_text, ACCEPT(function), NULL, false,
		"the function that may have grown, as the report names it, or name@file; without it, any"},
	{"accept[].metric", &config_type_metric, ACCEPT(metric), NULL, false,
		"the metric that may have grown, as policy.gate names it; without it, any"},
	{"accept[].reason", &config_type_text, ACCEPT(reason), NULL, true,
		"why; the report shows it"},
	{"accept[].until", &config_type_date, ACCEPT(until), NULL, true,
		"the last day on which it counts"},
	{"baseline", &section, 0, NULL, false,
		"where recordings of the target branch are kept"},
	{"baseline.store", &config_type_store, CONFIG(store), "notes", false,
		"where `record` keeps and `check` looks for recordings"},
	{"baseline.publish", &config_type_stores, CONFIG(publish), "[]", false,
		"stores that get a copy of what is recorded"},
	{"baseline.keep", &config_type_keep, CONFIG(keep), "100", false,
		"commits of which full call trees are kept; of older ones only the hottest functions"},
	{"baseline.credentials", &config_type_prefix, CONFIG(credentials), "FLAMEGATE", false,
		"prefix of the variables with credentials: <prefix>_TOKEN, or _USER and _PASSWORD; _ORG_ID"},
};
/* clang-format on */
const size_t config_key_count = sizeof(config_keys) / sizeof(*config_keys);

const char *config_key_below(const struct config_key *key, const char *prefix)
{
	size_t length = strlen(prefix);
	const char *name = key->path + length;

	if (strncmp(key->path, prefix, length) != 0)
		return NULL;
	return *name && !name[strcspn(name, ".[")] ? name : NULL;
}

static const struct config_key *find_key(const char *prefix, const char *name)
{
	for (size_t i = 0; i < config_key_count; i++) {
		const char *last = config_key_below(&config_keys[i], prefix);

		if (last && strcmp(last, name) == 0)
			return &config_keys[i];
	}
	return NULL;
}

/* ---- did you mean ------------------------------------------------------------------------- */

#define MAX_WORD 32
#define MAX_DISTANCE 2

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Damerau-Levenshtein, optimal string alignment: neighbours may be swapped once. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t a_length = strlen(a), b_length = strlen(b);
	size_t row[3][MAX_WORD + 1];

	if (a_length > MAX_WORD || b_length > MAX_WORD)
		return MAX_WORD;
	for (size_t j = 0; j <= b_length; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		size_t *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			now[j] = smaller(last[j] + 1, now[j - 1] + 1);
			now[j] = smaller(now[j], last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = smaller(now[j], before[j - 2] + 1);
		}
	}
	return row[a_length % 3][b_length];
}

static const char *nearest_key(const char *prefix, const char *name)
{
	size_t best = MAX_DISTANCE + 1;
	const char *nearest = NULL;

	for (size_t i = 0; i < config_key_count; i++) {
		const char *last = config_key_below(&config_keys[i], prefix);
		size_t distance = last ? edit_distance(name, last) : best;

		/* A short word is near to everything. */
		if (distance < best && distance < strlen(last)) {
			best = distance;
			nearest = last;
		}
	}
	return nearest;
}

static int unknown_key(
	const struct config_reader *reader, const struct yaml_node *key, const char *prefix)
{
	const char *nearest = nearest_key(prefix, key->text);
	const char *quoted = config_quote(reader, key->text);
	struct strbuf known = STRBUF_INIT;

	if (nearest)
		return config_fail(
			reader, key, "unknown key %s (did you mean '%s'?)", quoted, nearest);
	for (size_t i = 0; i < config_key_count; i++) {
		const char *last = config_key_below(&config_keys[i], prefix);

		if (last)
			strbuf_addf(&known, "%s%s", known.length ? ", " : "", last);
	}
	config_fail(reader, key, "unknown key %s (there are: %s)", quoted, known.data);
	strbuf_release(&known);
	return ERR_CONFIG;
}

/* ---- reading ------------------------------------------------------------------------------ */

static void *field_of(void *target, const struct config_key *key)
{
	return (char *)target + key->offset;
}

static const struct yaml_node *find_value(const struct yaml_node *map, const char *name)
{
	for (const struct yaml_node *key = map->first; key; key = key->next->next) {
		if (strcmp(key->text, name) == 0)
			return key->next;
	}
	return NULL;
}

static int check_required(
	const struct config_reader *reader, const struct yaml_node *map, const char *prefix)
{
	for (size_t i = 0; i < config_key_count; i++) {
		const struct config_key *key = &config_keys[i];
		const char *last = config_key_below(key, prefix);

		if (last && key->required && !find_value(map, last))
			return config_fail(
				reader, map, "the key '%s' is missing: %s", last, key->help);
	}
	return ERR_OK;
}

static int read_value(const struct config_reader *reader, const struct yaml_node *name,
	const char *prefix, void *target)
{
	const struct config_key *key = find_key(prefix, name->text);

	if (!key)
		return unknown_key(reader, name, prefix);
	return key->type->parse(reader, name->next, key->path, field_of(target, key));
}

int config_read_map(const struct config_reader *reader, const struct yaml_node *map,
	const char *prefix, void *target)
{
	int rc = ERR_OK;

	if (map->kind != YAML_MAP)
		return config_fail(
			reader, map, "here must be keys with values, as in 'key: value'");
	for (const struct yaml_node *name = map->first; name && !rc; name = name->next->next)
		rc = read_value(reader, name, prefix, target);
	return rc ? rc : check_required(reader, map, prefix);
}

int config_fill_defaults(const struct config_reader *reader, const char *prefix, void *target)
{
	size_t length = strlen(prefix);
	int rc = ERR_OK;

	for (size_t i = 0; i < config_key_count && !rc; i++) {
		const struct config_key *key = &config_keys[i];
		struct yaml_node *value;

		if (!key->fallback || strncmp(key->path, prefix, length) != 0 ||
			strchr(key->path + length, '['))
			continue;
		rc = yaml_read(reader, key->fallback, strlen(key->fallback), &value);
		if (!rc)
			rc = key->type->parse(reader, value, key->path, field_of(target, key));
	}
	return rc;
}

void config_schema_help(struct strbuf *out)
{
	for (size_t i = 0; i < config_key_count; i++) {
		const struct config_key *key = &config_keys[i];

		strbuf_addf(out, "%s: %s", key->path, key->type->shape);
		if (key->fallback)
			strbuf_addf(out, " (default %s)", key->fallback);
		else if (key->required)
			strbuf_addstr(out, " (required)");
		strbuf_addf(out, "\n    %s\n", key->help);
	}
}
