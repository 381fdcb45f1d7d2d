/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements as a check leaves them, made from numbers: a benchmark of a few functions, seeded
 * noise. */
#ifndef FG_TESTS_CHECK_SYNTHETIC_H
#define FG_TESTS_CHECK_SYNTHETIC_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gate/bench/recording/recording.h"
#include "gate/check/decide/decide.h"
#include "gate/check/measurements/measurements.h"
#include "gate/check/runs/version_runs.h"
#include "tests/unit/compare/support.h"

#define SYNTHETIC_ROUNDS 40
#define SYNTHETIC_RATE 1000.0

struct synthetic_function {
	const char *stack; /* "main;parse"; in another file than src/a.c: "hash@src/b.c" */
	double share[VERSION_COUNT]; /* seconds per run */
};

static inline double synthetic_uniform(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static inline double synthetic_normal(uint64_t *state)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += synthetic_uniform(state);
	return sum;
}

/* Poisson by its normal approximation: the functions here have dozens of samples a run. */
static inline int64_t synthetic_count(double mean, uint64_t *state)
{
	double count = mean + sqrt(mean) * synthetic_normal(state);

	return count > 0 ? (int64_t)(count + 0.5) : 0;
}

static inline void synthetic_add(
	struct profile *profile, const char *stack, int64_t samples, int64_t round)
{
	const char *file = strchr(stack, '@');
	char names[256];

	snprintf(names, sizeof(names), "%.*s", (int)strcspn(stack, "@"), stack);
	support_add(profile, names, file ? file + 1 : "src/a.c", samples, round);
}

static inline void synthetic_round(struct recording *recording, int version, size_t round,
	const struct synthetic_function *functions, size_t count, uint64_t *state)
{
	struct recording_round *out = &recording->rounds[round];
	double speed = 1 + 0.02 * synthetic_normal(state);

	*out = (struct recording_round){.iterations = 1,
		.wall_seconds = 1,
		.order = (uint32_t)((round + (size_t)version) % 2),
		.processes = 1};
	for (size_t i = 0; i < count; i++) {
		double seconds = functions[i].share[version] * speed;
		int64_t samples = synthetic_count(seconds * SYNTHETIC_RATE, state);

		out->cpu_seconds += seconds;
		if (samples <= 0)
			continue;
		synthetic_add(recording->profile, functions[i].stack, samples, (int64_t)round);
		out->samples += (uint64_t)samples;
		out->sampled_seconds += (double)samples / SYNTHETIC_RATE;
	}
	out->complete = out->samples;
}

/* One measured benchmark; the versions' noise comes from seed alone. */
static inline struct measurements *synthetic_measurements(
	const struct synthetic_function *functions, size_t count, uint64_t seed)
{
	struct measurements *measurements = measurements_new("check");
	struct measured_benchmark *benchmark =
		measurements_add_benchmark(measurements, "bench", "bench", "./bench");
	struct config_policy policy = config_policy_default();

	measurements->date = "2026-01-01T00:00:00Z";
	measurements->policy_origin = "main:.flamegate.yml";
	benchmark->recorded = true;
	for (int version = 0; version < VERSION_COUNT; version++) {
		struct recording *recording = &benchmark->recordings[version];

		recording_begin(recording, "bench", "./bench", version_names[version], &policy);
		recording->mechanism = "perf";
		recording->branch = "";
		recording->profile_type = RECORDING_TYPE_CPU;
		recording->rate_hz = 997;
		profile_free(recording->profile);
		recording->profile = support_profile();
		recording->rounds = arena_array(
			&recording->arena, SYNTHETIC_ROUNDS, sizeof(*recording->rounds));
		for (size_t b = 0; b < SYNTHETIC_ROUNDS; b++)
			synthetic_round(recording, version, b, functions, count, &seed);
		recording->round_count = SYNTHETIC_ROUNDS;
	}
	return measurements;
}

#endif
