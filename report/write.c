/* SPDX-License-Identifier: Apache-2.0 */
#include "report/write.h"

#include <stdlib.h>

#include "gate/base/file.h"
#include "report/formats.h"

static int write_one(
	const struct report_view *view, const char *dir, const char *name, struct error *err)
{
	const struct report_format *format = report_format_find(name);
	struct strbuf text = STRBUF_INIT;
	char *path;
	int code;

	if (!format || !format->file)
		return ERR_OK;
	code = format->render(view, &text, err);
	if (!code) {
		path = file_join(dir, format->file);
		code = file_write(path, text.data, text.length, err);
		free(path);
	}
	strbuf_release(&text);
	return code;
}

int report_write_view(
	const struct report_view *view, const char *dir, const char *const *also, struct error *err)
{
	static const char *const always[] = {"markdown", "html", "json"};
	int code = file_mkdirs(dir, err);

	for (; also && *also && !code; also++)
		code = write_one(view, dir, *also, err);
	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]) && !code; i++)
		code = write_one(view, dir, always[i], err);
	return code;
}
