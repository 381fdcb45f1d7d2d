/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/cli/commands.h"

const struct command *const commands[] = {
	&command_init,
	&command_check,
	&command_record,
	&command_baseline_push,
	&command_baseline_pull,
	&command_baseline_list,
	&command_baseline_show,
	&command_baseline_prune,
	&command_baseline_verify,
	&command_run,
	&command_compare,
	&command_report,
	&command_doctor,
	&command_completion,
};
const size_t command_count = sizeof(commands) / sizeof(commands[0]);
