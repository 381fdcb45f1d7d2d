/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `flamegate doctor` found out. Gathered first (doctor_measure.c, doctor_project.c), shown
 * afterwards: for people (doctor_text.c) and as JSON (doctor_json.c).
 */
#ifndef FG_CLI_DOCTOR_H
#define FG_CLI_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/base/arena.h"
#include "gate/base/strbuf.h"
#include "gate/bench/config/config.h"
#include "gate/bench/machine/calibration.h"
#include "gate/bench/machine/fingerprint.h"
#include "gate/bench/machine/machine.h"
#include "gate/bench/machine/sampling_cost.h"
#include "gate/bench/machine/switching_cost.h"
#include "gate/bench/run/probe.h"
#include "gate/verdict/estimate/noise.h"

struct error;

#define DOCTOR_MAX_PROBLEMS 64

/* Can a benchmark's program be preloaded, as far as that is known without building? */
struct doctor_benchmark {
	const char *name, *program; /* "" not there yet, or only the shell can tell */
	const char *problem;        /* "" none */
};

struct doctor_store {
	const char *name;
	bool asked, has_head;
	const char *problem; /* why it cannot be reached; "" none */
};

/* A variable with credentials. Its value is never looked at further than "is there one". */
struct doctor_variable {
	const char *name;
	bool set;
};
#define DOCTOR_VARIABLES 4

struct doctor_project {
	bool there;         /* a .flamegate.yml in this repository */
	const char *config; /* its path */
	bool readable;      /* it could be read: the rest is filled */
	struct doctor_benchmark *benchmarks;
	size_t benchmark_count;
	struct doctor_store *stores;
	size_t store_count;
	struct doctor_variable variables[DOCTOR_VARIABLES];
};

/* Strings belong to the arena; what was not measured is not there. */
struct doctor_report {
	struct arena arena;
	struct fingerprint fingerprint;
	const char *environment; /* the fingerprint's id */
	struct machine_facts facts;
	const char *library; /* "" not found */
	bool has_sampling, has_clock_cost, has_cost, has_noise, has_calibration;
	struct sampling_cost clock_cost;
	double switching_ns;      /* perf's part of a context switch; 0: unknown, or nothing */
	const char *instructions; /* what counts them here; "" nothing does */
	struct probe_sampling perf, posix;
	struct noise_cost cost;
	struct noise noise;
	size_t noise_runs;
	struct config_policy policy; /* the project's, else the default */
	double detectable[2];        /* by stage 1 alone, by both stages */
	struct calibration calibration;
	struct doctor_project project;
	struct machine_advice advice[MACHINE_ADVICE_MAX];
	size_t advice_count;
	const char *problems[DOCTOR_MAX_PROBLEMS]; /* what keeps flamegate from measuring */
	size_t problem_count;
	int problem_code; /* of the gravest; 0: none */
};

struct doctor_options {
	const char *directory; /* NULL: here */
	bool quick, offline;
	void (*progress)(void *data, const char *line);
};

/* Adds a problem from err (dropped if there are too many), and clears err. */
void doctor_problem(struct doctor_report *report, struct error *err);

/* Fills project and policy: what there is in the repository, without building anything. */
void doctor_look_at_project(const struct doctor_options *options, struct doctor_report *report);
/*
 * Fills everything about the machine; policy must be there. What goes wrong is a problem in the
 * report; an error is returned only when it was interrupted.
 */
int doctor_measure(
	const struct doctor_options *options, struct doctor_report *report, struct error *err);

/*
 * One aligned line: what it is about, and what there is to say. That may come from files of others:
 * it is defused, line breaks go.
 */
void doctor_say(struct strbuf *out, const char *what, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

void doctor_text(const struct doctor_report *report, struct strbuf *out);
void doctor_json(const struct doctor_report *report, struct strbuf *out);

#endif
