/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the pair: the runner's side of the control page (gate/sampler/control.h). */
#ifndef FG_BENCH_PAIR_CONTROL_H
#define FG_BENCH_PAIR_CONTROL_H

#include <stdbool.h>

#include "gate/sampler/control.h"

struct error;

/* A fresh file at path, which must not exist; nobody is parked. */
int control_create(const char *path, struct fg_control_page **out, struct error *err);
void control_release(struct fg_control_page *page);

/* Threads stop in their next sample, or go on. */
void control_park(struct fg_control_page *page, bool park);

#endif
