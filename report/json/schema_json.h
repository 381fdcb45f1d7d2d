/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON schema (draft 2020-12) that report.json keeps to, made from the tables that its writer
 * and its reader use. Published as report/report.schema.json, which a test holds equal to this.
 *
 * It allows members that it does not name, so that a reader of this format can also read reports of
 * later versions, which may say more; what it requires was in every report of this format. What no
 * schema can say (columns of equal length, places that exist, parents before their children) is
 * checked by report/view/view.h.
 */
#ifndef FG_REPORT_SCHEMA_JSON_H
#define FG_REPORT_SCHEMA_JSON_H

#include "gate/base/strbuf.h"

void report_schema_json(struct strbuf *out);

#endif
