/* SPDX-License-Identifier: Apache-2.0 */
/* Where a thread's stack lies, and its alternate signal stack. Context: thread, of that thread. */
#ifndef FG_SAMPLER_THREAD_STACK_H
#define FG_SAMPLER_THREAD_STACK_H

#include "gate/sampler/sampler.h"

/* The first thread's. */
void fg_stack_of_main(struct fg_thread *thread);
/*
 * One that pthread_create() has made, by the size asked for; 0: not known. A stack that is not
 * known is read by process_vm_readv(), which costs a sample 2 us and never faults.
 */
void fg_stack_of_pthread(struct fg_thread *thread, size_t stack_bytes);

/* Only where the program has none: its own is never replaced. */
void fg_alt_stack_set(struct fg_thread *thread);
void fg_alt_stack_drop(const struct fg_thread *thread);

#endif
