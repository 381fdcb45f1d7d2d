/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of counted runs share: how a command is run, and what a function costs. */
#ifndef FG_TESTS_BENCH_INSTRUCTIONS_SCENE_H
#define FG_TESTS_BENCH_INSTRUCTIONS_SCENE_H

#include "gate/bench/instructions/instructions_internal.h"
#include "tests/unit/bench/scene.h"

static inline struct run_options options_for(const struct scene *scene, const char *const *argv)
{
	static const char *env[] = {"PATH=/usr/bin:/bin", NULL};

	return (struct run_options){
		.argv = argv, .env = env, .directory = scene->dir, .scratch = at(scene, "scratch")};
}

static inline int64_t self_of(const struct profile *profile, const char *name)
{
	int64_t sum = 0;

	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];
		const struct profile_location *leaf = &profile->locations[sample->locations[0]];

		if (strcmp(profile->functions[leaf->lines[0].function].name, name) == 0)
			sum += sample->values[0];
	}
	return sum;
}

#endif
