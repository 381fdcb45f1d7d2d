/* SPDX-License-Identifier: Apache-2.0 */
#include "report/viewer.h"

#define MODULE(name)                                                                               \
	{                                                                                          \
		viewer_##name##_js, &viewer_##name##_js_len                                        \
	}
#define DECLARE(name)                                                                              \
	extern const unsigned char viewer_##name##_js[];                                           \
	extern const size_t viewer_##name##_js_len

DECLARE(model);
DECLARE(figures);
DECLARE(layout);
DECLARE(colors);
DECLARE(canvas);
DECLARE(search);
DECLARE(tooltip);
DECLARE(flame);
DECLARE(table);
DECLARE(dots);
DECLARE(main);

/* In order of use; main runs. */
static const struct {
	const unsigned char *data;
	const size_t *length;
} modules[] = {
	MODULE(model),
	MODULE(figures),
	MODULE(layout),
	MODULE(colors),
	MODULE(canvas),
	MODULE(search),
	MODULE(tooltip),
	MODULE(flame),
	MODULE(table),
	MODULE(dots),
	MODULE(main),
};

void viewer_script(struct strbuf *out)
{
	strbuf_addstr(out, "(function () {\n\"use strict\";\n");
	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
		strbuf_add(out, modules[i].data, *modules[i].length);
	strbuf_addstr(out, "})();\n");
}
