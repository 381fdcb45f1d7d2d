/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/frames/go_frames.h"

#include <stdbool.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* Any of them in a stack of the runtime's alone. */
static const char *const collectors[] = {"runtime.gcBgMarkWorker", "runtime.gcDrain",
	"runtime.bgsweep", "runtime.bgscavenge", "runtime.gcMarkTermination", "runtime.gcStart",
	"runtime.runfinq", "runtime.runFinalizers", "runtime.runCleanups"};
static const char *const schedulers[] = {"runtime.mstart", "runtime.mstart0", "runtime.mstart1",
	"runtime.sysmon", "runtime.schedule", "runtime.findRunnable", "runtime.park_m",
	"runtime.mcall", "runtime.goexit0", "runtime.forcegchelper"};
/* Packages of the runtime's own, and where the C library starts its threads. */
static const char *const packages[] = {
	"runtime.", "runtime/internal/", "internal/runtime/", "internal/cpu.", "gogo", "aeshash"};
static const char *const starters[] = {"start_thread", "clone", "clone3", "__clone", "__clone3",
	"threadentry", "crosscall1", "crosscall_amd64"};

static bool is_in(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return false;
}

static bool begins_with_any(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(list[i], name, strlen(list[i])) == 0)
			return true;
	return false;
}

/* runtime.main calls the program; its own functions are in no stack without it. */
static bool is_runtimes(const char *name)
{
	return strcmp(name, "runtime.main") != 0 &&
	       (begins_with_any(packages, COUNT(packages), name) ||
		       is_in(starters, COUNT(starters), name));
}

/* "runtime.gcDrain" of "runtime.gcDrain.func1", too. */
static bool is_one_of(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(list[i]);

		if (strncmp(list[i], name, length) == 0 && (!name[length] || name[length] == '.'))
			return true;
	}
	return false;
}

struct seen {
	bool foreign, collector, scheduler;
};

static void look_at(const struct profile *profile, uint32_t location, struct seen *seen)
{
	const struct profile_location *place = &profile->locations[location];

	for (uint32_t i = 0; i < place->line_count; i++) {
		const char *name = profile->functions[place->lines[i].function].name;

		seen->foreign |= !is_runtimes(name);
		seen->collector |= is_one_of(collectors, COUNT(collectors), name);
		seen->scheduler |= is_one_of(schedulers, COUNT(schedulers), name);
	}
}

const char *go_frames_name(const struct profile *profile, const uint32_t *locations, uint32_t depth)
{
	struct seen seen = {.foreign = false};

	for (uint32_t i = 0; i < depth && !seen.foreign; i++)
		look_at(profile, locations[i], &seen);
	if (seen.foreign)
		return NULL;
	return seen.collector ? GO_COLLECTOR_NAME : seen.scheduler ? GO_SCHEDULER_NAME : NULL;
}
