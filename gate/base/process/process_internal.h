/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of process.h share: starting a child, and finding what has become of its tree. */
#ifndef FG_BASE_PROCESS_INTERNAL_H
#define FG_BASE_PROCESS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "gate/base/process/process.h"

struct error;

struct pid_set {
	pid_t *pids;
	size_t count, capacity;
};

void pid_set_add(struct pid_set *set, pid_t pid);
bool pid_set_has(const struct pid_set *set, pid_t pid);
void pid_set_release(struct pid_set *set);

/* Appends our children, zombies included, that are not in `except` (NULL: all). */
void process_tree_children(const struct pid_set *except, struct pid_set *out);
/* Appends everything below us, but for the trees whose root is in `except`. */
void process_tree_descendants(const struct pid_set *except, struct pid_set *out);
/* Appends everything below this process, parents first. */
void process_tree_below(pid_t root, struct pid_set *out);
/*
 * Stops the whole tree until no new process turns up, so that nothing can fork its way out, then
 * kills it. Returns how many were alive (no zombies).
 */
size_t process_tree_kill(const struct pid_set *except);

/* The small files of /proc; NULL if unreadable. malloc'd. */
char *process_read_proc(const char *path);

/*
 * In a forked copy of us: interruptions are its own from here on. Call with all signals blocked.
 * Our pipe for them stays open, if the copy has not closed it.
 */
void process_forked(void);

struct spawned {
	pid_t pid;
	int pidfd;          /* -1: the kernel has none */
	int output, errors; /* our ends of the capture pipes, non-blocking; -1: none */
};

/* Before we open anything: which of our descriptors are from outside. Programs that get our own
 * terminal get these, too. */
#define PROCESS_INHERITED_FDS 256
void process_note_inherited(void);
/* Of those from 3 to PROCESS_INHERITED_FDS - 1. */
bool process_is_inherited(int fd);

/* ERR_TOOL if the program is not found; nothing is left open or running on failure. */
int process_spawn(const struct process_options *options, struct spawned *out, struct error *err);

#endif
