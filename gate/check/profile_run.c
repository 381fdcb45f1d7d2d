/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `flamegate run` does: one command, on our own terminal, under the sampler or a counter of
 * instructions, becomes a recording and a result without a verdict. Declared in check.h.
 */
#include "gate/check/check.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/scratch.h"
#include "gate/bench/instructions/instructions.h"
#include "gate/check/decide/decide.h"
#include "gate/check/measurements/measurements.h"
#include "gate/check/measurements/measurements_context.h"
#include "gate/check/output_folder.h"
#include "gate/check/runs/coverage.h"
#include "gate/check/runs/run_text.h"
#include "gate/check/runs/version_runs.h"
#include "gate/profile/symbolize/symbolize.h"
#include "gate/vcs/repo.h"

static void say(const struct run_settings *settings, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(const struct run_settings *settings, const char *format, ...)
{
	struct strbuf line = STRBUF_INIT;
	va_list args;

	va_start(args, format);
	strbuf_vaddf(&line, format, args);
	va_end(args);
	if (settings->progress)
		settings->progress(settings->progress_data, line.data);
	strbuf_release(&line);
}

static const char *joined(struct arena *arena, const char *const *argv)
{
	const char *text = "";

	for (size_t i = 0; argv[i]; i++)
		text = arena_printf(arena, "%s%s%s", text, i ? " " : "", argv[i]);
	return text;
}

static void say_lines(const struct run_settings *settings, struct strbuf *lines)
{
	char *line, *rest = lines->data;

	while ((line = strsep(&rest, "\n")))
		if (*line)
			say(settings, "%s", line);
	strbuf_release(lines);
}

/* One profile on its way into the measurements. */
struct profiling {
	const struct run_settings *settings;
	struct measurements *measurements;
	struct measured_benchmark *benchmark;
	struct run_options options;
	const char *prefixes[3]; /* of files inside the repository that we are in, if any */
};

/* As a check names them: by their paths inside the repository. Debug information may have its own
 * spelling of the path, or the kernel's. */
static void find_prefixes(struct profiling *profiling)
{
	struct arena *arena = &profiling->measurements->arena;
	struct repo *repo;
	struct error ignored;
	size_t count = 0;
	char *real;

	if (repo_open(".", &repo, &ignored))
		return;
	real = repo_root(repo) ? realpath(repo_root(repo), NULL) : NULL;
	if (real && real[1])
		profiling->prefixes[count++] = arena_strdup(arena, real);
	if (real && real[1] && strcmp(real, repo_root(repo)) != 0)
		profiling->prefixes[count++] = arena_strdup(arena, repo_root(repo));
	free(real);
	repo_free(repo);
}

static struct recording *begin_recording(
	struct profiling *profiling, const struct profile_kind *kind)
{
	struct measured_benchmark *benchmark = profiling->benchmark;
	struct recording *recording = &benchmark->recordings[VERSION_HEAD];
	struct config_policy policy = config_policy_default();

	recording_begin(recording, benchmark->name, benchmark->command, "run", &policy);
	recording->profile_type = kind->types[kind->default_type].type;
	benchmark->head_only = true;
	benchmark->outcome = OUTCOME_PROFILE;
	return recording;
}

/* ---- sampled ------------------------------------------------------------------------------- */

#define WALL_JUDGED_SECONDS 0.1 /* of CPU time */

static bool is_wall(const struct run *run)
{
	return strcmp(run->kind->name, "wall") == 0;
}

static bool is_timed(const struct run *run)
{
	return strcmp(run->kind->name, "cpu") == 0 || is_wall(run);
}

/* Nothing counted is an error where there must be something: every program uses CPU time. */
static int check_counted(
	const struct run_settings *settings, const struct run *run, struct error *err)
{
	int rc;

	for (size_t i = 0; i < run->captures.process_count; i++)
		if (run->captures.processes[i].entry_count)
			return ERR_OK;
	if (settings->start_paused)
		return error_set(err, ERR_MEASURE,
			"nothing was counted: with --start-paused the program must "
			"begin a region (flamegate.h)");
	if (!is_timed(run) && run->captures.process_count)
		return ERR_OK;
	rc = coverage_check(run, err);
	return rc ? rc : error_set(err, ERR_MEASURE, "not one sample was taken");
}

/* A profile of a part of the CPU time is written all the same, and not taken for the whole. */
static int check_covered(struct profiling *profiling, const struct run *run, struct error *err)
{
	struct strbuf warning = STRBUF_INIT;
	int rc;

	/* What a program that waits has used is too little to say anything of its waits. */
	if (!is_timed(run) || (is_wall(run) && run->cpu_seconds < WALL_JUDGED_SECONDS))
		return ERR_OK;
	rc = coverage_check_once(run, &warning, err);
	if (warning.length)
		measurements_add_line(
			profiling->measurements, &profiling->benchmark->warnings, warning.data);
	strbuf_release(&warning);
	return rc;
}

static int record_run_of(struct profiling *profiling, const struct run *run, struct error *err)
{
	struct symbolizer_options options = {.strip_prefixes = profiling->prefixes};
	struct symbolizer *symbolizer = symbolizer_new(&options);
	struct recording *recording = begin_recording(profiling, run->kind);
	size_t capacity = 0;
	int rc = recording_add_run(recording, &capacity, symbolizer, run, 0, err);

	if (run->left_out)
		measurements_add_line(
			profiling->measurements, &profiling->benchmark->notes, run->left_out);

	if (!rc) {
		recording_note_sampling(recording);
		rc = recording_write(recording, profiling->settings->output, err);
	}
	symbolizer_free(symbolizer);
	return rc;
}

/* A program that fails leaves its profile all the same; then the failure is what is returned. */
static int profile_sampled(struct profiling *profiling, struct error *err)
{
	const struct run_options *options = &profiling->options;
	struct strbuf lines = STRBUF_INIT;
	struct error later = {0};
	struct run run = {0};
	int rc = preload_check(options->argv, options->env, options->directory, err);

	if (rc)
		return rc;
	rc = run_execute(options, &run, err);
	if (!check_counted(profiling->settings, &run, &later)) {
		run_text(&lines, &run);
		say_lines(profiling->settings, &lines);
		if (!record_run_of(profiling, &run, &later))
			check_covered(profiling, &run, &later);
	}
	if (!rc && later.code) {
		*err = later;
		rc = later.code;
	}
	run_release(&run);
	return rc;
}

/* ---- counted by another engine -------------------------------------------------------------- */

static int record_instructions(
	struct profiling *profiling, const struct instructions_run *run, struct error *err)
{
	struct recording *recording = begin_recording(profiling, profiling->settings->kind);
	size_t capacity = 0;
	int rc = recording_add_instructions(recording, &capacity, run, profiling->prefixes, err);

	return rc ? rc : recording_write(recording, profiling->settings->output, err);
}

static int profile_instructions(struct profiling *profiling, struct error *err)
{
	const struct run_settings *settings = profiling->settings;
	struct instructions_run run = {0};
	enum instructions_engine engine;
	struct strbuf lines = STRBUF_INIT;
	int rc = instructions_choose("auto", true, &engine, err);

	if (rc)
		return rc;
	say(settings, "counting instructions by %s", instructions_engine_name(engine));
	rc = instructions_run(&profiling->options, engine, &run, err);
	if (!rc) {
		strbuf_addf(&lines, "%llu instructions\n", (unsigned long long)run.instructions);
		instructions_left_out(&run, &lines);
		say_lines(settings, &lines);
		rc = record_instructions(profiling, &run, err);
	}
	instructions_run_release(&run);
	return rc;
}

int profile_run(const struct run_settings *settings, struct result **out, struct error *err)
{
	struct measurements *measurements = measurements_new("run");
	const char *command = joined(&measurements->arena, settings->argv);
	struct profiling profiling = {
		.settings = settings,
		.measurements = measurements,
		.benchmark =
			measurements_add_benchmark(measurements, settings->argv[0], "run", command),
		.options = {.argv = settings->argv,
			.directory = ".",
			.kind = settings->kind,
			.heap_period_bytes = settings->heap_period_bytes,
			.start_paused = settings->start_paused,
			.processes = settings->processes,
			.rate_hz = settings->rate_hz,
			.inherit_stdio = true,
			.mechanism = settings->mechanism,
			.env = (const char *const *)environ},
	};
	struct scratch scratch = {0};
	int rc = output_folder_prepare(settings->output, err);

	if (!rc)
		rc = scratch_make(&scratch, err);
	if (!rc) {
		measurements_stamp(measurements);
		find_prefixes(&profiling);
		profiling.options.scratch = scratch.path;
		rc = !settings->kind || settings->kind->sampler
			     ? profile_sampled(&profiling, err)
			     : profile_instructions(&profiling, err);
		scratch_remove(&scratch);
	}
	if (profiling.benchmark->head_only)
		*out = decide_measurements(measurements);
	measurements_free(measurements);
	return rc;
}
