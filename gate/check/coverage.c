/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/coverage.h"

#include <inttypes.h>

#include "gate/bench/recording.h"

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

static void add_reason(struct strbuf *text, const struct run *run)
{
	uint64_t lost = run->captures.lost;

	if (lost > run->captures.samples)
		strbuf_addf(text,
			"%" PRIu64 " samples were lost for want of space in the recording (a full "
			"disk, or a program that may not open its recording any more, after setuid "
			"or without free descriptors)",
			lost);
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
		run->captures.lost <= run->captures.samples)
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
	if (!run->captures.samples && !run->captures.lost &&
		run->cpu_seconds < RECORDING_SHORT_SECONDS)
		return too_short(run, err);
	return covers(run, MIN_COVERAGE) ? ERR_OK : collapsed(run, err);
}

int coverage_check_once(const struct run *run, struct strbuf *warning, struct error *err)
{
	bool is_sure = run->cpu_seconds >= COVERAGE_SURE_SECONDS;
	bool is_judged = run->cpu_seconds >= JUDGED_SECONDS;

	if (is_judged && !covers(run, is_sure ? MIN_COVERAGE : MIN_SHORT_COVERAGE))
		return collapsed(run, err);
	if (covers(run, GOOD_COVERAGE))
		return ERR_OK;
	add_share(warning, run);
	return ERR_OK;
}
