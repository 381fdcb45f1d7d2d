/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/signal/opened.h"

#include "gate/sampler/sampler.h"
#include "gate/sampler/signal/handlers.h"
#include "gate/sampler/signal/held.h"
#include "gate/sampler/signal/quiet.h"

void fg_open(struct fg_opened *opened, const sigset_t *mask)
{
	opened->opens = mask && fg_signal && fg_mask_believed && !fg_is_quiet() &&
			sigismember(mask, fg_signal) == 0;
	if (!opened->opens)
		return;
	opened->was_blocked = fg_signal_block(true);
	fg_held_wait_begin();
	fg_mask_believed = false;
	fg_held_release();
}

void fg_close(const struct fg_opened *opened)
{
	if (!opened->opens)
		return;
	fg_mask_believed = true;
	fg_held_wait_end();
	if (!opened->was_blocked)
		fg_signal_block(false);
}
