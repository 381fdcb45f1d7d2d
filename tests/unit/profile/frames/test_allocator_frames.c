/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "gate/profile/frames/allocator_frames.h"
#include "tests/unit/compare/support.h"

#define VECTOR "std::_Vector_base<int, std::allocator<int> >::_M_allocate(unsigned long)"
#define TRAITS                                                                                     \
	"std::allocator_traits<std::allocator<int> >::allocate(std::allocator<int>&, unsigned "    \
	"long)"
#define NEW_ALLOCATOR "std::__new_allocator<int>::allocate(unsigned long, void const*)"
#define NEW "operator new(unsigned long)"

static bool is_allocator(const char *name)
{
	return allocator_frame_is(&(struct profile_function){.name = name});
}

static void test_operator_new_in_every_form_is_an_allocator(void **state)
{
	(void)state;
	assert_true(is_allocator(NEW));
	assert_true(is_allocator("operator new[](unsigned long)"));
	assert_true(is_allocator("operator new(unsigned long, std::nothrow_t const&)"));
	assert_true(is_allocator("operator new[](unsigned long, std::nothrow_t const&)"));
	assert_true(is_allocator("operator new(unsigned long, std::align_val_t)"));
	assert_true(is_allocator(
		"operator new[](unsigned long, std::align_val_t, std::nothrow_t const&)"));
	assert_true(is_allocator("_ZnwmSt11align_val_t"));
}

static void test_malloc_and_standard_allocators_are_too(void **state)
{
	(void)state;
	assert_true(is_allocator("malloc"));
	assert_true(is_allocator("posix_memalign"));
	assert_true(is_allocator(NEW_ALLOCATOR));
	assert_true(is_allocator(TRAITS));
	assert_true(is_allocator(
		"__gnu_cxx::new_allocator<char>::allocate(unsigned long, void const*)"));
	assert_true(is_allocator("<alloc::alloc::Global as core::alloc::Allocator>::allocate"));
	assert_true(is_allocator("alloc::alloc::realloc"));
}

static void test_what_allocates_for_itself_or_is_the_programs_is_none(void **state)
{
	(void)state;
	assert_false(is_allocator("strdup"));
	assert_false(is_allocator("my_malloc"));
	assert_false(is_allocator("malloc_usable_size"));
	assert_false(is_allocator(VECTOR));
	assert_false(is_allocator("Pool::operator new(unsigned long)"));
	assert_false(is_allocator("operator new(unsigned long, Pool&)"));
	assert_false(is_allocator("std::allocator<int>::deallocate(int*, unsigned long)"));
	assert_false(is_allocator(
		"std::allocator_traits<Pool<int> >::allocate(Pool<int>&, unsigned long)"));
}

/* Stacks are outermost first; "outer|inner" is one location. */
static struct profile *heap_of(const char *type, const char *const *stacks, size_t count)
{
	struct profile *profile = profile_new();

	profile_add_type(profile, type, "count");
	for (size_t i = 0; i < count; i++) {
		const int64_t value = 10 + (int64_t)i;

		support_sample(profile, stacks[i], "x.cc", &value, 0);
	}
	return profile;
}

static const char *leaf_of(const struct profile *profile, size_t i)
{
	const struct profile_sample *sample = &profile->samples[i];
	const struct profile_location *location = &profile->locations[sample->locations[0]];

	return profile->functions[location->lines[0].function].name;
}

static void test_the_leaf_is_who_asked_and_no_value_changes(void **state)
{
	static const char *const stacks[] = {
		"main;helper;" NEW,
		"main;helper|" VECTOR "|" TRAITS "|" NEW_ALLOCATOR ";" NEW,
		"main;" VECTOR ";" TRAITS ";" NEW_ALLOCATOR ";" NEW,
		"main;" NEW ";hook",
		"main;helper",
		NEW,
	};
	struct profile *profile = heap_of("alloc_objects", stacks, 6);

	(void)state;
	for (int time = 0; time < 2; time++) { /* once more changes nothing */
		allocator_frames_drop(profile);
		assert_string_equal(leaf_of(profile, 0), "helper");
		assert_int_equal(profile->samples[0].depth, 2);
		assert_string_equal(leaf_of(profile, 1), VECTOR);
		assert_int_equal(profile->samples[1].depth, 2);
		assert_int_equal(
			profile->locations[profile->samples[1].locations[0]].line_count, 2);
		assert_string_equal(leaf_of(profile, 2), VECTOR);
		assert_string_equal(leaf_of(profile, 3), "hook");
		assert_string_equal(leaf_of(profile, 4), "helper");
		assert_string_equal(leaf_of(profile, 5), NEW); /* nobody else is known */
		for (int64_t i = 0; i < 6; i++)
			assert_int_equal(profile->samples[i].values[0], 10 + i);
	}
	profile_free(profile);
}

static void test_time_spent_in_an_allocator_stays_its_own(void **state)
{
	static const char *const stacks[] = {"main;helper;" NEW};
	struct profile *profile = heap_of(PROFILE_TYPE_CPU, stacks, 1);

	(void)state;
	allocator_frames_drop(profile);
	assert_string_equal(leaf_of(profile, 0), NEW);
	profile_free(profile);
}

static void test_a_profile_without_values_or_frames_is_left_alone(void **state)
{
	struct profile *profile = profile_new();
	const int64_t value = 3;

	(void)state;
	allocator_frames_drop(profile);
	profile_add_type(profile, "inuse_bytes", "bytes");
	profile_add_sample(profile, &(struct profile_sample){.values = &value});
	allocator_frames_drop(profile);
	assert_int_equal(profile->samples[0].depth, 0);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operator_new_in_every_form_is_an_allocator),
		cmocka_unit_test(test_malloc_and_standard_allocators_are_too),
		cmocka_unit_test(test_what_allocates_for_itself_or_is_the_programs_is_none),
		cmocka_unit_test(test_the_leaf_is_who_asked_and_no_value_changes),
		cmocka_unit_test(test_time_spent_in_an_allocator_stays_its_own),
		cmocka_unit_test(test_a_profile_without_values_or_frames_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
