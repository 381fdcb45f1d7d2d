/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words for people of each reason of a verdict, and of where moved cost came from. Declared in
 * verdict.h.
 */
#include "gate/verdict/verdict.h"

static const struct {
	enum verdict_reason reason;
	const char *text;
} reasons[] = {
	{VERDICT_REASON_NO_PAIRS, "there are no pairs to decide on"},
	{VERDICT_REASON_TOO_MANY_PAIRS, "there are more pairs than can be decided on"},
	{VERDICT_REASON_BAD_POLICY, "a threshold of the policy is outside its range"},
	{VERDICT_REASON_BAD_NUMBER, "a measured number is negative, infinite or not a number"},
	{VERDICT_REASON_ZERO_TOTAL, "a run used no CPU time or did no work"},
	{VERDICT_REASON_BAD_TREE, "the call tree is not a tree in preorder"},
	{VERDICT_REASON_FEW_PAIRS_STAGE1, "too few pairs of stage 1 are left to decide"},
	{VERDICT_REASON_FEW_PAIRS_STAGE2, "too few pairs of stage 2 are left to decide"},
	{VERDICT_REASON_NO_SAMPLES, "the profile of one version has no samples"},
	{VERDICT_REASON_COVERAGE, "the samples do not add up to the CPU time that was used"},
	{VERDICT_REASON_COVERAGE_GAP, "samples were lost in one version more than in the other"},
	{VERDICT_REASON_FUNCTION, "a function's own cost grew"},
	{VERDICT_REASON_NODE, "the cost of a call with all below it grew"},
	{VERDICT_REASON_TOTAL, "the benchmark's total grew"},
	{VERDICT_REASON_SPREAD, "the cost grew nearly everywhere, no single function explains it"},
	{VERDICT_REASON_SHIFTED, "an increase is offset by decreases elsewhere"},
	{VERDICT_REASON_CONTRADICTED, "a function grew, but the benchmark's total did not"},
	{VERDICT_REASON_UNCHANGED_CODE, "a function grew whose machine code is unchanged"},
	{VERDICT_REASON_TOTAL_UNEXPLAINED, "the total grew, but not in functions that count"},
	{VERDICT_REASON_NODE_UNEXPLAINED, "a call grew, but not in functions that count"},
	{VERDICT_REASON_UNREACHABLE_STAGE1, "stage 1 has too few pairs for the total's test"},
	{VERDICT_REASON_UNREACHABLE_STAGE2, "stage 2 has too few pairs for the total's test"},
	{VERDICT_REASON_LAYOUT, "what grew may be no more than the code's place in memory: its "
				"layout was not varied"},
	{VERDICT_REASON_UNCHANGED_GREW,
		"what grew has the same machine code in both versions, and grew more than its "
		"place in memory explains: what it works on has changed"},
	{VERDICT_REASON_TOTAL_UNCHANGED,
		"the total grew in functions whose machine code is the same in both versions"},
};

static const char *const compensators[VERDICT_COMPENSATOR_COUNT] = {
	[VERDICT_COMPENSATOR_NONE] = "",
	[VERDICT_COMPENSATOR_PARENT] = "its callers",
	[VERDICT_COMPENSATOR_SIBLINGS] = "what else its callers call",
	[VERDICT_COMPENSATOR_CHILDREN] = "what it calls",
	[VERDICT_COMPENSATOR_PARENT_SUBTREE] = "its callers and what they call",
	[VERDICT_COMPENSATOR_CONTEXTS] = "other calls of it",
	[VERDICT_COMPENSATOR_SYMBOLS] = "vanished and new functions",
	[VERDICT_COMPENSATOR_FILE] = "functions of the same file",
	[VERDICT_COMPENSATOR_TOUCHED] = "functions that the change touches",
	[VERDICT_COMPENSATOR_DECREASED] = "functions that got faster",
};

const char *verdict_reason_text(enum verdict_reason reason)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].reason == reason)
			return reasons[i].text;
	return "";
}

const char *verdict_compensator_text(enum verdict_compensator compensator)
{
	if ((unsigned)compensator >= VERDICT_COMPENSATOR_COUNT)
		return "";
	return compensators[compensator];
}
