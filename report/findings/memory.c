/* SPDX-License-Identifier: Apache-2.0 */
#include "report/findings/memory.h"

#include "gate/check/result.h"
#include "report/words/figure.h"

bool has_memory(const struct result_benchmark *benchmark)
{
	return benchmark->memory[1].moment_count > 0;
}

static const struct result_moment *end_of(const struct result_memory_line *line)
{
	return &line->moments[line->moment_count - 1];
}

/* The clock of all lines that are there: iterations are the same work in both versions. */
static bool is_by_iterations(const struct result_benchmark *benchmark)
{
	for (int version = 0; version < 2; version++)
		if (benchmark->memory[version].moment_count &&
			!(end_of(&benchmark->memory[version])->iterations > 0))
			return false;
	return true;
}

static double time_of(const struct result_moment *moment, bool by_iterations)
{
	return by_iterations ? moment->iterations : moment->seconds;
}

static size_t peak_of(const struct result_memory_line *line)
{
	size_t peak = 0;

	for (size_t i = 1; i < line->moment_count; i++)
		if (line->moments[i].most > line->moments[peak].most)
			peak = i;
	return peak;
}

/* What was gone again at the moment that tells of it was there somewhere since the one before. */
static double progress_of(const struct result_memory_line *line, size_t i, bool by_iterations)
{
	const struct result_moment *moment = &line->moments[i];
	double whole = time_of(end_of(line), by_iterations), at = time_of(moment, by_iterations);

	if (moment->most > moment->inuse)
		at = (at + (i ? time_of(moment - 1, by_iterations) : 0)) / 2;
	return whole > 0 ? at / whole : 0;
}

static void add_peak(struct strbuf *out, const struct result_memory_line *line, bool by_iterations)
{
	size_t peak = peak_of(line);

	figure_bytes(out, line->moments[peak].most);
	strbuf_addf(out, " after %.0f %%", 100 * progress_of(line, peak, by_iterations));
}

void memory_add(struct strbuf *out, const struct result_benchmark *benchmark)
{
	const struct result_memory_line *base = &benchmark->memory[0], *head = base + 1;
	bool by_iterations, compared = base->moment_count > 0;

	if (!has_memory(benchmark))
		return;
	by_iterations = is_by_iterations(benchmark);
	strbuf_addstr(out, "Memory peaks at ");
	add_peak(out, head, by_iterations);
	strbuf_addf(out, " of the run's %s", by_iterations ? "iterations" : "CPU time");
	if (compared) {
		strbuf_addstr(out, " (base: ");
		add_peak(out, base, by_iterations);
		strbuf_addstr(out, ")");
	}
	strbuf_addstr(out, " and ends with ");
	figure_bytes(out, end_of(head)->inuse);
	strbuf_addstr(out, " in use");
	if (compared) {
		strbuf_addstr(out, " (base: ");
		figure_bytes(out, end_of(base)->inuse);
		strbuf_addstr(out, ")");
	}
	strbuf_addstr(out, ".");
	if (head->processes > 1) {
		strbuf_addstr(out, " That is the process with the largest heap of ");
		figure_count(out, head->processes);
		strbuf_addstr(out, ".");
	}
}
