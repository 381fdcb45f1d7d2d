/* SPDX-License-Identifier: Apache-2.0 */
/* The member "memory" of recording.json: one run's heap over time, the median's of all runs. */
#include "gate/bench/recording/recording_json.h"

#include <math.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/bench/recording/memory_line.h"
#include "gate/bench/recording/recording.h"
#include "gate/bench/recording/recording_fields.h"
#include "gate/net/json.h"

struct column {
	const char *key;
	size_t offset;
	bool whole, rises;
};

static const struct column columns[] = {
	{"seconds", offsetof(struct memory_moment, seconds), false, true},
	{"iterations", offsetof(struct memory_moment, iterations), true, true},
	{"inuse_bytes", offsetof(struct memory_moment, inuse_bytes), true, false},
	{"most_bytes", offsetof(struct memory_moment, most_bytes), true, false},
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static double *cell_of(struct memory_moment *moment, const struct column *column)
{
	return (double *)((char *)moment + column->offset);
}

void recording_write_memory(struct json_writer *writer, const struct recording *recording)
{
	struct memory_line line = memory_line_median(recording->memory, recording->memory_count);

	if (!line.count)
		return;
	json_member_object(writer, "memory");
	json_member_int64(writer, "runs", line.runs);
	json_member_int64(writer, "processes", line.processes);
	for (size_t i = 0; i < COLUMNS; i++) {
		json_member_array(writer, columns[i].key);
		for (size_t j = 0; j < line.count; j++)
			json_write_double(writer, *cell_of(&line.moments[j], &columns[i]));
		json_array_end(writer);
	}
	json_object_end(writer);
}

static int read_count(const struct json *object, const char *key, uint32_t *out, struct error *err)
{
	int64_t number;
	int rc = json_get_int64(object, key, &number, err);

	if (!rc && (number < 1 || number > UINT32_MAX))
		rc = json_error(json_get(object, key), err, "expected a whole number from 1");
	if (!rc)
		*out = (uint32_t)number;
	return rc;
}

static int read_cell(const struct json *node, const struct column *column, double least,
	double *out, struct error *err)
{
	double number;
	int rc = json_number(node, &number, err);

	if (rc)
		return rc;
	if (!(number >= least && number <= MAX_METRIC) ||
		(column->whole && number != floor(number)))
		return json_error(node, err, "expected a%s number from %g to %.0f",
			column->whole ? " whole" : "", least, MAX_METRIC);
	*out = number;
	return ERR_OK;
}

/* The first column says how many there are. */
static int read_column(const struct json *object, const struct column *column, struct arena *arena,
	struct memory_line *line, struct error *err)
{
	const struct json *array, *node;
	double least = 0;
	size_t i = 0;
	int rc = json_get_array(object, column->key, &array, err);

	if (rc)
		return rc;
	if (!line->moments) {
		line->count = json_length(array);
		if (line->count < 1 || line->count > MEMORY_LINE_MOST)
			return json_error(array, err, "expected 1 to %d entries", MEMORY_LINE_MOST);
		line->moments = arena_array(arena, line->count, sizeof(*line->moments));
	}
	if (json_length(array) != line->count)
		return json_error(array, err, "expected %zu entries", line->count);
	for (node = json_first(array); !rc && node; node = json_next(node), i++) {
		double *cell = cell_of(&line->moments[i], column);

		rc = read_cell(node, column, least, cell, err);
		if (!rc && column->rises)
			least = *cell;
	}
	return rc;
}

static int check_most(const struct json *object, const struct memory_line *line, struct error *err)
{
	for (size_t i = 0; i < line->count; i++)
		if (line->moments[i].most_bytes < line->moments[i].inuse_bytes)
			return json_error(
				json_get(object, "most_bytes"), err, "is less than what is in use");
	return ERR_OK;
}

/* Only recordings of the heap have it, and only since later. */
int recording_read_memory(const struct json *root, struct recording *recording, struct error *err)
{
	struct memory_line *line;
	const struct json *object;
	int rc;

	if (!json_get(root, "memory"))
		return ERR_OK;
	rc = json_get_object(root, "memory", &object, err);
	line = arena_alloc(&recording->arena, sizeof(*line));
	if (!rc)
		rc = read_count(object, "runs", &line->runs, err);
	if (!rc)
		rc = read_count(object, "processes", &line->processes, err);
	for (size_t i = 0; !rc && i < COLUMNS; i++)
		rc = read_column(object, &columns[i], &recording->arena, line, err);
	if (!rc)
		rc = check_most(object, line, err);
	if (rc)
		return rc;
	recording->memory = line;
	recording->memory_count = 1;
	return ERR_OK;
}
