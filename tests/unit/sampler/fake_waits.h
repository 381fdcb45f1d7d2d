/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C library behind the interposed waits, played by a script: each call takes the next step,
 * which says how it ends and what the sample handler would have noted meanwhile.
 */
#ifndef TESTS_UNIT_SAMPLER_FAKE_WAITS_H
#define TESTS_UNIT_SAMPLER_FAKE_WAITS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "gate/sampler/sampler.h"
#include "gate/sampler/signal/handlers.h"
#include "gate/sampler/waits/real_waits.h"

struct step {
	long result;
	int error;
	bool ours, program; /* our signal came right behind it; a handler of the program's ran */
};

#define MAX_STEPS 8

static struct fg_thread fake_thread;
static struct {
	struct step steps[MAX_STEPS];
	size_t count, calls;
} script;

/* The steps end with one that is not there: a call too many fails with ENOTRECOVERABLE. */
#define SCRIPT(...) start_script((struct step[MAX_STEPS]){__VA_ARGS__})
#define OURS                                                                                       \
	{                                                                                          \
		.result = -1, .error = EINTR, .ours = true                                         \
	}
#define PROGRAMS                                                                                   \
	{                                                                                          \
		.result = -1, .error = EINTR, .program = true                                      \
	}
#define BOTH                                                                                       \
	{                                                                                          \
		.result = -1, .error = EINTR, .ours = true, .program = true                        \
	}
#define GIVES(n)                                                                                   \
	{                                                                                          \
		.result = (n)                                                                      \
	}
#define CUT(n)                                                                                     \
	{                                                                                          \
		.result = (n), .ours = true                                                        \
	}
#define FAILS(e)                                                                                   \
	{                                                                                          \
		.result = -1, .error = (e)                                                         \
	}

static inline void start_script(const struct step *steps)
{
	memset(&script, 0, sizeof(script));
	memcpy(script.steps, steps, sizeof(script.steps));
	fg_real_waits();
	memset(&fake_thread, 0, sizeof(fake_thread));
	fg_self = &fake_thread;
	errno = 12345;
}

static inline long play(void)
{
	const struct step *step = &script.steps[script.calls++];

	if (script.calls > MAX_STEPS || (!step->result && !step->error && script.calls > 1 &&
						!step[-1].error && !step[-1].ours)) {
		errno = ENOTRECOVERABLE;
		return -1;
	}
	fake_thread.ended_calls += step->ours && step->result < 0;
	fake_thread.cut_calls += step->ours && step->result > 0;
	fg_handlers_entered += step->program;
	if (step->error)
		errno = step->error;
	return step->result;
}

#endif
