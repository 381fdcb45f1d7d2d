/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/build/key_text.h"

#include <string.h>

void key_add(struct strbuf *text, const char *part)
{
	strbuf_addf(text, "%zu:%s\n", strlen(part), part);
}

void key_add_list(struct strbuf *text, const char *title, const char *const *list)
{
	key_add(text, title);
	for (; list && *list; list++)
		key_add(text, *list);
}
