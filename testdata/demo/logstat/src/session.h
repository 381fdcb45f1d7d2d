/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_SESSION_H
#define LOGSTAT_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include "histogram.h"

/* A visit: one client's requests without a pause of half an hour. A chained table with expiry. */
struct session {
	uint64_t client;
	int64_t first, last;
	uint32_t requests, next; /* index + 1 of the next in the chain, or of the next free one */
};

#define SESSION_CHAINS 1024

struct sessions {
	uint32_t chains[SESSION_CHAINS];
	struct session *items;
	size_t count, capacity;
	uint32_t free_list;
	unsigned sweep;
	uint64_t finished, bounces;
	struct histogram minutes, requests;
};

void sessions_init(struct sessions *sessions);
void sessions_release(struct sessions *sessions);
void session_touch(struct sessions *sessions, uint64_t client, int64_t milliseconds);
void sessions_finish(struct sessions *sessions);

#endif
