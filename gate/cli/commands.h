/* SPDX-License-Identifier: Apache-2.0 */
/* The commands, one file each (cmd_*.c). */
#ifndef FG_CLI_COMMANDS_H
#define FG_CLI_COMMANDS_H

#include "gate/cli/options.h"

extern const struct command command_init, command_check, command_record, command_run,
	command_compare, command_report, command_doctor, command_completion;
/* cmd_baseline.c: "flamegate baseline VERB" */
extern const struct command command_baseline_push, command_baseline_pull, command_baseline_list,
	command_baseline_show, command_baseline_prune, command_baseline_verify;

/* All of them, in the order of the overview. */
extern const struct command *const commands[];
extern const size_t command_count;

#endif
