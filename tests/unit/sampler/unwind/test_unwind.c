/* SPDX-License-Identifier: Apache-2.0 */
/* Walks of live stacks, compared with glibc's backtrace() at the same point. */
#include "tests/unit/sampler/unwind/test_unwind.h"

#include <alloca.h>
#include <sys/uio.h>

static volatile int sink;

static ALONE int recurse(int depth)
{
	int below;

	if (depth == 0)
		return raise(SIGUSR1);
	below = recurse(depth - 1);
	NO_TAIL_CALL;
	return below + depth;
}

static void test_recursion_is_walked_like_backtrace(void **state)
{
	(void)state;
	recurse(50);
	assert_like_backtrace();
	assert_int_equal(last_walk.end, FG_END_ROOT);
	assert_true(last_walk.count > 50);
	assert_int_equal(last_walk.exact[0], 0);
}

static void test_cached_walk_equals_first_walk(void **state)
{
	struct test_walk first;

	(void)state;
	for (int i = 0; i < 3; i++) {
		recurse(20);
		assert_like_backtrace();
		if (i)
			assert_memory_equal(first.pcs, last_walk.pcs, 15 * sizeof(first.pcs[0]));
		first = last_walk;
		if (i == 1)
			fg_rule_cache_forget(test_cache());
	}
}

static int compare_and_raise(const void *a, const void *b)
{
	recurse(3);
	return *(const int *)a - *(const int *)b;
}

static void test_libc_frames_without_frame_pointers_are_walked(void **state)
{
	int numbers[] = {3, 1, 2, 5, 4};

	(void)state;
	qsort(numbers, 5, sizeof(numbers[0]), compare_and_raise);
	assert_like_backtrace();
	assert_int_equal(last_walk.end, FG_END_ROOT);
}

/* Calls function(argument) from a frame in which nothing looks like a frame pointer. */
int call_with_junk_registers(int (*function)(int), int argument);

/*
 * Saves the frame pointer so far from the CFA that the rule does not fit the cache, and says behind
 * the call that this frame has no caller: only a lookup before the return address is right.
 */
int call_from_a_big_frame(int (*function)(int), int argument);

#if defined(__x86_64__)
__asm__(".text\n"
	"call_with_junk_registers:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %rbp, 0\n"
	"	push %rbx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %rbx, 0\n"
	"	sub $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	mov $0x1234567, %rbp\n"
	"	lea 16(%rsp), %rbx\n"
	"	mov %rdi, %rax\n"
	"	mov %esi, %edi\n"
	"	call *%rax\n"
	"	add $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %rbx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.cfi_restore %rbx\n"
	"	pop %rbp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.cfi_restore %rbp\n"
	"	ret\n"
	"	.cfi_endproc\n");
__asm__(".text\n"
	"call_from_a_big_frame:\n"
	"	.cfi_startproc\n"
	"	sub $8192, %rsp\n"
	"	.cfi_adjust_cfa_offset 8192\n"
	"	push %rbp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %rbp, 0\n"
	"	mov $0x1234567, %rbp\n"
	"	mov %rdi, %rax\n"
	"	mov %esi, %edi\n"
	"	call *%rax\n"
	"	.cfi_remember_state\n"
	"	.cfi_undefined %rip\n"
	"	nop\n"
	"	.cfi_restore_state\n"
	"	pop %rbp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.cfi_restore %rbp\n"
	"	add $8192, %rsp\n"
	"	.cfi_adjust_cfa_offset -8192\n"
	"	ret\n"
	"	.cfi_endproc\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".p2align 2\n"
	"call_with_junk_registers:\n"
	"	.cfi_startproc\n"
	"	sub sp, sp, #48\n"
	"	.cfi_adjust_cfa_offset 48\n"
	"	str x30, [sp, #8]\n"
	"	.cfi_rel_offset x30, 8\n"
	"	str x29, [sp, #32]\n"
	"	.cfi_rel_offset x29, 32\n"
	"	mov x29, #0x4567\n"
	"	mov x9, x0\n"
	"	mov w0, w1\n"
	"	blr x9\n"
	"	ldr x29, [sp, #32]\n"
	"	.cfi_restore x29\n"
	"	ldr x30, [sp, #8]\n"
	"	.cfi_restore x30\n"
	"	add sp, sp, #48\n"
	"	.cfi_adjust_cfa_offset -48\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"call_from_a_big_frame:\n"
	"	.cfi_startproc\n"
	"	sub sp, sp, #8192\n"
	"	.cfi_adjust_cfa_offset 8192\n"
	"	stp x29, x30, [sp, #-16]!\n"
	"	.cfi_adjust_cfa_offset 16\n"
	"	.cfi_rel_offset x29, 0\n"
	"	.cfi_rel_offset x30, 8\n"
	"	mov x29, #0x4567\n"
	"	mov x9, x0\n"
	"	mov w0, w1\n"
	"	blr x9\n"
	"	.cfi_remember_state\n"
	"	.cfi_undefined x30\n"
	"	nop\n"
	"	.cfi_restore_state\n"
	"	ldp x29, x30, [sp], #16\n"
	"	.cfi_adjust_cfa_offset -16\n"
	"	.cfi_restore x29\n"
	"	.cfi_restore x30\n"
	"	add sp, sp, #8192\n"
	"	.cfi_adjust_cfa_offset -8192\n"
	"	ret\n"
	"	.cfi_endproc\n");
#endif

static void test_frames_without_frame_pointer_are_walked(void **state)
{
	(void)state;
	call_with_junk_registers(recurse, 5);
	assert_like_backtrace();
	assert_int_equal(last_walk.end, FG_END_ROOT);
}

static void test_rule_that_does_not_fit_the_cache_is_interpreted(void **state)
{
	(void)state;
	call_from_a_big_frame(recurse, 3);
	assert_like_backtrace();
	assert_int_equal(last_walk.end, FG_END_ROOT);
	assert_true(last_walk.count > 8);
}

/* Where it was called from the frame goes on; where it stands interrupted it has no caller. */
static void test_interrupted_address_and_return_address_have_rules_of_their_own(void **state)
{
	uint64_t function = (uint64_t)(uintptr_t)call_from_a_big_frame;
	struct fg_registers registers = {.sp = test_bounds().high - 4096};

	(void)state;
	for (int i = 0; i < 2; i++) {
		call_from_a_big_frame(recurse, 3);
		assert_like_backtrace();
		for (size_t frame = 0; frame < last_walk.count; frame++)
			if (last_walk.pcs[frame] - function < 128)
				registers.pc = last_walk.pcs[frame];
		assert_int_not_equal(registers.pc, 0);
		test_walk_registers(&last_walk, &registers, FG_MAX_DEPTH);
		assert_int_equal(last_walk.count, 1);
		assert_int_equal(last_walk.end, FG_END_ROOT);
	}
}

/* Generated code on a stack that is not the thread's: nothing of it has been read before. */
static void test_frame_pointer_on_another_stack_is_followed(void **state)
{
	uint64_t *other =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t at = (uint64_t)(uintptr_t)other;
	struct fg_registers registers = {.pc = at, .sp = at + 64, .fp = at + 128};

	(void)state;
	assert_ptr_not_equal(other, MAP_FAILED);
	recurse(3);
	other[17] = last_walk.pcs[2];
	test_walk_registers(&last_walk, &registers, 2);
	assert_int_equal(last_walk.count, 2);
	assert_int_equal(last_walk.pcs[1], other[17]);
	munmap(other, 4096);
}

/*
 * Two arguments on the stack, and locals that need more alignment than it has: GCC addresses such a
 * frame through a saved argument pointer (CFA = *(rbp - 8)), and its prologue through r10.
 */
static ALONE int realigned(int depth, int b, int c, int d, int e, int f, int g, int h)
{
	char over_aligned[64] __attribute__((aligned(64)));
	volatile char *room = alloca((size_t)depth * 16 + 1);
	int result;

	room[0] = over_aligned[0] = (char)depth;
	__asm__ volatile("" ::"r"(over_aligned) : "memory");
	result = depth ? realigned(depth - 1, b, c, d, e, f, g, h) : recurse(2);
	__asm__ volatile("" ::"r"(over_aligned), "r"(room) : "memory");
	return result + room[0] + g + h;
}

static void test_realigned_frames_are_walked(void **state)
{
	(void)state;
	realigned(4, 2, 3, 4, 5, 6, 7, 8);
	assert_like_backtrace();
	assert_int_equal(last_walk.end, FG_END_ROOT);
}

static void raise_in_handler(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info, (void)context;
	recurse(2);
	NO_TAIL_CALL;
}

/* Frames of 2 KiB: three hundred of them do not fit into the copies that a walk may take. */
static ALONE int interrupted(int depth)
{
	volatile char room[2048];
	int result;

	room[0] = (char)depth;
	result = depth ? interrupted(depth - 1) : raise(SIGUSR2);

	NO_TAIL_CALL;
	return result + room[0];
}

static size_t exact_frame(void)
{
	for (size_t i = 0; i < last_walk.count; i++)
		if (last_walk.exact[i / 64] >> (i % 64) & 1)
			return i;
	return 0;
}

static void test_walk_crosses_a_handler_and_marks_the_interrupted_frame(void **state)
{
	Dl_info info;
	size_t frame;

	(void)state;
	test_on_signal(SIGUSR2, raise_in_handler, 0);
	interrupted(5);
	assert_like_backtrace();
	assert_int_equal(last_walk.end, FG_END_ROOT);
	frame = exact_frame();
	assert_true(frame > 3);
	assert_true(dladdr((void *)(uintptr_t)last_walk.pcs[frame], &info));
	assert_non_null(strstr(info.dli_fname, "libc"));
}

static void test_walk_comes_back_from_an_alternate_stack(void **state)
{
	stack_t own = {.ss_sp = malloc(1 << 17), .ss_size = 1 << 17}, before;

	(void)state;
	assert_int_equal(sigaltstack(&own, &before), 0);
	test_on_signal(SIGUSR2, raise_in_handler, SA_ONSTACK);
	interrupted(300);
	assert_like_backtrace();
	assert_int_equal(last_walk.end, FG_END_ROOT);
	assert_true(last_walk.count > 300);
	own.ss_flags = SS_DISABLE;
	sigaltstack(&own, NULL);
	free(own.ss_sp);
}

static void *thread_main(void *argument)
{
	recurse(*(int *)argument);
	return NULL;
}

static void test_thread_is_walked_to_its_root(void **state)
{
	pthread_t thread;
	int depth = 30;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, thread_main, &depth), 0);
	pthread_join(thread, NULL);
	assert_like_backtrace();
	assert_int_equal(last_walk.end, FG_END_ROOT);
}

static void test_deep_stack_keeps_its_leaf_side(void **state)
{
	(void)state;
	recurse(2000);
	assert_int_equal(last_walk.end, FG_END_DEPTH);
	assert_int_equal(last_walk.count, FG_MAX_DEPTH);
	for (int i = 0; i < FG_MAX_DEPTH; i++)
		assert_ptr_equal((void *)(uintptr_t)last_walk.pcs[i],
			last_reference.frames[last_reference.first + i]);
}

static ucontext_t main_context, coroutine_context;

static void coroutine(void)
{
	recurse(10);
	NO_TAIL_CALL;
	sink = 1;
}

static void run_coroutine(size_t size, ucontext_t *link)
{
	void *stack = malloc(size);

	assert_int_equal(getcontext(&coroutine_context), 0);
	coroutine_context.uc_stack.ss_sp = stack;
	coroutine_context.uc_stack.ss_size = size;
	coroutine_context.uc_link = link;
	makecontext(&coroutine_context, coroutine, 0);
	assert_int_equal(swapcontext(&main_context, &coroutine_context), 0);
	free(stack);
}

static void test_coroutine_is_walked_to_its_start(void **state)
{
	(void)state;
	sink = 0;
	run_coroutine(1 << 18, &main_context);
	assert_int_equal(sink, 1);
	assert_int_equal(last_walk.end, FG_END_START);
	assert_true(last_walk.count > 10);
	/* backtrace() ends in the same start function, or just before it. */
	for (int i = 0; i < last_reference.count - last_reference.first; i++)
		assert_ptr_equal((void *)(uintptr_t)last_walk.pcs[i],
			last_reference.frames[last_reference.first + i]);
}

static void walk_with_unknown_stack(int signal, siginfo_t *info, void *context)
{
	struct fg_registers registers = test_registers(context);
	struct fg_stack_bounds unknown = {0, 0};

	(void)signal, (void)info;
	last_walk.count = fg_unwind(test_cache(), &registers, &unknown, last_walk.pcs,
		last_walk.exact, FG_MAX_DEPTH, &last_walk.end);
	test_take_reference(&last_reference, last_walk.pcs[0]);
}

/* An emulator's does not. */
static bool kernel_copies(void)
{
	uint64_t from = 1, to = 0;
	struct iovec local = {&to, 8}, remote = {&from, 8};

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 8;
}

static void test_unknown_stack_bounds_are_no_obstacle(void **state)
{
	(void)state;
	if (!kernel_copies())
		skip();
	test_on_signal(SIGUSR1, walk_with_unknown_stack, 0);
	recurse(40);
	test_on_signal(SIGUSR1, test_record, 0);
	assert_like_backtrace();
	assert_int_equal(last_walk.end, FG_END_ROOT);
}

static int set_up(void **state)
{
	(void)state;
	test_take_reference(&last_reference, 0); /* backtrace() loads libgcc on first use */
	test_on_signal(SIGUSR1, test_record, 0);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recursion_is_walked_like_backtrace),
		cmocka_unit_test(test_cached_walk_equals_first_walk),
		cmocka_unit_test(test_libc_frames_without_frame_pointers_are_walked),
		cmocka_unit_test(test_frames_without_frame_pointer_are_walked),
		cmocka_unit_test(test_rule_that_does_not_fit_the_cache_is_interpreted),
		cmocka_unit_test(
			test_interrupted_address_and_return_address_have_rules_of_their_own),
		cmocka_unit_test(test_frame_pointer_on_another_stack_is_followed),
		cmocka_unit_test(test_realigned_frames_are_walked),
		cmocka_unit_test(test_walk_crosses_a_handler_and_marks_the_interrupted_frame),
		cmocka_unit_test(test_walk_comes_back_from_an_alternate_stack),
		cmocka_unit_test(test_thread_is_walked_to_its_root),
		cmocka_unit_test(test_deep_stack_keeps_its_leaf_side),
		cmocka_unit_test(test_coroutine_is_walked_to_its_start),
		cmocka_unit_test(test_unknown_stack_bounds_are_no_obstacle),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
