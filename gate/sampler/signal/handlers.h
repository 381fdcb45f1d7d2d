/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program's own signal handlers. Each is entered through a jump of ours that counts, and is
 * reported back to the program as the one that it installed. Without the count a wait's end cannot
 * be told: our signal, raised while the kernel returns from the program's handler, comes right
 * behind a call that the program's signal has ended, and looks as if it had ended it itself. A wait
 * that went on then would lose a wake-up (measured: ppoll in some thousand rounds).
 *
 * Our own number is never given to the kernel: the program is told that its action is installed,
 * and may ask for it back. A signal of this number that is not ours has the effect that the program
 * asked for.
 *
 * What is not done: a signalfd never has our number, and siglongjmp() and swapcontext() change the
 * mask behind our back: what the program believes of our number stays what it was.
 */
#ifndef FG_SAMPLER_HANDLERS_H
#define FG_SAMPLER_HANDLERS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* How many handlers of the program have begun in this thread. */
extern __thread volatile uint32_t fg_handlers_entered __attribute__((visibility("hidden")));

/* any. Our signal, and those that the program ignores: when they wait nobody is to be told. */
uint64_t fg_handlers_unheard(void);

/* Does the program believe that this thread blocks our number? A thread begins with its maker's
 * belief or that of its attributes; one made by a raw clone with none. */
extern __thread bool fg_mask_believed __attribute__((visibility("hidden")));

/* thread. As the C library's; `real` does the work for numbers that are not ours. */
int fg_handlers_set(int number, const struct sigaction *action, struct sigaction *old,
	int (*real)(int, const struct sigaction *, struct sigaction *));
sighandler_t fg_handlers_set_simple(
	int number, sighandler_t wanted, sighandler_t (*real)(int, sighandler_t));

/* The kernel's own form, for programs that ask it by syscall(). */
struct fg_kernel_action {
	sighandler_t handler;
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};
/* thread. Returns as the kernel does. */
long fg_handlers_set_raw(
	int number, const struct fg_kernel_action *action, struct fg_kernel_action *old);

/* init. Who started the program ignored the signal, so does it. */
void fg_handlers_inherit_ignored(int number);

/* handler. What a signal's default that ends the process does. */
void fg_handlers_die_of(int number);

/* handler. Our number came, but not from us: does what the program wants of it. */
void fg_handlers_foreign(int number, siginfo_t *info, void *context);

#endif
