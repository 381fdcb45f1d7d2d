/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sampler/unwind/unwind_target.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;
static _Thread_local double end_ms;

static double thread_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

void time_start(double ms)
{
	end_ms = thread_ms() + ms;
}

bool time_left(void)
{
	return thread_ms() < end_ms;
}

ALONE void burn_step(void)
{
	unsigned long x = sink;

	for (int i = 0; i < 20000; i++)
		x = x * 31 + (unsigned long)i;
	sink = x;
}

/* ---- signals --------------------------------------------------------------------------------- */

static ALONE void in_inner_handler(void)
{
	burn_step();
	NO_TAIL_CALL;
}

static void on_inner(int signal)
{
	(void)signal;
	in_inner_handler();
	NO_TAIL_CALL;
}

static ALONE void in_outer_handler(void)
{
	raise(SIGUSR2);
	NO_TAIL_CALL;
}

static void on_outer(int signal)
{
	(void)signal;
	in_outer_handler();
	NO_TAIL_CALL;
}

static void run_handlers(int outer_flags, int inner_flags)
{
	struct sigaction outer = {.sa_handler = on_outer, .sa_flags = outer_flags};
	struct sigaction inner = {.sa_handler = on_inner, .sa_flags = inner_flags};

	sigaction(SIGUSR1, &outer, NULL);
	sigaction(SIGUSR2, &inner, NULL);
	while (time_left())
		raise(SIGUSR1);
	NO_TAIL_CALL;
}

static void mode_signals(void)
{
	run_handlers(0, 0);
	NO_TAIL_CALL;
}

static void mode_alternate(void)
{
	static char memory[1 << 17];
	stack_t own = {.ss_sp = memory, .ss_size = sizeof(memory)};

	sigaltstack(&own, NULL);
	run_handlers(SA_ONSTACK, SA_ONSTACK);
	NO_TAIL_CALL;
}

/* Only the first handler has a stack of its own: the walk crosses from one to the other. */
static void mode_fault(void)
{
	static char memory[1 << 17];
	stack_t own = {.ss_sp = memory, .ss_size = sizeof(memory)};

	sigaltstack(&own, NULL);
	run_handlers(0, SA_ONSTACK);
	NO_TAIL_CALL;
}

/* ---- the loader, the kernel's code, threads -------------------------------------------------- */

static ALONE void ask_clock(void)
{
	struct timespec now;

	for (int i = 0; i < 1000; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		sink += (unsigned long)now.tv_nsec;
	}
}

static void mode_clock(void)
{
	while (time_left())
		ask_clock();
}

static void *open_beside(const char *name)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 64);
	void *library;

	if (length < 0)
		abort();
	path[length] = '\0';
	strcpy(strrchr(path, '/') + 1, name);
	library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (!library)
		abort();
	return library;
}

static void *open_lazy(void)
{
	return open_beside("unwind_lazy.so");
}

static ALONE void use_lazy(void *library, int times)
{
	int (*calls)(const char *);

	*(void **)&calls = dlsym(library, "lazy_calls");
	for (int i = 0; i < times; i++)
		sink += (unsigned long)calls("7");
}

static void mode_stubs(void)
{
	void *library = open_lazy();

	while (time_left())
		use_lazy(library, 1000);
}

static ALONE void open_and_close(void)
{
	void *library = open_lazy();

	use_lazy(library, 3);
	dlclose(library);
	NO_TAIL_CALL;
}

static void mode_reopen(void)
{
	while (time_left())
		open_and_close();
}

static int compare(const void *a, const void *b)
{
	sink++;
	return *(const int *)a - *(const int *)b;
}

/* The C library's own code, without frame pointers, calling back. */
static ALONE void sort_numbers(void)
{
	char text[64];
	int numbers[200];

	for (int i = 0; i < 200; i++)
		numbers[i] = (i * 7919) % 211;
	qsort(numbers, 200, sizeof(numbers[0]), compare);
	snprintf(text, sizeof(text), "%d %f", numbers[5], 1.5);
	sink += (unsigned long)text[0];
}

static void mode_library(void)
{
	while (time_left())
		sort_numbers();
}

static ALONE void thread_work(void)
{
	while (time_left())
		burn_step();
}

static void *thread_main(void *ms)
{
	time_start(*(double *)ms);
	thread_work();
	return NULL;
}

static void mode_thread(void)
{
	double ms = (end_ms - thread_ms()) / 2;
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, thread_main, &ms))
			abort();
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* On a goroutine's stack, and from there on the runtime's. */
static void run_goroutine(callback work)
{
	void (*run)(bool (*)(void), callback);

	*(void **)&run = dlsym(open_beside("unwind_go.so"), "go_run");
	run(time_left, work);
}

static void mode_goroutine(void)
{
	run_goroutine(burn_step);
}

static void mode_go_leaves(void)
{
	run_goroutine(NULL);
}

static const struct {
	const char *name;
	callback run;
} modes[] = {
	{"aligned", mode_aligned},
	{"variable", mode_variable},
	{"large", mode_large},
	{"tail", mode_tail},
	{"deep", mode_deep},
	{"jump", mode_jump},
	{"bare", mode_bare},
	{"signals", mode_signals},
	{"alternate", mode_alternate},
	{"fault", mode_fault},
	{"clock", mode_clock},
	{"stubs", mode_stubs},
	{"reopen", mode_reopen},
	{"library", mode_library},
	{"thread", mode_thread},
	{"throw", mode_throw},
	{"ucontext", mode_ucontext},
	{"switch", mode_switch},
	{"setcontext", mode_set_context},
	{"generated", mode_generated},
	{"goroutine", mode_goroutine},
	{"goleaves", mode_go_leaves},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 3 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(argv[1], modes[i].name) == 0) {
			time_start(strtod(argv[2], NULL));
			modes[i].run();
			puts("fine");
			return 0;
		}
	fprintf(stderr, "usage: unwind_target MODE MS\n");
	return 2;
}
