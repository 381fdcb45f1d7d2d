/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/unwind/cfi_reader.h"

uint64_t fg_cfi_uleb(struct cfi_reader *reader)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = cfi_u8(reader);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += shift < 64 ? 7 : 0;
	} while (byte & 0x80);
	return value;
}

int64_t fg_cfi_sleb(struct cfi_reader *reader)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = cfi_u8(reader);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += shift < 64 ? 7 : 0;
	} while (byte & 0x80);
	if ((byte & 0x40) && shift < 64)
		value |= ~0ULL << shift;
	return (int64_t)value;
}

size_t fg_cfi_pointer_size(uint8_t encoding)
{
	if (encoding == DW_EH_PE_omit)
		return 0;
	switch (encoding & DW_EH_PE_format) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return 8;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4:
		return 4;
	case DW_EH_PE_udata2:
	case DW_EH_PE_sdata2:
		return 2;
	default:
		return 0;
	}
}

static uint64_t pointer_value(struct cfi_reader *reader, uint8_t encoding)
{
	switch (encoding & DW_EH_PE_format) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return cfi_u64(reader);
	case DW_EH_PE_uleb128:
		return fg_cfi_uleb(reader);
	case DW_EH_PE_sleb128:
		return (uint64_t)fg_cfi_sleb(reader);
	case DW_EH_PE_udata2:
		return cfi_u16(reader);
	case DW_EH_PE_sdata2:
		return (uint64_t)(int16_t)cfi_u16(reader);
	case DW_EH_PE_udata4:
		return cfi_u32(reader);
	case DW_EH_PE_sdata4:
		return (uint64_t)(int32_t)cfi_u32(reader);
	default:
		reader->bad = true;
		return 0;
	}
}

uint64_t fg_cfi_pointer(struct cfi_reader *reader, uint8_t encoding, uint64_t data)
{
	uint64_t here = (uint64_t)(uintptr_t)reader->at;
	uint64_t value = pointer_value(reader, encoding);

	if (encoding & DW_EH_PE_indirect)
		reader->bad = true;
	switch (encoding & DW_EH_PE_relation) {
	case DW_EH_PE_absptr:
		return value;
	case DW_EH_PE_pcrel:
		return value + here;
	case DW_EH_PE_datarel:
		return value + data;
	default:
		reader->bad = true;
		return 0;
	}
}

void fg_cfi_skip_pointer(struct cfi_reader *reader, uint8_t encoding)
{
	enum {
		ALIGNED = 0x50
	}; /* padded to a word's boundary: the one that size alone does not skip */

	if (encoding == DW_EH_PE_omit)
		return;
	if ((encoding & DW_EH_PE_relation) == ALIGNED)
		cfi_take(reader, -(uint64_t)(uintptr_t)reader->at & 7);
	pointer_value(reader, encoding);
}
