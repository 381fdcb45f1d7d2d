/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/runs/measure_switches.h"

#include <string.h>

#include "gate/base/error.h"
#include "gate/bench/machine/switching_cost.h"

#define MOST_SHARE 0.1    /* of the CPU time, before it is worth a note */
#define WORTH_ASKING 2000 /* switches a CPU second; of fewer each would have to take 50 us */

const char *switches_text(uint64_t switches, uint64_t cpu_ns, double ns, struct arena *arena)
{
	double share = switching_share(ns, switches, cpu_ns);

	if (share < MOST_SHARE)
		return NULL;
	return arena_printf(arena,
		"about %.0f %% of the CPU time is perf's part of %.0f context switches a CPU "
		"second (%.1f us each on this machine), which favours no version; --mechanism "
		"posix does without, and takes fewer samples",
		100 * (share > 1 ? 1 : share), switching_share(1e9, switches, cpu_ns), ns / 1e3);
}

/* Measured once for all benchmarks. Where it cannot be there is nothing to say. */
static double price_ns(struct plan *plan)
{
	struct error ignored = {0};

	if (!plan->machine.knows_switching &&
		switching_cost_measure(&plan->machine.switching_ns, &ignored))
		plan->machine.switching_ns = 0;
	plan->machine.knows_switching = true;
	return plan->machine.switching_ns;
}

static double per_cpu_second(const struct side *side)
{
	return switching_share(1e9, side->probe_switches, side->probe_tree_ns);
}

static const struct side *most_switching(const struct side *sides, size_t count)
{
	const struct side *most = sides;

	for (size_t i = 1; i < count; i++)
		if (per_cpu_second(&sides[i]) > per_cpu_second(most))
			most = &sides[i];
	return most;
}

/* A head that was measured alone before its pairs has said so already. */
static void add_note(struct plan *plan, struct measured_benchmark *out, const char *text)
{
	for (size_t i = 0; i < out->notes.count; i++)
		if (strcmp(out->notes.items[i], text) == 0)
			return;
	measurements_add_line(plan->measurements, &out->notes, text);
}

void switches_tell(
	struct plan *plan, const struct side *sides, size_t count, struct measured_benchmark *out)
{
	const struct side *side = most_switching(sides, count);
	const char *text;

	if (strcmp(side->probe_mechanism, "perf") != 0 || per_cpu_second(side) < WORTH_ASKING)
		return;
	text = switches_text(side->probe_switches, side->probe_tree_ns, price_ns(plan),
		&plan->measurements->arena);
	if (text)
		add_note(plan, out, text);
}
