/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/runs/version_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/bench/instructions/instructions.h"
#include "gate/bench/recording/readings.h"
#include "gate/check/analysis/code.h"
#include "gate/check/analysis/hidden.h"
#include "gate/check/runs/measure_death.h"
#include "gate/check/runs/run_text.h"
#include "gate/check/version.h"
#include "gate/profile/symbolize/symbolize.h"

#define ROUND_CPU_SECONDS 1.0
#define MOST_REPEATS 100  /* a run has a cost of its own, which is not the benchmark's */
#define MOST_LEFT_OUT 0.5 /* of the CPU time, before it is worth a warning */

static int64_t wall_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void recording_begin(struct recording *recording, const char *benchmark, const char *command,
	const char *role, const struct config_policy *policy)
{
	memset(recording, 0, sizeof(*recording));
	arena_init(&recording->arena);
	recording->tool_version = FLAMEGATE_VERSION;
	recording->benchmark = arena_strdup(&recording->arena, benchmark);
	recording->command = arena_strdup(&recording->arena, command);
	recording->role = role;
	recording->commit = recording->tree = "";
	recording->mechanism = recording->branch = recording->unsliced = "";
	recording->profile_type = RECORDING_TYPE_CPU;
	recording->policy = *policy;
	fingerprint_read(&recording->fingerprint, &recording->arena);
	recording->time_ns = wall_clock_ns();
	recording->profile = profile_new();
}

static uint32_t rate_of(const struct capture_set *captures)
{
	return captures->process_count ? captures->processes[0].rate_hz : 0;
}

static struct recording_round *new_round(struct recording *recording, size_t *capacity)
{
	size_t count = recording->round_count;

	if (count + 1 > *capacity) {
		struct recording_round *rounds;

		*capacity = *capacity ? *capacity * 2 : 64;
		rounds = arena_array(&recording->arena, *capacity, sizeof(*rounds));
		if (count)
			memcpy(rounds, recording->rounds, count * sizeof(*rounds));
		recording->rounds = rounds;
	}
	recording->round_count++;
	return &recording->rounds[count];
}

/* Samples, or what is missing from counts. */
static uint64_t lost_of(const struct run *run)
{
	uint64_t counters[CAPTURE_COUNTERS] = {0};

	if (!run->kind->exact_types[0])
		return run->captures.lost;
	run_counters(&run->captures, counters);
	return run_losses(counters);
}

static struct recording_round round_of(const struct run *run, uint32_t order)
{
	return (struct recording_round){
		.cpu_seconds = run->cpu_seconds,
		.sampled_seconds = run->sampled_seconds,
		.own_seconds = run->own_seconds,
		.paused_seconds = run->paused_seconds,
		.left_out_seconds = run->left_out_seconds,
		.planted_seconds = run->planted_seconds,
		.wall_seconds = (double)run->process.wall_ns / 1e9,
		.iterations = run->iterations,
		.samples = run->captures.samples,
		.complete = run->captures.complete,
		.lost = lost_of(run),
		.order = order,
		.processes = (uint32_t)run->captures.process_count,
	};
}

static void take_mechanism(struct recording *recording, const struct run *run)
{
	/* One run by the weaker clock makes the recording one of the weaker clock. */
	if (strcmp(recording->mechanism, "posix") != 0)
		recording->mechanism = run_mechanism(&run->captures);
	recording->rate_hz = rate_of(&run->captures);
}

int recording_add_run(struct recording *recording, size_t *round_capacity,
	struct symbolizer *symbolizer, const struct run *run, uint32_t order, struct error *err)
{
	int rc = symbolizer_add_captures(symbolizer, &run->captures, run->kind,
		(int64_t)recording->round_count, recording->profile, err);

	if (rc)
		return rc;
	*new_round(recording, round_capacity) = round_of(run, order);
	readings_take(run, &recording->rounds[recording->round_count - 1]);
	readings_take_memory(run, recording);
	take_mechanism(recording, run);
	return ERR_OK;
}

int recording_extend_round(struct recording *recording, struct symbolizer *symbolizer,
	const struct run *run, struct error *err)
{
	struct recording_round *round = &recording->rounds[recording->round_count - 1];
	const struct recording_round more = round_of(run, round->order);
	int rc = symbolizer_add_captures(symbolizer, &run->captures, run->kind,
		(int64_t)recording->round_count - 1, recording->profile, err);

	if (rc)
		return rc;
	round->cpu_seconds += more.cpu_seconds;
	round->sampled_seconds += more.sampled_seconds;
	round->own_seconds += more.own_seconds;
	round->paused_seconds += more.paused_seconds;
	round->left_out_seconds += more.left_out_seconds;
	round->planted_seconds += more.planted_seconds;
	round->wall_seconds += more.wall_seconds;
	round->iterations += more.iterations;
	round->samples += more.samples;
	round->complete += more.complete;
	round->lost += more.lost;
	round->processes += more.processes;
	readings_add(run, round);
	take_mechanism(recording, run);
	return ERR_OK;
}

uint32_t repeat_for(double cpu_seconds)
{
	double runs = cpu_seconds > 0 ? ceil(ROUND_CPU_SECONDS / cpu_seconds) : MOST_REPEATS;

	return runs < 1 ? 1 : runs > MOST_REPEATS ? MOST_REPEATS : (uint32_t)runs;
}

/* Debug information names the path of building; what runs has been moved to its own. */
static struct symbolizer *symbolizer_for(const struct build *build)
{
	const char *prefixes[] = {build->build_path, build->path, NULL};
	struct symbolizer_options options = {.strip_prefixes = prefixes, .hash_code = true};

	return symbolizer_new(&options);
}

void version_runs_init(struct version_runs *runs, const struct plan *plan, int version,
	const struct config_benchmark *config, struct recording *recording)
{
	const struct build *place = plan->builds.of[version];

	memset(runs, 0, sizeof(*runs));
	runs->left_out = "";
	recording_begin(recording, config->name, config->command_text,
		plan->recording ? "record" : version_names[version], &plan->config.policy);
	recording->commit = arena_strdup(&recording->arena,
		version == VERSION_BASE ? plan->commits.base : plan->commits.head);
	recording->tree = arena_strdup(&recording->arena, place->tree);
	recording->branch = plan->branch;
	recording->calibration = plan->machine.calibration;
	recording->fingerprint.compiler = plan->machine.toolchain.compiler;
	recording->fingerprint.build_hash = fingerprint_benchmark_hash(
		plan->machine.toolchain.build_hash, config, &recording->arena);
	recording->counted_work = config_counts_work(config->work);
	recording->attempt = plan->attempt;
	if (plan->config.relink && plan->config.relink[0])
		runs->relinked = place->path;
	runs->recording = recording;
	runs->symbolizer = symbolizer_for(place);
	runs->output = plan->options->output;
	runs->slug = config->slug;
	runs->directory = file_join(place->path, config->directory);
	if (config->work == CONFIG_WORK_ITERATIONS)
		runs->iterations_path = file_join(runs->directory, config->iterations_file);
	runs->options = (struct run_options){
		.argv = config->argv,
		.directory = runs->directory,
		.scratch = plan->output.scratch.path,
		.iterations_path = runs->iterations_path,
		.marks = config->work == CONFIG_WORK_MARKS,
		.processes = config->processes,
		.start_paused = config->start_paused,
		.timeout_ns = config->timeout_ns,
		.rate_hz = plan->machine.rate_hz,
		.mechanism = plan->options->mechanism,
		.slowdown = plan->options->plant ? plan->options->plant->slowdown[version] : NULL,
	};
}

void version_runs_release(struct version_runs *runs)
{
	symbolizer_free(runs->symbolizer);
	free(runs->directory);
	free(runs->iterations_path);
	memset(runs, 0, sizeof(*runs));
}

int recording_add_instructions(struct recording *recording, size_t *round_capacity,
	const struct instructions_run *run, const char *const *prefixes, struct error *err)
{
	struct recording_round *round;
	int rc = instructions_profile(
		run, (int64_t)recording->round_count, prefixes, recording->profile, err);

	if (rc)
		return rc;
	round = new_round(recording, round_capacity);
	round->cpu_seconds = (double)run->process.cpu_ns / 1e9;
	round->wall_seconds = (double)run->process.wall_ns / 1e9;
	round->iterations = run->iterations;
	round->processes = (uint32_t)run->process_count;
	round->lost = run->lost;
	recording->mechanism = instructions_engine_name(run->engine);
	return ERR_OK;
}

static bool lies_in(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return strncmp(path, folder, length) == 0 && path[length] == '/';
}

/* By it alone the symbolizer tells one layout of a program from the next. */
static int check_build_ids(
	const struct version_runs *runs, const struct run *run, struct error *err)
{
	for (size_t i = 0; runs->relinked && i < run->captures.process_count; i++) {
		const struct capture_process *process = &run->captures.processes[i];

		for (size_t j = 0; j < process->module_count; j++) {
			const struct capture_module *module = &process->modules[j];

			if (!module->build_id[0] && lies_in(module->path, runs->relinked))
				return error_set(err, ERR_MEASURE,
					"%s has no build id, so its layouts cannot be told apart: "
					"link it with -Wl,--build-id",
					module->path + strlen(runs->relinked) + 1);
		}
	}
	return ERR_OK;
}

int version_runs_add(struct version_runs *runs, const struct run *run, bool first, uint32_t order,
	struct error *err)
{
	int rc;

	run_counters(&run->captures, runs->counters);
	if (run->left_out && !runs->left_out[0])
		runs->left_out = arena_strdup(&runs->recording->arena, run->left_out);
	rc = check_build_ids(runs, run, err);
	if (rc)
		return rc;
	if (!first)
		return recording_extend_round(runs->recording, runs->symbolizer, run, err);
	return recording_add_run(
		runs->recording, &runs->round_capacity, runs->symbolizer, run, order, err);
}

int version_runs_once(struct version_runs *runs, bool first, uint32_t order, struct error *err)
{
	struct run run = {0};
	int rc = run_execute(&runs->options, &run, err);

	if (rc == ERR_BENCHMARK)
		rc = death_describe(runs, &run, err);
	if (!rc)
		rc = version_runs_add(runs, &run, first, order, err);
	run_release(&run);
	return rc;
}

int version_runs_round(struct version_runs *runs, uint32_t order, struct error *err)
{
	int rc = version_runs_once(runs, true, order, err);

	for (uint32_t i = 1; i < runs->repeat && !rc; i++)
		rc = version_runs_once(runs, false, order, err);
	return rc;
}

void recording_note_sampling(struct recording *recording)
{
	double cpu = 0, sampled = 0, own = 0;

	for (size_t i = 0; i < recording->round_count; i++) {
		cpu += recording->rounds[i].cpu_seconds;
		sampled += recording->rounds[i].sampled_seconds;
		own += recording->rounds[i].own_seconds;
	}
	if (!(sampled > 0) || !(cpu > 0))
		return;
	profile_add_comment(recording->profile,
		arena_printf(&recording->arena,
			"sampling: %s, %u Hz; the samples' weights are %.1f %% of the CPU time; "
			"the sampler's own work took %.2f %%",
			mechanism_text(recording->mechanism), recording->rate_hz,
			100 * sampled / cpu, 100 * own / cpu));
}

void version_runs_tell_losses(const struct version_runs *runs, struct plan *plan, const char *where,
	struct measured_benchmark *out)
{
	struct strbuf lines = STRBUF_INIT;
	double paused = paused_share(runs->recording);
	char *line, *rest;

	run_losses_text(&lines, runs->counters);
	rest = lines.data;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			measurements_add_line(plan->measurements, &out->warnings,
				arena_printf(&plan->measurements->arena, "%s: %s", where, line));
	strbuf_release(&lines);
	if (paused > 0)
		measurements_add_line(plan->measurements, &out->notes,
			arena_printf(&plan->measurements->arena,
				"%s: %.2g %% of the CPU time does not count: the program had the "
				"counting paused, or its first iteration was not done (flamegate.h)",
				where, 100 * paused));
}

/* What cost is divided by is the program's word: a change of it is to be seen. */
static void tell_work(const struct version_runs *runs, struct plan *plan, const char *version_name,
	struct measured_benchmark *out)
{
	const struct recording *recording = runs->recording;
	double work = 0;

	for (size_t i = 0; i < recording->round_count; i++)
		work += recording->rounds[i].iterations;
	if (recording->counted_work && recording->round_count)
		measurements_add_line(plan->measurements, &out->notes,
			arena_printf(&plan->measurements->arena,
				"%s: costs are for one iteration; "
				"a run did %.6g, as the program says",
				version_name, work / (double)recording->round_count));
}

void version_runs_tell(const struct version_runs *runs, struct plan *plan, const char *version_name,
	struct measured_benchmark *out)
{
	double left_out = left_out_share(runs->recording);

	recording_note_sampling(runs->recording);
	code_note(runs->recording, runs->symbolizer);
	version_runs_tell_losses(runs, plan, version_name, out);
	tell_work(runs, plan, version_name, out);
	if (left_out > MOST_LEFT_OUT && !runs->options.processes)
		measurements_add_line(plan->measurements, &out->warnings,
			arena_printf(&plan->measurements->arena,
				"%s: %.0f %% of the CPU time was spent in shells and build tools, "
				"which do not count; say by `processes:` what does",
				version_name, 100 * left_out));
	if (runs->left_out[0])
		measurements_add_line(plan->measurements, &out->notes,
			arena_printf(&plan->measurements->arena, "%s: %s", version_name,
				runs->left_out));
}
