/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/signal/held.h"

#include <string.h>
#include <unistd.h>

#include "gate/sampler/raw.h"
#include "gate/sampler/sampler.h"

#define ROOM 64

static struct {
	uint32_t lock, used;
	pid_t waiter;
	siginfo_t signals[ROOM]; /* oldest first */
	pid_t whose[ROOM];       /* the thread that it was sent to; 0: the process */
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
	if (held.used < ROOM) {
		held.whose[held.used] = info->si_code == SI_TKILL ? self() : 0;
		held.signals[held.used++] = *info;
	}
	waiter = held.waiter;
	fg_unlock(&held.lock);
	if (waiter && waiter != self())
		wake(waiter);
}

/* The first that is this thread's or the process's, or held.used. */
static uint32_t find(pid_t own)
{
	uint32_t used = __atomic_load_n(&held.used, __ATOMIC_RELAXED), i = 0;

	while (i < used && held.whose[i] && held.whose[i] != own)
		i++;
	return i;
}

bool fg_held_any(void)
{
	uint32_t used = __atomic_load_n(&held.used, __ATOMIC_RELAXED);

	return used > 0 && find(self()) < used;
}

static void drop(uint32_t i)
{
	uint32_t rest = --held.used - i;

	memmove(held.signals + i, held.signals + i + 1, rest * sizeof(held.signals[0]));
	memmove(held.whose + i, held.whose + i + 1, rest * sizeof(held.whose[0]));
}

/* Under the lock. */
static bool take(siginfo_t *info)
{
	uint32_t i = find(self());

	if (i == held.used)
		return false;
	*info = held.signals[i];
	drop(i);
	return true;
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
		found = take(info);
		fg_unlock(&held.lock);
	}
	if (!was_blocked)
		fg_signal_block(false);
	return found;
}

void fg_held_thread_ends(void)
{
	pid_t own = self();

	if (!__atomic_load_n(&held.used, __ATOMIC_RELAXED) || !fg_lock(&held.lock))
		return;
	for (uint32_t i = 0; i < held.used;)
		if (held.whose[i] == own)
			drop(i);
		else
			i++;
	fg_unlock(&held.lock);
}

void fg_held_forked(void)
{
	held.lock = held.used = 0;
	held.waiter = 0;
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

/* Another one may have come to wait meanwhile. */
void fg_held_wait_end(void)
{
	pid_t own = self();

	__atomic_compare_exchange_n(
		&held.waiter, &own, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}
