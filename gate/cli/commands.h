/* SPDX-License-Identifier: Apache-2.0 */
/* The commands, one file each (cmd_*.c), and the version. */
#ifndef FG_CLI_COMMANDS_H
#define FG_CLI_COMMANDS_H

#include "gate/cli/options.h"

extern const struct command command_check, command_run, command_compare, command_report,
	command_doctor;

#endif
