/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_OPTIONS_H
#define LOGSTAT_OPTIONS_H

#include <stddef.h>

#define MAX_TOP 100

struct options {
	size_t top;	 /* rows in each list */
	const char *path;
	int show_help;
};

/* 0, or -1 after a message on stderr. */
int options_parse(struct options *options, int argc, char **argv);
void options_help(void);

#endif
