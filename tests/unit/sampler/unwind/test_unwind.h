/* SPDX-License-Identifier: Apache-2.0 */
/* What the unwinder's tests share: a walk of an interrupted context, and glibc's opinion of it. */
#ifndef FG_TEST_UNWIND_H
#define FG_TEST_UNWIND_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "gate/sampler/context.h"

/* Frames that end a function must stay calls: their return addresses are what we look for. */
#define NO_TAIL_CALL __asm__ volatile("" ::: "memory")
#ifdef __clang__
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noipa))
#endif

struct test_walk {
	uint64_t pcs[FG_MAX_DEPTH];
	uint64_t exact[FG_MAX_DEPTH / 64];
	size_t count;
	enum fg_walk_end end;
};

static inline struct fg_rule_cache *test_cache(void)
{
	static _Thread_local struct fg_rule_cache *cache;

	if (!cache)
		cache = mmap(NULL, fg_rule_cache_bytes(), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (cache == MAP_FAILED)
		abort();
	return cache;
}

static inline struct fg_stack_bounds test_bounds(void)
{
	static _Thread_local struct fg_stack_bounds bounds;
	pthread_attr_t attributes;
	void *low;
	size_t size;

	if (!bounds.high) {
		if (pthread_getattr_np(pthread_self(), &attributes) ||
			pthread_attr_getstack(&attributes, &low, &size))
			abort();
		pthread_attr_destroy(&attributes);
		bounds.low = (uint64_t)(uintptr_t)low;
		bounds.high = bounds.low + size;
	}
	return bounds;
}

static inline struct fg_registers test_registers(const ucontext_t *context)
{
	struct fg_registers registers;

	fg_registers_of(context, &registers);
	return registers;
}

static inline void test_walk_registers(
	struct test_walk *walk, const struct fg_registers *registers, size_t max)
{
	struct fg_stack_bounds bounds = test_bounds();

	walk->count = fg_unwind(
		test_cache(), registers, &bounds, walk->pcs, walk->exact, max, &walk->end);
}

static inline void test_walk_context(struct test_walk *walk, const void *context)
{
	struct fg_registers registers = test_registers(context);

	test_walk_registers(walk, &registers, FG_MAX_DEPTH);
}

static inline bool test_complete(const struct test_walk *walk)
{
	return walk->end == FG_END_ROOT || walk->end == FG_END_START;
}

static inline bool test_same_walk(const struct fg_walk *walk, const struct test_walk *plain)
{
	if (walk->depth != plain->count || walk->end != plain->end ||
		memcmp(walk->pcs, plain->pcs, walk->depth * sizeof(uint64_t)) != 0)
		return false;
	for (size_t i = 0; i < walk->depth; i++)
		if ((walk->exact[i / 64] ^ plain->exact[i / 64]) >> (i % 64) & 1)
			return false;
	return true;
}

static inline bool test_has(const struct test_walk *walk, uint64_t low, uint64_t high)
{
	for (size_t i = 0; i < walk->count; i++)
		if (walk->pcs[i] >= low && walk->pcs[i] < high)
			return true;
	return false;
}

/* backtrace()'s frames from the interrupted one on; called in the handler that got the context. */
struct test_reference {
	void *frames[FG_MAX_DEPTH + 64];
	int first, count;
};

static inline void test_take_reference(struct test_reference *reference, uint64_t pc)
{
	reference->count =
		backtrace(reference->frames, (int)(sizeof(reference->frames) / sizeof(void *)));
	reference->first = 0;
	while (reference->first < reference->count &&
		(uint64_t)(uintptr_t)reference->frames[reference->first] != pc)
		reference->first++;
}

/* The first frame that differs, or -1. */
static inline int test_difference(
	const struct test_walk *walk, const struct test_reference *reference)
{
	int frames = reference->count - reference->first;

	for (int i = 0; i < frames || i < (int)walk->count; i++)
		if (i >= frames || i >= (int)walk->count ||
			walk->pcs[i] !=
				(uint64_t)(uintptr_t)reference->frames[reference->first + i])
			return i;
	return -1;
}

/* A handler for SIGUSR1 that records both. */
static struct test_walk last_walk;
static struct test_reference last_reference;

static inline void test_record(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info;
	test_walk_context(&last_walk, context);
	test_take_reference(&last_reference, last_walk.pcs[0]);
}

static inline void test_on_signal(int signal, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};

	sigemptyset(&action.sa_mask);
	assert_int_equal(sigaction(signal, &action, NULL), 0);
}

static inline void assert_like_backtrace(void)
{
	assert_true(last_walk.count > 0);
	assert_int_equal(test_difference(&last_walk, &last_reference), -1);
}

#endif
