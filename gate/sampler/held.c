/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/held.h"

#include <string.h>
#include <unistd.h>

#include "gate/sampler/raw.h"
#include "gate/sampler/sampler.h"

#define ROOM 64

static struct {
	uint32_t lock, used;
	pid_t waiter;
	siginfo_t signals[ROOM]; /* oldest first */
} held;

static pid_t self(void)
{
	return (pid_t)FG_RAW3(SYS_gettid, 0, 0, 0);
}

static bool queue(pid_t to, const siginfo_t *info)
{
	return FG_RAW6(SYS_rt_tgsigqueueinfo, getpid(), to, fg_signal, info, 0, 0) == 0;
}

static bool wake(pid_t waiter)
{
	siginfo_t call = {.si_signo = fg_signal, .si_code = SI_QUEUE};

	call.si_value.sival_ptr = &held;
	return queue(waiter, &call);
}

bool fg_held_call_self(void)
{
	return wake(self());
}

bool fg_held_is_call(const siginfo_t *info)
{
	return info->si_code == SI_QUEUE && info->si_value.sival_ptr == &held;
}

/* What finds no room is lost, as the kernel does with signals past its limit. */
void fg_held_put(const siginfo_t *info)
{
	pid_t waiter;

	if (!fg_lock(&held.lock))
		return;
	if (held.used < ROOM)
		held.signals[held.used++] = *info;
	waiter = held.waiter;
	fg_unlock(&held.lock);
	if (waiter && waiter != self())
		wake(waiter);
}

bool fg_held_any(void)
{
	return __atomic_load_n(&held.used, __ATOMIC_RELAXED) > 0;
}

/* The lock is the handler's too. */
bool fg_held_take(siginfo_t *info)
{
	bool was_blocked, found;

	if (!fg_held_any())
		return false;
	was_blocked = fg_signal_block(true);
	found = fg_lock(&held.lock);
	if (found) {
		found = held.used > 0;
		if (found) {
			*info = held.signals[0];
			memmove(held.signals, held.signals + 1, --held.used * sizeof(*info));
		}
		fg_unlock(&held.lock);
	}
	if (!was_blocked)
		fg_signal_block(false);
	return found;
}

void fg_held_release(void)
{
	siginfo_t info;

	while (fg_held_take(&info))
		queue(self(), &info);
}

void fg_held_wait_begin(void)
{
	__atomic_store_n(&held.waiter, self(), __ATOMIC_SEQ_CST);
}

void fg_held_wait_end(void)
{
	__atomic_store_n(&held.waiter, 0, __ATOMIC_SEQ_CST);
}
