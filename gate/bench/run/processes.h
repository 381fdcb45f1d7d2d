/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of a benchmark's processes count. A command line starts helpers around what it measures: a
 * shell, make, taskset. They are left out, by their executable's name, and that is said.
 */
#ifndef FG_BENCH_PROCESSES_H
#define FG_BENCH_PROCESSES_H

#include "gate/base/strbuf.h"
#include "gate/profile/capture/capture_read.h"

struct error;

/*
 * Sets `excluded` of every process, and the set's own totals to those of the others.
 *
 * names (config.h, processes): NULL: all count but shells, build tools and what only starts other
 * programs; where nothing would be counted then (the benchmark is a shell script, or compiles), all
 * count. Empty: all count. Otherwise those whose executable has one of these names, with or without
 * a version ("python" is python3.11, "gcc" x86_64-linux-gnu-gcc-12), or this path.
 *
 * Appends one line without a line break to left_out (may be NULL) if any is left out: "not counted:
 * make (2 processes, 0.31 s of CPU time), dash (1 process, 0.01 s)". The names in it are the
 * benchmark's: hostile. ERR_MEASURE where names name no process that ran; the message says which
 * did, and all count.
 */
int processes_select(struct capture_set *set, const char *const *names, struct strbuf *left_out,
	struct error *err);

#endif
