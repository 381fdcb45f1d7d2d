/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void options_help(void)
{
	puts("Usage: logstat [--top N] FILE\n"
	     "\n"
	     "  --top N   rows in each list (default 10, at most 100)\n"
	     "  --help    this text");
}

static int parse_top(struct options *options, const char *text)
{
	char *end;
	long value = text == NULL ? 0 : strtol(text, &end, 10);

	if (text == NULL || *end != '\0' || value < 1 || value > MAX_TOP) {
		fprintf(stderr, "logstat: --top needs a number from 1 to %d\n", MAX_TOP);
		return -1;
	}
	options->top = (size_t)value;
	return 0;
}

int options_parse(struct options *options, int argc, char **argv)
{
	*options = (struct options){.top = 10};
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0) {
			options->show_help = 1;
		} else if (strcmp(argv[i], "--top") == 0) {
			if (parse_top(options, argv[++i]) != 0)
				return -1;
		} else if (argv[i][0] == '-' || options->path != NULL) {
			fprintf(stderr, "logstat: unexpected %s\n", argv[i]);
			return -1;
		} else {
			options->path = argv[i];
		}
	}
	if (options->path == NULL && !options->show_help) {
		fprintf(stderr, "logstat: which file?\n");
		return -1;
	}
	return 0;
}
