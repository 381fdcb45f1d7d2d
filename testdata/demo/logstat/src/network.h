/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_NETWORK_H
#define LOGSTAT_NETWORK_H

#include <stddef.h>
#include <stdint.h>

/* A binary trie of prefixes: the longest that holds an address names its network. */
struct network_node {
	uint32_t child[2]; /* 0: none */
	const char *name;
};

struct networks {
	struct network_node *nodes;
	size_t count, capacity;
};

void networks_init(struct networks *networks);
void networks_release(struct networks *networks);
const char *network_find(const struct networks *networks, uint32_t address);

#endif
