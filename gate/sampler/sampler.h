/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sampler's inside. Each function says in which context it may run:
 *   init     the library's constructor, or the first interposed call before it
 *   thread   ordinary program context of the calling thread, with the sampling signal possibly open
 *   handler  the sample handler (all signals blocked), or any other
 * In the handler: no allocation, no locks that other contexts hold with the signal open, no stdio.
 *
 * The life of a thread's weights: a thread's first expiry is uniform in (0, period] of its CPU time
 * and weighs one period; each later one weighs the CPU time since the one before, however late it
 * comes. What follows the last sample is dropped. A thread of T CPU-ns then has samples of an
 * expected sum of T, whatever its length, and no late or merged expiry is lost time. (Where steps
 * vary by half a period to either side, the last gap is 1/24 of a period longer on average.)
 */
#ifndef FG_SAMPLER_SAMPLER_H
#define FG_SAMPLER_SAMPLER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "gate/sampler/capture/capture.h"
#include "gate/sampler/unwind/unwind.h"

#define FG_EXPORT __attribute__((visibility("default")))

/* ---- configuration (config.c); written once by fg_config_read(), then constant --------------- */

enum fg_wish { FG_WISH_AUTO, FG_WISH_PERF, FG_WISH_POSIX };

struct fg_config {
	char directory[FG_CAPTURE_PATH_BYTES]; /* absolute */
	char executable[FG_CAPTURE_PATH_BYTES];
	char control_path[FG_CAPTURE_PATH_BYTES]; /* "" none */
	enum fg_wish wish;
	uint32_t rate_hz;
	uint32_t kinds; /* mask of enum fg_kind */
	uint64_t heap_period_bytes;
	bool start_paused;
	bool is_slowed; /* slowdown.h */
	uint64_t capture_max_bytes;
};
extern struct fg_config fg_config;

/* init. False when there is nothing to do: not asked for, or a set-user-id program. */
bool fg_config_read(void);

/* ---- one process image (process.c) ----------------------------------------------------------- */

extern int fg_signal; /* 0 while the sampler is off */

/* init. Starts everything for this image and its main thread. Safe to call again. */
void fg_process_start(void);
/* thread. The largest resident set of this image so far; 0: unknown (max_rss.c). */
uint64_t fg_max_rss_bytes(void);
/* thread. Marks the capture as ended in order. */
void fg_process_exit(void);
/* thread. True in the image that fg_process_start() or fg_process_forked() prepared: false in a
 * child made behind our back (raw clone, _Fork) and, with exact, in a vfork child, which shares our
 * memory. */
bool fg_process_is_ours(bool exact);
/* thread. Around fork: blocks the signal, lets it go on in the parent, starts anew in the child. */
void fg_fork_before(void);
void fg_fork_parent(void);
void fg_fork_child(void);
/* thread. Around exec: no timer of this thread and no pending signal may meet the new image. */
struct fg_exec_guard {
	bool active, was_blocked;
};
void fg_exec_before(struct fg_exec_guard *guard);
void fg_exec_failed(const struct fg_exec_guard *guard);

/* any. Blocks or unblocks the sampling signal in this thread; returns whether it was blocked. */
bool fg_signal_block(bool block);

/* ---- threads (threads.c) --------------------------------------------------------------------- */

/* Where a thread's samples go. The newest block is the last. */
#define FG_WRITER_BLOCKS 64
struct fg_writer {
	struct fg_block *blocks[FG_WRITER_BLOCKS];
	uint32_t count;
	uint32_t entries_used, index_used; /* of the newest */
	uint64_t arena_used;
};

struct fg_timer;
struct fg_memo;
struct fg_heap_thread;
/*
 * Handlers of the program's own may run on it too: for our number, and in programs that use the
 * alternate stack that they find (handler_frame.h). Below it lies a page that nobody may touch.
 */
#define FG_ALT_STACK_BYTES ((size_t)256 << 10)
#define FG_GUARD_BYTES ((size_t)64 << 10) /* the largest page */

/* A thread's two kernel timers, of which one is armed at any time (timer_posix.c). */
struct fg_posix_timer {
	int tick, wall; /* kernel's numbers; -1: not created */
	bool on_wall;   /* which of them is armed */
	bool is_due;    /* the expiry being handled is a sample */
	bool tick_seen; /* a tick's sample has made good for the thread's end */
	bool knows_sleeps;
	uint64_t since_ns;   /* the next sample weighs the thread's CPU time from here on */
	uint64_t target_ns;  /* when it is due, by the thread's CPU clock */
	uint64_t step_ns;    /* by the wall clock: how far apart samples are */
	uint32_t steps_left; /* until another step is drawn */
	long sleeps;         /* times that the thread has gone to sleep, at the last look */
	uint32_t clean;      /* ticks in a row between which it did not */
	uint32_t wanted;     /* so many of them before the wall clock is tried again */
	uint32_t run;        /* samples since then */
};

/* Mapped, zeroed, reused by later threads; never unmapped. Written by its thread alone. */
struct fg_thread {
	/* slots.c, under its lock */
	struct fg_thread *next; /* of all, for ever */
	struct fg_thread *next_free, *next_of_tid;
	uint64_t token; /* what its timers' signals carry; never 0 while in use */
	uint32_t index;
	bool in_use;
	bool is_adopted; /* has not come through pthread_create(): its fg_self is not this slot */
	uint32_t scan;   /* the last scan that saw it in /proc */

	bool is_first;  /* no sample taken yet */
	bool was_seen;  /* counted in the header */
	bool missed_io; /* an expiry came as a SIGIO while our signal was blocked (full_queue.h) */
	uint64_t unignored_ns; /* its CPU clock when SIGIO was last ignored no longer, as told */
	bool has_rested;       /* went to sleep inside our handler: not a sleep of the program's */
	/*
	 * Not 0: the thread's walk and writer are in use, by the handler or by accounting between
	 * fg_enter() and fg_leave().
	 */
	volatile sig_atomic_t busy;
	volatile uint32_t ended_calls; /* system calls that our signal alone has ended with EINTR */
	volatile uint32_t cut_calls;   /* that gave a count right before our signal alone came */
	/* Innermost region or label, 0: none (regions.c); 0 in a fresh thread, kept by a fork. */
	uint32_t context;
	pid_t tid;
	uint64_t last_ns; /* the thread's CPU clock at its last sample, or when its timer started */
	uint32_t samples;
	uint32_t layout; /* of the rule cache, see fg_modules_layout */
	uint64_t random;
	uint64_t stack_low, stack_high;
	const struct fg_timer *timer; /* NULL: none armed */
	int perf_fd;
	uint64_t perf_id;
	int perf_credit;             /* signals that may still come without a renewal */
	int perf_before, perf_since; /* credit at the last renewal; signals since then */
	bool perf_hurries;           /* this interval is shorter than drawn: the next must be set */
	int perf_watch; /* a slow timer that notices when the program has closed perf_fd; -1 */
	uint32_t perf_looked; /* samples when it last came */
	struct fg_posix_timer posix;
	int ends_left; /* rounds of key destructors to let pass */
	struct fg_writer writer;
	struct fg_rule_cache *rules;
	unsigned char *alt_stack;
	struct fg_memo *memo;        /* NULL until its first use (unwind_memo.c) */
	struct fg_heap_thread *heap; /* the same (heap.c) */
	uint64_t pcs[FG_MAX_DEPTH];
	uint64_t frames[FG_MAX_DEPTH];
	uint64_t exact[FG_MAX_DEPTH / 64];
};

extern __thread struct fg_thread *fg_self __attribute__((visibility("hidden")));

/*
 * thread. Between them the thread's walk memory and writer belong to the caller; the handler keeps
 * off and leaves its weight to the next sample. NULL: not sampled, or busy already (a call from
 * inside ours): the caller then counts nothing.
 */
static inline struct fg_thread *fg_enter(void)
{
	struct fg_thread *thread = fg_self;

	if (!thread || thread->busy)
		return NULL;
	thread->busy = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return thread;
}

static inline void fg_leave(struct fg_thread *thread)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread->busy = 0;
}

/* any. Something went other than planned (capture.h). */
void fg_count(enum fg_counter counter);

/*
 * any. The thread with this number was made without pthread_create(): give it a timer. Nothing if
 * it has one, or is gone.
 */
void fg_thread_adopt(pid_t tid);
/*
 * Around the making of a thread that its maker adopts: one more, one less. Meanwhile nobody parks:
 * the maker would leave a thread running that no signal reaches. Any context.
 */
void fg_thread_births(int more);
bool fg_thread_is_born(void);
/* any. This thread is one of ours (one that looks at sleepers): it is never adopted. */
void fg_thread_exempt(pid_t tid);
/*
 * any. Looks for such threads where nobody told us, and frees the slots of threads that have ended
 * unseen; at most every few milliseconds.
 */
void fg_threads_scan(void);

/* thread. Starts sampling the calling thread; no-op if it is sampled or the sampler is off. */
void fg_thread_begin(bool is_main);
/* thread. The same for one that pthread_create() made with a stack of this size. */
void fg_thread_begin_on(size_t stack_bytes);
/* thread. Ends it and frees its slot for another thread. */
void fg_thread_end(void);
/* thread, in a forked child with the signal blocked: keeps the calling thread's slot alone. */
void fg_threads_forked(void);
/* any. Is this the descriptor of a thread's perf event? */
bool fg_threads_own_fd(int fd);
/* any. The lowest such descriptor of at least `from`, or -1. */
int fg_threads_next_fd(unsigned from);
/* init. */
int fg_threads_init(void);
/* A uniform number in (0, bound]. */
uint64_t fg_thread_random(struct fg_thread *thread, uint64_t bound);
/* any. The CPU clock of a thread of this process, as the kernel numbers it. */
clockid_t fg_thread_clock(pid_t tid);

/* ---- timers (timer_perf.c, timer_posix.c) ---------------------------------------------------- */

/* perf descriptors stay out of the way of programs that count on small numbers. */
#define FG_LOWEST_FD 256

struct fg_timer {
	enum fg_mechanism mechanism;
	/*
	 * any, signal blocked. 0 or errno. Arms the first expiry of thread->tid, which is the
	 * calling thread or is_adopted.
	 */
	int (*start)(struct fg_thread *thread);
	/* handler. Does this expiry call for a sample, at this CPU time, and what does it weigh? */
	bool (*due)(
		struct fg_thread *thread, const siginfo_t *info, uint64_t now_ns, uint64_t *weight);
	/* handler, at its end. Sees to it that one comes each period of CPU time from now on. */
	void (*again)(struct fg_thread *thread, const siginfo_t *info, uint64_t now_ns);
	/* thread. Disarms for a while, and goes on. */
	void (*suspend)(struct fg_thread *thread);
	void (*resume)(struct fg_thread *thread);
	/* any, by the thread itself or after its end. Disarms and gives everything back. */
	void (*stop)(struct fg_thread *thread);
	/* thread, in a forked child: forgets the parent's timer without touching it. */
	void (*forget)(struct fg_thread *thread);
	/* any. CPU-ns between two expiries of a busy thread. */
	uint64_t (*period_ns)(void);
};
extern const struct fg_timer fg_timer_perf, fg_timer_posix;
/* any. A timer that sends the thread our signal, not armed yet. 0 or errno. */
int fg_timer_create(const struct fg_thread *thread, clockid_t clock, int *timer);
/* The chosen one; a thread for which it does not start falls back to POSIX. */
extern const struct fg_timer *fg_timer;
extern int fg_perf_errno;

/* ---- the sample (sample.c) ------------------------------------------------------------------- */

void fg_sample_handler(int signal, siginfo_t *info, void *context); /* handler */
uint64_t fg_clock_ns(clockid_t clock);                              /* any */

/* ---- the capture's file (capture_file.c) and content (capture_write.c) ----------------------- */

/* any. The header of this image's capture, or NULL. */
struct fg_capture_header *fg_capture(void);
/* any. Creates the file if there is none yet. NULL if that failed (it is not tried again). */
struct fg_capture_header *fg_capture_open(void);
/* thread, in a forked child: the parent's file is none of ours. */
void fg_capture_forked(void);
/* any. When this image's capture began, for the header. */
void fg_capture_set_origin(uint64_t realtime_ns, uint64_t cpu_ns);
/* any. Offset of a fresh, zeroed, published block; NULL when space ran out. */
struct fg_block *fg_capture_block(enum fg_block_kind kind, uint64_t bytes);
uint32_t fg_capture_offset8(const void *pointer); /* any. (pointer - header) / 8 */
/* any. Waits; false after two seconds (its holder was interrupted for good),
 * then nothing is held. */
bool fg_lock(uint32_t *word);
void fg_unlock(uint32_t *word);

/* Of a walk's frames and the modules' layout, never 0. */
uint64_t fg_walk_hash(const struct fg_walk *walk);

/* What an entry counts, besides its stack. */
struct fg_key {
	enum fg_kind kind;
	uint32_t epoch, context;
};

/*
 * handler, or thread between fg_enter() and fg_leave(). The writer's entry for this walk and key,
 * zeroed and not yet published if it is new: update it, then fg_entry_publish(). NULL: no room.
 */
struct fg_entry *fg_capture_entry(
	struct fg_thread *thread, const struct fg_walk *walk, const struct fg_key *key);
/* The same context. Stores the walk's stack alone: its place for fg_entry.stack, 0: no room. */
uint32_t fg_capture_stack(struct fg_thread *thread, const struct fg_walk *walk);
/* fg_capture_entry() for a stack that some writer of this capture has stored already. */
struct fg_entry *fg_capture_entry_of(
	struct fg_thread *thread, uint64_t walk_hash, uint32_t stack, const struct fg_key *key);
void fg_entry_publish(struct fg_entry *entry, uint64_t walk_hash, const struct fg_key *key);
/* One event of this weight: count, sum and squares. */
void fg_entry_add(struct fg_entry *entry, uint64_t weight);
/* The three in one; false when it had no room. */
bool fg_capture_add(struct fg_thread *thread, const struct fg_walk *walk, const struct fg_key *key,
	uint64_t weight);

/* handler. A walk from these registers into the thread's own memory, hash included. */
void fg_walk_thread(
	struct fg_thread *thread, const struct fg_registers *registers, struct fg_walk *walk);
/*
 * thread, between fg_enter() and fg_leave(). The same for calls that come often, with a hash of
 * another kind (unwind_memo.h). registers: the caller's own (FG_REGISTERS_HERE). What walk points
 * at stays until the next call. False: there is no memory for it.
 */
bool fg_walk_here(
	struct fg_thread *thread, const struct fg_registers *registers, struct fg_walk *walk);

/* ---- modules (modules.c) --------------------------------------------------------------------- */

/* any. A pc as the capture keeps it; adds its object to the module table at first sight. */
uint64_t fg_module_frame(uint64_t pc, bool exact);
/* any. Is pc code of this library? Its frames are left out of stacks. */
bool fg_module_is_self(uint64_t pc);
/* init. */
void fg_modules_init(void);
void fg_modules_forked(void);
/* thread, after a dlclose: forgets objects that are gone. */
void fg_modules_closed(void);
/* any. Changes whenever a known object has gone: caches keyed by pc are stale. */
uint32_t fg_modules_layout(void);

#endif
