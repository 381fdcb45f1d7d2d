/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `flamegate init --try`: CMake's projects are configured at HEAD, in a checkout of its own, with
 * the options that their benchmarks seem to need, and CMake is asked which programs there are.
 */
#ifndef FG_CLI_INIT_CONFIGURE_H
#define FG_CLI_INIT_CONFIGURE_H

#include "gate/bench/cmake/codemodel.h"
#include "gate/bench/detect/detect.h"

struct error;
struct repo;

/* What it has shown of each project, for detect_scan(). Texts are the detection's. */
struct init_configured {
	struct detect_configured items[DETECT_MAX_PROJECTS];
	struct codemodel models[DETECT_MAX_PROJECTS];
	size_t count;
};

/*
 * A project that cannot be configured with everything is with less. Prints which could not.
 * out is to be released also after an error: ERR_INTERRUPTED, ERR_IO, ERR_USAGE (no commit).
 */
int init_configure(
	struct repo *repo, struct detection *found, struct init_configured *out, struct error *err);
void init_configured_release(struct init_configured *configured);

#endif
