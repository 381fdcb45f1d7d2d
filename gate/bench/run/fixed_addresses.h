/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that lie at the same addresses in every run: no address space randomisation. */
#ifndef FG_BENCH_FIXED_ADDRESSES_H
#define FG_BENCH_FIXED_ADDRESSES_H

#include <stdbool.h>

/*
 * A process_options.prepare: as setarch -R, passed on to all that the child starts. Where a
 * container forbids it nothing changes: see below.
 */
void addresses_fix(void *unused);
bool addresses_can_be_fixed(void);

#endif
