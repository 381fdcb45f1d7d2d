/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer entry on the capture reader. Seeds (seeds/capture): captures of a gzip and of a shell
 * that only execs, cut to header.used_bytes.
 */
#include <stddef.h>
#include <stdint.h>

#include "gate/profile/capture_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Small limits, so that the interesting ones are reached by small inputs. */
static const struct capture_limits limits = {
	.max_files = 1,
	.max_file_bytes = (size_t)8 << 20,
	.max_stacks = 1000,
	.max_depth = 512,
	.max_modules = 100,
};

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
	return seen + (uint64_t)process->executable[0];
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
