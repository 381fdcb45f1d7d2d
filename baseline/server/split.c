/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/server/split.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/server/labels.h"
#include "baseline/server/merge.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/text.h"
#include "gate/bench/recording/recording.h"
#include "gate/profile/pprof.h"

#define CPU_PROFILE_NAME "process_cpu"

const char *split_profile_name(const struct recording *recording)
{
	return strcmp(recording->profile_type, RECORDING_TYPE_CPU) == 0 ? CPU_PROFILE_NAME
									: recording->profile_type;
}

void split_release(struct split *split)
{
	for (size_t i = 0; i < split->count; i++)
		strbuf_release(&split->pieces[i].pprof);
	free(split->pieces);
	free(split->totals);
	*split = (struct split){0};
}

/* ---- what servers take -------------------------------------------------------------------- */

/* One server stops, another forgets its types when a name is empty or of other characters. */
static bool is_name(const char *text)
{
	if (!isalpha((unsigned char)*text) && *text != '_')
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && *text != '_')
			return false;
	return true;
}

static int check_type(const struct profile_value_type *type, struct error *err)
{
	if (is_name(type->type) && is_name(type->unit))
		return ERR_OK;
	return error_set(err, ERR_USAGE,
		"the profile's value type \"%.100s\" in \"%.100s\" cannot be sent to a profile "
		"server: both must be of letters, digits and _",
		type->type, type->unit);
}

static int check_types(const struct profile *profile, struct error *err)
{
	int rc = profile->type_count ? check_type(&profile->period_type, err)
				     : error_set(err, ERR_USAGE, "the profile has no value types");

	for (size_t i = 0; i < profile->type_count && !rc; i++)
		rc = check_type(&profile->types[i], err);
	return rc;
}

static const char *clean(struct profile *profile, const char *string)
{
	struct strbuf text = STRBUF_INIT;
	const char *cleaned;

	text_add_utf8(&text, string, strlen(string));
	cleaned = profile_intern(profile, text.data);
	strbuf_release(&text);
	return cleaned;
}

/* Elements that are equal now are united when the pieces are made. */
static void clean_strings(struct profile *profile)
{
	for (size_t i = 0; i < profile->function_count; i++) {
		struct profile_function *function = &profile->functions[i];

		function->name = clean(profile, function->name);
		function->system_name = clean(profile, function->system_name);
		function->file = clean(profile, function->file);
	}
	for (size_t i = 0; i < profile->mapping_count; i++) {
		profile->mappings[i].file = clean(profile, profile->mappings[i].file);
		profile->mappings[i].build_id = clean(profile, profile->mappings[i].build_id);
	}
}

/* ---- the round ---------------------------------------------------------------------------- */

static int sum_values(const struct profile *profile, int64_t *totals, struct error *err)
{
	for (size_t i = 0; i < profile->sample_count; i++)
		for (size_t j = 0; j < profile->type_count; j++) {
			int64_t value = profile->samples[i].values[j];

			if (value < 0)
				return error_set(err, ERR_MEASURE,
					"the profile has a sample with a negative value");
			if (__builtin_add_overflow(totals[j], value, &totals[j]))
				return error_set(
					err, ERR_LIMIT, "the profile's total is too large");
		}
	return ERR_OK;
}

static int64_t duration_ns(const struct recording_round *round)
{
	double ns = round->wall_seconds * 1e9;

	return ns >= 1 && ns < 9e18 ? (int64_t)ns : 1;
}

/* A period type must not be missing: Parca would end. */
static const struct profile_value_type *period_type(const struct profile *profile)
{
	bool has_type = *profile->period_type.type && *profile->period_type.unit;

	return has_type ? &profile->period_type : &profile->types[profile->default_type];
}

void split_add_type_id(const struct recording *recording, size_t type, struct strbuf *out)
{
	const struct profile *profile = recording->profile;
	const struct profile_value_type *period = period_type(profile);

	strbuf_addf(out, "%s:%s:%s:%s:%s", split_profile_name(recording), profile->types[type].type,
		profile->types[type].unit, period->type, period->unit);
}

static void set_head(struct profile *profile, const struct profile *from, int64_t time_ns,
	const struct recording_round *round)
{
	const struct profile_value_type *type = period_type(from);

	profile->period_type = (struct profile_value_type){
		profile_intern(profile, type->type), profile_intern(profile, type->unit)};
	profile->period = from->period > 0 ? from->period : 1;
	profile->time_ns = time_ns;
	profile->duration_ns = duration_ns(round);
}

static int take_round(const struct profile *profile, uint32_t round, size_t max_depth,
	struct split *split, struct profile **out, struct error *err)
{
	struct merge *merge = merge_new(profile->types, profile->type_count, profile->default_type);
	const struct merge_rule rule = {.drop_labels = true,
		.only_round = true,
		.round = round,
		.max_depth = max_depth,
		.cut = &split->deep};
	int rc = merge_add(merge, profile, &rule, err);

	if (!rc)
		*out = merge_take(merge);
	merge_free(merge);
	return rc;
}

/* ---- its pieces --------------------------------------------------------------------------- */

struct splitting {
	const struct recording *recording;
	const struct split_limits *limits;
	const struct profile *round;
	uint32_t number;
	int64_t time_ns;
	struct split *split;
};

/* A profile of some of the samples, with only what they need. */
static int make_piece(const struct splitting *splitting, size_t first, size_t count,
	struct profile **out, struct error *err)
{
	struct profile part = *splitting->round;
	struct merge *merge = merge_new(part.types, part.type_count, part.default_type);
	int rc;

	part.samples += first;
	part.sample_count = count;
	rc = merge_add(merge, &part, NULL, err);
	if (!rc) {
		*out = merge_take(merge);
		set_head(*out, splitting->recording->profile, splitting->time_ns,
			&splitting->recording->rounds[splitting->number]);
		rc = check_types(*out, err);
		if (rc)
			profile_free(*out);
	}
	merge_free(merge);
	return rc;
}

/* ERR_LIMIT if it is too large. */
static int encode_piece(const struct splitting *splitting, size_t first, size_t count,
	struct split_piece *piece, struct error *err)
{
	struct strbuf raw = STRBUF_INIT;
	struct profile *profile;
	int rc = make_piece(splitting, first, count, &profile, err);

	if (rc)
		return rc;
	strbuf_init(&piece->pprof);
	rc = pprof_encode(profile, &piece->pprof, err);
	if (!rc)
		rc = gzip_decompress(piece->pprof.data, piece->pprof.length,
			splitting->limits->max_bytes, &raw, err);
	piece->bytes = raw.length;
	if (rc)
		strbuf_release(&piece->pprof);
	strbuf_release(&raw);
	profile_free(profile);
	return rc;
}

static int keep_piece(struct split *split, struct split_piece *piece, struct error *err)
{
	if (split->count == LABELS_MAX_PARTS) {
		strbuf_release(&piece->pprof);
		return error_set(err, ERR_LIMIT,
			"one round of the profile is too large for a profile server: it would be "
			"more than %d requests",
			LABELS_MAX_PARTS);
	}
	split->pieces = grow_array(
		split->pieces, &split->capacity, split->count + 1, sizeof(*split->pieces));
	split->pieces[split->count++] = *piece;
	return ERR_OK;
}

/* In one piece if it fits, else in two halves, and so on. */
static int add_pieces(
	const struct splitting *splitting, size_t first, size_t count, struct error *err)
{
	struct split_piece piece;
	int rc = ERR_LIMIT;

	if (count <= splitting->limits->max_samples) {
		rc = encode_piece(splitting, first, count, &piece, err);
		if (!rc)
			return keep_piece(splitting->split, &piece, err);
	}
	if (rc != ERR_LIMIT || count < 2)
		return rc;
	rc = add_pieces(splitting, first, count / 2, err);
	return rc ? rc : add_pieces(splitting, first + count / 2, count - count / 2, err);
}

static int split_profile(struct splitting *splitting, struct profile *round, struct error *err)
{
	int rc = sum_values(round, splitting->split->totals, err);

	if (!rc && !round->sample_count)
		rc = error_set(err, ERR_MEASURE,
			"round %u has no samples, and a profile server cannot keep that",
			splitting->number);
	if (rc)
		return rc;
	clean_strings(round);
	splitting->round = round;
	return add_pieces(splitting, 0, round->sample_count, err);
}

int split_round(const struct recording *recording, uint32_t round, int64_t time_ns,
	const struct split_limits *limits, struct split *out, struct error *err)
{
	const struct profile *profile = recording->profile;
	struct split split = {.totals = xcalloc(profile->type_count + 1, sizeof(int64_t))};
	struct splitting splitting = {.recording = recording,
		.limits = limits,
		.number = round,
		.time_ns = time_ns,
		.split = &split};
	struct profile *whole = NULL;
	int rc = take_round(profile, round, limits->max_depth, &split, &whole, err);

	if (!rc)
		rc = split_profile(&splitting, whole, err);
	profile_free(whole);
	if (rc)
		split_release(&split);
	else
		*out = split;
	return rc;
}
