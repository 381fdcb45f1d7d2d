/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/detect/harness_flags.h"

#include <stdbool.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/strbuf.h"

#define MAX_PROGRAM_BYTES ((size_t)64 << 20)
#define MAX_PROGRAMS 8 /* different ones of a run that are read */

/* Any of the traces is enough. The first row that fits counts. */
static const struct row {
	struct harness_flag flag;
	const char *text;   /* in a program or library that counts */
	const char *word;   /* of the command */
	const char *opened; /* in the path of a file that it opened */
} rows[] = {
	/* From 1.8 on its own help says that the time may be a number of iterations. */
	{{"google-benchmark", "run it with --benchmark_min_time=1000x (a number of iterations)"},
		"<integer>x", NULL, NULL},
	{{"google-benchmark",
		 "add ->Iterations(1000) to each BENCHMARK(); from google-benchmark 1.8 on "
		 "--benchmark_min_time=1000x does the same"},
		"benchmark_min_time", NULL, NULL},
	{{"criterion",
		 "it has no option for a number of iterations: call what it measures in a program "
		 "of your own, a fixed number of times"},
		"CARGO_CRITERION_PORT", NULL, NULL},
	{{"divan", "run it with --sample-count 100 --sample-size 1000"}, "DIVAN_SAMPLE_SIZE", NULL,
		NULL},
	{{"nanobench", "call .epochs(10).epochIterations(1000) on each Bench"}, "NANOBENCH_ENDLESS",
		NULL, NULL},
	{{"Catch2",
		 "it has no option for a number of iterations: call what it measures in a program "
		 "of your own, a fixed number of times"},
		"--benchmark-warmup-time", NULL, NULL},
	{{"pytest-benchmark",
		 "call benchmark.pedantic(function, rounds=100, iterations=10) in place of "
		 "benchmark(function)"},
		NULL, "pytest", "pytest_benchmark"},
	{{"pyperf", "run it with --loops=1000 --inherit-environ=LD_PRELOAD"}, NULL, "pyperf",
		"site-packages/pyperf"},
	{{"go test", "run it with -test.benchtime=1000x"}, NULL, "-test.bench", NULL},
	{{"go test", "run it with -benchtime=1000x"}, NULL, "go test", NULL},
	{{"JMH", "run it with -bm ss -bs 1000 -wi 0 -i 1"}, NULL, "jmh", NULL},
	{{"tinybench", "give it {time: 0, iterations: 1000, warmup: false}, or count the work with "
		       "`work: {iterations: FILE}`"},
		NULL, NULL, "node_modules/tinybench/"},
	{{"mitata", "count the work with `work: {iterations: FILE}`"}, NULL, NULL,
		"node_modules/mitata/"},
};

/* ---- what is loaded ------------------------------------------------------------------------ */

/* Files of one run that were looked into. */
struct looked {
	const char *paths[MAX_PROGRAMS];
	struct strbuf contents[MAX_PROGRAMS];
	size_t count;
};

static void look_into(struct looked *looked, const char *path)
{
	struct error ignored;

	for (size_t i = 0; i < looked->count; i++)
		if (!strcmp(looked->paths[i], path))
			return;
	if (looked->count == MAX_PROGRAMS || path[0] != '/')
		return;
	looked->paths[looked->count] = path;
	looked->contents[looked->count] = (struct strbuf)STRBUF_INIT;
	file_read(path, MAX_PROGRAM_BYTES, &looked->contents[looked->count++], &ignored);
}

static bool is_harness_library(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && (strstr(slash, "benchmark") || strstr(slash, "Catch2"));
}

static void look_into_all(struct looked *looked, const struct capture_set *captures)
{
	for (size_t i = 0; captures && i < captures->process_count; i++) {
		const struct capture_process *process = &captures->processes[i];

		if (process->excluded)
			continue;
		look_into(looked, process->executable);
		for (size_t k = 0; k < process->module_count; k++)
			if (is_harness_library(process->modules[k].path))
				look_into(looked, process->modules[k].path);
	}
}

static bool stands_in(const struct looked *looked, const char *text)
{
	for (size_t i = 0; i < looked->count; i++)
		if (memmem(looked->contents[i].data, looked->contents[i].length, text,
			    strlen(text)))
			return true;
	return false;
}

static void forget(struct looked *looked)
{
	for (size_t i = 0; i < looked->count; i++)
		strbuf_release(&looked->contents[i]);
}

/* ---- the rest ------------------------------------------------------------------------------ */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Not in the middle of another: no letter before it or behind it. */
static bool has_word(const char *command, const char *word)
{
	const char *at = command;

	while ((at = strstr(at, word))) {
		if ((at == command || !is_letter(at[-1])) && !is_letter(at[strlen(word)]))
			return true;
		at++;
	}
	return false;
}

static bool has_opened(const struct opened_files *opened, const char *part)
{
	for (size_t i = 0; opened && i < opened->count; i++)
		if (strstr(opened->items[i].path, part))
			return true;
	return false;
}

const struct harness_flag *harness_flag_in_program(const char *bytes, size_t length)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].text && memmem(bytes, length, rows[i].text, strlen(rows[i].text)))
			return &rows[i].flag;
	return NULL;
}

const struct harness_flag *harness_flag_find(const struct harness_traces *traces)
{
	const struct harness_flag *found = NULL;
	struct looked looked = {.count = 0};

	look_into_all(&looked, traces->captures);
	for (size_t i = 0; !found && i < sizeof(rows) / sizeof(rows[0]); i++)
		if ((rows[i].text && stands_in(&looked, rows[i].text)) ||
			(rows[i].word && has_word(traces->command, rows[i].word)) ||
			(rows[i].opened && has_opened(traces->opened, rows[i].opened)))
			found = &rows[i].flag;
	forget(&looked);
	return found;
}
