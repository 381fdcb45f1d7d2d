/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_REPORT_H
#define LOGSTAT_REPORT_H

#include "analysis.h"
#include "options.h"

void report_print(const struct analysis *analysis, const struct options *options);

#endif
