#include "expr.h"

#include <stdio.h>
#include <stdlib.h>

#define OPERATIONS 900
#define ROUNDS_OF_EACH 8

static int32_t evaluate_all(const struct node *tree, struct names *names)
{
	int32_t sum = 0;

	for (int round = 0; round < ROUNDS_OF_EACH; round++) {
		for (int i = 0; i < 26; i++)
			names->values[i] = round * 31 + i;
		sum ^= eval(tree, names);
	}
	return sum;
}

static int32_t one_expression(uint32_t seed)
{
	char text[8192];
	struct names names;
	struct node *tree;
	int32_t sum;

	source_make(text, sizeof(text), OPERATIONS, seed);
	nodes_reset();
	tree = fold(parse(text));
	sum = evaluate_all(tree, &names);
	return sum + (int32_t)depth(tree);
}

int main(int argc, char **argv)
{
	unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 10;
	int32_t sum = 0;

	for (uint32_t seed = 1; seed <= count * 16; seed++)
		sum = (int32_t)((uint32_t)sum * 31u + (uint32_t)one_expression(seed));
	printf("%u rounds: %d\n", count, sum);
	return 0;
}
