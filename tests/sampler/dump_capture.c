/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints a directory of captures as "name value" lines for the sampler's tests, and with -s each
 * stack.
 * usage: dump_capture [-s] DIR
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/profile/capture/capture_read.h"
#include "gate/sampler/capture/capture.h"

static const char *mechanism_name(enum capture_mechanism mechanism)
{
	static const char *const names[] = {"none", "perf", "posix"};

	return names[mechanism];
}

static const char *const kind_names[CAPTURE_KIND_COUNT] = {
	[CAPTURE_CPU] = "cpu",
	[CAPTURE_OFF_CPU] = "off_cpu",
	[CAPTURE_HEAP] = "heap",
	[CAPTURE_MAPPED] = "mapped",
	[CAPTURE_MUTEX] = "mutex",
	[CAPTURE_RWLOCK] = "rwlock",
	[CAPTURE_CONDITION] = "condition",
	[CAPTURE_FUTEX] = "futex",
};

static const char *const counter_names[FG_COUNTER_COUNT] = {
	[FG_COUNTER_BUSY] = "busy",
	[FG_COUNTER_INTERRUPTED] = "interrupted",
	[FG_COUNTER_RETRIED] = "retried",
	[FG_COUNTER_UNTIMED] = "untimed",
	[FG_COUNTER_FALLBACK] = "fallback",
	[FG_COUNTER_LOST_TIMER] = "lost_timer",
	[FG_COUNTER_RAW_THREADS] = "raw_threads",
	[FG_COUNTER_UNSAMPLED] = "unsampled",
	[FG_COUNTER_UNKNOWN_FREES] = "unknown_frees",
	[FG_COUNTER_UNTRACKED] = "untracked",
	[FG_COUNTER_HEAP_LOST] = "heap_lost",
	[FG_COUNTER_WAITS_LOST] = "waits_lost",
	[FG_COUNTER_CONTEXTS_LOST] = "contexts_lost",
	[FG_COUNTER_LOOKS_FAILED] = "looks_failed",
	[FG_COUNTER_OTHER_HEAP] = "other_heap",
	[FG_COUNTER_QUIET] = "quiet",
	[FG_COUNTER_TRACED] = "traced",
};

static uint64_t weight_of(const struct capture_process *process)
{
	return process->totals[CAPTURE_CPU].sum;
}

static void print_process(const struct capture_process *process)
{
	printf("process %d parent %d exe %s mechanism %s perf_errno %d rate %u samples %" PRIu64
	       " lost %" PRIu64 " threads %u exited %d cpu_ms %.1f weight_ms %.1f own_ms %.3f "
	       "modules %zu stacks %zu kinds %#x machine %u marks %d iterations %" PRIu64 "\n",
		process->pid, process->ppid, process->executable,
		mechanism_name(process->mechanism), process->perf_errno, process->rate_hz,
		process->samples, process->lost, process->threads, process->exited,
		(double)process->cpu_ns / 1e6, (double)weight_of(process) / 1e6,
		process->own_seconds * 1e3, process->module_count, process->stack_count,
		process->kinds, process->machine, process->has_marks, process->iterations);
}

static void print_frame(const struct capture_process *process, const struct capture_frame *frame)
{
	const char *path = "?", *slash;

	if (frame->module != CAPTURE_NO_MODULE)
		path = process->modules[frame->module].path;
	slash = strrchr(path, '/');
	printf(" %s+%" PRIx64 "%s", slash ? slash + 1 : path, frame->address,
		frame->exact ? "!" : "");
}

static void print_marks(const struct capture_process *process)
{
	for (size_t i = 0; i < process->context_count; i++)
		printf("context %zu parent %u %s=%s\n", i + 1, process->contexts[i].parent,
			process->contexts[i].key, process->contexts[i].value);
	for (size_t i = 0; i < process->epoch_count; i++)
		printf("epoch %u iterations %" PRIu64 " cpu_ms %.1f\n", process->epochs[i].epoch,
			process->epochs[i].iterations, (double)process->epochs[i].cpu_ns / 1e6);
	for (size_t i = 0; i < process->moment_count; i++)
		printf("moment %" PRIu64 " live_bytes %" PRIu64 " live_count %" PRIu64
		       " most_bytes %" PRIu64 "\n",
			process->moments[i].moved, process->moments[i].live_bytes,
			process->moments[i].live_count, process->moments[i].most_bytes);
}

static void print_sample(const struct capture_process *process, const struct capture_sample *sample)
{
	const struct capture_stack *stack = &process->stacks[sample->stack];

	printf("stack %" PRIu64 " kind %s sum %" PRIu64, sample->count, kind_names[sample->kind],
		sample->sum);
	if (sample->kind == CAPTURE_HEAP || sample->kind == CAPTURE_MAPPED)
		printf(" gone %" PRIu64 " gone_sum %" PRIu64 " peak %" PRId64 " peak_sum %" PRId64,
			sample->gone_count, sample->gone_sum, sample->peak_count, sample->peak_sum);
	printf(" epoch %u context %u end %u:", sample->epoch, sample->context, stack->end);
	for (uint32_t f = 0; f < stack->depth; f++)
		print_frame(process, &stack->frames[f]);
	putchar('\n');
}

static void print_stacks(const struct capture_process *process)
{
	for (size_t i = 0; i < process->module_count; i++)
		printf("module %s %s bias %" PRIx64 "\n", process->modules[i].path,
			process->modules[i].build_id, process->modules[i].bias);
	for (size_t i = 0; i < process->entry_count; i++)
		print_sample(process, &process->entries[i]);
}

/* What the header's own totals do not say: sums over the entries. */
struct heap {
	uint64_t gone_count, gone_sum;
	int64_t peak_count, peak_sum;
};

static void add_heap(const struct capture_process *process, struct heap heaps[CAPTURE_KIND_COUNT])
{
	for (size_t i = 0; i < process->entry_count; i++) {
		const struct capture_sample *sample = &process->entries[i];
		struct heap *heap = &heaps[sample->kind];

		heap->gone_count += sample->gone_count;
		heap->gone_sum += sample->gone_sum;
		heap->peak_count += sample->peak_count;
		heap->peak_sum += sample->peak_sum;
	}
}

static void print_heap(const char *name, const struct capture_total *total, const struct heap *heap)
{
	printf("%s_gone_count %" PRIu64 "\n%s_gone_sum %" PRIu64 "\n", name, heap->gone_count, name,
		heap->gone_sum);
	printf("%s_live_count %" PRId64 "\n%s_live_bytes %" PRId64 "\n", name,
		(int64_t)(total->count - heap->gone_count), name,
		(int64_t)(total->sum - heap->gone_sum));
	printf("%s_peak_count %" PRId64 "\n%s_peak_bytes %" PRId64 "\n", name, heap->peak_count,
		name, heap->peak_sum);
}

static void print_kinds(const struct capture_set *set)
{
	struct heap heaps[CAPTURE_KIND_COUNT] = {{0, 0, 0, 0}};

	for (size_t p = 0; p < set->process_count; p++)
		add_heap(&set->processes[p], heaps);
	for (unsigned k = 0; k < CAPTURE_KIND_COUNT; k++) {
		struct capture_total total = {0, 0, 0};

		for (size_t p = 0; p < set->process_count; p++) {
			total.count += set->processes[p].totals[k].count;
			total.sum += set->processes[p].totals[k].sum;
			total.complete += set->processes[p].totals[k].complete;
		}
		printf("%s_count %" PRIu64 "\n%s_sum %" PRIu64 "\n%s_complete %" PRIu64 "\n",
			kind_names[k], total.count, kind_names[k], total.sum, kind_names[k],
			total.complete);
		if (k == CAPTURE_HEAP || k == CAPTURE_MAPPED)
			print_heap(kind_names[k], &total, &heaps[k]);
	}
}

/* As the headers have them, over all processes. */
static void print_headers(const struct capture_set *set)
{
	uint64_t counters[FG_COUNTER_COUNT] = {0}, peak = 0, live = 0, iterations = 0, burnt = 0;
	unsigned marks = 0;

	for (size_t p = 0; p < set->process_count; p++) {
		const struct capture_process *process = &set->processes[p];

		for (unsigned c = 0; c < FG_COUNTER_COUNT; c++)
			counters[c] += process->counters[c];
		peak += process->peak_bytes;
		live += process->live_bytes;
		iterations += process->iterations;
		burnt += process->slowdown_ns;
		marks += process->has_marks;
	}
	for (unsigned c = 0; c < FG_COUNTER_COUNT; c++)
		printf("counter_%s %" PRIu64 "\n", counter_names[c], counters[c]);
	printf("header_peak_bytes %" PRIu64 "\nheader_live_bytes %" PRIu64 "\n", peak, live);
	printf("iterations %" PRIu64 "\nmarks %u\nslowdown_us %" PRIu64 "\n", iterations, marks,
		burnt / 1000);
}

static void print_totals(const struct capture_set *set)
{
	uint64_t cpu = 0, weight = 0, taken = set->samples + set->lost, threads = 0;
	unsigned epochs = 0;

	for (size_t p = 0; p < set->process_count; p++) {
		cpu += set->processes[p].cpu_ns;
		weight += weight_of(&set->processes[p]);
		threads += set->processes[p].threads;
		for (size_t i = 0; i < set->processes[p].entry_count; i++)
			if (set->processes[p].entries[i].epoch > epochs)
				epochs = set->processes[p].entries[i].epoch;
	}
	printf("processes %zu\nsamples %" PRIu64 "\nlost %" PRIu64 "\ndamaged %u\n",
		set->process_count, set->samples, set->lost, set->damaged);
	printf("threads %" PRIu64 "\nlast_epoch %u\n", threads, epochs);
	printf("complete_permille %" PRIu64 "\n", taken ? set->complete * 1000 / taken : 0);
	printf("cpu_ms %" PRIu64 "\nweight_ms %" PRIu64 "\n", cpu / 1000000, weight / 1000000);
	printf("weight_permille %" PRIu64 "\n", cpu ? weight * 1000 / cpu : 0);
	if (set->damaged)
		printf("damage %s\n", set->damage);
}

int main(int argc, char **argv)
{
	int stacks = argc == 3 && strcmp(argv[1], "-s") == 0;
	struct capture_set set;
	struct error err;

	if (argc != 2 + stacks) {
		fprintf(stderr, "usage: dump_capture [-s] DIR\n");
		return 2;
	}
	if (capture_set_read(&set, argv[argc - 1], NULL, &err) != ERR_OK) {
		fprintf(stderr, "dump_capture: %s\n", err.message);
		return 3;
	}
	for (size_t i = 0; i < set.process_count; i++) {
		print_process(&set.processes[i]);
		print_marks(&set.processes[i]);
		if (stacks)
			print_stacks(&set.processes[i]);
	}
	print_totals(&set);
	print_kinds(&set);
	print_headers(&set);
	capture_set_release(&set);
	return 0;
}
