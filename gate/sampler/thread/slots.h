/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thread slots. A slot is mapped once and handed from a thread that ends to the next that begins,
 * with its blocks in the capture: thousands of short threads cost as much as the most that ran at
 * once. A signal finds its slot by what it carries, never by thread-local storage: a thread made by
 * a raw clone may share its maker's, or have none.
 */
#ifndef FG_SAMPLER_SLOTS_H
#define FG_SAMPLER_SLOTS_H

#include "gate/sampler/sampler.h"

/*
 * any, signal blocked: the lock's holder is never interrupted by a sample of its own. False: do
 * without.
 */
bool fg_slots_lock(void);
void fg_slots_unlock(void);

/* Under the lock: the slot that has this number already, or a fresh one with a token; or NULL. */
struct fg_thread *fg_slot_take(pid_t tid);
/* Under the lock. Its timer is stopped and its thread has ended or is about to. */
void fg_slot_release(struct fg_thread *slot);
/* Under the lock. NULL: nobody's. */
struct fg_thread *fg_slot_of_tid(pid_t tid);

/* handler. The slot whose timer sent this; NULL where somebody made it up. */
struct fg_thread *fg_slot_of_token(uint64_t token);
struct fg_thread *fg_slot_of_fd(int fd);
/* handler. Is this a token of ours, a slot's of now or of before? */
bool fg_slots_made_token(uint64_t token);
/* any. Remembers a perf event's descriptor, or -1 for none. False: the number is too large. */
bool fg_slot_set_fd(struct fg_thread *slot, int fd);

/* any. The newest slot, in use or not; the others follow by next. They are never unmapped. */
struct fg_thread *fg_slots_all(void);
/* any. How many are in use; and how many of these are adopted. */
uint32_t fg_slots_used(void);
uint32_t fg_slots_adopted(void);
void fg_slot_mark_adopted(struct fg_thread *slot, bool is_adopted); /* under the lock */
/* thread, in a forked child: all are free but this one, if not NULL, which gets the number. */
void fg_slots_forked(struct fg_thread *keep, pid_t tid);
void fg_slots_init(uint64_t seed); /* init */

/* threads.c. any, under the lock or by the slot's own thread:
 * makes it ready and starts its timer. */
void fg_thread_start(struct fg_thread *thread);
void fg_scan_forked(void); /* thread_scan.c; thread, in a forked child */

#endif
