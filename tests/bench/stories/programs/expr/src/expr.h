/* Arithmetic: text is read into a tree, the tree is folded and evaluated. */
#ifndef EXPR_H
#define EXPR_H

#include <stddef.h>
#include <stdint.h>

enum kind { NUMBER, NAME, NEGATE, ADD, SUBTRACT, MULTIPLY };

struct node {
	enum kind kind;
	int32_t value; /* of a number; the letter of a name */
	struct node *left, *right;
};

/* source.c: the text of an expression with so many operations */
size_t source_make(char *out, size_t size, unsigned operations, uint32_t seed);

/* node.c */
struct node *node_new(enum kind kind, int32_t value, struct node *left, struct node *right);
void nodes_reset(void);

/* parse.c */
struct node *parse(const char *text);

/* fold.c: makes of operations with numbers alone numbers */
struct node *fold(struct node *node);

/* eval.c */
struct names {
	int32_t values[26];
};
int32_t eval(const struct node *node, const struct names *names);
unsigned depth(const struct node *node);

#endif
