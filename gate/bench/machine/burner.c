/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/machine/burner.h"

#include <stdlib.h>
#include <time.h>

#include "gate/base/arena.h"
#include "gate/bench/machine/calibration_kernels.h"

#define ALU_STEPS 80000
#define STREAM_WORDS (256 * 1024) /* 2 MiB: more than the nearest caches */
#define STREAM_STEPS (STREAM_WORDS / 4)
#define CHASE_LINES (64 * 1024)
#define CHASE_STEPS 2000
#define BRANCH_STEPS 20000
#define HASH_KEYS 10000
#define TRIAL_ROUNDS 20

struct burner {
	uint64_t *words;
	struct calibration_line *lines;
	uint32_t *table;
	struct calibration_branches branches;
	uint64_t value;
	uint32_t line;
};

static void burn_round(struct burner *burner, uint64_t round)
{
	size_t window = (round * STREAM_STEPS) % STREAM_WORDS;

	burner->value = calibration_alu(burner->value, ALU_STEPS);
	burner->value += calibration_stream(burner->words + window, STREAM_STEPS, round);
	burner->line = calibration_chase(burner->lines, burner->line, CHASE_STEPS);
	calibration_branch(&burner->branches, BRANCH_STEPS);
	burner->value += calibration_hash(burner->table, round * HASH_KEYS, HASH_KEYS);
	burner->value += burner->line + burner->branches.taken;
}

uint64_t burner_run(uint64_t rounds)
{
	struct burner burner = {
		.words = xcalloc(STREAM_WORDS, sizeof(uint64_t)),
		.lines = xcalloc(CHASE_LINES, sizeof(struct calibration_line)),
		.table = xcalloc(CALIBRATION_TABLE_SIZE, sizeof(uint32_t)),
		.branches = {.random = 1},
		.value = 1,
	};

	calibration_chain(burner.lines, CHASE_LINES);
	for (uint64_t round = 0; round < rounds; round++)
		burn_round(&burner, round);
	free(burner.words);
	free(burner.lines);
	free(burner.table);
	return burner.value;
}

static uint64_t cpu_now_ns(void)
{
	struct timespec now = {0, 0};

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t burner_rounds(uint64_t cpu_ns)
{
	uint64_t start = cpu_now_ns(), spent, rounds;
	volatile uint64_t sink = burner_run(TRIAL_ROUNDS);

	(void)sink;
	spent = cpu_now_ns() - start;
	rounds = spent ? cpu_ns * TRIAL_ROUNDS / spent : 1;
	if (rounds > BURNER_MAX_ROUNDS)
		return BURNER_MAX_ROUNDS;
	return rounds ? rounds : 1;
}
