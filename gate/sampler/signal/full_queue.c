/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/signal/full_queue.h"

#include <string.h>
#include <ucontext.h>

#include "gate/sampler/raw.h"
#include "gate/sampler/real.h"
#include "gate/sampler/sampler.h"
#include "gate/sampler/signal/handlers.h"
#include "gate/sampler/signal/held.h"
#include "gate/sampler/signal/quiet.h"
#include "gate/sampler/thread/slots.h"

static bool holds;
static bool any_missed; /* by a thread of this process; stays */

/* Nobody else has this thread's slot: it is looked for without the lock, which it may hold. */
static struct fg_thread *own_slot(void)
{
	pid_t tid = (pid_t)FG_RAW3(SYS_gettid, 0, 0, 0);
	struct fg_thread *slot = fg_slots_all();

	while (slot && !(slot->in_use && slot->tid == tid))
		slot = slot->next;
	return slot;
}

static bool blocks_ours(const void *context)
{
	uint64_t blocked;

	memcpy(&blocked, &((const ucontext_t *)context)->uc_sigmask, sizeof(blocked));
	return blocked >> (fg_signal - 1) & 1;
}

static struct fg_thread *timed_by_perf(void)
{
	struct fg_thread *thread = fg_is_quiet() || !fg_signal ? NULL : own_slot();

	return thread && thread->timer == &fg_timer_perf ? thread : NULL;
}

/* All is blocked here, as in the sample handler. */
static void on_io(int number, siginfo_t *info, void *context)
{
	struct fg_thread *thread;

	if (info->si_code != SI_KERNEL) {
		fg_handlers_die_of(number);
		return;
	}
	thread = timed_by_perf();
	if (!thread)
		return;
	/* Then this thread's clock or slot is being changed: it is not touched. */
	thread->missed_io = blocks_ours(context);
	if (thread->missed_io)
		__atomic_store_n(&any_missed, true, __ATOMIC_RELAXED);
	else
		fg_sample_by_io(thread, info, context);
}

/* The missed one took the event's credit with it; the CPU time until now weighs in the next. */
void fg_full_queue_unblocked(void)
{
	static const siginfo_t expiry = {.si_code = SI_KERNEL};
	struct fg_thread *thread;

	if (!__atomic_load_n(&any_missed, __ATOMIC_RELAXED))
		return;
	thread = timed_by_perf();
	if (!thread || !thread->missed_io)
		return;
	thread->missed_io = false;
	thread->timer->again(thread, &expiry, fg_clock_ns(fg_thread_clock(thread->tid)));
}

/*
 * One credit too many, where no expiry came meanwhile, is harmless; many are not, nor is a period
 * that begins anew before it ends. A program that asks more often is believed once in two periods.
 */
void fg_full_queue_unignored(void)
{
	struct fg_thread *thread = timed_by_perf();
	uint64_t now;

	if (!thread)
		return;
	now = fg_clock_ns(fg_thread_clock(thread->tid));
	if (thread->unignored_ns && now - thread->unignored_ns < 2 * thread->timer->period_ns())
		return;
	thread->unignored_ns = now;
	thread->missed_io = true;
	__atomic_store_n(&any_missed, true, __ATOMIC_RELAXED);
	fg_full_queue_unblocked();
}

static void (*stand_in(void))(int)
{
	const union {
		void (*simple)(int);
		void (*full)(int, siginfo_t *, void *);
	} routine = {.full = on_io};

	return routine.simple;
}

bool fg_full_queue_holds(int number)
{
	return number == SIGIO && holds && fg_process_is_ours(true);
}

bool fg_full_queue_is_default(void (*handler)(int))
{
	return handler == stand_in();
}

void fg_full_queue_action(struct sigaction *action)
{
	memset(action, 0, sizeof(*action));
	action->sa_handler = stand_in();
	action->sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
	memset(&action->sa_mask, 0xff, sizeof(action->sa_mask));
}

void fg_full_queue_hold(void)
{
	struct sigaction now, wanted;

	holds = true;
	fg_full_queue_action(&wanted);
	if (fg_real.sigaction(SIGIO, NULL, &now) != 0)
		return;
	if (now.sa_handler == SIG_DFL)
		fg_real.sigaction(SIGIO, &wanted, NULL);
	else if (now.sa_handler == SIG_IGN)
		fg_handlers_inherit_ignored(SIGIO);
}

void fg_full_queue_let_go(void)
{
	const struct sigaction by_default = {.sa_handler = SIG_DFL};
	struct sigaction now;

	holds = false;
	if (fg_real.sigaction(SIGIO, NULL, &now) == 0 && fg_full_queue_is_default(now.sa_handler))
		fg_real.sigaction(SIGIO, &by_default, NULL);
}

void fg_full_queue_heard(const void *context)
{
	struct fg_thread *thread = timed_by_perf();

	if (fg_full_queue_holds(SIGIO))
		fg_full_queue_hold(); /* one with SA_RESETHAND has left the default behind */
	if (!thread || blocks_ours(context) || fg_held_call_self())
		return;
	fg_signal_block(true);
	if (thread->timer)
		thread->timer->stop(thread);
	thread->timer = fg_timer_posix.start(thread) == 0 ? &fg_timer_posix : NULL;
	fg_count(thread->timer ? FG_COUNTER_FALLBACK : FG_COUNTER_UNTIMED);
	fg_signal_block(false);
}

/* Only where the default is held is a pending one nobody's but ours; what was sent stays. */
void fg_full_queue_drain(void)
{
	const struct timespec now = {0, 0};
	uint64_t set = UINT64_C(1) << (SIGIO - 1);
	struct sigaction action;
	siginfo_t info;

	if (!holds || fg_real.sigaction(SIGIO, NULL, &action) != 0 ||
		!fg_full_queue_is_default(action.sa_handler))
		return;
	if (FG_RAW6(SYS_rt_sigtimedwait, &set, &info, &now, sizeof(set), 0, 0) == SIGIO &&
		info.si_code != SI_KERNEL)
		FG_RAW6(SYS_rt_tgsigqueueinfo, FG_RAW3(SYS_getpid, 0, 0, 0),
			FG_RAW3(SYS_gettid, 0, 0, 0), SIGIO, &info, 0, 0);
}
