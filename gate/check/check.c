/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/check.h"

#include <stdlib.h>

#include "gate/base/error.h"
#include "gate/check/decide/decide.h"
#include "gate/check/measure/measure.h"
#include "gate/check/measurements/measurements.h"
#include "gate/check/result.h"
#include "gate/check/source/sources.h"

int check_run(const struct check_options *options, struct result **out, struct error *err)
{
	struct measurements *measurements = NULL;
	int rc = options->replay ? measurements_read(options->replay, &measurements, err)
				 : measure_check(options, &measurements, err);

	if (rc)
		return rc;
	measurements->strict = options->strict;
	measurements->sources = sources_open(options->directory, measurements);
	*out = decide_measurements(measurements);
	sources_free(measurements->sources);
	measurements_free(measurements);
	return ERR_OK;
}

void result_free(struct result *result)
{
	if (!result)
		return;
	arena_release(&result->arena);
	free(result);
}
