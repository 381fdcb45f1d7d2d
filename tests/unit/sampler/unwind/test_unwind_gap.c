/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program whose segments lie apart (node's are aligned to huge pages): the loader reports such an
 * object segment by segment, with the code in one and the unwind information in another.
 */
#include "tests/unit/sampler/unwind/test_unwind.h"

#include <spawn.h>

extern char **environ;

static const char source[] =
	"#include <signal.h>\n#include <stdlib.h>\n"
	"#include \"gate/sampler/context.h\"\n"
	"static void on_signal(int s, siginfo_t *i, void *c) {\n"
	"	static uint64_t pcs[FG_MAX_DEPTH], exact[FG_MAX_DEPTH / 64];\n"
	"	struct fg_registers r;\n"
	"	struct fg_stack_bounds b = {0, 0};\n"
	"	enum fg_walk_end end;\n"
	"	fg_registers_of(c, &r);\n"
	"	size_t n = fg_unwind(calloc(1, fg_rule_cache_bytes()), &r, &b, pcs, exact,\n"
	"		FG_MAX_DEPTH, &end);\n"
	"	_Exit(end == FG_END_ROOT && n > 20 ? 42 : (int)end); }\n"
	"__attribute__((noinline)) int recurse(int n) {\n"
	"	int r = n ? recurse(n - 1) : raise(SIGUSR1); __asm__ volatile(\"\"); return r + n; "
	"}\n"
	"int main(void) {\n"
	"	struct sigaction a = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};\n"
	"	sigaction(SIGUSR1, &a, 0); return recurse(20); }\n";

static int run(char *const arguments[])
{
	pid_t pid;
	int status;

	assert_int_equal(posix_spawnp(&pid, arguments[0], NULL, NULL, arguments, environ), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void write_source(const char *path)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(source, file);
	assert_int_equal(fclose(file), 0);
}

static void assert_program_walks(const char *kind)
{
	char directory[] = P_tmpdir "/flamegate-gap-XXXXXX", program[64], command[512];
	char *const build[] = {"sh", "-c", command, NULL};
	char *const start[] = {program, NULL};
	char file[64];
	int built, status;

	assert_non_null(mkdtemp(directory));
	snprintf(program, sizeof(program), "%s/program", directory);
	snprintf(file, sizeof(file), "%s/program.c", directory);
	write_source(file);
	snprintf(command, sizeof(command),
		"cc -w -O2 -D_GNU_SOURCE -I. %s -Wl,-z,separate-code,-z,max-page-size=0x200000 "
		"-o %s %s gate/sampler/unwind/cfi_*.c gate/sampler/unwind/code_arch.c "
		"gate/sampler/unwind/unwind.c "
		"gate/sampler/unwind/unwind_guess.c gate/sampler/unwind/unwind_stack.c",
		kind, program, file);
	built = run(build);
	status = built ? 0 : run(start);
	unlink(file);
	unlink(program);
	rmdir(directory);
	assert_int_equal(built, 0);
	assert_int_equal(status, 42);
}

static void test_program_with_gaps_is_walked(void **state)
{
	(void)state;
	if (access("gate/sampler/unwind/unwind.c", R_OK))
		skip(); /* not run from the repository's root */
	assert_program_walks("-no-pie");
	assert_program_walks("-pie -fPIE");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program_with_gaps_is_walked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
