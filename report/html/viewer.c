/* SPDX-License-Identifier: Apache-2.0 */
#include "report/html/viewer.h"

#define MODULE(name)                                                                               \
	{                                                                                          \
		viewer_##name##_js, &viewer_##name##_js_len                                        \
	}
#define DECLARE(name)                                                                              \
	extern const unsigned char viewer_##name##_js[];                                           \
	extern const size_t viewer_##name##_js_len

DECLARE(model);
DECLARE(figures);
DECLARE(registry);
DECLARE(tree);
DECLARE(layout);
DECLARE(merge);
DECLARE(columns);
DECLARE(table);
DECLARE(address);
DECLARE(view);
DECLARE(views);
DECLARE(colors);
DECLARE(marks);
DECLARE(canvas);
DECLARE(search);
DECLARE(tooltip);
DECLARE(legend);
DECLARE(walk);
DECLARE(treeview);
DECLARE(treekeys);
DECLARE(print);
DECLARE(flame);
DECLARE(export_text);
DECLARE(export_svg);
DECLARE(export);
DECLARE(profiles);
DECLARE(labels);
DECLARE(dots);
DECLARE(memory);
DECLARE(memory_cursor);
DECLARE(theme);
DECLARE(keys);
DECLARE(page);
DECLARE(main);

/* In order of use: registry says what a new one may add; main runs. */
static const struct {
	const unsigned char *data;
	const size_t *length;
} modules[] = {
	MODULE(model),
	MODULE(figures),
	MODULE(registry),
	MODULE(tree),
	MODULE(layout),
	MODULE(merge),
	MODULE(columns),
	MODULE(table),
	MODULE(address),
	MODULE(view),
	MODULE(views),
	MODULE(colors),
	MODULE(marks),
	MODULE(canvas),
	MODULE(search),
	MODULE(tooltip),
	MODULE(legend),
	MODULE(walk),
	MODULE(treeview),
	MODULE(treekeys),
	MODULE(print),
	MODULE(flame),
	MODULE(export_text),
	MODULE(export_svg),
	MODULE(export),
	MODULE(profiles),
	MODULE(labels),
	MODULE(dots),
	MODULE(memory),
	MODULE(memory_cursor),
	MODULE(theme),
	MODULE(keys),
	MODULE(page),
	MODULE(main),
};

void viewer_script(struct strbuf *out)
{
	strbuf_addstr(out, "(function () {\n\"use strict\";\n");
	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
		strbuf_add(out, modules[i].data, *modules[i].length);
	strbuf_addstr(out, "})();\n");
}
