/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library's side of flamegate.h. Context: thread.
 *
 * A thread's open regions and labels are the chain of its context's parents: nothing else is kept
 * for it but the number of begins that found no room, so that their ends match.
 */
#define FLAMEGATE_LIBRARY
#include "gate/sampler/flamegate.h"

#include <string.h>

#include "gate/sampler/contexts.h"
#include "gate/sampler/paused_time.h"

struct fg_marks fg_marks;

static bool has_marks;
static __thread uint32_t lost_begins; /* open regions of this thread that found no room */

static const struct fg_text region_key = {"region", 6};

void fg_marks_attach(struct fg_capture_header *header)
{
	if (!has_marks)
		return;
	__atomic_store_n(&header->marks, 1, __ATOMIC_RELAXED);
	fg_iterations_attach(header);
	fg_contexts_attach();
}

void fg_marks_forked(void)
{
	fg_contexts_forked();
	fg_iterations_forked();
	fg_marks.epoch = 0;
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* The labels that were set since the innermost region began, innermost first. */
struct own_labels {
	uint32_t contexts[FG_MAX_CONTEXT_DEPTH];
	uint32_t count;
};

static void find_own_labels(uint32_t context, struct own_labels *labels)
{
	labels->count = 0;
	for (; context && !fg_context_has_key(context, &region_key);
		context = fg_context_parent(context))
		labels->contexts[labels->count++] = context;
}

/* The chain with labels->contexts[at] changed, or left out (value empty). False: no room. */
static bool replace_label(const struct own_labels *labels, uint32_t at, const struct fg_text *key,
	const struct fg_text *value, uint32_t *context)
{
	uint32_t chain = fg_context_parent(labels->contexts[at]);

	if (value->length && !(chain = fg_context_intern(chain, key, value)))
		return false;
	while (at-- > 0)
		if (!(chain = fg_context_move(labels->contexts[at], chain)))
			return false;
	*context = chain;
	return true;
}

static bool append_label(const struct fg_text *key, const struct fg_text *value, uint32_t *context)
{
	uint32_t fresh = fg_context_intern(*context, key, value);

	if (fresh)
		*context = fresh;
	return fresh != 0;
}

static bool is_labelled(uint32_t context, const struct fg_text *key)
{
	while (context && !fg_context_has_key(context, key))
		context = fg_context_parent(context);
	return context && fg_context_has_value(context);
}

/* An empty value clears: it hides an outer region's label until this region ends. */
static void set_label(const struct fg_text *key, const struct fg_text *value, uint32_t *context)
{
	struct own_labels labels;
	uint32_t at = 0;
	bool is_own;

	find_own_labels(*context, &labels);
	while (at < labels.count && !fg_context_has_key(labels.contexts[at], key))
		at++;
	is_own = at < labels.count;
	if (is_own && !replace_label(&labels, at, key, value, context))
		return;
	if (value->length ? !is_own : is_labelled(*context, key))
		append_label(key, value, context);
}

/* ---- flamegate.h ----------------------------------------------------------------------------- */

/* Children made behind our back have no capture to write to: their parent's is not mapped. */
bool fg_marks_take(void)
{
	struct fg_capture_header *header;

	if (!fg_process_is_ours(false))
		return false;
	header = fg_capture();
	if (header && !__atomic_load_n(&header->marks, __ATOMIC_RELAXED))
		__atomic_store_n(&header->marks, 1, __ATOMIC_RELAXED);
	has_marks = true;
	return true;
}

static void want(enum fg_wanted wanted)
{
	__atomic_store_n(&fg_marks.wanted, wanted, __ATOMIC_RELAXED);
	fg_paused_time_switch(wanted == FG_WANTED_PAUSE);
}

/* What is paused stays paused. */
void fg_marks_want_first(void)
{
	uint32_t unsaid = FG_WANTED_UNSAID;

	if (__atomic_compare_exchange_n(&fg_marks.wanted, &unsaid, FG_WANTED_RUN, false,
		    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		fg_paused_time_switch(false);
}

static struct fg_thread *enter(uint32_t *context)
{
	struct fg_thread *thread = fg_marks_take() ? fg_enter() : NULL;

	if (thread)
		*context = thread->context;
	return thread;
}

/* Other threads look at a sleeper's context. */
static void leave(struct fg_thread *thread, uint32_t context)
{
	__atomic_store_n(&thread->context, context, __ATOMIC_RELAXED);
	fg_leave(thread);
}

FG_EXPORT int flamegate_is_active(void)
{
	return fg_process_is_ours(false);
}

FG_EXPORT void flamegate_region_begin(const char *name)
{
	const struct fg_text value = fg_text_of(name, FG_MAX_CONTEXT_VALUE);
	uint32_t context;
	struct fg_thread *thread = enter(&context);

	if (!thread)
		return;
	fg_marks_want_first();
	if (lost_begins || !append_label(&region_key, &value, &context))
		lost_begins++;
	leave(thread, context);
}

FG_EXPORT void flamegate_region_end(void)
{
	uint32_t context;
	struct fg_thread *thread = enter(&context);

	if (!thread)
		return;
	if (lost_begins) {
		lost_begins--;
	} else {
		uint32_t region = context;

		while (region && !fg_context_has_key(region, &region_key))
			region = fg_context_parent(region);
		if (region)
			context = fg_context_parent(region);
	}
	leave(thread, context);
}

FG_EXPORT void flamegate_label(const char *key, const char *value)
{
	const struct fg_text key_text = fg_text_of(key, FG_MAX_CONTEXT_KEY);
	const struct fg_text value_text = fg_text_of(value, FG_MAX_CONTEXT_VALUE);
	uint32_t context;
	struct fg_thread *thread;

	if (!key_text.length || (key_text.length == region_key.length &&
					memcmp(key, region_key.bytes, region_key.length) == 0))
		return;
	thread = enter(&context);
	if (!thread)
		return;
	/* Inside a region that found no room it would outlive that region. */
	if (!lost_begins)
		set_label(&key_text, &value_text, &context);
	leave(thread, context);
}

FG_EXPORT void flamegate_label_clear(const char *key)
{
	flamegate_label(key, NULL);
}

FG_EXPORT void flamegate_pause(void)
{
	if (fg_marks_take())
		want(FG_WANTED_PAUSE);
}

FG_EXPORT void flamegate_resume(void)
{
	if (fg_marks_take())
		want(FG_WANTED_RUN);
}

FG_EXPORT const struct flamegate_functions_1 flamegate_functions_1 = {
	.is_active = flamegate_is_active,
	.region_begin = flamegate_region_begin,
	.region_end = flamegate_region_end,
	.label = flamegate_label,
	.pause = flamegate_pause,
	.resume = flamegate_resume,
	.iteration = flamegate_iteration,
};
