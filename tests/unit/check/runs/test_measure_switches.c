/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/runs/measure_switches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SECOND UINT64_C(1000000000)

struct scene {
	struct plan plan;
	struct measured_benchmark *out;
};

/* The price is known: nothing is measured here. */
static void open_scene(struct scene *scene, double ns)
{
	*scene = (struct scene){.plan = {.measurements = measurements_new("check"),
					.machine.switching_ns = ns,
					.machine.knows_switching = true}};
	scene->out =
		measurements_add_benchmark(scene->plan.measurements, "bench", "bench", "./bench");
}

static struct side side_of(const char *mechanism, uint64_t switches)
{
	return (struct side){.probe_mechanism = mechanism,
		.probe_switches = switches,
		.probe_tree_ns = 2 * SECOND};
}

static void test_a_tenth_of_the_cpu_time_is_told_with_its_price(void **state)
{
	struct arena arena = ARENA_INIT;
	const char *text = switches_text(80000, 2 * SECOND, 10800, &arena);

	(void)state;
	assert_non_null(text);
	assert_non_null(strstr(text, "about 43 % of the CPU time"));
	assert_non_null(strstr(text, "40000 context switches a CPU second (10.8 us each"));
	assert_non_null(strstr(text, "--mechanism posix"));
	assert_null(switches_text(19000, 2 * SECOND, 10000, &arena));
	assert_non_null(switches_text(20100, 2 * SECOND, 10000, &arena));
	assert_null(switches_text(80000, 2 * SECOND, 0, &arena));
	assert_null(switches_text(80000, 0, 10000, &arena));
	arena_release(&arena);
}

static void test_a_loaded_measurement_never_takes_more_than_all(void **state)
{
	struct arena arena = ARENA_INIT;
	const char *text = switches_text(200000, SECOND, 10000, &arena);

	(void)state;
	assert_non_null(strstr(text, "about 100 % of"));
	arena_release(&arena);
}

static void test_the_side_that_switches_most_is_told_once(void **state)
{
	const struct side sides[] = {side_of("perf", 100), side_of("perf", 60000)};
	struct scene scene;

	(void)state;
	open_scene(&scene, 10000);
	switches_tell(&scene.plan, sides, 2, scene.out);
	switches_tell(&scene.plan, sides, 2, scene.out);
	assert_int_equal(scene.out->notes.count, 1);
	assert_non_null(strstr(scene.out->notes.items[0], "about 30 % of"));
	measurements_free(scene.plan.measurements);
}

static void test_who_switches_little_or_has_the_other_clock_is_not_bothered(void **state)
{
	const struct side quiet = side_of("perf", 3000), other = side_of("posix", 60000),
			  unknown = side_of("", 60000);
	struct scene scene;

	(void)state;
	open_scene(&scene, 10000);
	switches_tell(&scene.plan, &quiet, 1, scene.out);
	switches_tell(&scene.plan, &other, 1, scene.out);
	switches_tell(&scene.plan, &unknown, 1, scene.out);
	assert_int_equal(scene.out->notes.count, 0);
	measurements_free(scene.plan.measurements);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_tenth_of_the_cpu_time_is_told_with_its_price),
		cmocka_unit_test(test_a_loaded_measurement_never_takes_more_than_all),
		cmocka_unit_test(test_the_side_that_switches_most_is_told_once),
		cmocka_unit_test(test_who_switches_little_or_has_the_other_clock_is_not_bothered),
	};

	return cmocka_run_group_tests_name("check/measure_switches", tests, NULL, NULL);
}
