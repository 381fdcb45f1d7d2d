/* SPDX-License-Identifier: Apache-2.0 */
/* One sample: who is it for, what does it weigh, where does it go. Context: handler. */
#include "gate/sampler/sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "gate/sampler/context.h"
#include "gate/sampler/offcpu/off_cpu.h"
#include "gate/sampler/raw.h"
#include "gate/sampler/regions.h"
#include "gate/sampler/signal/full_queue.h"
#include "gate/sampler/signal/handlers.h"
#include "gate/sampler/signal/quiet.h"
#include "gate/sampler/slowdown.h"
#include "gate/sampler/thread/slots.h"

#define SCAN_EVERY 4 /* samples of a thread between two looks for threads that we do not know */
/*
 * What is read in some samples only, as each reading of a CPU clock takes 300 to 500 ns; always in
 * a thread's first ones, which may be all there will be.
 */
#define CPU_CLOCK_EVERY 32
#define CPU_CLOCK_ALWAYS 64
#define OWN_COST_EVERY 32
#define OWN_COST_ALWAYS 8

const struct fg_control_page *fg_control;

void fg_control_open(void)
{
	struct stat status;
	void *page;
	int fd;

	if (!fg_config.control_path[0])
		return;
	fd = fg_raw_open(fg_config.control_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0)
		return;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
		status.st_size >= FG_CONTROL_BYTES) {
		page = fg_raw_map(FG_CONTROL_BYTES, PROT_READ, MAP_SHARED, fd);
		if (page)
			fg_control = page;
	}
	fg_raw_close(fd);
	if (fg_control && (fg_control->magic != FG_CONTROL_MAGIC ||
				  fg_control->version != FG_CONTROL_VERSION)) {
		fg_raw_unmap((void *)(uintptr_t)fg_control, FG_CONTROL_BYTES);
		fg_control = NULL;
	}
}

/* A runner that was killed must not leave its benchmark standing for ever. */
static bool runner_is_gone(void)
{
	uint32_t pid = fg_control_word(&fg_control->runner_pid);

	return pid && FG_RAW3(SYS_kill, pid, 0, 0) == -ESRCH;
}

static void park(void)
{
	const struct timespec second = {1, 0};
	uint32_t word;

	while ((word = fg_control_word(&fg_control->park)) != 0) {
		FG_RAW6(SYS_futex, &fg_control->park, FUTEX_WAIT, word, &second, 0, 0);
		if (fg_control_word(&fg_control->park) && runner_is_gone())
			return;
	}
}

static void count(struct fg_thread *thread, struct fg_capture_header *header)
{
	__atomic_fetch_add(&header->delivered, 1, __ATOMIC_RELAXED);
	if (!thread->was_seen) {
		thread->was_seen = true;
		__atomic_fetch_add(&header->threads, 1, __ATOMIC_RELAXED);
		if (thread->is_adopted)
			fg_count(FG_COUNTER_RAW_THREADS);
	}
	if (thread->samples <= CPU_CLOCK_ALWAYS || thread->samples % CPU_CLOCK_EVERY == 0)
		__atomic_store_n(&header->cpu_ns, fg_process_cpu_ns(), __ATOMIC_RELAXED);
}

/*
 * What was burnt belongs to this sample, so the next one's weight begins behind it; an expiry that
 * comes meanwhile weighs nothing.
 */
static uint64_t slow_down(
	struct fg_thread *thread, struct fg_capture_header *header, uint64_t pc, uint64_t weight)
{
	uint64_t burnt = fg_slowdown_burn(pc, weight);

	thread->last_ns += burnt;
	thread->posix.since_ns += burnt;
	__atomic_fetch_add(&header->slowdown_ns, burnt, __ATOMIC_RELAXED);
	return burnt;
}

static void record(struct fg_thread *thread, const ucontext_t *context, uint64_t weight)
{
	struct fg_capture_header *header = fg_capture_open();
	const struct fg_key key = {FG_KIND_CPU, fg_epoch(), thread->context};
	struct fg_registers registers;
	struct fg_walk walk;

	if (!header)
		return;
	fg_registers_of(context, &registers);
	if (fg_config.is_slowed)
		weight += slow_down(thread, header, registers.pc, weight);
	fg_walk_thread(thread, &registers, &walk);
	if (!fg_capture_add(thread, &walk, &key, weight)) {
		__atomic_fetch_add(&header->lost, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&header->lost_ns, weight, __ATOMIC_RELAXED);
	}
	count(thread, header);
}

/* What this handler has cost so far. Not the first one, which makes the capture. */
static void measure_self(const struct fg_thread *thread, uint64_t began_ns)
{
	struct fg_capture_header *header = fg_capture();
	bool is_early = thread->samples > 1 && thread->samples <= OWN_COST_ALWAYS;

	if (!header || !(is_early || thread->samples % OWN_COST_EVERY == 0))
		return;
	__atomic_fetch_add(
		&header->own_ns, fg_clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns, __ATOMIC_RELAXED);
	__atomic_fetch_add(&header->own_samples, 1, __ATOMIC_RELAXED);
}

static void sample(
	struct fg_thread *thread, const ucontext_t *context, uint64_t now, uint64_t weight)
{
	thread->last_ns = now;
	thread->is_first = false;
	thread->samples++;
	if (!fg_paused()) {
		record(thread, context, weight);
		measure_self(thread, thread->last_ns); /* what was burnt is none of its cost */
	}
	if (thread->samples % SCAN_EVERY == 0)
		fg_threads_scan();
	if (fg_parked() && !fg_thread_is_born()) {
		park();
		thread->has_rested = true;
	}
}

/* Do signals of the program's own wait for this handler to return? */
static bool signals_wait(const ucontext_t *context)
{
	uint64_t pending = 0, blocked;

	memcpy(&blocked, &context->uc_sigmask, sizeof(blocked));
	FG_RAW3(SYS_rt_sigpending, &pending, sizeof(pending), 0);
	return (pending & ~blocked & ~fg_handlers_unheard()) != 0;
}

struct expiry {
	struct fg_thread *thread;
	const siginfo_t *info;
	const ucontext_t *context;
};

/* For the calls that go on when nothing but our signal has ended or cut them (retry.h). */
static void note_ended_call(struct fg_thread *thread, const ucontext_t *context)
{
	long result;

	if (!fg_context_behind_call(context, &result) || (result != -EINTR && result <= 0) ||
		signals_wait(context))
		return;
	if (result < 0)
		thread->ended_calls++;
	else
		thread->cut_calls++;
}

static __attribute__((noinline)) void take(void *data)
{
	const struct expiry *expiry = data;
	struct fg_thread *thread = expiry->thread;

	uint64_t now = fg_clock_ns(CLOCK_THREAD_CPUTIME_ID), weight;

	thread->busy = 1;
	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* see fg_quiet() */
	if (fg_is_quiet()) {
		thread->busy = 0;
		return;
	}
	if (thread->timer->due(thread, expiry->info, now, &weight))
		sample(thread, expiry->context, now, weight);
	if (thread->last_ns > now)
		now = thread->last_ns;
	if (thread->timer)
		thread->timer->again(thread, expiry->info, now);
	note_ended_call(thread, expiry->context);
	thread->busy = 0;
}

/*
 * Where the program has an alternate stack of its own the kernel puts us there, and it may be just
 * large enough for the program's handler (8 KiB in Rust, a guard page below). Our own is not in use
 * then.
 */
static void take_on_own_stack(struct expiry *expiry)
{
	unsigned char *stack = expiry->thread->alt_stack;
	uintptr_t here = (uintptr_t)&expiry;

	if (here - (uintptr_t)stack < FG_ALT_STACK_BYTES)
		take(expiry);
	else
		fg_call_on_stack(stack + FG_ALT_STACK_BYTES, take, expiry);
}

/* By what the signal carries; not by thread-local storage, which may be another thread's. */
static struct fg_thread *thread_of(const siginfo_t *info)
{
	struct fg_thread *thread = NULL;

	if (info->si_code == SI_TIMER)
		thread = fg_slot_of_token((uint64_t)(uintptr_t)info->si_value.sival_ptr);
	else if (info->si_code == POLL_IN || info->si_code == POLL_HUP)
		thread = fg_slot_of_fd(info->si_fd);
	return thread && thread->timer ? thread : NULL;
}

/* An adopted thread's errno may be another's too, or nobody's: there nothing touches it. */
static void handle(struct expiry *expiry)
{
	struct fg_thread *thread = expiry->thread;
	int saved_errno = 0;

	if (!thread->is_adopted)
		saved_errno = errno;
	if (!thread->busy) {
		take_on_own_stack(expiry);
	} else {
		fg_count(FG_COUNTER_BUSY);
		thread->timer->again(thread, expiry->info, fg_clock_ns(CLOCK_THREAD_CPUTIME_ID));
	}
	if (!thread->is_adopted)
		errno = saved_errno;
}

void fg_sample_handler(int signal, siginfo_t *info, void *context)
{
	struct expiry expiry = {thread_of(info), info, context};

	if (fg_is_quiet())
		return;
	if (expiry.thread)
		handle(&expiry);
	else
		fg_handlers_foreign(signal, info, context);
}

void fg_sample_by_io(struct fg_thread *thread, const siginfo_t *info, void *context)
{
	struct expiry expiry = {thread, info, context};

	handle(&expiry);
}
