/* SPDX-License-Identifier: Apache-2.0 */
#include "network.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	uint32_t prefix;
	int length;
	const char *name;
} known[] = {
	{0x0a000000, 8, "office"}, {0x0a010000, 16, "office-lab"}, {0x0a018000, 17, "office-wifi"},
	{0x0a01a400, 22, "office-guests"}, {0xac100000, 12, "datacenter"},
	{0xac140000, 14, "datacenter-east"}, {0xac150000, 16, "datacenter-batch"},
	{0xc0a80000, 16, "home"}, {0xc0a80100, 24, "home-vpn"}, {0xc6336400, 24, "monitoring"},
	{0xcb007100, 24, "partners"}, {0x64400000, 10, "mobile-carrier"},
	{0x64500000, 13, "mobile-north"}, {0x64520000, 15, "mobile-city"}, {0x2d000000, 8, "isp-one"},
	{0x2d210000, 16, "isp-one-cable"}, {0x2d218000, 18, "isp-one-fiber"}, {0x50000000, 7, "isp-two"},
	{0x51a40000, 15, "isp-two-dsl"}, {0x51a50800, 21, "isp-two-business"},
};

static uint32_t network_node(struct networks *networks)
{
	if (networks->count == networks->capacity) {
		networks->capacity = networks->capacity ? 2 * networks->capacity : 256;
		networks->nodes = realloc(
			networks->nodes, networks->capacity * sizeof(*networks->nodes));
		if (networks->nodes == NULL)
			abort();
	}
	networks->nodes[networks->count] = (struct network_node){{0, 0}, NULL};
	return (uint32_t)networks->count++;
}

static void network_add(struct networks *networks, uint32_t prefix, int length, const char *name)
{
	uint32_t at = 0;

	for (int i = 0; i < length; i++) {
		int bit = prefix >> (31 - i) & 1;

		if (networks->nodes[at].child[bit] == 0) {
			uint32_t added = network_node(networks);
			networks->nodes[at].child[bit] = added;
		}
		at = networks->nodes[at].child[bit];
	}
	networks->nodes[at].name = name;
}

void networks_init(struct networks *networks)
{
	memset(networks, 0, sizeof(*networks));
	network_node(networks);
	networks->nodes[0].name = "elsewhere";
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		network_add(networks, known[i].prefix, known[i].length, known[i].name);
}

void networks_release(struct networks *networks)
{
	free(networks->nodes);
}

const char *network_find(const struct networks *networks, uint32_t address)
{
	const struct network_node *node = networks->nodes;
	const char *name = node->name;

	for (int i = 31; i >= 0; i--) {
		uint32_t next = node->child[address >> i & 1];

		if (next == 0)
			break;
		node = &networks->nodes[next];
		if (node->name != NULL)
			name = node->name;
	}
	return name;
}
