/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Off-CPU time: a thread of ours looks at the program's threads a number of times a second and, for
 * those that sleep, walks their stacks from outside. Nobody is signalled, so no call is
 * interrupted.
 *
 * What a look weighs: the wall time since the look before, less what the thread used of a CPU and
 * waited for one (schedstat). Looks that find the thread running leave theirs to its next one that
 * finds it asleep: a thread's weights add up to its time asleep. The first look at a thread weighs
 * a period, what follows the last one is dropped: expected sums are right for short threads too.
 *
 * The thread is made by clone() itself: the C library does not know of it, so a program with one
 * thread stays one in its eyes, and the last pthread_exit() ends the process. It has all signals
 * blocked, a descriptor table and a working directory of its own (its descriptors take no numbers
 * from the program) and a thread-local area of zeros (it is sampled by nobody). It is not inherited
 * by a fork and made anew in the child. It does show in /proc/self/task and in thread counts
 * (Python since 3.12 warns of a fork in a process with threads). Its CPU time, at most 2 % of the
 * wall time, is part of the process's CPU clock and of no sample: fg_off_cpu_own_ns().
 *
 * Where the thread or /proc is refused there is no off-CPU time: FG_COUNTER_LOOKS_FAILED says so.
 */
#ifndef FG_SAMPLER_OFF_CPU_H
#define FG_SAMPLER_OFF_CPU_H

#include "gate/sampler/sampler.h"

/* thread. Starts the thread if off-CPU time is asked for; once per image. */
void fg_off_cpu_start(void);
/*
 * thread. For what the kernel refuses a process with several threads: ends it and waits until it is
 * gone; true when there was one, to start again.
 */
bool fg_off_cpu_stop(void);
/* any. Is this our thread? */
bool fg_off_cpu_is_own(pid_t tid);
/* any. CPU time of our thread, up to its last round. */
uint64_t fg_off_cpu_own_ns(void);
/* any. The process's CPU clock without it. */
uint64_t fg_process_cpu_ns(void);
/*
 * thread. Between them no unwind information, code or name of an object is read: one is about to be
 * unmapped. They nest.
 */
void fg_off_cpu_hold(void);
void fg_off_cpu_release(void);

/* ---- what /proc says (off_cpu_proc.c) -------------------------------------------------------- */

/* What /proc/self/task/TID/syscall says. */
enum fg_activity {
	FG_ACTIVITY_UNKNOWN, /* not readable */
	FG_ACTIVITY_RUNNING, /* or wants to */
	FG_ACTIVITY_ASLEEP,
	FG_ACTIVITY_DEAD, /* a leader whose process lives on */
};

struct fg_place {
	int64_t call; /* number; -1: asleep outside of one (a page fault) */
	uint64_t sp, pc;
};

/* *place is filled when asleep. text is NUL-terminated. */
enum fg_activity fg_activity_parse(const char *text, struct fg_place *place);
enum fg_activity fg_activity_read(int tasks_fd, pid_t tid, struct fg_place *place);

/* CPU time used and time spent waiting for a CPU, from schedstat. False: not to be had. */
bool fg_usage_parse(const char *text, uint64_t *used_ns);
bool fg_usage_read(int tasks_fd, pid_t tid, uint64_t *used_ns);

/* What a dead thread has said with _exit(), from stat; 0: not known. */
int fg_exit_code_parse(const char *text);
int fg_exit_code_read(int tasks_fd, pid_t tid);

/* The CPU clock of a thread of this process; false when it is gone. */
bool fg_thread_cpu_ns(pid_t tid, uint64_t *cpu_ns);

/*
 * The next thread of the directory, 0 at its end. The buffer begins zeroed; so does each pass.
 */
struct fg_task_list {
	int fd;
	long length, at;
	_Alignas(8) unsigned char bytes[4096];
};
pid_t fg_task_next(struct fg_task_list *list);

/* ---- the looks (off_cpu_look.c) -------------------------------------------------------------- */

struct fg_looker;
size_t fg_looker_bytes(void);
/* own: where the samples go; not in the list of threads. memory: zeroed, fg_looker_bytes(). */
struct fg_looker *fg_looker_open(void *memory, struct fg_thread *own, int tasks_fd);
/*
 * One look at every thread but our own. False when there is no other any more: the process is to
 * end.
 */
bool fg_looker_round(struct fg_looker *looker, uint64_t period_ns);
/* A round without looks: the time until the next one is nobody's sleep. */
bool fg_looker_skip(struct fg_looker *looker);
/* Around a walk; false while somebody holds. */
bool fg_off_cpu_begin_walk(void);
void fg_off_cpu_end_walk(void);

#endif
