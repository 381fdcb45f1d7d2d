/* SPDX-License-Identifier: Apache-2.0 */
/* The labels of samples, from the regions and labels that the program has marked. */
#ifndef FG_PROFILE_SYMBOLIZE_LABELS_H
#define FG_PROFILE_SYMBOLIZE_LABELS_H

#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/base/map.h"
#include "gate/profile/capture/capture_read.h"
#include "gate/profile/profile.h"
#include "gate/sampler/capture/capture.h"

#define SYMBOL_MAX_LABELS FG_MAX_CONTEXT_DEPTH

struct label_set {
	const struct profile_label *labels; /* by key; "region" first */
	uint32_t count;
};

/* Equal sets of several processes are one. Set 0 is empty. */
struct label_sets {
	struct arena arena;
	struct map index;
	struct label_set *sets;
	size_t count, capacity;
};

void label_sets_init(struct label_sets *sets);
void label_sets_release(struct label_sets *sets);
/* The set of a process's context (0: none). */
uint32_t label_sets_add(
	struct label_sets *sets, const struct capture_process *process, uint32_t context);
const struct label_set *label_sets_get(const struct label_sets *sets, uint32_t set);

#endif
