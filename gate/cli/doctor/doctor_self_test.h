/* SPDX-License-Identifier: Apache-2.0 */
/* `flamegate doctor --self-test`: what it was asked, and what it shows. */
#ifndef FG_CLI_DOCTOR_SELF_TEST_H
#define FG_CLI_DOCTOR_SELF_TEST_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/base/strbuf.h"
#include "gate/check/self_test/self_test.h"

struct error;

struct doctor_self_test_settings {
	const char *directory, *benchmark, *slowdown, *output, *mechanism;
	uint64_t seed;
	bool json;
};

/* Runs it and prints. Returns the exit status, or sets err and returns -1. */
int doctor_self_test(const struct doctor_self_test_settings *settings, struct error *err);

/* "2%" or "2": a fraction of 1. ERR_USAGE outside of 0.1 to 100 %. */
int doctor_self_test_slowdown(const char *text, double *slowdown, struct error *err);
void doctor_self_test_text(const struct self_test *test, struct strbuf *out);
void doctor_self_test_json(const struct self_test *test, struct strbuf *out);

#endif
