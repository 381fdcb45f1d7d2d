/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the situations that the replay tests decide on, out of one version that was measured once:
 *
 *   plant twin BASE HEAD             HEAD is BASE's program again, with the noise of other pairs
 * and then, of HEAD, with N a number that chance begins from:
 *   plant self DIR FUNCTION FACTOR N    its own code takes FACTOR times as long
 *   plant called DIR FUNCTION FACTOR N  it is called FACTOR times as often, with all below it
 *   plant all DIR FACTOR N              everything takes FACTOR times as long
 *   plant pair DIR PAIR FACTOR N      one run took FACTOR times as long
 *   plant noise DIR PERCENT N           each run took longer or shorter, by that standard deviation
 *   plant add DIR FUNCTION NAME PART N  beside FUNCTION a new function takes PART of its own time
 *   plant split DIR FUNCTION NAME N     half of FUNCTION is now in NAME, which it calls
 *   plant wrap DIR FUNCTION NAME        it is called by way of NAME, which costs nothing itself
 *   plant inline DIR FUNCTION           its callers have it inlined, as debug information says
 *   plant absorb DIR FUNCTION           its callers have it inlined, and nothing says so
 *   plant move DIR FUNCTION FILE        it is in another file
 *   plant rename DIR FUNCTION NAME      it has another name
 *
 * Time comes and goes as samples, one by one, as a sampler would have taken more or less of them.
 */
#include "tests/replay/rewrite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/arena.h"
#include "gate/bench/recording/recording.h"
#include "gate/profile/profile.h"

struct plan {
	const char *function, *name;
	double factor;
	int64_t pair;
	const double *factors; /* of each pair */
	uint64_t random;
	size_t found;
};

/* factor times as many samples, on average. */
static int64_t grown(struct plan *plan, int64_t samples, double factor)
{
	double wanted = (double)samples * factor, whole = floor(wanted);
	double chance = (double)(next_random(&plan->random) >> 11) * 0x1p-53;

	return (int64_t)whole + (chance < wanted - whole);
}

static void grow(struct plan *plan, struct piece *piece, double factor)
{
	plan->found++;
	piece_take(piece, grown(plan, piece->values[0], factor));
}

static bool leaf_is(const struct piece *piece, const char *name)
{
	return piece->depth && strcmp(piece_name(piece, 0), name) == 0;
}

static int64_t pair_of(const struct piece *piece)
{
	return profile_sample_number(piece->from, PROFILE_LABEL_ROUND, 0);
}

/* ---- more or less of what is there ---------------------------------------------------------- */

static void grow_self(void *data, struct piece *piece)
{
	struct plan *plan = data;

	if (leaf_is(piece, plan->function))
		grow(plan, piece, plan->factor);
	piece_emit(piece);
}

static void grow_called(void *data, struct piece *piece)
{
	struct plan *plan = data;

	if (piece_has(piece, plan->function))
		grow(plan, piece, plan->factor);
	piece_emit(piece);
}

static void grow_all(void *data, struct piece *piece)
{
	struct plan *plan = data;

	grow(plan, piece, plan->factor);
	piece_emit(piece);
}

static void grow_pair(void *data, struct piece *piece)
{
	struct plan *plan = data;

	if (pair_of(piece) == plan->pair)
		grow(plan, piece, plan->factor);
	piece_emit(piece);
}

static void grow_by_pair(void *data, struct piece *piece)
{
	struct plan *plan = data;

	grow(plan, piece, plan->factors[pair_of(piece)]);
	piece_emit(piece);
}

/* ---- other functions ------------------------------------------------------------------------ */

/* The innermost function of a frame gets another name or another file. */
static void relabel(struct piece *piece, uint32_t frame, const char *name, const char *file)
{
	struct profile_location *location = &piece->frames[frame];
	struct profile_line *lines =
		arena_array(&piece->to->arena, location->line_count, sizeof(*lines));
	struct profile_function function = piece->to->functions[location->lines[0].function];

	memcpy(lines, location->lines, location->line_count * sizeof(*lines));
	if (name) {
		function.name = name;
		function.system_name = "";
	}
	if (file)
		function.file = file;
	lines[0].function = profile_add_function(piece->to, &function);
	location->lines = lines;
}

static void add_function(void *data, struct piece *piece)
{
	struct plan *plan = data;
	struct piece beside = *piece;

	piece_emit(piece);
	if (!leaf_is(piece, plan->function))
		return;
	grow(plan, &beside, plan->factor);
	relabel(&beside, 0, plan->name, NULL);
	piece_emit(&beside);
}

static void split_function(void *data, struct piece *piece)
{
	struct plan *plan = data;
	struct piece below = *piece;

	if (!leaf_is(piece, plan->function)) {
		piece_emit(piece);
		return;
	}
	grow(plan, &below, 0.5);
	for (int i = 0; i < PIECE_TYPES; i++)
		piece->values[i] -= below.values[i];
	piece_emit(piece);
	memmove(below.frames + 1, below.frames, below.depth * sizeof(*below.frames));
	below.depth++;
	relabel(&below, 0, plan->name, NULL);
	piece_emit(&below);
}

static void wrap_function(void *data, struct piece *piece)
{
	struct plan *plan = data;
	uint32_t frame = piece_find_own(piece, plan->function);

	if (frame != UINT32_MAX) {
		plan->found++;
		memmove(piece->frames + frame + 1, piece->frames + frame,
			(piece->depth - frame) * sizeof(*piece->frames));
		piece->depth++;
		relabel(piece, frame + 1, plan->name, NULL);
	}
	piece_emit(piece);
}

/* The frame's lines go before its caller's: one place in the program,
 * two functions in the source. */
static void inline_frame(struct piece *piece, uint32_t frame)
{
	struct profile_location *inner = &piece->frames[frame], *outer = inner + 1;
	uint32_t count = inner->line_count + outer->line_count;
	struct profile_line *lines = arena_array(&piece->to->arena, count, sizeof(*lines));

	memcpy(lines, inner->lines, inner->line_count * sizeof(*lines));
	memcpy(lines + inner->line_count, outer->lines, outer->line_count * sizeof(*lines));
	outer->lines = lines;
	outer->line_count = count;
	/* Each place of the inlined copy has an address of its own. */
	outer->address = outer->address * 1000003 + inner->address;
	memmove(inner, outer, (piece->depth - frame - 1) * sizeof(*inner));
	piece->depth--;
}

static void inline_function(void *data, struct piece *piece)
{
	struct plan *plan = data;
	uint32_t frame = piece_find_own(piece, plan->function);

	if (frame != UINT32_MAX && frame + 1 < piece->depth) {
		plan->found++;
		inline_frame(piece, frame);
	}
	piece_emit(piece);
}

static void absorb_function(void *data, struct piece *piece)
{
	struct plan *plan = data;
	uint32_t frame = piece_find_own(piece, plan->function);

	if (frame != UINT32_MAX && frame + 1 < piece->depth) {
		plan->found++;
		memmove(piece->frames + frame, piece->frames + frame + 1,
			(piece->depth - frame - 1) * sizeof(*piece->frames));
		piece->depth--;
	}
	piece_emit(piece);
}

static void relabel_all(struct plan *plan, struct piece *piece, bool file)
{
	for (uint32_t i = 0; i < piece->depth; i++) {
		if (strcmp(piece_name(piece, i), plan->function) != 0)
			continue;
		plan->found++;
		relabel(piece, i, file ? NULL : plan->name, file ? plan->name : NULL);
	}
	piece_emit(piece);
}

static void move_function(void *data, struct piece *piece)
{
	relabel_all(data, piece, true);
}

static void rename_function(void *data, struct piece *piece)
{
	relabel_all(data, piece, false);
}

/* ---- commands ------------------------------------------------------------------------------- */

/* HEAD's pair b is BASE's pair b + 1: what the machine did meanwhile is the difference. */
static void twin(const char *base, const char *head)
{
	struct recording from, to;
	size_t count;
	int64_t *number;

	load(base, &from);
	load(head, &to);
	count = from.round_count;
	for (size_t i = 0; i < from.profile->sample_count; i++)
		for (uint32_t k = 0; k < from.profile->samples[i].label_count; k++) {
			const struct profile_label *label = &from.profile->samples[i].labels[k];

			number = (int64_t *)(uintptr_t)&label->number;
			if (strcmp(label->key, PROFILE_LABEL_ROUND) == 0)
				*number = (*number + (int64_t)count - 1) % (int64_t)count;
		}
	profile_free(to.profile);
	to.profile = from.profile;
	from.profile = NULL;
	if (to.round_count != count) {
		fprintf(stderr, "plant: the versions have not the same number of pairs\n");
		exit(1);
	}
	for (size_t i = 0; i < count; i++) {
		to.rounds[i] = from.rounds[(i + 1) % count];
		to.rounds[i].order = !from.rounds[i].order;
	}
	save(head, &to);
	recording_release(&from);
	recording_release(&to);
}

/* Box and Muller's normal deviates. */
static double *noise(size_t count, double percent, uint64_t seed)
{
	double *factors = xcalloc(count + 1, sizeof(*factors));

	for (size_t i = 0; i < count; i++) {
		double u = (double)((next_random(&seed) >> 11) + 1) * 0x1p-53;
		double v = (double)(next_random(&seed) >> 11) * 0x1p-53;

		factors[i] = exp(percent / 100 * sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
	}
	return factors;
}

static const struct command {
	const char *name;
	const char
		*operands; /* F function, N name or file, X factor, B pair, S chance's beginning */
	void (*change)(void *data, struct piece *piece);
} commands[] = {
	{"self", "FXS", grow_self},
	{"called", "FXS", grow_called},
	{"all", "XS", grow_all},
	{"pair", "BXS", grow_pair},
	{"noise", "XS", grow_by_pair},
	{"add", "FNXS", add_function},
	{"split", "FNS", split_function},
	{"wrap", "FN", wrap_function},
	{"inline", "F", inline_function},
	{"absorb", "F", absorb_function},
	{"move", "FN", move_function},
	{"rename", "FN", rename_function},
};

static void read_operands(const char *operands, char **words, struct plan *plan)
{
	for (; *operands; operands++, words++) {
		if (*operands == 'F')
			plan->function = *words;
		else if (*operands == 'N')
			plan->name = *words;
		else if (*operands == 'X')
			plan->factor = strtod(*words, NULL);
		else if (*operands == 'B')
			plan->pair = strtoll(*words, NULL, 10);
		else
			plan->random = strtoull(*words, NULL, 10);
	}
}

static int run(const struct command *command, const char *folder, char **words)
{
	struct plan plan = {0};
	struct recording recording;
	double *factors;

	read_operands(command->operands, words, &plan);
	load(folder, &recording);
	factors = noise(recording.round_count, plan.factor, plan.random);
	plan.factors = factors;
	rewrite(&recording, command->change, &plan);
	if (plan.found)
		save(folder, &recording);
	else
		fprintf(stderr, "plant: %s: there is nothing to change\n", command->name);
	recording_release(&recording);
	free(factors);
	return !plan.found;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "twin") == 0) {
		twin(argv[2], argv[3]);
		return 0;
	}
	for (size_t i = 0; argc > 3 && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(argv[1], commands[i].name) == 0 &&
			(size_t)argc == 3 + strlen(commands[i].operands))
			return run(&commands[i], argv[2], argv + 3);
	fputs("usage: see the head of plant.c\n", stderr);
	return 2;
}
