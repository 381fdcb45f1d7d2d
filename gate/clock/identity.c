/* SPDX-License-Identifier: Apache-2.0 */
/* Which process and which thread this is. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gate/clock/clock.h"
#include "gate/clock/clock_variable.h"
#include "gate/sampler/raw.h"

/* Of what any thread was told last: the shared time is that much behind at most. */
#define STALE_NS (FG_NS / 1000)

/* In a page of its own that is empty in every child, however that was made. */
struct alive {
	uint64_t process; /* its key; 0: not looked at since the fork */
	uint32_t lock;
};

static struct fg_clock_page *page;
static char run_folder[FG_CLOCK_PATH_BYTES]; /* the program may change its environment */
static struct alive *alive;
static uint64_t process_key;
static int64_t told_ns[FG_CLOCK_BASES];
static __thread struct fg_clock_thread thread_state __attribute__((tls_model("initial-exec")));

struct fg_clock_page *fg_clock_page(void)
{
	return page;
}

const char *fg_clock_folder(void)
{
	return run_folder;
}

void fg_clock_trouble(uint32_t bit)
{
	__atomic_fetch_or(&page->trouble, bit, __ATOMIC_RELAXED);
}

uint64_t fg_clock_block_signals(void)
{
	const uint64_t all = ~UINT64_C(0);
	uint64_t before = 0;

	FG_RAW6(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof(all), 0, 0);
	return before;
}

void fg_clock_unblock_signals(uint64_t before)
{
	FG_RAW6(SYS_rt_sigprocmask, SIG_SETMASK, &before, 0, sizeof(before), 0, 0);
}

/* ---- start --------------------------------------------------------------------------------- */

static struct fg_clock_page *map_page(const char *folder)
{
	char path[FG_CLOCK_PATH_BYTES];
	struct fg_clock_page *mapped;
	size_t length = strlen(folder);
	int fd;

	if (length + sizeof("/" FG_CLOCK_PAGE_NAME) > sizeof(path))
		return NULL;
	memcpy(run_folder, folder, length + 1);
	memcpy(path, folder, length);
	memcpy(path + length, "/" FG_CLOCK_PAGE_NAME, sizeof("/" FG_CLOCK_PAGE_NAME));
	fd = fg_raw_open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd < 0)
		return NULL;
	mapped = fg_raw_map(sizeof(*mapped), PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	fg_raw_close(fd);
	if (mapped && mapped->magic != FG_CLOCK_PAGE_MAGIC) {
		fg_raw_unmap(mapped, sizeof(*mapped));
		return NULL;
	}
	return mapped;
}

static const char *base_name(char *path, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", path, size - 1);
	const char *slash;

	path[length > 0 ? length : 0] = '\0';
	slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* How many of this name were started before; the table is never full twice of the same. */
static uint32_t count_start(uint64_t name)
{
	for (uint64_t i = 0; i < FG_CLOCK_PROGRAMS; i++) {
		struct fg_clock_program *program = &page->programs[(name + i) % FG_CLOCK_PROGRAMS];
		uint64_t found = 0;

		if (__atomic_compare_exchange_n(&program->name, &found, name, false,
			    __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
			found == name)
			return __atomic_fetch_add(&program->started, 1, __ATOMIC_RELAXED);
	}
	fg_clock_trouble(FG_CLOCK_TROUBLE_FULL);
	return 0;
}

/*
 * A hash itself, as a child's key is one by its parent's: by a small number that of a small number
 * may be the parent's own, or another parent's child's.
 */
static uint64_t first_thread(void)
{
	return fg_clock_child_key(0, 1);
}

/* Of a thread that nobody announced: made by a raw clone(), or by the C library. */
static uint64_t stranger(void)
{
	static uint64_t strangers;

	return fg_clock_child_key(
		fg_clock_child_key(0, 2), __atomic_add_fetch(&strangers, 1, __ATOMIC_RELAXED));
}

/* By thread: which of several that fork at once is the first is chance. */
static void before_fork(void)
{
	if (!thread_state.key)
		thread_state.key = stranger();
	thread_state.forks++;
}

static void in_child(void)
{
	process_key = fg_clock_child_key(
		fg_clock_child_key(process_key, thread_state.key), thread_state.forks);
	thread_state.forks = 0;
}

static void begin(const char *folder)
{
	char path[PATH_MAX];
	const char *name = base_name(path, sizeof(path));
	uint64_t hash = fg_clock_hash(name, strlen(name), 0);

	if (strcmp(name, FG_CLOCK_OWN_PROGRAM) == 0)
		return;
	page = map_page(folder);
	if (!page)
		return;
	alive = fg_raw_pages(4096);
	if (!alive || madvise(alive, 4096, MADV_WIPEONFORK) != 0 ||
		pthread_atfork(before_fork, NULL, in_child) != 0) {
		fg_clock_trouble(FG_CLOCK_TROUBLE_FILE);
		page = NULL;
		return;
	}
	process_key = fg_clock_child_key(hash, count_start(hash));
	thread_state.key = first_thread();
}

void fg_clock_process_start(void)
{
	const char *folder = getenv(FG_ENV_CLOCK);
	int saved_errno = errno;

	if (folder && *folder)
		begin(folder);
	errno = saved_errno;
}

/* ---- threads ------------------------------------------------------------------------------- */

/* After a fork, and at a thread's first call. */
static bool renew(struct fg_clock_thread *thread)
{
	while (!__atomic_load_n(&alive->process, __ATOMIC_ACQUIRE)) {
		if (__atomic_exchange_n(&alive->lock, 1, __ATOMIC_ACQUIRE))
			continue;
		if (!alive->process) {
			fg_clock_file_forget();
			if (!fg_clock_file_open(process_key))
				page = NULL;
			__atomic_store_n(&alive->process, process_key, __ATOMIC_RELEASE);
		}
		__atomic_store_n(&alive->lock, 0, __ATOMIC_RELEASE);
	}
	memset(thread->cursors, 0, sizeof(thread->cursors));
	thread->process = alive->process;
	if (!thread->key)
		thread->key = stranger();
	return page != NULL;
}

struct fg_clock_thread *fg_clock_thread(void)
{
	struct fg_clock_thread *thread = &thread_state;
	uint64_t before;

	if (!page)
		return NULL;
	if (__builtin_expect(thread->process == alive->process && thread->process, 1))
		return thread;
	/* It forked in a handler, or jumped out of one: the call that it left has the old cursors. */
	if (thread->busy) {
		fg_clock_trouble(FG_CLOCK_TROUBLE_LEFT);
		return NULL;
	}
	before = fg_clock_block_signals();
	thread->busy = 1;
	if (!renew(thread))
		thread = NULL;
	thread_state.busy = 0;
	fg_clock_unblock_signals(before);
	return thread;
}

uint64_t fg_clock_next_child(void)
{
	if (!thread_state.key)
		thread_state.key = stranger();
	return fg_clock_child_key(thread_state.key, ++thread_state.children);
}

void fg_clock_thread_begin(uint64_t key)
{
	thread_state.key = key;
}

/* ---- what was told ------------------------------------------------------------------------- */

int64_t fg_clock_told(enum fg_clock_base base)
{
	int64_t own = thread_state.told_ns[base];
	int64_t any = __atomic_load_n(&told_ns[base], __ATOMIC_RELAXED);
	bool is_own = thread_state.told_since_wait[base];

	thread_state.told_since_wait[base] = false;
	return is_own || own > any ? own : any;
}

/* All threads write the shared one: rarely, as each write takes its cache line from the others. */
void fg_clock_tell(
	struct fg_clock_thread *thread, enum fg_clock_base base, int64_t ns, bool is_coarse)
{
	int64_t any = __atomic_load_n(&told_ns[base], __ATOMIC_RELAXED);

	if (!is_coarse)
		thread->told_since_wait[base] = true;
	if (ns > thread->told_ns[base])
		thread->told_ns[base] = ns;
	while (ns > any && (!any || ns - any > STALE_NS) &&
		!__atomic_compare_exchange_n(
			&told_ns[base], &any, ns, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		continue;
}
