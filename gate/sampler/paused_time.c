/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/paused_time.h"

#include "gate/sampler/offcpu/off_cpu.h"
#include "gate/sampler/sampler.h"

/* Two threads that pause and resume at the same moment may misjudge that moment, no more. */
static struct {
	uint64_t before_ns; /* of earlier pauses */
	uint64_t since_ns;  /* the CPU clock when the one that lasts began */
	uint32_t lasts;
} paused;

void fg_paused_time_attach(struct fg_capture_header *header)
{
	__atomic_store_n(&header->paused_ns, paused.before_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&header->paused_since_ns, paused.since_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&header->paused, paused.lasts, __ATOMIC_RELAXED);
}

void fg_paused_time_begin(uint64_t cpu_ns, bool lasts)
{
	paused.before_ns = 0;
	paused.since_ns = cpu_ns;
	paused.lasts = lasts;
}

void fg_paused_time_switch(bool lasts)
{
	struct fg_capture_header *header;
	uint64_t now;

	if (__atomic_exchange_n(&paused.lasts, lasts, __ATOMIC_ACQ_REL) == lasts)
		return;
	now = fg_process_cpu_ns();
	if (lasts)
		paused.since_ns = now;
	else
		paused.before_ns += now - paused.since_ns;
	header = fg_capture();
	if (header)
		fg_paused_time_attach(header);
}
