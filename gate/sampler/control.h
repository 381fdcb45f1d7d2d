/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control page: one small file that the runner maps shared and writes, and that every sampler
 * maps read-only. Each word is read and written by relaxed atomic operations; the sampler looks at
 * it once per sample, so a change reaches a running thread within one sampling period of its CPU
 * time.
 *
 * To stop a version: store park = 1. To let it go on: store park = 0, then FUTEX_WAKE (shared, not
 * FUTEX_PRIVATE_FLAG) all waiters on the word. A parked thread looks again every second by itself,
 * and stops waiting when runner_pid no longer exists.
 */
#ifndef FG_SAMPLER_CONTROL_H
#define FG_SAMPLER_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#define FG_CONTROL_MAGIC UINT64_C(0x314c52544347460a) /* "\nFGCTRL1" */
#define FG_CONTROL_VERSION 1
#define FG_CONTROL_BYTES 4096 /* the file's size; the rest after the struct is zero */

struct fg_control_page {
	uint64_t magic; /* stored last by the runner */
	uint32_t version;
	uint32_t runner_pid; /* 0: parked threads wait for ever */
	uint32_t epoch;      /* part of each sample's key; 0: the program's own (flamegate.h) */
	uint32_t reserved;
	uint32_t pause; /* not 0: samples are taken but not recorded */
	uint32_t park;  /* futex; not 0: threads stop in the sample handler */
};

_Static_assert(
	sizeof(struct fg_control_page) == 32, "the runner and the sampler agree on the page");
_Static_assert(offsetof(struct fg_control_page, park) % 4 == 0, "a futex is an aligned word");

#endif
