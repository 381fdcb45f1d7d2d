/* SPDX-License-Identifier: Apache-2.0 */
/* Text to be hashed: each part with its length before it, so that no two lists give the same. */
#ifndef FG_BENCH_KEY_TEXT_H
#define FG_BENCH_KEY_TEXT_H

#include "gate/base/strbuf.h"

void key_add(struct strbuf *text, const char *part);
/* list is NULL-terminated; NULL is an empty one. */
void key_add_list(struct strbuf *text, const char *title, const char *const *list);

#endif
