/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled with -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-omit-frame-pointer. */
#include "tests/sampler/unwind/unwind_target.h"

static ALONE void bare_inner(callback inner)
{
	inner();
	NO_TAIL_CALL;
}

ALONE void bare_outer(callback inner)
{
	bare_inner(inner);
	NO_TAIL_CALL;
}
