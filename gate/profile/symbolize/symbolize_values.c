/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/symbolize/symbolize_values.h"

#include <math.h>
#include <string.h>

#include "gate/base/error.h"

#define SQUARE_NS_PER_SQUARE_US 1e6
#define NANOSECONDS_PER_SECOND INT64_C(1000000000)

/* profile_kind.h. Every kind but these begins with count and sum. */
enum { COLUMN_COUNT, COLUMN_SUM, COLUMN_CPU_SQUARES };
enum {
	COLUMN_INUSE_OBJECTS = 2,
	COLUMN_INUSE_BYTES,
	COLUMN_PEAK_OBJECTS,
	COLUMN_PEAK_BYTES,
	COLUMN_MMAP_OBJECTS,
	COLUMN_MMAP_BYTES,
};

static int64_t clamp(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static int64_t add(int64_t a, int64_t b)
{
	int64_t sum;
	if (__builtin_add_overflow(a, b, &sum))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

void symbol_values_of(const struct capture_sample *sample, struct symbol_values *flow,
	struct symbol_values *level)
{
	bool is_mapped = sample->kind == CAPTURE_MAPPED;
	memset(flow, 0, sizeof(*flow));
	memset(level, 0, sizeof(*level));
	flow->columns[is_mapped ? COLUMN_MMAP_OBJECTS : COLUMN_COUNT] = clamp(sample->count);
	flow->columns[is_mapped ? COLUMN_MMAP_BYTES : COLUMN_SUM] = clamp(sample->sum);
	if (sample->kind == CAPTURE_CPU)
		flow->squares_ns2 = sample->sum_squares;
	if (sample->kind != CAPTURE_HEAP)
		return;
	level->columns[COLUMN_INUSE_OBJECTS] =
		add(clamp(sample->count), -clamp(sample->gone_count));
	level->columns[COLUMN_INUSE_BYTES] = add(clamp(sample->sum), -clamp(sample->gone_sum));
	level->columns[COLUMN_PEAK_OBJECTS] = sample->peak_count;
	level->columns[COLUMN_PEAK_BYTES] = sample->peak_sum;
}

bool symbol_values_are_zero(const struct symbol_values *values)
{
	for (size_t i = 0; i < SYMBOL_MAX_VALUES; i++)
		if (values->columns[i] != 0)
			return false;
	return true;
}

void symbol_values_add(struct symbol_values *sum, const struct symbol_values *values)
{
	for (size_t i = 0; i < SYMBOL_MAX_VALUES; i++)
		sum->columns[i] = add(sum->columns[i], values->columns[i]);
	sum->squares_ns2 += values->squares_ns2;
}

/* No number may be undefined. */
static int64_t squares_us2(double squares_ns2)
{
	double rounded = round(squares_ns2 / SQUARE_NS_PER_SQUARE_US);
	if (!(rounded > 0))
		return 0;
	return rounded >= (double)INT64_MAX ? INT64_MAX : (int64_t)rounded;
}

void symbol_values_write(
	const struct symbol_values *sum, const struct profile_kind *kind, int64_t *values)
{
	memcpy(values, sum->columns, kind->type_count * sizeof(*values));
	if (kind->type_count > COLUMN_CPU_SQUARES &&
		strcmp(kind->types[COLUMN_CPU_SQUARES].type, PROFILE_TYPE_CPU_SQUARES) == 0)
		values[COLUMN_CPU_SQUARES] = squares_us2(sum->squares_ns2);
}

static const struct {
	const char *key, *value;
} states[CAPTURE_KIND_COUNT] = {
	[CAPTURE_CPU] = {"state", "on-cpu"},
	[CAPTURE_OFF_CPU] = {"state", "off-cpu"},
	[CAPTURE_MUTEX] = {"wait", "mutex"},
	[CAPTURE_RWLOCK] = {"wait", "rwlock"},
	[CAPTURE_CONDITION] = {"wait", "condition"},
	[CAPTURE_FUTEX] = {"wait", "futex"},
};

/* A kind of one captured kind alone needs none. */
static bool has_states(const struct profile_kind *kind)
{
	return (kind->captures & (kind->captures - 1)) != 0;
}

const char *symbol_values_state(const struct profile_kind *kind, enum capture_kind captured)
{
	return has_states(kind) ? states[captured].value : NULL;
}

const char *symbol_values_state_key(const struct profile_kind *kind)
{
	for (unsigned i = 0; has_states(kind) && i < CAPTURE_KIND_COUNT; i++)
		if (kind->captures >> i & 1)
			return states[i].key;
	return NULL;
}

/* ---- the profile itself ---------------------------------------------------------------------- */

static bool has_types_of(const struct profile *profile, const struct profile_kind *kind)
{
	bool same = profile->type_count == kind->type_count;
	for (size_t i = 0; same && i < kind->type_count; i++)
		same = strcmp(profile->types[i].type, kind->types[i].type) == 0 &&
		       strcmp(profile->types[i].unit, kind->types[i].unit) == 0;
	return same;
}

int symbol_values_prepare(
	struct profile *profile, const struct profile_kind *kind, struct error *err)
{
	if (profile->type_count == 0) {
		for (size_t i = 0; i < kind->type_count; i++)
			profile_add_type(profile, kind->types[i].type, kind->types[i].unit);
		profile->default_type = kind->default_type;
	}
	if (!has_types_of(profile, kind))
		return error_set(err, ERR_USAGE, "the profile is not one of %s", kind->meaning);
	return ERR_OK;
}

static void set_period(struct profile *profile, const char *type, const char *unit, int64_t period)
{
	profile->period_type.type = profile_intern(profile, type);
	profile->period_type.unit = profile_intern(profile, unit);
	profile->period = period;
}

void symbol_values_set_period(struct profile *profile, const struct profile_kind *kind,
	const struct capture_process *process)
{
	uint32_t captures = kind->captures;
	if (captures >> CAPTURE_CPU & 1) {
		if (process->rate_hz > 0)
			set_period(profile, PROFILE_TYPE_CPU, "nanoseconds",
				NANOSECONDS_PER_SECOND / process->rate_hz);
	} else if (captures >> CAPTURE_HEAP & 1) {
		uint64_t bytes = process->heap_period_bytes;
		set_period(profile, "space", "bytes",
			bytes == 0 || bytes > INT64_MAX ? 1 : (int64_t)bytes);
	} else {
		set_period(profile, kind->types[0].type, kind->types[0].unit, 1);
	}
}
