/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/check.h"

#include "gate/base/file.h"
#include "gate/check/decide.h"
#include "gate/check/decision.h"
#include "gate/check/measure.h"
#include "gate/check/session.h"
#include "gate/profile/pprof.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A pprof file as a recording of one run: its time is what its samples say. */
static void recording_of_profile(
	struct recording *recording, struct profile *profile, const char *path)
{
	struct config_policy policy = config_policy_default();
	struct recording_block *block;
	int type = profile_find_type(profile, PROFILE_TYPE_CPU);
	size_t value = type >= 0 ? (size_t)type : profile->default_type;
	double scale;

	recording_begin(recording, path, path, "run", &policy);
	profile_free(recording->profile);
	recording->profile = profile;
	block = arena_alloc(&recording->arena, sizeof(*block));
	scale = value_unit_scale(profile->types[value].unit);
	for (size_t i = 0; i < profile->sample_count; i++)
		block->sampled_seconds += (double)profile->samples[i].values[value] * scale;
	block->cpu_seconds = block->sampled_seconds;
	block->iterations = 1;
	block->samples = profile->sample_count;
	recording->blocks = block;
	recording->block_count = 1;
}

/* *replicated: a recording of our own, which can be decided on if the other side is one too. */
static int load(const char *path, struct recording *recording, bool *replicated, struct error *err)
{
	struct profile *profile = NULL;
	struct stat info;
	int rc;

	*replicated = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
	if (*replicated)
		return recording_read(path, recording, err);
	rc = pprof_read_file(path, &pprof_default_limits, &profile, err);
	if (rc == ERR_NOT_FOUND)
		return err->code = ERR_USAGE;
	if (rc)
		return rc;
	if (!profile->type_count) {
		profile_free(profile);
		return error_set(err, ERR_CORRUPT, "%s: a profile without value types", path);
	}
	recording_of_profile(recording, profile, path);
	return ERR_OK;
}

/* Two sides of one benchmark, block by block. */
static bool can_decide(const struct session_benchmark *benchmark)
{
	const struct recording *base = &benchmark->recordings[ARM_BASE];
	const struct recording *head = &benchmark->recordings[ARM_HEAD];

	return strcmp(base->benchmark, head->benchmark) == 0 && strcmp(base->arm, "run") != 0 &&
	       recordings_are_pairs(base, head);
}

static void name_sides(struct session *session, const struct session_benchmark *benchmark,
	const char *base, const char *head)
{
	session->base.name = arena_strdup(&session->arena, base);
	session->head.name = arena_strdup(&session->arena, head);
	session->base.id = arena_strdup(&session->arena, benchmark->recordings[ARM_BASE].commit);
	session->head.id = arena_strdup(&session->arena, benchmark->recordings[ARM_HEAD].commit);
}

/* Base is read first; with head missing nothing is left behind. */
static int load_both(struct session *session, const char *base, const char *head,
	struct session_benchmark *benchmark, struct error *err)
{
	bool replicated[ARM_COUNT];
	int rc = load(base, &benchmark->recordings[ARM_BASE], &replicated[ARM_BASE], err);

	if (rc)
		return rc;
	rc = load(head, &benchmark->recordings[ARM_HEAD], &replicated[ARM_HEAD], err);
	if (rc) {
		recording_release(&benchmark->recordings[ARM_BASE]);
		return rc;
	}
	benchmark->recorded = true;
	name_sides(session, benchmark, base, head);
	if (replicated[ARM_BASE] && replicated[ARM_HEAD] && can_decide(benchmark)) {
		benchmark->name =
			arena_strdup(&session->arena, benchmark->recordings[ARM_HEAD].benchmark);
		benchmark->command =
			arena_strdup(&session->arena, benchmark->recordings[ARM_HEAD].command);
		return ERR_OK;
	}
	benchmark->outcome = OUTCOME_PROFILE;
	benchmark->detail =
		"without pairs of runs of one benchmark nothing can be decided: this shows "
		"the difference, and chance is part of it";
	return ERR_OK;
}

int compare_run(const char *base, const char *head, struct result **out, struct error *err)
{
	struct session *session = session_new("compare");
	struct session_benchmark *benchmark = session_add_benchmark(session, head, "compare", "");
	int rc = load_both(session, base, head, benchmark, err);

	if (!rc)
		*out = decide_session(session);
	session_free(session);
	return rc;
}
