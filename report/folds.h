/* SPDX-License-Identifier: Apache-2.0 */
/* What was split, merged, inlined or outlined (struct result_fold), in words. */
#ifndef FG_REPORT_FOLDS_H
#define FG_REPORT_FOLDS_H

#include "report/sentence.h"

#define FOLDS_LISTED 6 /* the heaviest stand first */

/* "`part` counts with `host`: inlined in head only". */
void sentence_of_fold(struct sentence *sentence, const struct result_fold *fold);
/* What counts with a culprit: "`f` (inlined in head only), `g` (...) and 2 more"; empty: nothing.
 */
void sentence_of_parts(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit);

#endif
