/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/machine/calibration.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/base/process/process.h"
#include "gate/bench/machine/calibration_kernels.h"
#include "gate/bench/machine/memory_room.h"

/* More than most caches hold, and both together below what the smallest containers give. */
#define STREAM_BYTES ((size_t)28 << 20)
#define CHASE_BYTES ((size_t)28 << 20)
#define SPARE_BYTES ((uint64_t)16 << 20) /* left for everything else */
#define WINDOW_BYTES ((size_t)2 << 20)   /* of the stream, in one round */
#define WORDS_PER_LINE 8
#define ROUNDS_MIN 3
#define ROUNDS_MAX 4096

const char *const calibration_names[CALIBRATION_COUNT] = {
	"alu", "stream", "chase", "branch", "hash"};

struct machine {
	uint64_t *words;
	struct calibration_line *lines;
	uint32_t *table;
	uint64_t value, next_key;
	size_t window; /* of words: the next to go over */
	uint32_t line;
	struct calibration_branches branches;
	volatile uint64_t sink; /* whatever the kernels give must be seen to be used */
};

static void run_alu(struct machine *machine, size_t operations)
{
	machine->value = calibration_alu(machine->value, operations);
	machine->sink = machine->value;
}

/* Window by window, so that a round stays short and what it goes over has left the caches. */
static void run_stream(struct machine *machine, size_t operations)
{
	size_t words = operations * WORDS_PER_LINE;

	machine->sink = calibration_stream(machine->words + machine->window * words, words, 3);
	machine->window = (machine->window + 1) % (STREAM_BYTES / WINDOW_BYTES);
}

static void run_chase(struct machine *machine, size_t operations)
{
	machine->line = calibration_chase(machine->lines, machine->line, operations);
	machine->sink = machine->line;
}

static void run_branch(struct machine *machine, size_t operations)
{
	calibration_branch(&machine->branches, operations);
	machine->sink = machine->branches.taken;
}

static void run_hash(struct machine *machine, size_t operations)
{
	machine->sink = calibration_hash(machine->table, machine->next_key, operations);
	machine->next_key += operations;
}

/* Operations of one round: 0.1 to 1 ms on any machine of today. */
static const struct kernel {
	void (*run)(struct machine *machine, size_t operations);
	size_t operations;
} kernels[CALIBRATION_COUNT] = {
	[CALIBRATION_ALU] = {run_alu, 100000},
	[CALIBRATION_STREAM] = {run_stream, WINDOW_BYTES / (WORDS_PER_LINE * sizeof(uint64_t))},
	[CALIBRATION_CHASE] = {run_chase, 3000},
	[CALIBRATION_BRANCH] = {run_branch, 40000},
	[CALIBRATION_HASH] = {run_hash, 16000},
};

/* NULL if there is no such room: a calibration must not be what a container is killed for. */
static void *allocate(size_t bytes, uint64_t *room)
{
	void *memory;

	if (*room < bytes + SPARE_BYTES)
		return NULL;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	*room -= bytes;
	return memory;
}

static void release(void *memory, size_t bytes)
{
	if (memory)
		munmap(memory, bytes);
}

static void machine_init(struct machine *machine, uint64_t room)
{
	*machine = (struct machine){.value = 1, .branches = {.random = 1}};
	machine->table = allocate(CALIBRATION_TABLE_SIZE * sizeof(uint32_t), &room);
	machine->lines = allocate(CHASE_BYTES, &room);
	machine->words = allocate(STREAM_BYTES, &room);
	if (machine->lines)
		calibration_chain(machine->lines, CHASE_BYTES / sizeof(*machine->lines));
	if (machine->words)
		memset(machine->words, 1, STREAM_BYTES);
}

static void machine_release(struct machine *machine)
{
	release(machine->table, CALIBRATION_TABLE_SIZE * sizeof(uint32_t));
	release(machine->lines, CHASE_BYTES);
	release(machine->words, STREAM_BYTES);
}

static bool can_run(const struct machine *machine, enum calibration_kind kind)
{
	switch (kind) {
	case CALIBRATION_STREAM:
		return machine->words;
	case CALIBRATION_CHASE:
		return machine->lines;
	case CALIBRATION_HASH:
		return machine->table;
	default:
		return true;
	}
}

static int cpu_now(uint64_t *ns, struct error *err)
{
	struct timespec now;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0)
		return error_errno(err, ERR_IO, errno, "cannot read the CPU clock");
	*ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	return ERR_OK;
}

/* CPU nanoseconds per operation, of each round. */
struct rounds {
	double ns[CALIBRATION_COUNT][ROUNDS_MAX];
	size_t count;
};

static int run_round(struct machine *machine, struct rounds *rounds, struct error *err)
{
	int rc = ERR_OK;

	if (process_interrupted())
		return error_set(err, ERR_INTERRUPTED, "interrupted");
	for (int kind = 0; !rc && kind < CALIBRATION_COUNT; kind++) {
		const struct kernel *kernel = &kernels[kind];
		uint64_t start = 0, end = 0;

		if (!can_run(machine, (enum calibration_kind)kind))
			continue;
		rc = cpu_now(&start, err);
		kernel->run(machine, kernel->operations);
		if (!rc)
			rc = cpu_now(&end, err);
		rounds->ns[kind][rounds->count] =
			(double)(end - start) / (double)kernel->operations;
	}
	rounds->count++;
	return rc;
}

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* The value below which `part` of the sorted ones lie. */
static double quantile(const double *sorted, size_t count, double part)
{
	double at = part * (double)(count - 1), below = floor(at);
	size_t i = (size_t)below, next = i + 1 < count ? i + 1 : i;

	return sorted[i] + (at - below) * (sorted[next] - sorted[i]);
}

static void summarise(const struct machine *machine, struct rounds *rounds, struct calibration *out)
{
	memset(out, 0, sizeof(*out));
	for (int kind = 0; kind < CALIBRATION_COUNT; kind++) {
		double *ns = rounds->ns[kind];
		size_t count = rounds->count;

		if (!can_run(machine, (enum calibration_kind)kind))
			continue;
		qsort(ns, count, sizeof(*ns), compare_doubles);
		out->ns[kind] = quantile(ns, count, 0.5);
		if (out->ns[kind] > 0)
			out->spread[kind] =
				(quantile(ns, count, 0.75) - quantile(ns, count, 0.25)) /
				out->ns[kind];
	}
}

int calibration_measure_within(
	uint64_t budget_ns, uint64_t room_bytes, struct calibration *out, struct error *err)
{
	struct rounds *rounds = xcalloc(1, sizeof(*rounds));
	uint64_t start, now;
	struct machine machine;
	int rc = cpu_now(&start, err);

	machine_init(&machine, room_bytes);
	now = start;
	while (!rc && rounds->count < ROUNDS_MAX &&
		(rounds->count < ROUNDS_MIN || now - start < budget_ns)) {
		rc = run_round(&machine, rounds, err);
		if (!rc)
			rc = cpu_now(&now, err);
	}
	if (!rc)
		summarise(&machine, rounds, out);
	machine_release(&machine);
	free(rounds);
	return rc;
}

int calibration_measure(uint64_t budget_ns, struct calibration *out, struct error *err)
{
	return calibration_measure_within(budget_ns, memory_room(), out, err);
}

static bool is_measured(double ns)
{
	return ns > 0 && isfinite(ns);
}

struct calibration_ratio calibration_compare(
	const struct calibration *a, const struct calibration *b)
{
	double ratios[CALIBRATION_COUNT];
	size_t count = 0;

	for (int kind = 0; kind < CALIBRATION_COUNT; kind++)
		if (is_measured(a->ns[kind]) && is_measured(b->ns[kind]))
			ratios[count++] = b->ns[kind] / a->ns[kind];
	if (count == 0)
		return (struct calibration_ratio){0, 0, 0};
	qsort(ratios, count, sizeof(*ratios), compare_doubles);
	return (struct calibration_ratio){
		quantile(ratios, count, 0.5), ratios[0], ratios[count - 1]};
}
