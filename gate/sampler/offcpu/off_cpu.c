/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that looks at sleepers: its making, its pace, its end. */
#include "gate/sampler/offcpu/off_cpu.h"

#include <errno.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

#include "gate/sampler/raw.h"
#include "gate/sampler/real.h"
#include "gate/sampler/regions.h"

#define STACK_BYTES ((size_t)64 << 10)
/*
 * Thread-local variables and the C library's own data of a thread lie on both sides of the thread
 * pointer, which side depends on the architecture. What is called here reads zeros there and at
 * most writes errno.
 */
#define LOCAL_BYTES ((size_t)64 << 10)

#define LOOKS_PER_RATE 10 /* one look for so many samples of a busy thread */
#define MAX_LOOKS_HZ 200
#define PAUSE_PER_COST 49 /* at most 2 % of a CPU */
#define HOLD_ROUNDS 200
#define HOLD_WAIT_NS 10000000
#define GONE_WAIT_NS 50000
#define SECOND_NS UINT64_C(1000000000)

/* A child has no thread, and nobody holds: this lies in a page that a fork wipes. */
struct shared {
	pid_t tid;        /* of the thread, 0: none. A futex: the kernel clears it when it ends */
	uint32_t stop;    /* a futex; 1: the thread is to end */
	uint32_t walking; /* a futex; 1: a walk is under way */
	uint32_t holders;
	uint64_t own_ns;
};

static struct shared unused; /* until there is such a page */
static struct shared *shared = &unused;
static unsigned char *memory; /* of the thread */

bool fg_off_cpu_is_own(pid_t tid)
{
	return tid == __atomic_load_n(&shared->tid, __ATOMIC_ACQUIRE);
}

uint64_t fg_off_cpu_own_ns(void)
{
	return __atomic_load_n(&shared->own_ns, __ATOMIC_RELAXED);
}

uint64_t fg_process_cpu_ns(void)
{
	return fg_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - fg_off_cpu_own_ns();
}

/* ---- walks and who holds them up ------------------------------------------------------------- */

static void futex_wait(uint32_t *word, uint32_t value, uint64_t patience_ns)
{
	const struct timespec time = {
		(time_t)(patience_ns / SECOND_NS), (long)(patience_ns % SECOND_NS)};

	FG_RAW6(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &time, 0, 0);
}

static void futex_wake(uint32_t *word)
{
	FG_RAW6(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, 0, 0, 0);
}

bool fg_off_cpu_begin_walk(void)
{
	__atomic_store_n(&shared->walking, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&shared->holders, __ATOMIC_SEQ_CST))
		return true;
	fg_off_cpu_end_walk();
	return false;
}

void fg_off_cpu_end_walk(void)
{
	__atomic_store_n(&shared->walking, 0, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&shared->holders, __ATOMIC_SEQ_CST))
		futex_wake(&shared->walking);
}

void fg_off_cpu_hold(void)
{
	__atomic_add_fetch(&shared->holders, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < HOLD_ROUNDS && __atomic_load_n(&shared->walking, __ATOMIC_SEQ_CST); i++)
		futex_wait(&shared->walking, 1, HOLD_WAIT_NS);
}

/* A fork while an object is closed leaves the child without its hold. */
void fg_off_cpu_release(void)
{
	uint32_t holders = __atomic_load_n(&shared->holders, __ATOMIC_SEQ_CST);

	while (holders && !__atomic_compare_exchange_n(&shared->holders, &holders, holders - 1,
				  false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* Where things lie in its memory. */
static size_t rounded(size_t bytes)
{
	return (bytes + 63) & ~(size_t)63;
}

static struct fg_thread *own_slot(void)
{
	unsigned char *at = memory + STACK_BYTES + 2 * LOCAL_BYTES;
	struct fg_thread *own = (struct fg_thread *)at;

	own->rules = (struct fg_rule_cache *)(at + rounded(sizeof(*own)));
	own->random = fg_clock_ns(CLOCK_MONOTONIC);
	return own;
}

static void *looker_memory(const struct fg_thread *own)
{
	return (unsigned char *)own->rules + rounded(fg_rule_cache_bytes());
}

static size_t memory_bytes(void)
{
	return STACK_BYTES + 2 * LOCAL_BYTES + rounded(sizeof(struct fg_thread)) +
	       rounded(fg_rule_cache_bytes()) + fg_looker_bytes();
}

static uint64_t period_ns(void)
{
	uint64_t rate = fg_config.rate_hz / LOOKS_PER_RATE;

	rate = rate < 1 ? 1 : rate > MAX_LOOKS_HZ ? MAX_LOOKS_HZ : rate;
	return SECOND_NS / rate;
}

/* Sleeps; true: go on. */
static bool pause_for(uint64_t sleep_ns)
{
	if (!__atomic_load_n(&shared->stop, __ATOMIC_ACQUIRE))
		futex_wait(&shared->stop, 0, sleep_ns);
	return !__atomic_load_n(&shared->stop, __ATOMIC_ACQUIRE);
}

/*
 * A table of descriptors of its own, empty: what is opened here takes no number that the program
 * counts on, and what the program closes is closed.
 */
static bool leave_descriptors(void)
{
	return !fg_raw_failed(FG_RAW3(SYS_close_range, 0, UINT32_MAX, CLOSE_RANGE_UNSHARE));
}

/* Has all of the process stood still (a signal's stop)? Nobody has slept then. */
static bool stood_still(uint64_t since_ns, uint64_t sleep_ns)
{
	return fg_clock_ns(CLOCK_MONOTONIC) - since_ns > sleep_ns + SECOND_NS;
}

/* Until told to stop, or alone. False: alone. */
static bool look_on(struct fg_looker *looker, struct fg_thread *own)
{
	const uint64_t earlier = fg_off_cpu_own_ns(); /* of a thread that was stopped */
	uint64_t period = period_ns(), before = fg_clock_ns(CLOCK_THREAD_CPUTIME_ID), cost = 0;
	bool has_others = true;

	while (has_others) {
		uint64_t sleep_ns = period / 2 + fg_thread_random(own, period), now;
		uint64_t since = fg_clock_ns(CLOCK_MONOTONIC);

		if (sleep_ns < cost * PAUSE_PER_COST)
			sleep_ns = cost * PAUSE_PER_COST;
		if (!pause_for(sleep_ns))
			return true;
		if (fg_paused() || fg_parked() || stood_still(since, sleep_ns) ||
			!fg_capture_open())
			has_others = fg_looker_skip(looker);
		else
			has_others = fg_looker_round(looker, period);
		now = fg_clock_ns(CLOCK_THREAD_CPUTIME_ID);
		cost = now - before;
		before = now;
		__atomic_store_n(&shared->own_ns, earlier + now, __ATOMIC_RELAXED);
	}
	return false;
}

/*
 * Where the main thread has ended by the bare system call, and all others have, the process ends
 * with us, and what we return would be its status.
 */
static int look_until_end(struct fg_thread *own, int tasks_fd)
{
	if (look_on(fg_looker_open(looker_memory(own), own, tasks_fd), own))
		return 0;
	return fg_exit_code_read(tasks_fd, (pid_t)FG_RAW3(SYS_getpid, 0, 0, 0));
}

static int run(void *nothing)
{
	struct fg_thread *own = own_slot();
	int tasks_fd = -1;

	(void)nothing;
	FG_RAW3(SYS_prctl, PR_SET_NAME, "flamegate", 0);
	/* Before anything else: most children that fork makes are gone to exec by then. */
	if (!pause_for(fg_thread_random(own, period_ns())))
		return 0;
	if (leave_descriptors())
		tasks_fd = fg_raw_open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (tasks_fd >= 0)
		return look_until_end(own, tasks_fd);
	fg_capture_open();
	fg_count(FG_COUNTER_LOOKS_FAILED);
	return 0;
}

/* ---- its making and its end ------------------------------------------------------------------ */

static bool prepare(void)
{
	struct shared *page;

	if (shared == &unused) {
		page = fg_raw_pages(4096);
		if (!page || fg_raw_failed(FG_RAW3(SYS_madvise, page, 4096, MADV_WIPEONFORK)))
			return false;
		shared = page;
	}
	if (memory)
		fg_raw_unmap(memory, memory_bytes());
	memory = fg_raw_pages(memory_bytes());
	return memory != NULL;
}

/* All of them, those of the C library too: sigfillset() leaves those out. */
static void mask_signals(int how, const uint64_t *set, uint64_t *old)
{
	FG_RAW6(SYS_rt_sigprocmask, how, set, old, sizeof(*set), 0, 0);
}

/* Where variables of a thread are reached from; x86-64 has it point at itself, twice. */
static void *thread_local_area(void)
{
	unsigned char *pointer = memory + STACK_BYTES + LOCAL_BYTES;

#if defined(__x86_64__)
	((void **)pointer)[0] = ((void **)pointer)[2] = pointer;
#endif
	return pointer;
}

static bool make_thread(void)
{
	const int flags = CLONE_VM | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
			  CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
	const uint64_t all = UINT64_MAX;
	uint64_t old;
	int tid;

	mask_signals(SIG_SETMASK, &all, &old);
	tid = fg_real.clone(run, memory + STACK_BYTES, flags, NULL, &shared->tid,
		thread_local_area(), &shared->tid);
	if (tid > 0)
		fg_thread_exempt(tid);
	mask_signals(SIG_SETMASK, &old, NULL);
	return tid > 0;
}

static bool is_wanted(void)
{
	return fg_config.kinds >> FG_KIND_OFF_CPU & 1 && fg_process_is_ours(true) && fg_real.clone;
}

static void begin(void)
{
	int saved_errno = errno;

	if (is_wanted() && !shared->tid && !(prepare() && make_thread()) && fg_capture_open())
		fg_count(FG_COUNTER_LOOKS_FAILED);
	errno = saved_errno;
}

/* The fork has wiped the page; the memory is a copy that nobody runs on. */
static void forked(void)
{
	begin();
}

void fg_off_cpu_start(void)
{
	static bool has_fork_hook;

	if (!is_wanted())
		return;
	if (!has_fork_hook)
		has_fork_hook = pthread_atfork(NULL, NULL, forked) == 0;
	begin();
}

/* The number is cleared before the kernel has taken the thread out of the process. */
static void wait_until_gone(pid_t tid)
{
	pid_t pid = (pid_t)FG_RAW3(SYS_getpid, 0, 0, 0);
	uint32_t never = 0;

	while (FG_RAW3(SYS_tgkill, pid, tid, 0) == 0)
		futex_wait(&never, 0, GONE_WAIT_NS);
}

bool fg_off_cpu_stop(void)
{
	pid_t tid = fg_process_is_ours(true) ? shared->tid : 0;

	if (!tid)
		return false;
	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELEASE);
	futex_wake(&shared->stop);
	wait_until_gone(tid);
	shared->stop = 0;
	return true;
}
