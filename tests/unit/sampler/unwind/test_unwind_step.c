/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks from every single instruction of a stretch of code (the processor's trap flag): prologues,
 * epilogues, linkage stubs, the loader's lazy binding, the vDSO; by the remembering walk, too. And
 * from code that carries no unwind information, in a library that the test compiles.
 */
#include "tests/unit/sampler/unwind/test_unwind.h"

#include <link.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <time.h>

#include "gate/sampler/unwind/cfi_rule.h"
#include "gate/sampler/unwind/unwind_memo.h"

extern char **environ;

static uint64_t anchor; /* a return address in the function that started the stepping */

/*
 * The truth about callers, from watching every call and return: where each return address lies and
 * what it is. (backtrace() is no judge here: libgcc faults on some of these instructions.)
 */
static struct {
	uint64_t slot, address;
} calls[256];
static size_t call_count;
static struct test_walk base; /* step_through() and its callers, from the first call */
static uint64_t last_pc, last_sp;
static int steps, wrong;
static uint64_t first_wrong;
static struct fg_memo *memo; /* goes on from step to step */

/* Whatever lies at sp is meant to be read, also where a sanitizer would object. */
static ALONE __attribute__((no_sanitize_address)) uint64_t word_at(uint64_t address)
{
	return *(const uint64_t *)(uintptr_t)address;
}

static void watch(uint64_t pc, uint64_t sp)
{
	uint64_t top = word_at(sp);

	while (call_count && calls[call_count - 1].slot < sp)
		call_count--;
	if (sp == last_sp - 8 && top - last_pc >= 2 && top - last_pc <= 7 && pc - last_pc > 15 &&
		call_count < sizeof(calls) / sizeof(calls[0])) {
		calls[call_count].slot = sp;
		calls[call_count++].address = top;
	}
	last_pc = pc;
	last_sp = sp;
}

static bool is_true(const struct test_walk *walk)
{
	if (walk->end != base.end || walk->count != call_count + base.count)
		return false;
	for (size_t i = 0; i < call_count; i++)
		if (walk->pcs[1 + i] != calls[call_count - 1 - i].address)
			return false;
	return !memcmp(
		walk->pcs + 1 + call_count, base.pcs + 1, (base.count - 1) * sizeof(base.pcs[0]));
}

static bool is_remembered_right(const struct test_walk *plain, const ucontext_t *context)
{
	struct fg_registers registers = test_registers(context);
	struct fg_stack_bounds bounds = test_bounds();
	struct fg_walk walk;

	fg_memo_walk(memo, test_cache(), 1, &registers, &bounds, &walk);
	return test_same_walk(&walk, plain);
}

static void take_base(const struct test_walk *walk)
{
	base = *walk;
	base.count--;
	memmove(base.pcs, base.pcs + 1, base.count * sizeof(base.pcs[0]));
}

static void on_step(int signal, siginfo_t *info, void *context)
{
	struct fg_registers registers = test_registers(context);
	static struct test_walk walk;

	(void)signal, (void)info;
	test_walk_context(&walk, context);
	watch(registers.pc, registers.sp);
	if (call_count == 0) /* trap_flag() moves the stack pointer without telling */
		return;
	if (!base.count)
		take_base(&walk);
	steps++;
	if (!(is_true(&walk) && is_remembered_right(&walk, context)) && !wrong++)
		first_wrong = registers.pc;
}

/* popf sets the trap flag; the red zone of our own frame is stepped over first. */
static inline void trap_flag(bool on)
{
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\t"
			 "pushf\n\t"
			 "andq $~0x100, (%%rsp)\n\t"
			 "orq %0, (%%rsp)\n\t"
			 "popf\n\t"
			 "lea 128(%%rsp), %%rsp"
			 :
			 : "r"(on ? 0x100L : 0L)
			 : "memory", "cc");
}

static ALONE void step_through(void (*function)(void), void (*handler)(int, siginfo_t *, void *))
{
	anchor = (uint64_t)(uintptr_t)__builtin_return_address(0);
	call_count = base.count = 0;
	last_pc = last_sp = 0;
	steps = wrong = 0;
	test_on_signal(SIGTRAP, handler, 0);
	trap_flag(true);
	function();
	trap_flag(false);
}

static void assert_every_step_is_walked(int at_least)
{
	Dl_info info;

	if (wrong && dladdr((void *)(uintptr_t)first_wrong, &info))
		print_message("%d of %d wrong, first at %s + %#lx (%s)\n", wrong, steps,
			info.dli_fname, first_wrong - (unsigned long)info.dli_fbase,
			info.dli_sname ? info.dli_sname : "");
	assert_int_equal(base.end, FG_END_ROOT);
	assert_true(test_has(&base, anchor, anchor + 1));
	assert_true(steps >= at_least);
	assert_int_equal(wrong, 0);
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void use_libc(void)
{
	const char *words[] = {"quick", "brown", "fox", "jumps", "over", "lazy", "dog"};
	char text[200];
	struct timespec now;

	qsort(words, 7, sizeof(words[0]), compare_strings);
	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(text, sizeof(text), "%s %ld %.3f %p", words[0], (long)now.tv_sec, 1.5,
		(void *)words);
	free(strdup(text));
	raise(0);
}

static void test_every_instruction_of_libc_calls_is_walked(void **state)
{
	(void)state;
	step_through(use_libc, on_step);
	assert_every_step_is_walked(1000);
}

static int (*realigned)(int, int, int, int, int, int, int, int);
static int (*binds_lazily)(const char *);
static void (*nested)(int, void (*)(void));
static void (*undescribed)(int, void (*)(void));
static void (*undescribed_leaf)(void);

static void call_realigned(void)
{
	realigned(3, 2, 3, 4, 5, 6, 7, 8);
	NO_TAIL_CALL;
}

static void test_every_instruction_of_a_realigned_frame_is_walked(void **state)
{
	(void)state;
	step_through(call_realigned, on_step);
	assert_every_step_is_walked(60);
}

/*
 * The caller's frame is described by r12, which the leaf has saved and set to another address of
 * the stack: once the leaf is left its registers are no longer at hand.
 */
void through_r12(void);
__asm__(".text\n.type r12_leaf, @function\nr12_leaf:\n.cfi_startproc\n"
	"push %r12\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset r12, 0\n"
	"lea 8(%rsp), %r12\nnop\nnop\n"
	"pop %r12\n.cfi_adjust_cfa_offset -8\n.cfi_restore r12\nret\n.cfi_endproc\n"
	".size r12_leaf, . - r12_leaf\n"
	".type through_r12, @function\nthrough_r12:\n.cfi_startproc\n"
	"push %r12\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset r12, 0\n"
	"lea 16(%rsp), %r12\n"
	".cfi_remember_state\n.cfi_escape 0x0f, 0x02, 0x7c, 0x00\n" /* CFA: breg12 + 0 */
	"call r12_leaf\n"
	".cfi_restore_state\n"
	"pop %r12\n.cfi_adjust_cfa_offset -8\n.cfi_restore r12\nret\n.cfi_endproc\n"
	".size through_r12, . - through_r12\n");

static int within_leaf;

static void on_r12_step(int signal, siginfo_t *info, void *context)
{
	static struct test_walk walk;

	(void)signal, (void)info;
	test_walk_context(&walk, context);
	steps++;
	within_leaf += walk.end != FG_END_ROOT;
	wrong += !is_remembered_right(&walk, context);
}

static void test_leafs_registers_are_not_its_callers(void **state)
{
	(void)state;
	within_leaf = 0;
	step_through(through_r12, on_r12_step);
	assert_true(steps >= 10);
	assert_true(within_leaf >= 3); /* the plain walk knows that it does not know */
	assert_int_equal(wrong, 0);
}

static int from_handler;

/* The walk starts in a handler and comes to the interrupted instruction from outside. */
static void on_step_raise(int signal, siginfo_t *info, void *context)
{
	struct fg_registers registers = test_registers(context);

	(void)signal, (void)info;
	watch(registers.pc, registers.sp);
	if (call_count == 0)
		return;
	steps++;
	raise(SIGUSR1);
	if (test_complete(&last_walk) && test_has(&last_walk, registers.pc, registers.pc + 1) &&
		test_has(&last_walk, anchor, anchor + 1))
		from_handler++;
	else if (!wrong++)
		first_wrong = registers.pc;
}

static void only_walk(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info;
	test_walk_context(&last_walk, context);
	wrong += !is_remembered_right(&last_walk, context);
}

static void test_interrupted_prologue_is_walked_from_a_handler(void **state)
{
	(void)state;
	from_handler = 0;
	test_on_signal(SIGUSR1, only_walk, 0);
	step_through(call_realigned, on_step_raise);
	test_on_signal(SIGUSR1, test_record, 0);
	assert_true(steps > 60);
	assert_int_equal(from_handler, steps);
	assert_int_equal(wrong, 0);
}

static void call_lazily_bound(void)
{
	binds_lazily("1234");
	NO_TAIL_CALL;
}

static void test_every_instruction_of_linkage_stubs_and_lazy_binding_is_walked(void **state)
{
	(void)state;
	step_through(call_lazily_bound, on_step);
	assert_every_step_is_walked(500);
	step_through(call_lazily_bound, on_step);
	assert_every_step_is_walked(20);
}

static void raise_here(void)
{
	raise(SIGUSR1);
	NO_TAIL_CALL;
}

static void test_opened_library_is_walked(void **state)
{
	(void)state;
	nested(6, raise_here);
	assert_like_backtrace();
	assert_int_equal(last_walk.end, FG_END_ROOT);
}

/* The range of the library's function: it is small and nothing else calls the callback. */
static void assert_walked_through(uint64_t function, uint64_t bytes, size_t times)
{
	size_t seen = 0;

	for (size_t i = 0; i < last_walk.count; i++)
		seen += last_walk.pcs[i] - function < bytes;
	assert_int_equal(seen, times);
	assert_true(test_has(&last_walk, anchor, anchor + 1));
	assert_true(test_complete(&last_walk));
}

static ALONE void through_undescribed(void (*function)(int, void (*)(void)), int depth)
{
	anchor = (uint64_t)(uintptr_t)__builtin_return_address(0);
	function(depth, raise_here);
	NO_TAIL_CALL;
}

static void test_undescribed_code_is_walked_by_frame_pointers(void **state)
{
	(void)state;
	through_undescribed(undescribed, 6);
	assert_walked_through((uint64_t)(uintptr_t)undescribed, 128, 7);
}

static int leaf_steps, leaf_complete;

static void on_leaf_step(int signal, siginfo_t *info, void *context)
{
	uint64_t leaf = (uint64_t)(uintptr_t)undescribed_leaf;

	(void)signal, (void)info;
	test_walk_context(&last_walk, context);
	if (last_walk.pcs[0] - leaf >= 16)
		return;
	leaf_steps++;
	if (test_complete(&last_walk) && last_walk.pcs[2] == anchor)
		leaf_complete++;
}

static void test_undescribed_leaf_returns_to_the_address_at_its_sp(void **state)
{
	(void)state;
	step_through(undescribed_leaf, on_leaf_step);
	assert_true(leaf_steps >= 2);
	assert_int_equal(leaf_complete, leaf_steps);
}

static struct test_walk null_walk, true_walk;

static void on_null_step(int signal, siginfo_t *info, void *context)
{
	struct fg_registers registers = test_registers(context);

	(void)signal, (void)info;
	if (registers.pc != (uint64_t)(uintptr_t)raise_here)
		return;
	registers.pc = 0; /* as if the call had gone through a null pointer */
	test_walk_registers(&null_walk, &registers, FG_MAX_DEPTH);
	test_walk_context(&true_walk, context);
}

static void test_call_through_null_is_walked_from_its_caller(void **state)
{
	(void)state;
	step_through(raise_here, on_null_step);
	assert_true(null_walk.count > 3 && null_walk.end == FG_END_ROOT);
	assert_int_equal(null_walk.pcs[0], 0);
	assert_memory_equal(null_walk.pcs + 1, true_walk.pcs + 1, (null_walk.count - 1) * 8);
}

/* push %rbp; mov %rsp, %rbp; call *%rsi; pop %rbp; ret */
static const uint8_t jit_code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd6, 0x5d, 0xc3};

static void test_generated_code_is_walked_by_frame_pointers(void **state)
{
	uint8_t *page = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*generated)(int, void (*)(void));

	(void)state;
	assert_ptr_not_equal(page, MAP_FAILED);
	memcpy(page, jit_code, sizeof(jit_code));
	memcpy(&generated, &page, sizeof(generated));
	through_undescribed(generated, 0);
	assert_walked_through((uint64_t)(uintptr_t)page, 4096, 1);
	munmap(page, 4096);
}

static void test_loader_start_code_is_a_start_function(void **state)
{
	uint64_t loader = getauxval(AT_BASE), entry;
	struct fg_cfi_rule rule;
	bool cacheable;

	(void)state;
	assert_int_not_equal(loader, 0);
	entry = loader + ((const ElfW(Ehdr) *)(uintptr_t)loader)->e_entry;
	rule = fg_cfi_rule_at(entry + 8, false, &cacheable);
	assert_true(rule.kind == CFI_RULE_START || rule.kind == CFI_RULE_ROOT);
	assert_true(cacheable);
}

static void test_vdso_is_described(void **state)
{
	struct cfi_image image;
	uint64_t vdso = getauxval(AT_SYSINFO_EHDR);

	(void)state;
	if (!vdso)
		skip();
	assert_true(fg_cfi_image_at(vdso, &image));
	assert_int_not_equal(image.hdr, 0);
}

/* ---- the compiled libraries ------------------------------------------------------------------ */

static const char described_source[] =
	"#include <stdlib.h>\n"
	"int realigned(int depth, int b, int c, int d, int e, int f, int g, int h) {\n"
	"	char room[64] __attribute__((aligned(64)));\n"
	"	room[0] = (char)depth; int r = 0;\n"
	"	__asm__ volatile(\"\" :: \"r\"(room) : \"memory\");\n"
	"	if (depth) r = realigned(depth - 1, b, c, d, e, f, g, h);\n"
	"	__asm__ volatile(\"\" :: \"r\"(room) : \"memory\");\n"
	"	return r + room[0] + g + h; }\n"
	"int binds_lazily(const char *s) { return atoi(s) + 1; }\n"
	"void nested(int depth, void (*f)(void)) {\n"
	"	char room[depth * 16 + 16];\n"
	"	__asm__ volatile(\"\" :: \"r\"(room) : \"memory\");\n"
	"	if (depth) nested(depth - 1, f); else f();\n"
	"	__asm__ volatile(\"\" :: \"r\"(room) : \"memory\"); }\n";

static const char undescribed_source[] =
	"void undescribed(int depth, void (*f)(void)) {\n"
	"	if (depth) undescribed(depth - 1, f); else f();\n"
	"	__asm__ volatile(\"\" ::: \"memory\"); }\n"
	"__asm__(\".globl undescribed_leaf\\n.type undescribed_leaf, @function\\n\"\n"
	"	\"undescribed_leaf: mov $3, %eax\\n dec %eax\\n nop\\n ret\\n\");\n";

static char directory[] = P_tmpdir "/flamegate-unwind-XXXXXX";

static void compile(const char *source, const char *name, const char *frame, const char *linking)
{
	char source_path[100], library_path[100];
	char *const arguments[] = {"cc", "-O2", "-fPIC", "-fplt", "-shared", "-w", "-o",
		library_path, source_path, (char *)(uintptr_t)frame, (char *)(uintptr_t)linking,
		"-fno-optimize-sibling-calls", "-fno-inline", NULL};
	FILE *file;
	pid_t pid;
	int status;

	snprintf(source_path, sizeof(source_path), "%s/%s.c", directory, name);
	snprintf(library_path, sizeof(library_path), "%s/%s.so", directory, name);
	file = fopen(source_path, "w");
	assert_non_null(file);
	fputs(source, file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(posix_spawnp(&pid, "cc", NULL, NULL, arguments, environ), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	unlink(source_path);
}

static void *open_library(const char *name)
{
	char path[100];
	void *library;

	snprintf(path, sizeof(path), "%s/%s.so", directory, name);
	library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	assert_non_null(library);
	unlink(path);
	return library;
}

static void find(void *library, const char *name, void *function)
{
	void *symbol = dlsym(library, name);

	assert_non_null(symbol);
	memcpy(function, &symbol, sizeof(symbol));
}

static int set_up(void **state)
{
	void *library;

	(void)state;
	memo = mmap(
		NULL, fg_memo_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(memo, MAP_FAILED);
	test_take_reference(&last_reference, 0);
	test_on_signal(SIGUSR1, test_record, 0);
	assert_non_null(mkdtemp(directory));
	compile(described_source, "described", "-fomit-frame-pointer", "-Wl,-z,lazy");
	compile(undescribed_source, "undescribed", "-fno-omit-frame-pointer",
		"-Wl,--no-eh-frame-hdr");
	library = open_library("described");
	find(library, "realigned", &realigned);
	find(library, "binds_lazily", &binds_lazily);
	find(library, "nested", &nested);
	library = open_library("undescribed");
	find(library, "undescribed", &undescribed);
	find(library, "undescribed_leaf", &undescribed_leaf);
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_instruction_of_libc_calls_is_walked),
		cmocka_unit_test(test_every_instruction_of_a_realigned_frame_is_walked),
		cmocka_unit_test(test_leafs_registers_are_not_its_callers),
		cmocka_unit_test(test_interrupted_prologue_is_walked_from_a_handler),
		cmocka_unit_test(
			test_every_instruction_of_linkage_stubs_and_lazy_binding_is_walked),
		cmocka_unit_test(test_opened_library_is_walked),
		cmocka_unit_test(test_undescribed_code_is_walked_by_frame_pointers),
		cmocka_unit_test(test_undescribed_leaf_returns_to_the_address_at_its_sp),
		cmocka_unit_test(test_call_through_null_is_walked_from_its_caller),
		cmocka_unit_test(test_generated_code_is_walked_by_frame_pointers),
		cmocka_unit_test(test_loader_start_code_is_a_start_function),
		cmocka_unit_test(test_vdso_is_described),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
