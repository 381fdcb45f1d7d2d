/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the walk must know of an architecture: which registers it follows, how DWARF numbers them,
 * how a signal frame and the places that carry no unwind information look. Context: handler.
 * A second architecture is a second section here; the rest of the unwinder has no register names.
 */
#ifndef FG_SAMPLER_CFI_ARCH_H
#define FG_SAMPLER_CFI_ARCH_H

#include <stdint.h>

/* The registers followed from frame to frame. All others are known in an interrupted frame only. */
enum fg_tracked { FG_PC, FG_SP, FG_BP, FG_BX, FG_TRACKED };

#if defined(__x86_64__)

enum { DWARF_BX = 3, DWARF_BP = 6, DWARF_SP = 7, DWARF_PC = 16, DWARF_REGISTERS = 17 };

/* -1 for a register that is not followed. */
static inline int fg_tracked_of_dwarf(uint64_t number)
{
	switch (number) {
	case DWARF_BX:
		return FG_BX;
	case DWARF_BP:
		return FG_BP;
	case DWARF_SP:
		return FG_SP;
	case DWARF_PC:
		return FG_PC;
	default:
		return -1;
	}
}

/* Index into mcontext's gregs (System V ABI's numbers to the kernel's order), or -1. */
static inline int fg_greg_of_dwarf(uint64_t number)
{
	static const int8_t order[DWARF_REGISTERS] = {
		13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7, 16};

	return number < DWARF_REGISTERS ? order[number] : -1;
}

/*
 * The kernel's rt_sigframe, seen from the restorer (its return address is popped): ucontext lies at
 * sp, and the general registers at sp + 40 in gregs' order.
 */
enum {
	SIGNAL_GREGS = 40,
	SIGNAL_BP = SIGNAL_GREGS + 10 * 8,
	SIGNAL_BX = SIGNAL_GREGS + 11 * 8,
	SIGNAL_SP = SIGNAL_GREGS + 15 * 8,
	SIGNAL_PC = SIGNAL_GREGS + 16 * 8,
};

#define FG_WORD 8
#define FG_CODE_LIMIT 0x800000000000ULL /* user space ends here */

#else
#error "flamegate's unwinder knows x86-64 only; add a section to gate/sampler/cfi_arch.h"
#endif

#endif
