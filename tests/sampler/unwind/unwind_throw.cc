/* SPDX-License-Identifier: Apache-2.0 */
/* Exceptions that cross many frames: most samples fall into the C++ runtime's own unwinder. */
#include <stdexcept>

#include "tests/sampler/unwind/unwind_target.h"

struct guard {
	int *live;
	explicit guard(int *counter) : live(counter)
	{
		++*live;
	}
	~guard()
	{
		--*live;
	}
};

ALONE int throw_at_depth(int depth, int *live)
{
	guard one(live);

	if (depth == 0)
		throw std::runtime_error("deep");
	return throw_at_depth(depth - 1, live) + 1;
}

ALONE void catch_thrown(int *live)
{
	try {
		throw_at_depth(60, live);
	} catch (const std::exception &) {
		*live += 0;
	}
	NO_TAIL_CALL;
}

void mode_throw(void)
{
	int live = 0;

	while (time_left())
		catch_thrown(&live);
}
