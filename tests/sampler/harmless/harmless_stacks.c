/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handlers that ask for an alternate stack. In a thread that has none they run on the stack that
 * they interrupt; in one that has set one, whichever way, on that.
 */
#include "tests/sampler/harmless/harmless.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gate/sampler/raw.h"

enum { DEEP = 300, NEAR = 64 << 10 };
enum { BY_LIBRARY, BY_SYSCALL, BY_INSTRUCTION };
static unsigned char own_stack[256 << 10];
static uintptr_t interrupted;
static volatile bool on_own, on_interrupted;
static volatile int depth, calls;

static __attribute__((noinline)) int use_stack(int blocks)
{
	volatile unsigned char block[1024];

	memset((void *)(uintptr_t)block, blocks, sizeof(block));
	return blocks ? use_stack(blocks - 1) + block[5] % 2 : block[7];
}

static void on_signal(int number)
{
	unsigned char here;

	(void)number;
	calls++;
	on_own = (uintptr_t)&here - (uintptr_t)own_stack < sizeof(own_stack);
	on_interrupted = interrupted - (uintptr_t)&here < NEAR;
	use_stack(depth);
}

static bool asks_for_stack(int number)
{
	struct sigaction now;

	return sigaction(number, NULL, &now) == 0 && now.sa_handler == on_signal &&
	       (now.sa_flags & (SA_ONSTACK | SA_NODEFER)) == (SA_ONSTACK | SA_NODEFER);
}

static bool set_stack(long way, const stack_t *stack)
{
	if (way == BY_INSTRUCTION)
		return FG_RAW3(SYS_sigaltstack, stack, NULL, 0) == 0;
	return (way == BY_SYSCALL ? syscall(SYS_sigaltstack, stack, NULL)
				  : sigaltstack(stack, NULL)) == 0;
}

/* Without a stack to go to they run where they interrupt, as deep as they like. */
static int mode_on_stack(long way, long unused)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
	const stack_t stack = {.ss_sp = own_stack, .ss_size = sizeof(own_stack)};

	(void)unused;
	interrupted = (uintptr_t)&action;
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	depth = DEEP;
	for (int i = 0; i < 20; i++) {
		burn_us(500);
		raise(SIGUSR1);
	}
	if (!on_interrupted || !asks_for_stack(SIGUSR1))
		return fail("before there is a stack");
	if (!set_stack(way, &stack))
		return fail("sigaltstack");
	depth = 1;
	raise(SIGUSR1);
	if (!on_own || !asks_for_stack(SIGUSR1) || !asks_for_stack(SIGUSR2))
		return fail("with a stack");
	action.sa_flags = 0;
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
	return on_interrupted ? fine() : fail("a handler that asks for none");
}

/* ---- one thread has a stack, another has none ------------------------------------------------ */

static void *handle_without_stack(void *result)
{
	unsigned char here;

	interrupted = (uintptr_t)&here;
	depth = DEEP;
	for (int i = 0; i < 20; i++) {
		burn_us(500);
		raise(SIGUSR1);
		if (!on_interrupted)
			return NULL;
	}
	return result;
}

static int mode_others_stack(long unused, long unused2)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	const stack_t stack = {.ss_sp = own_stack, .ss_size = sizeof(own_stack)};
	pthread_t thread;
	void *result;

	(void)unused, (void)unused2;
	sigaction(SIGUSR1, &action, NULL);
	if (sigaltstack(&stack, NULL) != 0)
		return fail("sigaltstack");
	raise(SIGUSR1);
	if (!on_own)
		return fail("the thread that has one");
	pthread_create(&thread, NULL, handle_without_stack, own_stack);
	pthread_join(thread, &result);
	return result ? fine() : fail("the thread that has none");
}

/* ---- what is interrupted goes on as it was --------------------------------------------------- */

static void *volatile context_at;

static void nest(int number, siginfo_t *info, void *context)
{
	volatile double numbers[16];

	context_at = context;
	for (int i = 0; i < 16; i++)
		numbers[i] = (double)info->si_pid + i;
	calls++;
	burn_us(50);
	if (number == SIGUSR1 && numbers[1] >= 0)
		raise(SIGUSR2);
}

static __attribute__((noinline)) double sum_up(long terms)
{
	double a = 0, b = 1, c = 2, d = 3;

	for (long i = 1; i <= terms; i++) {
		a += 1 / (double)i;
		b += a / 3;
		c += b / 7;
		d += c / 11;
	}
	return a + b + c + d;
}

/* Handlers in handlers while numbers are in registers; what they get lies on this stack. */
static int mode_nested(long rounds, long unused)
{
	struct sigaction action = {.sa_sigaction = nest, .sa_flags = SA_ONSTACK | SA_SIGINFO};
	const struct itimerval soon = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
	double expected = sum_up(200000);
	bool same = true;

	(void)unused;
	for (int number = SIGUSR1; number <= SIGALRM; number++)
		if (number == SIGUSR1 || number == SIGUSR2 || number == SIGALRM)
			sigaction(number, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	for (long i = 0; i < rounds && same; i++) {
		same = sum_up(200000) == expected;
		raise(SIGUSR1);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	if (!same)
		return fail("a number has changed");
	return (uintptr_t)&action - (uintptr_t)context_at < NEAR ? fine()
								 : fail("the context's place");
}

static sigjmp_buf back;

static void jump_out(int number)
{
	(void)number;
	calls++;
	siglongjmp(back, 1);
}

/* Where a handler never returns nothing is used up, and the next one comes. */
static int mode_jumps(long rounds, long unused)
{
	struct sigaction action = {.sa_handler = jump_out, .sa_flags = SA_ONSTACK};

	(void)unused;
	sigaction(SIGUSR1, &action, NULL);
	for (volatile long i = 0; i < rounds; i++) {
		burn_us(100);
		if (sigsetjmp(back, 1) == 0)
			raise(SIGUSR1);
	}
	return calls == rounds ? fine() : fail("a handler was not called");
}

/* ---- a stack that has no room ---------------------------------------------------------------- */

static __attribute__((noinline)) int overflow(int level)
{
	volatile unsigned char block[4096];

	block[level % 4096] = (unsigned char)level;
	return (level ? overflow(level - 1) : 0) + block[level % 4096];
}

static void survive(int number)
{
	(void)number;
	_exit(0);
}

/* A handler without a stack to go to cannot be called: the process ends of the signal. */
static int mode_overflow(long with_stack, long unused)
{
	const stack_t stack = {.ss_sp = own_stack, .ss_size = sizeof(own_stack)};
	struct sigaction action = {.sa_handler = survive, .sa_flags = SA_ONSTACK};
	const struct rlimit no_core = {0, 0}, small = {1 << 20, 1 << 20};
	pid_t child = fork();
	int status;

	(void)unused;
	if (child == 0) {
		setrlimit(RLIMIT_CORE, &no_core);
		setrlimit(RLIMIT_STACK, &small);
		sigaction(SIGSEGV, &action, NULL);
		if (with_stack)
			sigaltstack(&stack, NULL);
		_exit(overflow(1000000) ? 1 : 2);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return fail("fork");
	if (with_stack)
		return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? fine()
								     : fail("with a stack");
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV ? fine() : fail("without one");
}

const struct mode stack_modes[] = {
	{"onstack", mode_on_stack},
	{"othersstack", mode_others_stack},
	{"nested", mode_nested},
	{"jumps", mode_jumps},
	{"overflow", mode_overflow},
	{0},
};
