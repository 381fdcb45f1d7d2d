/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the simulation: some gates of one situation under one noise; a file each when drawn. */
#ifndef FG_TESTS_BENCH_PARTS_H
#define FG_TESTS_BENCH_PARTS_H

#include "tests/bench/verdict/situations.h"

struct part {
	size_t situation, first, end;
	enum machine_noise noise;
};

/* The gates of one situation and noise; 0 where it is not drawn. */
size_t parts_gates(const struct situation *situation, enum machine_noise noise, size_t divisor);

/* The next part after *part of the same situation and noise; starts with end 0. False: no more. */
bool parts_next(struct part *part, size_t divisor);

/* Prints all names, one a line, the long ones first. */
void parts_list(size_t divisor);

/* The name's part; false if there is none such. */
bool part_parse(const char *name, struct part *part);

/* False: it could not be written (then there is no such file), read or is not there. */
bool part_write(const struct part *part, const char *folder, const struct tally *tally);
bool part_add(const struct part *part, const char *folder, struct tally *tally);

#endif
