/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: what the culprits weigh in production (gate/bench/production.h). */
#ifndef FG_CHECK_PRODUCTION_H
#define FG_CHECK_PRODUCTION_H

#include "gate/base/error.h"
#include "gate/check/decision.h"
#include "gate/check/result.h"
#include "gate/check/session.h"

/*
 * What the session's recordings have functions of, into session->production. ERR_CORRUPT where the
 * profile has no CPU time; the session is untouched then.
 */
int production_take(struct session *session, const struct profile *profile, struct error *err);

/* What is known there of this function; NULL: nothing was read. */
const struct result_production *production_of(
	const struct decision *decision, uint32_t function, struct arena *arena);

#endif
