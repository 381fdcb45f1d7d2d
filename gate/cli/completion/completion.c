/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/cli/completion/completion.h"

#include <string.h>

#include "gate/cli/commands.h"

enum completion_source completion_of_option(const struct option_spec *spec)
{
	if (!spec->argument)
		return COMPLETE_NOTHING;
	if (spec->words)
		return COMPLETE_WORDS;
	if (strcmp(spec->name, "benchmark") == 0)
		return COMPLETE_BENCHMARK;
	if (strcmp(spec->argument, "DIR") == 0)
		return COMPLETE_FOLDER;
	if (strcmp(spec->argument, "FILE") == 0)
		return COMPLETE_FILE;
	return strcmp(spec->argument, "REVISION") == 0 ? COMPLETE_REVISION : COMPLETE_NOTHING;
}

enum completion_source completion_of_operands(const struct command *command)
{
	static const struct {
		const char *operands;
		enum completion_source source;
	} known[] = {{"[DIR]", COMPLETE_FOLDER}, {"[COMMIT]", COMPLETE_REVISION},
		{"BASE HEAD", COMPLETE_FILE}, {"SHELL", COMPLETE_SHELL}};

	if (command->stop_at_operand)
		return COMPLETE_COMMAND;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].operands, command->operands) == 0)
			return known[i].source;
	return COMPLETE_NOTHING;
}

const char *completion_verb(const struct command *command, size_t *length)
{
	*length = strcspn(command->name, " ");
	return command->name[*length] ? command->name + *length + 1 : NULL;
}

bool completion_is_known(size_t command)
{
	size_t length, other;

	completion_verb(commands[command], &length);
	for (size_t i = 0; i < command; i++) {
		completion_verb(commands[i], &other);
		if (other == length &&
			strncmp(commands[i]->name, commands[command]->name, length) == 0)
			return true;
	}
	return false;
}
