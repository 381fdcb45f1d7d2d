/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a few machine instructions look like: calls, signal restorers, the beginnings of Go's
 * functions. The caller has made sure that the bytes may be read. Context: handler.
 */
#ifndef FG_SAMPLER_CODE_ARCH_H
#define FG_SAMPLER_CODE_ARCH_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes that the functions below look at, before and from the address. */
enum { FG_CALL_BEFORE = 7, FG_CALL_BEHIND = 1, FG_RESTORER_BEFORE = 7, FG_RESTORER_BEHIND = 9 };

/* Is the instruction before this address a call? */
bool fg_code_follows_call(uint64_t address);

/* Where the call before this address goes to; 0 when only a register or memory says so. */
uint64_t fg_code_call_target(uint64_t address);

/* Does a signal's restorer (two instructions, the call of rt_sigreturn) begin here? */
bool fg_code_is_restorer(uint64_t address);

/* Is this one of its two instructions? */
bool fg_code_in_restorer(uint64_t address);

/*
 * Execution stands at this address, in code that Go has made; [low, high) is readable. How many
 * words on top of the stack may be the return address: one in a function without a frame, or that
 * has not set it up yet; none where the frame pointer leads to it, as what lies on top then is what
 * earlier calls have left there.
 */
int fg_code_go_return_words(uint64_t address, uint64_t low, uint64_t high);

#endif
