/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/cli/init/init_workflows.h"

#include <string.h>

#define CHECKOUT                                                                                   \
	"      - uses: actions/checkout@v4\n"                                                      \
	"        with:\n"
/* Without the setting samples come at the kernel's tick. */
#define MACHINE                                                                                    \
	"      # For more samples than the kernel's tick gives:\n"                                 \
	"      - run: sudo sysctl -q -w kernel.perf_event_paranoid=1\n"                            \
	"      # What your build needs:\n"                                                         \
	"      # - run: sudo apt-get update && sudo apt-get install -y cmake\n"

/*
 * The code that is measured could read credentials that the checkout keeps: the actions lend their
 * token to git alone. The whole history saves them from fetching it. As actions/examples.
 */
static const char gate_workflow[] =
	"# Compares each pull request with its target branch: fails on a performance regression.\n"
	"# Written by \"flamegate init\".\n"
	"name: flamegate\n"
	"on:\n"
	"  pull_request:\n"
	"  merge_group:\n"
	"permissions: {}\n"
	"jobs:\n"
	"  gate:\n"
	"    runs-on: ubuntu-latest\n"
	"    timeout-minutes: 60\n"
	"    permissions:\n"
	"      contents: read\n"
	"    steps:\n" CHECKOUT
	"          persist-credentials: false # the change's own code runs below\n"
	"          fetch-depth: 0 # a large repository may leave this out\n" MACHINE
	"      - uses: " INIT_ACTIONS "/actions/gate@v1\n";

static const char record_workflow_head[] =
	"# Records the default branch, so that pull requests are compared with what was measured.\n"
	"# Written by \"flamegate init\".\n"
	"name: flamegate record\n"
	"on:\n"
	"  push:\n"
	"    branches:\n";

/* Two jobs: what runs the project's code must not be able to write. */
static const char record_workflow_tail[] =
	"permissions: {}\n"
	"jobs:\n"
	"  record: # runs the project's code, and may write nothing\n"
	"    runs-on: ubuntu-latest\n"
	"    timeout-minutes: 60\n"
	"    permissions:\n"
	"      contents: read\n"
	"    outputs:\n"
	"      artifact: ${{ steps.record.outputs.artifact }}\n"
	"    steps:\n" CHECKOUT
	"          persist-credentials: false # the code that is measured runs below\n" MACHINE
	"      - id: record\n"
	"        uses: " INIT_ACTIONS "/actions/record@v1\n"
	"  publish: # may write, and runs none of the project's code\n"
	"    needs: record\n"
	"    if: ${{ !cancelled() && needs.record.outputs.artifact }}\n"
	"    runs-on: ubuntu-latest\n"
	"    timeout-minutes: 15\n"
	"    permissions:\n"
	"      contents: write # pushes refs/notes/flamegate, nothing else\n"
	"    steps:\n" CHECKOUT "          persist-credentials: false # the action lends its token "
	"to git alone\n"
	"      - uses: " INIT_ACTIONS "/actions/publish@v1\n"
	"        with:\n"
	"          artifact: ${{ needs.record.outputs.artifact }}\n";

void init_gate_workflow(struct strbuf *out)
{
	strbuf_addstr(out, gate_workflow);
}

bool init_branch_is_plain(const char *branch)
{
	size_t length = strlen(branch);

	return length && length < 200 && *branch != '-' &&
	       strspn(branch, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			      "0123456789._/-") == length;
}

void init_record_workflow(const char *branch, struct strbuf *out)
{
	strbuf_addstr(out, record_workflow_head);
	strbuf_addf(out, "      - '%s'\n", branch);
	strbuf_addstr(out, record_workflow_tail);
}
