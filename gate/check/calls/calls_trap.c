/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/calls/calls_trap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/bench/instructions/call_breakpoints.h"

#define RUNS 2
#define SECOND_NS 1e9

/* What is counted: the n-th is the n-th breakpoint of both versions. */
struct trap {
	struct side *sides;
	const struct analysis *analysis;
	uint32_t rows[BREAKPOINTS_MOST]; /* of the comparison */
	size_t count;
	struct breakpoint_target targets[ARM_COUNT][BREAKPOINTS_MOST];
	struct breakpoints breakpoints[ARM_COUNT];
	double calls[ARM_COUNT][BREAKPOINTS_MOST][RUNS];
	double deadline;
};

/* ---- whom ----------------------------------------------------------------------------------- */

/* By a place in its code that is not inlined elsewhere. Without one there is nothing to find. */
static struct breakpoint_target target_of(const struct trap *trap, int arm, uint32_t row)
{
	const struct profile *profile = trap->analysis->recordings[arm]->profile;
	const uint32_t *rows = trap->analysis->comparison.matches.of[arm];

	for (size_t i = 0; i < profile->location_count; i++) {
		const struct profile_location *location = &profile->locations[i];
		uint32_t function = location->line_count
					    ? location->lines[location->line_count - 1].function
					    : UINT32_MAX;
		const struct profile_function *known;
		const struct profile_mapping *mapping;

		if (location->mapping == PROFILE_NO_MAPPING || function == UINT32_MAX ||
			rows[function] != row)
			continue;
		known = &profile->functions[function];
		mapping = &profile->mappings[location->mapping];
		return (struct breakpoint_target){
			.symbol = known->system_name[0] ? known->system_name : known->name,
			.object = mapping->file,
			.build_id = mapping->build_id};
	}
	return (struct breakpoint_target){.symbol = "", .object = "", .build_id = ""};
}

static bool is_chosen(const struct trap *trap, uint32_t row)
{
	for (size_t i = 0; i < trap->count; i++)
		if (trap->rows[i] == row)
			return true;
	return false;
}

/* What is inlined in both versions would take the place of one that can be seen. */
static void choose(struct trap *trap, uint32_t row)
{
	bool is_known = false;

	if (row == VERDICT_NONE || trap->count == BREAKPOINTS_MOST || is_chosen(trap, row))
		return;
	for (int arm = 0; arm < ARM_COUNT; arm++) {
		trap->targets[arm][trap->count] = target_of(trap, arm, row);
		is_known |= trap->targets[arm][trap->count].symbol[0] != '\0';
	}
	if (is_known)
		trap->rows[trap->count++] = row;
}

/* Of what a culprit calls, where it grew most, what changed most. */
static uint32_t main_callee(const struct trap *trap, const struct verdict_culprit *culprit)
{
	const struct verdict_input *input = &trap->analysis->input;
	const struct verdict_effect *nodes = trap->analysis->verdict.nodes;
	uint32_t found = VERDICT_NONE;
	double most = 0;

	if (culprit->node == VERDICT_NONE)
		return VERDICT_NONE;
	for (size_t i = (size_t)culprit->node + 1; i < input->node_count; i++)
		if (input->node_parent[i] == culprit->node && fabs(nodes[i].change) > most) {
			most = fabs(nodes[i].change);
			found = input->node_function[i];
		}
	return found;
}

/* Culprits, then what they call, then who calls them; without culprits what is excused. */
static void choose_all(struct trap *trap)
{
	const struct verdict_result *verdict = &trap->analysis->verdict;
	const uint32_t *functions = trap->analysis->input.node_function;

	for (size_t i = 0; i < verdict->culprit_count; i++)
		choose(trap, verdict->culprits[i].function);
	for (size_t i = 0; i < verdict->culprit_count; i++)
		choose(trap, main_callee(trap, &verdict->culprits[i]));
	for (size_t i = 0; i < verdict->culprit_count; i++)
		if (verdict->culprits[i].caller_node != VERDICT_NONE)
			choose(trap, functions[verdict->culprits[i].caller_node]);
	for (size_t i = 0; i < trap->analysis->doubted_count; i++)
		choose(trap, trap->analysis->doubted[i]);
}

/* ---- runs ----------------------------------------------------------------------------------- */

static int make_ready(const struct side *side, struct error *err)
{
	int rc = side_check_files(side, err);

	return rc ? rc
		  : build_activate(
			    &side->plan->builds.cache, side->plan->builds.of[side->arm], err);
}

/* Each trap takes its time. */
static int run_options_of(
	const struct trap *trap, int arm, struct run_options *options, struct error *err)
{
	double left = trap->deadline - monotonic_seconds();

	*options = trap->sides[arm].runs.options;
	if (left <= 0)
		return error_set(err, ERR_MEASURE, "runs with perf breakpoints take too long");
	if (options->timeout_ns)
		options->timeout_ns += (uint64_t)(left * SECOND_NS);
	return make_ready(&trap->sides[arm], err);
}

static int find(struct trap *trap, int arm, struct error *err)
{
	struct run_options options;
	int rc = run_options_of(trap, arm, &options, err);

	return rc ? rc
		  : breakpoints_find(&options, trap->targets[arm], trap->count,
			    &trap->breakpoints[arm], err);
}

/* What one version has given up is of no use in the other. */
static void give_up(struct trap *trap)
{
	for (size_t i = 0; i < trap->count; i++) {
		const struct breakpoint *base = &trap->breakpoints[ARM_BASE].items[i];
		const struct breakpoint *head = &trap->breakpoints[ARM_HEAD].items[i];
		bool is_stopped = base->is_stopped || head->is_stopped;

		for (int arm = 0; arm < ARM_COUNT; arm++)
			trap->breakpoints[arm].items[i].is_stopped = is_stopped;
	}
}

static int run_once(struct trap *trap, int arm, int run, struct error *err)
{
	struct breakpoints *breakpoints = &trap->breakpoints[arm];
	struct run_options options;
	int rc = run_options_of(trap, arm, &options, err);

	if (!rc)
		rc = breakpoints_run(&options, breakpoints, err);
	for (size_t i = 0; i < trap->count && !rc; i++)
		trap->calls[arm][i][run] =
			(double)breakpoints->items[i].calls / breakpoints->iterations;
	give_up(trap);
	return rc;
}

static bool is_known(const struct trap *trap, int arm, size_t i)
{
	const struct breakpoint *breakpoint = &trap->breakpoints[arm].items[i];

	return breakpoint->is_set && !breakpoint->is_stopped;
}

static bool any_is_known(const struct trap *trap)
{
	for (int arm = 0; arm < ARM_COUNT; arm++)
		for (size_t i = 0; i < trap->count; i++)
			if (is_known(trap, arm, i))
				return true;
	return false;
}

/* Head first: what is called too often is mostly seen there. */
static int run_all(struct trap *trap, struct error *err)
{
	int rc = find(trap, ARM_HEAD, err);

	if (!rc)
		rc = find(trap, ARM_BASE, err);
	for (int run = 0; run < RUNS && !rc; run++)
		for (int arm = ARM_HEAD; arm >= ARM_BASE && !rc; arm--) {
			rc = run_once(trap, arm, run, err);
			if (!rc && !any_is_known(trap))
				rc = error_set(err, ERR_MEASURE,
					"what grew is called more than a million times a run, too "
					"often for perf breakpoints");
		}
	return rc;
}

/* ---- into the recordings --------------------------------------------------------------------- */

static int by_names(const void *left, const void *right)
{
	return call_count_compare(left, right);
}

static struct call_count item_of(const struct trap *trap, int arm, size_t i, struct arena *arena)
{
	const struct matched_function *row =
		&trap->analysis->comparison.matches.functions[trap->rows[i]];
	const double *calls = trap->calls[arm][i];

	return (struct call_count){.caller = "",
		.caller_file = "",
		.callee = arena_strdup(arena, arm == ARM_BASE ? row->base_name : row->name),
		.callee_file = arena_strdup(arena, row->file[arm]),
		.calls = (calls[0] + calls[1]) / RUNS};
}

static void fill(const struct trap *trap, int arm, struct recording *recording)
{
	struct call_counts counts = {
		.engine = CALL_COUNTS_PERF, .exact = true, .runs = RUNS, .why_not = ""};
	struct arena *arena = &recording->arena;

	counts.items = arena_array(arena, trap->count, sizeof(*counts.items));
	for (size_t i = 0; i < trap->count; i++) {
		if (!is_known(trap, arm, i))
			continue;
		counts.items[counts.count++] = item_of(trap, arm, i, arena);
		counts.exact &= trap->calls[arm][i][0] == trap->calls[arm][i][1];
	}
	if (counts.count)
		qsort(counts.items, counts.count, sizeof(*counts.items), by_names);
	recording->calls = counts;
}

int calls_trap(struct side sides[ARM_COUNT], const struct analysis *analysis,
	struct recording recordings[ARM_COUNT], double deadline, struct error *err)
{
	struct trap trap = {.sides = sides, .analysis = analysis, .deadline = deadline};
	int rc = breakpoints_check(err);

	choose_all(&trap);
	if (!rc)
		rc = run_all(&trap, err);
	for (int arm = 0; arm < ARM_COUNT; arm++) {
		if (!rc)
			fill(&trap, arm, &recordings[arm]);
		breakpoints_release(&trap.breakpoints[arm]);
	}
	return rc;
}
