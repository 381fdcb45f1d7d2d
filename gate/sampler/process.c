/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One process image: its signal, its mechanism, its fork and its exec.
 *
 * fork: POSIX timers and perf events stay with the parent (inherit = 0), the capture's mapping is
 * not inherited, so whatever a child does it cannot write into its parent's file. The child starts
 * anew and makes its own file at its first sample: one that execs at once costs nothing.
 *
 * vfork needs no wrapper: the child shares memory but has no timer, so no sample is taken in it,
 * and fg_process_is_ours(true) keeps the interposed exec from touching the parent's state.
 */
#include "gate/sampler/sampler.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "gate/sampler/offcpu/off_cpu.h"
#include "gate/sampler/raw.h"
#include "gate/sampler/real.h"
#include "gate/sampler/regions.h"
#include "gate/sampler/signal/full_queue.h"
#include "gate/sampler/signal/held.h"
#include "gate/sampler/signal/quiet.h"
#include "gate/sampler/signal/traced.h"

int fg_signal;
int fg_perf_errno;
const struct fg_timer *fg_timer;

static pid_t own_pid;
static uint32_t *fork_mark; /* a page that a fork wipes: 1 in ours */
static __thread bool fork_was_blocked __attribute__((tls_model("initial-exec")));

bool fg_signal_block(bool block)
{
	uint64_t set = fg_signal ? UINT64_C(1) << (fg_signal - 1) : 0, old = 0;

	if (!fg_signal || fg_is_quiet() ||
		FG_RAW6(SYS_rt_sigprocmask, block ? SIG_BLOCK : SIG_UNBLOCK, &set, &old,
			sizeof(set), 0, 0) != 0)
		return true;
	if (!block)
		fg_full_queue_unblocked();
	return (old & set) != 0;
}

/*
 * What was sent before an exec to this same process has no handler to go to any more. Not by the C
 * library: there this is a cancellation point, and exec is none.
 */
static void drain(int signal)
{
	const struct timespec now = {0, 0};
	uint64_t set = UINT64_C(1) << (signal - 1);

	while (FG_RAW6(SYS_rt_sigtimedwait, &set, NULL, &now, sizeof(set), 0, 0) == signal)
		;
}

/* A real-time signal that nobody handles or ignores, away from both ends, where programs count
 * from. */
static int choose_signal(void)
{
	for (int signal = SIGRTMAX - 5; signal > SIGRTMIN + 5; signal--) {
		struct sigaction now;

		if (fg_real.sigaction(signal, NULL, &now) == 0 && now.sa_handler == SIG_DFL &&
			!(now.sa_flags & SA_SIGINFO))
			return signal;
	}
	return 0;
}

static bool install_handler(int signal)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = fg_sample_handler;
	action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
	/*
	 * No other handler may run inside ours: it could jump out while a lock is held. All bits,
	 * not sigfillset(), which leaves the C library's own cancellation signal open.
	 */
	memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
	return fg_real.sigaction(signal, &action, NULL) == 0;
}

static void mark_fork_page(void)
{
	uint32_t *page = fork_mark;

	if (!page) {
		page = fg_raw_pages(4096);
		if (!page)
			return;
		madvise(page, 4096, MADV_WIPEONFORK);
		fork_mark = page;
	}
	*page = 1;
}

bool fg_process_is_ours(bool exact)
{
	return fg_signal && fork_mark && *fork_mark && !fg_is_quiet() &&
	       (!exact || getpid() == own_pid);
}

/* Tries perf on this very thread; a refusal is remembered for the header. */
static void choose_timer(void)
{
	struct fg_thread probe = {.tid = gettid(), .random = 1, .perf_fd = -1, .perf_watch = -1};

	if (!(fg_config.kinds & UINT32_C(1) << FG_KIND_CPU))
		return;
	fg_timer = &fg_timer_posix;
	if (fg_config.wish == FG_WISH_POSIX)
		return;
	fg_full_queue_hold();
	fg_perf_errno = fg_timer_perf.start(&probe);
	if (fg_perf_errno) {
		fg_full_queue_let_go();
		return;
	}
	fg_timer_perf.stop(&probe);
	fg_timer = &fg_timer_perf;
}

/*
 * A program that has a loader but needs no library (Go's, without cgo) makes its threads by itself:
 * their pointer to thread-local storage is none of the C library's, which is here only for us.
 */
static bool uses_c_library(void)
{
	struct dl_find_object program;
	const ElfW(Dyn) * entry;

	if (_dl_find_object((void *)(uintptr_t)getauxval(AT_ENTRY), &program) != 0 ||
		!program.dlfo_link_map || !program.dlfo_link_map->l_ld)
		return true;
	for (entry = program.dlfo_link_map->l_ld; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_NEEDED)
			return true;
	return false;
}

/* A capture without a sample says why there is none. */
static bool is_traced(void)
{
	if (!fg_is_traced())
		return false;
	fg_capture_set_origin(fg_clock_ns(CLOCK_REALTIME), fg_clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	fg_capture_open();
	fg_count(FG_COUNTER_TRACED);
	return true;
}

/* Before the C library has set environ there is nothing to be read,
 * and after it nothing changes. */
static bool is_asked_for(void)
{
	static bool refused;

	if (refused)
		return false;
	if (fg_config_read()) {
		refused = !uses_c_library() || is_traced();
		return !refused;
	}
	refused = environ != NULL;
	return false;
}

static void start(void)
{
	int signal;

	if (!is_asked_for() || !fg_real_init())
		return;
	signal = choose_signal();
	mark_fork_page();
	if (!signal || !fork_mark || fg_threads_init() != 0)
		return;
	own_pid = getpid();
	drain(signal);
	if (!install_handler(signal))
		return;
	fg_signal = signal;
	fg_signal_block(true);
	choose_timer();
	fg_capture_set_origin(fg_clock_ns(CLOCK_REALTIME), fg_clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	fg_modules_init();
	fg_control_open();
	fg_capture_open();
	pthread_atfork(fg_fork_before, fg_fork_parent, fg_fork_child);
	fg_thread_begin(gettid() == own_pid);
}

/* What is called in here may come back, through an interposed malloc() or pthread_create(). */
void fg_process_start(void)
{
	static uint32_t starting;

	if (fg_signal || __atomic_exchange_n(&starting, 1, __ATOMIC_ACQUIRE))
		return;
	start();
	__atomic_store_n(&starting, 0, __ATOMIC_RELEASE);
}

/* What is only known when the image ends. */
static void update_end(struct fg_capture_header *header)
{
	__atomic_store_n(&header->cpu_ns, fg_process_cpu_ns(), __ATOMIC_RELAXED);
	__atomic_store_n(&header->max_rss_bytes, fg_max_rss_bytes(), __ATOMIC_RELAXED);
}

void fg_process_exit(void)
{
	struct fg_capture_header *header = fg_process_is_ours(true) ? fg_capture() : NULL;

	if (!header)
		return;
	update_end(header);
	__atomic_store_n(&header->exited, 1, __ATOMIC_RELEASE);
}

void fg_fork_before(void)
{
	fork_was_blocked = fg_signal_block(true);
}

void fg_fork_parent(void)
{
	if (!fork_was_blocked)
		fg_signal_block(false);
}

void fg_fork_child(void)
{
	if (!fg_signal || fg_is_quiet())
		return;
	own_pid = getpid();
	mark_fork_page();
	fg_held_forked();
	fg_capture_forked();
	fg_capture_set_origin(fg_clock_ns(CLOCK_REALTIME), 0);
	fg_modules_forked();
	fg_threads_forked();
	fg_fork_parent();
}

void fg_exec_before(struct fg_exec_guard *guard)
{
	struct fg_capture_header *header;

	guard->active = fg_process_is_ours(true);
	if (!guard->active)
		return;
	guard->was_blocked = fg_signal_block(true);
	if (fg_self && fg_self->timer)
		fg_self->timer->suspend(fg_self);
	drain(fg_signal);
	fg_full_queue_drain();
	header = fg_capture();
	if (header)
		update_end(header);
}

void fg_exec_failed(const struct fg_exec_guard *guard)
{
	int saved_errno = errno;

	if (!guard->active)
		return;
	if (fg_self && fg_self->timer)
		fg_self->timer->resume(fg_self);
	if (!guard->was_blocked)
		fg_signal_block(false);
	errno = saved_errno;
}
