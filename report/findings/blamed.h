/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a reader is told at a place in the source: culprits, what grew against a stored baseline, a
 * benchmark that has neither. One list for all outputs that annotate lines.
 */
#ifndef FG_REPORT_BLAMED_H
#define FG_REPORT_BLAMED_H

#include <stddef.h>
#include <stdint.h>

#include "gate/base/strbuf.h"
#include "gate/check/status.h"

struct result;
struct result_benchmark;
struct result_culprit;
struct result_reference;
struct result_reference_finding;

#define BLAMED_FINGERPRINT_DIGITS 32

struct blamed {
	const struct result_benchmark *benchmark;
	const struct result_culprit *culprit; /* this, or */
	const struct result_reference
		*reference; /* what this found, or neither: the benchmark alone */
	const struct result_reference_finding *finding;
	double change; /* fraction of the benchmark's total, or of what its sentence is about; NaN
			  where base has nothing of it */
	size_t order;
	/* Names the finding in this and in later runs: by status, benchmark, function and file, not
	 * by line, size or date. No two of a report have the same. */
	char fingerprint[BLAMED_FINGERPRINT_DIGITS + 1];
};

/* Of all benchmarks with this status, the worst first; those of RESULT_ERROR as they come. Borrows
 * from the result. */
struct blamed_list {
	struct blamed *items;
	size_t count;
};
void blamed_list_init(
	struct blamed_list *list, const struct result *result, enum result_status status);
void blamed_list_release(struct blamed_list *list);

/* A path inside the repository, with *line (0 unknown); "" and 0 where there is none: what lies
 * elsewhere cannot be annotated. */
#define BLAMED_ELSEWHERE ".flamegate.yml" /* for formats that take no finding without a file */
const char *blamed_place(const struct blamed *blamed, int64_t *line);

/* Its sentence, which names the benchmark first,
 * as one clean line of at most `columns` characters. */
void blamed_message(const struct blamed *blamed, size_t columns, struct strbuf *out);

#endif
