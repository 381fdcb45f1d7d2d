/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/runs/run_text.h"

#include <inttypes.h>
#include <string.h>

#include "gate/bench/recording/recording.h"

#define MIB 1048576.0

/* ---- sums over the processes that count ---------------------------------------------------- */

static struct capture_total total_of(const struct run *run, enum capture_kind kind)
{
	struct capture_total sum = {0, 0, 0};

	for (size_t i = 0; i < run->captures.process_count; i++) {
		const struct capture_process *process = &run->captures.processes[i];

		if (process->excluded)
			continue;
		sum.count += process->totals[kind].count;
		sum.sum += process->totals[kind].sum;
		sum.complete += process->totals[kind].complete;
	}
	return sum;
}

void run_counters(const struct capture_set *captures, uint64_t counters[CAPTURE_COUNTERS])
{
	for (size_t i = 0; i < captures->process_count; i++)
		for (unsigned k = 0; k < CAPTURE_COUNTERS && !captures->processes[i].excluded; k++)
			counters[k] += captures->processes[i].counters[k];
}

static void add_counters(struct strbuf *lines, const uint64_t counters[CAPTURE_COUNTERS],
	bool harmless, const char *prefix)
{
	const struct capture_counter *counter;

	for (unsigned i = 0; i < CAPTURE_COUNTERS && (counter = capture_counter(i)) != NULL; i++)
		if (counters[i] && counter->harmless == harmless)
			strbuf_addf(
				lines, "%s%" PRIu64 " %s\n", prefix, counters[i], counter->text);
}

uint64_t run_losses(const uint64_t counters[CAPTURE_COUNTERS])
{
	const struct capture_counter *counter;
	uint64_t sum = 0;

	for (unsigned i = 0; i < CAPTURE_COUNTERS && (counter = capture_counter(i)) != NULL; i++)
		if (!counter->harmless && __builtin_add_overflow(sum, counters[i], &sum))
			return UINT64_MAX;
	return sum;
}

void run_losses_text(struct strbuf *lines, const uint64_t counters[CAPTURE_COUNTERS])
{
	add_counters(lines, counters, false, "");
}

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* ---- one kind each -------------------------------------------------------------------------- */

/* One process by the weaker clock makes the run one of the weaker clock; some have none. */
const char *run_mechanism(const struct capture_set *captures)
{
	const char *mechanism = captures->process_count ? "posix" : "";

	for (size_t i = 0; i < captures->process_count; i++) {
		if (captures->processes[i].mechanism == CAPTURE_POSIX)
			return "posix";
		if (captures->processes[i].mechanism == CAPTURE_PERF)
			mechanism = "perf";
	}
	return mechanism;
}

static void cpu_text(struct strbuf *lines, const struct run *run)
{
	const struct capture_set *captures = &run->captures;
	uint64_t all = captures->samples + captures->lost;

	strbuf_addf(lines,
		"%" PRIu64 " samples in %zu processes, %" PRIu64 " lost; %.1f %% complete stacks\n",
		captures->samples, captures->process_count, captures->lost,
		percent((double)captures->complete, (double)all));
	strbuf_addf(lines, "%.2f of %.2f CPU seconds sampled (%.0f %%) by the %s at %" PRIu32 " Hz",
		run->sampled_seconds, run->cpu_seconds,
		percent(run->sampled_seconds, run->cpu_seconds),
		mechanism_text(run_mechanism(captures)),
		captures->process_count ? captures->processes[0].rate_hz : 0);
	if (run->own_seconds > 0)
		strbuf_addf(lines, "; the sampler's own work: %.2f %%",
			percent(run->own_seconds, run->cpu_seconds));
	strbuf_addch(lines, '\n');
}

static void wall_text(struct strbuf *lines, const struct run *run)
{
	struct capture_total waiting = total_of(run, CAPTURE_OFF_CPU);

	cpu_text(lines, run);
	strbuf_addf(lines,
		"threads waited for %.2f s: %" PRIu64 " looks at them, %.1f %% with "
		"complete stacks\n",
		(double)waiting.sum / 1e9, waiting.count,
		percent((double)waiting.complete, (double)waiting.count));
}

/* Of the process that needed most: peaks of several processes are no peak together. */
static const struct capture_process *largest_heap(const struct run *run)
{
	const struct capture_process *most = NULL;

	for (size_t i = 0; i < run->captures.process_count; i++) {
		const struct capture_process *process = &run->captures.processes[i];

		if (!process->excluded && (!most || process->peak_bytes > most->peak_bytes))
			most = process;
	}
	return most;
}

/* Hostile: a line break would begin a line of its own. Who prints it does the rest. */
static void add_base_name(struct strbuf *lines, const char *path)
{
	const char *slash = strrchr(path, '/');

	for (path = slash ? slash + 1 : path; *path; path++)
		strbuf_addch(lines, *path == '\n' || *path == '\r' ? ' ' : *path);
}

static void largest_text(struct strbuf *lines, const struct capture_process *largest)
{
	if (largest->heap_period_bytes)
		strbuf_addf(lines,
			"estimated from samples, one of %.0f KiB on average: no count is exact\n",
			(double)largest->heap_period_bytes / 1024);
	strbuf_addf(lines, "the largest heap was %.2f MiB in %" PRIu64 " blocks (",
		(double)largest->peak_bytes / MIB, largest->peak_count);
	add_base_name(lines, largest->executable);
	strbuf_addf(lines, "); at its end %.2f MiB in %" PRIu64 " blocks were in use\n",
		(double)largest->live_bytes / MIB, largest->live_count);
}

static void heap_text(struct strbuf *lines, const struct run *run)
{
	struct capture_total heap = total_of(run, CAPTURE_HEAP);
	struct capture_total mapped = total_of(run, CAPTURE_MAPPED);
	const struct capture_process *largest = largest_heap(run);

	strbuf_addf(lines,
		"%" PRIu64 " allocations of %.2f MiB in %zu processes; %.1f %% complete stacks\n",
		heap.count, (double)heap.sum / MIB, run->captures.process_count,
		percent((double)heap.complete, (double)heap.count));
	if (largest)
		largest_text(lines, largest);
	if (mapped.count)
		strbuf_addf(lines, "mmap: %.2f MiB in %" PRIu64 " calls\n",
			(double)mapped.sum / MIB, mapped.count);
}

static void lock_text(struct strbuf *lines, const struct run *run)
{
	static const struct {
		enum capture_kind kind;
		const char *name;
	} kinds[] = {{CAPTURE_MUTEX, "mutexes"}, {CAPTURE_RWLOCK, "reader-writer locks"},
		{CAPTURE_CONDITION, "condition variables"}, {CAPTURE_FUTEX, "futexes"}};
	bool any = false;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct capture_total total = total_of(run, kinds[i].kind);

		if (!total.count)
			continue;
		any = true;
		strbuf_addf(lines, "%" PRIu64 " waits for %s: %.3f s\n", total.count, kinds[i].name,
			(double)total.sum / 1e9);
	}
	if (!any)
		strbuf_addstr(lines, "no thread waited for a lock\n");
}

static void marks_text(struct strbuf *lines, const struct run *run)
{
	uint64_t iterations = 0;

	for (size_t i = 0; i < run->captures.process_count; i++)
		if (!run->captures.processes[i].excluded)
			iterations += run->captures.processes[i].iterations;
	if (iterations)
		strbuf_addf(lines, "%" PRIu64 " iterations told by the program\n", iterations);
}

void run_text(struct strbuf *lines, const struct run *run)
{
	static const struct {
		const char *kind;
		void (*text)(struct strbuf *lines, const struct run *run);
	} texts[] = {
		{"cpu", cpu_text}, {"wall", wall_text}, {"heap", heap_text}, {"lock", lock_text}};
	uint64_t counters[CAPTURE_COUNTERS] = {0};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strcmp(texts[i].kind, run->kind->name) == 0)
			texts[i].text(lines, run);
	marks_text(lines, run);
	if (run->paused_seconds > 0)
		strbuf_addf(lines, "%.2f CPU seconds were paused by the program\n",
			run->paused_seconds);
	run_counters(&run->captures, counters);
	add_counters(lines, counters, true, "");
	add_counters(lines, counters, false, "warning: ");
	if (run->left_out)
		strbuf_addf(lines, "%s\n", run->left_out);
	if (run->captures.damaged)
		strbuf_addf(lines, "warning: %u captures are damaged: %s\n", run->captures.damaged,
			run->captures.damage);
}
