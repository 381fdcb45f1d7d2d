/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: the words of check.json that writer and reader share. */
#ifndef FG_CHECK_SESSION_JSON_H
#define FG_CHECK_SESSION_JSON_H

#include "gate/check/session/session.h"

#define SESSION_OUTCOME_COUNT (OUTCOME_SCREENED + 1)

/* By enum result_outcome. */
extern const char *const session_outcome_names[SESSION_OUTCOME_COUNT];

#endif
