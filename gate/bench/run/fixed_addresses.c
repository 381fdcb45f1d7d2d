/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/run/fixed_addresses.h"

#include <stddef.h>
#include <sys/personality.h>

void addresses_fix(void *unused)
{
	int now = personality(0xffffffff);

	(void)unused;
	if (now >= 0)
		personality((unsigned long)now | ADDR_NO_RANDOMIZE);
}

/* Tried on ourselves, where it takes effect with an exec alone. */
bool addresses_can_be_fixed(void)
{
	int before = personality(0xffffffff), after;

	if (before < 0)
		return false;
	addresses_fix(NULL);
	after = personality((unsigned long)before);
	return after >= 0 && (after & ADDR_NO_RANDOMIZE);
}
