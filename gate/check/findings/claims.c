/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/findings/claims.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gate/check/analysis/presence.h"

/* More calls by less than this part are as many. */
#define SAME_CALLS 0.005
/* What calls that are more explain of the cost, relative to it, to be worth a word; of base's
 * calls, where each costs more by far. */
#define LEAST_CALLS_PART 0.1
/* Each call must take more by this part, at the lower end of its interval. */
#define LEAST_EACH 0.01
/* Of its own cost, for a function to be where it is inlined. */
#define INLINED_PART 0.9

struct result_claim *claims_add(struct claims *claims, enum result_claim_kind kind,
	uint32_t subject, uint32_t first, uint32_t second)
{
	uint32_t *others = arena_array(claims->arena, RESULT_MAX_OTHERS, sizeof(*others));
	struct result_claim *claim;

	if (claims->count == RESULT_MAX_CLAIMS)
		return NULL;
	claim = &claims->items[claims->count++];
	*claim = (struct result_claim){.kind = kind,
		.subject = subject,
		.others = others,
		.calls = {NAN, NAN},
		.low = NAN,
		.high = NAN,
		.because = ""};
	others[0] = first;
	others[1] = second;
	claim->other_count = first == COMPARE_NONE ? 0 : second == COMPARE_NONE ? 1 : 2;
	return claim;
}

/* ---- what is known of code ------------------------------------------------------------------- */

static bool has_flag(const struct claims *claims, uint32_t function, uint8_t flag)
{
	return (claims->analysis->input.function_flags[function] & flag) != 0;
}

/* Of what has samples in one version alone nothing is compared. */
static bool is_in_both(const struct claims *claims, uint32_t function)
{
	enum match_kind kind = claims->analysis->comparison.matches.functions[function].kind;

	return kind != MATCHED_NEW && kind != MATCHED_VANISHED;
}

static bool is_absent(const struct claims *claims, int version, uint32_t function)
{
	return claims->analysis->presence[version][function] == PRESENCE_ABSENT;
}

/* The diff may change comments alone: where the machine code is known, it tells. */
bool claims_is_changed(const struct claims *claims, uint32_t function)
{
	if (is_absent(claims, VERSION_BASE, function) || is_absent(claims, VERSION_HEAD, function))
		return true;
	if (is_in_both(claims, function) &&
		has_flag(claims, function,
			VERDICT_FUNCTION_CHANGED_CODE | VERDICT_FUNCTION_UNCHANGED))
		return has_flag(claims, function, VERDICT_FUNCTION_CHANGED_CODE);
	return has_flag(claims, function, VERDICT_FUNCTION_TOUCHED);
}

bool claims_is_unchanged(const struct claims *claims, uint32_t function)
{
	return !claims_is_changed(claims, function) &&
	       has_flag(claims, function, VERDICT_FUNCTION_UNCHANGED);
}

/* The first place of the diff in the function: from its definition to its last sampled line. */
static const struct repo_hunk *touching_hunk(const struct claims *claims, uint32_t function)
{
	const struct comparison *comparison = &claims->analysis->comparison;
	const struct matched_function *matched = &comparison->matches.functions[function];
	const struct repo_diff *diff = claims->analysis->diff;
	const size_t *start = &comparison->line_start[COMPARE_HEAD][function];
	int64_t first = matched->line[COMPARE_HEAD], last = first;

	for (size_t i = start[0]; i < start[1]; i++)
		if (comparison->lines[COMPARE_HEAD][i].line > last)
			last = comparison->lines[COMPARE_HEAD][i].line;
	return first > 0 ? diff_hunk_in(diff, matched->file[COMPARE_HEAD], first, last) : NULL;
}

static const char *hunk_text(struct arena *arena, const char *file, const struct repo_hunk *hunk)
{
	int64_t first = hunk->new_start, last = first + hunk->new_lines - 1;

	if (last < first)
		return arena_printf(arena, "%s: lines behind %" PRId64 " are gone", file, first);
	if (last == first)
		return arena_printf(arena, "%s: line %" PRId64 " changed", file, first);
	return arena_printf(arena, "%s: lines %" PRId64 "-%" PRId64 " changed", file, first, last);
}

void claims_say_changed(const struct claims *claims, uint32_t function, struct result_claim *claim)
{
	const struct repo_hunk *hunk = touching_hunk(claims, function);
	const struct matched_function *matched =
		&claims->analysis->comparison.matches.functions[function];

	if (hunk) {
		claim->evidence = EVIDENCE_DIFF;
		claim->because = hunk_text(claims->arena, matched->file[COMPARE_HEAD], hunk);
	} else if (is_in_both(claims, function) &&
		   has_flag(claims, function, VERDICT_FUNCTION_CHANGED_CODE)) {
		claim->evidence = EVIDENCE_CODE;
		claim->because = "its machine code, or a constant that it reads, has changed";
	} else if (has_flag(claims, function, VERDICT_FUNCTION_TOUCHED)) {
		claim->evidence = EVIDENCE_DIFF;
		claim->because = "the change is in its lines";
	}
}

static void say_absent(int version, struct result_claim *claim)
{
	claim->evidence = EVIDENCE_OBJECTS;
	claim->because = version == VERSION_BASE ? "not among the functions of base's object files"
						 : "not among the functions of head's object files";
}

/* ---- counted calls --------------------------------------------------------------------------- */

/* 1234567 -> "1,234,567"; of what is no whole number, three digits. */
static const char *count_text(struct arena *arena, double count)
{
	char digits[32];
	struct strbuf text = STRBUF_INIT;
	const char *out;
	size_t length;

	if (count != floor(count) || count >= 1e15)
		return arena_printf(arena, "%.3g", count);
	length = (size_t)snprintf(digits, sizeof(digits), "%.0f", count);
	for (size_t i = 0; i < length; i++) {
		strbuf_addstr(&text, i && (length - i) % 3 == 0 ? "," : "");
		strbuf_addch(&text, digits[i]);
	}
	out = arena_strdup(arena, text.data);
	strbuf_release(&text);
	return out;
}

static void say_counts(
	const struct claims *claims, const double calls[VERSION_COUNT], struct result_claim *claim)
{
	const struct call_counts *counts = &claims->analysis->recordings[VERSION_HEAD]->calls;
	const struct call_counts *base = &claims->analysis->recordings[VERSION_BASE]->calls;
	const char *same = counts->exact && base->exact ? ", the same in each of" : ", means of";

	claim->evidence = EVIDENCE_COUNTS;
	claim->calls[VERSION_BASE] = calls[VERSION_BASE];
	claim->calls[VERSION_HEAD] = calls[VERSION_HEAD];
	claim->because = arena_printf(claims->arena, "%s: %s -> %s calls%s %u runs",
		counts->engine ? counts->engine : "",
		count_text(claims->arena, calls[VERSION_BASE]),
		count_text(claims->arena, calls[VERSION_HEAD]), same, counts->runs);
}

static bool is_counted(const double calls[VERSION_COUNT])
{
	return isfinite(calls[VERSION_BASE]) && isfinite(calls[VERSION_HEAD]) &&
	       calls[VERSION_HEAD] > 0;
}

static void count_calls(
	const struct claims *claims, uint32_t caller, uint32_t callee, double calls[VERSION_COUNT])
{
	for (int version = 0; version < VERSION_COUNT; version++)
		calls[version] = known_calls_of(&claims->calls, version, caller, callee);
}

/* How a culprit's cost has grown, head / base; low: at least, as far as 97.5 % say; each: the
 * instructions of one call, NAN where they were not counted. */
struct growth {
	double ratio, low, each;
};

static struct growth growth_of(const struct claims *claims, const struct verdict_culprit *from,
	const struct result_culprit *culprit)
{
	uint32_t caller = culprit->caller == COMPARE_NONE ? ANY_CALLER : culprit->caller;
	bool own = culprit->blame != BLAME_CALLED;
	struct growth growth = {INFINITY, INFINITY,
		known_calls_each(
			&claims->calls, own ? ANY_CALLER : caller, culprit->function, own)};

	if (!(from->base > 0))
		return growth;
	growth.ratio = 1 + from->change / from->base;
	growth.low = 1 + from->low / from->base;
	return growth;
}

/* CLAIM_CALLED_MORE, _EACH_CALL or _CALLS_AND_EACH; CLAIM_MORE_WORK: neither is sure. */
static enum result_claim_kind kind_by_counts(
	const double calls[VERSION_COUNT], const struct growth *growth)
{
	double more = calls[VERSION_HEAD] / calls[VERSION_BASE];
	/* Where base had no sample of it nobody knows what a call cost. */
	bool known = isfinite(growth->ratio);
	/* A call that executes no more takes longer by its data's place, or by a cache's state. */
	bool executes_more = isnan(growth->each) || growth->each > 1 + SAME_CALLS;
	bool each = known && executes_more && growth->low / more > 1 + LEAST_EACH;
	bool called = more > 1 + SAME_CALLS &&
		      (!known || more - 1 >= LEAST_CALLS_PART * fmin(growth->ratio - 1, 1));

	if (called)
		return each ? CLAIM_CALLS_AND_EACH : CLAIM_CALLED_MORE;
	return each ? CLAIM_EACH_CALL : CLAIM_MORE_WORK;
}

/* ---- whom a call replaced -------------------------------------------------------------------- */

static bool calls_no_more(const struct claims *claims, uint32_t caller, uint32_t callee)
{
	double calls[VERSION_COUNT];

	count_calls(claims, caller, callee, calls);
	if (isfinite(calls[VERSION_BASE]) && isfinite(calls[VERSION_HEAD]))
		return calls[VERSION_BASE] > 0 && !(calls[VERSION_HEAD] > 0);
	return code_calls_of(claims->analysis, VERSION_BASE, caller, callee) == CODE_CALLS_IT &&
	       code_calls_of(claims->analysis, VERSION_HEAD, caller, callee) == CODE_CALLS_IT_NOT;
}

/* Head's code of the caller calls it, base's does not, and no sample of base's says otherwise. */
static bool is_new_call_in_code(const struct claims *claims, uint32_t caller, uint32_t callee)
{
	return !claims->calls.inlined[callee] &&
	       !(call_pairs_total(&claims->pairs, VERSION_BASE, caller, callee) > 0) &&
	       code_calls_of(claims->analysis, VERSION_BASE, caller, callee) == CODE_CALLS_IT_NOT &&
	       code_calls_of(claims->analysis, VERSION_HEAD, caller, callee) == CODE_CALLS_IT;
}

static bool is_counted_as_new(const struct claims *claims, uint32_t caller, uint32_t callee)
{
	double calls[VERSION_COUNT];

	count_calls(claims, caller, callee, calls);
	return is_counted(calls) && !(calls[VERSION_BASE] > 0);
}

bool claims_calls_newly(const struct claims *claims, uint32_t caller, uint32_t callee)
{
	return is_counted_as_new(claims, caller, callee) ||
	       is_new_call_in_code(claims, caller, callee);
}

bool claims_calls_instead(const struct claims *claims, uint32_t caller, uint32_t from, uint32_t to)
{
	return calls_no_more(claims, caller, from) && claims_calls_newly(claims, caller, to);
}

/* The costliest function that the caller called in base and does not call any more. */
static uint32_t replaced_callee(const struct claims *claims, uint32_t caller)
{
	uint32_t best = COMPARE_NONE;
	double most = 0;

	for (size_t i = 0; i < claims->pairs.count; i++) {
		const struct call_pair *pair = &claims->pairs.items[i];

		if (pair->caller != caller || pair->total[VERSION_HEAD] > 0 ||
			pair->total[VERSION_BASE] <= most ||
			!calls_no_more(claims, caller, pair->callee))
			continue;
		most = pair->total[VERSION_BASE];
		best = pair->callee;
	}
	return best;
}

static struct result_claim *add_now_called(
	struct claims *claims, uint32_t function, uint32_t caller)
{
	uint32_t instead = caller >= ANY_CALLER ? COMPARE_NONE : replaced_callee(claims, caller);

	return claims_add(claims, instead == COMPARE_NONE ? CLAIM_NOW_CALLED : CLAIM_CALLED_INSTEAD,
		function, caller == ANY_CALLER ? COMPARE_NONE : caller, instead);
}

/* ---- culprits -------------------------------------------------------------------------------- */

/* The next frame on its path. */
static uint32_t caller_on_path(const struct result_culprit *culprit)
{
	return culprit->path_length > 1 ? culprit->path[culprit->path_length - 2] : COMPARE_NONE;
}

static uint32_t node_end(const struct comparison *comparison, uint32_t node)
{
	uint32_t end = node + 1;

	while (end < comparison->node_count && comparison->nodes[end].parent >= node &&
		comparison->nodes[end].parent < end)
		end++;
	return end;
}

/* Of all that costs something below the culprit's node it is known that nothing changed. */
static bool is_unchanged_below(const struct claims *claims, uint32_t node)
{
	const struct comparison *comparison = &claims->analysis->comparison;
	uint32_t end = node ? node_end(comparison, node) : node;

	for (uint32_t v = node; v < end; v++) {
		const struct comparison_node *one = &comparison->nodes[v];

		if ((one->self[VERSION_BASE] > 0 || one->self[VERSION_HEAD] > 0) &&
			!claims_is_unchanged(claims, one->function))
			return false;
	}
	return node != 0;
}

/* Where most of head's own cost of the function is as an inlined part; COMPARE_NONE: nowhere. */
static uint32_t host_of(const struct claims *claims, uint32_t function)
{
	const struct analysis *analysis = claims->analysis;
	const struct profile *profile = analysis->recordings[VERSION_HEAD]->profile;
	const uint32_t *of = analysis->comparison.matches.of[VERSION_HEAD];
	size_t type = profile_judged_type(profile), count = analysis->comparison.matches.count;
	double *cost = arena_array(claims->arena, count, sizeof(*cost)), all = 0;
	uint32_t best = function;

	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];
		const struct profile_location *leaf;
		uint32_t host;

		if (!sample->depth)
			continue;
		leaf = &profile->locations[sample->locations[0]];
		if (!leaf->line_count || of[leaf->lines[0].function] != function)
			continue;
		host = of[leaf->lines[leaf->line_count - 1].function];
		cost[host] += (double)sample->values[type];
		all += (double)sample->values[type];
		best = cost[host] > cost[best] ? host : best;
	}
	return best != function && cost[best] >= INLINED_PART * all ? best : COMPARE_NONE;
}

static bool somebody_counted(const struct claims *claims)
{
	const char *engine = claims->analysis->recordings[VERSION_HEAD]->calls.engine;

	return engine && *engine;
}

/*
 * Its code is the same, it is inlined nowhere, and what was counted does not say that its work is
 * as well. Where others were counted and it was not, like a linker's stub, a cache may be all.
 */
static bool may_have_more_work(const struct claims *claims, uint32_t function)
{
	double calls[VERSION_COUNT];

	if (!claims_is_unchanged(claims, function) || claims->calls.inlined[function])
		return false;
	count_calls(claims, ANY_CALLER, function, calls);
	if (somebody_counted(claims) && !is_counted(calls))
		return false;
	return !known_calls_are_same(&claims->calls, function);
}

/* Without counted calls: no more than the samples and the code say. */
static struct result_claim *claim_of_code(
	struct claims *claims, const struct result_culprit *culprit)
{
	uint32_t function = culprit->function, host = host_of(claims, function);
	struct result_claim *claim;

	/* The code of what is inlined is its host's. */
	if (host != COMPARE_NONE && claims_is_changed(claims, host) &&
		!has_flag(claims, function, VERDICT_FUNCTION_TOUCHED)) {
		claim = claims_add(claims, CLAIM_IN_HOST, function, host, COMPARE_NONE);
		if (claim)
			claims_say_changed(claims, host, claim);
		return claim;
	}
	if (claims_is_changed(claims, function)) {
		claim = claims_add(claims, CLAIM_OWN_CODE, function, COMPARE_NONE, COMPARE_NONE);
		if (claim)
			claims_say_changed(claims, function, claim);
		return claim;
	}
	return claims_add(claims,
		may_have_more_work(claims, function) ? CLAIM_MORE_WORK : CLAIM_LONGER, function,
		COMPARE_NONE, COMPARE_NONE);
}

/* As many calls of what? Its code has changed, by its own lines or by what they use (a constant
 * that it reads, a macro, what is inlined); it is the same; or it is not known. */
static enum result_claim_kind kind_of_each_call(const struct claims *claims, uint32_t function)
{
	if (claims_is_changed(claims, function))
		return has_flag(claims, function, VERDICT_FUNCTION_TOUCHED) ? CLAIM_ITSELF
									    : CLAIM_OWN_CODE;
	return claims_is_unchanged(claims, function) ? CLAIM_UNCHANGED_CODE : CLAIM_EACH_CALL;
}

/* Its own cost grew, and its calls were counted. */
static struct result_claim *claim_of_counted(struct claims *claims, uint32_t function,
	const double calls[VERSION_COUNT], const struct growth *growth)
{
	enum result_claim_kind kind;
	struct result_claim *claim;
	bool called;

	if (!(calls[VERSION_BASE] > 0)) {
		uint32_t caller = known_calls_grown(&claims->calls, function);

		claim = add_now_called(
			claims, function, caller == COMPARE_NONE ? ANY_CALLER : caller);
	} else {
		kind = kind_by_counts(calls, growth);
		if (kind == CLAIM_MORE_WORK)
			return NULL;
		called = kind != CLAIM_EACH_CALL;
		claim = claims_add(claims, called ? kind : kind_of_each_call(claims, function),
			function, COMPARE_NONE, COMPARE_NONE);
	}
	if (claim)
		say_counts(claims, calls, claim);
	return claim;
}

static struct result_claim *claim_of_new(struct claims *claims, uint32_t function, uint32_t caller)
{
	struct result_claim *claim = claims_add(claims, CLAIM_NEW, function, caller, COMPARE_NONE);

	if (claim)
		say_absent(VERSION_BASE, claim);
	return claim;
}

static struct result_claim *claim_of_new_call(
	struct claims *claims, uint32_t function, uint32_t caller)
{
	struct result_claim *claim = add_now_called(claims, function, caller);

	if (claim) {
		claim->evidence = EVIDENCE_CODE;
		claim->because = "the caller's machine code calls it in head alone";
	}
	return claim;
}

static struct result_claim *claim_of_self(struct claims *claims,
	const struct result_culprit *culprit, const struct verdict_culprit *from)
{
	uint32_t function = culprit->function, caller = caller_on_path(culprit);
	struct growth growth = growth_of(claims, from, culprit);
	struct result_claim *claim = NULL;
	double calls[VERSION_COUNT];

	if (is_absent(claims, VERSION_BASE, function))
		return claim_of_new(claims, function, caller);
	count_calls(claims, ANY_CALLER, function, calls);
	if (is_counted(calls))
		claim = claim_of_counted(claims, function, calls, &growth);
	if (!claim && caller != COMPARE_NONE && !is_in_both(claims, function) &&
		is_new_call_in_code(claims, caller, function))
		claim = claim_of_new_call(claims, function, caller);
	return claim ? claim : claim_of_code(claims, culprit);
}

static struct result_claim *claim_of_uncounted_call(
	struct claims *claims, const struct result_culprit *culprit)
{
	uint32_t function = culprit->function, caller = culprit->caller;
	struct result_claim *claim;

	if (caller != COMPARE_NONE && is_new_call_in_code(claims, caller, function))
		return claim_of_new_call(claims, function, caller);
	if (is_unchanged_below(claims, culprit->node) && may_have_more_work(claims, function))
		return claims_add(claims, CLAIM_MORE_WORK, function, caller, COMPARE_NONE);
	claim = claims_add(claims, CLAIM_WITH_CALLEES, function, caller, COMPARE_NONE);
	if (claim && claims_is_changed(claims, function))
		claims_say_changed(claims, function, claim);
	return claim;
}

/* Who calls it more often is not counted, but that somebody does. */
static struct result_claim *claim_of_total(
	struct claims *claims, uint32_t function, const struct growth *growth)
{
	struct result_claim *claim;
	double calls[VERSION_COUNT];

	count_calls(claims, ANY_CALLER, function, calls);
	if (!is_counted(calls) || !(calls[VERSION_BASE] > 0) ||
		kind_by_counts(calls, growth) != CLAIM_CALLED_MORE)
		return NULL;
	claim = claims_add(claims, CLAIM_CALLED_MORE, function, COMPARE_NONE, COMPARE_NONE);
	if (claim)
		say_counts(claims, calls, claim);
	return claim;
}

static struct result_claim *claim_of_called(struct claims *claims,
	const struct result_culprit *culprit, const struct verdict_culprit *from)
{
	uint32_t function = culprit->function, caller = culprit->caller;
	struct growth growth = growth_of(claims, from, culprit);
	struct result_claim *claim = NULL;
	enum result_claim_kind kind;
	double calls[VERSION_COUNT];

	if (is_absent(claims, VERSION_BASE, function))
		return claim_of_new(claims, function, caller);
	count_calls(claims, caller == COMPARE_NONE ? ANY_CALLER : caller, function, calls);
	if (!is_counted(calls)) {
		claim = claim_of_total(claims, function, &growth);
		return claim ? claim : claim_of_uncounted_call(claims, culprit);
	}
	kind = calls[VERSION_BASE] > 0 ? kind_by_counts(calls, &growth) : CLAIM_NOW_CALLED;
	if (kind == CLAIM_MORE_WORK)
		return claim_of_uncounted_call(claims, culprit);
	claim = kind == CLAIM_NOW_CALLED ? add_now_called(claims, function,
						   caller == COMPARE_NONE ? ANY_CALLER : caller)
					 : claims_add(claims, kind, function, caller, COMPARE_NONE);
	if (claim)
		say_counts(claims, calls, claim);
	return claim;
}

static void take_costs(const struct result_culprit *culprit, struct result_claim *claim)
{
	claim->cost[VERSION_BASE] = culprit->base;
	claim->cost[VERSION_HEAD] = culprit->head;
	claim->change = culprit->change;
	claim->low = culprit->low;
	claim->high = culprit->high;
}

static void claim_of_culprit(
	struct claims *claims, const struct verdict_culprit *from, struct result_culprit *culprit)
{
	struct result_claim *claim = culprit->blame == BLAME_CALLED
					     ? claim_of_called(claims, culprit, from)
					     : claim_of_self(claims, culprit, from);

	culprit->claim = RESULT_NONE;
	if (!claim)
		return;
	take_costs(culprit, claim);
	culprit->claim = (uint32_t)(claim - claims->items);
}

/* ---- improvements ---------------------------------------------------------------------------- */

static void claim_of_improvement(struct claims *claims, uint32_t function)
{
	const struct result_change *self = &claims->benchmark->functions[function].self;
	bool gone = is_absent(claims, VERSION_HEAD, function);
	struct result_claim *claim = claims_add(
		claims, gone ? CLAIM_GONE : CLAIM_LESS, function, COMPARE_NONE, COMPARE_NONE);

	if (!claim)
		return;
	if (gone)
		say_absent(VERSION_HEAD, claim);
	else
		claims_say_changed(claims, function, claim);
	claim->cost[VERSION_BASE] = self->base;
	claim->cost[VERSION_HEAD] = self->head;
	claim->change = self->change;
	claim->low = self->low;
	claim->high = self->high;
}

void claims_fill(const struct analysis *analysis, struct result_benchmark *out,
	struct result_culprit *culprits, struct arena *arena)
{
	struct claims claims = {.analysis = analysis, .benchmark = out, .arena = arena};

	claims.items = arena_array(arena, RESULT_MAX_CLAIMS, sizeof(*claims.items));
	known_calls_init(&claims.calls, analysis, arena);
	call_pairs_init(&claims.pairs, &analysis->comparison);
	for (size_t i = 0; i < out->culprit_count; i++)
		claim_of_culprit(&claims, &analysis->verdict.culprits[i], &culprits[i]);
	claims_of_moved(&claims);
	for (size_t i = 0; i < out->improvement_count; i++)
		claim_of_improvement(&claims, out->improvements[i]);
	call_pairs_release(&claims.pairs);
	out->claims = claims.items;
	out->claim_count = claims.count;
}
