/* SPDX-License-Identifier: Apache-2.0 */
/* What commands share: progress lines, writing and showing a result. */
#ifndef FG_CLI_OUTPUT_H
#define FG_CLI_OUTPUT_H

#include <stdbool.h>

#include "gate/base/error.h"
#include "gate/check/result.h"

/* A check_progress that prints "flamegate: LINE" to stderr, defused. */
void output_progress(void *data, const char *line);

/*
 * Writes report.json, report.md, report.html and the formats in also (see report/write.h) into
 * folder, prints the terminal report to stdout
 * and says where the files are; under GITHUB_ACTIONS prints workflow commands for what failed and
 * appends the Markdown to GITHUB_STEP_SUMMARY. Returns an error code.
 */
int output_result(const struct result *result, const char *folder, const char *const *also,
	struct error *err);

/*
 * Removes the reports of an earlier command, which must not be taken for this one's: what every
 * command writes anyway, and the other formats' files where flamegate wrote them. A symbolic link
 * to a folder is not followed: nothing is removed then.
 */
int output_forget(const char *folder, struct error *err);

/* Columns of the terminal on stdout, 0 if it is none; colour is wanted there (NO_COLOR, TERM). */
unsigned output_width(void);
bool output_color(void);

/* ERR_USAGE unless it is NULL, auto, perf or posix. */
int output_check_mechanism(const char *mechanism, struct error *err);

/* True where CI=true or GITHUB_ACTIONS=true: policy comes from the target branch, nothing is asked.
 */
bool output_in_ci(void);

#endif
