/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/replay/rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/bench/recording/recording.h"
#include "gate/profile/profile.h"

void die(const char *what, const struct error *err)
{
	fprintf(stderr, "%s: %s\n", what, err->message);
	exit(1);
}

void load(const char *folder, struct recording *recording)
{
	struct error err = {0};

	if (recording_read(folder, recording, &err))
		die(folder, &err);
}

void save(const char *folder, const struct recording *recording)
{
	struct error err = {0};

	if (recording_write(recording, folder, &err))
		die(folder, &err);
}

uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

struct columns columns_of(const struct profile *profile)
{
	return (struct columns){profile_find_type(profile, PROFILE_TYPE_SAMPLES),
		profile_find_type(profile, PROFILE_TYPE_CPU),
		profile_find_type(profile, PROFILE_TYPE_CPU_SQUARES)};
}

static struct recording_round *round_of(
	const struct recording *recording, const struct profile_sample *sample)
{
	return &recording->rounds[profile_sample_number(sample, PROFILE_LABEL_ROUND, 0)];
}

void recount(struct recording *recording)
{
	struct columns column = columns_of(recording->profile);

	for (size_t i = 0; i < recording->round_count; i++) {
		recording->rounds[i].sampled_seconds = 0;
		recording->rounds[i].samples = 0;
	}
	for (size_t i = 0; i < recording->profile->sample_count; i++) {
		const struct profile_sample *sample = &recording->profile->samples[i];
		struct recording_round *round = round_of(recording, sample);

		round->sampled_seconds += (double)sample->values[column.cpu] * 1e-9;
		round->samples += (uint64_t)sample->values[column.samples];
	}
	for (size_t i = 0; i < recording->round_count; i++)
		if (recording->rounds[i].complete > recording->rounds[i].samples)
			recording->rounds[i].complete = recording->rounds[i].samples;
}

struct profile *profile_like(const struct profile *from)
{
	struct profile *profile = profile_new();

	for (size_t i = 0; i < from->type_count; i++)
		profile_add_type(profile, from->types[i].type, from->types[i].unit);
	profile->default_type = from->default_type;
	profile->period_type = from->period_type;
	profile->period = from->period;
	return profile;
}

struct profile_location location_in(
	struct profile *to, const struct profile *from, const struct profile_location *location)
{
	struct profile_location copy = *location;
	struct profile_line *lines = arena_array(&to->arena, location->line_count, sizeof(*lines));

	for (uint32_t i = 0; i < location->line_count; i++) {
		lines[i] = location->lines[i];
		lines[i].function =
			profile_add_function(to, &from->functions[location->lines[i].function]);
	}
	copy.lines = lines;
	if (copy.mapping != PROFILE_NO_MAPPING)
		copy.mapping = profile_add_mapping(to, &from->mappings[copy.mapping]);
	return copy;
}

/* ---- pieces -------------------------------------------------------------------------------- */

const char *piece_name(const struct piece *piece, uint32_t frame)
{
	const struct profile_location *location = &piece->frames[frame];

	return location->line_count ? piece->to->functions[location->lines[0].function].name : "";
}

uint32_t piece_find_own(const struct piece *piece, const char *name)
{
	for (uint32_t i = 0; i < piece->depth; i++) {
		const struct profile_location *frame = &piece->frames[i];
		const struct profile_line *outermost = frame->lines + frame->line_count - 1;

		if (frame->line_count &&
			strcmp(piece->to->functions[outermost->function].name, name) == 0)
			return i;
	}
	return UINT32_MAX;
}

bool piece_has(const struct piece *piece, const char *name)
{
	const struct profile_function *functions = piece->to->functions;

	for (uint32_t i = 0; i < piece->depth; i++)
		for (uint32_t k = 0; k < piece->frames[i].line_count; k++)
			if (strcmp(functions[piece->frames[i].lines[k].function].name, name) == 0)
				return true;
	return false;
}

void piece_emit(const struct piece *piece)
{
	uint32_t *locations = arena_array(&piece->to->arena, piece->depth + 1, sizeof(*locations));
	struct profile_sample sample = *piece->from;

	if (piece->values[0] <= 0)
		return;
	for (uint32_t i = 0; i < piece->depth; i++)
		locations[i] = profile_add_location(piece->to, &piece->frames[i]);
	sample.locations = locations;
	sample.depth = piece->depth;
	sample.values = piece->values;
	profile_add_sample(piece->to, &sample);
}

void piece_take(struct piece *piece, int64_t samples)
{
	int64_t whole = piece->values[0];

	for (int i = 0; i < PIECE_TYPES && whole; i++)
		piece->values[i] =
			(int64_t)((double)piece->values[i] * (double)samples / (double)whole + 0.5);
}

static struct piece piece_of(
	struct profile *to, const struct profile *from, const struct profile_sample *sample)
{
	struct columns column = columns_of(from);
	struct piece piece = {.to = to,
		.frames = arena_array(&to->arena, sample->depth + 1, sizeof(*piece.frames)),
		.depth = sample->depth,
		.values = {sample->values[column.samples], sample->values[column.cpu],
			sample->values[column.squares]},
		.from = sample};

	for (uint32_t i = 0; i < sample->depth; i++)
		piece.frames[i] = location_in(to, from, &from->locations[sample->locations[i]]);
	return piece;
}

static void keep(void *data, struct piece *piece)
{
	(void)data;
	piece_emit(piece);
}

static struct profile *rewritten(
	const struct profile *from, void (*change)(void *data, struct piece *piece), void *data)
{
	struct profile *to = profile_like(from);

	for (size_t i = 0; i < from->sample_count; i++) {
		struct piece piece = piece_of(to, from, &from->samples[i]);

		change(data, &piece);
	}
	return to;
}

void rewrite(
	struct recording *recording, void (*change)(void *data, struct piece *piece), void *data)
{
	struct profile *changed = rewritten(recording->profile, change, data);
	double *before = xcalloc(recording->round_count + 1, sizeof(*before));

	for (size_t i = 0; i < recording->round_count; i++)
		before[i] = recording->rounds[i].sampled_seconds;
	profile_free(recording->profile);
	/* Once more, without the functions that no sample has any longer. */
	recording->profile = rewritten(changed, keep, NULL);
	profile_free(changed);
	recount(recording);
	for (size_t i = 0; i < recording->round_count; i++) {
		struct recording_round *round = &recording->rounds[i];

		round->cpu_seconds += round->sampled_seconds - before[i];
		round->complete = round->samples;
	}
	free(before);
}
