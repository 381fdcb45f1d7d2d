/* SPDX-License-Identifier: Apache-2.0 */
/* How sentences grow; for the files that make them. */
#ifndef FG_REPORT_SENTENCE_SPANS_H
#define FG_REPORT_SENTENCE_SPANS_H

#include <stdint.h>

#include "gate/base/strbuf.h"
#include "report/findings/sentence.h"

/* Texts are borrowed. Past SENTENCE_MAX_SPANS they are left out. */
void sentence_add_text(struct sentence *sentence, const char *text);
void sentence_add_name(struct sentence *sentence, const char *name); /* "(no name)" if empty */
void sentence_add_detail(struct sentence *sentence, const char *detail);
/* Copies and releases what figure has become: text of ours. */
void sentence_add_figure(struct sentence *sentence, struct strbuf *figure);
/* " in `src/f.c:3`" with " in " before it, or nothing where no file is known. */
void sentence_add_place(
	struct sentence *sentence, const char *before, const char *file, int64_t line);

#endif
