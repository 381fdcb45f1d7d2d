/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines around the costs: version, command, events, positions, and the totals that the costs
 * must add up to. And which object is the program.
 */
#include "gate/profile/callgrind/callgrind_parser.h"

#include <inttypes.h>
#include <string.h>

#include "gate/base/error.h"

/* ---- the program ----------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The object has the name that the command's first word ends in. */
static bool is_command(const char *command, const char *object)
{
	size_t length = strcspn(command, " ");
	const char *word = command, *base = base_name(object);

	for (size_t i = 0; i < length; i++)
		if (command[i] == '/')
			word = command + i + 1;
	length -= (size_t)(word - command);
	return length && strlen(base) == length && memcmp(base, word, length) == 0;
}

enum { RANK_COMMAND_WORD = 1, RANK_NO_LIBRARY, RANK_COMMAND };

static void consider_program(struct callgrind_parser *parser, uint32_t object)
{
	const char *path = parser->callgrind->strings[object];
	unsigned rank = 0;

	if (is_command(parser->callgrind->command, path))
		rank = RANK_COMMAND;
	else if (*path == '/' && !strstr(base_name(path), ".so"))
		rank = RANK_NO_LIBRARY;
	if (rank <= parser->program_rank)
		return;
	parser->program_rank = rank;
	parser->callgrind->program = path;
}

int callgrind_read_object(struct callgrind_parser *parser, const char *at)
{
	int rc = callgrind_get_name(parser, OBJECTS, at, &parser->object);

	if (!rc)
		consider_program(parser, parser->object);
	return rc;
}

/* ---- header ---------------------------------------------------------------------------------- */

int callgrind_read_command(struct callgrind_parser *parser, const char *at)
{
	struct callgrind *callgrind = parser->callgrind;
	const char *text = callgrind_skip_space(parser, at);
	uint32_t string;
	int rc = callgrind_intern(parser, text, (size_t)(parser->end - text), &string);

	if (rc)
		return rc;
	callgrind->command = callgrind->strings[string];
	if (parser->program_rank > RANK_COMMAND_WORD)
		return ERR_OK;
	parser->program_rank = RANK_COMMAND_WORD;
	callgrind->program = arena_strndup(
		&callgrind->arena, callgrind->command, strcspn(callgrind->command, " "));
	return ERR_OK;
}

int callgrind_read_events(struct callgrind_parser *parser, const char *at)
{
	size_t count = 0, counted = SIZE_MAX, length;

	for (at = callgrind_skip_space(parser, at); at < parser->end;
		at = callgrind_skip_space(parser, at + length)) {
		length = callgrind_word_length(parser, at);
		if (length == 2 && memcmp(at, "Ir", 2) == 0)
			counted = count;
		count++;
	}
	if (counted == SIZE_MAX)
		return callgrind_complain_of_line(
			parser, "no instructions (Ir) among what was counted");
	parser->events = count;
	parser->counted = counted;
	return ERR_OK;
}

int callgrind_read_positions(struct callgrind_parser *parser, const char *at)
{
	size_t length;

	at = callgrind_skip_space(parser, at);
	length = callgrind_word_length(parser, at);
	parser->positions = 1;
	if (length == 5 && memcmp(at, "instr", 5) == 0) {
		at = callgrind_skip_space(parser, at + length);
		length = callgrind_word_length(parser, at);
		parser->positions = 2;
	}
	if (length != 4 || memcmp(at, "line", 4) != 0 ||
		callgrind_skip_space(parser, at + 4) != parser->end)
		return callgrind_complain_of_line(
			parser, "positions must be 'line' or 'instr line'");
	parser->last[0] = parser->last[1] = 0;
	return ERR_OK;
}

int callgrind_read_totals(struct callgrind_parser *parser, const char *at)
{
	uint64_t total;
	int rc = callgrind_get_count(parser, at, &total);

	if (rc)
		return rc;
	if (total != parser->sum)
		return callgrind_complain(parser, ERR_CORRUPT,
			"its costs add up to %" PRIu64 " instructions, but its totals say %" PRIu64,
			parser->sum, total);
	parser->has_total = true;
	parser->has_body = false;
	parser->sum = 0;
	return ERR_OK;
}

/*
 * cachegrind ends with it. callgrind has one before the costs too, which leaves out what signal
 * handlers did: totals are what it ends with.
 */
int callgrind_read_summary(struct callgrind_parser *parser, const char *at)
{
	return parser->has_body ? callgrind_read_totals(parser, at) : ERR_OK;
}

int callgrind_read_version(struct callgrind_parser *parser, const char *at)
{
	uint64_t version;

	at = callgrind_skip_space(parser, at);
	if (callgrind_get_number(parser, &at, &version) && version <= 1)
		return ERR_OK;
	return callgrind_complain_of_line(parser, "a version of the format that is not known here");
}
