/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Has a program that talks to a server fallen silent? A server that accepts and then says nothing
 * would hold it until its time limit. Seen from outside, so it holds for any transport: a tree of
 * processes is silent while one of them has a socket, and none of them moves a byte (by TCP, by a
 * file or a pipe) or computes.
 */
#ifndef FG_BASE_PROCESS_SILENCE_H
#define FG_BASE_PROCESS_SILENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Signs of life of a process and all below it, since each of them began. */
struct process_signs {
	/* One has a socket, and the kernel counts what its TCP connections carry: only then can it
	 * be silent. */
	bool waits;
	uint64_t bytes; /* received, sent and acknowledged by TCP; read and written otherwise */
	uint64_t cpu_ns;
};

void process_signs_read(pid_t root, struct process_signs *out);

struct process_silence {
	uint64_t since_ns;          /* 0: no look yet */
	struct process_signs signs; /* at that time */
};

/* How long it has been silent, at this look. Less CPU time than a fiftieth is that of waiting. */
uint64_t process_silence_add(
	struct process_silence *silence, const struct process_signs *signs, uint64_t now_ns);

#endif
