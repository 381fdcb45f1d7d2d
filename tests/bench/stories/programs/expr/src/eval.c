#include "expr.h"

int32_t eval(const struct node *node, const struct names *names)
{
	int32_t left, right;

	if (node->kind == NUMBER)
		return node->value;
	if (node->kind == NAME)
		return names->values[node->value];
	left = eval(node->left, names);
	if (node->kind == NEGATE)
		return (int32_t)-(uint32_t)left;
	right = eval(node->right, names);
	switch (node->kind) {
	case ADD:
		return (int32_t)((uint32_t)left + (uint32_t)right);
	case SUBTRACT:
		return (int32_t)((uint32_t)left - (uint32_t)right);
	default:
		return (int32_t)((uint32_t)left * (uint32_t)right);
	}
}

unsigned depth(const struct node *node)
{
	unsigned left = node->left ? depth(node->left) : 0, right = node->right ? depth(node->right) : 0;

	return 1 + (left > right ? left : right);
}
