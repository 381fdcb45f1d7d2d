/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the symbolizer's child: machine code as instructions whose addresses are taken out.
 * What is left of an instruction's bytes is the same wherever the linker puts the function and what
 * it refers to. x86-64 and aarch64, decoded by capstone.
 */
#ifndef FG_PROFILE_CODE_DECODE_H
#define FG_PROFILE_CODE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum code_machine { CODE_X86_64, CODE_AARCH64 };

enum code_reference_kind {
	CODE_BRANCH, /* a call or jump goes there */
	CODE_DATA,   /* read or written there, or its address is taken */
	CODE_THREAD, /* in thread-local storage: target is the offset from the thread's pointer */
};

#define CODE_INDEXED UINT32_MAX          /* a register is added: an element of an array */
#define CODE_JUMP_TABLE (UINT32_MAX - 1) /* the same, and where to jump to is read there */
struct code_reference {
	enum code_reference_kind kind;
	uint64_t target; /* link-time address */
	uint32_t bytes; /* how many are read or written; 0: the address is taken; or one of those */
};

struct code_instruction {
	uint64_t address;
	uint8_t size;
	bool is_nop;
	bool is_indirect; /* a jump to where a register says */
	uint32_t id;      /* of a branch: which; its bytes depend on how far it goes */
	uint8_t reference_count;
	struct code_reference references[2];
	uint32_t number; /* x86-64: a plain number of four bytes that is moved, stored or pushed */
	uint8_t number_at;       /* in bytes; 0: there is none */
	unsigned char bytes[16]; /* zeros where an address was; of a branch nothing */
};

struct code_list {
	struct code_instruction *items;
	size_t count, capacity;
};

struct code_decoder;
/*
 * absolute_low, absolute_high: where a position-dependent program lies, whose instructions hold
 * addresses as plain numbers; equal: position-independent. NULL: capstone does not know the
 * machine.
 */
struct code_decoder *code_decoder_new(
	enum code_machine machine, uint64_t absolute_low, uint64_t absolute_high);
void code_decoder_free(struct code_decoder *decoder);

/*
 * All instructions of a function, in order; list is emptied first and grows with malloc. False if
 * some of it is no code, or if an address in it is not understood.
 */
bool code_decode(struct code_decoder *decoder, const unsigned char *code, size_t size,
	uint64_t address, struct code_list *list);

#endif
