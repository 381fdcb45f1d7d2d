/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that the C library knows nothing of. Whoever makes one through a name that we interpose
 * tells us (fg_thread_adopt); the others are found in /proc/self/task. The directory's link count
 * says how many threads there are, so that as a rule a scan is one system call. (Not where threads
 * have been adopted: nobody says when they end, and another may have come in its place.)
 *
 * A thread that we do not know may be about to begin, or to end: it is adopted when two scans have
 * seen it so. Should it begin after all, it takes its slot over (threads.c).
 */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/sampler/raw.h"
#include "gate/sampler/thread/slots.h"

#define TASKS "/proc/self/task"
#define EVERY_NS 5000000
#define MOST_QUIET                                                                                 \
	3           /* looks in a row that found nothing, each of which puts the next further off */
#define OWN_LINKS 2 /* of the directory, besides one per thread */
#define MAX_SUSPECTS 32
#define LIST_BYTES 4096

struct suspects {
	pid_t tids[MAX_SUSPECTS];
	size_t count;
};

static struct {
	uint64_t next_ns;
	uint32_t running, number, quiet;
	bool is_off;
	struct suspects suspects; /* of the scan before */
} scan;

static uint32_t births; /* threads that are being made and are not adopted yet */

void fg_thread_births(int more)
{
	__atomic_fetch_add(&births, (uint32_t)more, __ATOMIC_SEQ_CST);
}

bool fg_thread_is_born(void)
{
	return __atomic_load_n(&births, __ATOMIC_SEQ_CST) != 0;
}

void fg_scan_forked(void)
{
	births = 0;
	scan.running = scan.quiet = 0;
	scan.suspects.count = 0;
}

static bool is_in(const struct suspects *suspects, pid_t tid)
{
	for (size_t i = 0; i < suspects->count; i++)
		if (suspects->tids[i] == tid)
			return true;
	return false;
}

/* Under the lock. */
static void adopt(pid_t tid)
{
	struct fg_thread *slot = fg_slot_take(tid);

	if (!slot) {
		fg_count(FG_COUNTER_UNSAMPLED);
		return;
	}
	fg_slot_mark_adopted(slot, true);
	slot->stack_low = slot->stack_high = 0;
	fg_thread_start(slot);
}

/*
 * Under the lock. Has the thread of an adopted slot ended, and another got its number? A CPU clock
 * does not go back. One that was there when we looked last and has used more since is taken for the
 * old one. In this order: between the two the thread may take samples.
 */
static bool is_stale(const struct fg_thread *slot)
{
	uint64_t last = __atomic_load_n(&slot->last_ns, __ATOMIC_ACQUIRE);

	return slot->is_adopted && fg_clock_ns(fg_thread_clock(slot->tid)) < last;
}

/* Under the lock. */
static void drop(struct fg_thread *slot)
{
	if (slot->timer)
		slot->timer->stop(slot);
	slot->timer = NULL;
	fg_slot_release(slot);
}

static bool wanted(void)
{
	return fg_timer && fg_process_is_ours(false);
}

void fg_thread_adopt(pid_t tid)
{
	struct fg_thread *slot;
	bool was_blocked;

	if (!wanted() || tid <= 0)
		return;
	was_blocked = fg_signal_block(true);
	if (fg_slots_lock()) {
		slot = fg_slot_of_tid(tid);
		if (slot && is_stale(slot)) {
			drop(slot);
			slot = NULL;
		}
		if (!slot)
			adopt(tid);
		fg_slots_unlock();
	}
	if (!was_blocked)
		fg_signal_block(false);
}

void fg_thread_exempt(pid_t tid)
{
	bool was_blocked = fg_signal_block(true);

	if (fg_slots_lock()) {
		fg_slot_take(tid);
		fg_slots_unlock();
	}
	if (!was_blocked)
		fg_signal_block(false);
}

/* Under the lock. */
static void visit(pid_t tid, struct suspects *found)
{
	struct fg_thread *slot = fg_slot_of_tid(tid);

	if (slot && is_stale(slot)) {
		drop(slot);
		slot = NULL;
	}
	if (slot)
		slot->scan = scan.number;
	else if (is_in(&scan.suspects, tid))
		adopt(tid);
	else if (found->count < MAX_SUSPECTS)
		found->tids[found->count++] = tid;
}

static pid_t number_of(const char *name)
{
	pid_t number = 0;

	for (; *name >= '0' && *name <= '9' && number < INT32_MAX / 10 - 1; name++)
		number = number * 10 + (*name - '0');
	return *name ? 0 : number;
}

/* Returns whether the calling thread was among them: else /proc is another PID namespace's. */
static bool visit_list(const char *list, size_t bytes, struct suspects *found)
{
	pid_t self = (pid_t)FG_RAW3(SYS_gettid, 0, 0, 0);
	bool saw_self = false;

	for (size_t at = 0; at < bytes;) {
		const struct dirent64 *entry = (const struct dirent64 *)(list + at);
		pid_t tid = number_of(entry->d_name);

		at += entry->d_reclen;
		saw_self |= tid == self;
		if (tid > 0 && fg_slots_lock()) {
			visit(tid, found);
			fg_slots_unlock();
		}
	}
	return saw_self;
}

static bool visit_all(struct suspects *found)
{
	_Alignas(struct dirent64) char list[LIST_BYTES];
	bool saw_self = false;
	long bytes = 0;
	int fd = fg_raw_open(TASKS, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

	if (fd < 0)
		return false;
	while ((bytes = FG_RAW3(SYS_getdents64, fd, list, sizeof(list))) > 0)
		saw_self |= visit_list(list, (size_t)bytes, found);
	fg_raw_close(fd);
	return saw_self && bytes == 0;
}

static bool is_gone(pid_t tid)
{
	return FG_RAW3(SYS_tgkill, FG_RAW3(SYS_getpid, 0, 0, 0), tid, 0) == -ESRCH;
}

/* Threads that ended by a bare exit system call. Nobody is in their handlers any more. */
static void free_ended(void)
{
	for (struct fg_thread *slot = fg_slots_all(); slot; slot = slot->next) {
		if (!slot->in_use || slot->scan == scan.number || !is_gone(slot->tid) ||
			!fg_slots_lock())
			continue;
		if (slot->in_use && is_gone(slot->tid))
			drop(slot);
		fg_slots_unlock();
	}
}

static void look(void)
{
	struct suspects found = {.count = 0};

	scan.number++;
	if (visit_all(&found)) {
		scan.suspects = found;
		free_ended();
	} else {
		scan.suspects.count = 0;
		scan.is_off = true;
	}
}

/* True also when /proc cannot be read. */
static bool all_are_known(void)
{
	struct stat status;

	if (fg_slots_adopted())
		return false;
	return FG_RAW6(SYS_newfstatat, AT_FDCWD, TASKS, &status, 0, 0, 0) != 0 ||
	       status.st_nlink == fg_slots_used() + OWN_LINKS;
}

/*
 * A list of thousands takes longer, and should not take more of the time. A program that has had no
 * such thread so far is asked less often.
 */
static uint64_t pause_ns(void)
{
	return EVERY_NS *
	       (1 + fg_slots_used() / 64 + __atomic_load_n(&scan.quiet, __ATOMIC_RELAXED));
}

static void note_quiet(void)
{
	uint32_t quiet = __atomic_load_n(&scan.quiet, __ATOMIC_RELAXED);

	if (quiet < MOST_QUIET)
		__atomic_store_n(&scan.quiet, quiet + 1, __ATOMIC_RELAXED);
}

void fg_threads_scan(void)
{
	uint64_t now = fg_clock_ns(CLOCK_MONOTONIC);
	uint64_t next = __atomic_load_n(&scan.next_ns, __ATOMIC_RELAXED);
	bool was_blocked;

	if (scan.is_off || now < next || !wanted() ||
		!__atomic_compare_exchange_n(&scan.next_ns, &next, now + pause_ns(), false,
			__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	if (all_are_known()) {
		note_quiet();
		return;
	}
	__atomic_store_n(&scan.quiet, 0, __ATOMIC_RELAXED);
	was_blocked = fg_signal_block(true);
	if (!__atomic_exchange_n(&scan.running, 1, __ATOMIC_ACQUIRE)) {
		look();
		__atomic_store_n(&scan.running, 0, __ATOMIC_RELEASE);
	}
	if (!was_blocked)
		fg_signal_block(false);
}
