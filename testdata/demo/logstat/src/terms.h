/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_TERMS_H
#define LOGSTAT_TERMS_H

#include "spelling.h"
#include "table.h"
#include "url.h"

/* What people search for: the words of search queries, without endings and stop words. */
struct terms {
	struct table counts;
	struct spelling spelling;
};

void terms_init(struct terms *terms);
void terms_release(struct terms *terms);
void terms_add(struct terms *terms, struct span text);

#endif
