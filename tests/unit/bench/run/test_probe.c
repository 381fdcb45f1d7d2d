/* SPDX-License-Identifier: Apache-2.0 */
/* Running a program with and without the sampler, and a kernel that refuses perf events. */
#include "gate/bench/run/probe.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "gate/base/error.h"
#include "tests/unit/bench/scene.h"

static int begin(void **state)
{
	char exe[PATH_MAX], library[PATH_MAX + 64];
	ssize_t length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	assert_true(length > 0);
	exe[length] = '\0';
	snprintf(library, sizeof(library), "%s/../../../../libflamegate.so", dirname(exe));
	setenv("FLAMEGATE_LIBRARY", library, 1);
	scene_begin(state);
	sh(*state, "mkdir scratch");
	return 0;
}

static struct probe probe_of(const struct scene *scene, const char *const *argv)
{
	return (struct probe){.argv = argv, .scratch = at(scene, "scratch")};
}

static void test_runs_alternate_between_plain_and_sampled(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"sh", "-c", "echo x${LD_PRELOAD:+sampled} >>../log", NULL};
	struct probe probe = probe_of(scene, argv);
	double seconds[4] = {-1, -1, -1, -1};

	assert_ok(scene, probe_pairs(&probe, false, true, 2, seconds, &scene->err));
	sh(scene, "test \"$(echo $(cat log))\" = 'x xsampled x xsampled'; rm log");
	for (size_t i = 0; i < 4; i++)
		assert_true(seconds[i] > 0);
	assert_ok(scene, probe_pairs(&probe, true, true, 1, seconds, &scene->err));
	sh(scene, "test \"$(echo $(cat log))\" = 'xsampled xsampled'; test -z \"$(ls scratch)\"");
}

static void test_every_run_has_one_cpu(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"sh", "-c", "nproc >>../log", NULL};
	struct probe probe = probe_of(scene, argv);
	double seconds[2];

	assert_ok(scene, probe_pairs(&probe, false, true, 1, seconds, &scene->err));
	sh(scene, "test \"$(echo $(cat log))\" = '1 1'");
}

static void test_a_program_that_fails_is_an_error_either_way(void **state)
{
	struct scene *scene = *state;
	const char *fails[] = {"sh", "-c", "exit 3", NULL};
	const char *missing[] = {"no-such-program", NULL};
	struct probe probe = probe_of(scene, fails);
	struct probe_sampling sampling = {.rate_hz = 42};
	double seconds[2];

	assert_int_equal(probe_pairs(&probe, false, false, 1, seconds, &scene->err), ERR_BENCHMARK);
	assert_non_null(strstr(scene->err.message, "sh exited with status 3"));
	assert_int_equal(probe_pairs(&probe, true, true, 1, seconds, &scene->err), ERR_BENCHMARK);
	assert_int_equal(probe_sampling(&probe, "posix", &sampling, &scene->err), ERR_BENCHMARK);
	probe = probe_of(scene, missing);
	assert_true(probe_pairs(&probe, false, false, 1, seconds, &scene->err) != ERR_OK);
	assert_true(probe_sampling(&probe, "posix", &sampling, &scene->err) != ERR_OK);
	assert_true(sampling.rate_hz > 41);
}

/* As a container's seccomp profile does it; for this process and all that it starts. */
static void refuse_perf(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(rules) / sizeof(*rules), rules};

	assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

static void test_a_refused_clock_does_not_work_and_the_other_does(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {
		"sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done", NULL};
	struct probe probe = probe_of(scene, argv);
	struct probe_sampling perf = {.works = true, .rate_hz = 42}, posix = {0};

	refuse_perf();
	assert_ok(scene, probe_sampling(&probe, "perf", &perf, &scene->err));
	assert_false(perf.works);
	assert_int_equal(perf.refusal, ENOSYS);
	assert_true(perf.rate_hz < 1);
	assert_ok(scene, probe_sampling(&probe, "posix", &posix, &scene->err));
	assert_true(posix.works);
	assert_int_equal(posix.refusal, 0);
	assert_true(posix.rate_hz > 0 && posix.complete > 0 && posix.complete <= 1);
	assert_true(posix.coverage > 0);
	sh(scene, "test -z \"$(ls scratch)\"");
}

#define SCENE(test) cmocka_unit_test_setup_teardown(test, begin, scene_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(test_runs_alternate_between_plain_and_sampled),
		SCENE(test_every_run_has_one_cpu),
		SCENE(test_a_program_that_fails_is_an_error_either_way),
		/* The last one: its filter stays. */
		SCENE(test_a_refused_clock_does_not_work_and_the_other_does),
	};

	process_init();
	return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}
