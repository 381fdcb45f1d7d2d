/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/self_test/self_test.h"

#include <stdlib.h>
#include <time.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/map.h"
#include "gate/check/measure/measure.h"
#include "gate/check/runs/measure_side.h"
#include "gate/check/runs/work_judge.h"
#include "gate/check/self_test/self_test_judge.h"

#define WORK_PAIRS 6

struct tester {
	const struct self_test_options *options;
	struct self_test *test;
	struct slowdown_place code;
};

static uint64_t seed_of(const struct self_test_options *options)
{
	struct timespec t;

	if (options->seed)
		return options->seed;
	clock_gettime(CLOCK_REALTIME, &t);
	return hash_bytes(&t, sizeof(t), 0) >> 16; /* short enough to be typed */
}

static void say(const struct tester *tester, const char *line)
{
	if (tester->options->progress)
		tester->options->progress(tester->options->progress_data, line);
}

/*
 * One gate by check's own way; its recordings stay in <output>/<part>. Both versions are the same
 * code on purpose: that must excuse nothing.
 */
static int measure(const struct tester *tester, const char *part, const struct check_plant *plant,
	struct measurements **measurements, struct error *err)
{
	const struct self_test_options *options = tester->options;
	const char *only[] = {tester->test->benchmark, NULL};
	char *folder = file_join(options->output, part);
	const struct check_options check = {
		.directory = options->directory,
		.no_store = true,
		.output = folder,
		.only = only,
		.measure_identical = true,
		.seed = tester->test->seed,
		.mechanism = options->mechanism,
		.plant = plant,
		.progress = options->progress,
		.progress_data = options->progress_data,
	};
	int rc = file_mkdirs(folder, err);

	if (!rc)
		rc = measure_check(&check, measurements, err);
	if (!rc)
		(*measurements)->strict = true;
	free(folder);
	return rc;
}

/* In both versions the variable stands, equally long; in base it says nothing. */
static bool plant_code(const struct tester *tester, const struct slowdown_place *code, double part,
	struct check_plant *plant)
{
	struct arena *arena = &tester->test->arena;

	plant->slowdown[VERSION_BASE] = slowdown_text(code, 0, arena);
	plant->slowdown[VERSION_HEAD] = slowdown_text(code, part, arena);
	return plant->slowdown[VERSION_BASE] && plant->slowdown[VERSION_HEAD];
}

static int test_null(struct tester *tester, bool *right, struct error *err)
{
	const struct check_plant plant = {.pairs = 0};
	struct measurements *measurements = NULL;
	int rc;

	say(tester, "self-test: head against itself, which must pass");
	rc = measure(tester, "null", &plant, &measurements, err);
	if (rc)
		return rc;
	*right = self_test_judge_null(tester->test, measurements) &&
		 self_test_judge_places(tester->test, measurements, &tester->code);
	measurements_free(measurements);
	return ERR_OK;
}

static int test_work(struct tester *tester, bool *right, struct error *err)
{
	const struct slowdown_place everywhere = {.module = ""};
	struct check_plant plant = {.pairs = WORK_PAIRS};
	struct measurements *measurements = NULL;
	int rc;

	plant_code(tester, &everywhere, WORK_PART, &plant);
	say(tester, "self-test: head slowed down all over, to see whether its work is fixed");
	rc = measure(tester, "work", &plant, &measurements, err);
	if (rc)
		return rc;
	*right = self_test_judge_work(tester->test, measurements);
	measurements_free(measurements);
	return ERR_OK;
}

static int test_planted(struct tester *tester, bool *right, struct error *err)
{
	struct check_plant plant = {.pairs = 0};
	struct measurements *measurements = NULL;
	int rc;

	if (!plant_code(tester, &tester->code, tester->test->picked_part, &plant)) {
		tester->test->outcome = SELF_TEST_NO_PLACE;
		tester->test->detail = "the sampler cannot be told where the picked function lies";
		*right = false;
		return ERR_OK;
	}
	say(tester, arena_printf(&tester->test->arena,
			    "self-test: head with +%.3g %% planted in %s, which must fail",
			    100 * tester->test->slowdown, tester->test->picked));
	rc = measure(tester, "planted", &plant, &measurements, err);
	if (rc)
		return rc;
	*right = self_test_judge_planted(tester->test, measurements);
	measurements_free(measurements);
	return ERR_OK;
}

/* The cheap question comes before the long measurement. */
static int run_tests(struct tester *tester, struct error *err)
{
	bool right = false;
	int rc = test_null(tester, &right, err);

	if (!rc && right)
		rc = test_work(tester, &right, err);
	if (!rc && right)
		rc = test_planted(tester, &right, err);
	return rc;
}

int self_test_run(const struct self_test_options *options, struct self_test *out, struct error *err)
{
	struct tester tester = {.options = options, .test = out};
	double start = monotonic_seconds();
	int rc;

	*out = (struct self_test){.slowdown = options->slowdown,
		.seed = seed_of(options),
		.detail = "",
		.blamed = ""};
	arena_init(&out->arena);
	out->benchmark = arena_strdup(&out->arena, options->benchmark);
	rc = run_tests(&tester, err);
	out->wall_seconds = monotonic_seconds() - start;
	return rc;
}

void self_test_release(struct self_test *test)
{
	arena_release(&test->arena);
}
