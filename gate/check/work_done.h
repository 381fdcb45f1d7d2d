/* SPDX-License-Identifier: Apache-2.0 */
/* What was done so that every run of a benchmark does the same work; measurements keep it for the report. */
#ifndef FG_CHECK_WORK_DONE_H
#define FG_CHECK_WORK_DONE_H

#include <stdint.h>

enum result_work_kind {
	RESULT_WORK_AS_IT_IS,
	RESULT_WORK_REPLAYED, /* every run is told what base's clock said in one */
	RESULT_WORK_STEPPED,  /* its clock goes on by so much at each call */
};

struct result_work {
	enum result_work_kind kind; /* the rest is 0 where it is as it is */
	uint64_t calls;             /* of the clock, in the recorded run of base */
	uint32_t processes;         /* that made them */
	uint32_t speed;             /* of the recorded clock: times as fast as the real one */
	double step_seconds;        /* stepped */
	double run_seconds;         /* CPU time of the recorded run */
	double real_seconds;        /* CPU time of base's run by the real clock */
	/* What of run_seconds its start takes, which no clock shortens; 0: not known, since the
	 * clock is not faster. */
	double start_seconds;
};

#endif
