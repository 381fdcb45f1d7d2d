/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_RECORD_H
#define LOGSTAT_RECORD_H

#include <cjson/cJSON.h>
#include <stddef.h>

#include "url.h"

/*
 * One request. A container's log has a JSON object on each line, and the server's own line ("combined"
 * format, with the duration at its end) in that. The texts belong to `json`.
 */
struct record {
	cJSON *json;
	const char *time; /* when the line was written */
	struct span address, user, request, referrer, agent;
	int status;
	double bytes, milliseconds;
};

/* 0, or -1 if the line is not a whole record. */
int record_parse(struct record *record, const char *line, size_t length);
void record_release(struct record *record);

#endif
