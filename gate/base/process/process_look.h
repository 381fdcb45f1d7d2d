/* SPDX-License-Identifier: Apache-2.0 */
/* What a tree of processes has used so far: read from outside, while it runs or stands still. */
#ifndef FG_BASE_PROCESS_LOOK_H
#define FG_BASE_PROCESS_LOOK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process_view {
	pid_t pid;
	uint64_t cpu_ns; /* all threads, those that have ended too; to the nanosecond */
	uint32_t threads;
};

struct process_look {
	struct process_view *views; /* parents first; the root itself is not in it */
	size_t count, capacity;
	/*
	 * Of processes that have ended and were waited for, the root's own children too. The kernel
	 * tells it in steps of 10 ms for each process that has waited.
	 */
	uint64_t reaped_ns;
};

/* Looks again at all that is below root; what has ended meanwhile is not in it. */
void process_look(struct process_look *look, pid_t root);
void process_look_release(struct process_look *look);

/* One process's CPU time now, of all its threads; 0 for one that is gone. */
uint64_t process_cpu_ns(pid_t pid);
/* NULL: was not there. */
const struct process_view *process_look_find(const struct process_look *look, pid_t pid);
/* Their CPU time now, without a look for new ones: cheap. */
uint64_t process_look_clocks(const struct process_look *look);

#endif
