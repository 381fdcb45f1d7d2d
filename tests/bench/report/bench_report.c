/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Renders a large comparison as every format, and prints what that took beyond the comparison
 * itself:
 *
 *   bench_report NODES NOTABLE DIR     every NOTABLE-th leaf is significant; the report
 *                                      goes into DIR
 *
 * Beside the report: base.folded, head.folded and d3.json, the tree that the report shows, for
 * others. Prints "name value" lines. Exit 1 if something significant was pruned.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "report/formats.h"
#include "report/view/view.h"
#include "report/write.h"
#include "tests/bench/report/synthetic.h"

#define SEED 20261123

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Of the process so far, in MB. Linux counts in kB. */
static double most_memory(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss / 1024;
}

static void print_size(const char *dir, const char *name, size_t nodes)
{
	char *path = file_join(dir, name);
	struct stat status;

	if (stat(path, &status) == 0)
		printf("bytes_per_1000_nodes %s %.0f\n", name,
			(double)status.st_size * 1000 / (double)nodes);
	free(path);
}

static int write_beside(const char *dir, const char *name, const struct result_benchmark *benchmark,
	void (*write)(const struct result_benchmark *, FILE *))
{
	char *path = file_join(dir, name);
	FILE *out = fopen(path, "w");

	free(path);
	if (!out)
		return 1;
	write(benchmark, out);
	return fclose(out) != 0;
}

static void write_base(const struct result_benchmark *benchmark, FILE *out)
{
	synthetic_write_folded(benchmark, 0, out);
}

static void write_head(const struct result_benchmark *benchmark, FILE *out)
{
	synthetic_write_folded(benchmark, 1, out);
}

static int write_for_others(const char *dir, const struct result_benchmark *shown)
{
	return write_beside(dir, "base.folded", shown, write_base) ||
	       write_beside(dir, "head.folded", shown, write_head) ||
	       write_beside(dir, "d3.json", shown, synthetic_write_d3);
}

/* All formats that have a file; NULL-terminated. */
static void name_formats(const char *names[REPORT_FORMATS_MAX + 1])
{
	size_t count = 0;

	for (const struct report_format *format = report_formats; format->name; format++)
		if (format->file)
			names[count++] = format->name;
	names[count] = NULL;
}

int main(int argc, char **argv)
{
	const char *names[REPORT_FORMATS_MAX + 1];
	struct report_view *view = NULL;
	struct result *result;
	struct error err = {0};
	double begin, before, seconds, memory;
	size_t notable, kept;

	if (argc != 4 || strtoull(argv[1], NULL, 10) < 2 || !strtoull(argv[2], NULL, 10)) {
		fprintf(stderr, "usage: bench_report NODES NOTABLE DIR\n");
		return 2;
	}
	result = synthetic_result(strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10), SEED);
	notable = synthetic_notable(&result->benchmarks[0]);
	name_formats(names);
	before = most_memory();
	begin = now();
	if (report_view_of(result, &view, &err) || report_write_view(view, argv[3], names, &err)) {
		fprintf(stderr, "bench_report: %s\n", err.message);
		return 3;
	}
	seconds = now() - begin;
	memory = most_memory() - before;
	kept = synthetic_notable(&view->result.benchmarks[0]);
	printf("nodes %zu\nshown %zu\nsignificant %zu\nsignificant_shown %zu\n"
	       "render_seconds %.3f\nrender_mb %.1f\ncomparison_mb %.1f\n",
		result->benchmarks[0].node_count, view->result.benchmarks[0].node_count, notable,
		kept, seconds, memory, before);
	for (const struct report_format *format = report_formats; format->name; format++)
		if (format->file)
			print_size(argv[3], format->file, view->result.benchmarks[0].node_count);
	if (write_for_others(argv[3], &view->result.benchmarks[0]))
		return 3;
	report_view_free(view);
	synthetic_free(result);
	return kept == notable ? 0 : 1;
}
