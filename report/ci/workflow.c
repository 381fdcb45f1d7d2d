/* SPDX-License-Identifier: Apache-2.0 */
#include "report/ci/workflow.h"

#include <inttypes.h>
#include <stdbool.h>

#include "report/ci/page_link.h"
#include "report/findings/blamed.h"

#define MESSAGE_COLUMNS 1000 /* the runner cuts at 4,096 characters */

/* Properties end at ',' and "::"; data only at the line's end. '%' is the escape itself. */
static void add_escaped(struct strbuf *out, const char *text, bool property)
{
	for (; *text; text++) {
		bool special = *text == '%' || *text == '\r' || *text == '\n' ||
			       (property && (*text == ':' || *text == ','));

		if (special)
			strbuf_addf(out, "%%%02X", (unsigned char)*text);
		else
			strbuf_addch(out, *text);
	}
}

/* On a line of its own, where the run's page makes a link of it. */
static void add_link(
	struct strbuf *out, const struct report_view *view, const struct blamed *blamed)
{
	struct strbuf url = STRBUF_INIT;

	if (blamed->culprit)
		link_to_node(&url, view, blamed->benchmark, blamed->culprit->node);
	else
		link_to_benchmark(&url, view, blamed->benchmark);
	if (url.length)
		add_escaped(out, "\n", false);
	add_escaped(out, url.data, false);
	strbuf_release(&url);
}

static void add_command(struct strbuf *out, const struct report_view *view, const char *command,
	const struct blamed *blamed)
{
	struct strbuf message = STRBUF_INIT;
	int64_t line;
	const char *file = blamed_place(blamed, &line);

	strbuf_addf(out, "::%s ", command);
	if (*file) {
		strbuf_addstr(out, "file=");
		add_escaped(out, file, true);
		if (line > 0)
			strbuf_addf(out, ",line=%" PRId64, line);
		strbuf_addch(out, ',');
	}
	strbuf_addstr(out, "title=flamegate::");
	blamed_message(blamed, MESSAGE_COLUMNS, &message);
	add_escaped(out, message.data, false);
	add_link(out, view, blamed);
	strbuf_addch(out, '\n');
	strbuf_release(&message);
}

/* At most `room`; returns how many. */
static size_t add_worst(struct strbuf *out, const struct report_view *view,
	enum result_status status, const char *command, size_t room)
{
	struct blamed_list list;
	size_t shown;

	blamed_list_init(&list, &view->result, status);
	shown = list.count < room ? list.count : room;
	for (size_t i = 0; i < shown; i++)
		add_command(out, view, command, &list.items[i]);
	blamed_list_release(&list);
	return shown;
}

void report_workflow(const struct report_view *view, struct strbuf *out)
{
	size_t errors = add_worst(out, view, RESULT_FAIL, "error", WORKFLOW_MAX_COMMANDS);

	add_worst(out, view, RESULT_ERROR, "error", WORKFLOW_MAX_COMMANDS - errors);
	add_worst(out, view, RESULT_WARN, "warning", WORKFLOW_MAX_COMMANDS);
	add_worst(out, view, RESULT_NEUTRAL, "notice", WORKFLOW_MAX_COMMANDS);
}
