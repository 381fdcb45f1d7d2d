/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/runs/coverage.h"

#include <inttypes.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/bench/recording/recording.h"

#define MIN_COVERAGE 0.7
#define MIN_SHORT_COVERAGE 0.5
#define GOOD_COVERAGE 0.9
#define JUDGED_SECONDS 0.1 /* of one run: below it half of the samples may be missing by chance */

static bool covers(const struct run *run, double part)
{
	double unseen =
		recording_unseen_seconds((double)run->captures.process_count, run->cpu_seconds);

	return run->sampled_seconds + unseen >= part * run->cpu_seconds;
}

static void add_share(struct strbuf *text, const struct run *run)
{
	double share = run->cpu_seconds > 0 ? run->sampled_seconds / run->cpu_seconds : 0;

	strbuf_addf(text, "samples account for only %.0f %% of the %.3f s of CPU time", share * 100,
		run->cpu_seconds);
}

static const struct capture_process *traced(const struct run *run)
{
	for (size_t i = 0; i < run->captures.process_count; i++)
		if (run->captures.processes[i].counters[CAPTURE_COUNTER_TRACED])
			return &run->captures.processes[i];
	return NULL;
}

/* A process that took no sample, as it may use neither clock. */
static const struct capture_process *clockless(const struct run *run)
{
	for (size_t i = 0; i < run->captures.process_count; i++)
		if (run->captures.processes[i].timer_errno && !run->captures.processes[i].samples)
			return &run->captures.processes[i];
	return NULL;
}

/* However short the run was: a longer one would have none either. */
static bool cannot_be_sampled(const struct run *run)
{
	return !run->captures.samples && (clockless(run) || traced(run));
}

static void add_clocks(struct strbuf *text, const struct capture_process *process)
{
	if (process->perf_errno)
		strbuf_addf(text,
			"perf events are refused here (perf_event_open: %s), and timers, too",
			strerror(process->perf_errno));
	else
		strbuf_addstr(text, "timers are refused here, and perf events were not asked for");
	strbuf_addf(text,
		" (timer_create: %s). Allow one of them: perf events by sysctl "
		"kernel.perf_event_paranoid=1 or the capability CAP_PERFMON, timers by a seccomp "
		"profile that allows timer_create and timer_settime",
		strerror(process->timer_errno));
}

static void add_reason(struct strbuf *text, const struct run *run)
{
	const struct capture_process *refused = clockless(run);
	uint64_t lost = run->captures.lost;

	if (lost > run->captures.samples)
		strbuf_addf(text,
			"%" PRIu64 " samples were lost for want of space in the recording (a full "
			"disk, or a program that may not open its recording any more, after setuid "
			"or without free descriptors)",
			lost);
	else if (refused)
		add_clocks(text, refused);
	else if (traced(run))
		strbuf_addstr(text, "the rest is spent in processes that a debugger or tracer "
				    "started (gdb, strace); these are not sampled: run the "
				    "benchmark without it");
	else
		strbuf_addstr(text, "the rest is spent where the sampler cannot follow (a program "
				    "that clears LD_PRELOAD, is statically linked, or became "
				    "another user or entered another root)");
}

/* What is missing of it is spent before the sampler is there and after its last sample. */
static int too_short(const struct run *run, struct error *err)
{
	struct strbuf share = STRBUF_INIT;
	int rc;

	if (run->captures.samples)
		strbuf_addf(&share, "samples account for only %.0f %% of it",
			100 * run->sampled_seconds / run->cpu_seconds);
	else
		strbuf_addstr(&share, "not one sample was taken");
	rc = error_set(err, ERR_MEASURE,
		"a run takes only %.2g ms of CPU time, too short to be sampled (%s): do more work "
		"per run, 0.1 s or more",
		run->cpu_seconds * 1e3, share.data);
	strbuf_release(&share);
	return rc;
}

static int collapsed(const struct run *run, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	if (run->cpu_seconds < RECORDING_SHORT_SECONDS &&
		run->captures.lost <= run->captures.samples && !cannot_be_sampled(run))
		return too_short(run, err);
	add_share(&text, run);
	strbuf_addstr(&text, ": ");
	add_reason(&text, run);
	rc = error_set(err, ERR_MEASURE, "%s", text.data);
	strbuf_release(&text);
	return rc;
}

int coverage_check(const struct run *run, struct error *err)
{
	if (cannot_be_sampled(run))
		return collapsed(run, err);
	if (!run->captures.samples && !run->captures.lost &&
		run->cpu_seconds < RECORDING_SHORT_SECONDS)
		return too_short(run, err);
	return covers(run, MIN_COVERAGE) ? ERR_OK : collapsed(run, err);
}

int coverage_check_once(const struct run *run, struct strbuf *warning, struct error *err)
{
	bool is_sure = run->cpu_seconds >= COVERAGE_SURE_SECONDS;
	bool is_judged = run->cpu_seconds >= JUDGED_SECONDS;

	if (cannot_be_sampled(run))
		return collapsed(run, err);
	if (is_judged && !covers(run, is_sure ? MIN_COVERAGE : MIN_SHORT_COVERAGE))
		return collapsed(run, err);
	if (covers(run, GOOD_COVERAGE))
		return ERR_OK;
	add_share(warning, run);
	return ERR_OK;
}
