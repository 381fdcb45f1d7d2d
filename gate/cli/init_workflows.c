/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/cli/init_workflows.h"

#include <string.h>

#define CHECKOUT "      - uses: actions/checkout@v4\n        with:\n"
#define PACKAGES                                                                                   \
	"      # What your build needs:\n"                                                         \
	"      # - run: sudo apt-get update && sudo apt-get install -y cmake\n"

/*
 * The whole history, since the checkout keeps no credentials that could fetch more from a private
 * repository: the change's code runs here and could read them.
 */
static const char gate_workflow[] =
	"# Holds each pull request against its target branch: fails on a performance regression.\n"
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
	"          fetch-depth: 0 # a large public repository may leave this out\n" PACKAGES
	"      - uses: " INIT_ACTIONS "/actions/gate@v0\n";

static const char record_workflow_head[] =
	"# Records the default branch, so that pull requests are held against what was measured.\n"
	"# Written by \"flamegate init\".\n"
	"name: flamegate record\n"
	"on:\n"
	"  push:\n"
	"    branches:\n";

static const char record_workflow_tail[] =
	"permissions: {}\n"
	"jobs:\n"
	"  record:\n"
	"    runs-on: ubuntu-latest\n"
	"    timeout-minutes: 60\n"
	"    permissions:\n"
	"      contents: write # pushes refs/notes/flamegate, nothing else\n"
	"    steps:\n" CHECKOUT "          persist-credentials: true # for that push\n" PACKAGES
	"      - uses: " INIT_ACTIONS "/actions/record@v0\n";

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
