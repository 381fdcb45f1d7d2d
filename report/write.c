/* SPDX-License-Identifier: Apache-2.0 */
#include "report/write.h"

#include <stdlib.h>

#include "gate/base/file.h"
#include "report/html.h"
#include "report/markdown.h"
#include "report/report_json.h"

static int write_one(
	const char *dir, const char *name, const struct strbuf *text, struct error *err)
{
	char *path = file_join(dir, name);
	int code = file_write(path, text->data, text->length, err);

	free(path);
	return code;
}

int report_write_view(const struct report_view *view, const char *dir, struct error *err)
{
	struct strbuf json = STRBUF_INIT, markdown = STRBUF_INIT, html = STRBUF_INIT;
	int code = report_json_write(&view->result, &json, err);

	if (!code)
		code = report_html(view, &html, err);
	if (code)
		goto out;
	report_markdown(view, 0, &markdown);
	code = file_mkdirs(dir, err);
	if (!code)
		code = write_one(dir, "report.md", &markdown, err);
	if (!code)
		code = write_one(dir, "report.html", &html, err);
	if (!code)
		code = write_one(dir, "report.json", &json, err);
out:
	strbuf_release(&json);
	strbuf_release(&markdown);
	strbuf_release(&html);
	return code;
}

int report_write_all(const struct result *result, const char *dir, struct error *err)
{
	struct report_view *view = NULL;
	int code = report_view_of(result, &view, err);

	if (!code)
		code = report_write_view(view, dir, err);
	report_view_free(view);
	return code;
}
