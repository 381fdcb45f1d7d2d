/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock that a run's programs read (gate/clock). What the calls of one run were told is recorded,
 * and told again in other runs: then a harness that runs for a fixed time takes the same decisions
 * whatever the speed.
 */
#ifndef FG_BENCH_RUN_CLOCK_H
#define FG_BENCH_RUN_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/profile/capture/capture_read.h"

struct error;

enum run_clock_mode { RUN_CLOCK_REAL, RUN_CLOCK_RECORD, RUN_CLOCK_REPLAY, RUN_CLOCK_STEPPED };

#define RUN_CLOCK_MOST_SPEED 100000u

struct run_clock {
	enum run_clock_mode mode;
	/* Absolute: the folder that a recording is made in, or was; unused while stepped. */
	const char *records;
	char sum[65];   /* of what is recorded: run_clock_seal() */
	uint32_t speed; /* recording: 1..RUN_CLOCK_MOST_SPEED; replaying: its record's */
	uint64_t step_ns, most_cpu_ns; /* stepped: a call; what ends the process (SIGKILL) */
	/* Of a replayed run, where it is less than the run's own: one that has lost its way may
	 * never find the end. 0: none. */
	uint64_t timeout_ns;
};

/* What a run's processes read. */
struct run_clock_use {
	uint64_t calls;
	uint32_t processes, sequences;
	bool stopped; /* the run failed because of it */
};

/* What a process needs for its clock; all NULL: nothing, it is the real one. */
struct run_clock_place {
	char *folder;  /* the value of FG_ENV_CLOCK */
	char *library; /* to be preloaded before the sampler */
};

/*
 * Makes the folder of a run's clock: clock->records while recording, where an older recording is
 * removed, else below run_folder. clock NULL: the real one. Release place also after an error.
 */
int run_clock_prepare(const struct run_clock *clock, const char *run_folder,
	struct run_clock_place *place, struct error *err);
void run_clock_release(struct run_clock_place *place);

/* env (NULL: ours) with the clock alone preloaded: environment_free() it. */
char **run_clock_environment(const char *const *env, const struct run_clock_place *place);

/* The shorter of a run's time limit and its clock's. */
uint64_t run_clock_timeout(const struct run_clock *clock, uint64_t timeout_ns);
/* After a run that failed: ERR_BENCHMARK, and use->stopped, where its clock is what stopped it.
 * timeout_ns: the run's own limit. */
int run_clock_check(const struct run_clock *clock, const struct run_clock_place *place,
	bool timed_out, uint64_t timeout_ns, struct run_clock_use *use, struct error *err);

/*
 * After the recorded run. Measured code can write where its record lies: a replayed run after which
 * it is another is refused. Sets clock->sum.
 */
int run_clock_seal(struct run_clock *clock, struct error *err);

/*
 * After the run. ERR_BENCHMARK says why it cannot be recorded or replayed: of a replayed run also
 * where the record was changed, or a process read a clock another number of times than in it. More
 * calls are allowed of processes that only wait: if all that make more took less than a fiftieth of
 * the captures' CPU time together.
 * captures NULL: of none.
 */
int run_clock_collect(const struct run_clock *clock, const struct run_clock_place *place,
	const struct capture_set *captures, struct run_clock_use *use, struct error *err);

#endif
