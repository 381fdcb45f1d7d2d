/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs here do: a piece of CPU time, the same in every run. */
#ifndef WORK_H
#define WORK_H

static __attribute__((noinline, unused)) unsigned long turn(
	unsigned long rounds, unsigned long seed)
{
	volatile unsigned long sink = seed;

	for (unsigned long i = 0; i < rounds; i++)
		sink = sink * 31 + i;
	return sink;
}

#endif
