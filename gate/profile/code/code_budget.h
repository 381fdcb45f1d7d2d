/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the symbolizer's child: what code hashes may cost, whatever files they are made of.
 * One budget for all that a child reads; what is left undone when it is spent is not known. It
 * counts work, not time, so that the same files always get the same answer.
 */
#ifndef FG_PROFILE_CODE_BUDGET_H
#define FG_PROFILE_CODE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* A unit is about 10 ns of a slow machine. */
enum code_cost {
	CODE_COST_BYTE = 1,         /* hashed, compared or looked through */
	CODE_COST_LOOKUP = 16,      /* of an address among a module's symbols or sections */
	CODE_COST_INSTRUCTION = 64, /* decoded */
	CODE_COST_RECORD = 128,     /* a symbol, a relocation, a section: read and sorted */
};

struct code_budget {
	uint64_t left; /* 0: spent */
};

/* False, and from then on for whatever costs anything, if that is more than is left. */
static inline bool code_budget_take(struct code_budget *budget, uint64_t count, uint64_t cost)
{
	bool enough = count <= budget->left / cost;

	budget->left = enough ? budget->left - count * cost : 0;
	return enough;
}

#endif
