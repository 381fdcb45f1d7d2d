/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json/schema_notes.h"

#include <stdio.h>
#include <string.h>

struct note {
	const char *place, *text;
};

/* "Fraction": of the benchmark's total in base unless it says another; 0.084 is 8.4 %. */
static const struct note notes[] = {
	{"report",
		"What a flamegate command found. Fractions are of 1: 0.084 is 8.4 %; changes are "
		"fractions of base's total. Members that "
		"are not described here may follow in later versions; a change of what is "
		"described gets another `format`."},
	{"report.kind", "the command that wrote it: check, run, compare, record"},
	{"report.date", "RFC 3339, UTC: when it was measured"},
	{"report.exit_status", "0 pass, 1 regression, 3 could not measure"},
	{"report.policy_origin", "where the thresholds come from, e.g. main:.flamegate.yml"},
	{"report.environment", "the machine in one line"},
	{"report.config_changes",
		"what the change does to the configuration, in force after the merge"},
	{"report.notes", "what a reader should know, and nobody needs to mend"},
	{"commit.name", "what the user called it; empty: nothing"},
	{"commit.dirty", "the working tree: this commit with uncommitted changes"},
	{"benchmark.status", "neutral: it is new, so nothing was decided"},
	{"benchmark.outcome", "why it has its status"},
	{"benchmark.detail",
		"what happened and what to do, where it was not decided by measurement"},
	{"benchmark.accepted", "why its regression passes all the same; empty: it does not"},
	{"benchmark.unit", "of all costs of this benchmark, per run or per unit of work"},
	{"benchmark.profile_type",
		"what the costs are of: cpu, wall, alloc_bytes, instructions, ..."},
	{"benchmark.sides",
		"which were measured, where nothing was decided in pairs; unsaid, and absent: head "
		"alone if base's total is 0"},
	{"benchmark.changes_of",
		"the pairs that changes and the costs beside them are of: all that count, or those "
		"that confirmed what the first ones had flagged"},
	{"benchmark.per", "what costs that were measured in pairs are of one of"},
	{"benchmark.bound",
		"97.5 % upper bound of the total's change; of all pairs, whatever changes are of"},
	{"benchmark.noise", "standard deviation of log(head / base) from pair to pair, outliers "
			    "aside; 0: unknown"},
	{"benchmark.mde_total",
		"change of the total that is found four times out of five, a fraction"},
	{"benchmark.mde_function",
		"the same of a function with 1 % of base's total, a fraction of that total"},
	{"benchmark.seed", "of the runs' order and of the tests"},
	{"benchmark.diff_unknown",
		"why nobody knows what changed between base and head; empty: it is known"},
	{"benchmark.layouts", "how the code's layout was varied; empty: it was not"},
	{"benchmark.slices", "how the pairs were run; empty: whole runs, as asked for"},
	{"benchmark.wall_seconds", "spent on measuring; of a new one: its only run's"},
	{"benchmark.culprits", "one for each cause, worst first"},
	{"benchmark.consequences", "what hangs on culprits; of one together, largest first"},
	{"benchmark.improvements", "functions that take less, largest first"},
	{"benchmark.references", "what head was compared with outside of the pairs"},
	{"benchmark.metrics", "everything that was looked at: CPU time, allocations, ..."},
	{"benchmark.matches", "what is taken for one function though names or files differ"},
	{"benchmark.excluded", "what was left out and why"},
	{"benchmark.strings", "of the columns, each once, at most 65,536 bytes"},
	{"change", "a difference head - base"},
	{"change.base", "cost per run: where pairs were measured, "
			"the mean of the runs that change is of"},
	{"change.head", "cost per run of the same pairs: base * (1 + change)"},
	{"change.change", "of the total: (head - base) / base"},
	{"change.low", "95 % interval of change"},
	{"change.high", "95 % interval of change"},
	{"change.se", "standard error of change"},
	{"sampling", "of both versions"},
	{"sampling.complete", "samples with a complete stack"},
	{"sampling.coverage_base", "sampled CPU time / CPU time of the process tree"},
	{"sampling.coverage_head", "sampled CPU time / CPU time of the process tree"},
	{"sampling.own_cost_base", "CPU time in the sampler / CPU time; 0: unknown"},
	{"sampling.own_cost_head", "CPU time in the sampler / CPU time; 0: unknown"},
	{"work", "how every run of a benchmark that runs for a fixed time is made to do the same; "
		 "absent: nothing was done"},
	{"work.kind",
		"replayed: told what base's clock said in one run; stepped: the clock goes on by "
		"step_seconds at each call"},
	{"work.calls", "of the clock, in the recorded run"},
	{"work.processes", "that made them"},
	{"work.speed", "of the recorded clock: times as fast as the real one"},
	{"work.step_seconds", "0 unless stepped"},
	{"work.run_seconds", "CPU time of the recorded run"},
	{"work.real_seconds", "CPU time of a run of base by the real clock"},
	{"work.start_seconds", "of run_seconds, what no clock shortens; 0: not known"},
	{"culprit", "the node of the call tree that explains a regression"},
	{"culprit.node", "its place in nodes"},
	{"culprit.function", "its place in functions"},
	{"culprit.blame",
		"its own code takes more, or it is called more often: then a call with all below "
		"it takes more; whether there are more calls or each does more is not known"},
	{"culprit.caller", "the function that calls it more often"},
	{"culprit.claim",
		"place in claims: what is said of it; -1: no more than that it takes more"},
	{"culprit.file", "of the line to annotate, relative to the repository; empty: unknown"},
	{"culprit.line", "the changed statement or call that the cost comes from, in the function "
			 "or on the way to it; the function's definition where nothing there "
			 "changed; 0: unknown"},
	{"culprit.base", "cost per run: its own code's or, if it is called more often, its calls' "
			 "with all below them"},
	{"culprit.head", "the same in head: base + change * base's total"},
	{"culprit.change", "fraction of base's total"},
	{"culprit.relative", "head / base - 1"},
	{"culprit.together", "fraction of base's total, with all that hangs on it; no time is "
			     "counted for two culprits"},
	{"culprit.explained",
		"share of the benchmark's increase that it explains with all that hangs on it; "
		"above 1 by what takes less; 0: unknown"},
	{"culprit.diff_link", "what the diff has to do with it"},
	{"culprit.diff_function", "the nearest function that the diff touches"},
	{"culprit.path", "functions, outermost first; ends with this one"},
	{"culprit.source", "absent where its text was not looked for, not to be had, or too much"},
	{"culprit.production",
		"absent where no profile of production was configured, or to be had"},
	{"consequence", "a function that grew by what a culprit is blamed for"},
	{"consequence.cause", "place in culprits; -1: everything grew, and so did this, or its "
			      "place in memory may explain it"},
	{"consequence.blame",
		"as a culprit's; carried: its own cost grew, below calls that a culprit "
		"is blamed for, or with everything"},
	{"consequence.caller", "the function that calls it more often"},
	{"consequence.change", "fraction of base's total"},
	{"production", "what a culprit takes where the program is in use"},
	{"production.of",
		"what share is of: the function's own CPU time; where it is called more often, "
		"the calls by its caller, with all below; its total, as it has no caller; or that, "
		"as the caller does not call it there: elsewhere"},
	{"production.share",
		"of all CPU time there; 0: not seen there; null: several functions are called so"},
	{"production.impact",
		"what the change adds to all CPU time there, estimated: share times the "
		"relative change of the same cost here; null: unknown"},
	{"production.low", "of impact's 95 % interval, which takes the share as given"},
	{"production.high", "of impact's 95 % interval, which takes the share as given"},
	{"source", "what the commits' trees say of a culprit's function: costly and changed lines"},
	{"source.function", "its place in functions: the culprit, or a caller of it, whose lines "
			    "have what the culprit costs by way of them"},
	{"source.file", "in head, relative to the repository"},
	{"source.base_file", "the same, or where the function was; empty: base has none"},
	{"lines", "Columns, one array of `count` elements for each field: source lines."},
	{"lines.base", "its number in base's file; 0: none"},
	{"lines.head", "its number in head's file; 0: none"},
	{"lines.kind", "what the diff does to it"},
	{"lines.cost_base", "the function's own cost in this line, in the benchmark's unit"},
	{"lines.cost_head", "the function's own cost in this line, in the benchmark's unit"},
	{"lines.text", "without line break, at most 400 bytes"},
	{"benchmark.claims",
		"what is said of culprits, of cost that moved, and of improvements: in "
		"this order; each with what shows it"},
	{"claim", "what is said of a function, its subject"},
	{"claim.kind",
		"itself: its lines changed, slower, called as often; own_code: takes more in its "
		"own code, which has changed; longer: takes more, and neither code nor counts say "
		"why; "
		"called_more, each_call, calls_and_each: by counted calls; more_work: called "
		"more often or given more work; with_callees: takes more with what it "
		"calls; new; now_called; called_instead: of others[1]; in_host: inlined into "
		"others[0]; unchanged_code: each call of the same code takes more; less; gone; "
		"split: others are new; merged: others are gone; moved: to others; swapped: "
		"others[1] calls others[0] instead; reached: others are called through it; offset: "
		"others take more as it takes less"},
	{"claim.others", "functions: of a culprit, its caller first"},
	{"claim.base", "cost of what the claim is about"},
	{"claim.head", "cost of what the claim is about"},
	{"claim.base_calls", "per run; null: not counted"},
	{"claim.head_calls", "per run; null: not counted"},
	{"claim.change", "fraction of the total"},
	{"claim.evidence", "what shows it beside the costs of both versions"},
	{"claim.because", "the evidence in a few words"},
	{"shift", "an increase that others compensate, so that it is no regression"},
	{"shift.to", "the function that grew"},
	{"shift.from", "the one that shrank most among what makes up for it"},
	{"shift.moved", "fraction of base's total"},
	{"shift.net", "fraction of base's total"},
	{"reference",
		"what head was compared with outside of the pairs: a stored baseline, or base "
		"counted beside head"},
	{"reference.decides", "its state made the benchmark's status"},
	{"reference.distance", "commits before the base; 0: the base itself"},
	{"reference.environment", "empty: ours; else what differs"},
	{"reference.size_factor", "screen: head / base of the typical function; else 1"},
	{"reference.threshold", "what a change had to reach"},
	{"reference.losses", "what this store loses or rounds"},
	{"finding.change", "fraction of base's total; of a screen's, scaled to head's machine"},
	{"finding.shifted", "others went down as it went up"},
	{"finding.caller", "whom it works for, where it is no code of the repository: the nearest "
			   "function that is"},
	{"finding.caller_line",
		"that leads to it and that the diff touches, else the definition; 0: unknown"},
	{"metric.gate", "what an increase does to the status"},
	{"metric.decides", "its state made the benchmark's status"},
	{"metric.absolute", "change, low, high and margin are in units, else fractions of base"},
	{"metric.runs", "of each version"},
	{"metric.margin", "that change had to exceed"},
	{"metric.detail", "why it could not be decided, or does not count though it "
			  "grew, or where it grew most"},
	{"metric.p", "one-sided, against the margin; null: exact"},
	{"match.similarity", "0 to 1"},
	{"inlining.host",
		"counts what the part costs where it calls it directly, in both versions"},
	{"inlining.part", "a function of its own elsewhere"},
	{"inlining.kind", "inlined and split in head, outlined and merged in base"},
	{"inlining.similarity", "0 to 1"},
	{"pairs", "Columns, one array of `count` elements for each field: pairs of runs."},
	{"pairs.base", "CPU seconds"},
	{"pairs.head", "CPU seconds"},
	{"functions", "Columns, one array of `count` elements for each field."},
	{"functions.line", "of its definition, in head if it is there; 0: unknown"},
	{"functions.match", "how base's and head's are one; head_only and base_only: no sample of "
			    "the other version has it, which may be chance"},
	{"functions.touched", "the diff changes lines of it"},
	{"functions.total_base", "cost per run with what it calls, recursion counted once"},
	{"functions.total_head", "cost per run with what it calls, recursion counted once"},
	{"functions.change", "of its own cost, a fraction of base's total"},
	{"functions.total_change", "of the cost with what it calls, a fraction of base's total; "
				   "shown, not tested"},
	{"functions.total_low", "95 % interval of total_change"},
	{"functions.total_high", "95 % interval of total_change"},
	{"nodes",
		"Columns, one array of `count` elements for each field: the call tree, cut down to "
		"what matters. Node 0 is the root: where pairs were measured, its total, change "
		"and state are the benchmark's, whatever part of it was sampled."},
	{"nodes.parent", "stands before its children; the root's own place for the root"},
	{"nodes.function",
		"place in functions; -1: the root, or a node into which small ones were folded"},
	{"nodes.self_change", "fraction of base's total"},
	{"nodes.total_change", "fraction of base's total"},
	{"benchmark.profiles", "trees of other profile types; nothing was decided by them"},
	{"profile.profile_type", "what the costs are of: alloc_bytes, instructions, ..."},
	{"profile.unit", "of all costs here, per run or per unit of work"},
	{"profile.sides", "which were measured; unsaid, and absent in earlier "
			  "reports: head alone if base is 0"},
	{"profile.base", "total"},
	{"profile.head", "total"},
	{"profile_functions", "Columns, one array of `count` elements for each field: "
			      "the profile's own functions."},
	{"profile_functions.line", "of its definition, in head if it is there; 0: unknown"},
	{"profile_functions.touched", "the diff changes lines of it"},
	{"profile_functions.total_base", "cost with what it calls, recursion counted once"},
	{"profile_functions.total_head", "cost with what it calls, recursion counted once"},
	{"profile_nodes",
		"Columns, one array of `count` elements for each field: the call tree, cut down to "
		"what costs most. Node 0 is the root."},
	{"profile_nodes.parent", "stands before its children; the root's own place for the root"},
	{"profile_nodes.function", "place in the profile's functions; -1: the root, or a node "
				   "into which small ones were folded"},
	{"benchmark.labels", "the nodes' own costs by what their samples were labelled with"},
	{"profile.labels", "the nodes' own costs by what their samples were labelled with"},
	{"label.key", "region, thread, round, ..."},
	{"label.values", "empty: of samples without this label; the smallest are one, (other)"},
	{"label_costs", "Columns, one array of `count` elements for each field: what nodes cost "
			"themselves where the label has a value; by value, then by node."},
	{"label_costs.value", "its place in values"},
	{"label_costs.node", "its place in the nodes of this tree"},
	{"benchmark.memory_base", "base's heap over time"},
	{"benchmark.memory_head", "head's heap over time, or that of what was run alone"},
	{"memory", "the heap over time, of the process whose heap was largest"},
	{"memory.runs", "this is the one with the median peak of so many runs"},
	{"memory.processes", "so many counted their heap: this is one of them"},
	{"moments",
		"Columns, one array of `count` elements for each field: what happened since "
		"the moment before, of the first since the process began. The last is its end."},
	{"moments.seconds", "CPU time of the process while its heap is counted; never falls"},
	{"moments.iterations",
		"done by then, as the program tells them; never falls; 0 in all: it tells none"},
	{"moments.inuse", "bytes in use at this moment"},
	{"moments.most", "bytes: the most that was in use since the moment before"},
	{".estimate", "null: unknown"},
	{".ratio", "null: infinite, where base has nothing"},
	{".index", "a place in functions; -1: none"},
	{".function_place", "a place in functions"},
	{".string_place", "a place in strings"},
	{".seed", "64 bits, which a JSON number would not hold"},
};
#define NOTE_COUNT (sizeof(notes) / sizeof(notes[0]))

const char *schema_note(const char *part, const char *field)
{
	char place[128];

	snprintf(place, sizeof(place), "%s%s%s", part, field ? "." : "", field ? field : "");
	for (size_t i = 0; i < NOTE_COUNT; i++)
		if (strcmp(notes[i].place, place) == 0)
			return notes[i].text;
	return NULL;
}

const char *schema_note_place(size_t number)
{
	return number < NOTE_COUNT ? notes[number].place : NULL;
}
