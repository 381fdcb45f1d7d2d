/* SPDX-License-Identifier: Apache-2.0 */
#include "report/formats.h"

#include <string.h>

#include "report/code_quality.h"
#include "report/html.h"
#include "report/junit.h"
#include "report/markdown.h"
#include "report/metrics_text.h"
#include "report/report_json.h"
#include "report/sarif.h"
#include "report/workflow.h"

static int render_markdown(const struct report_view *view, struct strbuf *out, struct error *err)
{
	(void)err;
	report_markdown(view, 0, out);
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

static int render_workflow(const struct report_view *view, struct strbuf *out, struct error *err)
{
	(void)err;
	report_workflow(view, out);
	return ERR_OK;
}

const struct report_format report_formats[] = {
	{"markdown", "report.md", render_markdown},
	{"html", "report.html", report_html},
	{"json", "report.json", render_json},
	{"sarif", "report.sarif", render_sarif},
	{"junit", "junit.xml", render_junit},
	{"codequality", "gl-code-quality-report.json", render_code_quality},
	{"metrics", "metrics.txt", render_metrics},
	{"workflow", NULL, render_workflow},
	{NULL, NULL, NULL},
};

const struct report_format *report_format_find(const char *name)
{
	for (const struct report_format *format = report_formats; format->name; format++)
		if (strcmp(format->name, name) == 0)
			return format;
	return NULL;
}
