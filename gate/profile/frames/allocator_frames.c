/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/frames/allocator_frames.h"

#include <string.h>

#include "gate/profile/profile_kind.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const char *const names[] = {
	"malloc",
	"calloc",
	"realloc",
	"reallocarray",
	"aligned_alloc",
	"memalign",
	"posix_memalign",
	"valloc",
	"pvalloc",
	"_Znwm",
	"_Znam",
	"_ZnwmRKSt9nothrow_t",
	"_ZnamRKSt9nothrow_t",
	"_ZnwmSt11align_val_t",
	"_ZnamSt11align_val_t",
	"_ZnwmSt11align_val_tRKSt9nothrow_t",
	"_ZnamSt11align_val_tRKSt9nothrow_t",
};

/* What follows "operator new" or "operator new[]". */
static const char *const new_parameters[] = {
	"(unsigned long)",
	"(unsigned long, std::nothrow_t const&)",
	"(unsigned long, std::align_val_t)",
	"(unsigned long, std::align_val_t, std::nothrow_t const&)",
};

/* Their allocate() and its variants; of allocator_traits, only those of the standard allocator. */
static const char *const allocators[] = {
	"std::allocator<",
	"std::__new_allocator<",
	"__gnu_cxx::new_allocator<",
	"__gnu_cxx::__alloc_traits<std::allocator<",
	"std::allocator_traits<std::allocator<",
	"std::__1::allocator<",
	"std::__1::allocator_traits<std::__1::allocator<",
};

/* Whatever follows: libc++'s helpers, which are templates or tagged; Rust's global allocator. */
static const char *const helpers[] = {
	"std::__1::__libcpp_allocate",
	"std::__1::__libcpp_operator_new",
	"std::__1::__allocate_at_least",
	"alloc::alloc::",
	"<alloc::alloc::Global",
};

static bool is_in(const char *const *list, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i], text) == 0)
			return true;
	return false;
}

static const char *after(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

static bool begins_in(const char *const *list, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (after(text, list[i]))
			return true;
	return false;
}

static bool is_operator_new(const char *name)
{
	const char *rest = after(name, "operator new"), *array;

	if (!rest)
		return false;
	array = after(rest, "[]");
	return is_in(new_parameters, COUNT(new_parameters), array ? array : rest);
}

static bool is_standard_allocator(const char *name)
{
	return begins_in(helpers, COUNT(helpers), name) ||
	       (begins_in(allocators, COUNT(allocators), name) && strstr(name, ">::allocate"));
}

bool allocator_frame_is(const struct profile_function *function)
{
	return is_in(names, COUNT(names), function->name) || is_operator_new(function->name) ||
	       is_standard_allocator(function->name);
}

/* Innermost ones. */
static uint32_t count_lines(const struct profile *profile, const struct profile_location *location)
{
	uint32_t count = 0;

	while (count < location->line_count &&
		allocator_frame_is(&profile->functions[location->lines[count].function]))
		count++;
	return count;
}

uint32_t allocator_frames_skip(struct profile *profile, uint32_t *locations, uint32_t depth)
{
	for (uint32_t i = 0; i < depth; i++) {
		struct profile_location rest = profile->locations[locations[i]];
		uint32_t skipped = count_lines(profile, &rest);

		if (skipped && skipped == rest.line_count)
			continue;
		rest.lines += skipped;
		rest.line_count -= skipped;
		if (skipped)
			locations[i] = profile_add_location(profile, &rest);
		return i;
	}
	return 0;
}

/* ---- all of a profile ------------------------------------------------------------------------ */

/* As pprof's own tools and servers call them, too. */
static bool is_heap_type(const char *type)
{
	const struct profile_kind *kind = profile_kind_of_type(type);

	return kind ? strcmp(kind->name, "heap") == 0
		    : strcmp(type, "alloc_space") == 0 || strcmp(type, "inuse_space") == 0;
}

static bool is_heap(const struct profile *profile)
{
	for (size_t i = 0; i < profile->type_count; i++)
		if (!is_heap_type(profile->types[i].type))
			return false;
	return profile->type_count > 0;
}

static void drop_from(struct profile *profile, struct profile_sample *sample)
{
	uint32_t *locations;
	uint32_t skipped;

	if (!sample->depth || !count_lines(profile, &profile->locations[sample->locations[0]]))
		return;
	locations = arena_array(&profile->arena, sample->depth, sizeof(*locations));
	memcpy(locations, sample->locations, sample->depth * sizeof(*locations));
	skipped = allocator_frames_skip(profile, locations, sample->depth);
	sample->locations = locations + skipped;
	sample->depth -= skipped;
}

void allocator_frames_drop(struct profile *profile)
{
	if (!is_heap(profile))
		return;
	for (size_t i = 0; i < profile->sample_count; i++)
		drop_from(profile, &profile->samples[i]);
}
