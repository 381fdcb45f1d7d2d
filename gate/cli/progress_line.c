/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of the progress line: name, bar, count and time left, as much of it as the terminal has
 * columns for.
 */
#include "gate/cli/progress.h"

#include <math.h>
#include <string.h>

#include "report/clean.h"

#define LEAST_NAME 8
#define LEAST_BAR 6
#define MOST_BAR 30
#define LONGEST (99 * 3600.0)

static void add_duration(struct strbuf *out, double seconds)
{
	if (!(seconds < LONGEST))
		seconds = LONGEST;
	if (seconds < 1)
		strbuf_addstr(out, "1 s");
	else if (seconds < 100)
		strbuf_addf(out, "%.0f s", ceil(seconds));
	else if (seconds < 100 * 60)
		strbuf_addf(out, "%.0f min", ceil(seconds / 60));
	else
		strbuf_addf(out, "%.1f h", seconds / 3600);
}

/* What was expected of a pair counts as one that was run: the first ones alone would mislead. */
static double seconds_left(const struct check_step *step, double elapsed)
{
	double pair = (elapsed + step->pair_seconds) / (step->done + 1.0);

	return pair > 0 ? pair * (step->pairs - step->done) : 0;
}

/* "12/40, 2 min left" */
static void add_tail(struct strbuf *out, const struct check_step *step, double elapsed)
{
	strbuf_addf(out, "%u/%u", step->done, step->pairs);
	if (step->done >= step->pairs)
		return;
	strbuf_addstr(out, ", ");
	add_duration(out, seconds_left(step, elapsed));
	strbuf_addstr(out, " left");
}

static void add_bar(struct strbuf *out, const struct check_step *step, size_t columns,
	const struct progress_style *style)
{
	size_t full = step->pairs ? columns * step->done / step->pairs : 0;

	strbuf_addstr(out, style->color ? "\033[36m" : "");
	for (size_t i = 0; i < columns; i++) {
		if (i == full)
			strbuf_addstr(out, style->color ? "\033[2m" : "");
		strbuf_addstr(out, i < full ? (style->unicode ? "\xe2\x96\x88" : "#")
					    : (style->unicode ? "\xe2\x96\x91" : "."));
	}
	strbuf_addstr(out, style->color ? "\033[0m" : "");
}

/* Hostile: one line without control characters; in ASCII every other character is a '?'. */
static void add_name(struct strbuf *out, const char *name, size_t columns, bool unicode)
{
	struct strbuf plain = STRBUF_INIT, line = STRBUF_INIT;

	if (!unicode) {
		for (; *name; name++)
			if (((unsigned char)*name & 0xc0) != 0x80)
				strbuf_addch(&plain, (unsigned char)*name < 0x80 ? *name : '?');
		name = plain.data ? plain.data : "";
	}
	clean_cut(&line, name, columns);
	for (size_t i = 0; i < line.length; i++) {
		bool first = !unicode && ((unsigned char)line.data[i] & 0xc0) == 0xc0;

		if (unicode || (unsigned char)line.data[i] < 0x80)
			strbuf_addch(out, line.data[i]);
		else if (first)
			strbuf_addch(out, '~'); /* where it was cut */
	}
	strbuf_release(&plain);
	strbuf_release(&line);
}

/* "parse: confirming ######...... 12/40, 2 min left", as much of it as there is room for. */
void progress_line(struct strbuf *out, const struct check_step *step, double elapsed,
	const struct progress_style *style)
{
	static const char *const stages[] = {": recording ", ": stage 1 ", ": confirming "};
	const char *stage = stages[step->stage >= 0 && step->stage <= 2 ? step->stage : 1];
	size_t room = style->width > 1 ? style->width - 1 : 1, used, name, bar = 0;
	struct strbuf tail = STRBUF_INIT;

	add_tail(&tail, step, elapsed);
	if (room < tail.length + strlen(stage) + LEAST_NAME) {
		strbuf_add(out, tail.data, tail.length < room ? tail.length : room);
		strbuf_release(&tail);
		return;
	}
	name = clean_columns(step->benchmark, strlen(step->benchmark));
	used = tail.length + strlen(stage);
	if (name > LEAST_NAME && room - used < name + LEAST_BAR + 1)
		name = room - used >= LEAST_NAME + LEAST_BAR + 1 ? room - used - LEAST_BAR - 1
								 : room - used;
	if (room - used >= name + LEAST_BAR + 1)
		bar = room - used - name - 1;
	add_name(out, step->benchmark, name, style->unicode);
	strbuf_addstr(out, stage);
	if (bar) {
		add_bar(out, step, bar < MOST_BAR ? bar : MOST_BAR, style);
		strbuf_addch(out, ' ');
	}
	strbuf_add(out, tail.data, tail.length);
	strbuf_release(&tail);
}
