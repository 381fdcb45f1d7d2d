/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `flamegate report`: a report.json rendered again in any format, or the schema. The formats that
 * no other command has are here.
 */
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/text.h"
#include "gate/cli/commands.h"
#include "gate/cli/output.h"
#include "report/formats.h"
#include "report/json/schema_json.h"
#include "report/terminal/terminal.h"
#include "report/view/view.h"
#include "report/words/words.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_FROM "flamegate-report/report.json"

struct report_settings {
	const char *from, *format, *output, *report_url;
	bool schema;
};

typedef int render(const struct report_view *view, struct strbuf *out, struct error *err);

static void add_terminal(const struct report_view *view, bool ascii, struct strbuf *out)
{
	struct terminal_options options = {
		.width = output_width(), .color = output_color(), .ascii = ascii};

	report_terminal(view, &options, out);
}

static int render_terminal(const struct report_view *view, struct strbuf *out, struct error *err)
{
	(void)err;
	add_terminal(view, !output_is_utf8(), out);
	return ERR_OK;
}

static int render_ascii(const struct report_view *view, struct strbuf *out, struct error *err)
{
	(void)err;
	add_terminal(view, true, out);
	return ERR_OK;
}

/* For scripts: "FUNCTION FILE:LINE" of each culprit, worst first, one a line. */
static int render_culprit(const struct report_view *view, struct strbuf *out, struct error *err)
{
	(void)err;
	for (size_t i = 0; i < view->result.benchmark_count; i++) {
		const struct result_benchmark *benchmark = &view->result.benchmarks[i];

		for (size_t k = 0; k < benchmark->culprit_count; k++) {
			const struct result_culprit *culprit = &benchmark->culprits[k];
			const char *name = function_name(benchmark, culprit->function);
			struct strbuf line = STRBUF_INIT;

			strbuf_addf(&line, "%s ", name);
			place_add(&line, culprit->file, culprit->line);
			text_defuse(out, line.data, strcspn(line.data, "\r\n"));
			strbuf_addch(out, '\n');
			strbuf_release(&line);
		}
	}
	return ERR_OK;
}

/* Of the command alone: they need the terminal, or are for scripts. */
static const struct {
	const char *name;
	render *render;
} own_formats[] = {
	{"terminal", render_terminal},
	{"ascii", render_ascii},
	{"culprit", render_culprit},
};

/* Those first, then the files' and the others'. */
static const char *format_choice(size_t index)
{
	size_t own = sizeof(own_formats) / sizeof(own_formats[0]);

	return index < own ? own_formats[index].name : report_formats[index - own].name;
}
static const struct argument argument_format = {"NAME", ARGUMENT_CHOICE, format_choice};

static const struct option_spec report_options_table[] = {
	{"from", 'f', OPTION_STRING, &argument_file,
		"report.json of a check (default: " DEFAULT_FROM ")",
		offsetof(struct report_settings, from)},
	{"format", 't', OPTION_STRING, &argument_format, "{} (default: terminal)",
		offsetof(struct report_settings, format)},
	{"output", 'o', OPTION_STRING, &argument_file, "write there instead of stdout",
		offsetof(struct report_settings, output)},
	{"report-url", 0, OPTION_STRING, &argument_url,
		"where report.html is found: markdown, buildkite and workflow link into it "
		"(default: FLAMEGATE_REPORT_URL)",
		offsetof(struct report_settings, report_url)},
	{"schema", 0, OPTION_FLAG, NULL, "print the JSON schema that report.json keeps to",
		offsetof(struct report_settings, schema)},
};

/* name is one of format_choice(). */
static render *find_format(const char *name)
{
	for (size_t i = 0; i < sizeof(own_formats) / sizeof(own_formats[0]); i++)
		if (strcmp(own_formats[i].name, name) == 0)
			return own_formats[i].render;
	return report_format_find(name)->render;
}

static int read_view(const char *path, struct report_view **view, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = file_read(path, REPORT_MAX_BYTES, &text, err);

	if (rc == ERR_NOT_FOUND)
		rc = err->code = ERR_USAGE;
	if (!rc)
		rc = report_view_read(text.data, text.length, view, err);
	strbuf_release(&text);
	return rc;
}

static int emit(const char *path, const struct strbuf *text, struct error *err)
{
	if (path)
		return file_write(path, text->data, text->length, err);
	if (fwrite(text->data, 1, text->length, stdout) != text->length || fflush(stdout))
		return error_set(err, ERR_IO, "cannot write to stdout");
	return ERR_OK;
}

static int print_schema(const char *output, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	report_schema_json(&text);
	rc = emit(output, &text, err);
	strbuf_release(&text);
	return rc ? -1 : 0;
}

static int run(void *data, const char *const *operands, struct error *err)
{
	const struct report_settings *settings = data;
	const char *format = settings->format ? settings->format : "terminal";
	render *chosen = find_format(format);
	struct report_view *view = NULL;
	struct strbuf text = STRBUF_INIT;
	const char *page_url = NULL;
	int rc;

	if (operands[0]) {
		error_set(err, ERR_USAGE, "report takes no operands; did you mean --from %s?",
			operands[0]);
		return -1;
	}
	if (settings->schema && (settings->from || settings->format)) {
		error_set(err, ERR_USAGE,
			"--schema is about every report: it goes with --output alone");
		return -1;
	}
	if (settings->schema)
		return print_schema(settings->output, err);
	rc = output_page_url(settings->report_url, &page_url, err);
	if (!rc)
		rc = read_view(settings->from ? settings->from : DEFAULT_FROM, &view, err);
	if (!rc) {
		view->page_url = page_url;
		rc = chosen(view, &text, err);
	}
	if (!rc)
		rc = emit(settings->output, &text, err);
	report_view_free(view);
	strbuf_release(&text);
	return rc ? -1 : 0;
}

const struct command command_report = {
	.name = "report",
	.summary = "render a report.json again, in any format",
	.operands = "",
	.text = "Renders what check wrote, with the same bytes; safe on a report.json that comes "
		"from\n"
		"somebody else's machine. Its exit status says nothing of the verdict.",
	.options = report_options_table,
	.option_count = sizeof(report_options_table) / sizeof(report_options_table[0]),
	.settings_size = sizeof(struct report_settings),
	.run = run,
};
