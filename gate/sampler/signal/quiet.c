/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/signal/quiet.h"

#include <stdlib.h>

#include "gate/sampler/environment.h"
#include "gate/sampler/offcpu/off_cpu.h"
#include "gate/sampler/raw.h"
#include "gate/sampler/sampler.h"
#include "gate/sampler/thread/slots.h"

#define MOMENT_NS 100000
#define MOMENTS 1000

static uint32_t quiet;

bool fg_is_quiet(void)
{
	return __atomic_load_n(&quiet, __ATOMIC_RELAXED);
}

/* Other threads' too: a timer may be stopped from anywhere in the process. */
static void stop_timers(void)
{
	if (!fg_slots_lock())
		return;
	for (struct fg_thread *slot = fg_slots_all(); slot; slot = slot->next) {
		if (slot->in_use && slot->timer)
			slot->timer->stop(slot);
		slot->timer = NULL;
	}
	fg_slots_unlock();
}

/* A filter may be for all threads: none may be on its way to a call of ours. */
static void wait_for_handlers(void)
{
	const struct timespec moment = {0, MOMENT_NS};

	for (struct fg_thread *slot = fg_slots_all(); slot; slot = slot->next)
		for (int i = 0; i < MOMENTS && slot != fg_self && slot->in_use && slot->busy; i++)
			FG_RAW3(SYS_nanosleep, &moment, NULL, 0);
}

/* What starts from here on inherits the filter. Takes the variable out, allocates nothing. */
static void forget_environment(void)
{
	unsetenv(FG_ENV_CAPTURE_DIR);
}

/* Handlers that begin from here on see the flag and touch no timer. */
void fg_quiet(void)
{
	const uint64_t all = ~UINT64_C(0);
	uint64_t before;

	if (!fg_process_is_ours(true))
		return;
	FG_RAW6(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof(all), 0, 0);
	fg_count(FG_COUNTER_QUIET);
	fg_off_cpu_stop();
	fg_process_exit();
	__atomic_store_n(&quiet, 1, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	wait_for_handlers();
	stop_timers();
	forget_environment();
	FG_RAW6(SYS_rt_sigprocmask, SIG_SETMASK, &before, 0, sizeof(before), 0, 0);
}
