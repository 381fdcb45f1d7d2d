/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_COMBINED_H
#define LOGSTAT_COMBINED_H

#include "record.h"

/*
 * 203.0.113.9 - alice [05/Mar/2024:14:07:31 +0000] "GET / HTTP/1.1" 200 512 "https://a/" "curl/8" 0.012
 * 0, or -1 if it is something else.
 */
int combined_parse(struct record *record, const char *line);

#endif
