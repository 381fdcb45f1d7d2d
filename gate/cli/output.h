/* SPDX-License-Identifier: Apache-2.0 */
/* What commands share: progress lines, writing and showing a result. */
#ifndef FG_CLI_OUTPUT_H
#define FG_CLI_OUTPUT_H

#include <stdbool.h>

struct error;
struct result;

/* A check_progress that prints "flamegate: LINE" to stderr, defused. */
void output_progress(void *data, const char *line);

/*
 * Writes report.json, report.md, report.html and the formats in also (see report/write.h) into
 * folder, prints the terminal report to stdout
 * and says where the files are; under GITHUB_ACTIONS prints workflow commands for what failed and
 * appends the Markdown to GITHUB_STEP_SUMMARY. page_url: by output_page_url(). Returns an error
 * code where the report was not written; what was found is printed all the same.
 */
int output_result(const struct result *result, const char *folder, const char *const *also,
	const char *page_url, struct error *err);
/*
 * The same for what decides. A disk that is full makes no regression a pass, and no pass a failure:
 * an error is said on stderr, and the exit status that is returned is the verdict's.
 */
int output_verdict(const struct result *result, const char *folder, const char *const *also,
	const char *page_url);

/*
 * Where report.html will be found, for links to it: what the option says, else
 * FLAMEGATE_REPORT_URL, else NULL. ERR_USAGE where that is no address (report/ci/page_link.h).
 */
int output_page_url(const char *option, const char **url, struct error *err);

/*
 * Removes the reports of an earlier command, which must not be taken for this one's: what every
 * command writes anyway, and the other formats' files where flamegate wrote them. A symbolic link
 * to a folder is not followed: nothing is removed then.
 */
int output_forget(const char *folder, struct error *err);
/*
 * Where this command has written no report there must be none: the measured code may have put its
 * own report.json there, and have closed the folder. As good as it can be done: no error.
 */
void output_disown(const char *folder);

/* Columns of the terminal on stdout, 0 if it is none; colour is wanted there (NO_COLOR, TERM). */
unsigned output_width(void);
bool output_color(void);
/*
 * What is printed may hold more than ASCII: by LC_ALL, LC_CTYPE and LANG, the user's codeset is
 * UTF-8. FLAMEGATE_ASCII overrides them: 1 no, 0 yes.
 */
bool output_is_utf8(void);

/* True where CI=true or GITHUB_ACTIONS=true: policy comes from the target branch,
 * nothing is asked. */
bool output_in_ci(void);

#endif
