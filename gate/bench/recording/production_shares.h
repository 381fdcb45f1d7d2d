/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of production's CPU time each function takes, itself and with what it calls, and each
 * call: of the functions that were measured here, what a check read from its production profile, as
 * it travels with the recordings. A weight that reports show; it decides nothing.
 */
#ifndef FG_BENCH_PRODUCTION_H
#define FG_BENCH_PRODUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/net/json.h"

struct error;

#define PRODUCTION_MAX_SHARES 50000
#define PRODUCTION_MAX_CALLS 50000      /* of all; those that take least are left out */
#define PRODUCTION_MAX_BYTES (1u << 20) /* of names and files; what takes least is left out */
#define PRODUCTION_MAX_TEXT 4096u       /* of one; a longer one is nobody's */

/* Fractions of all CPU time, 0..1; a sample counts once, however deep a recursion is. */
struct production_call {
	uint32_t callee; /* its place among the shares */
	double share;    /* of samples in which the function calls it directly, with all below */
};

struct production_share {
	const char *name, *key, *file; /* for people, as the linker knows it, "" unknown */
	double share;                  /* own CPU time */
	double total; /* where it is on the stack; NAN: not known, by measurements of
			 before it was stored */
	const struct production_call *calls;
	size_t call_count;
};

struct production {
	bool known; /* a profile was read; a function that is not among the shares is not in it */
	const struct production_share *shares; /* one for each name, key and file */
	size_t count;
};

/* As a recording knows it. */
struct production_function {
	const char *name, *key, *file;
};

/*
 * The function's own share: the sum of what has its name or key. Where several files have one, only
 * what is in a file that ends like this one counts; NaN if none does. 0: it is not seen there.
 * production is known.
 */
double production_self(
	const struct production *production, const struct production_function *function);
/* The same of the time in which it is on the stack. */
double production_total(
	const struct production *production, const struct production_function *function);
/* The same of the time that the caller's direct calls of it take. */
double production_called(const struct production *production,
	const struct production_function *caller, const struct production_function *function);

/* As the member `key` of the object at hand; nothing where production is not known. */
void production_write_json(
	struct json_writer *json, const char *key, const struct production *production);
/*
 * From hostile text. An absent member leaves *out not known. The arena owns what is read.
 * ERR_CORRUPT with the place of what is wrong; *out is untouched then.
 */
int production_read_json(const struct json *object, const char *key, struct arena *arena,
	struct production *out, struct error *err);

#endif
