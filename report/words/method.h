/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the report: how a benchmark was measured. */
#ifndef FG_REPORT_METHOD_H
#define FG_REPORT_METHOD_H

#include "gate/base/strbuf.h"

struct result_benchmark;

/* As sentences without hostile text but the mechanism's; one per line, no line break at the end.
 * Empty if nothing was measured. */
void method_add(struct strbuf *out, const struct result_benchmark *benchmark);

#endif
