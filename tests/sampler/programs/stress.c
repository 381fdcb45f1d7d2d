/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that ask much of the sampler, one per mode: many threads, many forks, code that comes
 * and goes, memory that is scarce. Work is measured by CPU clocks. Exit 0 and "fine" on stdout when
 * nothing went wrong; what the program counted itself stands before it as "name value" lines.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gate/sampler/capture/capture.h"

#define NOINLINE __attribute__((noinline))
enum { BATCH = 125, SLOTS = 4096, CHURNERS = 3, SMALL_STACK = 256 << 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long shared;
static volatile unsigned long sink;

static double clock_ms(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

NOINLINE void burn(double ms)
{
	for (double end = clock_ms(CLOCK_THREAD_CPUTIME_ID) + ms;
		clock_ms(CLOCK_THREAD_CPUTIME_ID) < end;)
		for (int i = 0; i < 5000; i++)
			sink = sink * 31 + (unsigned long)i;
}

static int fail(const char *what)
{
	printf("FAILED: %s (errno %d)\n", what, errno);
	return 1;
}

static int done(int status)
{
	if (status == 0)
		puts("fine");
	return status;
}

/* ---- threads: COUNT of MS each, many at once, all with locks and allocations ----------------- */

static void *short_life(void *ms)
{
	char *block = malloc(1000);

	if (block)
		memset(block, 1, 1000);
	burn(*(double *)ms);
	pthread_mutex_lock(&lock);
	shared++;
	pthread_mutex_unlock(&lock);
	free(block);
	return NULL;
}

static int batch(pthread_attr_t *attributes, long count, double *ms)
{
	pthread_t threads[BATCH];

	for (long i = 0; i < count; i++)
		if (pthread_create(&threads[i], attributes, short_life, ms) != 0)
			return fail("pthread_create");
	for (long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int mode_threads(long count, double ms, char **unused)
{
	pthread_attr_t attributes;
	int status = 0;

	(void)unused;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, SMALL_STACK);
	for (long left = count; left > 0 && status == 0; left -= BATCH)
		status = batch(&attributes, left < BATCH ? left : BATCH, &ms);
	if (status == 0 && shared != (unsigned long)count)
		status = fail("a thread did not count itself");
	return done(status);
}

/* ---- forks: COUNT children of MS each beside two busy threads; each fourth one execs --------- */

static atomic_bool over;

static void *busy_until_over(void *unused)
{
	(void)unused;
	while (!atomic_load(&over)) {
		char *block = malloc(64);

		burn(0.2);
		free(block);
		pthread_mutex_lock(&lock);
		shared++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void child(long number, double ms)
{
	free(malloc(100));
	burn(ms);
	if (number % 4 == 0)
		execl("/bin/true", "true", (char *)NULL);
	_exit(number % 4 == 0 ? 127 : (int)(number % 100));
}

static int fork_once(long number, double ms)
{
	int status, wanted = number % 4 == 0 ? 0 : (int)(number % 100);
	pid_t pid = fork();

	if (pid == 0)
		child(number, ms);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return fail("fork or waitpid");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != wanted) {
		printf("child %ld: status %x\n", number, (unsigned)status);
		return 1;
	}
	return 0;
}

static int mode_forks(long count, double ms, char **unused)
{
	pthread_t threads[2];
	int status = 0;

	(void)unused;
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, busy_until_over, NULL) != 0)
			return fail("pthread_create");
	for (long i = 0; i < count && status == 0; i++)
		status = fork_once(i, ms);
	atomic_store(&over, true);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return done(status);
}

/* ---- plugins: COUNT rounds of dlopen, a call, dlclose, beside a busy thread ------------------ */

static int load_and_call(const char *path, const char *name)
{
	void *plugin = dlopen(path, RTLD_NOW);
	void (*function)(void) = NULL;

	if (plugin)
		*(void **)&function = dlsym(plugin, name);
	if (!function)
		return fail("dlopen or dlsym");
	function();
	return dlclose(plugin) == 0 ? 0 : fail("dlclose");
}

static int mode_plugins(long count, double unused, char **paths)
{
	static const char *const names[] = {"plugin_one", "plugin_two"};
	pthread_t thread;
	int status = 0;

	(void)unused;
	if (!paths[0] || !paths[1] || pthread_create(&thread, NULL, busy_until_over, NULL) != 0)
		return fail("no plug-ins, or pthread_create");
	for (long i = 0; i < count && status == 0; i++)
		status = load_and_call(paths[i % 2], names[i % 2]);
	atomic_store(&over, true);
	pthread_join(thread, NULL);
	return done(status);
}

/* ---- churn: CPU-seconds of allocations under a cap of address space
 * ------------------------------
 */

struct block {
	unsigned char *bytes;
	size_t size;
	unsigned char mark;
};

static _Atomic(struct block *) slots[SLOTS];
static atomic_ulong allocations, refusals, damages;
static double churn_until_ms;

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Mostly small, now and then large enough for a mapping of its own. */
static size_t some_size(uint64_t random)
{
	size_t size = (size_t)1 << random % 13;

	return random % 23 == 0 ? (size_t)400 << 10 : size + (random >> 20) % size;
}

static unsigned char *some_bytes(uint64_t random, size_t size)
{
	void *aligned = NULL;

	switch (random >> 32 & 3) {
	case 0:
		return calloc(1, size);
	case 1:
		return posix_memalign(&aligned, 64, size) == 0 ? aligned : NULL;
	default:
		return malloc(size);
	}
}

static struct block *make_block(uint64_t random)
{
	struct block *block = malloc(sizeof(*block));

	if (!block)
		return NULL;
	atomic_fetch_add(&allocations, 1);
	block->size = some_size(random);
	block->mark = (unsigned char)(random >> 40);
	block->bytes = some_bytes(random, block->size);
	if (!block->bytes) {
		free(block);
		return NULL;
	}
	block->bytes[0] = block->bytes[block->size - 1] = block->mark;
	atomic_fetch_add(&allocations, 1);
	return block;
}

static void drop_block(struct block *block)
{
	if (!block)
		return;
	if (block->bytes[0] != block->mark || block->bytes[block->size - 1] != block->mark)
		atomic_fetch_add(&damages, 1);
	free(block->bytes);
	free(block);
}

/* Grows or shrinks; where memory is refused the block stays as it was. */
static void resize_block(struct block *block, uint64_t random)
{
	size_t size = some_size(random);
	unsigned char *bytes = realloc(block->bytes, size);

	if (!bytes) {
		atomic_fetch_add(&refusals, 1);
		return;
	}
	atomic_fetch_add(&allocations, 1);
	if (bytes[0] != block->mark)
		atomic_fetch_add(&damages, 1);
	block->bytes = bytes;
	block->size = size;
	bytes[0] = bytes[size - 1] = block->mark;
}

static void give_back(uint64_t random)
{
	for (size_t i = 0; i < SLOTS / 4; i++)
		drop_block(atomic_exchange(&slots[(random + i) % SLOTS], NULL));
}

static void churn_once(uint64_t random)
{
	struct block *block;

	if (random % 3 == 0) {
		block = atomic_exchange(&slots[random / 3 % SLOTS], NULL);
		if (block)
			resize_block(block, random);
	} else {
		block = make_block(random);
		if (!block) {
			atomic_fetch_add(&refusals, 1);
			give_back(random);
			return;
		}
	}
	drop_block(atomic_exchange(&slots[(random >> 12) % SLOTS], block));
}

static void *churn(void *seed)
{
	uint64_t random = (uint64_t)(uintptr_t)seed;

	while (clock_ms(CLOCK_PROCESS_CPUTIME_ID) < churn_until_ms)
		for (int i = 0; i < 500; i++)
			churn_once(next_random(&random));
	return NULL;
}

static int run_churners(void)
{
	pthread_attr_t attributes;
	pthread_t threads[CHURNERS];

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, SMALL_STACK);
	for (uintptr_t i = 0; i < CHURNERS; i++)
		if (pthread_create(&threads[i], &attributes, churn, (void *)(i * 7919 + 1)) != 0)
			return fail("pthread_create");
	for (size_t i = 0; i < CHURNERS; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < SLOTS; i++)
		drop_block(atomic_exchange(&slots[i], NULL));
	return atomic_load(&damages) ? fail("a block has changed") : 0;
}

/* One arena: others reserve 64 MB of address space each. */
static int mode_churn(long seconds, double cap_mb, char **unused)
{
	struct rlimit limit = {(rlim_t)cap_mb << 20, (rlim_t)cap_mb << 20};
	int status;

	(void)unused;
	mallopt(M_ARENA_MAX, 1);
	if (cap_mb > 0 && setrlimit(RLIMIT_AS, &limit) != 0)
		return fail("setrlimit");
	churn_until_ms = (double)seconds * 1e3;
	status = run_churners();
	printf("own_allocations %lu\nown_refusals %lu\n", atomic_load(&allocations),
		atomic_load(&refusals));
	return done(status);
}

/* ---- delivered: how many samples the captures' headers say were taken ------------------------ */

static int mode_delivered(long unused, double unused_too, char **paths)
{
	unsigned long long total = 0;

	(void)unused, (void)unused_too;
	for (; *paths; paths++) {
		struct fg_capture_header header;
		FILE *file = fopen(*paths, "rb");

		if (!file || fread(&header, sizeof(header), 1, file) != 1)
			return fail(*paths);
		fclose(file);
		total += header.delivered;
	}
	printf("%llu\n", total);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(long, double, char **);
} modes[] = {
	{"threads", mode_threads},
	{"forks", mode_forks},
	{"plugins", mode_plugins},
	{"churn", mode_churn},
	{"delivered", mode_delivered},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc >= 4 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(argv[1], modes[i].name) == 0)
			return modes[i].run(atol(argv[2]), atof(argv[3]), argv + 4);
	fprintf(stderr, "usage: stress threads COUNT MS | forks COUNT MS | churn SECONDS CAP_MB\n"
			"       stress plugins COUNT 0 PLUGIN_ONE PLUGIN_TWO\n"
			"       stress delivered 0 0 CAPTURE...\n");
	return 2;
}
