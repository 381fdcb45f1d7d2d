/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instructions_target WHAT [N]: programs whose instructions are counted. Each function loops as
 * often as it is told, so that what it costs follows from N.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static volatile unsigned long sink;

#define OWN __attribute__((noinline, noclone))

extern "C" {
OWN void spin(long n)
{
	while (n--)
		sink = sink + 1;
}

OWN void left(long n)
{
	spin(n);
	sink = sink + 1;
}

OWN void right(long n)
{
	spin(3 * n);
	sink = sink + 1;
}

OWN void odd(long n);
OWN void even(long n)
{
	sink = sink + 1;
	if (n)
		odd(n - 1);
	sink = sink + 1;
}

OWN void odd(long n)
{
	sink = sink + 1;
	if (n)
		even(n - 1);
	sink = sink + 1;
}

OWN void forked(long n)
{
	spin(n);
	sink = sink + 1;
}
}

struct shape {
	virtual ~shape() = default;
	virtual long area(long n) = 0;
};

namespace shapes
{
struct square : shape {
	OWN long area(long n) override
	{
		while (n--)
			sink = sink + 1;
		return n;
	}
};
}

OWN static void thrower(long n)
{
	if (n % 2)
		throw std::runtime_error("odd");
	sink = sink + 1;
}

static void exceptions(long n)
{
	while (n--) {
		try {
			thrower(n);
		} catch (const std::runtime_error &) {
			sink = sink + 1;
		}
	}
}

static void *threaded(void *n)
{
	spin(*static_cast<long *>(n));
	return nullptr;
}

static void threads(long n)
{
	pthread_t all[4];

	for (pthread_t &thread : all)
		pthread_create(&thread, nullptr, threaded, &n);
	for (pthread_t thread : all)
		pthread_join(thread, nullptr);
}

static ucontext_t outside, inside;
static long switches;

static void coroutine()
{
	for (;;) {
		spin(100);
		swapcontext(&inside, &outside);
	}
}

static void coroutines(long n)
{
	static char stack[65536];

	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = sizeof(stack);
	inside.uc_link = nullptr;
	makecontext(&inside, coroutine, 0);
	for (switches = n; switches; switches--)
		swapcontext(&outside, &inside);
}

static void forks(long n)
{
	left(n);
	for (int i = 0; i < 3; i++)
		if (fork() == 0) {
			forked(1000);
			_exit(0);
		}
	while (wait(nullptr) > 0)
		continue;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? atol(argv[2]) : 1000;

	if (strcmp(what, "callers") == 0) {
		left(n);
		right(n);
	} else if (strcmp(what, "cycle") == 0) {
		even(n);
	} else if (strcmp(what, "virtual") == 0) {
		shapes::square square;
		static_cast<shape &>(square).area(n);
	} else if (strcmp(what, "exceptions") == 0) {
		exceptions(n);
	} else if (strcmp(what, "threads") == 0) {
		threads(n);
	} else if (strcmp(what, "coroutines") == 0) {
		coroutines(n);
	} else if (strcmp(what, "forks") == 0) {
		forks(n);
	} else if (strcmp(what, "random") == 0) {
		spin(getpid() % 1000);
	}
	printf("%s: fine\n", what);
	return argc > 3 ? atoi(argv[3]) : 0;
}
