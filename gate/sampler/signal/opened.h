/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits with a mask of their own (sigsuspend, ppoll, ...) that open our number where the program
 * believes it blocked. What is held back (held.h) comes in the wait, and so does what is sent
 * meanwhile; both end it. Nothing may come between the look at what is held and the wait, so our
 * number is blocked in earnest there, and the wait itself opens it: as the kernel does it.
 *
 * A handler that jumps out of the wait leaves the number open, also in what the program believes.
 *
 * Context: thread. Neither touches errno.
 */
#ifndef FG_SAMPLER_OPENED_H
#define FG_SAMPLER_OPENED_H

#include <signal.h>
#include <stdbool.h>

struct fg_opened {
	bool opens, was_blocked;
};

/* Around the wait and all its attempts; mask is what it is given, or NULL. */
void fg_open(struct fg_opened *opened, const sigset_t *mask);
void fg_close(const struct fg_opened *opened);

#endif
