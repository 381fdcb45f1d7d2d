/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DWARF expressions, with registers at hand or symbolically. Almost every expression in real unwind
 * information comes down to `reg + n` or `*(reg + n) + m` once the program counter is a constant
 * (procedure linkage tables compute with it); those then fit the rule cache.
 */
#include "gate/sampler/unwind/cfi.h"

enum { MAX_VALUES = 32, MAX_STEPS = 512 };

enum {
	DW_OP_addr = 0x03,
	DW_OP_deref = 0x06,
	DW_OP_const1u = 0x08,
	DW_OP_const1s = 0x09,
	DW_OP_const2u = 0x0a,
	DW_OP_const2s = 0x0b,
	DW_OP_const4u = 0x0c,
	DW_OP_const4s = 0x0d,
	DW_OP_const8u = 0x0e,
	DW_OP_const8s = 0x0f,
	DW_OP_constu = 0x10,
	DW_OP_consts = 0x11,
	DW_OP_dup = 0x12,
	DW_OP_drop = 0x13,
	DW_OP_over = 0x14,
	DW_OP_pick = 0x15,
	DW_OP_swap = 0x16,
	DW_OP_rot = 0x17,
	DW_OP_abs = 0x19,
	DW_OP_and = 0x1a,
	DW_OP_div = 0x1b,
	DW_OP_minus = 0x1c,
	DW_OP_mod = 0x1d,
	DW_OP_mul = 0x1e,
	DW_OP_neg = 0x1f,
	DW_OP_not = 0x20,
	DW_OP_or = 0x21,
	DW_OP_plus = 0x22,
	DW_OP_plus_uconst = 0x23,
	DW_OP_shl = 0x24,
	DW_OP_shr = 0x25,
	DW_OP_shra = 0x26,
	DW_OP_xor = 0x27,
	DW_OP_bra = 0x28,
	DW_OP_eq = 0x29,
	DW_OP_ge = 0x2a,
	DW_OP_gt = 0x2b,
	DW_OP_le = 0x2c,
	DW_OP_lt = 0x2d,
	DW_OP_ne = 0x2e,
	DW_OP_skip = 0x2f,
	DW_OP_lit0 = 0x30,
	DW_OP_lit31 = 0x4f,
	DW_OP_breg0 = 0x70,
	DW_OP_breg31 = 0x8f,
	DW_OP_bregx = 0x92,
	DW_OP_deref_size = 0x94,
	DW_OP_nop = 0x96,
};

struct evaluation {
	struct cfi_reader in;
	const uint8_t *begin;
	const struct cfi_machine *machine;
	uint64_t pc;
	struct cfi_value stack[MAX_VALUES];
	unsigned depth;
	bool failed;
};

static struct cfi_value constant(uint64_t value)
{
	return (struct cfi_value){.add = value, .reg = CFI_NO_REG};
}

static void push_value(struct evaluation *e, struct cfi_value value)
{
	if (e->depth == MAX_VALUES)
		e->failed = true;
	else
		e->stack[e->depth++] = value;
}

static void push(struct evaluation *e, uint64_t value)
{
	push_value(e, constant(value));
}

static struct cfi_value pop_value(struct evaluation *e)
{
	if (e->depth == 0) {
		e->failed = true;
		return constant(0);
	}
	return e->stack[--e->depth];
}

/* Pops what must be a number by now. */
static uint64_t pop(struct evaluation *e)
{
	struct cfi_value value = pop_value(e);

	if (value.reg != CFI_NO_REG)
		e->failed = true;
	return value.add;
}

static void push_copy(struct evaluation *e, unsigned below_top)
{
	if (below_top >= e->depth)
		e->failed = true;
	else
		push_value(e, e->stack[e->depth - 1 - below_top]);
}

static void push_register(struct evaluation *e, uint64_t number, int64_t offset)
{
	uint64_t value = e->pc;

	if (number >= DWARF_REGISTERS)
		e->failed = true;
	else if (e->machine && !e->machine->reg(e->machine->context, number, &value))
		e->failed = true;
	else if (e->machine || number == DWARF_PC)
		push(e, value + (uint64_t)offset);
	else
		push_value(e, (struct cfi_value){.add = (uint64_t)offset, .reg = (int)number});
}

static void dereference(struct evaluation *e, unsigned size)
{
	struct cfi_value address = pop_value(e);
	uint64_t word = 0;

	if (size == 0 || size > 8) {
		e->failed = true;
	} else if (address.reg == CFI_NO_REG) {
		if (!e->machine || !e->machine->load(e->machine->context, address.add, &word))
			e->failed = true;
		push(e, size == 8 ? word : word & ((1ULL << 8 * size) - 1));
	} else if (address.deref || size != 8) {
		e->failed = true;
	} else {
		push_value(e,
			(struct cfi_value){.pre = address.add, .reg = address.reg, .deref = true});
	}
}

static void add_values(struct evaluation *e)
{
	struct cfi_value b = pop_value(e), a = pop_value(e);

	if (a.reg == CFI_NO_REG) {
		struct cfi_value swap = a;

		a = b;
		b = swap;
	}
	if (b.reg != CFI_NO_REG)
		e->failed = true;
	a.add += b.add;
	push_value(e, a);
}

static void rotate(struct evaluation *e)
{
	struct cfi_value first = pop_value(e), second = pop_value(e), third = pop_value(e);

	push_value(e, first);
	push_value(e, third);
	push_value(e, second);
}

static void swap_values(struct evaluation *e)
{
	struct cfi_value first = pop_value(e), second = pop_value(e);

	push_value(e, first);
	push_value(e, second);
}

static void jump(struct evaluation *e, bool taken)
{
	int16_t by = (int16_t)cfi_u16(&e->in);

	if (!taken)
		return;
	if (by < e->begin - e->in.at || by > e->in.end - e->in.at)
		e->failed = true;
	else
		e->in.at += by;
}

static uint64_t divide(struct evaluation *e, uint64_t a, uint64_t b)
{
	if (b == 0 || (b == ~0ULL && a == 1ULL << 63)) {
		e->failed = true;
		return 0;
	}
	return (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t modulo(struct evaluation *e, uint64_t a, uint64_t b)
{
	if (b == 0) {
		e->failed = true;
		return 0;
	}
	return a % b;
}

static uint64_t shift_signed(uint64_t a, uint64_t b)
{
	return (uint64_t)((int64_t)a >> (b < 64 ? b : 63));
}

static bool run_constant(struct evaluation *e, uint8_t op)
{
	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		push(e, (uint64_t)(op - DW_OP_lit0));
		return true;
	}
	switch (op) {
	case DW_OP_const1u:
		push(e, cfi_u8(&e->in));
		return true;
	case DW_OP_const1s:
		push(e, (uint64_t)(int8_t)cfi_u8(&e->in));
		return true;
	case DW_OP_const2u:
		push(e, cfi_u16(&e->in));
		return true;
	case DW_OP_const2s:
		push(e, (uint64_t)(int16_t)cfi_u16(&e->in));
		return true;
	case DW_OP_const4u:
		push(e, cfi_u32(&e->in));
		return true;
	case DW_OP_const4s:
		push(e, (uint64_t)(int32_t)cfi_u32(&e->in));
		return true;
	case DW_OP_addr:
	case DW_OP_const8u:
	case DW_OP_const8s:
		push(e, cfi_u64(&e->in));
		return true;
	case DW_OP_constu:
		push(e, fg_cfi_uleb(&e->in));
		return true;
	case DW_OP_consts:
		push(e, (uint64_t)fg_cfi_sleb(&e->in));
		return true;
	default:
		return false;
	}
}

static bool run_stack(struct evaluation *e, uint8_t op)
{
	switch (op) {
	case DW_OP_dup:
		push_copy(e, 0);
		return true;
	case DW_OP_over:
		push_copy(e, 1);
		return true;
	case DW_OP_pick:
		push_copy(e, cfi_u8(&e->in));
		return true;
	case DW_OP_drop:
		pop_value(e);
		return true;
	case DW_OP_swap:
		swap_values(e);
		return true;
	case DW_OP_rot:
		rotate(e);
		return true;
	case DW_OP_deref:
		dereference(e, 8);
		return true;
	case DW_OP_deref_size:
		dereference(e, cfi_u8(&e->in));
		return true;
	case DW_OP_plus:
		add_values(e);
		return true;
	case DW_OP_plus_uconst:
		push(e, fg_cfi_uleb(&e->in));
		add_values(e);
		return true;
	default:
		return false;
	}
}

static bool run_unary(struct evaluation *e, uint8_t op)
{
	uint64_t a;

	switch (op) {
	case DW_OP_abs:
		a = pop(e);
		push(e, (int64_t)a < 0 ? 0 - a : a);
		return true;
	case DW_OP_neg:
		push(e, 0 - pop(e));
		return true;
	case DW_OP_not:
		push(e, ~pop(e));
		return true;
	case DW_OP_bra:
		jump(e, pop(e) != 0);
		return true;
	case DW_OP_skip:
		jump(e, true);
		return true;
	case DW_OP_nop:
		return true;
	default:
		return false;
	}
}

static uint64_t compare(struct evaluation *e, uint8_t op, int64_t a, int64_t b)
{
	switch (op) {
	case DW_OP_eq:
		return a == b;
	case DW_OP_ge:
		return a >= b;
	case DW_OP_gt:
		return a > b;
	case DW_OP_le:
		return a <= b;
	case DW_OP_lt:
		return a < b;
	case DW_OP_ne:
		return a != b;
	default:
		e->failed = true;
		return 0;
	}
}

static uint64_t binary(struct evaluation *e, uint8_t op, uint64_t a, uint64_t b)
{
	switch (op) {
	case DW_OP_and:
		return a & b;
	case DW_OP_or:
		return a | b;
	case DW_OP_xor:
		return a ^ b;
	case DW_OP_minus:
		return a - b;
	case DW_OP_mul:
		return a * b;
	case DW_OP_div:
		return divide(e, a, b);
	case DW_OP_mod:
		return modulo(e, a, b);
	case DW_OP_shl:
		return b < 64 ? a << b : 0;
	case DW_OP_shr:
		return b < 64 ? a >> b : 0;
	case DW_OP_shra:
		return shift_signed(a, b);
	default:
		return compare(e, op, (int64_t)a, (int64_t)b);
	}
}

static void run_binary(struct evaluation *e, uint8_t op)
{
	uint64_t b = pop(e), a;

	if (op == DW_OP_minus) { /* the one that a symbolic left side survives */
		push(e, 0 - b);
		add_values(e);
		return;
	}
	a = pop(e);
	push(e, binary(e, op, a, b));
}

static void run_one(struct evaluation *e)
{
	uint8_t op = cfi_u8(&e->in);

	if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		push_register(e, (uint64_t)(op - DW_OP_breg0), fg_cfi_sleb(&e->in));
	} else if (op == DW_OP_bregx) {
		uint64_t number = fg_cfi_uleb(&e->in);

		push_register(e, number, fg_cfi_sleb(&e->in));
	} else if (!run_constant(e, op) && !run_stack(e, op) && !run_unary(e, op)) {
		run_binary(e, op);
	}
}

bool fg_cfi_evaluate(const struct cfi_place *place, const struct cfi_machine *machine, uint64_t pc,
	const struct cfi_value *first, struct cfi_value *result)
{
	struct evaluation e; /* not zeroed: only values below depth are read */

	if (!place->expr)
		return false;
	e.in = (struct cfi_reader){.at = place->expr, .end = place->expr + place->size};
	e.begin = place->expr;
	e.machine = machine;
	e.pc = pc;
	e.depth = 0;
	e.failed = false;
	if (first)
		push_value(&e, *first);
	for (int steps = 0; cfi_left(&e.in) && !e.failed && !e.in.bad; steps++) {
		if (steps == MAX_STEPS)
			return false;
		run_one(&e);
	}
	if (e.depth == 0 || e.failed || e.in.bad)
		return false;
	*result = e.stack[e.depth - 1];
	return true;
}
