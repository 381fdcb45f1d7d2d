/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/profile_kind.h"

#include <string.h>

#include "gate/profile/capture/capture_read.h"

#define BIT(kind) (UINT32_C(1) << (kind))
#define TYPES(list) .types = list, .type_count = sizeof(list) / sizeof((list)[0])

static const struct profile_value_type cpu_types[] = {
	{PROFILE_TYPE_SAMPLES, "count"},
	{PROFILE_TYPE_CPU, "nanoseconds"},
	{PROFILE_TYPE_CPU_SQUARES, "microseconds_squared"},
};
static const struct profile_value_type wall_types[] = {
	{PROFILE_TYPE_SAMPLES, "count"},
	{"wall", "nanoseconds"},
};
static const struct profile_value_type heap_types[] = {
	{"alloc_objects", "count"},
	{"alloc_bytes", "bytes"},
	{"inuse_objects", "count"},
	{"inuse_bytes", "bytes"},
	{"peak_objects", "count"},
	{"peak_bytes", "bytes"},
	{"mmap_objects", "count"},
	{"mmap_bytes", "bytes"},
};
static const struct profile_value_type lock_types[] = {
	{"contentions", "count"},
	{"delay", "nanoseconds"},
};
static const struct profile_value_type instruction_types[] = {
	{"instructions", "count"},
};

static const char *const nothing_exact[] = {NULL};
static const char *const heap_exact[] = {
	"alloc_objects", "alloc_bytes", "peak_bytes", "inuse_bytes", NULL};
static const char *const instructions_exact[] = {"instructions", NULL};

const struct profile_kind profile_kinds[] = {
	{.name = "cpu",
		.meaning = "CPU time",
		.sampler = "cpu",
		.captures = BIT(CAPTURE_CPU),
		TYPES(cpu_types),
		.default_type = 1,
		.exact_types = nothing_exact},
	{.name = "wall",
		.meaning = "elapsed time, running or waiting",
		.sampler = "wall",
		.captures = BIT(CAPTURE_CPU) | BIT(CAPTURE_OFF_CPU),
		TYPES(wall_types),
		.default_type = 1,
		.exact_types = nothing_exact},
	{.name = "heap",
		.meaning = "allocations and the heap",
		.sampler = "heap",
		.captures = BIT(CAPTURE_HEAP) | BIT(CAPTURE_MAPPED),
		TYPES(heap_types),
		.default_type = 1,
		.exact_types = heap_exact},
	{.name = "lock",
		.meaning = "waits for locks",
		.sampler = "lock",
		.captures = BIT(CAPTURE_MUTEX) | BIT(CAPTURE_RWLOCK) | BIT(CAPTURE_CONDITION) |
			    BIT(CAPTURE_FUTEX),
		TYPES(lock_types),
		.default_type = 1,
		.exact_types = nothing_exact},
	{.name = "instructions",
		.meaning = "instructions executed",
		TYPES(instruction_types),
		.exact_types = instructions_exact},
	{.name = NULL},
};

const struct profile_kind *profile_kind_find(const char *name)
{
	for (const struct profile_kind *kind = profile_kinds; kind->name; kind++)
		if (strcmp(kind->name, name) == 0)
			return kind;
	return NULL;
}

const struct profile_kind *profile_kind_of_type(const char *type)
{
	for (const struct profile_kind *kind = profile_kinds; kind->name; kind++)
		for (size_t i = 0; i < kind->type_count; i++)
			if (strcmp(kind->types[i].type, type) == 0)
				return kind;
	return NULL;
}
