/* SPDX-License-Identifier: Apache-2.0 */
/* What each of the sampler's counters says, for people. */
#include "gate/profile/capture/capture_read.h"
#include "gate/sampler/capture/capture.h"

static const struct capture_counter counters[] = {
	[FG_COUNTER_BUSY] = {"samples came while the sampler was counting something else: their "
			     "weight went to the next one",
		true},
	[FG_COUNTER_INTERRUPTED] = {"waits were ended by the sampling signal and could not be "
				    "retried: the program saw EINTR",
		false},
	[FG_COUNTER_RETRIED] = {"waits were ended by the sampling signal and went on", true},
	[FG_COUNTER_UNTIMED] = {"threads got no timer: their CPU time is missing", false},
	[FG_COUNTER_FALLBACK] = {"threads were sampled by the POSIX timer where perf was chosen",
		true},
	[FG_COUNTER_LOST_TIMER] = {"threads lost their perf event: the program has closed it",
		false},
	[FG_COUNTER_RAW_THREADS] = {"threads were made without the C library and found by looking",
		true},
	[FG_COUNTER_UNSAMPLED] = {"threads made without the C library could not be sampled", false},
	[FG_COUNTER_UNKNOWN_FREES] = {"blocks were freed whose allocation was not seen", true},
	[FG_COUNTER_UNTRACKED] = {"allocations found no room in the table of live blocks: they "
				  "count as allocated, not as in use",
		false},
	[FG_COUNTER_HEAP_LOST] = {"allocations found no room in the capture", false},
	[FG_COUNTER_WAITS_LOST] = {"waits found no room in the capture", false},
	[FG_COUNTER_CONTEXTS_LOST] = {"regions or labels found no room in the capture: what they "
				      "cost counts for the region around them",
		false},
	[FG_COUNTER_LOOKS_FAILED] = {"looks at a sleeping thread came too late or "
				     "could not read its stack",
		true},
	[FG_COUNTER_OTHER_HEAP] = {"programs have an allocator of their own, linked in or "
				   "preloaded before us: their heap is not seen",
		false},
	[FG_COUNTER_QUIET] = {"programs put themselves under a seccomp filter: what they did "
			      "then, and what they started, is not seen",
		false},
	[FG_COUNTER_TRACED] = {"processes were started by a debugger or tracer and left alone",
		false},
};
_Static_assert(sizeof(counters) / sizeof(counters[0]) == FG_COUNTER_COUNT, "a text for each");
_Static_assert(CAPTURE_COUNTER_TRACED == FG_COUNTER_TRACED, "the same number");

const struct capture_counter *capture_counter(unsigned index)
{
	return index < FG_COUNTER_COUNT ? &counters[index] : NULL;
}
