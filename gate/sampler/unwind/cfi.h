/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwind information of loaded objects: from an address to the row of rules that recovers its
 * caller's registers. Reads only inside the readable segments of the object. Context: handler.
 *
 * Format: LSB Core 5.0, chapter "Exception Frames"; DWARF 5 sections 6.4 and 2.5.
 */
#ifndef FG_SAMPLER_CFI_H
#define FG_SAMPLER_CFI_H

#include "gate/sampler/unwind/cfi_arch.h"
#include "gate/sampler/unwind/cfi_reader.h"

struct cfi_span {
	uint64_t low, high; /* addresses [low, high) */
	bool code;
};

/* A loaded object, as much of it as the walk needs. */
struct cfi_image {
	uint64_t hdr;   /* address of .eh_frame_hdr, 0 if there is none */
	uint64_t entry; /* address of the ELF entry, 0 if there is none */
	struct cfi_span spans[8];
	size_t span_count;
};

enum cfi_status {
	CFI_OK,
	CFI_NONE, /* nothing covers the address */
	CFI_BAD,  /* broken, or beyond what we interpret */
};

/* Where the caller's value of a register is. */
enum cfi_how {
	CFI_SAME,      /* untouched */
	CFI_UNDEFINED, /* lost; of the return address: this frame has no caller */
	CFI_AT_CFA,    /* saved at CFA + offset */
	CFI_IS_CFA,    /* equal to CFA + offset */
	CFI_IN_REG,    /* equal to register `reg` + offset */
	CFI_AT_EXPR,   /* saved where the expression says */
	CFI_IS_EXPR,   /* equal to what the expression says */
};

struct cfi_place {
	uint8_t how, reg;
	uint32_t size;       /* of the expression */
	int64_t offset;      /* bytes */
	const uint8_t *expr; /* inside the object's unwind information */
};

/* The rules in force at one address. The CFA is either CFI_IN_REG or CFI_IS_EXPR. */
struct cfi_row {
	struct cfi_place cfa;
	struct cfi_place reg[FG_TRACKED];
	uint64_t start; /* where the description's range begins */
	bool signal; /* the frame is a signal's restorer: its caller was interrupted, not calling */
};

/* False where no object is loaded (a JIT's code, or nothing at all). */
bool fg_cfi_image_at(uint64_t address, struct cfi_image *image);

/*
 * Has Go's linker made the object there (its note says so)? Go describes its code to debuggers
 * alone, but keeps frame pointers in all of it, from each stack to the next, and a zero at the
 * bottom (its own runtime/traceback.go relies on them).
 */
bool fg_cfi_made_by_go(uint64_t address);

/* The span that holds [address, address + size), or NULL. */
const struct cfi_span *fg_cfi_span(const struct cfi_image *image, uint64_t address, uint64_t size);

/* Finds the description that covers pc and runs it up to pc. */
enum cfi_status fg_cfi_row_at(const struct cfi_image *image, uint64_t pc, struct cfi_row *row);

/* ---- the parts of fg_cfi_row_at, for its files and tests ------------------------------------- */

struct cfi_fde {
	uint64_t start, size;          /* addresses covered */
	struct cfi_reader common, own; /* instructions of the CIE, then of the FDE */
	uint64_t code_align;
	int64_t data_align;
	uint8_t encoding; /* of pointers, for DW_CFA_set_loc */
	bool signal;
};

/* Parses the entry at `address`; CFI_NONE when it is a CIE or the end marker. */
enum cfi_status fg_cfi_parse_fde(
	const struct cfi_image *image, uint64_t address, struct cfi_fde *fde);

/* CFI_OK: fde covers pc. By the sorted table of .eh_frame_hdr, or entry by entry if it has none. */
enum cfi_status fg_cfi_find_fde(const struct cfi_image *image, uint64_t pc, struct cfi_fde *fde);

/* Runs the description's program up to pc. */
enum cfi_status fg_cfi_run(const struct cfi_fde *fde, uint64_t pc, struct cfi_row *row);

/* ---- expressions ----------------------------------------------------------------------------- */

enum { CFI_NO_REG = -1, CFI_REG_CFA = 64 };

/*
 * A value while an expression runs without registers: a constant (reg CFI_NO_REG), `reg + add`, or
 * `*(reg + pre) + add` when deref is set. With registers at hand all values are constants.
 */
struct cfi_value {
	uint64_t add, pre;
	int reg; /* DWARF's number, CFI_REG_CFA, or CFI_NO_REG */
	bool deref;
};

/* Where a running expression gets registers and memory from; both return false on failure. */
struct cfi_machine {
	bool (*reg)(void *context, uint64_t number, uint64_t *value);
	bool (*load)(void *context, uint64_t address, uint64_t *value);
	void *context;
};

/*
 * Evaluates the place's expression, with *first on the stack beforehand unless it is NULL. Without
 * a machine (NULL) the result may be symbolic, with `pc` as the value of the program counter; false
 * then means only that this needs a machine.
 */
bool fg_cfi_evaluate(const struct cfi_place *place, const struct cfi_machine *machine, uint64_t pc,
	const struct cfi_value *first, struct cfi_value *result);

#endif
