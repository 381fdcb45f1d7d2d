/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/check.h"

#include "gate/check/decide/decide.h"
#include "gate/check/measure/measure.h"
#include "gate/check/session/session.h"
#include "gate/check/source/sources.h"

#include <stdlib.h>

int check_run(const struct check_options *options, struct result **out, struct error *err)
{
	struct session *session = NULL;
	int rc = options->replay ? session_read(options->replay, &session, err)
				 : measure_session(options, &session, err);

	if (rc)
		return rc;
	session->no_exonerate = options->no_exonerate;
	session->sources = sources_open(options->directory, session);
	*out = decide_session(session);
	sources_free(session->sources);
	session_free(session);
	return ERR_OK;
}

void result_free(struct result *result)
{
	if (!result)
		return;
	arena_release(&result->arena);
	free(result);
}
