/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/instructions/call_breakpoints.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/strbuf.h"
#include "gate/bench/elf/elf_file.h"
#include "gate/bench/run/fixed_addresses.h"
#include "gate/bench/run/run_internal.h"
#include "gate/bench/untrusted_file.h"

#define MAX_OBJECT_BYTES ((size_t)256 << 20)
#define LOOK_NS 5000000

/* ---- the kernel's side ----------------------------------------------------------------------- */

/* We never exec: only what we start is counted, from its exec on, and all that it starts. */
static int open_event(uint64_t address)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = address,
		.bp_len = sizeof(long),
		.disabled = 1,
		.inherit = 1,
		.enable_on_exec = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int explain(int number, struct error *err)
{
	if (number == EACCES || number == EPERM)
		return error_set(err, ERR_MEASURE,
			"perf breakpoints are not allowed here (kernel.perf_event_paranoid must be "
			"2 or less, and a container's seccomp profile must allow perf_event_open)");
	if (number == ENOSPC)
		return error_set(err, ERR_MEASURE,
			"the processor's breakpoints are taken by another program");
	return error_set(err, ERR_MEASURE, "this machine has no perf breakpoints");
}

int breakpoints_check(struct error *err)
{
	int fd = open_event((uint64_t)(uintptr_t)breakpoints_check);

	if (fd < 0)
		return explain(errno, err);
	close(fd);
	if (!addresses_can_be_fixed())
		return error_set(err, ERR_MEASURE,
			"address space randomisation cannot be switched off here");
	return ERR_OK;
}

/* ---- where functions are --------------------------------------------------------------------- */

void breakpoints_release(struct breakpoints *breakpoints)
{
	arena_release(&breakpoints->arena);
	*breakpoints = (struct breakpoints){.arena = ARENA_INIT};
}

static bool ends_in(const char *path, const char *end)
{
	size_t length = strlen(path), tail = strlen(end);

	return tail && length >= tail && strcmp(path + length - tail, end) == 0 &&
	       (length == tail || end[0] == '/' || path[length - tail - 1] == '/');
}

static bool is_object(const struct capture_module *module, const struct breakpoint_target *target)
{
	return ends_in(module->path, target->object) &&
	       strcmp(module->build_id, target->build_id) == 0;
}

/* The program that has it, too. */
static const struct capture_module *find_module(
	const struct capture_set *set, const struct breakpoint_target *target, const char **program)
{
	for (size_t i = 0; i < set->process_count; i++)
		for (size_t k = 0; k < set->processes[i].module_count; k++)
			if (is_object(&set->processes[i].modules[k], target)) {
				*program = set->processes[i].executable;
				return &set->processes[i].modules[k];
			}
	return NULL;
}

static bool find_function(const char *path, const char *symbol, struct elf_function *function)
{
	struct strbuf content = STRBUF_INIT;
	struct elf_file elf;
	bool found = untrusted_file_read(path, MAX_OBJECT_BYTES, &content, NULL) == ERR_OK &&
		     elf_file_open(&elf, content.data, content.length) == ELF_KIND_NATIVE &&
		     elf_file_function(&elf, symbol, function) &&
		     elf_function_begins_once(&elf, function);

	strbuf_release(&content);
	return found;
}

static void find_target(const struct capture_set *set, const struct breakpoint_target *target,
	struct arena *arena, struct breakpoint *out)
{
	const char *program = "";
	const struct capture_module *module = find_module(set, target, &program);
	struct elf_function function;

	*out = (struct breakpoint){0};
	if (!module || !find_function(module->path, target->symbol, &function))
		return;
	*out = (struct breakpoint){.is_set = true,
		.program = arena_strdup(arena, program),
		.object = arena_strdup(arena, module->path),
		.bias = module->bias,
		.address = function.address + module->bias};
}

/* ---- whether they are there ------------------------------------------------------------------ */

/* Code of the program's own file, where programs lie when addresses are fixed. */
static bool covers(const struct elf_file *elf, const struct breakpoint *breakpoint)
{
	uint64_t address = elf->header.e_type == ET_DYN ? breakpoint->address - breakpoint->bias
							: breakpoint->address;

	for (size_t i = 0; i < elf->segment_count; i++) {
		Elf64_Phdr segment = elf_file_segment(elf, i);

		if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) &&
			address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_memsz)
			return true;
	}
	return false;
}

/* Libraries of another program lie anywhere among the first one's. */
static bool may_meet(const char *program, const struct breakpoint *breakpoint)
{
	struct strbuf content = STRBUF_INIT;
	struct elf_file elf;
	bool meets = strcmp(breakpoint->object, breakpoint->program) != 0 ||
		     untrusted_file_read(program, MAX_OBJECT_BYTES, &content, NULL) != ERR_OK ||
		     elf_file_open(&elf, content.data, content.length) != ELF_KIND_NATIVE ||
		     covers(&elf, breakpoint);

	strbuf_release(&content);
	return meets;
}

static const struct capture_module *module_of(
	const struct capture_process *process, const char *path)
{
	for (size_t i = 0; i < process->module_count; i++)
		if (strcmp(process->modules[i].path, path) == 0)
			return &process->modules[i];
	return NULL;
}

static int check_process(const struct capture_process *process, const struct breakpoint *breakpoint,
	struct error *err)
{
	const struct capture_module *module = module_of(process, breakpoint->object);

	if (module && module->bias != breakpoint->bias)
		return error_set(err, ERR_MEASURE,
			"the program does not lie at the same addresses in every run");
	if (strcmp(process->executable, breakpoint->program) != 0 &&
		may_meet(process->executable, breakpoint))
		return error_set(err, ERR_MEASURE,
			"another program of the benchmark may have code at the same addresses");
	return ERR_OK;
}

static int check_places(
	const struct capture_set *set, const struct breakpoints *breakpoints, struct error *err)
{
	int rc = ERR_OK;

	for (size_t i = 0; i < set->process_count && !rc; i++)
		for (size_t k = 0; k < breakpoints->count && !rc; k++)
			if (breakpoints->items[k].is_set)
				rc = check_process(&set->processes[i], &breakpoints->items[k], err);
	return rc;
}

static bool is_counted(const struct breakpoint *breakpoint)
{
	return breakpoint->is_set && !breakpoint->is_stopped;
}

static bool any_is_counted(const struct breakpoints *breakpoints)
{
	for (size_t i = 0; i < breakpoints->count; i++)
		if (is_counted(&breakpoints->items[i]))
			return true;
	return false;
}

/* ---- one run --------------------------------------------------------------------------------- */

/* run_execute() at fixed addresses. Not by a keeper: our own children alone inherit the events. */
static int run_fixed(const struct run_options *options, struct run *run, struct error *err)
{
	struct run_launch launch;
	int rc = run_prepare(options, false, run, &launch, err);

	launch.process.prepare = addresses_fix;
	if (!rc)
		rc = process_run(&launch.process, &run->process, err);
	if (!rc)
		rc = run_collect(options, &launch, run, err);
	run_launch_release(&launch);
	return rc;
}

int breakpoints_find(const struct run_options *options, const struct breakpoint_target *targets,
	size_t count, struct breakpoints *breakpoints, struct error *err)
{
	struct run run = {0};
	int rc = run_fixed(options, &run, err);

	*breakpoints = (struct breakpoints){
		.arena = ARENA_INIT, .count = count, .most_calls = BREAKPOINTS_MOST_CALLS};
	for (size_t i = 0; i < count && !rc; i++)
		find_target(
			&run.captures, &targets[i], &breakpoints->arena, &breakpoints->items[i]);
	if (!rc)
		rc = check_places(&run.captures, breakpoints, err);
	if (!rc && !any_is_counted(breakpoints))
		rc = error_set(err, ERR_MEASURE,
			"nothing that grew is one function whose calls a breakpoint could count");
	run_release(&run);
	return rc;
}

/* Looks at the counts while the program runs.
 * The thread alone touches it between start and stop. */
struct watcher {
	struct breakpoints *breakpoints;
	int fds[BREAKPOINTS_MOST];
	bool is_over;
	pthread_t thread;
};

static void look(struct watcher *watcher)
{
	for (size_t i = 0; i < watcher->breakpoints->count; i++) {
		struct breakpoint *breakpoint = &watcher->breakpoints->items[i];
		uint64_t calls = 0;

		if (watcher->fds[i] < 0 ||
			read(watcher->fds[i], &calls, sizeof(calls)) != (ssize_t)sizeof(calls))
			continue;
		breakpoint->calls = calls;
		if (calls < watcher->breakpoints->most_calls || breakpoint->is_stopped)
			continue;
		breakpoint->is_stopped = true;
		ioctl(watcher->fds[i], PERF_EVENT_IOC_DISABLE, 0);
	}
}

static void *look_until_over(void *data)
{
	const struct timespec pause = {0, LOOK_NS};
	struct watcher *watcher = data;

	while (!__atomic_load_n(&watcher->is_over, __ATOMIC_ACQUIRE)) {
		look(watcher);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static void close_events(struct watcher *watcher)
{
	for (size_t i = 0; i < BREAKPOINTS_MOST; i++)
		if (watcher->fds[i] >= 0)
			close(watcher->fds[i]);
}

static int open_events(struct watcher *watcher, struct error *err)
{
	memset(watcher->fds, 0xff, sizeof(watcher->fds));
	for (size_t i = 0; i < watcher->breakpoints->count; i++) {
		const struct breakpoint *breakpoint = &watcher->breakpoints->items[i];

		if (!is_counted(breakpoint))
			continue;
		watcher->fds[i] = open_event(breakpoint->address);
		if (watcher->fds[i] < 0)
			return explain(errno, err);
	}
	return ERR_OK;
}

/* Signals are for the main thread. */
static int start_watching(struct watcher *watcher, struct error *err)
{
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&watcher->thread, NULL, look_until_over, watcher);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc ? error_errno(err, ERR_IO, rc, "cannot start a thread") : ERR_OK;
}

static void stop_watching(struct watcher *watcher)
{
	__atomic_store_n(&watcher->is_over, true, __ATOMIC_RELEASE);
	pthread_join(watcher->thread, NULL);
	look(watcher);
}

static int run_watched(
	const struct run_options *options, struct watcher *watcher, struct error *err)
{
	struct run run = {0};
	int rc = run_fixed(options, &run, err);

	stop_watching(watcher);
	if (!rc)
		rc = check_places(&run.captures, watcher->breakpoints, err);
	watcher->breakpoints->iterations = run.iterations;
	run_release(&run);
	return rc;
}

int breakpoints_run(
	const struct run_options *options, struct breakpoints *breakpoints, struct error *err)
{
	struct watcher watcher = {.breakpoints = breakpoints};
	int rc = open_events(&watcher, err);

	if (!rc)
		rc = start_watching(&watcher, err);
	if (!rc)
		rc = run_watched(options, &watcher, err);
	close_events(&watcher);
	return rc;
}
