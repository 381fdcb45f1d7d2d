/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: does what was sampled account for the CPU time that was used? */
#ifndef FG_CHECK_COVERAGE_H
#define FG_CHECK_COVERAGE_H

#include "gate/base/strbuf.h"
#include "gate/bench/run/run.h"

struct error;

/* Of CPU time: no chance leaves a third of it uncovered. A machine that is taken away below the
 * kernel counts that as CPU time, without a signal: of a shorter run a third may be so. */
#define COVERAGE_SURE_SECONDS 1

/* ERR_MEASURE where more than chance is missing: what a command hides from the sampler shows. */
int coverage_check(const struct run *run, struct error *err);

/*
 * The same of a run that will not be tried again: a short one has to miss more for an error, and
 * one below a tenth of a second is never one. What is less than that, and still not well covered,
 * is a line without '\n' in `warning`.
 */
int coverage_check_once(const struct run *run, struct strbuf *warning, struct error *err);

#endif
