/* SPDX-License-Identifier: Apache-2.0 */
#include "report/workflow.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/clean.h"
#include "report/sentence.h"
#include "report/stored.h"
#include "report/words.h"

#define MESSAGE_COLUMNS 1000 /* the runner cuts at 4,096 characters */
#define NAME_COLUMNS 120
#define MAX_FILE_BYTES 1024

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

/* Only a path inside the repository can be annotated. */
static bool is_repository_path(const char *file)
{
	struct strbuf clean = STRBUF_INIT;
	bool good = *file && *file != '/' && strlen(file) <= MAX_FILE_BYTES &&
		    strncmp(file, "../", 3) != 0 && !strstr(file, "/../");

	clean_line(&clean, file);
	good = good && strcmp(clean.data, file) == 0;
	strbuf_release(&clean);
	return good;
}

static void add_command(struct strbuf *out, const char *command, const char *file, int64_t line,
	const struct sentence *sentence)
{
	struct strbuf message = STRBUF_INIT, cut = STRBUF_INIT;

	strbuf_addf(out, "::%s ", command);
	if (is_repository_path(file)) {
		strbuf_addstr(out, "file=");
		add_escaped(out, file, true);
		if (line > 0)
			strbuf_addf(out, ",line=%" PRId64, line);
		strbuf_addch(out, ',');
	}
	strbuf_addstr(out, "title=flamegate::");
	for (size_t i = 0; i < sentence->count; i++) {
		const struct span *span = &sentence->spans[i];

		if (span->kind == SPAN_TEXT)
			strbuf_addstr(&message, span->text);
		else if (span->kind == SPAN_NAME)
			clean_cut(&message, span->text, NAME_COLUMNS);
		else
			clean_first_line(&message, span->text, MESSAGE_COLUMNS / 2);
	}
	clean_cut(&cut, message.data, MESSAGE_COLUMNS);
	add_escaped(out, cut.data, false);
	strbuf_addch(out, '\n');
	strbuf_release(&message);
	strbuf_release(&cut);
}

static void add_benchmark(
	struct strbuf *out, const char *command, const struct result_benchmark *benchmark)
{
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_of_benchmark(&sentence, benchmark);
	add_command(out, command, "", 0, &sentence);
	sentence_release(&sentence);
}

static void add_finding(struct strbuf *out, const char *command, const struct result_stored *stored,
	const struct result_stored_finding *finding)
{
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_of_stored_blame(&sentence, stored, finding);
	add_command(out, command, finding->file, finding->line, &sentence);
	sentence_release(&sentence);
}

static void add_culprit(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_of_culprit(&sentence, benchmark, culprit);
	add_command(out, "error", culprit->file, culprit->line, &sentence);
	sentence_release(&sentence);
}

/* ---- the worst of all benchmarks ---------------------------------------------------------------
 */

struct blamed {
	const struct result_benchmark *benchmark;
	const struct result_culprit *culprit; /* this, or */
	const struct result_stored *stored;   /* what this found, or neither: the benchmark alone */
	const struct result_stored_finding *finding;
	double change;
	size_t order;
};

static int compare_blamed(const void *a, const void *b)
{
	const struct blamed *x = a, *y = b;

	if (x->change < y->change || x->change > y->change)
		return x->change > y->change ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

struct blame_list {
	struct blamed *items;
	size_t count;
};

static void blame(struct blame_list *list, struct blamed one)
{
	one.order = list->count;
	list->items[list->count++] = one;
}

/* What grew against a stored baseline that made the status; what others compensate did not. */
static void blame_findings(struct blame_list *list, const struct result_benchmark *benchmark)
{
	for (size_t i = 0; i < benchmark->stored_count; i++) {
		const struct result_stored *stored = &benchmark->stored[i];
		size_t listed = 0;

		if (!stored_decided(benchmark, stored))
			continue;
		for (size_t j = 0; j < stored->finding_count && listed < STORED_LISTED; j++) {
			const struct result_stored_finding *finding = &stored->findings[j];

			if (finding->shifted)
				continue;
			blame(list, (struct blamed){.benchmark = benchmark,
					    .stored = stored,
					    .finding = finding,
					    .change = finding->change});
			listed++;
		}
	}
}

/* A failure's culprits, what a stored baseline found; the benchmark alone if there is nothing. */
static void blame_benchmark(struct blame_list *list, const struct result_benchmark *benchmark)
{
	size_t before = list->count;

	for (size_t i = 0; benchmark->status == RESULT_FAIL && i < benchmark->culprit_count; i++) {
		const struct result_culprit *culprit = &benchmark->culprits[i];

		blame(list, (struct blamed){.benchmark = benchmark,
				    .culprit = culprit,
				    .change = culprit->change});
	}
	blame_findings(list, benchmark);
	if (list->count == before)
		blame(list,
			(struct blamed){.benchmark = benchmark, .change = benchmark->total.change});
}

static size_t most_blamed(const struct result *result)
{
	size_t most = 0;

	for (size_t i = 0; i < result->benchmark_count; i++) {
		const struct result_benchmark *benchmark = &result->benchmarks[i];

		most += benchmark->culprit_count + benchmark->stored_count * STORED_LISTED + 1;
	}
	return most;
}

static void add_blamed(struct strbuf *out, const char *command, const struct blamed *blamed)
{
	if (blamed->culprit)
		add_culprit(out, blamed->benchmark, blamed->culprit);
	else if (blamed->finding)
		add_finding(out, command, blamed->stored, blamed->finding);
	else
		add_benchmark(out, command, blamed->benchmark);
}

/* The worst first, at most `room`; returns how many. */
static size_t add_worst(struct strbuf *out, const struct result *result, enum result_status status,
	const char *command, size_t room)
{
	struct blame_list list = {xcalloc(most_blamed(result), sizeof(*list.items)), 0};
	size_t shown;

	for (size_t i = 0; i < result->benchmark_count; i++) {
		if (result->benchmarks[i].status == status)
			blame_benchmark(&list, &result->benchmarks[i]);
	}
	qsort(list.items, list.count, sizeof(*list.items), compare_blamed);
	shown = list.count < room ? list.count : room;
	for (size_t i = 0; i < shown; i++)
		add_blamed(out, command, &list.items[i]);
	free(list.items);
	return shown;
}

static void add_unmeasured(struct strbuf *out, const struct result *result, size_t room)
{
	for (size_t i = 0; i < result->benchmark_count && room; i++) {
		if (result->benchmarks[i].status != RESULT_ERROR)
			continue;
		add_benchmark(out, "error", &result->benchmarks[i]);
		room--;
	}
}

void report_workflow(const struct report_view *view, struct strbuf *out)
{
	const struct result *result = &view->result;
	size_t errors = add_worst(out, result, RESULT_FAIL, "error", WORKFLOW_MAX_COMMANDS);

	add_unmeasured(out, result, WORKFLOW_MAX_COMMANDS - errors);
	add_worst(out, result, RESULT_WARN, "warning", WORKFLOW_MAX_COMMANDS);
}
