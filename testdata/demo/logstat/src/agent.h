/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_AGENT_H
#define LOGSTAT_AGENT_H

#include <stdint.h>

#include "url.h"

/* Finds all known words of a user agent in one pass: an Aho-Corasick automaton. */
#define AGENT_STATES 512

struct agents {
	uint16_t next[AGENT_STATES][64];
	uint32_t found[AGENT_STATES]; /* words that end in a state */
	int count;
};

void agents_init(struct agents *agents);
/* The set of known words in the text. */
uint32_t agent_scan(const struct agents *agents, struct span text);
/* "Firefox on Linux", "bot: Googlebot", ... */
const char *agent_family(uint32_t words);
const char *agent_system(uint32_t words);

#endif
