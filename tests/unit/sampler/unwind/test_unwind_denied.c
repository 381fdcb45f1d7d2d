/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a filter refuses process_vm_readv (containers): a coroutine's stack is read nevertheless,
 * and what is not mapped is still no fault.
 */
#include "tests/unit/sampler/unwind/test_unwind.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "gate/sampler/unwind/unwind_stack.h"

static bool deny_copies(void)
{
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = {4, program};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

static ALONE int recurse(int depth)
{
	int below = depth ? recurse(depth - 1) : raise(SIGUSR1);

	NO_TAIL_CALL;
	return below + depth;
}

static ucontext_t main_context, coroutine_context;

static void coroutine(void)
{
	recurse(10);
	NO_TAIL_CALL;
}

static void walk_only(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info;
	test_walk_context(&last_walk, context);
}

static int coroutine_is_walked(void)
{
	static char stack[1 << 17];

	getcontext(&coroutine_context);
	coroutine_context.uc_stack.ss_sp = stack;
	coroutine_context.uc_stack.ss_size = sizeof(stack);
	coroutine_context.uc_link = &main_context;
	makecontext(&coroutine_context, coroutine, 0);
	swapcontext(&main_context, &coroutine_context);
	return last_walk.end == FG_END_START && last_walk.count > 10;
}

/* Three pages, the middle one without access. */
static int hole_is_no_fault(void)
{
	static struct fg_stack_copy copy;
	uint8_t *memory =
		mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t at = (uint64_t)(uintptr_t)memory, value = 1;
	struct fg_stack stack;
	int fine;

	memory[4095] = 7;
	mprotect(memory + 4096, 4096, PROT_NONE);
	fg_stack_open(&stack, &copy, 8, 16, at);
	fine = fg_stack_load(&stack, at + 4088, &value) && value >> 56 == 7 &&
	       !fg_stack_load(&stack, at + 4096, &value) &&
	       fg_stack_load(&stack, at + 8192, &value);
	fg_stack_close(&stack);
	/* Whose bounds are not known may be another thread's, which may go at any time. */
	fg_stack_open(&stack, &copy, 0, 0, at);
	fine = fine && !fg_stack_load(&stack, at + 4088, &value);
	fg_stack_close(&stack);
	return fine;
}

/* In a child: a filter is for ever. */
static void assert_in_denied_child(int (*holds)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(deny_copies() ? !holds() : 77);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

static void test_coroutine_is_walked_without_the_kernels_copy(void **state)
{
	(void)state;
	test_on_signal(SIGUSR1, walk_only, 0);
	assert_in_denied_child(coroutine_is_walked);
}

static void test_what_is_not_mapped_is_refused_without_the_kernels_copy(void **state)
{
	(void)state;
	assert_in_denied_child(hole_is_no_fault);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_coroutine_is_walked_without_the_kernels_copy),
		cmocka_unit_test(test_what_is_not_mapped_is_refused_without_the_kernels_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
