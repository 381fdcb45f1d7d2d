/* SPDX-License-Identifier: Apache-2.0 */
#include "report/blamed.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/file.h"
#include "gate/base/map.h"
#include "report/clean.h"
#include "report/sentence.h"
#include "report/stored.h"
#include "report/words.h"

#define NAME_COLUMNS 120
#define MAX_FILE_BYTES 1024

/* ---- the worst of all benchmarks ------------------------------------------------------------ */

static int compare_blamed(const void *a, const void *b)
{
	const struct blamed *x = a, *y = b;

	if (x->change < y->change || x->change > y->change)
		return x->change > y->change ? -1 : 1;
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
			(struct blamed){.benchmark = benchmark, .change = benchmark->total.change});
}

/* ---- fingerprints --------------------------------------------------------------------------- */

/* Their NULs stand between them. */
static void add_parts(struct strbuf *text, const char *const *parts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		strbuf_add(text, parts[i], strlen(parts[i]) + 1);
}

static void describe(const struct blamed *blamed, struct strbuf *text)
{
	const struct result_benchmark *benchmark = blamed->benchmark;
	const char *whose[] = {benchmark->name, benchmark->profile_type};

	add_parts(text, whose, 2);
	if (blamed->culprit) {
		const struct result_culprit *culprit = blamed->culprit;
		bool called = culprit->blame == BLAME_CALLED;
		const char *parts[] = {called ? "called" : "self",
			function_name(benchmark, culprit->function),
			benchmark->functions[culprit->function].file,
			called ? function_name(benchmark, culprit->caller) : ""};

		add_parts(text, parts, 4);
	} else if (blamed->finding) {
		const char *parts[] = {
			blamed->stored->profile_type, blamed->finding->name, blamed->finding->file};

		add_parts(text, parts, 3);
	}
}

/* Two functions of one name in one file: the number says which, in the list's order. */
static void fingerprint(struct blamed *blamed, struct map *seen)
{
	struct strbuf text = STRBUF_INIT;
	char hex[65];
	uint32_t twins;

	describe(blamed, &text);
	twins = map_get(seen, text.data, text.length);
	twins = twins == MAP_NONE ? 0 : twins;
	map_put(seen, text.data, text.length, twins + 1);
	if (twins)
		strbuf_addf(&text, "%u", twins);
	sha256_hex(text.data, text.length, hex);
	memcpy(blamed->fingerprint, hex, BLAMED_FINGERPRINT_DIGITS);
	strbuf_release(&text);
}

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

		most += benchmark->culprit_count + benchmark->stored_count * STORED_LISTED + 1;
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
	if (status != RESULT_ERROR)
		qsort(list->items, list->count, sizeof(*list->items), compare_blamed);
	fingerprint_all(list);
}

void blamed_list_release(struct blamed_list *list)
{
	free(list->items);
}

/* ---- one of them ---------------------------------------------------------------------------- */

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

const char *blamed_place(const struct blamed *blamed, int64_t *line)
{
	const char *file = blamed->culprit   ? blamed->culprit->file
			   : blamed->finding ? blamed->finding->file
					     : "";
	bool good = is_repository_path(file);

	*line = !good ? 0 : blamed->culprit ? blamed->culprit->line : blamed->finding->line;
	return good ? file : "";
}

static void sentence_of_blamed(struct sentence *sentence, const struct blamed *blamed)
{
	if (blamed->culprit)
		sentence_of_culprit(sentence, blamed->benchmark, blamed->culprit);
	else if (blamed->finding)
		sentence_of_stored_blame(sentence, blamed->stored, blamed->finding);
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
