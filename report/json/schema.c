/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json/schema.h"

#include "gate/check/result.h"

#define AT(type, member) offsetof(struct type, member)
#define END                                                                                        \
	{                                                                                          \
		NULL, FIELD_STRING, 0, NULL                                                        \
	}

static const char *const status_words[] = {"pass", "warn", "fail", "error", "neutral", NULL};
static const char *const outcome_words[] = {
	"measured", "identical", "new", "base_failed", "error", "profile", "screened", NULL};
static const char *const state_words[] = {"unchanged", "flagged", "confirmed", "shifted",
	"contradicted", "unchanged_code", "improved", "ineligible", NULL};
static const char *const match_words[] = {
	"same", "moved", "new", "vanished", "renamed", "instance", "head_only", "base_only", NULL};
static const char *const claim_words[] = {"itself", "own_code", "longer", "called_more",
	"each_call", "calls_and_each", "more_work", "with_callees", "new", "now_called",
	"called_instead", "in_host", "unchanged_code", "less", "gone", "split", "merged", "moved",
	"swapped", "reached", "offset", NULL};
static const char *const evidence_words[] = {"costs", "counts", "objects", "code", "diff", NULL};
static const char *const inlining_words[] = {"inlined", "outlined", "split", "merged", NULL};
static const char *const blame_words[] = {"self", "called", NULL};
static const char *const grown_words[] = {"self", "called", "carried", NULL};
static const char *const link_words[] = {"none", "self", "caller", "callee", "data", "build", NULL};
static const char *const kind_words[] = {"screen", "exact", NULL};
static const char *const reference_words[] = {"clear", "flagged", "cannot", NULL};
static const char *const gate_words[] = {"fail", "warn", "show", NULL};
static const char *const metric_state_words[] = {"same", "grew", "shrank", "cannot", NULL};
static const char *const sides_words[] = {"unsaid", "both", "head", NULL};
static const char *const pairs_words[] = {"all", "confirming", NULL};
static const char *const work_words[] = {"as_it_is", "replayed", "stepped", NULL};
static const char *const per_words[] = {"run", "iteration", NULL};
static const char *const production_words[] = {"self", "call", "total", "elsewhere", NULL};
static const char *const line_words[] = {"same", "removed", "added", NULL};
/* What costs were in before reports said so. */
static const char *const default_unit[] = {"seconds", NULL};
static const char *const default_type[] = {"cpu", NULL};
/* In reports of before there were acceptances. */
static const char *const not_accepted[] = {"", NULL};

const struct field schema_result[] = {
	{"kind", FIELD_STRING, AT(result, kind), NULL},
	{"tool_version", FIELD_STRING, AT(result, tool_version), NULL},
	{"date", FIELD_STRING, AT(result, date), NULL},
	{"status", FIELD_WORD, AT(result, status), status_words},
	{"exit_status", FIELD_INT, AT(result, exit_status), NULL},
	{"policy_origin", FIELD_STRING, AT(result, policy_origin), NULL},
	{"environment", FIELD_STRING, AT(result, environment), NULL},
	END,
};

const struct field schema_commit[] = {
	{"id", FIELD_STRING, AT(result_commit, id), NULL},
	{"subject", FIELD_STRING, AT(result_commit, subject), NULL},
	{"name", FIELD_STRING, AT(result_commit, name), NULL},
	{"dirty", FIELD_BOOL, AT(result_commit, dirty), NULL},
	END,
};

const struct field schema_benchmark[] = {
	{"name", FIELD_STRING, AT(result_benchmark, name), NULL},
	{"command", FIELD_STRING, AT(result_benchmark, command), NULL},
	{"status", FIELD_WORD, AT(result_benchmark, status), status_words},
	{"outcome", FIELD_WORD, AT(result_benchmark, outcome), outcome_words},
	{"detail", FIELD_STRING, AT(result_benchmark, detail), NULL},
	{"accepted", FIELD_DEFAULT, AT(result_benchmark, accepted), not_accepted},
	{"unit", FIELD_DEFAULT, AT(result_benchmark, unit), default_unit},
	{"profile_type", FIELD_DEFAULT, AT(result_benchmark, profile_type), default_type},
	{"sides", FIELD_OPTIONAL_WORD, AT(result_benchmark, sides), sides_words},
	{"per", FIELD_OPTIONAL_WORD, AT(result_benchmark, per), per_words},
	{"changes_of", FIELD_OPTIONAL_WORD, AT(result_benchmark, changes_of), pairs_words},
	{"bound", FIELD_ESTIMATE, AT(result_benchmark, bound), NULL},
	{"noise", FIELD_ADDED, AT(result_benchmark, noise), NULL},
	{"mde_total", FIELD_ESTIMATE, AT(result_benchmark, mde_total), NULL},
	{"mde_function", FIELD_ESTIMATE, AT(result_benchmark, mde_function), NULL},
	{"stage1_pairs", FIELD_COUNT, AT(result_benchmark, stage1_pairs), NULL},
	{"stage2_pairs", FIELD_COUNT, AT(result_benchmark, stage2_pairs), NULL},
	{"dropped_pairs", FIELD_COUNT, AT(result_benchmark, dropped_pairs), NULL},
	{"seed", FIELD_SEED, AT(result_benchmark, seed), NULL},
	{"diff_unknown", FIELD_OPTIONAL, AT(result_benchmark, diff_unknown), NULL},
	{"layouts", FIELD_OPTIONAL, AT(result_benchmark, layouts), NULL},
	{"slices", FIELD_OPTIONAL, AT(result_benchmark, slices), NULL},
	{"wall_seconds", FIELD_NUMBER, AT(result_benchmark, wall_seconds), NULL},
	END,
};

const struct field schema_change[] = {
	{"base", FIELD_NUMBER, AT(result_change, base), NULL},
	{"head", FIELD_NUMBER, AT(result_change, head), NULL},
	{"change", FIELD_NUMBER, AT(result_change, change), NULL},
	{"low", FIELD_ESTIMATE, AT(result_change, low), NULL},
	{"high", FIELD_ESTIMATE, AT(result_change, high), NULL},
	{"se", FIELD_ESTIMATE, AT(result_change, se), NULL},
	{"state", FIELD_WORD, AT(result_change, state), state_words},
	END,
};

const struct field schema_work[] = {
	{"kind", FIELD_WORD, AT(result_work, kind), work_words},
	{"calls", FIELD_U64, AT(result_work, calls), NULL},
	{"processes", FIELD_U32, AT(result_work, processes), NULL},
	{"speed", FIELD_U32, AT(result_work, speed), NULL},
	{"step_seconds", FIELD_NUMBER, AT(result_work, step_seconds), NULL},
	{"run_seconds", FIELD_NUMBER, AT(result_work, run_seconds), NULL},
	{"real_seconds", FIELD_NUMBER, AT(result_work, real_seconds), NULL},
	{"start_seconds", FIELD_NUMBER, AT(result_work, start_seconds), NULL},
	END,
};

const struct field schema_sampling[] = {
	{"mechanism", FIELD_STRING, AT(result_sampling, mechanism), NULL},
	{"rate_hz", FIELD_U32, AT(result_sampling, rate_hz), NULL},
	{"samples", FIELD_U64, AT(result_sampling, samples), NULL},
	{"complete", FIELD_U64, AT(result_sampling, complete), NULL},
	{"lost", FIELD_U64, AT(result_sampling, lost), NULL},
	{"coverage_base", FIELD_NUMBER, AT(result_sampling, coverage[0]), NULL},
	{"coverage_head", FIELD_NUMBER, AT(result_sampling, coverage[1]), NULL},
	{"own_cost_base", FIELD_ADDED, AT(result_sampling, own_cost[0]), NULL},
	{"own_cost_head", FIELD_ADDED, AT(result_sampling, own_cost[1]), NULL},
	END,
};

const struct field schema_culprit[] = {
	{"node", FIELD_U32, AT(result_culprit, node), NULL},
	{"function", FIELD_U32, AT(result_culprit, function), NULL},
	{"blame", FIELD_WORD, AT(result_culprit, blame), blame_words},
	{"caller", FIELD_INDEX, AT(result_culprit, caller), NULL},
	{"claim", FIELD_ADDED_INDEX, AT(result_culprit, claim), NULL},
	{"file", FIELD_STRING, AT(result_culprit, file), NULL},
	{"line", FIELD_LINE, AT(result_culprit, line), NULL},
	{"base", FIELD_NUMBER, AT(result_culprit, base), NULL},
	{"head", FIELD_NUMBER, AT(result_culprit, head), NULL},
	{"change", FIELD_NUMBER, AT(result_culprit, change), NULL},
	{"low", FIELD_ESTIMATE, AT(result_culprit, low), NULL},
	{"high", FIELD_ESTIMATE, AT(result_culprit, high), NULL},
	{"relative", FIELD_RATIO, AT(result_culprit, relative), NULL},
	{"together", FIELD_ADDED, AT(result_culprit, together), NULL},
	{"explained", FIELD_NUMBER, AT(result_culprit, explained), NULL},
	{"diff_link", FIELD_ADDED_WORD, AT(result_culprit, link), link_words},
	{"diff_function", FIELD_ADDED_INDEX, AT(result_culprit, linked), NULL},
	END,
};

const struct field schema_claim[] = {
	{"kind", FIELD_WORD, AT(result_claim, kind), claim_words},
	{"subject", FIELD_U32, AT(result_claim, subject), NULL},
	{"base", FIELD_NUMBER, AT(result_claim, cost[0]), NULL},
	{"head", FIELD_NUMBER, AT(result_claim, cost[1]), NULL},
	{"base_calls", FIELD_ESTIMATE, AT(result_claim, calls[0]), NULL},
	{"head_calls", FIELD_ESTIMATE, AT(result_claim, calls[1]), NULL},
	{"change", FIELD_NUMBER, AT(result_claim, change), NULL},
	{"low", FIELD_ESTIMATE, AT(result_claim, low), NULL},
	{"high", FIELD_ESTIMATE, AT(result_claim, high), NULL},
	{"evidence", FIELD_WORD, AT(result_claim, evidence), evidence_words},
	{"because", FIELD_STRING, AT(result_claim, because), NULL},
	END,
};

const struct field schema_consequence[] = {
	{"cause", FIELD_INDEX, AT(result_consequence, cause), NULL},
	{"function", FIELD_U32, AT(result_consequence, function), NULL},
	{"blame", FIELD_WORD, AT(result_consequence, blame), grown_words},
	{"caller", FIELD_INDEX, AT(result_consequence, caller), NULL},
	{"change", FIELD_NUMBER, AT(result_consequence, change), NULL},
	{"low", FIELD_ESTIMATE, AT(result_consequence, low), NULL},
	{"high", FIELD_ESTIMATE, AT(result_consequence, high), NULL},
	END,
};

const struct field schema_matching[] = {
	{"name", FIELD_STRING, AT(result_matching, name), NULL},
	{"file", FIELD_STRING, AT(result_matching, file), NULL},
	{"base_name", FIELD_STRING, AT(result_matching, base_name), NULL},
	{"base_file", FIELD_STRING, AT(result_matching, base_file), NULL},
	{"kind", FIELD_WORD, AT(result_matching, kind), match_words},
	{"reason", FIELD_STRING, AT(result_matching, reason), NULL},
	{"similarity", FIELD_NUMBER, AT(result_matching, similarity), NULL},
	END,
};

const struct field schema_inlining[] = {
	{"host", FIELD_STRING, AT(result_inlining, host), NULL},
	{"host_file", FIELD_STRING, AT(result_inlining, host_file), NULL},
	{"part", FIELD_STRING, AT(result_inlining, part), NULL},
	{"part_file", FIELD_STRING, AT(result_inlining, part_file), NULL},
	{"kind", FIELD_WORD, AT(result_inlining, kind), inlining_words},
	{"reason", FIELD_STRING, AT(result_inlining, reason), NULL},
	{"similarity", FIELD_NUMBER, AT(result_inlining, similarity), NULL},
	END,
};

const struct field schema_shift[] = {
	{"to", FIELD_U32, AT(result_shift, to), NULL},
	{"from", FIELD_INDEX, AT(result_shift, from), NULL},
	{"how", FIELD_STRING, AT(result_shift, how), NULL},
	{"moved", FIELD_NUMBER, AT(result_shift, moved), NULL},
	{"net", FIELD_NUMBER, AT(result_shift, net), NULL},
	END,
};

const struct field schema_reference[] = {
	{"kind", FIELD_WORD, AT(result_reference, kind), kind_words},
	{"state", FIELD_WORD, AT(result_reference, state), reference_words},
	{"decides", FIELD_BOOL, AT(result_reference, decides), NULL},
	{"profile_type", FIELD_STRING, AT(result_reference, profile_type), NULL},
	{"store", FIELD_STRING, AT(result_reference, store), NULL},
	{"commit", FIELD_STRING, AT(result_reference, commit), NULL},
	{"distance", FIELD_COUNT, AT(result_reference, distance), NULL},
	{"environment", FIELD_STRING, AT(result_reference, environment), NULL},
	{"detail", FIELD_STRING, AT(result_reference, detail), NULL},
	{"base", FIELD_ESTIMATE, AT(result_reference, base), NULL},
	{"head", FIELD_ESTIMATE, AT(result_reference, head), NULL},
	{"change", FIELD_ESTIMATE, AT(result_reference, change), NULL},
	{"size_factor", FIELD_ESTIMATE, AT(result_reference, size_factor), NULL},
	{"threshold", FIELD_ESTIMATE, AT(result_reference, threshold), NULL},
	END,
};

const struct field schema_finding[] = {
	{"name", FIELD_STRING, AT(result_reference_finding, name), NULL},
	{"file", FIELD_STRING, AT(result_reference_finding, file), NULL},
	{"line", FIELD_LINE, AT(result_reference_finding, line), NULL},
	{"change", FIELD_NUMBER, AT(result_reference_finding, change), NULL},
	{"low", FIELD_ESTIMATE, AT(result_reference_finding, low), NULL},
	{"high", FIELD_ESTIMATE, AT(result_reference_finding, high), NULL},
	{"shifted", FIELD_BOOL, AT(result_reference_finding, shifted), NULL},
	{"caller", FIELD_OPTIONAL, AT(result_reference_finding, caller), NULL},
	{"caller_file", FIELD_OPTIONAL, AT(result_reference_finding, caller_file), NULL},
	{"caller_line", FIELD_ADDED_LINE, AT(result_reference_finding, caller_line), NULL},
	END,
};

const struct field schema_metric[] = {
	{"name", FIELD_STRING, AT(result_metric, name), NULL},
	{"meaning", FIELD_STRING, AT(result_metric, meaning), NULL},
	{"unit", FIELD_STRING, AT(result_metric, unit), NULL},
	{"test", FIELD_STRING, AT(result_metric, test), NULL},
	{"gate", FIELD_WORD, AT(result_metric, gate), gate_words},
	{"state", FIELD_WORD, AT(result_metric, state), metric_state_words},
	{"decides", FIELD_BOOL, AT(result_metric, decides), NULL},
	{"absolute", FIELD_BOOL, AT(result_metric, absolute), NULL},
	{"runs", FIELD_COUNT, AT(result_metric, runs), NULL},
	{"base", FIELD_NUMBER, AT(result_metric, base), NULL},
	{"head", FIELD_NUMBER, AT(result_metric, head), NULL},
	{"change", FIELD_RATIO, AT(result_metric, change), NULL},
	{"low", FIELD_ESTIMATE, AT(result_metric, low), NULL},
	{"high", FIELD_ESTIMATE, AT(result_metric, high), NULL},
	{"margin", FIELD_NUMBER, AT(result_metric, margin), NULL},
	{"p", FIELD_ESTIMATE, AT(result_metric, p), NULL},
	{"detail", FIELD_STRING, AT(result_metric, detail), NULL},
	END,
};

const struct field schema_memory[] = {
	{"runs", FIELD_COUNT, AT(result_memory_line, runs), NULL},
	{"processes", FIELD_COUNT, AT(result_memory_line, processes), NULL},
	END,
};

const struct field schema_moment[] = {
	{"seconds", FIELD_NUMBER, AT(result_moment, seconds), NULL},
	{"iterations", FIELD_NUMBER, AT(result_moment, iterations), NULL},
	{"inuse", FIELD_NUMBER, AT(result_moment, inuse), NULL},
	{"most", FIELD_NUMBER, AT(result_moment, most), NULL},
	END,
};

const struct field schema_function[] = {
	{"name", FIELD_STRING, AT(result_function, name), NULL},
	{"module", FIELD_STRING, AT(result_function, module), NULL},
	{"file", FIELD_STRING, AT(result_function, file), NULL},
	{"line", FIELD_LINE, AT(result_function, line), NULL},
	{"match", FIELD_WORD, AT(result_function, match), match_words},
	{"touched", FIELD_BOOL, AT(result_function, touched), NULL},
	{"self_base", FIELD_NUMBER, AT(result_function, self.base), NULL},
	{"self_head", FIELD_NUMBER, AT(result_function, self.head), NULL},
	{"change", FIELD_NUMBER, AT(result_function, self.change), NULL},
	{"low", FIELD_ESTIMATE, AT(result_function, self.low), NULL},
	{"high", FIELD_ESTIMATE, AT(result_function, self.high), NULL},
	{"se", FIELD_ESTIMATE, AT(result_function, self.se), NULL},
	{"state", FIELD_WORD, AT(result_function, self.state), state_words},
	{"total_base", FIELD_NUMBER, AT(result_function, total[0]), NULL},
	{"total_head", FIELD_NUMBER, AT(result_function, total[1]), NULL},
	{"total_change", FIELD_ADDED_ESTIMATE, AT(result_function, total_change), NULL},
	{"total_low", FIELD_ADDED_ESTIMATE, AT(result_function, total_low), NULL},
	{"total_high", FIELD_ADDED_ESTIMATE, AT(result_function, total_high), NULL},
	END,
};

const struct field schema_node[] = {
	{"parent", FIELD_U32, AT(result_node, parent), NULL},
	{"function", FIELD_INDEX, AT(result_node, function), NULL},
	{"self_base", FIELD_NUMBER, AT(result_node, self[0]), NULL},
	{"self_head", FIELD_NUMBER, AT(result_node, self[1]), NULL},
	{"total_base", FIELD_NUMBER, AT(result_node, total[0]), NULL},
	{"total_head", FIELD_NUMBER, AT(result_node, total[1]), NULL},
	{"self_change", FIELD_NUMBER, AT(result_node, self_change), NULL},
	{"total_change", FIELD_NUMBER, AT(result_node, total_change), NULL},
	{"self_state", FIELD_WORD, AT(result_node, self_state), state_words},
	{"state", FIELD_WORD, AT(result_node, state), state_words},
	END,
};

const struct field schema_production[] = {
	{"of", FIELD_OPTIONAL_WORD, AT(result_production, of), production_words},
	{"share", FIELD_ESTIMATE, AT(result_production, share), NULL},
	{"impact", FIELD_ESTIMATE, AT(result_production, impact), NULL},
	{"low", FIELD_ESTIMATE, AT(result_production, low), NULL},
	{"high", FIELD_ESTIMATE, AT(result_production, high), NULL},
	END,
};

const struct field schema_source[] = {
	{"function", FIELD_U32, AT(result_source, function), NULL},
	{"file", FIELD_STRING, AT(result_source, file), NULL},
	{"base_file", FIELD_STRING, AT(result_source, base_file), NULL},
	END,
};

const struct field schema_line[] = {
	{"base", FIELD_LINE, AT(result_line, base), NULL},
	{"head", FIELD_LINE, AT(result_line, head), NULL},
	{"kind", FIELD_WORD, AT(result_line, kind), line_words},
	{"cost_base", FIELD_NUMBER, AT(result_line, cost[0]), NULL},
	{"cost_head", FIELD_NUMBER, AT(result_line, cost[1]), NULL},
	{"text", FIELD_STRING, AT(result_line, text), NULL},
	END,
};

const struct field schema_pair[] = {
	{"base", FIELD_NUMBER, AT(result_pair, base_seconds), NULL},
	{"head", FIELD_NUMBER, AT(result_pair, head_seconds), NULL},
	{"head_first", FIELD_BOOL, AT(result_pair, head_first), NULL},
	{"dropped", FIELD_BOOL, AT(result_pair, dropped), NULL},
	{"stage", FIELD_INT, AT(result_pair, stage), NULL},
	END,
};

const struct field schema_profile[] = {
	{"profile_type", FIELD_STRING, AT(result_profile, profile_type), NULL},
	{"unit", FIELD_STRING, AT(result_profile, unit), NULL},
	{"sides", FIELD_ADDED_WORD, AT(result_profile, sides), sides_words},
	{"base", FIELD_NUMBER, AT(result_profile, total[0]), NULL},
	{"head", FIELD_NUMBER, AT(result_profile, total[1]), NULL},
	END,
};

/* Nothing was decided by them: what changed follows from the costs. */
const struct field schema_profile_function[] = {
	{"name", FIELD_STRING, AT(result_function, name), NULL},
	{"module", FIELD_STRING, AT(result_function, module), NULL},
	{"file", FIELD_STRING, AT(result_function, file), NULL},
	{"line", FIELD_LINE, AT(result_function, line), NULL},
	{"match", FIELD_WORD, AT(result_function, match), match_words},
	{"touched", FIELD_BOOL, AT(result_function, touched), NULL},
	{"self_base", FIELD_NUMBER, AT(result_function, self.base), NULL},
	{"self_head", FIELD_NUMBER, AT(result_function, self.head), NULL},
	{"total_base", FIELD_NUMBER, AT(result_function, total[0]), NULL},
	{"total_head", FIELD_NUMBER, AT(result_function, total[1]), NULL},
	END,
};

const struct field schema_profile_node[] = {
	{"parent", FIELD_U32, AT(result_node, parent), NULL},
	{"function", FIELD_INDEX, AT(result_node, function), NULL},
	{"self_base", FIELD_NUMBER, AT(result_node, self[0]), NULL},
	{"self_head", FIELD_NUMBER, AT(result_node, self[1]), NULL},
	{"total_base", FIELD_NUMBER, AT(result_node, total[0]), NULL},
	{"total_head", FIELD_NUMBER, AT(result_node, total[1]), NULL},
	END,
};

const struct field schema_label[] = {
	{"key", FIELD_STRING, AT(result_label, key), NULL},
	END,
};

const struct field schema_label_cost[] = {
	{"value", FIELD_U32, AT(result_label_cost, value), NULL},
	{"node", FIELD_U32, AT(result_label_cost, node), NULL},
	{"base", FIELD_NUMBER, AT(result_label_cost, self[0]), NULL},
	{"head", FIELD_NUMBER, AT(result_label_cost, self[1]), NULL},
	END,
};
