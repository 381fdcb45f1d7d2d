/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/cli/init/init_try.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/scratch.h"
#include "gate/bench/build/build.h"
#include "gate/bench/harness/harness.h"
#include "gate/check/check.h"
#include "gate/check/result.h"
#include "gate/cli/init/init_reason.h"
#include "gate/cli/output.h"
#include "gate/vcs/repo.h"

/* As a check's: see policy.pairs, benchmarks[].repeat, and what is run before the pairs. */
#define LEAST_PAIRS 16
#define ROUND_SECONDS 1.0
#define RUNS_BEFORE 6

/* What one candidate has shown. */
struct trial {
	struct detect_candidate *candidate;
	const char *checkout; /* where all is built */
	size_t working, failed;
	double least_seconds, most_seconds; /* of CPU time a run */
	double check_seconds;
	const char *reason;   /* of the first that failed; NULL: none */
	const char *failures; /* their names in the entry, each ended by a line feed */
};

/* ---- which ---------------------------------------------------------------------------------- */

static bool is_worth_a_try(const struct detect_candidate *candidate)
{
	const struct harness *harness = harness_named(candidate->harness);

	return candidate->readiness == DETECT_RUNS || candidate->readiness == DETECT_TIMED ||
	       candidate->readiness == DETECT_UNRECOGNISED ||
	       (candidate->readiness == DETECT_NEEDS_COUNT && harness);
}

/* The configuration of these alone. */
static void write_config(const struct detection *found, struct detect_candidate *candidates,
	size_t count, struct strbuf *out)
{
	struct detection chosen = *found;

	chosen.candidates = candidates;
	chosen.candidate_count = count;
	detect_write_config(&chosen, out);
}

/* ---- running -------------------------------------------------------------------------------- */

static int record(const char *directory, const char *configuration, const char *folder,
	struct result **result, struct error *err)
{
	const struct record_options options = {
		.directory = directory,
		.configuration = configuration,
		.output = folder,
		.rounds = 1,
		.progress = output_progress,
	};

	return record_run(&options, result, err);
}

static bool is_of(const struct result_benchmark *benchmark, const char *candidate)
{
	size_t length = strlen(candidate);

	return strncmp(benchmark->name, candidate, length) == 0 &&
	       (!benchmark->name[length] || benchmark->name[length] == '/');
}

/* A part of a benchmark's name needs no quotes, and as a glob fits nothing else. */
static void take_failure(
	struct trial *trial, const struct result_benchmark *benchmark, struct arena *arena)
{
	const char *own = benchmark->name + strlen(trial->candidate->name);

	trial->failed++;
	if (!trial->reason)
		trial->reason = init_reason(arena, trial->checkout, benchmark->detail);
	if (*own == '/')
		trial->failures = arena_printf(
			arena, "%s%s\n", trial->failures ? trial->failures : "", own + 1);
}

static void take_result(
	struct trial *trial, const struct result_benchmark *benchmark, struct arena *arena)
{
	double seconds = benchmark->total.head;

	if (benchmark->status == RESULT_ERROR || !isfinite(seconds)) {
		take_failure(trial, benchmark, arena);
		return;
	}
	if (!trial->working || seconds < trial->least_seconds)
		trial->least_seconds = seconds;
	if (!trial->working || seconds > trial->most_seconds)
		trial->most_seconds = seconds;
	trial->working++;
	trial->check_seconds +=
		2 * LEAST_PAIRS * fmax(seconds, ROUND_SECONDS) + RUNS_BEFORE * seconds;
}

static void take_results(
	struct trial **trials, size_t count, const struct result *result, struct arena *arena)
{
	for (size_t i = 0; i < result->benchmark_count; i++)
		for (size_t k = 0; k < count; k++)
			if (is_of(&result->benchmarks[i], trials[k]->candidate->name))
				take_result(trials[k], &result->benchmarks[i], arena);
}

static void fail(struct trial *trial, const char *message, struct arena *arena)
{
	trial->failed = 1;
	trial->reason = init_reason(arena, trial->checkout, message);
}

/* What stands in a message as the command that failed: see build_make.c. */
static bool is_named_in(const struct detect_candidate *candidate, const char *message)
{
	const char *last = NULL;
	char quoted[256];

	for (size_t i = 0; i < DETECT_MAX_STEPS && candidate->build[i]; i++)
		last = candidate->build[i];
	if (!last || snprintf(quoted, sizeof(quoted), "`%s`", last) >= (int)sizeof(quoted))
		return false;
	return strstr(message, quoted);
}

/* All of these at once. */
static int try_together(const char *directory, struct detection *found, struct trial **trials,
	size_t count, const char *folder, struct error *err)
{
	struct detect_candidate *chosen = xcalloc(count, sizeof(*chosen));
	struct strbuf text = STRBUF_INIT;
	struct result *result = NULL;
	int rc;

	for (size_t i = 0; i < count; i++) {
		chosen[i] = *trials[i]->candidate;
		chosen[i].readiness = DETECT_RUNS;
	}
	write_config(found, chosen, count, &text);
	rc = record(directory, text.data, folder, &result, err);
	if (!rc)
		take_results(trials, count, result, &found->arena);
	result_free(result);
	strbuf_release(&text);
	free(chosen);
	return rc;
}

/* Those whose own last command is the one that failed, out of the others. */
static size_t drop_failed(
	struct trial **trials, size_t count, const char *message, struct arena *arena)
{
	size_t left = 0;

	for (size_t i = 0; i < count; i++) {
		if (is_named_in(trials[i]->candidate, message))
			fail(trials[i], message, arena);
		else
			trials[left++] = trials[i];
	}
	return left;
}

/* Together; without the one that does not build where that is known, else one by one: it must not
 * take the others along. */
static int try_these(const char *directory, struct detection *found, struct trial **trials,
	size_t count, const char *folder, struct error *err)
{
	int rc = ERR_BENCHMARK;

	while (count && rc == ERR_BENCHMARK) {
		size_t left;

		rc = try_together(directory, found, trials, count, folder, err);
		if (rc != ERR_BENCHMARK)
			return rc;
		left = drop_failed(trials, count, err->message, &found->arena);
		if (left == count && count == 1) {
			fail(trials[0], err->message, &found->arena);
			return ERR_OK;
		}
		if (left < count) {
			count = left;
			continue;
		}
		for (rc = ERR_OK; count > 0 && !rc; count--)
			rc = try_these(directory, found, &trials[count - 1], 1, folder, err);
	}
	return rc == ERR_BENCHMARK ? ERR_OK : rc;
}

/* ---- saying it ------------------------------------------------------------------------------ */

static void say_trial(const struct trial *trial)
{
	const struct detect_candidate *candidate = trial->candidate;

	printf("  %-20s", candidate->name);
	if (trial->working)
		printf(" %zu benchmark%s%s%s, %.2g to %.2g s of CPU time a run, the same work in each, "
		       "about %.0f min a check\n",
			trial->working, trial->working == 1 ? "" : "s",
			*candidate->harness ? " of " : "", candidate->harness, trial->least_seconds,
			trial->most_seconds, ceil(trial->check_seconds / 60));
	if (trial->failed)
		printf("%s %zu not measured: %s\n", trial->working ? "                      " : "",
			trial->failed, trial->reason ? trial->reason : "");
	if (!trial->working && !trial->failed)
		puts(" nothing ran");
}

static void say_trials(const struct trial *trials, size_t count)
{
	double seconds = 0;

	puts("Tried, once each at HEAD");
	for (size_t i = 0; i < count; i++) {
		say_trial(&trials[i]);
		seconds += trials[i].check_seconds;
	}
	if (!count)
		puts("  nothing: no benchmark was found");
	else
		printf("  in all              about %.0f min a check of a change that reaches all, "
		       "without building\n",
			ceil(seconds / 60));
}

/* What works is proposed, and nothing else. */
static void judge(const struct trial *trial)
{
	struct detect_candidate *candidate = trial->candidate;

	if (trial->working) {
		candidate->readiness = DETECT_RUNS;
		candidate->advice = trial->failures ? trial->reason : "";
		candidate->exclude = trial->failures ? trial->failures : "";
		return;
	}
	if (candidate->readiness == DETECT_TIMED)
		candidate->readiness = DETECT_NEEDS_COUNT;
	else if (candidate->readiness != DETECT_NEEDS_COUNT)
		candidate->readiness = DETECT_UNSUPPORTED;
	if (trial->reason)
		candidate->advice = trial->reason;
}

static int try_all(const char *directory, struct detection *found, struct trial *trials,
	size_t count, struct error *err)
{
	struct trial **order = xcalloc(count + 1, sizeof(*order));
	struct scratch scratch = {0};
	char *folder = NULL;
	int rc = scratch_make(&scratch, err);

	for (size_t i = 0; i < count; i++)
		order[i] = &trials[i];
	if (!rc)
		folder = file_join(scratch.path, "try");
	if (!rc && count)
		rc = try_these(directory, found, order, count, folder, err);
	scratch_remove(&scratch);
	free(folder);
	free(order);
	return rc;
}

int init_try(struct repo *repo, struct detection *found, struct error *err)
{
	struct trial *trials = xcalloc(found->candidate_count + 1, sizeof(*trials));
	struct build_cache cache = {.lock_fd = -1};
	size_t count = 0;
	int rc = build_cache_open(&cache, repo, err);

	for (size_t i = 0; i < found->candidate_count && !rc; i++)
		if (is_worth_a_try(&found->candidates[i]))
			trials[count++] = (struct trial){
				.candidate = &found->candidates[i], .checkout = cache.build_path};
	if (!rc)
		rc = try_all(repo_root(repo), found, trials, count, err);
	if (!rc) {
		say_trials(trials, count);
		for (size_t i = 0; i < count; i++)
			judge(&trials[i]);
		detect_sort(found);
	}
	build_cache_release(&cache);
	free(trials);
	return rc;
}
