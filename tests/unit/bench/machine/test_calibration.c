/* SPDX-License-Identifier: Apache-2.0 */
/* What is timed is checked by what it computes; how long it takes is nobody's business here. */
#include "gate/bench/machine/calibration_kernels.h"
#include "gate/bench/machine/memory_room.h"

#include <math.h>

#include "gate/base/error.h"
#include "tests/unit/bench/scene.h"

#define MIB ((uint64_t)1 << 20)

static void test_every_kind_is_measured_and_named(void **state)
{
	struct calibration calibration = {0};
	struct error err;

	(void)state;
	assert_int_equal(calibration_measure_within(1000000, UINT64_MAX, &calibration, &err), 0);
	for (int kind = 0; kind < CALIBRATION_COUNT; kind++) {
		assert_true(calibration.ns[kind] > 0 && isfinite(calibration.ns[kind]));
		assert_true(calibration.spread[kind] >= 0 && isfinite(calibration.spread[kind]));
		assert_true(*calibration_names[kind]);
	}
}

static void test_our_own_room_is_enough_to_measure_something(void **state)
{
	struct calibration calibration = {0};
	struct error err;

	(void)state;
	assert_int_equal(calibration_measure(0, &calibration, &err), 0);
	assert_true(calibration.ns[CALIBRATION_ALU] > 0);
	assert_true(calibration.ns[CALIBRATION_BRANCH] > 0);
}

static void test_kinds_without_room_are_zero(void **state)
{
	static const struct {
		uint64_t room;
		bool stream, chase, hash;
	} cases[] = {
		{0, false, false, false},
		{17 * MIB, false, false, true},
		{40 * MIB, false, false, true},
		{46 * MIB, false, true, true},
		{80 * MIB, true, true, true},
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct calibration calibration;
		const double *ns = calibration.ns;

		memset(&calibration, 0xff, sizeof(calibration));
		assert_int_equal(
			calibration_measure_within(0, cases[i].room, &calibration, &err), 0);
		assert_true(ns[CALIBRATION_ALU] > 0 && ns[CALIBRATION_BRANCH] > 0);
		assert_int_equal(ns[CALIBRATION_STREAM] > 0, cases[i].stream);
		assert_int_equal(ns[CALIBRATION_CHASE] > 0, cases[i].chase);
		assert_int_equal(ns[CALIBRATION_HASH] > 0, cases[i].hash);
		assert_true(cases[i].stream || calibration.spread[CALIBRATION_STREAM] == 0);
		assert_true(cases[i].stream || ns[CALIBRATION_STREAM] == 0);
	}
}

/* The values pin the work: with other work, stored calibrations would not compare. */
static void test_kernels_compute_what_they_always_did(void **state)
{
	static uint32_t table[CALIBRATION_TABLE_SIZE];
	struct calibration_branches branches = {.random = 1};

	(void)state;
	assert_true(calibration_alu(1, 1000) == UINT64_C(0x110c63915ef278ab));
	calibration_branch(&branches, 1000);
	assert_true(branches.random == UINT64_C(0x9e8b2325c8f3382d));
	assert_int_equal(branches.taken, 484);
	assert_int_equal(branches.taken + branches.passed, 1000);
	assert_true(calibration_hash(table, 0, 1000) == UINT64_C(0x1c9bd9f643d2c3f8));
}

static void test_twice_the_work_is_the_work_twice(void **state)
{
	struct calibration_branches once = {.random = 7}, twice = {.random = 7};
	static uint32_t table[2][CALIBRATION_TABLE_SIZE];

	(void)state;
	assert_true(calibration_alu(calibration_alu(3, 500), 500) == calibration_alu(3, 1000));
	calibration_branch(&once, 1000);
	calibration_branch(&twice, 500);
	calibration_branch(&twice, 500);
	assert_memory_equal(&once, &twice, sizeof(once));
	assert_true(calibration_hash(table[0], 5, 1000) ==
		    calibration_hash(table[1], 5, 500) + calibration_hash(table[1], 505, 500));
	assert_memory_equal(table[0], table[1], sizeof(table[0]));
}

static void test_branches_go_either_way(void **state)
{
	struct calibration_branches branches = {.random = 1};

	(void)state;
	calibration_branch(&branches, 100000);
	assert_in_range(branches.taken, 49000, 51000);
}

static void test_hashing_counts_every_key_all_over_the_table(void **state)
{
	static uint32_t table[CALIBRATION_TABLE_SIZE];
	uint64_t sum = 0, used = 0;

	(void)state;
	calibration_hash(table, 0, CALIBRATION_TABLE_SIZE);
	for (size_t i = 0; i < CALIBRATION_TABLE_SIZE; i++) {
		sum += table[i];
		used += table[i] > 0;
	}
	assert_int_equal(sum, CALIBRATION_TABLE_SIZE);
	assert_true(used > CALIBRATION_TABLE_SIZE / 2); /* 1 - 1/e of it by chance */
}

static void test_the_stream_changes_every_word(void **state)
{
	uint64_t words[100];

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		words[i] = i;
	assert_int_equal(calibration_stream(words, 99, 3), 99 * 98 / 2);
	for (uint64_t i = 0; i < 100; i++)
		assert_int_equal(words[i], i + (i < 99 ? 3 : 0));
}

static void test_the_chain_is_one_cycle_through_all_lines(void **state)
{
	enum { LINES = 1000 };
	static struct calibration_line lines[LINES];
	static bool seen[LINES];
	uint32_t at = 0, neighbours = 0;

	(void)state;
	calibration_chain(lines, LINES);
	for (int i = 0; i < LINES; i++) {
		uint32_t next = calibration_chase(lines, at, 1);

		assert_false(seen[next]);
		seen[next] = true;
		neighbours += next == at + 1;
		at = next;
	}
	assert_int_equal(at, 0);
	assert_true(neighbours < LINES / 20);
	assert_int_equal(calibration_chase(lines, calibration_chase(lines, 7, 10), 20),
		calibration_chase(lines, 7, 30));
}

static struct calibration of(double alu, double stream, double chase, double branch, double hash)
{
	return (struct calibration){.ns = {alu, stream, chase, branch, hash}};
}

static void assert_ratio(const struct calibration *a, const struct calibration *b, double median,
	double least, double most)
{
	struct calibration_ratio ratio = calibration_compare(a, b);

	assert_true(fabs(ratio.median - median) < 1e-12);
	assert_true(fabs(ratio.least - least) < 1e-12);
	assert_true(fabs(ratio.most - most) < 1e-12);
}

static void test_machines_compare_by_the_median_of_their_kinds(void **state)
{
	struct calibration a = of(1, 2, 100, 4, 10), b = of(1.5, 2, 300, 4.8, 11);

	(void)state;
	assert_ratio(&a, &b, 1.2, 1, 3);
	assert_ratio(&b, &a, 1 / 1.2, 1.0 / 3, 1);
	assert_ratio(&a, &a, 1, 1, 1);
}

static void test_kinds_that_one_machine_lacks_do_not_compare(void **state)
{
	struct calibration a = of(1, 0, 100, 4, 0), b = of(1.5, 2, 0, 5, NAN);
	struct calibration none = of(0, 0, 0, 0, 0), hostile = of(NAN, INFINITY, -1, 0, 0);

	(void)state;
	assert_ratio(&a, &b, 1.375, 1.25, 1.5);
	assert_ratio(&a, &none, 0, 0, 0);
	assert_ratio(&hostile, &a, 0, 0, 0);
	assert_ratio(&a, &hostile, 0, 0, 0);
}

static void put(const struct scene *scene, const char *path, const char *content)
{
	char *folder = xstrdup(at(scene, path));

	*strrchr(folder, '/') = 0;
	assert_int_equal(file_mkdirs(folder, NULL), ERR_OK);
	assert_int_equal(file_write(at(scene, path), content, strlen(content), NULL), ERR_OK);
	free(folder);
}

static void test_room_is_what_the_control_group_leaves(void **state)
{
	const struct scene *scene = *state;

	put(scene, "a/b/memory.max", "1000\n");
	put(scene, "a/b/memory.current", "700\n");
	assert_int_equal(memory_room_of(scene->dir, "0::/a/b\n", ""), 300);
	put(scene, "a/b/memory.stat", "anon 1\ninactive_file 50\nactive_file 20\nfile 9999\n");
	assert_int_equal(memory_room_of(scene->dir, "0::/a/b\n", ""), 370);
	put(scene, "a/b/memory.max", "500\n");
	assert_int_equal(memory_room_of(scene->dir, "0::/a/b\n", ""), 0);
	put(scene, "a/b/memory.max", "max\n");
	assert_true(memory_room_of(scene->dir, "0::/a/b\n", "") == UINT64_MAX);
}

static void test_room_is_the_least_of_all_groups_above(void **state)
{
	const struct scene *scene = *state;

	put(scene, "a/b/memory.max", "1000\n");
	put(scene, "a/b/memory.current", "100\n");
	put(scene, "a/memory.max", "800\n");
	put(scene, "a/memory.current", "100\n");
	assert_int_equal(memory_room_of(scene->dir, "0::/a/b\n", ""), 700);
	put(scene, "memory.max", "300\n");
	put(scene, "memory.current", "100\n");
	assert_int_equal(memory_room_of(scene->dir, "0::/a/b\n", ""), 200);
	assert_int_equal(memory_room_of(scene->dir, "0::/\n", ""), 200);
}

static void test_room_in_a_container_is_the_visible_root_s(void **state)
{
	const struct scene *scene = *state;

	put(scene, "memory/memory.limit_in_bytes", "5000\n");
	put(scene, "memory/memory.usage_in_bytes", "4000\n");
	put(scene, "memory/memory.stat", "total_inactive_file 10\ntotal_active_file 5\n");
	assert_int_equal(memory_room_of(scene->dir, "5:cpu:/\n4:memory:/docker/123\n0::/\n",
				 "MemTotal: 1 kB\n"),
		1015);
	put(scene, "other/memory.limit_in_bytes", "10\n");
	put(scene, "other/memory.usage_in_bytes", "1\n");
	assert_int_equal(memory_room_of(scene->dir, "4:memory:/../other\n", ""), 1015);
	assert_true(memory_room_of(scene->dir, "4:cpuset:/\n", "") == UINT64_MAX);
}

static void test_room_is_at_most_what_the_machine_has(void **state)
{
	const struct scene *scene = *state;

	assert_int_equal(memory_room_of(scene->dir, "0::/\n",
				 "MemTotal:  90 kB\nMemFree: 1 kB\nMemAvailable:   40 kB\n"),
		40960);
	assert_true(memory_room_of("/nowhere", "", "") == UINT64_MAX);
	assert_true(memory_room() > 0);
}

#define SCENE(test) cmocka_unit_test_setup_teardown(test, scene_begin, scene_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_kind_is_measured_and_named),
		cmocka_unit_test(test_our_own_room_is_enough_to_measure_something),
		cmocka_unit_test(test_kinds_without_room_are_zero),
		cmocka_unit_test(test_kernels_compute_what_they_always_did),
		cmocka_unit_test(test_twice_the_work_is_the_work_twice),
		cmocka_unit_test(test_branches_go_either_way),
		cmocka_unit_test(test_hashing_counts_every_key_all_over_the_table),
		cmocka_unit_test(test_the_stream_changes_every_word),
		cmocka_unit_test(test_the_chain_is_one_cycle_through_all_lines),
		cmocka_unit_test(test_machines_compare_by_the_median_of_their_kinds),
		cmocka_unit_test(test_kinds_that_one_machine_lacks_do_not_compare),
		SCENE(test_room_is_what_the_control_group_leaves),
		SCENE(test_room_is_the_least_of_all_groups_above),
		SCENE(test_room_in_a_container_is_the_visible_root_s),
		SCENE(test_room_is_at_most_what_the_machine_has),
	};

	return cmocka_run_group_tests_name("calibration", tests, NULL, NULL);
}
