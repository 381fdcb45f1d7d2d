/* SPDX-License-Identifier: Apache-2.0 */
#include "report/formats.h"

#include <string.h>

#include "gate/base/error.h"
#include "report/ci/code_quality.h"
#include "report/ci/junit.h"
#include "report/ci/metrics_text.h"
#include "report/ci/sarif.h"
#include "report/ci/workflow.h"
#include "report/html/html.h"
#include "report/json/report_json.h"
#include "report/markdown/markdown.h"
#include "report/svg/svg.h"

static int render_markdown(const struct report_view *view, struct strbuf *out, struct error *err)
{
	(void)err;
	report_markdown(view, 0, out);
	return ERR_OK;
}

/* An annotation of up to 1 MiB. */
static int render_buildkite(const struct report_view *view, struct strbuf *out, struct error *err)
{
	(void)err;
	report_markdown(view, MARKDOWN_LARGE_BYTES, out);
	return ERR_OK;
}

static int render_json(const struct report_view *view, struct strbuf *out, struct error *err)
{
	return report_json_write(&view->result, out, err);
}

static int render_sarif(const struct report_view *view, struct strbuf *out, struct error *err)
{
	(void)err;
	report_sarif(view, out);
	return ERR_OK;
}

static int render_junit(const struct report_view *view, struct strbuf *out, struct error *err)
{
	(void)err;
	report_junit(view, out);
	return ERR_OK;
}

static int render_code_quality(
	const struct report_view *view, struct strbuf *out, struct error *err)
{
	(void)err;
	report_code_quality(view, out);
	return ERR_OK;
}

static int render_metrics(const struct report_view *view, struct strbuf *out, struct error *err)
{
	(void)err;
	report_metrics_text(view, out);
	return ERR_OK;
}

static int render_svg(const struct report_view *view, struct strbuf *out, struct error *err)
{
	(void)err;
	report_svg(view, out);
	return ERR_OK;
}

static int render_workflow(const struct report_view *view, struct strbuf *out, struct error *err)
{
	(void)err;
	report_workflow(view, out);
	return ERR_OK;
}

const struct report_format report_formats[] = {
	{"markdown", "report.md", true, render_markdown},
	{"html", "report.html", true, report_html},
	{"svg", "report.svg", false, render_svg},
	{"sarif", "report.sarif", false, render_sarif},
	{"junit", "report.junit.xml", false, render_junit},
	{"codequality", "report.codequality.json", false, render_code_quality},
	{"metrics", "report.metrics.txt", false, render_metrics},
	{"workflow", NULL, false, render_workflow},
	{"buildkite", NULL, false, render_buildkite},
	{"json", "report.json", true, render_json}, /* the last that is written */
	{NULL, NULL, false, NULL},
};

const struct report_format *report_format_find(const char *name)
{
	for (const struct report_format *format = report_formats; format->name; format++)
		if (strcmp(format->name, name) == 0)
			return format;
	return NULL;
}
