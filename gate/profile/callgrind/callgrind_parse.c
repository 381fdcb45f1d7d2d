/* SPDX-License-Identifier: Apache-2.0 */
/* From the text of a callgrind or cachegrind file to the graph: one pass, line by line. */
#include "gate/profile/callgrind/callgrind_parser.h"

#include <string.h>

#include "gate/base/error.h"

static int get_function(struct callgrind_parser *parser, uint32_t object, uint32_t file,
	uint32_t name, uint32_t *function)
{
	struct callgrind *callgrind = parser->callgrind;

	*function = callgrind_function(callgrind, object, file, name);
	if (*function != CALLGRIND_NONE)
		return ERR_OK;
	return callgrind_complain(
		parser, ERR_LIMIT, "more than %zu functions", callgrind->limits->max_functions);
}

static int read_function(struct callgrind_parser *parser, const char *at)
{
	uint32_t name;
	int rc = callgrind_get_name(parser, FUNCTIONS, at, &name);

	parser->function_file = parser->file;
	return rc ? rc
		  : get_function(parser, parser->object, parser->file, name, &parser->function);
}

/* ---- costs ----------------------------------------------------------------------------------- */

/* Instructions of one line come one after the other. */
static bool joins_last(const struct callgrind_parser *parser, uint32_t line)
{
	const struct callgrind *callgrind = parser->callgrind;
	const struct callgrind_cost *last =
		callgrind->cost_count ? &callgrind->costs[callgrind->cost_count - 1] : NULL;

	return last && last->function == parser->function && last->line == line;
}

static int add_cost(struct callgrind_parser *parser, uint32_t line, uint64_t count)
{
	struct callgrind *callgrind = parser->callgrind;

	if (!count)
		return ERR_OK;
	if (count > INT64_MAX - callgrind->total)
		return callgrind_complain(
			parser, ERR_CORRUPT, "more instructions than a number can hold");
	callgrind->total += count;
	parser->sum += count;
	if (joins_last(parser, line)) {
		callgrind->costs[callgrind->cost_count - 1].count += count;
		return ERR_OK;
	}
	if (callgrind->cost_count >= callgrind->limits->max_costs)
		return callgrind_complain(parser, ERR_LIMIT, "more than %zu lines with costs",
			callgrind->limits->max_costs);
	callgrind->costs = grow_array(callgrind->costs, &callgrind->cost_capacity,
		callgrind->cost_count + 1, sizeof(*callgrind->costs));
	callgrind->costs[callgrind->cost_count++] =
		(struct callgrind_cost){parser->function, line, count};
	return ERR_OK;
}

/* A file without addresses has no sites. */
static void add_site(struct callgrind_parser *parser, uint64_t from, uint64_t count)
{
	struct callgrind *callgrind = parser->callgrind;

	if (!callgrind->keeps_sites || parser->positions < 2 || !parser->calls)
		return;
	callgrind->sites = grow_array(callgrind->sites, &callgrind->site_capacity,
		callgrind->site_count + 1, sizeof(*callgrind->sites));
	callgrind->sites[callgrind->site_count++] =
		(struct callgrind_site){.caller = parser->function,
			.callee = parser->callee,
			.from = from,
			.to = parser->target,
			.calls = parser->calls,
			.count = count};
}

static int add_call(struct callgrind_parser *parser, uint32_t line, uint64_t from, uint64_t count)
{
	struct callgrind *callgrind = parser->callgrind;

	if (callgrind->call_count >= callgrind->limits->max_calls)
		return callgrind_complain(
			parser, ERR_LIMIT, "more than %zu calls", callgrind->limits->max_calls);
	callgrind->calls = grow_array(callgrind->calls, &callgrind->call_capacity,
		callgrind->call_count + 1, sizeof(*callgrind->calls));
	callgrind->calls[callgrind->call_count++] =
		(struct callgrind_call){parser->function, parser->callee, line, count};
	add_site(parser, from, count);
	parser->callee = CALLGRIND_NONE;
	return ERR_OK;
}

static int read_positions(struct callgrind_parser *parser, const char **at, uint64_t positions[2])
{
	int rc = ERR_OK;

	memcpy(positions, parser->last, sizeof(parser->last));
	for (size_t i = 0; i < parser->positions && !rc; i++) {
		if (*at == parser->end)
			return callgrind_complain_of_line(parser, "fewer positions than announced");
		rc = callgrind_get_position(parser, at, &positions[i]);
	}
	if (!rc && positions[parser->positions - 1] > INT32_MAX)
		rc = callgrind_complain_of_line(parser, "a position out of range");
	return rc;
}

/* Positions are relative to the last cost of the function itself: a call's moves none. */
static int read_cost(struct callgrind_parser *parser)
{
	const char *at = parser->line;
	uint64_t positions[2], count = 0;
	uint32_t line;
	int rc;

	if (!parser->events)
		return callgrind_complain_of_line(parser, "a cost before the line 'events:'");
	if (parser->function == CALLGRIND_NONE)
		return callgrind_complain_of_line(parser, "a cost before the first function");
	rc = read_positions(parser, &at, positions);
	if (!rc)
		rc = callgrind_get_count(parser, at, &count);
	if (rc)
		return rc;
	parser->has_body = true;
	line = parser->file == parser->function_file ? (uint32_t)positions[parser->positions - 1]
						     : 0;
	if (parser->callee != CALLGRIND_NONE)
		return add_call(parser, line, positions[0], count);
	memcpy(parser->last, positions, sizeof(parser->last));
	return add_cost(parser, line, count);
}

/* "calls=COUNT TARGET": where to is told as positions are, and moves none. */
static int read_call_count(struct callgrind_parser *parser, const char *at)
{
	if (!parser->callgrind->keeps_sites)
		return ERR_OK;
	parser->target = parser->last[0];
	at = callgrind_skip_space(parser, at);
	if (!callgrind_get_number(parser, &at, &parser->calls))
		return callgrind_complain_of_line(parser, "not a number of calls");
	at = callgrind_skip_space(parser, at);
	if (parser->positions < 2 || at == parser->end)
		return ERR_OK;
	return callgrind_get_position(parser, &at, &parser->target);
}

/* What is called lies where the caller does, unless cob= or cfi= say otherwise. */
static int read_calls(struct callgrind_parser *parser, const char *at)
{
	uint32_t object, file, name = parser->called_name;
	int rc;

	rc = read_call_count(parser, at);
	if (rc)
		return rc;
	if (parser->function == CALLGRIND_NONE)
		return callgrind_complain_of_line(parser, "a call before the first function");
	if (name == CALLGRIND_NONE)
		return callgrind_complain_of_line(parser, "a call of no function (cfn=)");
	object = parser->called_object == CALLGRIND_NONE ? parser->object : parser->called_object;
	file = parser->called_file == CALLGRIND_NONE ? parser->file : parser->called_file;
	parser->called_object = parser->called_file = parser->called_name = CALLGRIND_NONE;
	return get_function(parser, object, file, name, &parser->callee);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int read_file(struct callgrind_parser *parser, const char *at)
{
	return callgrind_get_name(parser, FILES, at, &parser->file);
}

static int read_called_object(struct callgrind_parser *parser, const char *at)
{
	return callgrind_get_name(parser, OBJECTS, at, &parser->called_object);
}

static int read_called_file(struct callgrind_parser *parser, const char *at)
{
	return callgrind_get_name(parser, FILES, at, &parser->called_file);
}

static int read_called_function(struct callgrind_parser *parser, const char *at)
{
	return callgrind_get_name(parser, FUNCTIONS, at, &parser->called_name);
}

/* A jump: its names count for the compression of later ones. */
static int read_jump_file(struct callgrind_parser *parser, const char *at)
{
	uint32_t ignored;

	return callgrind_get_name(parser, FILES, at, &ignored);
}

static int read_jump_function(struct callgrind_parser *parser, const char *at)
{
	uint32_t ignored;

	return callgrind_get_name(parser, FUNCTIONS, at, &ignored);
}

/* Their counts are on the line itself; the line that follows is a position without a cost. */
static int read_nothing(struct callgrind_parser *parser, const char *at)
{
	(void)parser;
	(void)at;
	return ERR_OK;
}

static const struct {
	const char *start;
	int (*read)(struct callgrind_parser *parser, const char *at);
} line_kinds[] = {
	{"fn=", read_function},
	{"fl=", read_file},
	{"fi=", read_file},
	{"fe=", read_file},
	{"ob=", callgrind_read_object},
	{"cfn=", read_called_function},
	{"cfi=", read_called_file},
	{"cfl=", read_called_file},
	{"cob=", read_called_object},
	{"calls=", read_calls},
	{"jump=", read_nothing},
	{"jcnd=", read_nothing},
	{"jfi=", read_jump_file},
	{"jfn=", read_jump_function},
	{"events:", callgrind_read_events},
	{"positions:", callgrind_read_positions},
	{"summary:", callgrind_read_summary},
	{"totals:", callgrind_read_totals},
	{"version:", callgrind_read_version},
	{"cmd:", callgrind_read_command},
	{"creator:", read_nothing},
	{"pid:", read_nothing},
	{"thread:", read_nothing},
	{"part:", read_nothing},
	{"desc:", read_nothing},
	{"event:", read_nothing},
};

static int read_line(struct callgrind_parser *parser)
{
	size_t length = (size_t)(parser->end - parser->line);

	if (!length || *parser->line == '#')
		return ERR_OK;
	if (strchr("0123456789+-*", *parser->line))
		return read_cost(parser);
	if (parser->callee != CALLGRIND_NONE)
		return callgrind_complain_of_line(parser, "a call without the line of its cost");
	for (size_t i = 0; i < sizeof(line_kinds) / sizeof(line_kinds[0]); i++) {
		size_t start = strlen(line_kinds[i].start);

		if (length >= start && memcmp(parser->line, line_kinds[i].start, start) == 0)
			return line_kinds[i].read(parser, parser->line + start);
	}
	return callgrind_complain_of_line(parser, "not a line of the callgrind format");
}

static int end_file(struct callgrind_parser *parser)
{
	if (parser->callee != CALLGRIND_NONE)
		return callgrind_complain(
			parser, ERR_CORRUPT, "it ends after a call, before its cost");
	if (!parser->events)
		return callgrind_complain(parser, ERR_CORRUPT, "it has no line 'events:'");
	if (!parser->has_total || parser->sum)
		return callgrind_complain(parser, ERR_CORRUPT,
			"it ends without totals: was it cut, or the program killed?");
	return ERR_OK;
}

static int read_lines(struct callgrind_parser *parser, const char *data, size_t length)
{
	const char *end = data + length;
	int rc = ERR_OK;

	while (data < end && !rc) {
		const char *newline = memchr(data, '\n', (size_t)(end - data));

		parser->line = data;
		parser->end = newline ? newline : end;
		parser->line_number++;
		data = newline ? newline + 1 : end;
		if (parser->end > parser->line && parser->end[-1] == '\r')
			parser->end--;
		rc = read_line(parser);
	}
	return rc ? rc : end_file(parser);
}

int callgrind_add(struct callgrind *callgrind, const void *data, size_t length, const char *name,
	struct error *err)
{
	struct callgrind_parser parser = {.callgrind = callgrind,
		.name = name,
		.err = err,
		.function = CALLGRIND_NONE,
		.called_object = CALLGRIND_NONE,
		.called_file = CALLGRIND_NONE,
		.called_name = CALLGRIND_NONE,
		.callee = CALLGRIND_NONE,
		.positions = 1};
	int rc;

	if (length > callgrind->limits->max_bytes)
		return error_set(err, ERR_LIMIT, "%s is larger than %zu bytes", name,
			callgrind->limits->max_bytes);
	if (length && memchr(data, '\0', length))
		return error_set(
			err, ERR_CORRUPT, "%s holds a NUL byte: not the callgrind format", name);
	map_init(&parser.ids);
	rc = read_lines(&parser, data, length);
	map_release(&parser.ids);
	return rc;
}
