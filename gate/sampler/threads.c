/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thread slots. A slot is mapped once and handed from a thread that ends to the next that begins,
 * with its blocks in the capture: thousands of short threads cost as much as the most that ran at
 * once.
 */
#include "gate/sampler/sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "gate/sampler/raw.h"

#define MAIN_STACK_MIN (UINT64_C(128) << 20) /* the least gap that the kernel leaves below it */
#define KEY_ROUNDS 4                         /* PTHREAD_DESTRUCTOR_ITERATIONS */

extern void *__libc_stack_end;

__thread struct fg_thread *fg_self __attribute__((visibility("hidden")));

static struct {
	struct fg_thread *all;
	uint32_t lock;
	pthread_key_t key;
	bool has_key;
	uint64_t seed;
} threads;

static uint64_t split_mix(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

uint64_t fg_thread_random(struct fg_thread *thread, uint64_t bound)
{
	return split_mix(&thread->random) % bound + 1;
}

/* Other keys' destructors may burn CPU after this one: stay until the last round. */
static void key_destroyed(void *value)
{
	struct fg_thread *thread = value;

	if (thread == fg_self && thread->ends_left-- > 0 &&
		pthread_setspecific(threads.key, thread) == 0)
		return;
	fg_thread_end();
}

int fg_threads_init(void)
{
	int error = threads.has_key ? 0 : pthread_key_create(&threads.key, key_destroyed);

	threads.has_key = error == 0;
	threads.seed = fg_clock_ns(CLOCK_MONOTONIC) ^ (uint64_t)getpid() << 40;
	return error;
}

static struct fg_thread *map_slot(void)
{
	size_t head = (sizeof(struct fg_thread) + 63) & ~(size_t)63;
	size_t rules = (fg_rule_cache_bytes() + 63) & ~(size_t)63; /* keeps the stack aligned */
	unsigned char *memory = fg_raw_pages(head + rules + FG_ALT_STACK_BYTES);
	struct fg_thread *slot = (struct fg_thread *)memory;

	if (!memory)
		return NULL;
	slot->rules = (struct fg_rule_cache *)(memory + head);
	slot->alt_stack = memory + head + rules;
	slot->perf_fd = slot->posix_timer = -1;
	return slot;
}

/* The signal is blocked, so the lock's holder is never interrupted by a sample of its own. */
static struct fg_thread *take_slot(void)
{
	struct fg_thread *slot;

	if (!fg_lock(&threads.lock))
		return NULL;
	for (slot = threads.all; slot && slot->in_use;)
		slot = slot->next;
	if (!slot && (slot = map_slot()) != NULL) {
		slot->next = threads.all;
		__atomic_store_n(&threads.all, slot, __ATOMIC_RELEASE);
	}
	if (slot)
		slot->in_use = true;
	fg_unlock(&threads.lock);
	return slot;
}

/* A store suffices: its own fields are not touched by others while it is free. */
static void release_slot(struct fg_thread *slot)
{
	__atomic_store_n(&slot->in_use, false, __ATOMIC_RELEASE);
}

/* A line of /proc/self/maps starts "low-high ", in hexadecimal. */
struct maps_line {
	uint64_t numbers[2];
	unsigned which; /* number being read; 2: the rest of the line */
};

/* Takes one character; true when it completes the line's range. */
static bool feed(struct maps_line *line, char c)
{
	unsigned digit = c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : (unsigned)(c - '0');

	if (c == '\n') {
		memset(line, 0, sizeof(*line));
		return false;
	}
	if (line->which == 2)
		return false;
	if (digit < 16)
		line->numbers[line->which] = line->numbers[line->which] << 4 | digit;
	else
		line->which++;
	return digit >= 16 && line->which == 2;
}

/* The end of the mapping that holds the address; 0 if it is not found. */
static uint64_t mapping_end(uint64_t address)
{
	static char text[4096];
	struct maps_line line = {{0, 0}, 0};
	uint64_t found = 0;
	ssize_t length;
	int fd = fg_raw_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		return 0;
	while (!found && (length = fg_raw_read(fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < length; i++)
			if (feed(&line, text[i]) && address >= line.numbers[0] &&
				address < line.numbers[1])
				found = line.numbers[1];
	fg_raw_close(fd);
	return found;
}

static void main_stack_bounds(struct fg_thread *thread)
{
	uint64_t end = (uint64_t)(uintptr_t)__libc_stack_end;
	struct rlimit limit;
	uint64_t size = MAIN_STACK_MIN;

	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < MAIN_STACK_MIN)
		size = limit.rlim_cur;
	thread->stack_high = mapping_end(end);
	if (!thread->stack_high)
		thread->stack_high = end + sizeof(void *);
	thread->stack_low = thread->stack_high - size;
}

static void thread_stack_bounds(struct fg_thread *thread)
{
	pthread_attr_t attributes;
	void *low = NULL;
	size_t size = 0;

	thread->stack_low = thread->stack_high = 0;
	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return;
	if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
		thread->stack_low = (uint64_t)(uintptr_t)low;
		thread->stack_high = thread->stack_low + size;
	}
	pthread_attr_destroy(&attributes);
}

/* Only where the program has none: its own is never replaced. */
static void set_alt_stack(struct fg_thread *thread)
{
	stack_t now;

	if (sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE))
		return;
	memset(&now, 0, sizeof(now));
	now.ss_sp = thread->alt_stack;
	now.ss_size = FG_ALT_STACK_BYTES;
	sigaltstack(&now, NULL);
}

static void drop_alt_stack(const struct fg_thread *thread)
{
	stack_t now;

	if (sigaltstack(NULL, &now) != 0 || now.ss_sp != thread->alt_stack ||
		(now.ss_flags & SS_ONSTACK))
		return;
	memset(&now, 0, sizeof(now));
	now.ss_flags = SS_DISABLE;
	sigaltstack(&now, NULL);
}

/* A machine may let some threads have perf and not others (descriptor limits). */
static void start_timer(struct fg_thread *thread)
{
	const struct fg_timer *timer = fg_timer;

	thread->is_first = true;
	thread->was_seen = false;
	thread->samples = 0;
	thread->busy = 0;
	thread->ends_left = KEY_ROUNDS - 1;
	thread->tid = gettid();
	thread->last_ns = fg_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	thread->random = threads.seed ^ (uint64_t)thread->tid << 20 ^ fg_clock_ns(CLOCK_MONOTONIC);
	thread->timer = timer;
	if (timer->start(thread) == 0)
		return;
	thread->timer = &fg_timer_posix;
	if (timer == &fg_timer_posix || fg_timer_posix.start(thread) != 0)
		thread->timer = NULL;
}

void fg_thread_begin(bool is_main)
{
	struct fg_thread *thread;

	if (!fg_signal || fg_self)
		return;
	fg_signal_block(true);
	thread = take_slot();
	if (thread) {
		if (is_main)
			main_stack_bounds(thread);
		else
			thread_stack_bounds(thread);
		set_alt_stack(thread);
		fg_self = thread;
		if (!is_main)
			pthread_setspecific(threads.key, thread);
		start_timer(thread);
	}
	fg_signal_block(false);
}

void fg_thread_end(void)
{
	struct fg_thread *thread = fg_self;

	if (!thread)
		return;
	fg_signal_block(true);
	if (thread->timer)
		thread->timer->stop(thread);
	thread->timer = NULL;
	fg_self = NULL;
	drop_alt_stack(thread);
	release_slot(thread);
}

/* Slots are only ever added, at the front: the list may be walked without the lock. */
int fg_threads_next_fd(unsigned from)
{
	int lowest = -1;

	for (struct fg_thread *slot = __atomic_load_n(&threads.all, __ATOMIC_ACQUIRE); slot;
		slot = slot->next) {
		int fd = __atomic_load_n(&slot->perf_fd, __ATOMIC_RELAXED);

		if (fd >= 0 && (unsigned)fd >= from && (lowest < 0 || fd < lowest))
			lowest = fd;
	}
	return lowest;
}

bool fg_threads_own_fd(int fd)
{
	return fd >= FG_LOWEST_FD && fg_threads_next_fd((unsigned)fd) == fd;
}

void fg_threads_forked(void)
{
	threads.lock = 0;
	threads.seed ^= (uint64_t)getpid() << 32;
	for (struct fg_thread *slot = threads.all; slot; slot = slot->next) {
		memset(&slot->writer, 0, sizeof(slot->writer));
		if (slot->timer)
			slot->timer->forget(slot);
		slot->timer = NULL;
		slot->in_use = slot == fg_self;
	}
	if (fg_self)
		start_timer(fg_self);
}
