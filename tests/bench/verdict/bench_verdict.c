/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often the gate is right: draws the situations of situations.c in parts, one process each, so
 * that they run side by side and go on where they were stopped.
 *
 *	bench_verdict list [DIVISOR]          the parts; with a divisor so many times fewer gates
 *	bench_verdict draw PART FOLDER        draws one part into FOLDER/PART
 *	bench_verdict table FOLDER [DIVISOR]  the table of all parts, as Markdown
 *	bench_verdict why NAME NOISE GATES    where situations of that name lose their power
 *
 * NAME: how the situation's name begins. NOISE: real, turns or whole.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/verdict/parts.h"
#include "tests/bench/verdict/table.h"
#include "tests/bench/verdict/why.h"

static int draw_part(const char *name, const char *folder)
{
	struct part part;
	struct tally tally = {0};

	if (!part_parse(name, &part)) {
		fprintf(stderr, "bench_verdict: no part '%s'\n", name);
		return 2;
	}
	draw_gates(&situations[part.situation], part.noise, part.first, part.end, &tally);
	if (!part_write(&part, folder, &tally)) {
		fprintf(stderr, "bench_verdict: cannot write %s/%s\n", folder, name);
		return 3;
	}
	return 0;
}

static size_t divisor_of(const char *text)
{
	size_t divisor = strtoul(text, NULL, 10);

	return divisor ? divisor : 1;
}

int main(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "";

	if (strcmp(command, "list") == 0 && argc <= 3) {
		parts_list(divisor_of(argc > 2 ? argv[2] : "1"));
		return 0;
	}
	if (strcmp(command, "draw") == 0 && argc == 4)
		return draw_part(argv[2], argv[3]);
	if (strcmp(command, "table") == 0 && argc >= 3 && argc <= 4)
		return table_print(argv[2], divisor_of(argc > 3 ? argv[3] : "1")) ? 0 : 3;
	if (strcmp(command, "why") == 0 && argc == 5 &&
		why_print(argv[2], argv[3], strtoul(argv[4], NULL, 10)))
		return 0;
	fprintf(stderr, "usage: bench_verdict list [DIVISOR] | draw PART FOLDER | "
			"table FOLDER [DIVISOR] | why NAME NOISE GATES\n");
	return 2;
}
