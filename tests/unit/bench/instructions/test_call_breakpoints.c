/* SPDX-License-Identifier: Apache-2.0 */
/* Calls counted by the processor's breakpoints, in programs that are run for it. */
#include "gate/bench/instructions/call_breakpoints.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "gate/base/error.h"
#include "gate/bench/elf/elf_file.h"
#include "tests/unit/bench/scene.h"

/* WORK calls by main, 100 by a thread, 10 by a child; half as many of rest(). */
#define PROGRAM                                                                                    \
	"#include <pthread.h>\n#include <stdlib.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"  \
	"static volatile unsigned long sink;\n"                                                    \
	"#define KEPT __attribute__((noinline, noclone))\n"                                        \
	"KEPT void rest(void) { sink += 3; }\n"                                                    \
	"KEPT void work(int n) { if (n & 1) rest(); sink++; }\n"                                   \
	"static void *other(void *p) { for (int i = 0; i < 100; i++) work(i); return p; }\n"       \
	"int main(int argc, char **argv) { pthread_t t; (void)argc;\n"                             \
	"	for (int i = 0; i < atoi(argv[1]); i++) work(i);\n"                                      \
	"	for (long i = 0; i < 100000000; i++) sink++;\n"                                          \
	"	pthread_create(&t, 0, other, 0); pthread_join(t, 0);\n"                                  \
	"	if (!fork()) { for (int i = 0; i < 10; i++) work(i); _exit(0); }\n"                      \
	"	wait(0); return 0; }\n"

/* build/tests/unit/bench/<folder>/ beside build/libflamegate.so */
static void use_library(void)
{
	char exe[PATH_MAX], library[PATH_MAX + 64];
	ssize_t length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	assert_true(length > 0);
	exe[length] = '\0';
	snprintf(library, sizeof(library), "%s/../../../../libflamegate.so", dirname(exe));
	setenv("FLAMEGATE_LIBRARY", library, 1);
}

static bool may_count(void)
{
	return breakpoints_check(NULL) == ERR_OK;
}

static struct run_options options_for(const struct scene *scene, const char *const *argv)
{
	static const char *env[] = {"PATH=/usr/bin:/bin", NULL};

	return (struct run_options){
		.argv = argv, .env = env, .directory = scene->dir, .scratch = at(scene, "scratch")};
}

static void compile(const struct scene *scene, const char *source, const char *flags)
{
	struct strbuf command = STRBUF_INIT;

	put_file(scene, "main.c", source);
	strbuf_addf(&command,
		"mkdir -p scratch && cc -pthread -Wl,--build-id=0x12 %s -o program main.c", flags);
	sh(scene, command.data);
	strbuf_release(&command);
}

static const struct breakpoint_target targets[] = {
	{"work", "program", "12"}, {"rest", "program", "12"}, {"gone", "program", "12"}};

static void count_calls(struct scene *scene, const char *flags)
{
	const char *argv[] = {"./program", "1000", NULL};
	struct run_options options = options_for(scene, argv);
	struct breakpoints breakpoints;

	if (!may_count())
		skip();
	compile(scene, PROGRAM, flags);
	assert_ok(scene, breakpoints_find(&options, targets, 3, &breakpoints, &scene->err));
	assert_true(breakpoints.items[0].is_set && breakpoints.items[1].is_set);
	assert_false(breakpoints.items[2].is_set);
	for (int i = 0; i < 2; i++) {
		assert_ok(scene, breakpoints_run(&options, &breakpoints, &scene->err));
		assert_int_equal(breakpoints.items[0].calls, 1110);
		assert_int_equal(breakpoints.items[1].calls, 555);
		assert_false(breakpoints.items[0].is_stopped);
		assert_true(breakpoints.iterations == 1);
	}
	breakpoints_release(&breakpoints);
}

static void test_all_threads_and_children_count(void **state)
{
	count_calls(*state, "-O1 -pie -fPIE");
}

static void test_programs_at_fixed_places_count(void **state)
{
	count_calls(*state, "-O1 -no-pie -fno-pie");
}

static void test_after_too_many_calls_a_function_is_left_alone(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"./program", "400000", NULL};
	struct run_options options = options_for(scene, argv);
	struct breakpoints breakpoints;

	if (!may_count())
		skip();
	compile(scene, PROGRAM, "-O1");
	assert_ok(scene, breakpoints_find(&options, targets, 1, &breakpoints, &scene->err));
	assert_int_equal(breakpoints.most_calls, 1000000);
	breakpoints.most_calls = 5000;
	assert_ok(scene, breakpoints_run(&options, &breakpoints, &scene->err));
	assert_true(breakpoints.items[0].is_stopped);
	assert_in_range(breakpoints.items[0].calls, 5000, 399999);
	assert_ok(scene, breakpoints_run(&options, &breakpoints, &scene->err));
	assert_true(breakpoints.items[0].is_stopped);
	breakpoints_release(&breakpoints);
}

static void test_another_program_in_the_same_place_is_noticed(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"./first", "./program", "1000", NULL};
	struct run_options options = options_for(scene, argv);
	struct breakpoints breakpoints;

	if (!may_count())
		skip();
	compile(scene,
		"#include <unistd.h>\n__asm__(\".text\\n.skip 20000\\n\");\nstatic volatile long "
		"sink;\n"
		"__attribute__((noinline)) void before(void) { sink++; }\n"
		"int main(int c, char **v) { (void)c; before(); return execv(v[1], v + 1); }\n",
		"-O1");
	sh(scene, "mv program first");
	compile(scene, PROGRAM, "-O1");
	assert_fails(scene, breakpoints_find(&options, targets, 2, &breakpoints, &scene->err),
		ERR_MEASURE, "another program of the benchmark may have code");
	breakpoints_release(&breakpoints);
	/* Far behind the end of the first one's. */
	compile(scene, "__asm__(\".text\\n.skip 100000\\n\");\n" PROGRAM, "-O1");
	assert_ok(scene, breakpoints_find(&options, targets, 2, &breakpoints, &scene->err));
	assert_ok(scene, breakpoints_run(&options, &breakpoints, &scene->err));
	assert_int_equal(breakpoints.items[0].calls, 1110);
	breakpoints_release(&breakpoints);
}

static void test_without_a_function_nothing_is_counted(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"./program", "10", NULL};
	struct run_options options = options_for(scene, argv);
	const struct breakpoint_target others[] = {
		{"work", "program", "34"}, {"work", "gram", "12"}, {"gone", "program", "12"}};
	struct breakpoints breakpoints;

	if (!may_count())
		skip();
	compile(scene, PROGRAM, "-O1");
	assert_fails(scene, breakpoints_find(&options, others, 3, &breakpoints, &scene->err),
		ERR_MEASURE, "nothing that grew is one function");
	breakpoints_release(&breakpoints);
}

/* As a container's filter does. */
static void refuse_perf_events(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(9);
}

static void test_where_they_are_refused_that_is_said(void **state)
{
	int status = 0;
	pid_t child = fork();

	(void)state;
	assert_true(child >= 0);
	if (!child) {
		struct error err = {0};

		refuse_perf_events();
		_exit(breakpoints_check(&err) == ERR_MEASURE &&
					strstr(err.message, "perf breakpoints are not allowed here")
				? 0
				: 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* ---- which function ---- */

static bool find(struct scene *scene, const char *symbol, struct strbuf *content,
	struct elf_file *elf, struct elf_function *function)
{
	assert_ok(scene, file_read(at(scene, "program"), 64 << 20, content, &scene->err));
	assert_int_equal(elf_file_open(elf, content->data, content->length), ELF_KIND_NATIVE);
	return elf_file_function(elf, symbol, function);
}

static bool has_one(struct scene *scene, const char *symbol)
{
	struct strbuf content = STRBUF_INIT;
	struct elf_function function;
	struct elf_file elf;
	bool found = find(scene, symbol, &content, &elf, &function);

	strbuf_release(&content);
	return found;
}

static void test_what_is_several_functions_is_none(void **state)
{
	struct scene *scene = *state;

	put_file(scene, "two.c",
		"static volatile int sink;\n"
		"static __attribute__((noinline)) void twice(void) { sink++; }\n"
		"void second(void) { twice(); }\n");
	put_file(scene, "main.c",
		"static volatile int sink;\n"
		"#define KEPT __attribute__((noinline, noclone))\n"
		"static KEPT void twice(void) { sink++; }\n"
		"static __attribute__((noinline)) void cloned(int n, int k) {\n"
		"	for (int i = 0; i < n; i++) sink += k; }\n"
		"KEPT void rare(void) { __asm__(\"\"); sink--; }\n"
		"KEPT void plain(int n) { if (__builtin_expect(n > 5, 0)) { rare(); rare(); } "
		"sink++; }\n"
		"void second(void);\n"
		"int main(int c, char **v) { (void)v; twice(); second(); plain(c); cloned(c, 3);\n"
		"	return 0; }\n");
	sh(scene, "cc -O2 -o program main.c two.c && nm program | grep -q ' cloned.constprop.0$'");
	assert_false(has_one(scene, "twice"));
	assert_true(has_one(scene, "cloned"));
	assert_true(has_one(scene, "plain"));
	assert_false(has_one(scene, "plai"));
	assert_false(has_one(scene, "puts"));
	sh(scene, "strip program");
	assert_false(has_one(scene, "plain"));
}

static bool begins_once(struct scene *scene, const char *symbol)
{
	struct strbuf content = STRBUF_INIT;
	struct elf_function function;
	struct elf_file elf;
	bool once;

	assert_true(find(scene, symbol, &content, &elf, &function));
	once = elf_function_begins_once(&elf, &function);
	strbuf_release(&content);
	return once;
}

#if defined(__x86_64__)
#define NEAR ".skip 300, 0x90\n"
#define LOOPS                                                                                      \
	LOOP("near_jump", NEAR "	jmp near_jump\n")                                          \
	LOOP("near_if", NEAR "	jne near_if\n")                                                    \
	LOOP("short_jump", "	nop\n	jmp short_jump\n")                                         \
	LOOP("short_if", "	nop\n	jne short_if\n	ret\n")                                    \
	LOOP("counted", "	nop\n	loop counted\n	ret\n")                                    \
	LOOP("calls", "	nop\n	call calls\n	ret\n")                                            \
	LOOP("inner", "	nop\n1:	nop\n	jne 1b\n	ret\n")
#else
#define LOOPS                                                                                      \
	LOOP("near_jump", "	nop\n	b near_jump\n")                                            \
	LOOP("near_if", "	nop\n	b.ne near_if\n	ret\n")                                    \
	LOOP("short_jump", "	nop\n	cbz x0, short_jump\n	ret\n")                            \
	LOOP("short_if", "	nop\n	cbnz w0, short_if\n	ret\n")                            \
	LOOP("counted", "	nop\n	tbz w0, #3, counted\n	ret\n")                            \
	LOOP("calls", "	nop\n	bl calls\n	ret\n")                                            \
	LOOP("inner", "	nop\n1:	nop\n	b.ne 1b\n	ret\n")
#endif
#define LOOP(name, code)                                                                           \
	".globl " name "\n.type " name ", %function\n" name ":\n" code ".size " name ", .-" name   \
	"\n"

static void test_loops_to_the_beginning_are_noticed(void **state)
{
	static const char *const loops[] = {
		"near_jump", "near_if", "short_jump", "short_if", "counted"};
	struct scene *scene = *state;

	put_file(scene, "loops.s", ".text\n" LOOPS);
	put_file(scene, "main.c", "int main(void) { return 0; }\n");
	sh(scene, "cc -o program main.c loops.s");
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++)
		if (begins_once(scene, loops[i]))
			fail_msg("%s seems to begin once", loops[i]);
	assert_true(begins_once(scene, "calls"));
	assert_true(begins_once(scene, "inner"));
	assert_true(begins_once(scene, "main"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scene_test(test_all_threads_and_children_count),
		scene_test(test_programs_at_fixed_places_count),
		scene_test(test_after_too_many_calls_a_function_is_left_alone),
		scene_test(test_another_program_in_the_same_place_is_noticed),
		scene_test(test_without_a_function_nothing_is_counted),
		cmocka_unit_test(test_where_they_are_refused_that_is_said),
		scene_test(test_what_is_several_functions_is_none),
		scene_test(test_loops_to_the_beginning_are_noticed),
	};

	process_init();
	use_library();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
