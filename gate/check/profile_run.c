/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/check.h"

#include "gate/base/file.h"
#include "gate/check/decide.h"
#include "gate/check/measure.h"
#include "gate/check/output_folder.h"
#include "gate/check/run_text.h"
#include "gate/check/session.h"
#include "gate/profile/symbolize.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void describe(const struct run_settings *settings, const struct run *run)
{
	struct strbuf lines = STRBUF_INIT;
	char *line, *rest;

	run_text(&lines, run);
	rest = lines.data;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			say(settings, "%s", line);
	strbuf_release(&lines);
}

/* Nothing counted is an error where there must be something: every program uses CPU time. */
static int check_counted(
	const struct run_settings *settings, const struct run *run, struct error *err)
{
	bool timed = strcmp(run->kind->name, "cpu") == 0 || strcmp(run->kind->name, "wall") == 0;

	for (size_t i = 0; i < run->captures.process_count; i++)
		if (run->captures.processes[i].entry_count)
			return ERR_OK;
	if (settings->start_paused)
		return error_set(err, ERR_MEASURE,
			"nothing was counted: with --start-paused the program must begin a region "
			"(flamegate.h)");
	if (!timed && run->captures.process_count)
		return ERR_OK;
	return error_set(err, ERR_MEASURE,
		"not one sample was taken: the program used only %.0f ms of CPU time",
		run->cpu_seconds * 1e3);
}

/* The folder of the result: the recording of one block. */
static int record(const struct run_settings *settings, const struct run *run,
	struct session_benchmark *benchmark, struct error *err)
{
	struct symbolizer_options options = {0};
	struct symbolizer *symbolizer = symbolizer_new(&options);
	struct config_policy policy = config_policy_default();
	struct recording *recording = &benchmark->recordings[ARM_HEAD];
	size_t capacity = 0;
	int rc;

	recording_begin(recording, benchmark->name, benchmark->command, "run", &policy);
	recording->profile_type = run->kind->types[run->kind->default_type].type;
	benchmark->head_only = true;
	rc = recording_add_run(recording, &capacity, symbolizer, run, 0, err);
	if (!rc)
		rc = recording_write(recording, settings->output, err);
	symbolizer_free(symbolizer);
	return rc;
}

static int run_once(const struct run_settings *settings, const char *scratch, struct run *run,
	struct error *err)
{
	struct run_options options = {
		.argv = settings->argv,
		.directory = ".",
		.scratch = scratch,
		.kind = settings->kind,
		.heap_period_bytes = settings->heap_period_bytes,
		.start_paused = settings->start_paused,
		.processes = settings->processes,
		.rate_hz = settings->rate_hz,
		.inherit_stdio = true,
		.mechanism = settings->mechanism,
		.env = (const char *const *)environ,
	};
	int rc;

	rc = preload_check(options.argv, options.env, options.directory, err);
	if (!rc)
		rc = block_run(&options, run, err);
	return rc;
}

int profile_run(const struct run_settings *settings, struct result **out, struct error *err)
{
	struct session *session = session_new("run");
	const char *command = joined(&session->arena, settings->argv);
	struct session_benchmark *benchmark =
		session_add_benchmark(session, settings->argv[0], "run", command);
	struct error later = {0};
	struct run run = {0};
	char *scratch = NULL;
	int rc = output_folder_prepare(settings->output, err);

	if (!rc)
		rc = file_make_temp_dir(NULL, "flamegate-", &scratch, err);
	if (rc)
		goto out;
	session_stamp(session);
	rc = run_once(settings, scratch, &run, err);
	if (check_counted(settings, &run, &later)) {
		if (!rc)
			*err = later;
		rc = rc ? rc : later.code;
		goto out;
	}
	describe(settings, &run);
	benchmark->outcome = OUTCOME_PROFILE;
	if (record(settings, &run, benchmark, rc ? &later : err)) {
		rc = rc ? rc : err->code;
		goto out;
	}
	*out = decide_session(session);
out:
	run_release(&run);
	if (scratch)
		file_remove_tree(scratch, &later);
	free(scratch);
	session_free(session);
	return rc;
}
