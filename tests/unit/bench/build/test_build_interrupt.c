/* SPDX-License-Identifier: Apache-2.0 */
/* Its own program: an interruption lasts to the end of the process. */
#include "gate/bench/build/build.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>

#include "gate/base/error.h"
#include "tests/unit/bench/build_scene.h"

static void test_an_interrupted_build_leaves_nothing(void **state)
{
	struct builds_scene *builds = *state;
	char command[64];
	struct build build;

	snprintf(command, sizeof(command), "kill -INT %d; sleep 60", (int)getpid());
	assert_fails(&builds->scene, prepare_with(builds, command, builds->base, &build),
		ERR_INTERRUPTED, "");
	assert_no_traces(builds);
}

/* After the test above. */
static void test_waiting_for_the_lock_can_be_interrupted(void **state)
{
	struct builds_scene *builds = *state;
	char *path = file_join(builds->cache.root, "locks/cache");
	int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	struct build build;

	free(path);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	assert_true(process_interrupted());
	assert_int_equal(prepare_with(builds, "true", builds->base, &build), ERR_INTERRUPTED);
	close(lock);
}

/* The set-up itself runs programs, so both scenes are made before the interruption. */
int main(void)
{
	void *first, *second;
	int rc;

	signal(SIGINT, SIG_DFL); /* a background job has it ignored */
	process_init();
	builds_begin(&first);
	builds_begin(&second);
	{
		const struct CMUnitTest tests[] = {
			cmocka_unit_test_prestate(test_an_interrupted_build_leaves_nothing, first),
			cmocka_unit_test_prestate(
				test_waiting_for_the_lock_can_be_interrupted, second),
		};

		rc = cmocka_run_group_tests_name("build_interrupt", tests, NULL, NULL);
	}
	builds_end(&first);
	builds_end(&second);
	return rc;
}
