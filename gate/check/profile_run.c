/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/check.h"

#include "gate/base/file.h"
#include "gate/check/decide.h"
#include "gate/check/measure.h"
#include "gate/check/output_folder.h"
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

/* What was sampled, and how well. */
static void describe(const struct run_settings *settings, const struct run *run)
{
	const struct capture_set *captures = &run->captures;
	uint64_t all = captures->samples + captures->lost;
	bool posix = false;

	for (size_t i = 0; i < captures->process_count; i++)
		posix |= captures->processes[i].mechanism != CAPTURE_PERF;
	say(settings, "%llu samples in %zu processes, %llu lost; %.1f %% complete stacks",
		(unsigned long long)captures->samples, captures->process_count,
		(unsigned long long)captures->lost,
		all ? 100.0 * (double)captures->complete / (double)all : 0.0);
	say(settings, "%.2f of %.2f CPU seconds sampled (%.0f %%) by the %s", run->sampled_seconds,
		run->cpu_seconds,
		run->cpu_seconds > 0 ? 100 * run->sampled_seconds / run->cpu_seconds : 0.0,
		posix ? "POSIX CPU timer" : "perf task-clock");
	if (posix)
		say(settings, "warning: perf events do not open here: at most one sample a kernel "
			      "tick, and "
			      "code in step with the tick is misjudged; sysctl "
			      "kernel.perf_event_paranoid=1");
	if (captures->damaged)
		say(settings, "warning: %u captures are damaged: %s", captures->damaged,
			captures->damage);
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
	if (!rc && !run.captures.samples)
		rc = error_set(err, ERR_MEASURE,
			"not one sample was taken: the program used only %.0f ms of CPU time",
			run.cpu_seconds * 1e3);
	if (!run.captures.samples)
		goto out;
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
