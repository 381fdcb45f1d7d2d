/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: what a session knows that its recordings do not, carried into them and
 * back, so that two recordings alone give a check's result again (gate/check/compare.c).
 */
#ifndef FG_CHECK_SESSION_CONTEXT_H
#define FG_CHECK_SESSION_CONTEXT_H

#include "gate/check/session/session.h"

/* Of what was decided from pairs. The recordings borrow from the session. */
void session_carry(struct session *session);
/* Carries, and writes each recording.json of pairs again; their profiles are in folder already. */
int session_write_contexts(struct session *session, const char *folder, struct error *err);

/* The way back: the session and its benchmark become what they were for these two recordings. */
void session_recall(struct session *session, struct session_benchmark *benchmark,
	const struct recording *base, const struct recording *head);

/* Date and environment of a session that begins now. */
void session_stamp(struct session *session);

#endif
