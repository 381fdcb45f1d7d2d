/* SPDX-License-Identifier: Apache-2.0 */
/* The contract between the runner and libflamegate-clock.so. Macros only. */
#ifndef FG_CLOCK_CLOCK_VARIABLE_H
#define FG_CLOCK_CLOCK_VARIABLE_H

/*
 * The folder of one run's clock (clock_file.h), absolute; inherited through every exec. Unset, or
 * without a page that can be read: the library lets all calls pass.
 */
#define FG_ENV_CLOCK "FLAMEGATE_CLOCK"

/* Programs of this name keep the real clock: it measures what it starts. */
#define FG_CLOCK_OWN_PROGRAM "flamegate"

#endif
