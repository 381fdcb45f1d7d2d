/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/source/foreign_files.h"

#include "gate/check/result.h"

/* An absolute path is nobody's mistake for one of the repository's. */
static bool is_foreign(struct sources *sources, const char *file)
{
	return *file && *file != '/' && sources_lack(sources, VERSION_HEAD, file) &&
	       sources_lack(sources, VERSION_BASE, file);
}

static void forget_of_culprits(
	struct sources *sources, struct arena *arena, struct result_benchmark *out)
{
	struct result_culprit *culprits = arena_array(arena, out->culprit_count, sizeof(*culprits));

	for (size_t i = 0; i < out->culprit_count; i++) {
		culprits[i] = out->culprits[i];
		if (is_foreign(sources, culprits[i].file)) {
			culprits[i].file = "";
			culprits[i].line = 0;
		}
	}
	out->culprits = culprits;
}

static void forget_of_findings(
	struct sources *sources, struct arena *arena, struct result_benchmark *out)
{
	struct result_reference *all = arena_array(arena, out->reference_count, sizeof(*all));

	for (size_t i = 0; i < out->reference_count; i++) {
		struct result_reference_finding *findings =
			arena_array(arena, out->references[i].finding_count, sizeof(*findings));

		all[i] = out->references[i];
		for (size_t j = 0; j < all[i].finding_count; j++) {
			findings[j] = all[i].findings[j];
			if (is_foreign(sources, findings[j].file)) {
				findings[j].file = "";
				findings[j].line = 0;
			}
		}
		all[i].findings = findings;
	}
	out->references = all;
}

void forget_foreign_files(
	struct sources *sources, struct arena *arena, struct result_benchmark *out)
{
	forget_of_culprits(sources, arena, out);
	forget_of_findings(sources, arena, out);
}
