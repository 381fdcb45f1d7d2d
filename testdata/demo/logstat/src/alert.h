/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_ALERT_H
#define LOGSTAT_ALERT_H

#include <stddef.h>
#include <stdint.h>

#include "url.h"

/* Paths that only somebody looking for a hole asks for. */
#define ALERT_RULES 16

struct alerts {
	uint64_t hits[ALERT_RULES];
};

void alerts_check(struct alerts *alerts, struct span path);
const char *alert_pattern(size_t rule);

#endif
