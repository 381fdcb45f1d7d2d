/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: one benchmark's way from recordings to verdict. */
#ifndef FG_CHECK_ANALYSIS_H
#define FG_CHECK_ANALYSIS_H

#include "gate/base/arena.h"
#include "gate/check/measurements/measurements.h"
#include "gate/compare/comparison.h"
#include "gate/verdict/verdict.h"

struct analysis {
	struct arena scratch;
	const struct recording *recordings[VERSION_COUNT];
	const struct repo_diff *diff;        /* may be NULL: nothing is known to be touched */
	struct sources *sources;             /* may be NULL: no culprit's source is shown */
	const struct production *production; /* NULL: culprits are not weighed */
	struct comparison comparison;
	double whole; /* cost of a run that all changes are parts of: base's total, or, of what has
			 no pairs, undecided_whole(); 0: one has nothing to compare with */
	double total[VERSION_COUNT]; /* cost of a run, see analysis_set_totals() */
	double scale
		[VERSION_COUNT]; /* what makes means of all runs means of those that total is of */
	const uint8_t *presence[VERSION_COUNT]; /* [matched function]: enum presence */
	struct verdict_input input;
	struct verdict_result verdict;
	/* Matched functions whose calls are asked for beside the culprits',
	 * see unchanged_calls.h */
	const uint32_t *doubted;
	size_t doubted_count;
	const uint32_t *givers;
	size_t giver_count;
};

/*
 * Checks both recordings, unites them and prepares the verdict's input; decides nothing. Release
 * with analysis_release() also after an error.
 */
int analysis_prepare(struct analysis *analysis, const struct recording *base,
	const struct recording *head, const struct repo_diff *diff, size_t benchmarks_in_gate,
	struct error *err);
/* As analysis_prepare(), for what has no pairs: nothing is checked, and no verdict can be asked
 * for. */
int analysis_prepare_profiles(struct analysis *analysis, const struct recording *base,
	const struct recording *head, const struct repo_diff *diff, struct error *err);
/*
 * After the verdict: the totals are the means that its change is of, and what is known of all runs
 * alone (nodes of few samples, lines) is scaled to them. So head is base * (1 + change), and a
 * function's head is its base + change * base's total. Without a verdict: means of all runs.
 */
void analysis_set_totals(struct analysis *analysis);
/* CPU seconds per unit of work, mean of all runs. */
double analysis_run_seconds(const struct recording *recording);
/* After analysis_prepare(): what has the same code in both is judged as any other. Who is who, and
 * what counts with whom, is told by the code as before. */
void analysis_judge_unchanged(struct analysis *analysis);
/* Nothing to compare with: an empty profile of the same types. recording_release() it. */
void analysis_begin_nothing(struct recording *nothing, const struct recording *like);
bool analysis_is_nothing(const struct recording *recording);
void analysis_release(struct analysis *analysis);

/*
 * What the verdict may know of the functions: equal numbers for one source file, and enum
 * verdict_function_flag. diff may be NULL: nothing is known to be touched.
 */
void describe_functions(const struct comparison *comparison, const struct repo_diff *diff,
	struct arena *arena, const uint32_t **files, const uint8_t **flags);

/* Who changes a part changes what counts as its host's. */
void touch_hosts(const struct inlining_map *inlinings, uint8_t *flags);

/* Head's line is among those that the diff adds or alters in this file. */
bool diff_touches_line(const struct repo_diff *diff, const char *file, int64_t line);
/* The place adds, alters or deletes a line between first and last of head's file. */
bool hunk_touches(const struct repo_hunk *hunk, int64_t first, int64_t last);
/* The first place where the diff adds, alters or deletes a line between first and last of head's
 * file; NULL: it does not. */
const struct repo_hunk *diff_hunk_in(
	const struct repo_diff *diff, const char *file, int64_t first, int64_t last);
bool diff_touches_range(
	const struct repo_diff *diff, const char *file, int64_t first, int64_t last);

/* Measured by one check, pair by pair in random order. */
bool recordings_are_pairs(const struct recording *base, const struct recording *head);

/* The part of the error rates that this attempt at the change has left: 1 for the first. */
double rate_of_attempt(const struct recording *base, const struct recording *head);

/* What a function itself cost a version, over all rounds. */
double analysis_self_seconds(const struct analysis *analysis, int version, size_t function);

#endif
