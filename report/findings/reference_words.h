/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stored baselines have to say of a benchmark. A screen of CPU time is never called a proof;
 * what it cannot tell apart (another machine, a uniform slowdown) is said each time.
 */
#ifndef FG_REPORT_REFERENCE_WORDS_H
#define FG_REPORT_REFERENCE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/findings/sentence.h"

struct result_benchmark;
struct result_reference;
struct result_reference_finding;

#define REFERENCE_LISTED 5 /* worst findings that a report lists */

/* It flagged something and so made the status: a screen fails nothing that was measured, so beside
 * a failure it only warned. */
bool reference_decided(
	const struct result_benchmark *benchmark, const struct result_reference *reference);
/* The first that did; NULL if none did. */
const struct result_reference *reference_that_decides(const struct result_benchmark *benchmark);
/* The one that a benchmark's sentence is about where there is no measurement: what made the status,
 * by a finding or because head could not be compared with it, else the first that head was compared
 * with; NULL if there is none. */
const struct result_reference *reference_that_speaks(const struct result_benchmark *benchmark);
/* The largest that nothing compensates, else the largest; NULL if there is none. */
const struct result_reference_finding *reference_worst(const struct result_reference *reference);

/* It is code of elsewhere (libc, a C++ library),
 * and whom in the repository it works for is known. */
bool finding_has_caller(const struct result_reference_finding *finding);
/* The file, "" unknown, and *line to show of it: its caller's, if that is known. */
const char *finding_place(const struct result_reference_finding *finding, int64_t *line);

/* "against the stored baseline of `1a2b3c`, `f` in `x.c:3` takes 6.1 % of the benchmark's time
 * more", that nothing grew, or that head could not be compared with it. */
void reference_add_verdict(struct sentence *sentence, const struct result_reference *reference);
/* Of a counted metric that was flagged: " executes 2.3 % more instructions than the stored baseline
 * of `1a2b3c`, above all in `f` (`x.c:3`): +0.90 %". */
void reference_add_count(struct sentence *sentence, const struct result_reference *reference);

/* What stands before that line: "Stored baseline", or "Counted" where nothing was stored. */
const char *reference_label(const struct result_reference *reference);
/* Above all of a benchmark's. */
const char *reference_title(const struct result_benchmark *benchmark);
/* Everything about one baseline in one line. */
void sentence_of_reference(struct sentence *sentence, const struct result_reference *reference);
/* Findings to list below it: none if the only one of a counted metric is in the line already. */
size_t reference_listed(const struct result_reference *reference);
/* An item of the list below it: "`f` in `x.c:3`: +6.1 % of the total", "`strdup`, for `f` in
 * `x.c:3`: +6.1 % of the total". */
void sentence_of_finding(struct sentence *sentence, const struct result_reference *reference,
	const struct result_reference_finding *finding);
/* The same where it stands alone. */
void sentence_of_reference_blame(struct sentence *sentence,
	const struct result_reference *reference, const struct result_reference_finding *finding);

#endif
