/* SPDX-License-Identifier: Apache-2.0 */
#include "report/write.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "report/formats.h"

static bool is_wanted(const struct report_format *format, const char *const *also)
{
	for (; !format->always && also && *also; also++)
		if (strcmp(*also, format->name) == 0)
			return format->file != NULL;
	return format->always;
}

static int write_text(
	const char *dir, const char *name, const struct strbuf *text, struct error *err)
{
	char *path = file_join(dir, name);
	int code = file_write(path, text->data, text->length, err);

	free(path);
	return code;
}

int report_write_view(
	const struct report_view *view, const char *dir, const char *const *also, struct error *err)
{
	struct strbuf texts[REPORT_FORMATS_MAX];
	const struct report_format *format;
	int code = ERR_OK;

	for (size_t i = 0; i < REPORT_FORMATS_MAX; i++)
		texts[i] = (struct strbuf)STRBUF_INIT;
	for (format = report_formats; format->name && !code; format++)
		if (is_wanted(format, also))
			code = format->render(view, &texts[format - report_formats], err);
	if (!code)
		code = file_mkdirs(dir, err);
	for (format = report_formats; format->name && !code; format++)
		if (is_wanted(format, also))
			code = write_text(dir, format->file, &texts[format - report_formats], err);
	for (size_t i = 0; i < REPORT_FORMATS_MAX; i++)
		strbuf_release(&texts[i]);
	return code;
}
