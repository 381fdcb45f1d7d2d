/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads and a lock, in all the ways there are to wait for it. */
#ifndef FG_TESTS_WAITS_SCENES_H
#define FG_TESTS_WAITS_SCENES_H

#include <stdint.h>
#include <time.h>

/* take and let_go are the main thread's, wait and leave the waiter's. */
struct scene {
	void (*take)(void);
	int (*wait)(void);
	void (*let_go)(void);
	void (*leave)(void); /* after a wait that succeeded */
	int result;
};

/* Each ends with one that has no wait. */
extern const struct scene mutex_scenes[], shared_scenes[], condition_scenes[], futex_scenes[];

void make_locks(void);
uint64_t clock_ns(clockid_t clock);
_Noreturn void die(const char *what);

#endif
