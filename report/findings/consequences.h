/* SPDX-License-Identifier: Apache-2.0 */
/* What hangs on a culprit (struct result_consequence), in words. */
#ifndef FG_REPORT_CONSEQUENCES_H
#define FG_REPORT_CONSEQUENCES_H

#include "report/findings/sentence.h"

/*
 * "`f` (+2.4 %), `g` (+1.1 %) and 2 more; +4.0 % of the total with all of them"; empty: nothing
 * hangs on it.
 */
void sentence_of_consequences(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit);

/* ", with what grew with it": what a culprit's share holds besides its own change; ", without the
 * other culprits in it": what of its change is theirs; or "". */
const char *with_consequences(const struct result_culprit *culprit);

#endif
