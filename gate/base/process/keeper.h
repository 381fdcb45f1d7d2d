/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process_run() in a process of its own: the keeper. Several runs can go on at the same time, and
 * no process of theirs outlives us: the keeper adopts every orphan of its run, and kills all of it
 * when we are gone, however we ended. Should the keeper itself be killed, the orphans become ours,
 * and keeper_finish() kills them.
 *
 * From the first keeper_start() until every keeper is finished or freed nobody else may start a
 * process here.
 */
#ifndef FG_BASE_KEEPER_H
#define FG_BASE_KEEPER_H

#include <stdbool.h>
#include <sys/types.h>

#include "gate/base/process/process.h"

struct error;
struct keeper;

/*
 * As process_run(), which goes on in the background. Output goes to output_path, the user's
 * terminal (inherit_stdio) or nowhere: capture must not be set. options are needed for the call
 * only. That the program cannot be started is found by keeper_finish().
 */
int keeper_start(const struct process_options *options, struct keeper **out, struct error *err);

/* Its run's processes are all that is below this one. */
pid_t keeper_pid(const struct keeper *keeper);
/* Becomes readable when the run has ended. Not to be read. */
int keeper_fd(const struct keeper *keeper);

/*
 * A benchmark may stop its parent, the keeper, which then reports nothing: true once it has stood
 * for a while, at two looks at least. keeper_finish() then kills the run. Who polls keeper_fd()
 * asks this every KEEPER_LOOK_MS.
 */
bool keeper_is_stopped(struct keeper *keeper);
#define KEEPER_LOOK_MS 100

/*
 * Waits for the end, and returns what process_run() would have. An interruption is passed on: the
 * run has process_run()'s time to end in its own way. ERR_IO when somebody has killed or ended the
 * keeper, ERR_BENCHMARK when it was stopped: then what was left of the run is killed. To be called
 * once.
 */
int keeper_finish(struct keeper *keeper, struct process_result *result, struct error *err);

/* Kills what still runs, without asking. NULL is fine. */
void keeper_free(struct keeper *keeper);

/* process_run(), by a keeper. */
int keeper_run(
	const struct process_options *options, struct process_result *result, struct error *err);

#endif
