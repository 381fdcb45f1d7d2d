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
	struct breakpoint_target targets[VERSION_COUNT][BREAKPOINTS_MOST];
	struct breakpoints breakpoints[VERSION_COUNT];
	double calls[VERSION_COUNT][BREAKPOINTS_MOST][RUNS];
	double deadline;
};

/* ---- whom ----------------------------------------------------------------------------------- */

/* By a place in its code that is not inlined elsewhere. Without one there is nothing to find. */
static struct breakpoint_target target_of(const struct trap *trap, int version, uint32_t row)
{
	const struct profile *profile = trap->analysis->recordings[version]->profile;
	const uint32_t *rows = trap->analysis->comparison.matches.of[version];

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
	for (int version = 0; version < VERSION_COUNT; version++) {
		trap->targets[version][trap->count] = target_of(trap, version, row);
		is_known |= trap->targets[version][trap->count].symbol[0] != '\0';
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

	return rc ? rc : side_prepare_run(side, err);
}

/* Each trap takes its time. */
static int run_options_of(
	const struct trap *trap, int version, struct run_options *options, struct error *err)
{
	double left = trap->deadline - monotonic_seconds();

	*options = trap->sides[version].runs.options;
	if (left <= 0)
		return error_set(err, ERR_MEASURE, "runs with perf breakpoints take too long");
	if (options->timeout_ns)
		options->timeout_ns += (uint64_t)(left * SECOND_NS);
	return make_ready(&trap->sides[version], err);
}

static int find(struct trap *trap, int version, struct error *err)
{
	struct run_options options;
	int rc = run_options_of(trap, version, &options, err);

	return rc ? rc
		  : breakpoints_find(&options, trap->targets[version], trap->count,
			    &trap->breakpoints[version], err);
}

/* What one version has given up is of no use in the other. */
static void give_up(struct trap *trap)
{
	for (size_t i = 0; i < trap->count; i++) {
		const struct breakpoint *base = &trap->breakpoints[VERSION_BASE].items[i];
		const struct breakpoint *head = &trap->breakpoints[VERSION_HEAD].items[i];
		bool is_stopped = base->is_stopped || head->is_stopped;

		for (int version = 0; version < VERSION_COUNT; version++)
			trap->breakpoints[version].items[i].is_stopped = is_stopped;
	}
}

static int run_once(struct trap *trap, int version, int run, struct error *err)
{
	struct breakpoints *breakpoints = &trap->breakpoints[version];
	struct run_options options;
	int rc = run_options_of(trap, version, &options, err);

	if (!rc)
		rc = breakpoints_run(&options, breakpoints, err);
	for (size_t i = 0; i < trap->count && !rc; i++)
		trap->calls[version][i][run] =
			(double)breakpoints->items[i].calls / breakpoints->iterations;
	give_up(trap);
	return rc;
}

static bool is_known(const struct trap *trap, int version, size_t i)
{
	const struct breakpoint *breakpoint = &trap->breakpoints[version].items[i];

	return breakpoint->is_set && !breakpoint->is_stopped;
}

static bool any_is_known(const struct trap *trap)
{
	for (int version = 0; version < VERSION_COUNT; version++)
		for (size_t i = 0; i < trap->count; i++)
			if (is_known(trap, version, i))
				return true;
	return false;
}

/* Head first: what is called too often is mostly seen there. */
static int run_all(struct trap *trap, struct error *err)
{
	int rc = find(trap, VERSION_HEAD, err);

	if (!rc)
		rc = find(trap, VERSION_BASE, err);
	for (int run = 0; run < RUNS && !rc; run++)
		for (int version = VERSION_HEAD; version >= VERSION_BASE && !rc; version--) {
			rc = run_once(trap, version, run, err);
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

static struct call_count item_of(
	const struct trap *trap, int version, size_t i, struct arena *arena)
{
	const struct matched_function *row =
		&trap->analysis->comparison.matches.functions[trap->rows[i]];
	const double *calls = trap->calls[version][i];

	return (struct call_count){.caller = "",
		.caller_file = "",
		.callee = arena_strdup(arena, version == VERSION_BASE ? row->base_name : row->name),
		.callee_file = arena_strdup(arena, row->file[version]),
		.calls = (calls[0] + calls[1]) / RUNS};
}

static void fill(const struct trap *trap, int version, struct recording *recording)
{
	struct call_counts counts = {
		.engine = CALL_COUNTS_PERF, .exact = true, .runs = RUNS, .why_not = ""};
	struct arena *arena = &recording->arena;

	counts.items = arena_array(arena, trap->count, sizeof(*counts.items));
	for (size_t i = 0; i < trap->count; i++) {
		if (!is_known(trap, version, i))
			continue;
		counts.items[counts.count++] = item_of(trap, version, i, arena);
		counts.exact &= trap->calls[version][i][0] == trap->calls[version][i][1];
	}
	if (counts.count)
		qsort(counts.items, counts.count, sizeof(*counts.items), by_names);
	recording->calls = counts;
}

int calls_trap(struct side sides[VERSION_COUNT], const struct analysis *analysis,
	struct recording recordings[VERSION_COUNT], double deadline, struct error *err)
{
	struct trap trap = {.sides = sides, .analysis = analysis, .deadline = deadline};
	int rc = breakpoints_check(err);

	choose_all(&trap);
	if (!rc)
		rc = run_all(&trap, err);
	for (int version = 0; version < VERSION_COUNT; version++) {
		if (!rc)
			fill(&trap, version, &recordings[version]);
		breakpoints_release(&trap.breakpoints[version]);
	}
	return rc;
}
