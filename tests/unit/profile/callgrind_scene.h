/* SPDX-License-Identifier: Apache-2.0 */
/* callgrind files as text in, stacks as text out. */
#ifndef FG_TESTS_PROFILE_CALLGRIND_SCENE_H
#define FG_TESTS_PROFILE_CALLGRIND_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/strbuf.h"
#include "gate/profile/callgrind/callgrind.h"

#define HEAD "# callgrind format\nversion: 1\nevents: Ir\n"

static inline struct profile *profile_of(const char *text, const struct callgrind_limits *limits)
{
	const struct callgrind_options options = {.round = 3};
	struct callgrind *callgrind = callgrind_new(limits);
	struct profile *profile = profile_new();
	struct error err;

	if (callgrind_add(callgrind, text, strlen(text), "test", &err) ||
		callgrind_add_samples(callgrind, &options, profile, &err))
		fail_msg("%s", err.message);
	callgrind_free(callgrind);
	return profile;
}

static inline const struct profile_line *frame_of(
	const struct profile *profile, const struct profile_sample *sample, uint32_t depth)
{
	return &profile->locations[sample->locations[depth]].lines[0];
}

static inline const char *name_of(
	const struct profile *profile, const struct profile_sample *sample, uint32_t depth)
{
	return profile->functions[frame_of(profile, sample, depth)->function].name;
}

static inline int64_t grand_total(const struct profile *profile)
{
	int64_t sum = 0;

	for (size_t i = 0; i < profile->sample_count; i++)
		sum += profile->samples[i].values[0];
	return sum;
}

static inline int64_t self_of(const struct profile *profile, const char *name)
{
	int64_t sum = 0;

	for (size_t i = 0; i < profile->sample_count; i++)
		if (strcmp(name_of(profile, &profile->samples[i], 0), name) == 0)
			sum += profile->samples[i].values[0];
	return sum;
}

static inline int64_t line_of(const struct profile *profile, const char *name, int64_t line)
{
	int64_t sum = 0;

	for (size_t i = 0; i < profile->sample_count; i++)
		if (strcmp(name_of(profile, &profile->samples[i], 0), name) == 0 &&
			frame_of(profile, &profile->samples[i], 0)->line == line)
			sum += profile->samples[i].values[0];
	return sum;
}

static inline int64_t total_of(const struct profile *profile, const char *name)
{
	int64_t sum = 0;

	for (size_t i = 0; i < profile->sample_count; i++)
		for (uint32_t d = 0; d < profile->samples[i].depth; d++)
			if (strcmp(name_of(profile, &profile->samples[i], d), name) == 0) {
				sum += profile->samples[i].values[0];
				break;
			}
	return sum;
}

/* The cost of exactly this stack: "main;work;leaf". */
static inline int64_t stack_of(const struct profile *profile, const char *stack)
{
	struct strbuf text = STRBUF_INIT;
	int64_t sum = 0;

	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];

		strbuf_reset(&text);
		for (uint32_t d = sample->depth; d--;)
			strbuf_addf(&text, "%s%s", name_of(profile, sample, d), d ? ";" : "");
		if (strcmp(text.data, stack) == 0)
			sum += sample->values[0];
	}
	strbuf_release(&text);
	return sum;
}

static inline int refusal(
	const char *text, const struct callgrind_limits *limits, struct error *err)
{
	struct callgrind *callgrind = callgrind_new(limits);
	int rc = callgrind_add(callgrind, text, strlen(text), "test", err);

	callgrind_free(callgrind);
	return rc;
}

/* The text is refused with this code, and the message has this part. */
static inline void assert_refused(const char *text, int code, const char *part)
{
	struct error err = {0};
	int rc = refusal(text, NULL, &err);

	if (rc != code)
		fail_msg("%d, not %d: %s", rc, code, err.message);
	if (!strstr(err.message, part))
		fail_msg("\"%s\" is not in \"%s\"", part, err.message);
}

#endif
