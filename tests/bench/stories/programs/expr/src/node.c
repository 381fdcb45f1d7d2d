#include "expr.h"

#include <stdlib.h>

#define MOST_NODES 8192

static struct node nodes[MOST_NODES];
static size_t used;

struct node *node_new(enum kind kind, int32_t value, struct node *left, struct node *right)
{
	struct node *node = &nodes[used++];

	if (used == MOST_NODES)
		abort();
	node->kind = kind;
	node->value = value;
	node->left = left;
	node->right = right;
	return node;
}

void nodes_reset(void)
{
	used = 0;
}
