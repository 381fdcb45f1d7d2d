/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A user's signals that wait for delivery share one limit (RLIMIT_SIGPENDING), which any of the
 * user's processes may have used up. From then on the kernel sends a plain SIGIO in place of the
 * real-time signal that a perf event is due: by default that ends the program.
 *
 * So while perf is the clock the kernel never has SIGIO's default: a handler of ours stands there
 * in its stead and takes the kernel's SIGIO for the expiry that it is (a standard signal needs no
 * room), so that nothing is lost. A SIGIO that somebody has sent ends the program as the default
 * does (not where the kernel's is pending for the same thread: of two the later one is dropped).
 * One that the kernel sends for a descriptor of the program's own with O_ASYNC and no F_SETSIG
 * cannot be told from ours; there it does not end the program. The program sees its default, an
 * exec gives it back by itself.
 *
 * Where the program has a handler for SIGIO that is called, once a thread for nothing: the thread
 * then gets another clock (or none, which is counted), as no later one could be told either. So may
 * who waits for SIGIO by sigwait() be woken for nothing. Where it ignores SIGIO the kernel sends
 * nothing: the event starts again when the thread itself ignores it no longer, or by its watch
 * (timer_perf.c), which a thread has from its eighth sample on.
 */
#ifndef FG_SAMPLER_FULL_QUEUE_H
#define FG_SAMPLER_FULL_QUEUE_H

#include <signal.h>
#include <stdbool.h>

#include "gate/sampler/sampler.h"

/* init. From here on the kernel does not have the default; and takes it again. */
void fg_full_queue_hold(void);
void fg_full_queue_let_go(void);

/* any. Is this number's default held? Not for a vfork child, whose actions are its own. */
bool fg_full_queue_holds(int number);
/* any. Is this the handler that stands for the default? */
bool fg_full_queue_is_default(void (*handler)(int));
/* any. What the kernel is to have in place of the program's default. */
void fg_full_queue_action(struct sigaction *action);

/* any. Our signal is let through again: an expiry that came meanwhile left the event without
 * credit.
 */
void fg_full_queue_unblocked(void);
/* any. The program ignores SIGIO no longer: so may an expiry that came while it did. */
void fg_full_queue_unignored(void);
/* handler. The program's own handler for SIGIO is about to run;
 * nothing in info may be looked at. */
void fg_full_queue_heard(const void *context);
/* thread, before an exec: one of ours that the program has blocked must not meet the new image. */
void fg_full_queue_drain(void);

/* handler, sample.c. An expiry of this thread's perf event that came as a SIGIO. */
void fg_sample_by_io(struct fg_thread *thread, const siginfo_t *info, void *context);

#endif
