/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/instructions/instructions_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/process/keeper.h"
#include "gate/bench/environment.h"
#include "gate/bench/leavings.h"
#include "gate/bench/preload/preload.h"
#include "gate/bench/run/fixed_addresses.h"
#include "gate/profile/callgrind/callgrind.h"

static const struct {
	const char *name;
	uint64_t slowdown; /* by which the time limit is raised: more than was ever seen */
} engines[] = {
	[INSTRUCTIONS_CALLGRIND] = {"callgrind", INSTRUCTIONS_MOST_SLOWDOWN},
	[INSTRUCTIONS_CACHEGRIND] = {"cachegrind", 100},
	[INSTRUCTIONS_HARDWARE] = {"hardware", 1},
};

#define ENGINE_COUNT (sizeof(engines) / sizeof(engines[0]))

const char *instructions_engine_name(enum instructions_engine engine)
{
	return engines[engine].name;
}

/* ---- which engine ---------------------------------------------------------------------------- */

static int try_engine(enum instructions_engine engine, struct error *err)
{
	struct hardware_counter counter;
	char *path = NULL;
	int rc;

	if (engine == INSTRUCTIONS_HARDWARE) {
		rc = hardware_counter_open(&hardware_instructions, &counter, err);
		hardware_counter_close(&counter);
		return rc;
	}
	rc = valgrind_find(&path, err);
	free(path);
	return rc;
}

static int choose_best(bool functions, enum instructions_engine *engine, struct error *err)
{
	enum instructions_engine first = functions ? INSTRUCTIONS_CALLGRIND : INSTRUCTIONS_HARDWARE;
	enum instructions_engine second =
		functions ? INSTRUCTIONS_HARDWARE : INSTRUCTIONS_CALLGRIND;

	if (try_engine(first, NULL) == ERR_OK)
		*engine = first;
	else if (try_engine(second, NULL) == ERR_OK)
		*engine = second;
	else
		return try_engine(INSTRUCTIONS_CALLGRIND, err);
	return ERR_OK;
}

int instructions_choose(
	const char *name, bool functions, enum instructions_engine *engine, struct error *err)
{
	int rc;

	if (!name || strcmp(name, "auto") == 0)
		return choose_best(functions, engine, err);
	for (size_t i = 0; i < ENGINE_COUNT; i++) {
		if (strcmp(name, engines[i].name) != 0)
			continue;
		rc = try_engine((enum instructions_engine)i, err);
		if (!rc)
			*engine = (enum instructions_engine)i;
		return rc;
	}
	return error_set(err, ERR_USAGE,
		"'%s' counts no instructions: take auto, callgrind, cachegrind or hardware", name);
}

/* ---- one run --------------------------------------------------------------------------------- */

static uint64_t scaled(uint64_t timeout_ns, uint64_t factor)
{
	uint64_t product;

	return __builtin_mul_overflow(timeout_ns, factor, &product) ? UINT64_MAX : product;
}

static int check_options(const struct run_options *options, struct error *err)
{
	const char *path = options->iterations_path;

	if (options->marks)
		return error_set(err, ERR_MEASURE,
			"the benchmark tells its iterations by flamegate.h, which is not heard "
			"while instructions are counted: let it do fixed "
			"work, or write them to a file");
	/* What an earlier run left is never read. */
	if (!path || unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR)
		return ERR_OK;
	return error_errno(err, ERR_BENCHMARK, errno, "cannot remove %s before the run", path);
}

static int start(const struct run_options *options, const char *const *argv,
	struct instructions_run *run, struct error *err)
{
	struct process_options process = {
		.argv = argv,
		.env = run->env ? (const char *const *)run->env : options->env,
		.directory = options->directory,
		.output_path = run->output_path,
		.inherit_stdio = options->inherit_stdio,
		.timeout_ns = scaled(run_clock_timeout(options->clock, options->timeout_ns),
			engines[run->engine].slowdown),
		.stopped_ns = options->inherit_stdio ? 0 : PROCESS_STOPPED_NS,
		.cpus = options->cpus,
		.prepare = addresses_fix,
	};

	/* A counter of the hardware's is inherited by our children alone. */
	return run->engine == INSTRUCTIONS_HARDWARE ? process_run(&process, &run->process, err)
						    : keeper_run(&process, &run->process, err);
}

static int check_end(const struct instructions_run *run, const char *folder, struct error *err)
{
	const struct process_result *result = &run->process;
	struct strbuf message = STRBUF_INIT;

	if (!result->timed_out && !result->signal && !result->exit_status)
		return ERR_OK;
	strbuf_addf(&message, "the benchmark %s after %.1f s under %s, which counts instructions",
		result->timed_out ? "ran into its time limit" : process_result_text(result),
		(double)result->wall_ns / 1e9, engines[run->engine].name);
	if (folder)
		valgrind_add_message(&message, folder);
	if (run->output_path)
		output_tail(&message, run->output_path);
	error_set(err, ERR_BENCHMARK, "%s", message.data);
	strbuf_release(&message);
	return ERR_BENCHMARK;
}

static int run_under_valgrind(
	const struct run_options *options, struct instructions_run *run, struct error *err)
{
	char *folder = file_join(run->folder, "counts"), *valgrind = NULL;
	int rc = valgrind_find(&valgrind, err);

	if (!rc)
		rc = file_mkdirs(folder, err);
	if (!rc)
		rc = start(options,
			valgrind_command(&run->arena, valgrind, run->engine, folder, options->argv),
			run, err);
	if (!rc)
		rc = check_end(run, folder, err);
	if (!rc)
		rc = valgrind_read(folder, options->processes, run, err);
	free(valgrind);
	free(folder);
	return rc;
}

static int run_with_counter(const struct run_options *options, const struct hardware_event *event,
	struct instructions_run *run, struct error *err)
{
	struct hardware_counter counter;
	int rc = hardware_counter_open(event, &counter, err);

	if (!rc)
		rc = start(options, options->argv, run, err);
	if (!rc)
		rc = check_end(run, NULL, err);
	if (!rc)
		rc = hardware_counter_read(&counter, &run->instructions, err);
	hardware_counter_close(&counter);
	return rc;
}

static void name_program(const struct run_options *options, struct instructions_run *run)
{
	char *path = preload_program(options->argv, options->env, options->directory);
	const char *name = path ? path : options->argv[0], *slash = strrchr(name, '/');

	run->program = arena_strdup(&run->arena, slash ? slash + 1 : name);
	free(path);
}

static int begin(const struct run_options *options, enum instructions_engine engine,
	struct instructions_run *run, struct error *err)
{
	int rc;

	*run = (struct instructions_run){
		.engine = engine, .iterations = 1, .randomized = !addresses_can_be_fixed()};
	arena_init(&run->arena);
	name_program(options, run);
	rc = check_options(options, err);
	if (!rc)
		rc = file_make_temp_dir(options->scratch, "run-", &run->folder, err);
	if (!rc && !options->inherit_stdio)
		run->output_path = file_join(run->folder, "output");
	if (!rc)
		rc = run_clock_prepare(options->clock, run->folder, &run->clock, err);
	if (!rc && run->clock.folder)
		run->env = run_clock_environment(options->env, &run->clock);
	return rc;
}

static int finish(
	const struct run_options *options, struct instructions_run *run, struct error *err)
{
	struct run_clock_use use;
	int rc = run_clock_collect(options->clock, &run->clock, NULL, &use, err);

	if (rc || !options->iterations_path)
		return rc;
	return iterations_read(options->iterations_path, &run->iterations, err);
}

int instructions_run_event(const struct run_options *options, const struct hardware_event *event,
	struct instructions_run *run, struct error *err)
{
	int rc = begin(options, INSTRUCTIONS_HARDWARE, run, err);

	if (!rc)
		rc = run_with_counter(options, event, run, err);
	return rc ? rc : finish(options, run, err);
}

int instructions_run(const struct run_options *options, enum instructions_engine engine,
	struct instructions_run *run, struct error *err)
{
	int rc;

	if (engine == INSTRUCTIONS_HARDWARE)
		return instructions_run_event(options, &hardware_instructions, run, err);
	rc = begin(options, engine, run, err);
	if (!rc)
		rc = run_under_valgrind(options, run, err);
	return rc ? rc : finish(options, run, err);
}

void instructions_run_release(struct instructions_run *run)
{
	if (run->folder)
		file_remove_tree(run->folder, NULL);
	free(run->folder);
	free(run->output_path);
	environment_free(run->env);
	run_clock_release(&run->clock);
	free(run->processes);
	callgrind_free(run->counts);
	arena_release(&run->arena);
	*run = (struct instructions_run){0};
}

/* ---- several runs ---------------------------------------------------------------------------- */

void instructions_range_add(struct instructions_range *range, uint64_t instructions)
{
	if (!range->runs || instructions < range->least)
		range->least = instructions;
	if (!range->runs || instructions > range->most)
		range->most = instructions;
	range->runs++;
}

void instructions_range_text(const struct instructions_range *range, struct strbuf *out)
{
	uint64_t difference = range->most - range->least;

	if (range->runs < 2)
		strbuf_addf(out, "%" PRIu64 " instructions in one run", range->most);
	else if (!difference)
		strbuf_addf(out, "%" PRIu64 " instructions in each of %zu runs", range->most,
			range->runs);
	else
		strbuf_addf(out,
			"%" PRIu64 " to %" PRIu64 " instructions in %zu runs (they differ by %.2g "
			"%%: the benchmark is not deterministic)",
			range->least, range->most, range->runs,
			100 * (double)difference / (double)range->most);
}
