/* SPDX-License-Identifier: Apache-2.0 */
/* The CFA program: instructions that build the table of rules, run up to one address. */
#include "gate/sampler/unwind/cfi.h"

/* Compilers nest once or twice; the handler's stack is what bounds this. */
enum { MAX_REMEMBERED = 8 };

enum {
	DW_CFA_advance_loc = 0x40, /* the three whose operand is in the low six bits */
	DW_CFA_offset = 0x80,
	DW_CFA_restore = 0xc0,
	DW_CFA_nop = 0x00,
	DW_CFA_set_loc = 0x01,
	DW_CFA_advance_loc1 = 0x02,
	DW_CFA_advance_loc2 = 0x03,
	DW_CFA_advance_loc4 = 0x04,
	DW_CFA_offset_extended = 0x05,
	DW_CFA_restore_extended = 0x06,
	DW_CFA_undefined = 0x07,
	DW_CFA_same_value = 0x08,
	DW_CFA_register = 0x09,
	DW_CFA_remember_state = 0x0a,
	DW_CFA_restore_state = 0x0b,
	DW_CFA_def_cfa = 0x0c,
	DW_CFA_def_cfa_register = 0x0d,
	DW_CFA_def_cfa_offset = 0x0e,
	DW_CFA_def_cfa_expression = 0x0f,
	DW_CFA_expression = 0x10,
	DW_CFA_offset_extended_sf = 0x11,
	DW_CFA_def_cfa_sf = 0x12,
	DW_CFA_def_cfa_offset_sf = 0x13,
	DW_CFA_val_offset = 0x14,
	DW_CFA_val_offset_sf = 0x15,
	DW_CFA_val_expression = 0x16,
	/* aarch64: this return address is signed or not from here on; fg_code_address() copes. */
	DW_CFA_AARCH64_negate_ra_state_with_pc = 0x2c,
	DW_CFA_AARCH64_negate_ra_state = 0x2d,
	DW_CFA_GNU_args_size = 0x2e,
	DW_CFA_GNU_negative_offset_extended = 0x2f,
};

struct state {
	struct cfi_place cfa;
	struct cfi_place reg[FG_TRACKED];
};

struct program {
	const struct cfi_fde *fde;
	struct cfi_reader in;
	uint64_t at, pc; /* the address rules are built for, and the one they are wanted for */
	struct state now, initial, remembered[MAX_REMEMBERED];
	unsigned depth;
	bool bad;
};

static void advance(struct program *p, uint64_t delta)
{
	p->at += delta * p->fde->code_align;
}

static int64_t scaled(const struct program *p, uint64_t factor)
{
	return (int64_t)(factor * (uint64_t)p->fde->data_align);
}

/* Rules of registers that we do not follow are read and dropped. */
static void set_place(struct program *p, uint64_t reg, struct cfi_place place)
{
	int tracked = fg_tracked_of_dwarf(reg);

	if (tracked >= 0)
		p->now.reg[tracked] = place;
}

static void set_offset(struct program *p, uint64_t reg, enum cfi_how how, int64_t offset)
{
	set_place(p, reg, (struct cfi_place){.how = (uint8_t)how, .offset = offset});
}

static void restore(struct program *p, uint64_t reg)
{
	int tracked = fg_tracked_of_dwarf(reg);

	if (tracked >= 0)
		p->now.reg[tracked] = p->initial.reg[tracked];
}

static struct cfi_place read_expression(struct program *p, enum cfi_how how)
{
	uint64_t size = fg_cfi_uleb(&p->in);
	const uint8_t *expr = cfi_take(&p->in, size);

	return (struct cfi_place){
		.how = (uint8_t)how, .expr = expr, .size = (uint32_t)(expr ? size : 0)};
}

static void set_cfa(struct program *p, uint64_t reg, int64_t offset)
{
	if (reg >= DWARF_REGISTERS)
		p->bad = true;
	p->now.cfa = (struct cfi_place){.how = CFI_IN_REG, .reg = (uint8_t)reg, .offset = offset};
}

/* Changes one half of a CFA that must be register and offset already. */
static void change_cfa(struct program *p, uint64_t reg, int64_t offset)
{
	if (p->now.cfa.how != CFI_IN_REG)
		p->bad = true;
	set_cfa(p, reg, offset);
}

static void remember(struct program *p)
{
	if (p->depth == MAX_REMEMBERED)
		p->bad = true;
	else
		p->remembered[p->depth++] = p->now;
}

static void restore_state(struct program *p)
{
	if (p->depth == 0)
		p->bad = true;
	else
		p->now = p->remembered[--p->depth];
}

static void copy_register(struct program *p, uint64_t reg)
{
	uint64_t from = fg_cfi_uleb(&p->in);

	set_place(p, reg,
		from < DWARF_REGISTERS ? (struct cfi_place){.how = CFI_IN_REG, .reg = (uint8_t)from}
				       : (struct cfi_place){.how = CFI_UNDEFINED});
}

/* Instructions that move on to the next address; false if op is another one. */
static bool run_location(struct program *p, uint8_t op)
{
	switch (op) {
	case DW_CFA_set_loc:
		p->at = fg_cfi_pointer(&p->in, p->fde->encoding, 0);
		return true;
	case DW_CFA_advance_loc1:
		advance(p, cfi_u8(&p->in));
		return true;
	case DW_CFA_advance_loc2:
		advance(p, cfi_u16(&p->in));
		return true;
	case DW_CFA_advance_loc4:
		advance(p, cfi_u32(&p->in));
		return true;
	default:
		return false;
	}
}

static bool run_cfa(struct program *p, uint8_t op)
{
	const struct cfi_place *cfa = &p->now.cfa;
	uint64_t reg = cfa->reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = fg_cfi_uleb(&p->in);
		set_cfa(p, reg, (int64_t)fg_cfi_uleb(&p->in));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = fg_cfi_uleb(&p->in);
		set_cfa(p, reg, scaled(p, (uint64_t)fg_cfi_sleb(&p->in)));
		return true;
	case DW_CFA_def_cfa_register:
		change_cfa(p, fg_cfi_uleb(&p->in), cfa->offset);
		return true;
	case DW_CFA_def_cfa_offset:
		change_cfa(p, reg, (int64_t)fg_cfi_uleb(&p->in));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		change_cfa(p, reg, scaled(p, (uint64_t)fg_cfi_sleb(&p->in)));
		return true;
	case DW_CFA_def_cfa_expression:
		p->now.cfa = read_expression(p, CFI_IS_EXPR);
		return true;
	default:
		return false;
	}
}

/* Instructions whose first operand is a register's number. */
static bool run_register(struct program *p, uint8_t op, uint64_t reg)
{
	switch (op) {
	case DW_CFA_offset_extended:
		set_offset(p, reg, CFI_AT_CFA, scaled(p, fg_cfi_uleb(&p->in)));
		return true;
	case DW_CFA_offset_extended_sf:
		set_offset(p, reg, CFI_AT_CFA, scaled(p, (uint64_t)fg_cfi_sleb(&p->in)));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		set_offset(p, reg, CFI_AT_CFA, scaled(p, 0 - fg_cfi_uleb(&p->in)));
		return true;
	case DW_CFA_val_offset:
		set_offset(p, reg, CFI_IS_CFA, scaled(p, fg_cfi_uleb(&p->in)));
		return true;
	case DW_CFA_val_offset_sf:
		set_offset(p, reg, CFI_IS_CFA, scaled(p, (uint64_t)fg_cfi_sleb(&p->in)));
		return true;
	case DW_CFA_expression:
		set_place(p, reg, read_expression(p, CFI_AT_EXPR));
		return true;
	case DW_CFA_val_expression:
		set_place(p, reg, read_expression(p, CFI_IS_EXPR));
		return true;
	case DW_CFA_register:
		copy_register(p, reg);
		return true;
	case DW_CFA_restore_extended:
		restore(p, reg);
		return true;
	case DW_CFA_undefined:
		set_offset(p, reg, CFI_UNDEFINED, 0);
		return true;
	case DW_CFA_same_value:
		set_offset(p, reg, CFI_SAME, 0);
		return true;
	default:
		return false;
	}
}

static void run_other(struct program *p, uint8_t op)
{
	switch (op) {
	case DW_CFA_nop:
		break;
	case DW_CFA_AARCH64_negate_ra_state_with_pc:
	case DW_CFA_AARCH64_negate_ra_state:
		p->bad = p->bad || !FG_LINK_REGISTER;
		break;
	case DW_CFA_remember_state:
		remember(p);
		break;
	case DW_CFA_restore_state:
		restore_state(p);
		break;
	case DW_CFA_GNU_args_size:
		fg_cfi_uleb(&p->in);
		break;
	default:
		if (!run_register(p, op, fg_cfi_uleb(&p->in)))
			p->bad = true;
	}
}

static void run_one(struct program *p)
{
	uint8_t op = cfi_u8(&p->in);
	uint8_t operand = op & 0x3f;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		advance(p, operand);
		return;
	case DW_CFA_offset:
		set_offset(p, operand, CFI_AT_CFA, scaled(p, fg_cfi_uleb(&p->in)));
		return;
	case DW_CFA_restore:
		restore(p, operand);
		return;
	default:
		if (!run_location(p, op) && !run_cfa(p, op))
			run_other(p, op);
	}
}

/*
 * Each instruction takes at least a byte, so the program's length bounds the run. Rules set after
 * the location has passed pc must not count, so the loop stops at the advance itself.
 */
static bool run(struct program *p, struct cfi_reader in)
{
	p->in = in;
	while (cfi_left(&p->in) && p->at <= p->pc && !p->bad && !p->in.bad)
		run_one(p);
	return !p->bad && !p->in.bad;
}

enum cfi_status fg_cfi_run(const struct cfi_fde *fde, uint64_t pc, struct cfi_row *row)
{
	struct program p; /* not zeroed: the remembered states are written before they are read */

	p.fde = fde;
	p.at = fde->start;
	p.pc = pc;
	p.depth = 0;
	p.bad = false;
	p.now = (struct state){.cfa = {.how = CFI_UNDEFINED}};
	p.initial = p.now;
	if (!run(&p, fde->common))
		return CFI_BAD;
	p.initial = p.now;
	p.at = fde->start;
	if (!run(&p, fde->own) || p.now.cfa.how == CFI_UNDEFINED)
		return CFI_BAD;
	row->cfa = p.now.cfa;
	for (int i = 0; i < FG_TRACKED; i++)
		row->reg[i] = p.now.reg[i];
	row->start = fde->start;
	row->signal = fde->signal;
	return CFI_OK;
}

enum cfi_status fg_cfi_row_at(const struct cfi_image *image, uint64_t pc, struct cfi_row *row)
{
	struct cfi_fde fde;
	enum cfi_status status = fg_cfi_find_fde(image, pc, &fde);

	return status == CFI_OK ? fg_cfi_run(&fde, pc, row) : status;
}
