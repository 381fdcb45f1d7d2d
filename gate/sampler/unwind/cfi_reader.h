/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bounded cursor over unwind information. A read past the end yields zero and marks the cursor
 * bad for good, so a parser checks once at its end. Context: handler.
 */
#ifndef FG_SAMPLER_CFI_READER_H
#define FG_SAMPLER_CFI_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cfi_reader {
	const uint8_t *at, *end;
	bool bad;
};

/* A word at any address and of any type: the compiler makes it one load. */
typedef uint16_t __attribute__((aligned(1), may_alias)) fg_u16;
typedef uint32_t __attribute__((aligned(1), may_alias)) fg_u32;
typedef uint64_t __attribute__((aligned(1), may_alias)) fg_u64;

static inline size_t cfi_left(const struct cfi_reader *reader)
{
	return (size_t)(reader->end - reader->at);
}

/* The bytes taken, or NULL when there are not so many left. */
static inline const uint8_t *cfi_take(struct cfi_reader *reader, uint64_t size)
{
	const uint8_t *taken = reader->at;

	if (reader->bad || size > cfi_left(reader)) {
		reader->bad = true;
		reader->at = reader->end;
		return NULL;
	}
	reader->at += size;
	return taken;
}

static inline uint8_t cfi_u8(struct cfi_reader *reader)
{
	const uint8_t *p = cfi_take(reader, 1);
	return p ? *p : 0;
}

static inline uint16_t cfi_u16(struct cfi_reader *reader)
{
	const uint8_t *p = cfi_take(reader, 2);
	return p ? *(const fg_u16 *)p : 0;
}

static inline uint32_t cfi_u32(struct cfi_reader *reader)
{
	const uint8_t *p = cfi_take(reader, 4);
	return p ? *(const fg_u32 *)p : 0;
}

static inline uint64_t cfi_u64(struct cfi_reader *reader)
{
	const uint8_t *p = cfi_take(reader, 8);
	return p ? *(const fg_u64 *)p : 0;
}

/* LEB128; bits past the 64th are dropped, and the cursor's end bounds the length. */
uint64_t fg_cfi_uleb(struct cfi_reader *reader);
int64_t fg_cfi_sleb(struct cfi_reader *reader);

/* Pointer encodings of the LSB's .eh_frame chapter. */
enum {
	DW_EH_PE_absptr = 0x00,
	DW_EH_PE_uleb128 = 0x01,
	DW_EH_PE_udata2 = 0x02,
	DW_EH_PE_udata4 = 0x03,
	DW_EH_PE_udata8 = 0x04,
	DW_EH_PE_sleb128 = 0x09,
	DW_EH_PE_sdata2 = 0x0a,
	DW_EH_PE_sdata4 = 0x0b,
	DW_EH_PE_sdata8 = 0x0c,
	DW_EH_PE_format = 0x0f,
	DW_EH_PE_pcrel = 0x10,
	DW_EH_PE_datarel = 0x30,
	DW_EH_PE_relation = 0x70,
	DW_EH_PE_indirect = 0x80,
	DW_EH_PE_omit = 0xff,
};

/*
 * Reads a pointer; data is what DW_EH_PE_datarel counts from. An indirect pointer is skipped and
 * marks the cursor bad, as does an encoding that .eh_frame does not use.
 */
uint64_t fg_cfi_pointer(struct cfi_reader *reader, uint8_t encoding, uint64_t data);

/* Steps over a pointer without judging what it says (a personality routine). */
void fg_cfi_skip_pointer(struct cfi_reader *reader, uint8_t encoding);

/* Bytes of a pointer of fixed size, 0 for the others. */
size_t fg_cfi_pointer_size(uint8_t encoding);

#endif
