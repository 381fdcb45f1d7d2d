/* SPDX-License-Identifier: Apache-2.0 */
/* What a culprit weighs where the program is in use, in figures that are fit for any output. */
#ifndef FG_REPORT_PRODUCTION_H
#define FG_REPORT_PRODUCTION_H

#include "gate/base/strbuf.h"

struct result_production;

/*
 * "3.20 % of CPU time, so about +0.22 % (+0.18 to +0.26 %) there", "8.10 % of CPU time in these
 * calls and below, so ...", "not seen", or "not known, since several functions are called so".
 * production is not NULL.
 */
void production_text(struct strbuf *out, const struct result_production *production);

#endif
