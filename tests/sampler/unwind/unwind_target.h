/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs whose stacks are hard to walk: what their files share. Each mode burns a given CPU time
 * in burn_step(), below functions whose names a test expects in this order.
 */
#ifndef FG_TEST_UNWIND_TARGET_H
#define FG_TEST_UNWIND_TARGET_H

#include <stdbool.h>

#ifdef __clang__
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noipa))
#endif
/* Behind a call: keeps it from becoming a jump. */
#define NO_TAIL_CALL __asm__ volatile("" ::: "memory")

#ifdef __cplusplus
extern "C" {
#endif

void burn_step(void);
/* True until the calling thread has used that CPU time since it was first asked. */
bool time_left(void);
void time_start(double ms);

/* Called through pointers, so that no compiler looks through them. */
typedef void (*callback)(void);

/* unwind_bare.c: compiled without unwind tables, with frame pointers. */
void bare_outer(callback inner);
/* unwind_frames.c */
void mode_aligned(void);
void mode_variable(void);
void mode_large(void);
void mode_tail(void);
void mode_deep(void);
void mode_jump(void);
void mode_bare(void);
/* unwind_throw.cc */
void mode_throw(void);
/* unwind_switch.c: stacks of the program's own */
void mode_ucontext(void);
void mode_switch(void);
void mode_set_context(void);
void mode_generated(void);

#ifdef __cplusplus
}
#endif

#endif
