/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/run/warmup.h"

static bool has_warmup(const struct capture_process *process)
{
	uint64_t first;

	if (process->excluded || process->paused_ns || !process->epoch_count)
		return false;
	first = process->epochs[0].iterations;
	return first > 0 && process->iterations / WARMUP_MIN_TIMES >= first;
}

static bool is_warmup(const struct capture_sample *sample)
{
	return sample->kind == CAPTURE_CPU && sample->epoch == 0;
}

static void forget(
	struct run *run, const struct capture_process *process, const struct capture_sample *sample)
{
	double seconds = (double)sample->sum / 1e9;

	run->captures.samples -= sample->count;
	if (process->stacks[sample->stack].complete)
		run->captures.complete -= sample->count;
	run->sampled_seconds -= seconds;
	run->sum_squares_s2 -= sample->sum_squares / 1e18;
	run->cpu_seconds -= seconds;
	run->paused_seconds += seconds;
}

/* Of the process's sampled CPU time. */
static double warmup_part(const struct capture_process *process)
{
	double warmup = 0, all = 0;

	for (size_t i = 0; i < process->entry_count; i++) {
		const struct capture_sample *sample = &process->entries[i];

		if (sample->kind == CAPTURE_CPU)
			all += (double)sample->sum;
		if (is_warmup(sample))
			warmup += (double)sample->sum;
	}
	return all > 0 ? warmup / all : 0;
}

static void drop(struct run *run, struct capture_process *process, bool planted_everywhere)
{
	size_t kept = 0;

	if (planted_everywhere)
		run->planted_seconds -= warmup_part(process) * (double)process->slowdown_ns / 1e9;
	for (size_t i = 0; i < process->entry_count; i++) {
		if (is_warmup(&process->entries[i]))
			forget(run, process, &process->entries[i]);
		else
			process->entries[kept++] = process->entries[i];
	}
	process->entry_count = kept;
	run->iterations -= (double)process->epochs[0].iterations;
}

void warmup_drop(struct run *run, bool planted_everywhere)
{
	for (size_t i = 0; i < run->captures.process_count; i++)
		if (has_warmup(&run->captures.processes[i]))
			drop(run, &run->captures.processes[i], planted_everywhere);
}
