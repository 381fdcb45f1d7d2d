/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a few machine instructions look like: calls and signal restorers. The caller has made sure
 * that the bytes may be read. Context: handler.
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

#endif
