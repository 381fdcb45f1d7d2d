/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/decide/collapsed.h"

#include <string.h>

#define NEARLY_ALL 0.95 /* of a version's sampled cost, in one place without a name */
#define MANY_CUT 0.5    /* of a version's samples, without a complete stack */
#define FEW_CUT 0.1

/* "[libfoo.so]", "[unknown]" and the like; what the kernel does has a name of its own. */
static bool has_no_name(const char *name)
{
	return name[0] == '[' && strcmp(name, "[vdso]") != 0 && strncmp(name, "[kernel", 7) != 0;
}

static bool is_nameless(const struct analysis *analysis, int version)
{
	double all = 0, largest = 0;

	for (size_t i = 0; i < analysis->input.function_count; i++) {
		double seconds = analysis_self_seconds(analysis, version, i);

		all += seconds;
		if (seconds > largest &&
			has_no_name(analysis->comparison.matches.functions[i].name))
			largest = seconds;
	}
	return largest > 0 && largest >= NEARLY_ALL * all;
}

/* Of all samples. */
static double cut_share(const struct recording *recording)
{
	double samples = 0, complete = 0;

	for (size_t i = 0; i < recording->round_count; i++) {
		samples += (double)recording->rounds[i].samples;
		complete += (double)recording->rounds[i].complete;
	}
	return samples > 0 ? 1 - complete / samples : 0;
}

const char *collapsed_profile(const struct analysis *analysis, struct arena *arena)
{
	for (int version = 0; version < VERSION_COUNT; version++) {
		int other = version == VERSION_BASE ? VERSION_HEAD : VERSION_BASE;
		double cut = cut_share(analysis->recordings[version]);

		if (is_nameless(analysis, version) && !is_nameless(analysis, other))
			return arena_printf(arena,
				"the profile of %s has collapsed: nearly all of its cost lies in "
				"one place without a function, while %s has functions (was it "
				"stripped, packed, or its debug information lost?)",
				version_names[version], version_names[other]);
		if (cut > MANY_CUT && cut_share(analysis->recordings[other]) < FEW_CUT)
			return arena_printf(arena,
				"the profile of %s has collapsed: %.0f %% of its stacks are cut, "
				"while those of %s are complete (is it built "
				"without unwind information?)",
				version_names[version], cut * 100, version_names[other]);
	}
	return "";
}

const char *nameless_profiles(const struct analysis *analysis)
{
	return is_nameless(analysis, VERSION_BASE) && is_nameless(analysis, VERSION_HEAD)
		       ? "nearly all cost lies in one place without a function's name: only the "
			 "total is tested; keep symbols in the program"
		       : "";
}
