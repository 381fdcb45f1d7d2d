/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library whose calls go through linkage stubs and are bound at their first use (-Wl,-z,lazy):
 * samples fall into the stubs and, while they are new, into the loader's binding.
 */
#include <stdlib.h>

#include "tests/sampler/unwind/unwind_target.h"

int lazy_calls(const char *text);
#define USES(F) F(atoi) F(atol) F(atoll)
#define CALL(f) sum += (int)lazy_##f(text);

static ALONE int lazy_atoi(const char *text)
{
	return atoi(text) + 1;
}

static ALONE long lazy_atol(const char *text)
{
	return atol(text) + 1;
}

static ALONE long long lazy_atoll(const char *text)
{
	return atoll(text) + 1;
}

ALONE int lazy_calls(const char *text)
{
	int sum = 0;

	USES(CALL)
	return sum + rand();
}
