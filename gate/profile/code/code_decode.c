/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/code/code_decode.h"

#include <capstone/capstone.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/arena.h"

#define PAGE_UNKNOWN UINT64_MAX
#define ARM_REGISTERS 31

/* A register that holds a page's address, until something else is written to it. */
struct page_register {
	uint64_t page;
	bool used;
};

struct code_decoder {
	enum code_machine machine;
	uint64_t absolute_low, absolute_high;
	csh handle;
	cs_insn *instruction; /* scratch */
	struct page_register pages[ARM_REGISTERS];
};

struct code_decoder *code_decoder_new(
	enum code_machine machine, uint64_t absolute_low, uint64_t absolute_high)
{
	struct code_decoder *decoder = xcalloc(1, sizeof(*decoder));
	bool arm = machine == CODE_AARCH64;

	decoder->machine = machine;
	decoder->absolute_low = absolute_low;
	decoder->absolute_high = absolute_high;
	if (cs_open(arm ? CS_ARCH_ARM64 : CS_ARCH_X86, arm ? CS_MODE_ARM : CS_MODE_64,
		    &decoder->handle) != CS_ERR_OK) {
		free(decoder);
		return NULL;
	}
	cs_option(decoder->handle, CS_OPT_DETAIL, CS_OPT_ON);
	decoder->instruction = cs_malloc(decoder->handle);
	return decoder;
}

void code_decoder_free(struct code_decoder *decoder)
{
	if (decoder == NULL)
		return;
	cs_free(decoder->instruction, 1);
	cs_close(&decoder->handle);
	free(decoder);
}

static bool add_reference(struct code_instruction *out, enum code_reference_kind kind,
	uint64_t target, uint32_t bytes)
{
	if (out->reference_count == sizeof(out->references) / sizeof(*out->references))
		return false;
	out->references[out->reference_count++] = (struct code_reference){kind, target, bytes};
	return true;
}

/* ---- x86-64 ---------------------------------------------------------------------------------- */

static bool is_absolute(const struct code_decoder *decoder, int64_t value)
{
	return value > 0 && (uint64_t)value >= decoder->absolute_low &&
	       (uint64_t)value < decoder->absolute_high;
}

static bool holds(const struct code_instruction *out, unsigned offset, int32_t value)
{
	return memcmp(out->bytes + offset, &value, sizeof(value)) == 0;
}

/*
 * Takes a field of four bytes out. Where capstone says it is elsewhere than it is (4.0 does behind
 * some prefixes), the value itself tells, if it is there once. False if it is not.
 */
static bool mask_field(struct code_instruction *out, unsigned offset, int64_t value)
{
	unsigned found = 0;

	if (offset == 0 || offset + 4 > out->size || !holds(out, offset, (int32_t)value)) {
		offset = 0;
		for (unsigned at = 1; at + 4 <= out->size; at++)
			if (holds(out, at, (int32_t)value)) {
				offset = at;
				found++;
			}
		if (found != 1)
			return false;
	}
	memset(out->bytes + offset, 0, 4);
	return true;
}

/* How much an operand in memory is; 0: its address is taken. Of these capstone 4.0 says the
 * register's size. */
static uint32_t operand_bytes(const cs_insn *in, const cs_x86_op *operand)
{
	switch (in->id) {
	case X86_INS_LEA:
		return 0;
	case X86_INS_COMISD:
	case X86_INS_UCOMISD:
	case X86_INS_VCOMISD:
	case X86_INS_VUCOMISD:
		return 8;
	case X86_INS_COMISS:
	case X86_INS_UCOMISS:
	case X86_INS_VCOMISS:
	case X86_INS_VUCOMISS:
		return 4;
	default:
		return operand->size;
	}
}

static bool take_memory(const struct code_decoder *decoder, const cs_insn *in,
	const cs_x86_op *operand, struct code_instruction *out)
{
	const cs_x86_encoding *encoding = &in->detail->x86.encoding;
	const x86_op_mem *mem = &operand->mem;
	bool plain = mem->base == X86_REG_INVALID && mem->index == X86_REG_INVALID;
	uint32_t bytes = operand_bytes(in, operand);
	uint32_t indexed = in->id == X86_INS_JMP ? CODE_JUMP_TABLE : CODE_INDEXED;

	if (mem->base == X86_REG_RIP)
		return mask_field(out, encoding->disp_offset, mem->disp) &&
		       add_reference(
			       out, CODE_DATA, in->address + in->size + (uint64_t)mem->disp, bytes);
	/* The thread's pointer itself: which variables are found from it only the linker knows. */
	if (mem->segment == X86_REG_FS && plain && mem->disp == 0)
		return false;
	if (mem->segment == X86_REG_FS && plain && mem->disp < 0)
		return mask_field(out, encoding->disp_offset, mem->disp) &&
		       add_reference(out, CODE_THREAD, (uint64_t)mem->disp, bytes);
	if (mem->segment == X86_REG_INVALID && encoding->disp_size == 4 &&
		is_absolute(decoder, mem->disp))
		return mask_field(out, encoding->disp_offset, mem->disp) &&
		       add_reference(out, CODE_DATA, (uint64_t)mem->disp, plain ? bytes : indexed);
	return true;
}

/* What may be an argument; no bound that is compared with, and no sum. */
static void take_number(const cs_insn *in, int64_t value, struct code_instruction *out)
{
	uint8_t at = in->detail->x86.encoding.imm_offset;

	if ((in->id != X86_INS_MOV && in->id != X86_INS_PUSH) || at + sizeof(uint32_t) > in->size)
		return;
	out->number = (uint32_t)value;
	out->number_at = at;
}

static bool take_immediate(const struct code_decoder *decoder, const cs_insn *in, int64_t value,
	struct code_instruction *out)
{
	const cs_x86_encoding *encoding = &in->detail->x86.encoding;

	if (encoding->imm_size != 4)
		return true;
	if (!is_absolute(decoder, value)) {
		take_number(in, value, out);
		return true;
	}
	return mask_field(out, encoding->imm_offset, value) &&
	       add_reference(out, CODE_DATA, (uint64_t)value, 0);
}

static bool is_branch(const struct code_decoder *decoder, const cs_insn *in)
{
	return cs_insn_group(decoder->handle, in, CS_GRP_JUMP) ||
	       cs_insn_group(decoder->handle, in, CS_GRP_CALL) ||
	       cs_insn_group(decoder->handle, in, CS_GRP_BRANCH_RELATIVE);
}

/* Near and far forms of one jump are one: what lies between has its size from the alignment. */
static bool take_branch(const cs_insn *in, uint64_t target, struct code_instruction *out)
{
	memset(out->bytes, 0, sizeof(out->bytes));
	out->id = in->id;
	return add_reference(out, CODE_BRANCH, target, 0);
}

static bool decode_x86(
	const struct code_decoder *decoder, const cs_insn *in, struct code_instruction *out)
{
	const cs_x86 *detail = &in->detail->x86;
	bool fine = true;

	out->is_nop = in->id == X86_INS_NOP;
	if (is_branch(decoder, in) && detail->op_count == 1) {
		out->is_indirect = in->id == X86_INS_JMP && detail->operands[0].type != X86_OP_IMM;
		if (detail->operands[0].type == X86_OP_IMM)
			return take_branch(in, (uint64_t)detail->operands[0].imm, out);
	}
	for (uint8_t i = 0; i < detail->op_count && i < 8 && fine && !out->is_nop; i++) {
		const cs_x86_op *operand = &detail->operands[i];

		if (operand->type == X86_OP_MEM)
			fine = take_memory(decoder, in, operand, out);
		else if (operand->type == X86_OP_IMM)
			fine = take_immediate(decoder, in, operand->imm, out);
	}
	return fine;
}

/* ---- aarch64 -----------------------------------------------------------------------------------
 * Encodings: Arm Architecture Reference Manual, C4.1. An address comes in two parts: adrp makes its
 * page, and a later instruction adds the rest.
 */

static uint64_t signed_field(uint32_t word, unsigned low, unsigned bits, unsigned scale)
{
	uint64_t field = word >> low & ((UINT64_C(1) << bits) - 1);
	uint64_t sign = UINT64_C(1) << (bits - 1);

	return ((field ^ sign) - sign) << scale;
}

static void set_word(struct code_instruction *out, uint32_t word)
{
	memcpy(out->bytes, &word, sizeof(word));
}

/* The branches by label: which bits hold it. */
static const struct {
	uint32_t mask, value;
	unsigned low, bits;
} build_branches[] = {
	{0x7c000000, 0x14000000, 0, 26}, /* b, bl */
	{0xff000010, 0x54000000, 5, 19}, /* b.cond */
	{0x7e000000, 0x34000000, 5, 19}, /* cbz, cbnz */
	{0x7e000000, 0x36000000, 5, 14}, /* tbz, tbnz */
};

static bool take_arm_branch(uint32_t word, struct code_instruction *out)
{
	for (size_t i = 0; i < sizeof(build_branches) / sizeof(*build_branches); i++) {
		unsigned low = build_branches[i].low, bits = build_branches[i].bits;

		if ((word & build_branches[i].mask) != build_branches[i].value)
			continue;
		set_word(out, word & ~(((UINT32_C(1) << bits) - 1) << low));
		return add_reference(
			out, CODE_BRANCH, out->address + signed_field(word, low, bits, 2), 0);
	}
	return false;
}

static uint64_t adr_offset(uint32_t word)
{
	return signed_field(word, 5, 19, 2) | (word >> 29 & 3);
}

/* What an instruction adds to a page: 0 bits if it is none that does. */
static unsigned low_part(uint32_t word, uint32_t *bytes)
{
	unsigned scale;

	*bytes = 0;
	if ((word & 0xffc00000) == 0x91000000) /* add x, x, #imm */
		return 1;
	if ((word & 0x3b000000) != 0x39000000) /* ldr, str with an unsigned offset */
		return 0;
	scale = word >> 30;
	if (word >> 26 & 1 && word >> 23 & 1)
		scale = 4; /* a whole vector register */
	*bytes = UINT32_C(1) << scale;
	return scale + 1;
}

static bool take_low_part(struct code_decoder *decoder, uint32_t word, struct code_instruction *out)
{
	uint32_t bytes;
	unsigned from = word >> 5 & 31, scale = low_part(word, &bytes);

	if (scale == 0 || from >= ARM_REGISTERS || decoder->pages[from].page == PAGE_UNKNOWN)
		return false;
	decoder->pages[from].used = true;
	set_word(out, word & ~(UINT32_C(0xfff) << 10));
	return add_reference(out, CODE_DATA,
		decoder->pages[from].page +
			((uint64_t)(word >> 10 & 0xfff) << (bytes == 0 ? 0 : scale - 1)),
		bytes);
}

/* False: a page was made that nobody used in sight, so its address is not understood. */
static bool forget_page(struct code_decoder *decoder, unsigned number)
{
	struct page_register *page = &decoder->pages[number];
	bool fine = page->page == PAGE_UNKNOWN || page->used;

	*page = (struct page_register){PAGE_UNKNOWN, false};
	return fine;
}

static bool forget_pages(struct code_decoder *decoder, unsigned first, unsigned end)
{
	bool fine = true;

	for (unsigned i = first; i < end; i++)
		fine &= forget_page(decoder, i);
	return fine;
}

static unsigned arm_register(uint16_t number)
{
	if (number >= ARM64_REG_X0 && number <= ARM64_REG_X28)
		return (unsigned)(number - ARM64_REG_X0);
	if (number >= ARM64_REG_W0 && number <= ARM64_REG_W30)
		return (unsigned)(number - ARM64_REG_W0);
	return number == ARM64_REG_X29 ? 29 : number == ARM64_REG_X30 ? 30 : ARM_REGISTERS;
}

static bool forget_written(struct code_decoder *decoder, const cs_insn *in)
{
	cs_regs read, written;
	uint8_t read_count, written_count;
	bool fine = true;

	if (cs_regs_access(decoder->handle, in, read, &read_count, written, &written_count) !=
		CS_ERR_OK)
		return false;
	for (uint8_t i = 0; i < written_count; i++) {
		unsigned number = arm_register(written[i]);

		if (number < ARM_REGISTERS)
			fine &= forget_page(decoder, number);
	}
	if (in->id == ARM64_INS_BL || in->id == ARM64_INS_BLR) /* a call keeps only x19 to x29 */
		fine &= forget_pages(decoder, 0, 19);
	return fine;
}

static bool decode_arm(
	struct code_decoder *decoder, const cs_insn *in, struct code_instruction *out)
{
	uint32_t word;
	bool adr, fine;

	memcpy(&word, in->bytes, sizeof(word));
	out->is_nop = word == 0xd503201f;
	if ((word & ~UINT32_C(31)) == 0xd53bd040) /* the thread's pointer, as on x86-64 */
		return false;
	out->is_indirect = in->id == ARM64_INS_BR;
	adr = (word & 0x1f000000) == 0x10000000;
	if (adr && !(word >> 31)) {
		set_word(out, word & ~UINT32_C(0x60ffffe0));
		add_reference(out, CODE_DATA, out->address + adr_offset(word), 0);
	} else if ((word & 0x3b000000) == 0x18000000) { /* ldr of a literal */
		set_word(out, word & ~UINT32_C(0x00ffffe0));
		add_reference(out, CODE_DATA, out->address + signed_field(word, 5, 19, 2),
			word >> 30 == 2 ? 16 : UINT32_C(4) << (word >> 30 & 1));
	} else if (!take_arm_branch(word, out)) {
		take_low_part(decoder, word, out);
	}
	fine = forget_written(decoder, in);
	if (adr && word >> 31 && (word & 31) < ARM_REGISTERS) {
		set_word(out, word & ~UINT32_C(0x60ffffe0));
		decoder->pages[word & 31].page =
			(out->address & ~UINT64_C(0xfff)) + (adr_offset(word) << 12);
	}
	return fine;
}

/* ---- functions ------------------------------------------------------------------------------- */

static bool decode_one(struct code_decoder *decoder, struct code_list *list)
{
	const cs_insn *in = decoder->instruction;
	struct code_instruction *out;

	list->items =
		grow_array(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	out = &list->items[list->count++];
	*out = (struct code_instruction){.address = in->address, .size = (uint8_t)in->size};
	if (in->size == 0 || in->size > sizeof(out->bytes) || in->detail == NULL)
		return false;
	memcpy(out->bytes, in->bytes, in->size);
	return decoder->machine == CODE_AARCH64 ? decode_arm(decoder, in, out)
						: decode_x86(decoder, in, out);
}

bool code_decode(struct code_decoder *decoder, const unsigned char *code, size_t size,
	uint64_t address, struct code_list *list)
{
	list->count = 0;
	for (unsigned i = 0; i < ARM_REGISTERS; i++)
		decoder->pages[i] = (struct page_register){PAGE_UNKNOWN, false};
	while (size > 0)
		if (!cs_disasm_iter(
			    decoder->handle, &code, &size, &address, decoder->instruction) ||
			!decode_one(decoder, list))
			return false;
	return forget_pages(decoder, 0, ARM_REGISTERS);
}
