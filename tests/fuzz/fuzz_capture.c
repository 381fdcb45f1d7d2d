/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer entry on the capture reader. Seeds (seeds/capture), cut to header.used_bytes: captures
 * of a gzip, of a shell that only execs and of tests/sampler/region_target; and an image as in
 * tests/unit/profile/capture_image.h with all kinds, a sampled heap and its line over time.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/profile/capture/capture_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Small limits, so that the interesting ones are reached by small inputs. */
static const struct capture_limits limits = {
	.max_files = 1,
	.max_file_bytes = (size_t)8 << 20,
	.max_stacks = 1000,
	.max_depth = 512,
	.max_modules = 100,
};

static uint64_t visit_marks(const struct capture_process *process)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < process->context_count; i++) {
		const struct capture_context *context = &process->contexts[i];

		if (context->parent > i)
			abort();
		seen += strlen(context->key) + strlen(context->value);
	}
	for (size_t i = 0; i < process->epoch_count; i++)
		seen += process->epochs[i].iterations;
	for (size_t i = 0; i < process->moment_count; i++)
		seen += process->moments[i].most_bytes + process->moments[i].cpu_ns;
	return seen;
}

/* What consumers add up without a check. */
static void add_up(const struct capture_process *process)
{
	int64_t values[CAPTURE_KIND_COUNT][6] = {{0}};

	for (size_t i = 0; i < process->entry_count; i++) {
		const struct capture_sample *sample = &process->entries[i];
		int64_t *sums = values[sample->kind];

		sums[0] += (int64_t)sample->count;
		sums[1] += (int64_t)sample->sum;
		sums[2] += (int64_t)sample->gone_count;
		sums[3] += (int64_t)sample->gone_sum;
		sums[4] += sample->peak_count;
		sums[5] += sample->peak_sum;
		if (sample->context > process->context_count)
			abort();
	}
	for (unsigned k = 0; k < CAPTURE_KIND_COUNT; k++)
		if (values[k][0] != (int64_t)process->totals[k].count ||
			values[k][1] != (int64_t)process->totals[k].sum ||
			process->totals[k].complete > process->totals[k].count)
			abort();
}

/* Every pointer and index that a consumer follows is followed. */
static uint64_t visit(const struct capture_process *process)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < process->module_count; i++)
		seen += (uint64_t)process->modules[i].path[0] +
			(uint64_t)process->modules[i].build_id[0];
	for (size_t i = 0; i < process->entry_count; i++) {
		const struct capture_stack *stack = &process->stacks[process->entries[i].stack];

		for (uint32_t f = 0; f < stack->depth; f++)
			if (stack->frames[f].module != CAPTURE_NO_MODULE)
				seen += process->modules[stack->frames[f].module].bias;
	}
	add_up(process);
	return seen + visit_marks(process) + (uint64_t)process->executable[0];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static volatile uint64_t sink;
	struct capture_set set;
	struct error err;

	capture_set_init(&set);
	if (capture_read_bytes(&set, data, size, "fuzz", &limits, &err) == ERR_OK)
		for (size_t i = 0; i < set.process_count; i++)
			sink += visit(&set.processes[i]);
	capture_set_release(&set);
	return 0;
}
