/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the walk must know of an architecture: which registers it follows, how DWARF numbers them,
 * how a signal frame looks. What its instructions look like is in code_arch.h; the rest of the
 * unwinder has no register names. Context: handler.
 */
#ifndef FG_SAMPLER_CFI_ARCH_H
#define FG_SAMPLER_CFI_ARCH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The registers followed from frame to frame. All others are known in an interrupted frame only.
 * FG_PC stands for the return address's column. FG_SPARE is a second base register (x86-64: rbx),
 * or the link register (aarch64), which holds the return address of an interrupted frame that has
 * not saved it and says nothing in frames further up.
 */
enum fg_tracked { FG_PC, FG_SP, FG_FP, FG_SPARE, FG_TRACKED };

#define FG_WORD 8

#if defined(__x86_64__)

enum {
	DWARF_SPARE = 3,
	DWARF_FP = 6,
	DWARF_SP = 7,
	DWARF_PC = 16,
	DWARF_RETURN = 16,
	DWARF_REGISTERS = 17
};

/* Calls push the return address: it lies right below the CFA. */
#define FG_LINK_REGISTER false

/* -1 for a register that is not followed. */
static inline int fg_tracked_of_dwarf(uint64_t number)
{
	switch (number) {
	case DWARF_SPARE:
		return FG_SPARE;
	case DWARF_FP:
		return FG_FP;
	case DWARF_SP:
		return FG_SP;
	case DWARF_RETURN:
		return FG_PC;
	default:
		return -1;
	}
}

/* Index into the interrupted registers (context.h; System V ABI's numbers to the kernel's order),
 * or -1. */
static inline int fg_greg_of_dwarf(uint64_t number)
{
	static const int8_t order[DWARF_REGISTERS] = {
		13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7, 16};

	return number < DWARF_REGISTERS ? order[number] : -1;
}

static inline uint64_t fg_code_address(uint64_t word)
{
	return word;
}

/*
 * The kernel's rt_sigframe, seen from the restorer (its return address is popped): ucontext lies at
 * sp, and the general registers at sp + 40 in gregs' order.
 */
enum {
	SIGNAL_GREGS = 40,
	SIGNAL_FP = SIGNAL_GREGS + 10 * 8,
	SIGNAL_SPARE = SIGNAL_GREGS + 11 * 8,
	SIGNAL_SP = SIGNAL_GREGS + 15 * 8,
	SIGNAL_PC = SIGNAL_GREGS + 16 * 8,
};

#define FG_CODE_LIMIT (UINT64_C(1) << 47) /* user space ends here */

#elif defined(__aarch64__)

enum {
	DWARF_FP = 29,
	DWARF_SPARE = 30,
	DWARF_RETURN = 30,
	DWARF_SP = 31,
	DWARF_PC = 32,
	DWARF_REGISTERS = 33
};

/* Calls leave the return address in x30, which is saved anywhere or, in a leaf, nowhere. */
#define FG_LINK_REGISTER true

static inline int fg_tracked_of_dwarf(uint64_t number)
{
	switch (number) {
	case DWARF_FP:
		return FG_FP;
	case DWARF_SP:
		return FG_SP;
	case DWARF_RETURN:
		return FG_PC;
	default:
		return -1;
	}
}

static inline int fg_greg_of_dwarf(uint64_t number)
{
	return number < DWARF_REGISTERS ? (int)number : -1;
}

/*
 * Without the authentication code that signed return addresses carry above the address (what
 * DW_CFA_AARCH64_negate_ra_state announces; unsigned ones are zero there).
 */
static inline uint64_t fg_code_address(uint64_t word)
{
	return word & ((UINT64_C(1) << 48) - 1);
}

/* The kernel's rt_sigframe: siginfo at sp, ucontext behind it, in it x0..x30, sp and pc. */
enum {
	SIGNAL_GREGS = 128 + 176 + 8,
	SIGNAL_FP = SIGNAL_GREGS + 29 * 8,
	SIGNAL_SPARE = SIGNAL_GREGS + 30 * 8,
	SIGNAL_SP = SIGNAL_GREGS + 31 * 8,
	SIGNAL_PC = SIGNAL_GREGS + 32 * 8,
};

#define FG_CODE_LIMIT (UINT64_C(1) << 48)

#else
#error "flamegate's unwinder knows x86-64 and aarch64; add a section to gate/sampler/unwind/cfi_arch.h"
#endif

#endif
