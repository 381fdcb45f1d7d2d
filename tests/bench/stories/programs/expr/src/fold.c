#include "expr.h"

static int32_t apply(enum kind kind, int32_t left, int32_t right)
{
	uint32_t a = (uint32_t)left, b = (uint32_t)right;

	switch (kind) {
	case ADD:
		return (int32_t)(a + b);
	case SUBTRACT:
		return (int32_t)(a - b);
	default:
		return (int32_t)(a * b);
	}
}

struct node *fold(struct node *node)
{
	if (node->kind == NUMBER || node->kind == NAME)
		return node;
	node->left = fold(node->left);
	if (node->kind == NEGATE)
		return node;
	node->right = fold(node->right);
	if (node->left->kind != NUMBER || node->right->kind != NUMBER)
		return node;
	node->value = apply(node->kind, node->left->value, node->right->value);
	node->kind = NUMBER;
	return node;
}
