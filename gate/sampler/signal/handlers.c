/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/signal/handlers.h"

#include <errno.h>
#include <string.h>

#include "gate/sampler/context.h"
#include "gate/sampler/raw.h"
#include "gate/sampler/real.h"
#include "gate/sampler/sampler.h"
#include "gate/sampler/signal/full_queue.h"
#include "gate/sampler/signal/handler_frame.h"
#include "gate/sampler/signal/held.h"
#include "gate/sampler/thread/slots.h"
#include "gate/sampler/unwind/cfi.h"

__thread volatile uint32_t fg_handlers_entered __attribute__((tls_model("initial-exec")));

/* Handlers are called with three arguments, whatever SA_SIGINFO says. */
union routine {
	sighandler_t simple;
	void (*full)(int, siginfo_t *, void *);
};

__thread bool fg_mask_believed __attribute__((tls_model("initial-exec")));

/* Functions alone, never SIG_DFL or SIG_IGN: what the counting jump goes on to. */
static union routine installed[_NSIG];
static uint64_t heard, ignored;               /* signals with a handler; with SIG_IGN */
static uint64_t masks_with_ours;              /* whose handlers were to run with ours blocked */
static struct sigaction default_io;           /* what the program set where it is held */
static struct sigaction pretended;            /* for our number */
static struct fg_kernel_action pretended_raw; /* the same, when set or asked for by syscall() */

/*
 * A jump: the handler is entered with our caller's frame, no stack is used; or with that frame
 * where it would lie without us (handler_frame.h).
 */
static inline __attribute__((always_inline)) void go_on(
	unsigned char *frame, int number, siginfo_t *info, void *context)
{
	void (*handler)(int, siginfo_t *, void *) =
		__atomic_load_n(&installed[number].full, __ATOMIC_RELAXED);
	unsigned char *place;

	fg_handlers_entered++;
	place = fg_handler_frame_move(frame);
	if (place)
		FG_FRAME_ENTER(place, frame, handler, number);
	handler(number, info, context);
}

static void enter(int number, siginfo_t *info, void *context)
{
	go_on(FG_FRAME_HERE(), number, info, context);
}

/* The same for SIGIO, behind which one of ours may hide (full_queue.h). */
static void enter_io(int number, siginfo_t *info, void *context)
{
	fg_full_queue_heard(fg_frame_context(FG_FRAME_HERE()));
	go_on(FG_FRAME_HERE(), number, info, context);
}

static bool is_function(sighandler_t handler)
{
	return handler != SIG_DFL && handler != SIG_IGN && handler != SIG_ERR &&
	       handler != SIG_HOLD;
}

static uint64_t bit(int number)
{
	return UINT64_C(1) << (number - 1);
}

static bool is_signal(int number)
{
	return number > 0 && number < _NSIG;
}

static sighandler_t counting(int number)
{
	const union routine routine = {.full = number == SIGIO ? enter_io : enter};

	return routine.simple;
}

/*
 * What the kernel gets instead of `wanted`; *before is what the table had. The table is first: a
 * signal between the two meets the new handler a moment early, which nobody can tell. A vfork child
 * has actions of its own but our table: it stays out of it.
 */
static sighandler_t replace(int number, sighandler_t wanted, sighandler_t *before)
{
	*before = __atomic_load_n(&installed[number].simple, __ATOMIC_RELAXED);
	if (!is_function(wanted) || wanted == counting(number) || !fg_process_is_ours(true))
		return wanted;
	__atomic_store_n(&installed[number].simple, wanted, __ATOMIC_RELAXED);
	return counting(number);
}

static void put_back(int number, sighandler_t before)
{
	__atomic_store_n(&installed[number].simple, before, __ATOMIC_RELAXED);
}

static void note(uint64_t *set, int number, bool belongs)
{
	if (belongs)
		__atomic_fetch_or(set, bit(number), __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(set, ~bit(number), __ATOMIC_RELAXED);
}

/* A vfork child's actions are its own. */
static void note_action(int number, sighandler_t handler)
{
	bool was_ignored = __atomic_load_n(&ignored, __ATOMIC_RELAXED) & bit(number);

	if (!fg_process_is_ours(true))
		return;
	note(&heard, number, is_function(handler));
	note(&ignored, number, handler == SIG_IGN);
	if (number == SIGIO && was_ignored && handler != SIG_IGN)
		fg_full_queue_unignored();
}

void fg_handlers_inherit_ignored(int number)
{
	note(&ignored, number, true);
}

static long real_action(int number, const void *action, void *old)
{
	return FG_RAW6(SYS_rt_sigaction, number, action, old, sizeof(uint64_t), 0, 0);
}

/* Before the handler is installed: its first signal may come at once. */
static void meet(sighandler_t handler, unsigned long flags)
{
	if (flags & SA_ONSTACK && is_function(handler) &&
		fg_cfi_made_by_go((uint64_t)(uintptr_t)handler))
		fg_handler_frames_stay();
}

/* What hides behind a held default is ours: its own end nobody would be told of. */
static uint64_t held_default(void)
{
	bool is_held = fg_full_queue_holds(SIGIO) &&
		       !(__atomic_load_n(&heard, __ATOMIC_RELAXED) & bit(SIGIO));

	return is_held ? bit(SIGIO) : 0;
}

/* The kernel keeps even these while they are blocked, as they are in our handler. */
uint64_t fg_handlers_unheard(void)
{
	const uint64_t by_default = bit(SIGCHLD) | bit(SIGCONT) | bit(SIGURG) | bit(SIGWINCH) |
				    bit(SIGSTOP) | bit(SIGTSTP) | bit(SIGTTIN) | bit(SIGTTOU);

	return bit(fg_signal) | held_default() | __atomic_load_n(&ignored, __ATOMIC_RELAXED) |
	       (by_default & ~__atomic_load_n(&heard, __ATOMIC_RELAXED));
}

static bool is_ours(int number)
{
	return fg_signal && number == fg_signal;
}

static int pretend(const struct sigaction *action, struct sigaction *old)
{
	struct sigaction before = pretended;

	if (action)
		pretended = *action;
	if (old)
		*old = before;
	return 0;
}

/* The action as the kernel shall have it: our signal stays open in its handler. */
static const struct sigaction *adapt(
	int number, const struct sigaction *action, struct sigaction *copy, sighandler_t *before)
{
	if (!action)
		return NULL;
	if (action->sa_handler == SIG_DFL && fg_full_queue_holds(number)) {
		fg_full_queue_action(copy);
		return copy;
	}
	*copy = *action;
	copy->sa_handler = replace(number, action->sa_handler, before);
	sigdelset(&copy->sa_mask, fg_signal);
	meet(action->sa_handler, (unsigned long)action->sa_flags);
	return copy;
}

/* What the program shall see of the action that it had; and remember what it has now. */
static bool exchange_mask(int number, const bool *has_ours)
{
	bool had = masks_with_ours & bit(number);

	if (has_ours && *has_ours)
		masks_with_ours |= bit(number);
	else if (has_ours)
		masks_with_ours &= ~bit(number);
	return had;
}

/* A held default is told as the program has set it. */
static void exchange_default(int number, const struct sigaction *action, struct sigaction *was)
{
	if (fg_full_queue_is_default(was->sa_handler))
		*was = default_io;
	if (action && action->sa_handler == SIG_DFL && fg_full_queue_holds(number)) {
		default_io = *action;
		sigdelset(&default_io.sa_mask, fg_signal);
	}
}

int fg_handlers_set(int number, const struct sigaction *action, struct sigaction *old,
	int (*real)(int, const struct sigaction *, struct sigaction *))
{
	sighandler_t before = NULL;
	struct sigaction copy, was;
	bool has_ours = action && fg_signal && sigismember(&action->sa_mask, fg_signal) == 1;

	if (!fg_signal || !is_signal(number))
		return real(number, action, old);
	if (is_ours(number))
		return pretend(action, old);
	before = installed[number].simple;
	if (real(number, adapt(number, action, &copy, &before), &was) != 0) {
		put_back(number, before);
		return -1;
	}
	exchange_default(number, action, &was);
	if (action)
		note_action(number, action->sa_handler);
	if (was.sa_handler == counting(number))
		was.sa_handler = before;
	if (exchange_mask(number, action ? &has_ours : NULL))
		sigaddset(&was.sa_mask, fg_signal);
	if (old)
		*old = was;
	return 0;
}

static sighandler_t pretend_simple(sighandler_t wanted)
{
	const struct sigaction action = {.sa_handler = wanted};
	struct sigaction old;

	pretend(&action, &old);
	return old.sa_handler;
}

static void heard_by_nobody(int number)
{
	(void)number;
}

/* What `real` makes of a default, its flags and the mask that it may open, with a held one put in
 * its place. */
static sighandler_t hold_simple(int number, sighandler_t (*real)(int, sighandler_t))
{
	sighandler_t was = real(number, heard_by_nobody);
	struct sigaction held, now;

	fg_full_queue_action(&held);
	if (was == SIG_ERR || fg_real.sigaction(number, &held, &now) != 0)
		return was;
	default_io = now;
	default_io.sa_handler = SIG_DFL;
	return was;
}

static sighandler_t install_simple(int number, sighandler_t wanted, sighandler_t *before,
	sighandler_t (*real)(int, sighandler_t))
{
	if (wanted != SIG_DFL || !fg_full_queue_holds(number))
		return real(number, replace(number, wanted, before));
	*before = __atomic_load_n(&installed[number].simple, __ATOMIC_RELAXED);
	return hold_simple(number, real);
}

sighandler_t fg_handlers_set_simple(
	int number, sighandler_t wanted, sighandler_t (*real)(int, sighandler_t))
{
	sighandler_t before, was;

	if (!fg_signal || !is_signal(number))
		return real(number, wanted);
	if (is_ours(number))
		return pretend_simple(wanted);
	was = install_simple(number, wanted, &before, real);
	if (was == SIG_ERR)
		put_back(number, before);
	else
		note_action(number, wanted);
	if (fg_full_queue_is_default(was))
		return SIG_DFL;
	return was == counting(number) ? before : was;
}

static long pretend_raw(const struct fg_kernel_action *action, struct fg_kernel_action *old)
{
	struct fg_kernel_action before = pretended_raw;

	before.handler = pretended.sa_handler;
	if (action) {
		pretended_raw = *action;
		memset(&pretended, 0, sizeof(pretended));
		memcpy(&pretended.sa_mask, &action->mask, sizeof(action->mask));
		pretended.sa_handler = action->handler;
		pretended.sa_flags = (int)action->flags;
	}
	if (old)
		*old = before;
	return 0;
}

static void to_raw(const struct sigaction *action, struct fg_kernel_action *raw)
{
	memset(raw, 0, sizeof(*raw));
	raw->handler = action->sa_handler;
	raw->flags = (unsigned long)(unsigned)action->sa_flags;
	raw->restorer = action->sa_restorer;
	memcpy(&raw->mask, &action->sa_mask, sizeof(raw->mask));
}

static void from_raw(const struct fg_kernel_action *raw, struct sigaction *action)
{
	memset(action, 0, sizeof(*action));
	action->sa_handler = raw->handler;
	action->sa_flags = (int)raw->flags;
	action->sa_restorer = raw->restorer;
	memcpy(&action->sa_mask, &raw->mask, sizeof(raw->mask));
}

/* A held default, by the C library: it knows what a handler returns to. */
static long hold_raw(
	int number, const struct fg_kernel_action *action, struct fg_kernel_action *old)
{
	struct sigaction wanted, was;

	from_raw(action, &wanted);
	if (fg_handlers_set(number, &wanted, &was, fg_real.sigaction) != 0)
		return -EINVAL;
	if (old)
		to_raw(&was, old);
	return 0;
}

long fg_handlers_set_raw(
	int number, const struct fg_kernel_action *action, struct fg_kernel_action *old)
{
	sighandler_t before = NULL;
	struct fg_kernel_action copy, was;
	long result;

	if (is_ours(number))
		return pretend_raw(action, old);
	if (!is_signal(number))
		return -EINVAL;
	if (action && action->handler == SIG_DFL && fg_full_queue_holds(number))
		return hold_raw(number, action, old);
	before = installed[number].simple;
	if (action) {
		copy = *action;
		copy.handler = replace(number, action->handler, &before);
		copy.mask &= ~bit(fg_signal);
		meet(action->handler, action->flags);
	}
	result = real_action(number, action ? &copy : NULL, &was);
	if (fg_raw_failed(result)) {
		put_back(number, before);
		return result;
	}
	if (action)
		note_action(number, action->handler);
	if (was.handler == counting(number))
		was.handler = before;
	if (fg_full_queue_is_default(was.handler))
		to_raw(&default_io, &was);
	if (old)
		*old = was;
	return result;
}

/* The signal's default: it ends the process, seen by its parent as such. */
void fg_handlers_die_of(int number)
{
	const uint64_t none = 0;
	struct fg_kernel_action action = {.handler = SIG_DFL};

	real_action(number, &action, NULL);
	FG_RAW3(SYS_tgkill, FG_RAW3(SYS_getpid, 0, 0, 0), FG_RAW3(SYS_gettid, 0, 0, 0), number);
	FG_RAW6(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, sizeof(none), 0, 0);
}

/* All is blocked here; a handler of the program's runs with what it asked for. */
static void call(int number, siginfo_t *info, void *context)
{
	struct sigaction action = pretended;
	const union routine routine = {.simple = action.sa_handler};
	uint64_t mask, wanted;

	memcpy(&mask, &((ucontext_t *)context)->uc_sigmask, sizeof(mask));
	memcpy(&wanted, &action.sa_mask, sizeof(wanted));
	mask = (mask | wanted) & ~bit(number);
	if (action.sa_flags & (int)SA_RESETHAND)
		pretended.sa_handler = SIG_DFL;
	fg_handlers_entered++;
	FG_RAW6(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, sizeof(mask), 0, 0);
	routine.full(number, info, context);
}

static bool was_sent(const siginfo_t *info)
{
	return info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TKILL ||
	       info->si_code == SI_MESGQ || info->si_code == SI_ASYNCIO;
}

/* A timer of the program's own or one of its descriptors, not one that was ours until lately. */
static bool is_of_own_event(const siginfo_t *info)
{
	if (info->si_code == SI_TIMER)
		return !fg_slots_made_token((uint64_t)(uintptr_t)info->si_value.sival_ptr);
	return info->si_code >= POLL_IN && info->si_code <= POLL_HUP && info->si_fd < FG_LOWEST_FD;
}

void fg_handlers_foreign(int number, siginfo_t *info, void *context)
{
	bool sent = was_sent(info);
	siginfo_t held;

	if (!sent && !is_of_own_event(info))
		return;
	/* Held back by another thread: this one waits for it, as it may be for sigwait(). */
	if (fg_held_is_call(info)) {
		if (fg_mask_believed || !fg_held_take(&held))
			return;
		info = &held;
	}
	if (fg_mask_believed)
		fg_held_put(info);
	else if (pretended.sa_handler == SIG_DFL && sent)
		fg_handlers_die_of(number);
	else if (is_function(pretended.sa_handler))
		call(number, info, context);
}
