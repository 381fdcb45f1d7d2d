/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/fingerprint.h"

#include "tests/unit/bench/scene.h"

static void test_this_machine_is_described(void **state)
{
	struct arena arena = ARENA_INIT;
	struct fingerprint fingerprint;

	(void)state;
	fingerprint_read(&fingerprint, &arena);
	assert_true(*fingerprint.cpu_model);
	assert_contains(fingerprint.kernel, "Linux ");
	assert_contains(fingerprint.libc, "glibc 2.");
	assert_true(*fingerprint.machine);
	assert_int_equal(strlen(fingerprint.cpu_flags_hash), 16);
	assert_true(fingerprint.cpus_allowed >= 1);
	assert_true(fingerprint.cpus_online >= 1);
	assert_true(fingerprint.memory_bytes > 1 << 20);
	assert_non_null(fingerprint.governor);
	assert_non_null(fingerprint.turbo);
	assert_non_null(fingerprint.virtualization);
	assert_non_null(fingerprint.perf_event_paranoid);
	assert_non_null(fingerprint.os);
	assert_null(strchr(fingerprint.cpu_model, '\n'));
	arena_release(&arena);
}

static void test_id_is_stable_and_depends_on_what_decides(void **state)
{
	struct arena arena = ARENA_INIT;
	struct fingerprint one, other;
	const char *id;

	(void)state;
	fingerprint_read(&one, &arena);
	fingerprint_read(&other, &arena);
	id = fingerprint_id(&one, &arena);
	assert_int_equal(strlen(id), 16);
	assert_string_equal(id, fingerprint_id(&other, &arena));
	other.memory_bytes++;
	other.perf_event_paranoid = "4";
	assert_string_equal(id, fingerprint_id(&other, &arena));
	other.cpu_model = "another";
	assert_string_not_equal(id, fingerprint_id(&other, &arena));
	other = one;
	other.cpus_allowed++;
	assert_string_not_equal(id, fingerprint_id(&other, &arena));
	other = one;
	other.kernel = "Linux 1.0";
	assert_string_not_equal(id, fingerprint_id(&other, &arena));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_this_machine_is_described),
		cmocka_unit_test(test_id_is_stable_and_depends_on_what_decides),
	};

	return cmocka_run_group_tests_name("fingerprint", tests, NULL, NULL);
}
