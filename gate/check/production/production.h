/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: what the culprits weigh in production
 * (gate/bench/recording/production.h). */
#ifndef FG_CHECK_PRODUCTION_H
#define FG_CHECK_PRODUCTION_H

#include "gate/base/error.h"
#include "gate/check/analysis/decision.h"
#include "gate/check/result.h"
#include "gate/check/session/session.h"

/*
 * What the session's recordings have functions of, into session->production. ERR_CORRUPT where the
 * profile has no CPU time; the session is untouched then.
 */
int production_take(struct session *session, const struct profile *profile, struct error *err);

/*
 * What is known there of a culprit that is filled but for this: of its own cost or, where it is
 * called more often, of these calls. NULL: nothing was read, or, by sessions of before calls were
 * stored, nothing of that.
 */
const struct result_production *production_of(
	const struct decision *decision, const struct result_culprit *culprit, struct arena *arena);

#endif
