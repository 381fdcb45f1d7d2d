/* SPDX-License-Identifier: Apache-2.0 */
/* Records of one size, in order of time: the program's own epochs, and the heap's size. */
#include "gate/profile/capture/capture_decode.h"

#include <string.h>

#include "gate/base/error.h"

/* One record; its bytes need no alignment. */
typedef int take_record(struct capture_decoder *decoder, const unsigned char *bytes);

static int read_block(struct capture_decoder *decoder, const struct capture_block *block,
	size_t record_bytes, take_record *take)
{
	const unsigned char *at = decoder->data + block->offset + sizeof(block->head);

	if (block->head.used % record_bytes != 0)
		return capture_corrupt(decoder, "a record of a time line is cut short");
	for (uint64_t i = 0; i < block->head.used / record_bytes; i++) {
		int error = take(decoder, at + i * record_bytes);

		if (error != ERR_OK)
			return error;
	}
	return ERR_OK;
}

static int read_blocks(struct capture_decoder *decoder, enum fg_block_kind kind,
	size_t record_bytes, take_record *take)
{
	int error = ERR_OK;

	for (size_t i = 0; i < decoder->block_count && error == ERR_OK; i++)
		if (decoder->blocks[i].head.kind == kind)
			error = read_block(decoder, &decoder->blocks[i], record_bytes, take);
	return error;
}

static int take_epoch(struct capture_decoder *decoder, const unsigned char *bytes)
{
	struct capture_process *process = &decoder->process;
	const struct capture_epoch *last;
	struct fg_epoch record;

	memcpy(&record, bytes, sizeof(record));
	if (process->epoch_count >= FG_MAX_EPOCHS)
		return capture_corrupt(decoder, "more epochs than there can be");
	last = process->epoch_count ? &process->epochs[process->epoch_count - 1] : NULL;
	if (!record.epoch || record.iterations > INT64_MAX ||
		(last && (record.epoch <= last->epoch || record.iterations < last->iterations ||
				 record.cpu_ns < last->cpu_ns)))
		return capture_corrupt(decoder, "epochs are out of order");
	process->epochs = capture_grow(decoder->arena, process->epochs, process->epoch_count,
		&decoder->epoch_capacity, sizeof(*process->epochs));
	process->epochs[process->epoch_count++] =
		(struct capture_epoch){record.epoch, record.iterations, record.cpu_ns};
	return ERR_OK;
}

/* A process that was killed while it made its line coarser leaves moments twice:
 * they are skipped. */
static int take_moment(struct capture_decoder *decoder, const unsigned char *bytes)
{
	struct capture_process *process = &decoder->process;
	size_t count = process->moment_count;
	struct fg_moment record;

	memcpy(&record, bytes, sizeof(record));
	if (record.moved > INT64_MAX || record.live_bytes > INT64_MAX ||
		record.live_count > INT64_MAX || record.most_bytes > INT64_MAX ||
		record.cpu_ns > INT64_MAX)
		return capture_corrupt(decoder, "an impossible size of the heap");
	if (count && record.moved <= process->moments[count - 1].moved)
		return ERR_OK;
	process->moments = capture_grow(decoder->arena, process->moments, count,
		&decoder->moment_capacity, sizeof(*process->moments));
	process->moments[process->moment_count++] = (struct capture_moment){record.moved,
		record.live_bytes, record.live_count, record.most_bytes, record.cpu_ns};
	return ERR_OK;
}

int capture_decode_epochs(struct capture_decoder *decoder)
{
	return read_blocks(decoder, FG_BLOCK_EPOCHS, sizeof(struct fg_epoch), take_epoch);
}

int capture_decode_timeline(struct capture_decoder *decoder)
{
	return read_blocks(decoder, FG_BLOCK_TIMELINE, sizeof(struct fg_moment), take_moment);
}
