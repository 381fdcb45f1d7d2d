/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals of our number that the program has sent itself and believes blocked. The kernel cannot
 * hold them back for it, because our own must come through: they are kept here until the program
 * opens the signal again, or waits for it.
 */
#ifndef FG_SAMPLER_HELD_H
#define FG_SAMPLER_HELD_H

#include <signal.h>
#include <stdbool.h>

/* handler, in a thread that believes the signal blocked. Wakes a thread that waits for it. */
void fg_held_put(const siginfo_t *info);
/* handler. Has fg_held_put() sent this, to wake somebody? */
bool fg_held_is_call(const siginfo_t *info);
/* any. Sends this thread such a call, which nobody hears. False: the user's queue is full. */
bool fg_held_call_self(void);
bool fg_held_any(void); /* any. For this thread to take. */
/* thread. The oldest one, if there is any that was sent to this thread or the process. */
bool fg_held_take(siginfo_t *info);
/* thread. The program has opened the signal: they all come now. */
void fg_held_release(void);

/* thread. Between them the calling thread is the one to be woken. */
void fg_held_wait_begin(void);
void fg_held_wait_end(void);

/* any, signal blocked: what was sent to this thread goes with it. */
void fg_held_thread_ends(void);
/* thread, in a forked child with the signal blocked: what waits is the parent's. */
void fg_held_forked(void);

#endif
