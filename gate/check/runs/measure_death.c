/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/runs/measure_death.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/bench/leavings.h"
#include "gate/profile/pprof.h"
#include "gate/profile/symbolize/symbolize.h"

#define IN_USE "inuse_bytes"
#define MIB 1048576.0
#define MOST_NAME 80 /* of the function's name that the message shows */

/* ---- was it memory? ------------------------------------------------------------------------ */

/* What programs say when malloc() refuses: a limit of the address space kills nobody. */
static bool says_so(const struct run *run)
{
	static const char *const words[] = {"bad_alloc", "out of memory", "Out of memory",
		"Cannot allocate memory", "MemoryError", "memory exhausted"};
	struct strbuf tail = STRBUF_INIT;
	bool found = false;

	if (run->output_path)
		outputs_tail(&tail, run->output_path, run->error_path);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && tail.length; i++)
		found = found || strstr(tail.data, words[i]);
	strbuf_release(&tail);
	return found;
}

bool died_for_memory(const struct run *run)
{
	const struct process_result *process = &run->process;

	if (process->timed_out || (!process->signal && !process->exit_status))
		return false;
	/* A shell reports its child's signal as a status. */
	return process->signal == SIGKILL || process->exit_status == 128 + SIGKILL || says_so(run);
}

/* ---- what it had in use -------------------------------------------------------------------- */

/* The function that the most was allocated by directly; NULL: there is none. */
static const char *largest_holder(const struct profile *profile, int type, double *bytes)
{
	double *sums = xcalloc(profile->function_count + 1, sizeof(*sums));
	size_t most = profile->function_count;
	const char *name = NULL;

	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];
		const struct profile_location *leaf =
			sample->depth ? &profile->locations[sample->locations[0]] : NULL;

		if (leaf && leaf->line_count)
			sums[leaf->lines[0].function] += (double)sample->values[type];
	}
	for (size_t f = 0; f < profile->function_count; f++)
		if (sums[f] > sums[most])
			most = f;
	if (most < profile->function_count) {
		name = profile->functions[most].name;
		*bytes = sums[most];
	}
	free(sums);
	return name;
}

static double sum_of(const struct profile *profile, int type)
{
	double sum = 0;

	for (size_t i = 0; i < profile->sample_count; i++)
		sum += (double)profile->samples[i].values[type];
	return sum;
}

static void describe(
	const struct profile *profile, const char *path, const char *when, struct strbuf *text)
{
	int type = profile_find_type(profile, IN_USE);
	double bytes = 0;
	const char *holder = largest_holder(profile, type, &bytes);

	strbuf_addf(text, " In use %s: %.1f MiB", when, sum_of(profile, type) / MIB);
	if (holder)
		strbuf_addf(
			text, ", of it %.1f MiB allocated by %.*s", bytes / MIB, MOST_NAME, holder);
	strbuf_addf(text, ". The profile: %s", path);
}

static char *death_path(const struct version_runs *runs)
{
	struct strbuf path = STRBUF_INIT;

	strbuf_addf(
		&path, "%s/%s-%s-in-use.pb.gz", runs->output, runs->slug, runs->recording->role);
	return strbuf_detach(&path, NULL);
}

static int write_in_use(const struct version_runs *runs, const struct run *run, const char *when,
	struct strbuf *text, struct error *err)
{
	struct profile *profile = profile_new();
	char *path = death_path(runs);
	int rc = symbolizer_add_captures(
		runs->symbolizer, &run->captures, run->kind, 0, profile, err);

	if (!rc && !profile->sample_count)
		rc = error_set(err, ERR_MEASURE, "no allocation of it was seen");
	if (!rc) {
		profile->default_type = (size_t)profile_find_type(profile, IN_USE);
		rc = pprof_write_file(profile, path, err);
	}
	if (!rc)
		describe(profile, path, when, text);
	free(path);
	profile_free(profile);
	return rc;
}

static bool looked_at_heap(const struct run *run)
{
	return run->kind->captures >> CAPTURE_HEAP & 1;
}

/* Once more, with the heap. */
static int repeat(struct version_runs *runs, struct strbuf *text, struct error *err)
{
	struct run_options options = runs->options;
	struct error death = {0};
	struct run run = {0};
	int rc;

	options.kind = profile_kind_find("heap");
	rc = run_execute(&options, &run, &death);
	if (rc && rc != ERR_BENCHMARK)
		*err = death;
	else
		rc = write_in_use(runs, &run,
			rc ? "at its death, in a run with the heap's profile"
			   : "at the end of a run with the heap's profile, which it survived",
			text, err);
	run_release(&run);
	return rc;
}

/* The profile comes first: the program's last words may fill the message. */
static void explain(const char *text, struct error *err)
{
	struct error own = *err;

	error_set(
		err, own.code, "killed, most likely for want of memory.%s\n%s", text, own.message);
}

int death_describe(struct version_runs *runs, const struct run *run, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	struct error lost = {0};
	int rc;

	if (!runs->output || run->clock.stopped || !died_for_memory(run))
		return err->code;
	rc = looked_at_heap(run) ? write_in_use(runs, run, "at its death", &text, &lost)
				 : repeat(runs, &text, &lost);
	if (rc)
		strbuf_addf(&text, " What it had in use could not be written: %s", lost.message);
	if (rc == ERR_INTERRUPTED)
		*err = lost;
	else
		explain(text.data, err);
	strbuf_release(&text);
	return err->code;
}
