/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/profile/profile.h"
#include "gate/profile/profile_kind.h"

#define HELP_VALUE 1
#define FIRST_VALUE 1000
#define HELP_COLUMN 30

static const char *mechanism_choice(size_t index)
{
	static const char *const names[] = {"auto", "perf", "posix", NULL};

	return names[index];
}

/* What is decided on or shown of each kind of profile: not how many samples there were. */
static const char *type_choice(size_t index)
{
	for (const struct profile_kind *kind = profile_kinds; kind->name; kind++)
		for (size_t i = 0; i < kind->type_count; i++) {
			const char *type = kind->types[i].type;

			if (strcmp(type, PROFILE_TYPE_SAMPLES) != 0 &&
				strcmp(type, PROFILE_TYPE_CPU_SQUARES) != 0 && !index--)
				return type;
		}
	return NULL;
}

const struct argument argument_file = {"FILE", ARGUMENT_FILE, NULL};
const struct argument argument_folder = {"DIR", ARGUMENT_FOLDER, NULL};
const struct argument argument_path = {"PATH", ARGUMENT_FILE, NULL};
const struct argument argument_revision = {"REVISION", ARGUMENT_REVISION, NULL};
const struct argument argument_commit = {"COMMIT", ARGUMENT_REVISION, NULL};
const struct argument argument_benchmark = {"NAME", ARGUMENT_BENCHMARK, NULL};
const struct argument argument_number = {"N", ARGUMENT_TEXT, NULL};
const struct argument argument_url = {"URL", ARGUMENT_TEXT, NULL};
const struct argument argument_type = {"NAME", ARGUMENT_SUGGESTION, type_choice};
const struct argument argument_environment = {"ID", ARGUMENT_TEXT, NULL};
const struct argument argument_mechanism = {"NAME", ARGUMENT_CHOICE, mechanism_choice};

const struct option_spec option_help = {"help", 'h', OPTION_FLAG, NULL, "this text", 0};

static void *field(const struct option_spec *spec, void *settings)
{
	return (char *)settings + spec->offset;
}

static int parse_number(
	const struct option_spec *spec, const char *text, uint64_t *out, struct error *err)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || end == text || *end || text[0] == '-')
		return error_set(
			err, ERR_USAGE, "--%s wants a whole number, not '%s'", spec->name, text);
	*out = value;
	return ERR_OK;
}

/* "auto, perf or posix" */
static void add_choices(struct strbuf *out, const struct argument *argument)
{
	for (size_t i = 0; argument->choice(i); i++)
		strbuf_addf(out, "%s%s",
			!i                        ? ""
			: argument->choice(i + 1) ? ", "
						  : " or ",
			argument->choice(i));
}

static int check_choice(const struct option_spec *spec, const char *text, struct error *err)
{
	const struct argument *argument = spec->argument;
	struct strbuf known = STRBUF_INIT;

	if (!argument || argument->kind != ARGUMENT_CHOICE)
		return ERR_OK;
	for (size_t i = 0; argument->choice(i); i++)
		if (strcmp(argument->choice(i), text) == 0)
			return ERR_OK;
	add_choices(&known, argument);
	error_set(err, ERR_USAGE, "--%s is %s, not '%s'", spec->name, known.data, text);
	strbuf_release(&known);
	return ERR_USAGE;
}

static void list_add(struct string_list *list, const char *item)
{
	list->items =
		grow_array(list->items, &list->capacity, list->count + 2, sizeof(*list->items));
	list->items[list->count++] = item;
	list->items[list->count] = NULL;
}

static int apply(
	const struct option_spec *spec, const char *argument, void *settings, struct error *err)
{
	if (check_choice(spec, argument, err))
		return ERR_USAGE;
	switch (spec->kind) {
	case OPTION_FLAG:
		*(bool *)field(spec, settings) = true;
		return ERR_OK;
	case OPTION_STRING:
		*(const char **)field(spec, settings) = argument;
		return ERR_OK;
	case OPTION_STRINGS:
		list_add(field(spec, settings), argument);
		return ERR_OK;
	case OPTION_NUMBER:
		return parse_number(spec, argument, field(spec, settings), err);
	}
	return ERR_OK;
}

/* getopt_long's two tables, made from ours. */
struct getopt_tables {
	struct option *longs;
	struct strbuf letters;
};

static void tables_init(struct getopt_tables *tables, const struct command *command)
{
	size_t count = command->option_count;

	tables->longs = xcalloc(count + 2, sizeof(*tables->longs));
	strbuf_init(&tables->letters);
	strbuf_addstr(&tables->letters, command->stop_at_operand ? "+:h" : ":h");
	for (size_t i = 0; i < count; i++) {
		const struct option_spec *spec = &command->options[i];
		int wants = spec->kind == OPTION_FLAG ? no_argument : required_argument;

		tables->longs[i] = (struct option){spec->name, wants, NULL, FIRST_VALUE + (int)i};
		if (spec->letter)
			strbuf_addf(&tables->letters, "%c%s", spec->letter, wants ? ":" : "");
	}
	tables->longs[count] = (struct option){"help", no_argument, NULL, HELP_VALUE};
}

static const struct option_spec *spec_for(const struct command *command, int value)
{
	if (value >= FIRST_VALUE)
		return &command->options[value - FIRST_VALUE];
	for (size_t i = 0; i < command->option_count; i++)
		if (command->options[i].letter == value)
			return &command->options[i];
	return NULL;
}

static int unknown_option(const struct command *command, char **argv, struct error *err)
{
	const char *word = argv[optind > 0 ? optind - 1 : 0];

	if (optopt >= FIRST_VALUE)
		return error_set(err, ERR_USAGE, "--%s takes no argument; see flamegate %s --help",
			command->options[optopt - FIRST_VALUE].name, command->name);
	if (optopt && strncmp(word, "--", 2) != 0)
		return error_set(err, ERR_USAGE, "unknown option -%c; see flamegate %s --help",
			optopt, command->name);
	return error_set(
		err, ERR_USAGE, "unknown option %s; see flamegate %s --help", word, command->name);
}

static int parse_one(const struct command *command, int value, char **argv, void *settings,
	bool *help, struct error *err)
{
	if (value == HELP_VALUE || value == 'h') {
		*help = true;
		return ERR_OK;
	}
	if (value == ':')
		return error_set(err, ERR_USAGE, "%s needs an argument; see flamegate %s --help",
			argv[optind - 1], command->name);
	if (value == '?')
		return unknown_option(command, argv, err);
	return apply(spec_for(command, value), optarg, settings, err);
}

int options_parse(const struct command *command, int argc, char **argv, void *settings,
	int *operand_index, bool *help, struct error *err)
{
	struct getopt_tables tables;
	int value, rc = ERR_OK;

	tables_init(&tables, command);
	optind = 0;
	opterr = 0;
	*help = false;
	while (!rc &&
		(value = getopt_long(argc, argv, tables.letters.data, tables.longs, NULL)) != -1)
		rc = parse_one(command, value, argv, settings, help, err);
	*operand_index = optind;
	free(tables.longs);
	strbuf_release(&tables.letters);
	return rc;
}

void options_release(const struct command *command, void *settings)
{
	for (size_t i = 0; i < command->option_count; i++) {
		const struct option_spec *spec = &command->options[i];

		if (spec->kind == OPTION_STRINGS)
			free(((struct string_list *)field(spec, settings))->items);
	}
}

void options_describe(const struct option_spec *spec, struct strbuf *out)
{
	const char *place = strstr(spec->help, "{}");

	if (!place) {
		strbuf_addstr(out, spec->help);
		return;
	}
	strbuf_add(out, spec->help, (size_t)(place - spec->help));
	add_choices(out, spec->argument);
	strbuf_addstr(out, place + 2);
}

static void help_line(struct strbuf *out, const struct option_spec *spec)
{
	size_t start = out->length, width;

	if (spec->letter)
		strbuf_addf(out, "  -%c, --%s", spec->letter, spec->name);
	else
		strbuf_addf(out, "      --%s", spec->name);
	if (spec->argument)
		strbuf_addf(out, " %s", spec->argument->name);
	width = out->length - start;
	if (width >= HELP_COLUMN)
		strbuf_addf(out, "\n%*s", HELP_COLUMN, "");
	else
		strbuf_addf(out, "%*s", (int)(HELP_COLUMN - width), "");
	options_describe(spec, out);
	strbuf_addch(out, '\n');
}

void options_help(const struct command *command, struct strbuf *out)
{
	strbuf_addf(out, "usage: flamegate %s [OPTION...] %s\n\n%s\n\n", command->name,
		command->operands, command->text);
	for (size_t i = 0; i < command->option_count; i++)
		help_line(out, &command->options[i]);
	help_line(out, &option_help);
}
