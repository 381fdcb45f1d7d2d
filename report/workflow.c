/* SPDX-License-Identifier: Apache-2.0 */
#include "report/workflow.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/clean.h"
#include "report/sentence.h"
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

static void add_culprit(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_of_culprit(&sentence, benchmark, culprit);
	add_command(out, "error", culprit->file, culprit->line, &sentence);
	sentence_release(&sentence);
}

/* ---- the worst culprits of all benchmarks ------------------------------------------------------
 */

struct blamed {
	const struct result_benchmark *benchmark;
	const struct result_culprit *culprit; /* NULL: the total alone */
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

/* At most one entry more than the benchmark has culprits. */
static size_t blame(struct blamed *list, const struct result_benchmark *benchmark, size_t order)
{
	size_t count = 0;

	if (benchmark->status != RESULT_FAIL)
		return 0;
	if (!benchmark->culprit_count)
		list[count++] = (struct blamed){benchmark, NULL, benchmark->total.change, order};
	for (size_t i = 0; i < benchmark->culprit_count; i++) {
		const struct result_culprit *culprit = &benchmark->culprits[i];

		list[count++] = (struct blamed){benchmark, culprit, culprit->change, order + i};
	}
	return count;
}

static size_t add_blamed(struct strbuf *out, const struct result *result)
{
	size_t room = 0, count = 0, shown;
	struct blamed *list;

	for (size_t i = 0; i < result->benchmark_count; i++)
		room += result->benchmarks[i].culprit_count + 1;
	list = xcalloc(room, sizeof(*list));
	for (size_t i = 0; i < result->benchmark_count; i++)
		count += blame(list + count, &result->benchmarks[i], count);
	qsort(list, count, sizeof(*list), compare_blamed);
	shown = count < WORKFLOW_MAX_COMMANDS ? count : WORKFLOW_MAX_COMMANDS;
	for (size_t i = 0; i < shown; i++) {
		if (list[i].culprit)
			add_culprit(out, list[i].benchmark, list[i].culprit);
		else
			add_benchmark(out, "error", list[i].benchmark);
	}
	free(list);
	return shown;
}

static void add_benchmarks(struct strbuf *out, const struct result *result,
	enum result_status status, const char *command, size_t room)
{
	for (size_t i = 0; i < result->benchmark_count && room; i++) {
		if (result->benchmarks[i].status != status)
			continue;
		add_benchmark(out, command, &result->benchmarks[i]);
		room--;
	}
}

void report_workflow(const struct report_view *view, struct strbuf *out)
{
	const struct result *result = &view->result;
	size_t errors = add_blamed(out, result);

	add_benchmarks(out, result, RESULT_ERROR, "error", WORKFLOW_MAX_COMMANDS - errors);
	add_benchmarks(out, result, RESULT_WARN, "warning", WORKFLOW_MAX_COMMANDS);
}
