/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/analysis/known_calls.h"

#include <math.h>
#include <string.h>

#include "gate/check/analysis/presence.h"
#include "gate/profile/code/code_callee.h"

#define SAME_SUM 1e-9      /* relative */
#define SAME_COUNT 0.005   /* more by less than this part are as many */
#define LEAST_CALL_BYTES 4 /* of machine code */

/* ---- counted calls --------------------------------------------------------------------------- */

/* "name\nfile" of the profiles' functions -> matched function */
static void index_names(struct map *index, const struct analysis *analysis, struct arena *scratch)
{
	for (int version = 0; version < VERSION_COUNT; version++) {
		const struct profile *profile = analysis->recordings[version]->profile;

		for (size_t i = 0; i < profile->function_count; i++)
			map_put_str(index,
				arena_printf(scratch, "%d%s\n%s", version,
					profile->functions[i].name, profile->functions[i].file),
				analysis->comparison.matches.of[version][i]);
	}
}

/* By the version's own profile; of what has no samples there, by the other's. */
static uint32_t find_function(const struct map *index, int version, const char *name,
	const char *file, struct arena *scratch)
{
	uint32_t found = map_get_str(index, arena_printf(scratch, "%d%s\n%s", version, name, file));

	if (found == MAP_NONE)
		found = map_get_str(
			index, arena_printf(scratch, "%d%s\n%s", 1 - version, name, file));
	return found == MAP_NONE ? COMPARE_NONE : found;
}

static void take_version(
	struct known_calls *calls, int version, const struct map *index, struct arena *arena)
{
	const struct call_counts *counts = &calls->analysis->recordings[version]->calls;
	struct known_call *items = arena_array(arena, counts->count, sizeof(*items));
	size_t count = 0;

	for (size_t i = 0; i < counts->count; i++) {
		const struct call_count *item = &counts->items[i];

		items[count] = (struct known_call){
			item->caller[0] ? find_function(index, version, item->caller,
						  item->caller_file, arena)
					: ANY_CALLER,
			find_function(index, version, item->callee, item->callee_file, arena),
			item->calls, item->instructions, item->own_instructions};
		count += items[count].callee != COMPARE_NONE;
	}
	calls->items[version] = items;
	calls->count[version] = count;
}

static void find_inlined(struct known_calls *calls, int version)
{
	const struct profile *profile = calls->analysis->recordings[version]->profile;
	const uint32_t *of = calls->analysis->comparison.matches.of[version];

	for (size_t i = 0; i < profile->location_count; i++)
		for (uint32_t k = 0; k + 1 < profile->locations[i].line_count; k++)
			calls->inlined[of[profile->locations[i].lines[k].function]] = true;
}

void known_calls_init(
	struct known_calls *calls, const struct analysis *analysis, struct arena *arena)
{
	struct arena scratch = ARENA_INIT;
	struct map index;

	*calls = (struct known_calls){.analysis = analysis};
	calls->inlined =
		arena_array(arena, analysis->comparison.matches.count, sizeof(*calls->inlined));
	map_init(&index);
	index_names(&index, analysis, &scratch);
	for (int version = 0; version < VERSION_COUNT; version++) {
		take_version(calls, version, &index, arena);
		find_inlined(calls, version);
	}
	map_release(&index);
	arena_release(&scratch);
}

/* NAN: there is no such item. Clones of one function are several. */
static double counted(
	const struct known_calls *calls, int version, uint32_t caller, uint32_t callee)
{
	double sum = NAN;

	for (size_t i = 0; i < calls->count[version]; i++) {
		const struct known_call *item = &calls->items[version][i];

		if (item->callee == callee && item->caller == caller)
			sum = isnan(sum) ? item->calls : sum + item->calls;
	}
	return sum;
}

/* Those of the callers that are named make all of the calls. */
static bool all_callers_are_named(const struct known_calls *calls, int version, uint32_t callee)
{
	double all = counted(calls, version, ANY_CALLER, callee), named = 0;

	for (size_t i = 0; i < calls->count[version]; i++)
		if (calls->items[version][i].callee == callee &&
			calls->items[version][i].caller != ANY_CALLER)
			named += calls->items[version][i].calls;
	return !isnan(all) && fabs(all - named) <= SAME_SUM * all;
}

double known_calls_of(
	const struct known_calls *calls, int version, uint32_t caller, uint32_t callee)
{
	double found;

	if (calls->inlined[callee])
		return NAN;
	if (calls->analysis->presence[version][callee] == PRESENCE_ABSENT)
		return 0;
	found = counted(calls, version, caller, callee);
	return isnan(found) && all_callers_are_named(calls, version, callee) ? 0 : found;
}

/* All items of the two together; 0: not counted. Clones of one function are several. */
static struct known_call sum_of(
	const struct known_calls *calls, int version, uint32_t caller, uint32_t callee)
{
	struct known_call sum = {caller, callee, 0, 0, 0};

	for (size_t i = 0; i < calls->count[version]; i++) {
		const struct known_call *item = &calls->items[version][i];

		if (item->callee != callee || item->caller != caller)
			continue;
		sum.calls += item->calls;
		sum.instructions += item->instructions;
		sum.own_instructions += item->own_instructions;
	}
	return sum;
}

static double ratio(double head, double base)
{
	return base > 0 && head >= 0 ? head / base : NAN;
}

struct ratios {
	double *calls, *instructions, *own;
};

static void take_ratios(const struct known_calls *calls, uint32_t function, struct ratios *out)
{
	struct known_call base = sum_of(calls, VERSION_BASE, ANY_CALLER, function);
	struct known_call head = sum_of(calls, VERSION_HEAD, ANY_CALLER, function);

	out->calls[function] = ratio(known_calls_of(calls, VERSION_HEAD, ANY_CALLER, function),
		known_calls_of(calls, VERSION_BASE, ANY_CALLER, function));
	if (isnan(out->calls[function]))
		return;
	out->instructions[function] = ratio(head.instructions, base.instructions);
	out->own[function] = ratio(head.own_instructions, base.own_instructions);
}

void known_calls_ratios(
	const struct analysis *analysis, struct arena *arena, struct verdict_input *input)
{
	size_t functions = analysis->comparison.matches.count;
	struct known_calls calls;
	struct ratios ratios;

	input->call_ratio = input->instruction_ratio = input->own_instruction_ratio = NULL;
	for (int version = 0; version < VERSION_COUNT; version++)
		if (!analysis->recordings[version]->calls.exact)
			return;
	known_calls_init(&calls, analysis, arena);
	ratios.calls = arena_array(arena, functions, sizeof(double));
	ratios.instructions = arena_array(arena, functions, sizeof(double));
	ratios.own = arena_array(arena, functions, sizeof(double));
	for (size_t f = 0; f < functions; f++)
		ratios.calls[f] = ratios.instructions[f] = ratios.own[f] = NAN;
	for (size_t i = 0; i < calls.count[VERSION_BASE]; i++)
		if (calls.items[VERSION_BASE][i].caller == ANY_CALLER)
			take_ratios(&calls, calls.items[VERSION_BASE][i].callee, &ratios);
	input->call_ratio = ratios.calls;
	input->instruction_ratio = ratios.instructions;
	input->own_instruction_ratio = ratios.own;
}

double known_calls_each(const struct known_calls *calls, uint32_t caller, uint32_t callee, bool own)
{
	double each[VERSION_COUNT];

	for (int version = 0; version < VERSION_COUNT; version++) {
		struct known_call sum = sum_of(calls, version, own ? ANY_CALLER : caller, callee);

		each[version] = ratio(own ? sum.own_instructions : sum.instructions, sum.calls);
	}
	return each[VERSION_HEAD] > 0 ? ratio(each[VERSION_HEAD], each[VERSION_BASE]) : NAN;
}

bool known_calls_are_same(const struct known_calls *calls, uint32_t callee)
{
	struct known_call base = sum_of(calls, VERSION_BASE, ANY_CALLER, callee);
	struct known_call head = sum_of(calls, VERSION_HEAD, ANY_CALLER, callee);

	return base.instructions > 0 && fabs(head.calls / base.calls - 1) <= SAME_COUNT &&
	       fabs(head.instructions / base.instructions - 1) <= SAME_COUNT;
}

uint32_t known_calls_grown(const struct known_calls *calls, uint32_t callee)
{
	uint32_t best = COMPARE_NONE;
	double most = 0;

	for (size_t i = 0; i < calls->count[VERSION_HEAD]; i++) {
		const struct known_call *item = &calls->items[VERSION_HEAD][i];
		double grown;

		if (item->callee != callee || item->caller >= ANY_CALLER)
			continue;
		grown = known_calls_of(calls, VERSION_HEAD, item->caller, callee) -
			known_calls_of(calls, VERSION_BASE, item->caller, callee);
		if (grown > most) {
			most = grown;
			best = item->caller;
		}
	}
	return best;
}

/* ---- calls in machine code ------------------------------------------------------------------- */

/* Of the only body that the function has; NULL: it is not known. */
static const struct recording_code *code_of(
	const struct analysis *analysis, int version, uint32_t function)
{
	const struct recording *recording = analysis->recordings[version];
	const struct recording_code *found = NULL;

	for (size_t i = 0; i < recording->code_count; i++) {
		const struct recording_code *code = &recording->code[i];

		if (code->function >= recording->profile->function_count ||
			analysis->comparison.matches.of[version][code->function] != function)
			continue;
		if (found)
			return NULL;
		found = code;
	}
	return found;
}

/* A recording of before callees were noted has none of anybody's. */
static bool knows_callees(const struct recording *recording)
{
	for (size_t i = 0; i < recording->code_count; i++)
		if (recording->code[i].shape)
			return true;
	return false;
}

static bool has_callee(const char *callees, const char *name)
{
	char digits[CODE_CALLEE_DIGITS + 1];

	code_callee_digits(name, strlen(name), digits);
	for (; *callees; callees += CODE_CALLEE_DIGITS)
		if (memcmp(callees, digits, CODE_CALLEE_DIGITS) == 0)
			return true;
	return false;
}

enum code_calls code_calls_of(
	const struct analysis *analysis, int version, uint32_t caller, uint32_t callee)
{
	const struct recording_code *code = code_of(analysis, version, caller);
	const char *name = analysis->comparison.matches.functions[callee].key[version];

	if (!code || !code->bytes)
		return CODE_CALLS_UNKNOWN;
	if (code->shape)
		return has_callee(code->callees, name) ? CODE_CALLS_IT : CODE_CALLS_IT_NOT;
	/* It has either no callee at all or too many to be noted. */
	return knows_callees(analysis->recordings[version]) &&
			       code->bytes <= CODE_MAX_CALLEES * LEAST_CALL_BYTES
		       ? CODE_CALLS_IT_NOT
		       : CODE_CALLS_UNKNOWN;
}
