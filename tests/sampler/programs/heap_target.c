/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs for test_heap.sh that know what they allocate. They print it as "allocs N", "frees N",
 * "bytes N" and whatever else the mode knows, and allocate nothing in order to print.
 * usage: heap_target MODE [ARGUMENT...]
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "gate/sampler/flamegate.h"
#include "gate/sampler/raw.h"

static unsigned long allocs, frees, bytes;

#ifdef __clang__
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noipa))
#endif

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	char line[200];
	va_list list;
	int length;

	va_start(list, format);
	length = vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	if (write(1, line, (size_t)length) != length)
		_exit(9);
}

static int tell(void)
{
	say("allocs %lu\nfrees %lu\nbytes %lu\n", allocs, frees, bytes);
	return 0;
}

static void fail(const char *what)
{
	say("wrong: %s\n", what);
	_exit(1);
}

static void *noted(void *block, size_t size)
{
	allocs++;
	bytes += size;
	if (!block)
		fail("no memory");
	memset(block, 0x5a, size);
	return block;
}

static void drop(void *block)
{
	frees += block != NULL;
	free(block);
}

/* The compiler must not see that a size is impossible, or a block unused. */
static void *hidden(void *block)
{
	__asm__("" : "+r"(block));
	return block;
}

static size_t huge(void)
{
	volatile size_t most = SIZE_MAX;

	return most / 2;
}

/* ---- modes ----------------------------------------------------------------------------------- */

static int family(void)
{
	char *block;
	void *aligned;

	for (size_t i = 0; i < 20; i++) {
		drop(noted(malloc(i * 100), i * 100));
		drop(noted(calloc(i + 1, 24), (i + 1) * 24));
		drop(noted(aligned_alloc(64, 128), 128));
		drop(noted(memalign(256, 100), 100));
		drop(noted(valloc(77), 77));
		drop(noted(pvalloc(5000), 5000));
		if (posix_memalign(&aligned, 32, 320))
			fail("posix_memalign");
		drop(noted(aligned, 320));
	}
	block = noted(realloc(NULL, 50), 50);
	for (size_t size = 40; size < 300000; size *= 3) {
		block = noted(realloc(block, size), size);
		frees++;
	}
	block = noted(reallocarray(block, 3, 7), 21);
	frees++;
	if (hidden(realloc(block, 0)))
		fail("realloc to nothing");
	frees++;
	drop(noted(strdup("twelve bytes"), 0));
	bytes += 13;
	free(hidden(NULL));
	return tell();
}

/* Calls that fail count nothing and leave the old block as it was. */
static int failing(void)
{
	void *kept = noted(malloc(1000), 1000), *block = NULL;

	errno = 0;
	if (hidden(malloc(huge())) || errno != ENOMEM)
		fail("malloc of everything");
	if (hidden(calloc(huge(), 16)) || hidden(reallocarray(hidden(kept), huge(), 16)))
		fail("an overflow");
	if (hidden(realloc(hidden(kept), huge())) || posix_memalign(&block, 3, 10) != EINVAL)
		fail("realloc of everything");
	if (hidden(aligned_alloc(64, huge())) || hidden(valloc(huge())))
		fail("aligned_alloc of everything");
	drop(hidden(kept));
	return tell();
}

static int keeps_errno(void)
{
	for (int i = 0; i < 2000; i++) {
		void *block, *aligned;

		errno = 12345;
		block = hidden(malloc((size_t)i));
		block = hidden(realloc(block, (size_t)i * 2 + 1));
		free(hidden(calloc(3, (size_t)i)));
		if (posix_memalign(&aligned, 64, 100))
			fail("posix_memalign");
		free(aligned);
		munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
		free(block);
		if (errno != 12345)
			fail("errno");
	}
	say("fine\n");
	return 0;
}

ALONE static void *large(size_t size)
{
	return hidden(noted(malloc(size), size));
}

ALONE static void *small(size_t size)
{
	return hidden(noted(malloc(size), size));
}

/* Largest with 5 small blocks, the early one and one large one: 500 + 333 + 70000 bytes. */
static int peak(void)
{
	void *blocks[10], *spike;

	for (int i = 0; i < 10; i++)
		blocks[i] = small(100);
	for (int i = 0; i < 5; i++)
		drop(blocks[i]);
	spike = large(70000);
	drop(spike);
	for (int i = 5; i < 10; i++)
		drop(blocks[i]);
	drop(large(60000));
	say("peak_bytes 70833\npeak_count 7\n");
	return tell();
}

/* Grows, says so, and waits to be killed. */
static int spike(void)
{
	for (int i = 0; i < 1000; i++)
		large(1000);
	tell();
	return pause();
}

/* Until somebody stops it. */
static int grow(void)
{
	for (;;)
		large(100000);
	return 0;
}

static int early(void);
static void *early_block;
__attribute__((constructor)) static void before_main(void)
{
	early_block = noted(malloc(333), 333);
}

static int early(void)
{
	drop(early_block);
	return tell();
}

static pthread_key_t key;

static void free_late(void *block)
{
	static __thread int rounds;

	/* Beyond the round in which the sampler ends the thread. */
	if (++rounds < 4 && pthread_setspecific(key, block) == 0)
		return;
	free(block);
}

static void *allocate(void *argument)
{
	void **blocks = argument;

	for (int i = 0; i < 5000; i++)
		blocks[i] = malloc((size_t)(i % 100) * 10 + 1);
	pthread_setspecific(key, malloc(4321));
	return NULL;
}

enum { THREADS = 4, EACH = 5000 };

/* Blocks of one thread are freed by another. Exact but for the threads' own (the C library's). */
static int threads(void)
{
	static void *blocks[THREADS][EACH];
	pthread_t ids[THREADS];

	pthread_key_create(&key, free_late);
	for (int t = 0; t < THREADS; t++)
		if (pthread_create(&ids[t], NULL, allocate, blocks[t]))
			fail("pthread_create");
	for (int t = 0; t < THREADS; t++) {
		pthread_join(ids[t], NULL);
		for (int i = 0; i < EACH; i++)
			free(blocks[t][i]);
	}
	allocs = THREADS * (EACH + 1UL);
	frees = allocs;
	bytes = THREADS * (4321 + (EACH / 100) * (99UL * 100 / 2 * 10 + 100));
	return tell();
}

enum { CROWD = 200, KEPT_BYTES = 3000, MORE_BYTES = 1000 };
static pthread_barrier_t all_are_here;

static void *keep_one(void *unused)
{
	void *kept, *too_much;

	(void)unused;
	pthread_barrier_wait(&all_are_here);
	kept = malloc(KEPT_BYTES);
	too_much = malloc(MORE_BYTES);
	*(volatile char *)too_much = 1;
	pthread_barrier_wait(&all_are_here);
	free(too_much);
	return kept;
}

/* Each thread has, and leaves behind, less than one alone tells to the totals at a time. */
static int crowd(void)
{
	pthread_t ids[CROWD];
	void *kept;

	pthread_barrier_init(&all_are_here, NULL, CROWD);
	for (int t = 0; t < CROWD; t++)
		if (pthread_create(&ids[t], NULL, keep_one, NULL))
			fail("pthread_create");
	for (int t = 0; t < CROWD; t++) {
		pthread_join(ids[t], &kept);
		if (!kept)
			fail("malloc");
	}
	bytes = (unsigned long)CROWD * KEPT_BYTES;
	say("peak_bytes 800000\n");
	return tell();
}

/*
 * The child frees what its parent allocated, and has a heap of its own, from the very places that
 * its parent has allocated from.
 */
static int forked(void)
{
	void *blocks[10];
	int status;
	pid_t pid = -1;

	for (int round = 0; round < 2; round++) {
		if (round == 1 && (pid = fork()) == 0)
			for (int i = 0; i < 10; i++)
				free(blocks[i]);
		for (int i = 0; i < 10; i++)
			blocks[i] = small(64);
		if (round == 0)
			continue;
		for (int i = 0; i < 10; i++)
			free(blocks[i]);
		if (pid == 0)
			_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status != 0)
		fail("the child");
	/* 10 before, 10 of each after, which were freed. */
	allocs += 10;
	bytes += 640;
	frees = 20;
	say("unknown 10\n");
	return tell();
}

/* Freed behind our back, as by a library that was opened with RTLD_DEEPBIND. */
static int unseen(void)
{
	void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	unsigned long before = allocs;
	void (*release)(void *);
	void *block, *again = NULL;

	if (!library)
		fail("libc.so.6");
	*(void **)&release = dlsym(library, "free");
	if (!release)
		fail("free");
	block = small(1000);
	release(block);
	again = small(1000);
	if (again != block)
		fail("another block");
	drop(again);
	frees++;
	say("here %lu\n", allocs - before);
	return tell();
}

/* A child made without the C library counts nothing and disturbs nobody. */
static int raw_forked(void)
{
	void *block = small(64);
	int status;
	long pid = FG_RAW6(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0);

	if (pid == 0) {
		for (int i = 0; i < 100; i++)
			free(hidden(malloc(100)));
		free(block);
		_exit(0);
	}
	if (waitpid((pid_t)pid, &status, 0) != pid || status != 0)
		fail("the child");
	drop(block);
	return tell();
}

static ucontext_t outside, inside;

static void in_coroutine(void)
{
	for (int i = 0; i < 10; i++) {
		drop(small(500));
		swapcontext(&inside, &outside);
	}
}

static int coroutine(void)
{
	static char stack[65536] __attribute__((aligned(16)));

	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = sizeof(stack);
	inside.uc_link = &outside;
	makecontext(&inside, in_coroutine, 0);
	for (int i = 0; i < 10; i++) {
		swapcontext(&outside, &inside);
		drop(small(300));
	}
	return tell();
}

/* One place, two regions; what the first allocates ends in the second and in another epoch. */
static int regions(void)
{
	static const char *const names[] = {"first", "second"};
	void *blocks[2][7];

	for (int region = 0; region < 2; region++) {
		flamegate_region_begin(names[region]);
		for (int i = 0; i < 5 + 2 * region; i++)
			blocks[region][i] = small(10);
		for (int i = 0; i < 3 * region; i++)
			drop(blocks[0][i]);
		flamegate_region_end();
	}
	flamegate_iteration(1);
	drop(blocks[0][3]);
	drop(blocks[0][4]);
	return tell();
}

static jmp_buf escape;

ALONE static void sink(int depth)
{
	void *block = small((size_t)depth + 1);

	drop(block);
	if (depth > 0)
		sink(depth - 1);
	else if (allocs)
		longjmp(escape, 1);
	__asm__ volatile("");
}

static int jumps(void)
{
	for (volatile int i = 0; i < 50; i++)
		if (setjmp(escape) == 0)
			sink(i % 20);
	return tell();
}

/* 3 mappings of 10 pages; one loses its middle, one moves, one goes whole. */
static int mapped(void)
{
	const size_t page = 4096;
	const int access = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
	char *maps[3];

	for (int i = 0; i < 3; i++)
		maps[i] = mmap(NULL, 10 * page, access, flags, -1, 0);
	munmap(maps[0] + 3 * page, 2 * page);
	maps[1] = mremap(maps[1], 10 * page, 30 * page, MREMAP_MAYMOVE);
	munmap(maps[2], 10 * page);
	/* Neither memory: a reservation; nor anonymous. */
	mmap(NULL, 1000 * page, PROT_NONE, flags, -1, 0);
	if (maps[1] == MAP_FAILED)
		fail("mremap");
	say("mapped 4\nmapped_gone 2\nmapped_bytes %zu\nmapped_gone_bytes %zu\n", 60 * page,
		22 * page);
	munmap(maps[0], 10 * page);
	munmap(maps[1], 30 * page);
	say("mapped_gone_at_last 4\n");
	return tell();
}

/* A program at the edge of its memory lives on: rounds of as much as there is. */
static int limited(long rounds)
{
	static void *blocks[20000];
	struct rlimit limit = {64 << 20, 64 << 20};

	if (setrlimit(RLIMIT_AS, &limit))
		fail("setrlimit");
	for (long round = 0; round < rounds; round++) {
		size_t count = 0;

		while (count < 20000 && (blocks[count] = malloc(4000 + count % 50)) != NULL)
			count++;
		if (count < 5000)
			fail("hardly any memory");
		while (count)
			free(blocks[--count]);
	}
	say("fine\n");
	return 0;
}

/* All live at once, of many sizes, from two places. */
static int mixed(long count)
{
	uint64_t random = 99;

	for (long i = 0; i < count; i++) {
		size_t size;
		void *block;

		random = random * UINT64_C(6364136223846793005) + 1;
		size = random >> 60 ? (size_t)(random >> 56) : (size_t)(random >> 40) % 60000;
		block = i % 3 ? small(size) : large(size);
		if (random >> 33 & 1)
			drop(block);
	}
	return tell();
}

static int plugin(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	int (*run)(void);

	if (!handle)
		fail(dlerror());
	*(void **)&run = dlsym(handle, "run");
	if (!run || run() != 42)
		fail("the plug-in");
	say("fine\n");
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} modes[] = {{"family", family}, {"failing", failing}, {"errno", keeps_errno},
		{"peak", peak}, {"spike", spike}, {"grow", grow}, {"early", early},
		{"threads", threads}, {"crowd", crowd}, {"fork", forked}, {"unseen", unseen},
		{"rawfork", raw_forked}, {"coroutine", coroutine}, {"jumps", jumps},
		{"regions", regions}, {"mapped", mapped}};
	long number = argc > 2 ? atol(argv[2]) : 1;

	if (argc < 2)
		return 2;
	if (strcmp(argv[1], "limited") == 0)
		return limited(number);
	if (strcmp(argv[1], "mixed") == 0)
		return mixed(number);
	if (strcmp(argv[1], "plugin") == 0 && argc > 2)
		return plugin(argv[2]);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(argv[1], modes[i].name) == 0)
			return modes[i].run();
	return 2;
}
