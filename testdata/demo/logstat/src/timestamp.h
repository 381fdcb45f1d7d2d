/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_TIMESTAMP_H
#define LOGSTAT_TIMESTAMP_H

#include <stddef.h>
#include <stdint.h>

/* "2024-03-05T14:07:31.250Z" or with an offset "+01:00": milliseconds since 1970, or -1. */
int64_t timestamp_parse(const char *text);
/* As "2024-03-05 14:07". */
void timestamp_format(int64_t milliseconds, char *text, size_t size);
/* 0 is Monday. */
int timestamp_weekday(int64_t milliseconds);

#endif
