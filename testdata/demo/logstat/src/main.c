/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "analysis.h"
#include "options.h"
#include "reader.h"
#include "report.h"

static void add_line(struct analysis *analysis, const char *line, size_t length)
{
	struct record record;

	analysis->lines++;
	if (duplicate_check(&analysis->duplicates, line, length)) {
		analysis->repeated++;
		return;
	}
	if (record_parse(&record, line, length) != 0) {
		analysis->damaged++;
		return;
	}
	analysis_add(analysis, &record);
	record_release(&record);
}

static int read_all(struct analysis *analysis, const char *path)
{
	struct reader reader;
	char *line;
	size_t length;
	int status;

	if (reader_open(&reader, path) != 0) {
		perror(path);
		return -1;
	}
	while ((status = reader_line(&reader, &line, &length)) > 0)
		add_line(analysis, line, length);
	if (status < 0)
		fprintf(stderr, "logstat: %s is damaged\n", path);
	reader_close(&reader);
	return status;
}

int main(int argc, char **argv)
{
	struct options options;
	struct analysis *analysis;

	if (options_parse(&options, argc, argv) != 0)
		return 2;
	if (options.show_help) {
		options_help();
		return 0;
	}
	analysis = malloc(sizeof(*analysis));
	if (analysis == NULL)
		return 1;
	analysis_init(analysis);
	int status = read_all(analysis, options.path);
	analysis_finish(analysis);
	if (status == 0)
		report_print(analysis, &options);
	analysis_release(analysis);
	free(analysis);
	return status == 0 ? 0 : 1;
}
