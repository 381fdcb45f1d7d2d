/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/cli/output.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/text.h"
#include "gate/check/output_folder.h"
#include "report/ci/page_link.h"
#include "report/ci/workflow.h"
#include "report/markdown/markdown.h"
#include "report/terminal/terminal.h"
#include "report/view/view.h"
#include "report/write.h"

static bool is_true(const char *name)
{
	const char *value = getenv(name);

	return value && (strcmp(value, "true") == 0 || strcmp(value, "1") == 0);
}

bool output_in_ci(void)
{
	return is_true("CI") || is_true("GITHUB_ACTIONS");
}

void output_progress(void *data, const char *line)
{
	struct strbuf text = STRBUF_INIT;

	(void)data;
	text_defuse(&text, line, strlen(line));
	fprintf(stderr, "flamegate: %s\n", text.data);
	strbuf_release(&text);
}

unsigned output_width(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	return 0;
}

bool output_color(void)
{
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && !(no_color && no_color[0]) && term &&
	       strcmp(term, "dumb") != 0;
}

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

/* The program itself runs in the C locale; the terminal shows what the user's says. */
bool output_is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	if (*variable("FLAMEGATE_ASCII"))
		return strcmp(variable("FLAMEGATE_ASCII"), "0") == 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (*variable(names[i]))
			return strcasestr(variable(names[i]), "utf-8") ||
			       strcasestr(variable(names[i]), "utf8");
	return false;
}

static void print_terminal(const struct report_view *view)
{
	struct terminal_options options = {
		.width = output_width(), .color = output_color(), .ascii = !output_is_utf8()};
	struct strbuf text = STRBUF_INIT;

	report_terminal(view, &options, &text);
	fputs(text.data, stdout);
	strbuf_release(&text);
}

/* The runner made the file; anything else in its place is not written to. */
static int append_summary(const struct report_view *view, struct error *err)
{
	const char *path = getenv("GITHUB_STEP_SUMMARY");
	struct strbuf text = STRBUF_INIT;
	int fd, rc = ERR_OK;

	if (!path || !path[0])
		return ERR_OK;
	report_markdown(view, MARKDOWN_LARGE_BYTES, &text);
	strbuf_addch(&text, '\n');
	fd = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || file_write_fd(fd, text.data, text.length) < 0)
		rc = error_set(err, ERR_IO, "cannot append to the step summary %s", path);
	if (fd >= 0)
		close(fd);
	strbuf_release(&text);
	return rc;
}

static void print_workflow_commands(const struct report_view *view)
{
	struct strbuf text = STRBUF_INIT;

	report_workflow(view, &text);
	fputs(text.data, stdout);
	strbuf_release(&text);
}

int output_page_url(const char *option, const char **url, struct error *err)
{
	const char *given = option ? option : getenv("FLAMEGATE_REPORT_URL");
	int rc = ERR_OK;

	if (!given || !*given)
		given = NULL;
	else
		rc = link_check_page(given, err);
	if (!rc)
		*url = given;
	return rc;
}

static int write_report(const struct report_view *view, const char *folder, const char *const *also,
	struct error *err)
{
	int rc = output_folder_prepare(folder, err);

	if (!rc)
		rc = report_write_view(view, folder, also, err);
	if (!rc)
		return ERR_OK;
	output_disown(folder);
	return error_prefix(err, "the report could not be written");
}

static void print_result(const struct report_view *view, const char *folder, bool written)
{
	struct error lost = {0};

	print_terminal(view);
	if (written)
		printf("Report: %s/report.html (report.md, report.json)\n", folder);
	if (is_true("GITHUB_ACTIONS")) {
		print_workflow_commands(view);
		/* Its loss changes no verdict. */
		if (append_summary(view, &lost))
			output_progress(NULL, lost.message);
	}
	if (fflush(stdout) || ferror(stdout))
		output_progress(NULL, "the result could not be printed to standard output");
}

int output_result(const struct result *result, const char *folder, const char *const *also,
	const char *page_url, struct error *err)
{
	struct report_view *view = NULL;
	int rc = report_view_of(result, &view, err);

	if (rc)
		return error_prefix(err, "the result cannot be shown");
	view->page_url = page_url;
	/* First the files: whoever reads our output may close it early. */
	rc = write_report(view, folder, also, err);
	print_result(view, folder, rc == ERR_OK);
	report_view_free(view);
	return rc;
}

int output_verdict(const struct result *result, const char *folder, const char *const *also,
	const char *page_url)
{
	struct error lost = {0};

	if (output_result(result, folder, also, page_url, &lost))
		output_progress(NULL, lost.message);
	return result->exit_status;
}
