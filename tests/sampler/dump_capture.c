/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints a directory of captures as "name value" lines for test_sampler.sh, and with -s each stack.
 * usage: dump_capture [-s] DIR
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gate/profile/capture_read.h"

static const char *mechanism_name(enum capture_mechanism mechanism)
{
	static const char *const names[] = {"none", "perf", "posix"};

	return names[mechanism];
}

static uint64_t weight_of(const struct capture_process *process)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < process->entry_count; i++)
		sum += process->entries[i].sum;
	return sum;
}

static void print_process(const struct capture_process *process)
{
	printf("process %d parent %d exe %s mechanism %s perf_errno %d rate %u samples %" PRIu64
	       " lost %" PRIu64 " threads %u exited %d cpu_ms %.1f weight_ms %.1f modules %zu "
	       "stacks %zu\n",
		process->pid, process->ppid, process->executable,
		mechanism_name(process->mechanism), process->perf_errno, process->rate_hz,
		process->samples, process->lost, process->threads, process->exited,
		(double)process->cpu_ns / 1e6, (double)weight_of(process) / 1e6,
		process->module_count, process->stack_count);
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

static void print_stacks(const struct capture_process *process)
{
	for (size_t i = 0; i < process->module_count; i++)
		printf("module %s %s bias %" PRIx64 "\n", process->modules[i].path,
			process->modules[i].build_id, process->modules[i].bias);
	for (size_t i = 0; i < process->entry_count; i++) {
		const struct capture_sample *sample = &process->entries[i];
		const struct capture_stack *stack = &process->stacks[sample->stack];

		printf("stack %" PRIu64 " epoch %u context %u end %u:", sample->count, sample->epoch,
			sample->context, stack->end);
		for (uint32_t f = 0; f < stack->depth; f++)
			print_frame(process, &stack->frames[f]);
		putchar('\n');
	}
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
		if (stacks)
			print_stacks(&set.processes[i]);
	}
	print_totals(&set);
	capture_set_release(&set);
	return 0;
}
