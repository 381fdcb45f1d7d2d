/* SPDX-License-Identifier: Apache-2.0 */
/* Private to instructions.h: what only valgrind needs, and the hardware's way for any event. */
#ifndef FG_BENCH_INSTRUCTIONS_INTERNAL_H
#define FG_BENCH_INSTRUCTIONS_INTERNAL_H

#include "gate/bench/instructions/instructions.h"

/* instructions_run() by hardware, for an event of choice:
 * tests have one that every machine counts. */
int instructions_run_event(const struct run_options *options, const struct hardware_event *event,
	struct instructions_run *run, struct error *err);

/* Absolute path, malloc'd. ERR_TOOL with how to install it. */
int valgrind_find(char **path, struct error *err);
/* argv under valgrind, whose files go to folder; arena-owned. */
const char *const *valgrind_command(struct arena *arena, const char *valgrind,
	enum instructions_engine engine, const char *folder, const char *const *argv);
/* Reads what valgrind has left in folder: run->counts, processes, lost, instructions. */
int valgrind_read(const char *folder, const char *const *counted, struct instructions_run *run,
	struct error *err);
/* Appends "; valgrind says: ..." if it has said something. */
void valgrind_add_message(struct strbuf *out, const char *folder);

#endif
