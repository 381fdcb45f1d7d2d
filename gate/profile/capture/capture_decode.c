/* SPDX-License-Identifier: Apache-2.0 */
/* One capture's header and blocks, and how they become a process of the set. */
#include "gate/profile/capture/capture_decode.h"

#include <elf.h>
#include <string.h>

#include "gate/base/error.h"

_Static_assert(
	(int)CAPTURE_CPU == FG_KIND_CPU && (int)CAPTURE_OFF_CPU == FG_KIND_OFF_CPU &&
		(int)CAPTURE_HEAP == FG_KIND_HEAP && (int)CAPTURE_MAPPED == FG_KIND_MAPPED &&
		(int)CAPTURE_MUTEX == FG_KIND_MUTEX && (int)CAPTURE_RWLOCK == FG_KIND_RWLOCK &&
		(int)CAPTURE_CONDITION == FG_KIND_CONDITION &&
		(int)CAPTURE_FUTEX == FG_KIND_FUTEX && (int)CAPTURE_KIND_COUNT == FG_KIND_COUNT,
	"the same kinds in the same order");
_Static_assert(sizeof(((struct fg_capture_header *)NULL)->counters) ==
		       sizeof(((struct capture_process *)NULL)->counters),
	"as many counters");

int capture_corrupt(struct capture_decoder *decoder, const char *what)
{
	return error_set(decoder->err, ERR_CORRUPT, "%s: damaged capture: %s", decoder->name, what);
}

/* What others add up or print as a signed number. */
static bool are_totals_possible(const struct fg_capture_header *header)
{
	return header->cpu_ns >= header->cpu_start_ns && header->lost <= INT64_MAX &&
	       header->iterations <= INT64_MAX && header->peak_bytes <= INT64_MAX &&
	       header->peak_count <= INT64_MAX && header->live_bytes <= INT64_MAX &&
	       header->live_count <= INT64_MAX;
}

static int read_header(struct capture_decoder *decoder, size_t length)
{
	struct fg_capture_header *header = &decoder->header;

	if (length < sizeof(*header))
		return capture_corrupt(decoder, "shorter than its header");
	memcpy(header, decoder->data, sizeof(*header));
	/* The version's digit is in it as well. */
	if ((header->magic ^ FG_CAPTURE_MAGIC) & ~(UINT64_C(0xff) << 48))
		return capture_corrupt(decoder, "not a capture");
	if (header->magic != FG_CAPTURE_MAGIC || header->version != FG_CAPTURE_VERSION ||
		header->header_bytes != sizeof(*header))
		return error_set(decoder->err, ERR_CORRUPT,
			"%s: capture of format version %u; this flamegate reads version %d: use "
			"the libflamegate.so that came with it",
			decoder->name, header->version, FG_CAPTURE_VERSION);
	if (header->used_bytes < sizeof(*header) || header->used_bytes > length)
		return capture_corrupt(decoder, "cut short");
	if (header->mechanism >= FG_MECHANISM_COUNT)
		return capture_corrupt(decoder, "unknown mechanism");
	if (!memchr(header->executable, '\0', sizeof(header->executable)))
		return capture_corrupt(decoder, "the executable's path does not end");
	if (header->arch != EM_X86_64 && header->arch != EM_AARCH64)
		return capture_corrupt(decoder, "unknown processor");
	if (!are_totals_possible(header))
		return capture_corrupt(decoder, "impossible totals");
	return ERR_OK;
}

static bool is_data_size(uint64_t bytes)
{
	return bytes >= FG_DATA_BLOCK_MIN && bytes <= FG_DATA_BLOCK_MAX &&
	       (bytes & (bytes - 1)) == 0;
}

static int check_block(struct capture_decoder *decoder, const struct fg_block *head, uint64_t left)
{
	bool is_data = head->kind == FG_BLOCK_DATA;
	bool known = head->kind >= FG_BLOCK_MODULES && head->kind < FG_BLOCK_KIND_COUNT &&
		     (is_data ? is_data_size(head->bytes) : head->bytes == FG_RECORD_BLOCK_BYTES);

	if (head->magic != FG_BLOCK_MAGIC || !known || head->bytes > left)
		return capture_corrupt(decoder, "a block's head is wrong");
	if (!is_data && head->used > head->bytes - sizeof(*head))
		return capture_corrupt(decoder, "a block holds more than its size");
	return ERR_OK;
}

static int find_blocks(struct capture_decoder *decoder)
{
	uint64_t used = decoder->header.used_bytes, at = sizeof(decoder->header);

	decoder->blocks = arena_array(decoder->arena,
		(size_t)((used - at) / FG_RECORD_BLOCK_BYTES + 1), sizeof(*decoder->blocks));
	while (at < used) {
		struct capture_block *block = &decoder->blocks[decoder->block_count];

		if (used - at < sizeof(block->head))
			return capture_corrupt(decoder, "a block is cut short");
		memcpy(&block->head, decoder->data + at, sizeof(block->head));
		if (check_block(decoder, &block->head, used - at) != ERR_OK)
			return ERR_CORRUPT;
		block->offset = at;
		decoder->block_count++;
		at += block->head.bytes;
	}
	return ERR_OK;
}

void *capture_grow(struct arena *arena, void *items, size_t count, size_t *capacity, size_t size)
{
	void *larger;

	if (count < *capacity)
		return items;
	*capacity = *capacity ? *capacity * 2 : 64;
	larger = arena_array(arena, *capacity, size);
	if (count)
		memcpy(larger, items, count * size);
	return larger;
}

/*
 * The handler times itself in a share of the samples. What the file says may be anything, but not
 * more than all of the process's time.
 */
static double own_seconds(const struct fg_capture_header *header)
{
	double all = (double)(header->cpu_ns - header->cpu_start_ns) / 1e9, own;

	if (!header->own_samples)
		return 0;
	own = (double)header->own_ns / (double)header->own_samples * (double)header->delivered /
	      1e9;
	return own < all ? own : all;
}

static void take_heap(const struct fg_capture_header *header, struct capture_process *process)
{
	process->heap_period_bytes = header->heap_period_bytes;
	process->peak_bytes = header->peak_bytes;
	process->peak_count = header->peak_count;
	process->live_bytes = header->live_bytes;
	process->live_count = header->live_count;
}

/* CPU time in the program's own pauses; at most all there is. */
static uint64_t paused_ns(const struct fg_capture_header *header)
{
	uint64_t all = header->cpu_ns - header->cpu_start_ns, paused = header->paused_ns;

	if (header->paused && header->cpu_ns > header->paused_since_ns)
		paused += header->cpu_ns - header->paused_since_ns;
	return paused < header->paused_ns || paused > all ? all : paused;
}

/* At most all there is; only where it was asked for does anybody look at it. */
static uint64_t slowdown_ns(const struct fg_capture_header *header)
{
	uint64_t all = header->cpu_ns - header->cpu_start_ns;

	return header->slowdown_ns < all ? header->slowdown_ns : all;
}

static void take_header(struct capture_decoder *decoder)
{
	const struct fg_capture_header *header = &decoder->header;
	struct capture_process *process = &decoder->process;

	process->pid = header->pid;
	process->ppid = header->ppid;
	process->executable = arena_strdup(decoder->arena, header->executable);
	process->mechanism = header->mechanism == FG_MECHANISM_PERF    ? CAPTURE_PERF
			     : header->mechanism == FG_MECHANISM_POSIX ? CAPTURE_POSIX
								       : CAPTURE_NONE;
	process->rate_hz = header->rate_hz;
	process->period_ns = header->period_ns;
	process->perf_errno = (int)(header->perf_errno & INT32_MAX);
	process->timer_errno = (int)(header->timer_errno & INT32_MAX);
	process->cpu_start_ns = header->cpu_start_ns;
	process->paused_ns = paused_ns(header);
	process->cpu_ns = header->cpu_ns - header->cpu_start_ns - process->paused_ns;
	process->slowdown_ns = slowdown_ns(header);
	process->exited = header->exited != 0;
	process->threads = header->threads;
	process->lost = header->lost;
	process->lost_ns = header->lost_ns;
	process->kinds = header->kinds & ((UINT32_C(1) << FG_KIND_COUNT) - 1);
	process->machine = header->arch;
	process->own_seconds = own_seconds(header);
	process->max_rss_bytes = header->max_rss_bytes <= INT64_MAX ? header->max_rss_bytes : 0;
	process->has_marks = header->marks != 0;
	process->iterations = header->iterations;
	memcpy(process->counters, header->counters, sizeof(process->counters));
	take_heap(header, process);
}

static int decode(struct capture_decoder *decoder, size_t length)
{
	int error = read_header(decoder, length);

	if (error == ERR_OK)
		error = find_blocks(decoder);
	if (error == ERR_OK)
		error = capture_decode_modules(decoder);
	if (error == ERR_OK)
		error = capture_decode_contexts(decoder);
	if (error == ERR_OK)
		error = capture_decode_epochs(decoder);
	if (error == ERR_OK)
		error = capture_decode_timeline(decoder);
	if (error == ERR_OK)
		error = capture_decode_entries(decoder);
	if (error == ERR_OK)
		take_header(decoder);
	return error;
}

/* Arenas do not reallocate: the array doubles whenever its count reaches a power of two. */
static void append_process(struct capture_set *set, const struct capture_process *process)
{
	size_t count = set->process_count;

	if ((count & (count - 1)) == 0) {
		struct capture_process *larger =
			arena_array(&set->arena, count ? 2 * count : 1, sizeof(*larger));

		if (count)
			memcpy(larger, set->processes, count * sizeof(*larger));
		set->processes = larger;
	}
	set->processes[set->process_count++] = *process;
}

static int add_to_set(struct capture_set *set, struct capture_decoder *decoder)
{
	uint64_t samples, lost;

	if (__builtin_add_overflow(set->samples, decoder->process.samples, &samples) ||
		__builtin_add_overflow(set->lost, decoder->process.lost, &lost) ||
		samples > INT64_MAX || lost > INT64_MAX)
		return capture_corrupt(decoder, "sample counts overflow");
	set->samples = samples;
	set->lost = lost;
	set->complete += decoder->process.totals[CAPTURE_CPU].complete;
	append_process(set, &decoder->process);
	return ERR_OK;
}

int capture_read_bytes(struct capture_set *set, const void *data, size_t length, const char *name,
	const struct capture_limits *limits, struct error *err)
{
	struct capture_decoder decoder = {
		.data = data,
		.name = name,
		.limits = limits ? limits : &capture_default_limits,
		.arena = &set->arena,
		.err = err,
	};
	int error;

	if (length > decoder.limits->max_file_bytes)
		return error_set(err, ERR_LIMIT, "%s: capture of more than %zu bytes", name,
			decoder.limits->max_file_bytes);
	map_init(&decoder.stacks_by_offset);
	map_init(&decoder.stacks_by_content);
	map_init(&decoder.entry_index);
	error = decode(&decoder, length);
	if (error == ERR_OK)
		error = add_to_set(set, &decoder);
	map_release(&decoder.stacks_by_offset);
	map_release(&decoder.stacks_by_content);
	map_release(&decoder.entry_index);
	return error;
}
