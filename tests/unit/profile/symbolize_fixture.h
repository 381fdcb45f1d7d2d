/* SPDX-License-Identifier: Apache-2.0 */
/* For the symbolizer's tests: the compiled fixtures, and captures made by hand. */
#ifndef FG_TESTS_SYMBOLIZE_FIXTURE_H
#define FG_TESTS_SYMBOLIZE_FIXTURE_H

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "gate/profile/symbolize/symbolize_internal.h"

/* The fixtures lie beside the folder of the test's binary. */
static inline const char *fixture_path(const char *name)
{
	static char paths[8][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % 8];
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 128);
	assert_true(length > 0);
	path[length] = '\0';
	snprintf(strrchr(path, '/'), 128, "/../fixture/%s", name);
	return path;
}

/* The link-time address of a fixture's dynamic symbol, or an absolute symbol's value. */
static inline uint64_t fixture_symbol(const char *object, const char *symbol)
{
	struct link_map *map;
	void *handle = dlopen(fixture_path(object), RTLD_NOW);
	assert_non_null(handle);
	assert_int_equal(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
	uint64_t address = (uint64_t)(uintptr_t)dlsym(handle, symbol);
	assert_true(address != 0);
	return strncmp(symbol, "line_", 5) == 0 ? address : address - map->l_addr;
}

/* One process, one module, one single-frame stack for each address. */
struct fixture_capture {
	struct capture_set set;
	struct capture_process process;
	struct capture_module module;
	struct capture_frame frames[16];
	struct capture_stack stacks[16];
	struct capture_sample entries[16];
};

static inline void fixture_capture_init(
	struct fixture_capture *capture, const char *path, const char *build_id)
{
	memset(capture, 0, sizeof(*capture));
	capture->module = (struct capture_module){
		path, build_id, 0x7f0000001000, 0x7f0000002000, 0x7f0000000000};
	capture->process.executable = "";
	capture->process.rate_hz = 997;
	capture->process.modules = &capture->module;
	capture->process.module_count = 1;
	capture->process.stacks = capture->stacks;
	capture->process.entries = capture->entries;
	capture->set.processes = &capture->process;
	capture->set.process_count = 1;
}

static inline void fixture_capture_add(
	struct fixture_capture *capture, uint32_t module, uint64_t address, bool exact)
{
	uint32_t i = (uint32_t)capture->process.stack_count++;
	assert_true(i < 16);
	capture->process.entry_count++;
	capture->frames[i] = (struct capture_frame){module, exact, address};
	capture->stacks[i] = (struct capture_stack){&capture->frames[i], 1, 0, true};
	capture->entries[i] =
		(struct capture_sample){.stack = i, .count = 1, .sum = 1000, .sum_squares = 1e6};
}

static inline struct profile *fixture_profile(
	struct symbolizer *symbolizer, const struct fixture_capture *capture)
{
	struct error err = {0};
	struct profile *profile = profile_new();
	int code =
		symbolizer_add_captures(symbolizer, &capture->set, profile_kinds, 0, profile, &err);
	assert_string_equal(err.message, "");
	assert_int_equal(code, ERR_OK);
	return profile;
}

static inline const struct profile_location *fixture_location(
	const struct profile *profile, size_t sample)
{
	assert_true(sample < profile->sample_count);
	assert_int_equal(profile->samples[sample].depth, 1);
	return &profile->locations[profile->samples[sample].locations[0]];
}

static inline const struct profile_function *fixture_function(
	const struct profile *profile, size_t sample, uint32_t line)
{
	const struct profile_location *location = fixture_location(profile, sample);
	assert_true(line < location->line_count);
	return &profile->functions[location->lines[line].function];
}

/* Symbolises one exact address of one module. */
static inline struct profile *fixture_one(const char *path, const char *build_id, uint64_t address)
{
	struct fixture_capture capture;
	struct symbolizer *symbolizer = symbolizer_new(NULL);
	fixture_capture_init(&capture, path, build_id);
	fixture_capture_add(&capture, 0, address, true);
	struct profile *profile = fixture_profile(symbolizer, &capture);
	symbolizer_free(symbolizer);
	return profile;
}

/* Whether a comment starts with "warning: no names for " and holds text. */
static inline bool fixture_warned(const struct profile *profile, const char *text)
{
	for (size_t i = 0; i < profile->comment_count; i++)
		if (strncmp(profile->comments[i], "warning: ", 9) == 0 &&
			strstr(profile->comments[i], text) != NULL)
			return true;
	return false;
}

#endif
