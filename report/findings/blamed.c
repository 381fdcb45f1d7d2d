/* SPDX-License-Identifier: Apache-2.0 */
#include "report/findings/blamed.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/file.h"
#include "gate/base/map.h"
#include "report/clean.h"
#include "report/findings/metric_words.h"
#include "report/findings/reference_words.h"
#include "report/findings/sentence.h"
#include "report/words/words.h"

#define NAME_COLUMNS 120
#define MAX_FILE_BYTES 1024

/* ---- the worst of all benchmarks ------------------------------------------------------------ */

static int compare_blamed(const void *a, const void *b)
{
	const struct blamed *x = a, *y = b;

	double left = isnan(x->change) ? INFINITY : x->change;
	double right = isnan(y->change) ? INFINITY : y->change;

	if (left < right || left > right)
		return left > right ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void blame(struct blamed_list *list, struct blamed one)
{
	one.order = list->count;
	list->items[list->count++] = one;
}

/* What grew against a stored baseline that made the status; what others compensate did not. */
static void blame_findings(struct blamed_list *list, const struct result_benchmark *benchmark)
{
	for (size_t i = 0; i < benchmark->reference_count; i++) {
		const struct result_reference *reference = &benchmark->references[i];
		size_t listed = 0;

		if (!reference_decided(benchmark, reference))
			continue;
		for (size_t j = 0; j < reference->finding_count && listed < REFERENCE_LISTED; j++) {
			const struct result_reference_finding *finding = &reference->findings[j];

			if (finding->shifted)
				continue;
			blame(list, (struct blamed){.benchmark = benchmark,
					    .reference = reference,
					    .finding = finding,
					    .change = finding->change});
			listed++;
		}
	}
}

/* Of what the benchmark's sentence is about; NaN where that is no part of a base. */
static double change_of(const struct result_benchmark *benchmark)
{
	const struct result_metric *metric = metric_that_decides(benchmark);

	if (!metric)
		return benchmark->total.change;
	return metric->absolute || !isfinite(metric->change) ? (double)NAN : metric->change;
}

/* A failure's culprits, what a stored baseline found; the benchmark alone if there is nothing. */
static void blame_benchmark(struct blamed_list *list, const struct result_benchmark *benchmark)
{
	size_t before = list->count;

	for (size_t i = 0; benchmark->status == RESULT_FAIL && i < benchmark->culprit_count; i++) {
		const struct result_culprit *culprit = &benchmark->culprits[i];

		blame(list, (struct blamed){.benchmark = benchmark,
				    .culprit = culprit,
				    .change = culprit->change});
	}
	if (benchmark->status != RESULT_ERROR)
		blame_findings(list, benchmark);
	if (list->count == before)
		blame(list,
			(struct blamed){.benchmark = benchmark, .change = change_of(benchmark)});
}

/* ---- fingerprints --------------------------------------------------------------------------- */

#define PART_BYTES 256 /* of a name, which may be as long as the whole report */

static void add_part(struct strbuf *text, const char *part)
{
	size_t length = strlen(part);

	strbuf_addf(text, "%zu:", length);
	strbuf_add(text, part, length < PART_BYTES ? length : PART_BYTES);
}

static void describe(const struct blamed *blamed, struct strbuf *text)
{
	const struct result_benchmark *benchmark = blamed->benchmark;

	strbuf_addf(text, "%d", (int)benchmark->status); /* no finding is in two lists */
	add_part(text, benchmark->name);
	add_part(text, benchmark->profile_type);
	if (blamed->culprit) {
		const struct result_culprit *culprit = blamed->culprit;
		bool called = culprit->blame == BLAME_CALLED;

		add_part(text, called ? "called" : "self");
		add_part(text, function_name(benchmark, culprit->function));
		add_part(text, benchmark->functions[culprit->function].file);
		add_part(text, called ? function_name(benchmark, culprit->caller) : "");
	} else if (blamed->finding) {
		add_part(text, blamed->reference->profile_type);
		add_part(text, blamed->finding->name);
		add_part(text, blamed->finding->file);
		if (finding_has_caller(blamed->finding)) {
			add_part(text, blamed->finding->caller);
			add_part(text, blamed->finding->caller_file);
		}
	}
}

/* Two functions of one name in one file: the number says which, in the report's order. */
static void fingerprint(struct blamed *blamed, struct map *seen)
{
	struct strbuf text = STRBUF_INIT;
	char hex[65];
	uint32_t twins;

	describe(blamed, &text);
	sha256_hex(text.data, text.length, hex);
	twins = map_get_str(seen, hex);
	twins = twins == MAP_NONE ? 0 : twins;
	map_put_str(seen, hex, twins + 1);
	if (twins) {
		strbuf_addf(&text, "#%u", twins);
		sha256_hex(text.data, text.length, hex);
	}
	memcpy(blamed->fingerprint, hex, BLAMED_FINGERPRINT_DIGITS);
	strbuf_release(&text);
}

/* Before they are sorted: which is the larger may change. */
static void fingerprint_all(struct blamed_list *list)
{
	struct map seen;

	map_init(&seen);
	for (size_t i = 0; i < list->count; i++)
		fingerprint(&list->items[i], &seen);
	map_release(&seen);
}

/* ---- the list -------------------------------------------------------------------------------- */

static size_t most_blamed(const struct result *result)
{
	size_t most = 0;

	for (size_t i = 0; i < result->benchmark_count; i++) {
		const struct result_benchmark *benchmark = &result->benchmarks[i];

		most += benchmark->culprit_count + benchmark->reference_count * REFERENCE_LISTED +
			1;
	}
	return most;
}

void blamed_list_init(
	struct blamed_list *list, const struct result *result, enum result_status status)
{
	*list = (struct blamed_list){.items = xcalloc(most_blamed(result), sizeof(*list->items))};
	for (size_t i = 0; i < result->benchmark_count; i++)
		if (result->benchmarks[i].status == status)
			blame_benchmark(list, &result->benchmarks[i]);
	fingerprint_all(list);
	if (status != RESULT_ERROR)
		qsort(list->items, list->count, sizeof(*list->items), compare_blamed);
}

void blamed_list_release(struct blamed_list *list)
{
	free(list->items);
}

/* ---- one of them ---------------------------------------------------------------------------- */

static bool is_ordinary(const char *component, size_t length)
{
	return length && !(length == 1 && component[0] == '.') &&
	       !(length == 2 && component[0] == '.' && component[1] == '.');
}

static bool is_clean(const char *text)
{
	struct strbuf clean = STRBUF_INIT;
	bool same;

	clean_line(&clean, text);
	same = strcmp(clean.data, text) == 0;
	strbuf_release(&clean);
	return same;
}

static bool is_repository_path(const char *file)
{
	size_t length;

	if (!*file || strnlen(file, MAX_FILE_BYTES + 1) > MAX_FILE_BYTES)
		return false;
	for (const char *at = file;; at += length + 1) {
		length = strcspn(at, "/");
		if (!is_ordinary(at, length))
			return false;
		if (!at[length])
			return is_clean(file);
	}
}

const char *blamed_place(const struct blamed *blamed, int64_t *line)
{
	const char *file = "";

	*line = 0;
	if (blamed->culprit) {
		file = blamed->culprit->file;
		*line = blamed->culprit->line;
	} else if (blamed->finding) {
		file = finding_place(blamed->finding, line);
	}
	if (is_repository_path(file))
		return file;
	*line = 0;
	return "";
}

static void sentence_of_blamed(struct sentence *sentence, const struct blamed *blamed)
{
	if (blamed->culprit)
		sentence_of_culprit(sentence, blamed->benchmark, blamed->culprit);
	else if (blamed->finding)
		sentence_of_reference_blame(sentence, blamed->reference, blamed->finding);
	else
		sentence_of_benchmark(sentence, blamed->benchmark);
}

void blamed_message(const struct blamed *blamed, size_t columns, struct strbuf *out)
{
	struct strbuf message = STRBUF_INIT;
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_of_blamed(&sentence, blamed);
	if (blamed->culprit || blamed->finding) {
		clean_cut(&message, blamed->benchmark->name, NAME_COLUMNS);
		strbuf_addstr(&message, ": ");
	}
	for (size_t i = 0; i < sentence.count; i++) {
		const struct span *span = &sentence.spans[i];

		if (span->kind == SPAN_TEXT)
			strbuf_addstr(&message, span->text);
		else if (span->kind == SPAN_NAME)
			clean_cut(&message, span->text, NAME_COLUMNS);
		else
			clean_first_line(&message, span->text, columns / 2);
	}
	clean_cut(out, message.data, columns);
	sentence_release(&sentence);
	strbuf_release(&message);
}
