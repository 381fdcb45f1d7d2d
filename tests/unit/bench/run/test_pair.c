/* SPDX-License-Identifier: Apache-2.0 */
/* Real versions; counts and states of processes decide, never how long something took. */
#include "gate/bench/run/pair.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "gate/base/error.h"
#include "gate/base/process/process_internal.h"
#include "gate/bench/run/pair_control.h"
#include "tests/unit/bench/scene.h"

#define PATIENCE_ROUNDS 3000 /* of 10 ms */

/*
 * spin SECONDS [f]: uses CPU time, and goes on until there is ../enough; f: behind a seccomp filter
 * that allows everything.
 */
static const char program[] =
	"#include <linux/filter.h>\n#include <linux/seccomp.h>\n#include <stdlib.h>\n"
	"#include <sys/prctl.h>\n#include <time.h>\n#include <unistd.h>\n"
	"static double cpu(void) { struct timespec t;\n"
	"	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);\n"
	"	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; }\n"
	"int main(int argc, char **argv) { volatile unsigned n = 0;\n"
	"	double until = atof(argv[1]);\n"
	"	if (argc > 2) {\n"
	"		struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);\n"
	"		struct sock_fprog filter = {1, &allow};\n"
	"		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);\n"
	"		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) return 9; }\n"
	"	while (cpu() < until) n++;\n"
	"	while (access(\"../enough\", F_OK)) n++;\n"
	"	return 0; }\n";

static int begin(void **state)
{
	char exe[PATH_MAX], library[PATH_MAX + 64];
	ssize_t length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	assert_true(length > 0);
	exe[length] = '\0';
	snprintf(library, sizeof(library), "%s/../../../../libflamegate.so", dirname(exe));
	setenv("FLAMEGATE_LIBRARY", library, 1);
	scene_begin(state);
	put_file(*state, "main.c", program);
	sh(*state, "cc -O1 -o spin main.c && cc -O1 -static -o unseen main.c &&"
		   "mkdir scratch work && touch enough");
	return 0;
}

struct play {
	struct run_options options[2];
	struct pair_options pair;
	struct run runs[2];
	struct pair_report report;
	cpu_set_t cpus;
	char directory[PATH_MAX], scratch[PATH_MAX];
	const char *argv[2][4];
	int rc;
};

static void set_up(struct play *play, const struct scene *scene, const char *base, const char *head)
{
	static const char *env[] = {"PATH=/usr/bin:/bin", NULL};
	const char *scripts[] = {base, head};

	*play = (struct play){.pair = {.slice_ns = PAIR_SLICE_NS, .seed = 5}};
	snprintf(play->directory, sizeof(play->directory), "%s/work", scene->dir);
	snprintf(play->scratch, sizeof(play->scratch), "%s/scratch", scene->dir);
	run_choose_cpus(1, 1, &play->cpus);
	for (int i = 0; i < 2; i++) {
		play->argv[i][0] = "sh";
		play->argv[i][1] = "-c";
		play->argv[i][2] = scripts[i];
		play->options[i] = (struct run_options){.argv = play->argv[i],
			.env = env,
			.directory = play->directory,
			.scratch = play->scratch,
			.cpus = &play->cpus};
	}
}

static int perform(struct play *play, struct scene *scene)
{
	play->rc = pair_run(play->options, &play->pair, play->runs, &play->report, &scene->err);
	return play->rc;
}

/* How often each version had its turn; there is ../enough when both have stood still often. */
struct turns {
	const struct scene *scene;
	bool until_enough; /* the programs wait for the file */
	uint32_t count[2];
};

static int count_turn(void *data, int version, struct error *err)
{
	struct turns *turns = data;

	(void)err;
	turns->count[version]++;
	if (turns->count[0] > PAIR_MIN_SLICES + 1 && turns->count[1] > PAIR_MIN_SLICES + 1)
		put_file(turns->scene, "enough", "");
	return ERR_OK;
}

/*
 * On a machine that stalls a turn can be so long that who must be found and stopped first has used
 * more than may be excused: then the pair is to be run again, and flamegate does so, too.
 */
static void assert_goes_well(struct play *play, struct scene *scene, struct turns *turns)
{
	int rc = ERR_OK;

	play->pair.before_turn = count_turn;
	play->pair.data = turns;
	for (int i = 0; i < 10 && (!i || (rc && play->report.impossible)); i++) {
		run_release(&play->runs[0]);
		run_release(&play->runs[1]);
		turns->count[0] = turns->count[1] = 0;
		if (turns->until_enough)
			unlink(at(scene, "enough"));
		rc = perform(play, scene);
	}
	assert_ok(scene, rc);
}

/* How many turns a second of CPU time makes depends on the machine's load: until it is enough. */
static void assert_takes_turns(struct play *play, struct scene *scene)
{
	struct turns turns = {.scene = scene, .until_enough = true};

	assert_goes_well(play, scene, &turns);
}

static void drop(struct play *play, const struct scene *scene)
{
	siginfo_t info;

	run_release(&play->runs[0]);
	run_release(&play->runs[1]);
	sh(scene, "test -z \"$(ls -A scratch)\"");
	assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT), -1);
}

static void test_both_run_to_their_end_in_turns(void **state)
{
	struct scene *scene = *state;
	struct play play;

	set_up(&play, scene, "exec ../spin 0.4", "exec ../spin 0.6");
	assert_takes_turns(&play, scene);
	for (int i = 0; i < 2; i++) {
		const struct pair_version *version = &play.report.versions[i];

		assert_true(play.runs[i].cpu_seconds >= (i ? 0.4 : 0.2));
		assert_true(play.runs[i].sampled_seconds > 0);
		assert_true(version->slices > PAIR_MIN_SLICES);
		assert_true(version->idle_slices > PAIR_MIN_SLICES);
		/* It stood still for most of the time that the other ran. */
		assert_true(version->idle_cpu_ns < version->idle_ns / 2);
	}
	assert_in_range(play.report.first, 0, 1);
	assert_int_equal(play.report.failed, -1);
	drop(&play, scene);
}

/* Its samples, in which a thread parks, are late by up to a tick of the kernel. */
static void test_by_the_weaker_clock_it_is_the_same(void **state)
{
	struct scene *scene = *state;
	struct play play;

	set_up(&play, scene, "exec ../spin 0.3", "exec ../spin 0.3");
	play.options[0].mechanism = play.options[1].mechanism = "posix";
	assert_takes_turns(&play, scene);
	for (int i = 0; i < 2; i++) {
		assert_true(play.report.versions[i].idle_slices > PAIR_MIN_SLICES);
		assert_true(
			play.report.versions[i].idle_cpu_ns < play.report.versions[i].idle_ns / 2);
		assert_true(play.runs[i].sampled_seconds > 0);
	}
	drop(&play, scene);
}

static void test_by_signals_alone_it_is_the_same(void **state)
{
	struct scene *scene = *state;
	struct play play;

	/* The second leaves the process group. */
	set_up(&play, scene, "exec ../spin 0.3", "setsid ../spin 0.3; true");
	play.pair.way = PAIR_STOP;
	assert_takes_turns(&play, scene);
	for (int i = 0; i < 2; i++) {
		assert_true(play.report.versions[i].stopped >= 1);
		assert_true(play.report.versions[i].idle_slices > PAIR_MIN_SLICES);
		assert_true(
			play.report.versions[i].idle_cpu_ns < play.report.versions[i].idle_ns / 2);
	}
	drop(&play, scene);
}

static void test_what_the_sampler_does_not_reach_is_stopped_by_signals(void **state)
{
	struct scene *scene = *state;
	struct turns turns = {.scene = scene};
	struct play play;

	set_up(&play, scene, "../unseen 0.4; exec ../spin 0.1", "../spin 0.1; exec ../spin 0.4 f");
	assert_goes_well(&play, scene, &turns);
	assert_true(play.report.versions[0].stopped >= 1);
	assert_true(play.report.versions[1].stopped >= 1);
	assert_true(play.runs[0].cpu_seconds >= 0.3);
	drop(&play, scene);
}

static void test_what_cannot_be_made_to_stand_still_is_found_out(void **state)
{
	struct scene *scene = *state;
	struct play play;

	/* Each ends before it could be stopped. */
	set_up(&play, scene, "exec ../spin 2",
		"i=0; while [ $i -lt 200 ]; do ../unseen 0.015; i=$((i + 1)); done");
	/* On a busy machine each lives for some slices, and is stopped: then it did stand still. */
	if (!perform(&play, scene)) {
		assert_true(
			play.report.versions[1].idle_cpu_ns < play.report.versions[1].idle_ns / 2);
		drop(&play, scene);
		return;
	}
	assert_fails(scene, play.rc, ERR_MEASURE, "cannot be made to stand still");
	assert_true(play.report.impossible);
	assert_int_equal(play.report.failed, 1);
	drop(&play, scene);
}

static void test_a_failing_version_ends_the_other_and_is_named(void **state)
{
	struct scene *scene = *state;
	struct play play;

	set_up(&play, scene, "exec ../spin 1000", "../spin 0.1; echo oops; exit 3");
	assert_fails(scene, perform(&play, scene), ERR_BENCHMARK, "exited with status 3");
	assert_contains(scene->err.message, "oops");
	assert_int_equal(play.report.failed, 1);
	assert_false(play.report.impossible);
	drop(&play, scene);
}

static void test_a_page_that_finds_no_room_says_why(void **state)
{
	struct scene *scene = *state;
	struct fg_control_page *page = NULL;
	struct rlimit before, none;
	int rc;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &none);
	errno = 0;
	rc = control_create(at(scene, "page"), &page, &scene->err);
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_DFL);
	assert_fails(scene, rc, ERR_IO, strerror(EFBIG));
	assert_null(page);
}

/* It stands still for half of the time, so it has twice as long to end by itself. */
static void test_what_outlives_a_version_has_its_time_as_in_a_run_alone(void **state)
{
	struct scene *scene = *state;
	struct turns turns = {.scene = scene};
	struct play play;

	set_up(&play, scene, "sleep 2.5 & exec ../spin 0.1", "exec ../spin 0.1");
	assert_goes_well(&play, scene, &turns);
	assert_int_equal(play.runs[0].process.killed, 0);
	drop(&play, scene);
}

static void test_every_turn_is_announced(void **state)
{
	struct scene *scene = *state;
	struct turns turns = {.scene = scene};
	struct play play;

	set_up(&play, scene, "exec ../spin 0.2", "exec ../spin 0.2");
	assert_goes_well(&play, scene, &turns);
	for (int i = 0; i < 2; i++)
		assert_int_equal(turns.count[i], play.report.versions[i].idle_slices + 1);
	drop(&play, scene);
}

/* A keeper that is stopped tells of no end and of no time limit. */
static void assert_stopped_keeper(
	struct scene *scene, const char *base, const char *head, int expected)
{
	struct play play;

	sh(scene, "rm -f work/*");
	set_up(&play, scene, base, head);
	alarm(300); /* it would never come back */
	assert_fails(scene, perform(&play, scene), ERR_BENCHMARK, "watches sh was stopped");
	alarm(0);
	assert_int_equal(play.report.failed, expected);
	drop(&play, scene);
}

static void test_a_version_that_stops_its_parent_is_named(void **state)
{
	assert_stopped_keeper(
		*state, "exec ../spin 1000", "kill -STOP $PPID; exec ../spin 1000", 1);
	/* By itself, when the other has ended. */
	assert_stopped_keeper(*state, "../spin 0.1; echo >over",
		"until [ -e over ]; do sleep 0.05; done; sleep 0.5; kill -STOP $PPID; sleep 1000",
		1);
	assert_stopped_keeper(*state,
		"echo $PPID >keeper.new; mv keeper.new keeper; exec ../spin 1000",
		"until [ -e keeper ]; do sleep 0.05; done; kill -STOP $(cat keeper); exec ../spin "
		"1000",
		0);
}

/* ---- nothing stays behind ----------------------------------------------------------------- */

static void rest(void)
{
	const struct timespec pause = {0, 10000000};

	nanosleep(&pause, NULL);
}

static pid_t pid_in(const struct scene *scene, const char *name)
{
	for (int round = 0; round < PATIENCE_ROUNDS; round++, rest()) {
		FILE *file = fopen(at(scene, name), "re");
		int pid = 0, found = file ? fscanf(file, "%d;", &pid) : 0;

		if (file)
			fclose(file);
		if (found == 1 && pid > 0)
			return pid;
	}
	fail_msg("%s was never written", name);
	return 0;
}

static void assert_dies(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	for (int round = 0; round < PATIENCE_ROUNDS; round++, rest())
		if (access(path, F_OK) != 0)
			return;
	fail_msg("process %d is still there", (int)pid);
}

static const char *const base_for_ever =
	"echo \"$$;\" >base.new; mv base.new base; exec ../spin 1000";
static const char *const head_for_ever =
	"echo \"$$;\" >head.new; mv head.new head; exec setsid ../spin 1000";
/* Stops its keeper when the other has begun. */
static const char *const head_that_stops =
	"until [ -e base ]; do sleep 0.05; done; kill -STOP $PPID;"
	"echo \"$$;\" >head.new; mv head.new head; exec setsid ../spin 1000";

/* As flamegate: two runs that never end; then what happens to it happens. */
static int play_for_ever(struct scene *scene, const char *head, enum pair_way way)
{
	struct play play;

	process_forked(); /* interruptions are not our parent's */
	set_up(&play, scene, base_for_ever, head);
	play.pair.way = way;
	return perform(&play, scene) == ERR_INTERRUPTED ? 42 : 1;
}

/* Returns how its owner ended. */
static int end_with(struct scene *scene, const char *head, enum pair_way way, int signal)
{
	pid_t versions[2], owner;
	int status = 0;

	sh(scene, "rm -f work/base work/head");
	owner = fork();
	if (owner == 0)
		_exit(play_for_ever(scene, head, way));
	versions[0] = pid_in(scene, "work/base");
	versions[1] = pid_in(scene, "work/head");
	kill(owner, signal);
	assert_int_equal(waitpid(owner, &status, 0), owner);
	for (int i = 0; i < 2; i++)
		assert_dies(versions[i]);
	return status;
}

static void end_by(struct scene *scene, enum pair_way way, int signal)
{
	int status = end_with(scene, head_for_ever, way, signal);

	if (signal != SIGKILL)
		assert_int_equal(WEXITSTATUS(status), 42);
}

static void test_an_interruption_leaves_nothing(void **state)
{
	end_by(*state, PAIR_PARK, SIGINT);
	end_by(*state, PAIR_STOP, SIGTERM);
}

/* Whether the stop or the interruption is noticed first is up to the machine's load. */
static void test_an_interruption_beside_a_stopped_keeper_leaves_nothing(void **state)
{
	alarm(300);
	assert_true(WIFEXITED(end_with(*state, head_that_stops, PAIR_PARK, SIGTERM)));
	assert_true(WIFEXITED(end_with(*state, head_that_stops, PAIR_STOP, SIGINT)));
	alarm(0);
}

static void test_being_killed_leaves_nothing(void **state)
{
	end_by(*state, PAIR_PARK, SIGKILL);
	end_by(*state, PAIR_STOP, SIGKILL);
}

#define pair_test(name) cmocka_unit_test_setup_teardown(name, begin, scene_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		pair_test(test_both_run_to_their_end_in_turns),
		pair_test(test_by_the_weaker_clock_it_is_the_same),
		pair_test(test_by_signals_alone_it_is_the_same),
		pair_test(test_what_the_sampler_does_not_reach_is_stopped_by_signals),
		pair_test(test_what_cannot_be_made_to_stand_still_is_found_out),
		pair_test(test_a_failing_version_ends_the_other_and_is_named),
		pair_test(test_a_page_that_finds_no_room_says_why),
		pair_test(test_what_outlives_a_version_has_its_time_as_in_a_run_alone),
		pair_test(test_every_turn_is_announced),
		pair_test(test_a_version_that_stops_its_parent_is_named),
		pair_test(test_an_interruption_leaves_nothing),
		pair_test(test_an_interruption_beside_a_stopped_keeper_leaves_nothing),
		pair_test(test_being_killed_leaves_nothing),
	};

	process_init();
	return cmocka_run_group_tests_name("pair", tests, NULL, NULL);
}
