/* SPDX-License-Identifier: Apache-2.0 */
/* The workflows that `flamegate init` writes. */
#ifndef FG_CLI_INIT_WORKFLOWS_H
#define FG_CLI_INIT_WORKFLOWS_H

#include <stdbool.h>

#include "gate/base/strbuf.h"

/* Where the actions are, until the project has its place. */
#define INIT_ACTIONS "flamegate/flamegate"

/* Gates pull requests and merge queues; may only read. */
void init_gate_workflow(struct strbuf *out);
/* Records what the branch gets; may write the notes ref. The branch is init_branch_is_plain(). */
void init_record_workflow(const char *branch, struct strbuf *out);
/* Needs no escapes in YAML nor in the patterns of GitHub's filters. */
bool init_branch_is_plain(const char *branch);

#endif
