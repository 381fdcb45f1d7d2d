/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/run/run.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/process/keeper.h"
#include "gate/base/strbuf.h"
#include "gate/bench/environment.h"
#include "gate/bench/leavings.h"
#include "gate/bench/run/processes.h"
#include "gate/bench/run/run_internal.h"
#include "gate/bench/run/slowdown.h"
#include "gate/bench/run/warmup.h"
#include "gate/clock/clock_variable.h"
#include "gate/sampler/environment.h"

void run_choose_cpus(uint32_t wanted, uint32_t max_threads, cpu_set_t *out)
{
	size_t cpu = CPU_SETSIZE;
	cpu_set_t all;

	CPU_ZERO(out);
	if (sched_getaffinity(0, sizeof(all), &all) < 0)
		CPU_ZERO(&all);
	if (!wanted)
		wanted = max_threads <= 1 ? 1 : CPU_SETSIZE;
	while (cpu-- && wanted)
		if (CPU_ISSET(cpu, &all)) {
			CPU_SET(cpu, out);
			wanted--;
		}
}

struct environment_list {
	char **items;
	size_t count, capacity;
};

/* Takes entry. */
static void add_variable(struct environment_list *list, char *entry)
{
	list->items =
		grow_array(list->items, &list->capacity, list->count + 2, sizeof(*list->items));
	list->items[list->count++] = entry;
	list->items[list->count] = NULL;
}

static bool is_ours(const char *entry)
{
	static const char *const names[] = {"LD_PRELOAD", FG_ENV_CAPTURE_DIR, FG_ENV_RATE,
		FG_ENV_MECHANISM, FG_ENV_CONTROL, FG_ENV_CAPTURE_MAX_MB, FG_ENV_PROFILE,
		FG_ENV_HEAP_PERIOD, FG_ENV_START_PAUSED, FG_ENV_SLOWDOWN, FG_ENV_CLOCK};
	size_t i, length = strcspn(entry, "=");

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == length && !strncmp(names[i], entry, length))
			return true;
	return false;
}

static char *format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));

static char *format(const char *pattern, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list args;

	va_start(args, pattern);
	strbuf_vaddf(&text, pattern, args);
	va_end(args);
	return strbuf_detach(&text, NULL);
}

/* The clock's library stands before the sampler, whose own clock is the real one; what the benchmark
 * preloads itself (a malloc, say) comes after both. */
static char **sampler_environment(
	const struct run_options *options, const struct run_launch *launch)
{
	const char *const *env = options->env ? options->env : (const char *const *)environ,
			  *const * entry;
	const char *preload = environment_get(env, "LD_PRELOAD");
	struct environment_list list = {NULL, 0, 0};

	for (entry = env; *entry; entry++)
		if (!is_ours(*entry))
			add_variable(&list, xstrdup(*entry));
	add_variable(&list,
		format("LD_PRELOAD=%s%s%s%s%s", launch->clock.library ? launch->clock.library : "",
			launch->clock.library ? ":" : "", launch->library,
			preload && *preload ? ":" : "", preload ? preload : ""));
	if (launch->clock.folder)
		add_variable(&list, format(FG_ENV_CLOCK "=%s", launch->clock.folder));
	add_variable(&list, format(FG_ENV_CAPTURE_DIR "=%s", launch->captures));
	add_variable(&list,
		format(FG_ENV_RATE "=%u", options->rate_hz ? options->rate_hz : SAMPLER_RATE_HZ));
	add_variable(&list,
		format(FG_ENV_MECHANISM "=%s", options->mechanism ? options->mechanism : "auto"));
	if (options->kind && options->kind->sampler)
		add_variable(&list, format(FG_ENV_PROFILE "=%s", options->kind->sampler));
	if (options->heap_period_bytes)
		add_variable(&list, format(FG_ENV_HEAP_PERIOD "=%llu",
					    (unsigned long long)options->heap_period_bytes));
	if (launch->control)
		add_variable(&list, format(FG_ENV_CONTROL "=%s", launch->control));
	if (options->start_paused)
		add_variable(&list, xstrdup(FG_ENV_START_PAUSED "=1"));
	if (options->slowdown)
		add_variable(&list, format(FG_ENV_SLOWDOWN "=%s", options->slowdown));
	return list.items;
}

/* Removes what an earlier run left, so that an old number is never read. */
static int remove_old_iterations(const char *path, struct error *err)
{
	if (!path || unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR)
		return ERR_OK;
	return error_errno(err, ERR_BENCHMARK, errno, "cannot remove %s before the run", path);
}

/* What a shell says of the program that it started. */
static const char *hint_of_status(int status)
{
	switch (status) {
	case 126:
		return " (a shell's word for: found, but not executable)";
	case 127:
		return " (a shell's word for: command not found)";
	case 128 + SIGKILL:
		return " (a child was killed by SIGKILL: out of memory?)";
	case 128 + SIGSEGV:
		return " (a child crashed with SIGSEGV)";
	case 128 + SIGSYS:
		return " (a child was killed by SIGSYS: its seccomp filter may not allow the "
		       "sampler's system calls; the other mechanism, perf or posix, makes others)";
	default:
		return "";
	}
}

static const char *hint(const struct process_result *result)
{
	if (result->timed_out)
		return "; raise its timeout or give it less work";
	switch (result->signal) {
	case 0:
		return hint_of_status(result->exit_status);
	case SIGKILL:
		return "; out of memory? (the kernel's log tells)";
	case SIGSEGV:
	case SIGBUS:
	case SIGILL:
		return "; does it also crash without flamegate?";
	case SIGSYS:
		return "; a seccomp filter of the program's may not allow the sampler's system "
		       "calls: the other mechanism (perf or posix) "
		       "makes others, or run it without the filter";
	case SIGXCPU:
		return "; a CPU time limit (ulimit -t)";
	default:
		return "";
	}
}

/* A build that wants to be loaded first is refused before it is started (preload.h), but for one
 * behind a script: that one says so itself. */
static const char *hint_of_output(const char *output)
{
	return strstr(output, "ASan runtime does not come first")
		       ? "; it starts a program that is built with -fsanitize=address, whose "
			 "run-time library must be loaded first: "
			 "benchmark a build without sanitizers"
		       : "";
}

static int describe_failure(const struct run *run, struct error *err)
{
	const struct process_result *result = &run->process;
	struct strbuf message = STRBUF_INIT, output = STRBUF_INIT;

	if (run->output_path)
		outputs_tail(&output, run->output_path, run->error_path);
	strbuf_addf(&message, "the benchmark %s after %.1f s%s%s",
		result->timed_out ? "ran into its time limit" : process_result_text(result),
		(double)result->wall_ns / 1e9, hint(result),
		output.length ? hint_of_output(output.data) : "");
	strbuf_release(&output);
	if (run->output_path)
		outputs_tail(&message, run->output_path, run->error_path);
	error_set(err, ERR_BENCHMARK, "%s", message.data);
	strbuf_release(&message);
	return ERR_BENCHMARK;
}

static void sum_captures(struct run *run)
{
	size_t i, j;

	run->cpu_seconds = (double)run->process.cpu_ns / 1e9;
	for (i = 0; i < run->captures.process_count; i++) {
		const struct capture_process *process = &run->captures.processes[i];

		if (process->excluded) {
			run->left_out_seconds +=
				((double)process->cpu_ns + (double)process->paused_ns) / 1e9;
			continue;
		}
		run->paused_seconds += (double)process->paused_ns / 1e9;
		if (process->threads > run->max_threads)
			run->max_threads = process->threads;
		run->own_seconds += process->own_seconds;
		run->planted_seconds += (double)process->slowdown_ns / 1e9;
		for (j = 0; j < process->entry_count; j++) {
			if (process->entries[j].kind != CAPTURE_CPU)
				continue;
			run->sampled_seconds += (double)process->entries[j].sum / 1e9;
			run->sum_squares_s2 += process->entries[j].sum_squares / 1e18;
		}
	}
	run->cpu_seconds -= run->paused_seconds + run->left_out_seconds;
}

static int check_captures(const struct run *run, struct error *err)
{
	const struct capture_set *set = &run->captures;

	if (set->damaged)
		return error_set(err, ERR_MEASURE,
			"%u of the benchmark's captures cannot be read, "
			"so a part of the profile is missing: %s",
			set->damaged, set->damage);
	if (set->process_count)
		return ERR_OK;
	return error_set(err, ERR_MEASURE,
		"no process of the benchmark wrote a profile. Likely reasons: it starts a "
		"statically linked or setuid program; it clears LD_PRELOAD or the whole "
		"environment (env -i, sudo, a container or sandbox); the work is done by a server "
		"that was already running; or the disk is full");
}

/* A program that sets the sampler's variable for its own children must not look like a result. */
static int check_planted(
	const struct run_options *options, const struct run *run, struct error *err)
{
	if (options->slowdown || run->planted_seconds <= 0)
		return ERR_OK;
	return error_set(err, ERR_MEASURE,
		"%.3f s of the CPU time were burnt by a slowdown that flamegate did not ask for: "
		"something in the benchmark sets " FG_ENV_SLOWDOWN,
		run->planted_seconds);
}

/* What the program told by flamegate_iteration(), in all its processes. */
static int take_marks(struct run *run, struct error *err)
{
	uint64_t told = 0;

	for (size_t i = 0; i < run->captures.process_count; i++)
		if (!run->captures.processes[i].excluded &&
			__builtin_add_overflow(told, run->captures.processes[i].iterations, &told))
			return error_set(err, ERR_MEASURE, "impossible numbers of iterations");
	if (!told)
		return error_set(err, ERR_BENCHMARK,
			"the benchmark never called flamegate_iteration() (flamegate.h), although "
			"its work is counted in iterations: write 'work: "
			"fixed' if every run does the same work");
	run->iterations = (double)told;
	return ERR_OK;
}

static int select_processes(const struct run_options *options, struct run *run, struct error *err)
{
	struct strbuf left_out = STRBUF_INIT;
	int rc = processes_select(&run->captures, options->processes, &left_out, err);

	if (left_out.length)
		run->left_out = strbuf_detach(&left_out, NULL);
	else
		strbuf_release(&left_out);
	return rc;
}

/* The captures are read whatever happened: a killed benchmark's profile so far is worth seeing. */
int run_collect(const struct run_options *options, const struct run_launch *launch, struct run *run,
	struct error *err)
{
	const struct process_result *result = &run->process;
	struct error unselected = {0};
	int selected = ERR_OK;
	int rc = capture_set_read(&run->captures, launch->captures, &capture_default_limits, err);

	if (!rc)
		selected = select_processes(options, run, &unselected);
	sum_captures(run);
	if (result->timed_out || result->signal || result->exit_status)
		return run_clock_check(options->clock, &launch->clock, result->timed_out,
			       options->timeout_ns, &run->clock, err)
			       ? err->code
			       : describe_failure(run, err);
	if (!rc)
		rc = check_captures(run, err);
	if (!rc)
		rc = check_planted(options, run, err);
	if (!rc)
		rc = run_clock_collect(
			options->clock, &launch->clock, &run->captures, &run->clock, err);
	if (!rc && selected) {
		*err = unselected;
		rc = selected;
	}
	if (!rc && options->iterations_path)
		rc = iterations_read(options->iterations_path, &run->iterations, err);
	if (!rc && options->marks)
		rc = take_marks(run, err);
	if (!rc && options->marks && run->kind == profile_kinds)
		warmup_drop(run, options->slowdown && slowdown_is_everywhere(options->slowdown));
	return rc;
}

/* The sampler is to count allocations. */
static bool counts_allocations(const struct profile_kind *kind)
{
	return kind->sampler && strcmp(kind->sampler, "heap") == 0;
}

static int prepare_process(const struct run_options *options, const struct run *run,
	struct run_launch *launch, struct error *err)
{
	int rc = preload_library(counts_allocations(run->kind) ? PRELOAD_HEAP : PRELOAD_SAMPLER,
		run->folder, &launch->library, err);

	if (!rc)
		rc = run_clock_prepare(options->clock, run->folder, &launch->clock, err);
	if (rc)
		return rc;
	launch->env = sampler_environment(options, launch);
	launch->process = (struct process_options){.argv = options->argv,
		.env = (const char *const *)launch->env,
		.directory = options->directory,
		.output_path = run->output_path,
		.error_path = run->error_path,
		.inherit_stdio = options->inherit_stdio,
		.timeout_ns = run_clock_timeout(options->clock, options->timeout_ns),
		/* In turns we stop what the sampler does not hold; at a terminal, the user. */
		.stopped_ns = options->inherit_stdio || launch->control ? 0 : PROCESS_STOPPED_NS,
		.cpus = options->cpus};
	return ERR_OK;
}

int run_prepare(const struct run_options *options, bool with_control, struct run *run,
	struct run_launch *launch, struct error *err)
{
	int rc;

	*launch = (struct run_launch){0};
	*run = (struct run){.iterations = 1, .kind = options->kind ? options->kind : profile_kinds};
	arena_init(&run->captures.arena);
	rc = file_make_temp_dir(options->scratch, "run-", &run->folder, err);
	if (rc)
		return rc;
	launch->captures = file_join(run->folder, "captures");
	if (with_control)
		launch->control = file_join(run->folder, "control");
	if (!options->inherit_stdio) {
		run->output_path = file_join(run->folder, "output");
		run->error_path = file_join(run->folder, "errors");
	}
	rc = file_mkdirs(launch->captures, err);
	if (!rc)
		rc = remove_old_iterations(options->iterations_path, err);
	return rc ? rc : prepare_process(options, run, launch, err);
}

void run_launch_release(struct run_launch *launch)
{
	environment_free(launch->env);
	free(launch->captures);
	free(launch->library);
	free(launch->control);
	run_clock_release(&launch->clock);
	*launch = (struct run_launch){0};
}

int run_execute(const struct run_options *options, struct run *run, struct error *err)
{
	struct run_launch launch;
	int rc = run_prepare(options, false, run, &launch, err);

	if (!rc)
		rc = keeper_run(&launch.process, &run->process, err);
	if (!rc)
		rc = run_collect(options, &launch, run, err);
	run_launch_release(&launch);
	return rc;
}

void run_release(struct run *run)
{
	capture_set_release(&run->captures);
	if (run->folder)
		file_remove_tree(run->folder, NULL);
	free(run->folder);
	free(run->output_path);
	free(run->error_path);
	free(run->left_out);
	*run = (struct run){0};
}
