/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the shipped code makes of a check's recordings, and what simpler rules would have: one line.
 *
 *   judge RECORDINGS     judge --header
 *
 * Twice: as a check is judged, and "strict", where functions whose machine code is unchanged are
 * judged like all others.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/check/check.h"
#include "gate/check/decide/decide.h"
#include "gate/check/result.h"
#include "tests/bench/real/rivals.h"

static const char *const status_names[] = {
	[RESULT_PASS] = "pass",
	[RESULT_WARN] = "warn",
	[RESULT_FAIL] = "fail",
	[RESULT_ERROR] = "error",
	[RESULT_NEUTRAL] = "neutral",
};

static const char header[] = "strict,status,culprit,file,blame,culprit_change,culprit_low,culprit_"
			     "high,change,low,high,noise,mde_function,"
			     "stage1,stage2,turns_ms,measuring,cpu_seconds,log_mean,log_deviation,"
			     "mean_change,threshold,p,mann_whitney,"
			     "functions";

/* Names are other people's: what would break the line is left out. */
static void print_name(const char *name)
{
	for (; *name; name++)
		putchar(*name == ',' || *name == '"' || (unsigned char)*name < ' ' ? '?' : *name);
	putchar(',');
}

static void print_culprit(const struct result_benchmark *benchmark)
{
	const struct result_culprit *culprit = benchmark->culprits;

	if (!benchmark->culprit_count) {
		printf(",,,,,,");
		return;
	}
	print_name(benchmark->functions[culprit->function].name);
	print_name(benchmark->functions[culprit->function].file);
	printf("%s,%.6g,%.6g,%.6g,", culprit->blame == BLAME_SELF ? "self" : "called",
		culprit->change, culprit->low, culprit->high);
}

static void print_benchmark(const struct result_benchmark *benchmark)
{
	print_culprit(benchmark);
	printf("%.6g,%.6g,%.6g,%.6g,%.6g,%zu,%zu,", benchmark->total.change, benchmark->total.low,
		benchmark->total.high, benchmark->noise, benchmark->mde_function,
		benchmark->stage1_pairs, benchmark->stage2_pairs);
}

static double cpu_seconds(const struct measured_benchmark *measured)
{
	double sum = 0;

	for (int version = 0; version < VERSION_COUNT; version++)
		for (size_t i = 0; i < measured->recordings[version].round_count; i++)
			sum += measured->recordings[version].rounds[i].cpu_seconds;
	return sum;
}

/* What only the recordings know. */
static int print_rest(const struct measured_benchmark *measured, struct error *err)
{
	struct rivals rivals;
	int rc;

	if (!measured->recorded) {
		printf("0,%.3f,0,,,,,,,\n", measured->wall_seconds);
		return ERR_OK;
	}
	rc = rivals_decide(&measured->recordings[VERSION_BASE], &measured->recordings[VERSION_HEAD],
		&rivals, err);
	if (!rc)
		printf("%.3g,%.3f,%.3f,%.6g,%.6g,%.6g,%d,%.4g,%d,%d\n",
			(double)measured->recordings[VERSION_BASE].slice_ns / 1e6,
			measured->wall_seconds, cpu_seconds(measured), rivals.log_mean,
			rivals.log_deviation, rivals.change, rivals.threshold, rivals.p,
			rivals.mann_whitney, rivals.functions);
	return rc;
}

static int judge(const char *folder, struct error *err)
{
	struct check_options options = {.replay = folder, .strict = true};
	struct result *strict = NULL, *result = NULL;
	struct measurements *measurements = NULL;
	int rc = check_run(&options, &strict, err);

	options.strict = false;
	if (!rc)
		rc = check_run(&options, &result, err);
	if (!rc)
		rc = measurements_read(folder, &measurements, err);
	if (!rc && measurements->benchmark_count != 1)
		rc = error_set(err, ERR_USAGE, "%s: not one benchmark", folder);
	if (!rc) {
		printf("%s,%s,", status_names[strict->status], status_names[result->status]);
		print_benchmark(&result->benchmarks[0]);
		rc = print_rest(&measurements->benchmarks[0], err);
	}
	measurements_free(measurements);
	result_free(result);
	result_free(strict);
	return rc;
}

int main(int argc, char **argv)
{
	struct error err = {0};

	if (argc != 2) {
		fprintf(stderr, "usage: judge RECORDINGS | --header\n");
		return 2;
	}
	if (strcmp(argv[1], "--header") == 0) {
		printf("program,kind,number,%s\n", header);
		return 0;
	}
	if (judge(argv[1], &err)) {
		fprintf(stderr, "judge: %s: %s\n", argv[1], err.message);
		return 3;
	}
	return 0;
}
