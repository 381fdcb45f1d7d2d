/* SPDX-License-Identifier: Apache-2.0 */
#include "report/words/cost_words.h"

#include <string.h>

#include "gate/check/result.h"

static const struct {
	const char *type, *unit;
	struct cost_words words;
} of_type[] = {
	{"cpu", "seconds", {" took ", " of CPU time", " takes ", " CPU time", false}},
	{"wall", "seconds", {" took ", " of elapsed time", " takes ", " elapsed time", false}},
	{"delay", "seconds",
		{" spent ", " waiting for locks", " spends ", " time waiting for locks", false}},
	{"contentions", "count",
		{" waited ", " times for locks", " makes ", " waits for locks", true}},
	{"instructions", "count",
		{" executed ", " instructions", " executes ", " instructions", true}},
	{"alloc_objects", "count", {" made ", " allocations", " makes ", " allocations", true}},
	{"alloc_bytes", "bytes", {" allocated ", "", " allocates ", " memory", false}},
	{"alloc_space", "bytes", {" allocated ", "", " allocates ", " memory", false}},
	{"inuse_bytes", "bytes", {" held ", " at its end", " holds ", " memory at its end", false}},
	{"peak_bytes", "bytes",
		{" needed ", " at its peak", " needs ", " memory at its peak", false}},
	{"mmap_bytes", "bytes", {" mapped ", "", " maps ", " memory", false}},
};

/* The unit's own name follows the figure where it is no word of ours (figure_cost_of). */
static const struct {
	const char *unit;
	struct cost_words words;
} of_unit[] = {
	{"seconds", {" took ", "", " takes ", " time", false}},
	{"bytes", {" took ", "", " takes ", " memory", false}},
};

static const struct cost_words any = {" counted ", "", " counts ", NULL, false};

const struct cost_words *cost_words_of(const struct result_benchmark *benchmark)
{
	for (size_t i = 0; i < sizeof(of_type) / sizeof(of_type[0]); i++)
		if (strcmp(of_type[i].type, benchmark->profile_type) == 0 &&
			strcmp(of_type[i].unit, benchmark->unit) == 0)
			return &of_type[i].words;
	for (size_t i = 0; i < sizeof(of_unit) / sizeof(of_unit[0]); i++)
		if (strcmp(of_unit[i].unit, benchmark->unit) == 0)
			return &of_unit[i].words;
	return &any;
}
