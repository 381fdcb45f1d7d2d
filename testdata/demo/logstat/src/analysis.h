/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_ANALYSIS_H
#define LOGSTAT_ANALYSIS_H

#include "agent.h"
#include "alert.h"
#include "duplicate.h"
#include "histogram.h"
#include "limiter.h"
#include "network.h"
#include "record.h"
#include "session.h"
#include "sketch.h"
#include "table.h"
#include "terms.h"
#include "unique.h"
#include "window.h"

/* What is known of one route (method and path template). */
struct route {
	struct histogram latency;
	double bytes;
	uint64_t errors;
};

struct analysis {
	uint64_t lines, damaged, repeated;
	uint64_t by_status[6]; /* by the first digit */
	double bytes;
	struct histogram latency;
	struct table routes, networks, families, systems, parameters, referrers;
	struct networks network_trie;
	struct agents agents;
	struct alerts alerts;
	struct terms terms;
	struct sessions sessions;
	struct unique clients;
	struct window window;
	struct duplicates duplicates;
	struct limiter limiter;
	struct sketch requests_by_client;
	struct heavy heavy;
	uint64_t secrets, cards;
};

void analysis_init(struct analysis *analysis);
void analysis_release(struct analysis *analysis);
void analysis_add(struct analysis *analysis, const struct record *record);
void analysis_finish(struct analysis *analysis);

#endif
