/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/cli/init/init_try.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/scratch.h"
#include "gate/bench/harness/harness.h"
#include "gate/check/check.h"
#include "gate/check/result.h"
#include "gate/cli/output.h"

#define REASON_BYTES 300
#define REASON_BEGIN_BYTES 120
/* As a check's: see policy.pairs, benchmarks[].repeat, and what is run before the pairs. */
#define LEAST_PAIRS 16
#define ROUND_SECONDS 1.0
#define RUNS_BEFORE 6

/* What one candidate has shown. */
struct trial {
	struct detect_candidate *candidate;
	size_t working, failed;
	double least_seconds, most_seconds; /* of CPU time a run */
	double check_seconds;
	const char *reason; /* of the first that failed; NULL: none */
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

/* Where this machine keeps a log is nothing for a file of the repository. */
static void add_without_log(struct strbuf *out, const char *text)
{
	static const char begin[] = " (whole log: ", end[] = ")";
	const char *at = strstr(text, begin), *behind = at ? strstr(at, end) : NULL;

	if (behind) {
		strbuf_add(out, text, (size_t)(at - text));
		text = behind + sizeof(end) - 1;
	}
	strbuf_addstr(out, text);
}

/* What failed stands at the beginning, and of what it printed the last words say why. */
static char *shortened(struct arena *arena, const struct strbuf *text)
{
	if (text->length <= REASON_BYTES)
		return arena_strndup(arena, text->data, text->length);
	return arena_printf(arena, "%.*s ... %s", REASON_BEGIN_BYTES, text->data,
		text->data + text->length - (REASON_BYTES - REASON_BEGIN_BYTES));
}

/* The arena's: one line of printable ASCII without quotes, single blanks. */
static const char *plain_reason(struct arena *arena, const char *text)
{
	struct strbuf whole = STRBUF_INIT;
	char *reason;
	size_t length = 0;

	add_without_log(&whole, text);
	reason = shortened(arena, &whole);
	for (const char *at = reason; *at; at++) {
		bool is_plain = *at > ' ' && *at <= '~' && !strchr("'\"#", *at);

		if (is_plain || (length && reason[length - 1] != ' '))
			reason[length++] = is_plain ? *at : ' ';
	}
	reason[length] = '\0';
	strbuf_release(&whole);
	return reason;
}

static bool is_of(const struct result_benchmark *benchmark, const char *candidate)
{
	size_t length = strlen(candidate);

	return strncmp(benchmark->name, candidate, length) == 0 &&
	       (!benchmark->name[length] || benchmark->name[length] == '/');
}

static void take_result(
	struct trial *trial, const struct result_benchmark *benchmark, struct arena *arena)
{
	double seconds = benchmark->total.head;

	if (benchmark->status == RESULT_ERROR || !isfinite(seconds)) {
		trial->failed++;
		if (!trial->reason)
			trial->reason = plain_reason(arena, benchmark->detail);
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
	struct trial *trials, size_t count, const struct result *result, struct arena *arena)
{
	for (size_t i = 0; i < result->benchmark_count; i++)
		for (size_t k = 0; k < count; k++)
			if (is_of(&result->benchmarks[i], trials[k].candidate->name))
				take_result(&trials[k], &result->benchmarks[i], arena);
}

static void fail_all(struct trial *trials, size_t count, const char *message, struct arena *arena)
{
	for (size_t i = 0; i < count; i++) {
		trials[i].failed = 1;
		trials[i].reason = plain_reason(arena, message);
	}
}

/* Together where that builds, else one by one: one that does not build must not take the others
 * along. */
static int try_these(const char *directory, struct detection *found, struct trial *trials,
	size_t first, size_t count, const char *folder, struct error *err)
{
	struct detect_candidate *chosen = xcalloc(count, sizeof(*chosen));
	struct strbuf text = STRBUF_INIT;
	struct result *result = NULL;
	int rc;

	for (size_t i = 0; i < count; i++) {
		chosen[i] = *trials[first + i].candidate;
		chosen[i].readiness = DETECT_RUNS;
	}
	write_config(found, chosen, count, &text);
	rc = record(directory, text.data, folder, &result, err);
	if (!rc)
		take_results(trials + first, count, result, &found->arena);
	result_free(result);
	strbuf_release(&text);
	free(chosen);
	if (rc != ERR_BENCHMARK)
		return rc;
	if (count == 1)
		fail_all(trials + first, count, err->message, &found->arena);
	for (rc = ERR_OK; count > 1 && first < count && !rc; first++)
		rc = try_these(directory, found, trials, first, 1, folder, err);
	return rc;
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
		candidate->advice = "";
		return;
	}
	if (candidate->readiness == DETECT_TIMED)
		candidate->readiness = DETECT_NEEDS_COUNT;
	else if (candidate->readiness != DETECT_NEEDS_COUNT)
		candidate->readiness = DETECT_UNSUPPORTED;
	if (trial->reason)
		candidate->advice = trial->reason;
}

int init_try(const char *directory, struct detection *found, struct error *err)
{
	struct trial *trials = xcalloc(found->candidate_count + 1, sizeof(*trials));
	struct scratch scratch = {0};
	size_t count = 0;
	char *folder = NULL;
	int rc = scratch_make(&scratch, err);

	for (size_t i = 0; i < found->candidate_count; i++)
		if (is_worth_a_try(&found->candidates[i]))
			trials[count++].candidate = &found->candidates[i];
	if (!rc)
		folder = file_join(scratch.path, "try");
	if (!rc && count)
		rc = try_these(directory, found, trials, 0, count, folder, err);
	if (!rc) {
		say_trials(trials, count);
		for (size_t i = 0; i < count; i++)
			judge(&trials[i]);
		detect_sort(found);
	}
	scratch_remove(&scratch);
	free(folder);
	free(trials);
	return rc;
}
