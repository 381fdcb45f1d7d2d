/* SPDX-License-Identifier: Apache-2.0 */
#include "report/findings/reference_words.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "report/findings/sentence_spans.h"
#include "report/words/figure.h"
#include "report/words/words.h"

#define SIZE_IS_ONE 0.005 /* size factors this near to 1 are not worth a word */

/* ---- which one ------------------------------------------------------------------------------- */

bool reference_decided(
	const struct result_benchmark *benchmark, const struct result_reference *reference)
{
	bool only_warns =
		reference->kind == REFERENCE_SCREEN && benchmark->outcome == OUTCOME_MEASURED;

	if (!reference->decides || reference->state != REFERENCE_FLAGGED)
		return false;
	return benchmark->status == RESULT_WARN ||
	       (benchmark->status == RESULT_FAIL && !only_warns);
}

const struct result_reference *reference_that_decides(const struct result_benchmark *benchmark)
{
	for (size_t i = 0; i < benchmark->reference_count; i++) {
		if (reference_decided(benchmark, &benchmark->references[i]))
			return &benchmark->references[i];
	}
	return NULL;
}

/* What could not be looked at, where the status says so, comes before what is clear. */
static int voice(const struct result_reference *reference)
{
	if (reference->state == REFERENCE_CANNOT)
		return reference->decides ? 2 : 0;
	return 1;
}

const struct result_reference *reference_that_speaks(const struct result_benchmark *benchmark)
{
	const struct result_reference *speaks = reference_that_decides(benchmark);
	int loudest = speaks ? INT_MAX : 0;

	for (size_t i = 0; i < benchmark->reference_count; i++) {
		if (voice(&benchmark->references[i]) > loudest) {
			speaks = &benchmark->references[i];
			loudest = voice(speaks);
		}
	}
	return speaks;
}

const struct result_reference_finding *reference_worst(const struct result_reference *reference)
{
	for (size_t i = 0; i < reference->finding_count; i++) {
		if (!reference->findings[i].shifted)
			return &reference->findings[i];
	}
	return reference->finding_count ? &reference->findings[0] : NULL;
}

/* ---- parts of sentences ---------------------------------------------------------------------- */

/* The base itself was counted beside head: nothing of it was stored. */
static bool is_counted_here(const struct result_reference *reference)
{
	return reference->kind == REFERENCE_EXACT && !*reference->store && *reference->commit;
}

const char *reference_label(const struct result_reference *reference)
{
	return is_counted_here(reference) ? "Counted" : "Stored baseline";
}

const char *reference_title(const struct result_benchmark *benchmark)
{
	size_t counted = 0;

	for (size_t i = 0; i < benchmark->reference_count; i++)
		counted += is_counted_here(&benchmark->references[i]);
	if (counted == benchmark->reference_count)
		return "Counted beside head";
	if (counted)
		return "Stored baselines and counts";
	return benchmark->reference_count == 1 ? "Stored baseline" : "Stored baselines";
}

static const char *baseline_noun(const struct result_reference *reference)
{
	return is_counted_here(reference) ? "the base" : "the stored baseline";
}

/* " of `1a2b3c`"; nothing if it is unknown. */
static void add_commit(struct sentence *sentence, const struct result_reference *reference)
{
	struct strbuf id = STRBUF_INIT;

	if (!*reference->commit)
		return;
	commit_id_add(&id, reference->commit);
	sentence_add_text(sentence, " of ");
	sentence_add_name(sentence, arena_strdup(&sentence->arena, id.data));
	strbuf_release(&id);
}

bool finding_has_caller(const struct result_reference_finding *finding)
{
	return finding->caller && *finding->caller;
}

/* The place is that of whom it is for: nobody can mend what is elsewhere. */
static void add_name(struct sentence *sentence, const struct result_reference_finding *finding)
{
	sentence_add_name(sentence, finding->name);
	if (finding_has_caller(finding)) {
		sentence_add_text(sentence, ", for ");
		sentence_add_name(sentence, finding->caller);
	}
}

const char *finding_place(const struct result_reference_finding *finding, int64_t *line)
{
	bool of_caller = finding_has_caller(finding);
	const char *file = of_caller ? finding->caller_file : finding->file;

	*line = of_caller ? finding->caller_line : finding->line;
	return file ? file : "";
}

/* "`f` in `x.c:3`", "`strdup`, for `f` in `x.c:3`" */
static void add_function(struct sentence *sentence, const struct result_reference_finding *finding)
{
	int64_t line;
	const char *file = finding_place(finding, &line);

	add_name(sentence, finding);
	sentence_add_place(sentence, " in ", file, line);
}

/* What is counted, as a verb and its object. */
struct counted {
	const char *type, *verb, *object, *unit;
};

static const struct counted *find_counted(const char *type)
{
	static const struct counted all[] = {
		{"instructions", " executes ", " more instructions", "count"},
		{"alloc_objects", " makes ", " more allocations", "count"},
		{"alloc_bytes", " allocates ", " more memory", "bytes"},
		{"alloc_space", " allocates ", " more memory", "bytes"},
		{"peak_bytes", " needs ", " more memory at its peak", "bytes"},
		{"inuse_bytes", " holds ", " more memory at its end", "bytes"},
		{"inuse_objects", " holds ", " more objects", "count"},
		{"inuse_space", " holds ", " more memory", "bytes"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (strcmp(all[i].type, type) == 0)
			return &all[i];
	}
	return NULL;
}

static void add_exact_percent(struct sentence *sentence, double fraction)
{
	struct strbuf figure = STRBUF_INIT;

	figure_exact_percent(&figure, fraction);
	sentence_add_figure(sentence, &figure);
}

/* " executes 2.30 % more instructions", " counts 2.30 % more of `type`". */
static void add_counts_more(struct sentence *sentence, const struct result_reference *reference)
{
	const struct counted *counted = find_counted(reference->profile_type);
	struct strbuf figure = STRBUF_INIT;

	strbuf_addstr(&figure, counted ? counted->verb : " counts ");
	if (isfinite(reference->change))
		figure_percent(&figure, reference->change);
	else /* the base has nothing */
		figure_cost(&figure, reference->head, counted ? counted->unit : "count");
	strbuf_addstr(&figure, counted ? counted->object : " more of ");
	sentence_add_figure(sentence, &figure);
	if (!counted)
		sentence_add_name(sentence, reference->profile_type);
}

/* " takes 6.1 % of the benchmark's time more" */
static void add_takes_more(
	struct sentence *sentence, const struct result_reference_finding *finding)
{
	struct strbuf figure = STRBUF_INIT;

	strbuf_addstr(&figure, " takes ");
	figure_percent(&figure, fabs(finding->change));
	strbuf_addstr(&figure, finding->change < 0 ? " of the benchmark's time less"
						   : " of the benchmark's time more");
	sentence_add_figure(sentence, &figure);
}

/* ", above all in `f` (`x.c:3`): +0.90 %", "... in `strdup`, for `f` (`x.c:3`): +0.90 %" */
static void add_above_all(struct sentence *sentence, const struct result_reference *reference)
{
	const struct result_reference_finding *worst = reference_worst(reference);
	struct strbuf place = STRBUF_INIT;
	const char *file;
	int64_t line;

	if (!worst)
		return;
	sentence_add_text(sentence, ", above all in ");
	add_name(sentence, worst);
	file = finding_place(worst, &line);
	place_add(&place, file, line);
	if (place.length) {
		sentence_add_text(sentence, " (");
		sentence_add_name(sentence, arena_strdup(&sentence->arena, place.data));
		sentence_add_text(sentence, ")");
	}
	strbuf_release(&place);
	sentence_add_text(sentence, ": ");
	add_exact_percent(sentence, worst->change);
}

void reference_add_count(struct sentence *sentence, const struct result_reference *reference)
{
	add_counts_more(sentence, reference);
	sentence_add_text(sentence, " than ");
	sentence_add_text(sentence, baseline_noun(reference));
	add_commit(sentence, reference);
	add_above_all(sentence, reference);
}

void reference_add_verdict(struct sentence *sentence, const struct result_reference *reference)
{
	const struct result_reference_finding *worst = reference_worst(reference);

	if (reference->state == REFERENCE_CANNOT) {
		sentence_add_text(sentence, baseline_noun(reference));
		add_commit(sentence, reference);
		sentence_add_text(sentence, " cannot tell");
		return;
	}
	sentence_add_text(sentence, "against ");
	sentence_add_text(sentence, baseline_noun(reference));
	add_commit(sentence, reference);
	sentence_add_text(sentence, ", ");
	if (reference->state != REFERENCE_FLAGGED || !worst) {
		sentence_add_text(sentence, "nothing grew beyond the margins");
		return;
	}
	add_function(sentence, worst);
	add_takes_more(sentence, worst);
}

/* ---- everything about one baseline ----------------------------------------------------------- */

/* "`cpu` of `1a2b3c`, 3 commits before the base, from `git notes of origin`" */
static void add_origin(struct sentence *sentence, const struct result_reference *reference)
{
	struct strbuf figure = STRBUF_INIT;

	sentence_add_name(sentence, reference->profile_type);
	add_commit(sentence, reference);
	if (reference->distance) {
		strbuf_addstr(&figure, ", ");
		figure_plural(&figure, reference->distance, "commit");
		strbuf_addstr(&figure, " before the base");
		sentence_add_figure(sentence, &figure);
	} else if (*reference->commit) {
		sentence_add_text(sentence, ", the base itself");
	}
	if (*reference->store) {
		sentence_add_text(sentence, ", from ");
		sentence_add_name(sentence, reference->store);
	} else if (is_counted_here(reference)) {
		sentence_add_text(sentence, ", counted beside head");
	}
	if (*reference->environment) {
		sentence_add_text(sentence, " (recorded in another environment: ");
		sentence_add_detail(sentence, reference->environment);
		sentence_add_text(sentence, ")");
	}
}

/* Head against base as a whole: what scaling takes out. */
static void add_size_factor(struct sentence *sentence, const struct result_reference *reference)
{
	struct strbuf figure = STRBUF_INIT;

	if (!(reference->size_factor > 0) || fabs(reference->size_factor - 1) < SIZE_IS_ONE)
		return;
	strbuf_addstr(&figure, ". Head ran ");
	figure_number(&figure, reference->size_factor);
	strbuf_addf(&figure,
		" times as long throughout: another machine or a uniform "
		"%s, which cannot be told here",
		reference->size_factor > 1 ? "slowdown" : "speedup");
	sentence_add_figure(sentence, &figure);
}

static void add_screen(struct sentence *sentence, const struct result_reference *reference)
{
	struct strbuf figure = STRBUF_INIT;

	if (reference->state == REFERENCE_FLAGGED) {
		figure_plural(&figure, reference->finding_count, "function");
		strbuf_addstr(&figure, " grew beyond the margins");
	} else {
		strbuf_addstr(&figure, "nothing grew beyond the margins");
	}
	strbuf_addstr(&figure, ". This is a screen, not a proof");
	sentence_add_figure(sentence, &figure);
	add_size_factor(sentence, reference);
	if (reference->threshold > 0) {
		strbuf_addstr(&figure, ". It could have found ");
		figure_signed_percent(&figure, reference->threshold);
		strbuf_addstr(&figure, " of the total in a function of 1 % share");
		sentence_add_figure(sentence, &figure);
	}
}

/* "+1.23 % (8.12 G -> 8.22 G, threshold 0.5 %), above all in `f` (`x.c:3`): +0.90 %" */
static void add_exact(struct sentence *sentence, const struct result_reference *reference)
{
	const struct counted *counted = find_counted(reference->profile_type);
	const char *unit = counted ? counted->unit : "count";
	struct strbuf figure = STRBUF_INIT;

	if (isfinite(reference->change))
		figure_exact_percent(&figure, reference->change);
	else
		strbuf_addstr(&figure, "new");
	strbuf_addstr(&figure, " (");
	figure_cost(&figure, reference->base, unit);
	strbuf_addstr(&figure, " -> ");
	figure_cost(&figure, reference->head, unit);
	strbuf_addstr(&figure, ", threshold ");
	figure_percent(&figure, reference->threshold);
	strbuf_addstr(&figure, ")");
	sentence_add_figure(sentence, &figure);
	add_above_all(sentence, reference);
}

void sentence_of_reference(struct sentence *sentence, const struct result_reference *reference)
{
	add_origin(sentence, reference);
	sentence_add_text(sentence, ": ");
	if (reference->state == REFERENCE_CANNOT) {
		sentence_add_text(sentence, "cannot tell");
	} else if (reference->kind == REFERENCE_EXACT) {
		add_exact(sentence, reference);
	} else {
		add_screen(sentence, reference);
	}
	if (*reference->detail) {
		sentence_add_text(
			sentence, reference->state == REFERENCE_CANNOT ? ": " : ". Note: ");
		sentence_add_detail(sentence, reference->detail);
	}
	sentence_add_text(sentence, reference->decides ? ". This decided the status." : ".");
}

size_t reference_listed(const struct result_reference *reference)
{
	if (reference->kind == REFERENCE_EXACT && reference->finding_count == 1)
		return 0;
	return reference->finding_count < REFERENCE_LISTED ? reference->finding_count
							   : REFERENCE_LISTED;
}

/* "+6.1 % of the total (95 % interval +4.1 to +8.0 %)" */
static void add_share(struct sentence *sentence, const struct result_reference *reference,
	const struct result_reference_finding *finding)
{
	struct strbuf figure = STRBUF_INIT;

	if (reference->kind == REFERENCE_EXACT)
		figure_exact_percent(&figure, finding->change);
	else
		figure_signed_percent(&figure, finding->change);
	strbuf_addstr(&figure, " of the total");
	if (isfinite(finding->low) && isfinite(finding->high) && finding->high > finding->low) {
		strbuf_addstr(&figure, " (95 % interval ");
		figure_signed_interval(&figure, finding->low, finding->high);
		strbuf_addch(&figure, ')');
	}
	strbuf_addstr(&figure, finding->shifted ? ", as others went down" : "");
	sentence_add_figure(sentence, &figure);
}

void sentence_of_finding(struct sentence *sentence, const struct result_reference *reference,
	const struct result_reference_finding *finding)
{
	add_function(sentence, finding);
	sentence_add_text(sentence, ": ");
	add_share(sentence, reference, finding);
}

void sentence_of_reference_blame(struct sentence *sentence,
	const struct result_reference *reference, const struct result_reference_finding *finding)
{
	add_function(sentence, finding);
	sentence_add_text(sentence, ": ");
	sentence_add_name(sentence, reference->profile_type);
	sentence_add_text(sentence, " ");
	add_share(sentence, reference, finding);
	sentence_add_text(sentence, " against ");
	sentence_add_text(sentence, baseline_noun(reference));
	add_commit(sentence, reference);
	sentence_add_text(
		sentence, reference->kind == REFERENCE_SCREEN ? ": a screen, not a proof" : "");
}
