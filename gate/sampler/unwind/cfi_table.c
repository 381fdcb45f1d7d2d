/* SPDX-License-Identifier: Apache-2.0 */
/* From an address to its FDE: .eh_frame_hdr's sorted table, or every entry in turn. */
#include "gate/sampler/unwind/cfi.h"

/* A handler cannot read megabytes for one sample; objects without a table are small or odd. */
enum { MAX_LINEAR_ENTRIES = 20000 };

struct table {
	struct cfi_reader rows;
	uint64_t eh_frame; /* address */
	uint64_t count;    /* 0: no table that can be searched */
	size_t pointer_size;
	uint8_t encoding;
};

static bool read_header(const struct cfi_image *image, struct table *table)
{
	const struct cfi_span *span = fg_cfi_span(image, image->hdr, 4);
	struct cfi_reader reader;
	uint8_t frame_encoding, count_encoding;

	if (!span)
		return false;
	reader = (struct cfi_reader){.at = (const uint8_t *)(uintptr_t)image->hdr,
		.end = (const uint8_t *)(uintptr_t)span->high};
	if (cfi_u8(&reader) != 1)
		return false;
	frame_encoding = cfi_u8(&reader);
	count_encoding = cfi_u8(&reader);
	table->encoding = cfi_u8(&reader);
	table->eh_frame = fg_cfi_pointer(&reader, frame_encoding, image->hdr);
	if (reader.bad)
		return false;
	table->count = 0;
	table->pointer_size = fg_cfi_pointer_size(table->encoding);
	if (count_encoding != DW_EH_PE_omit && table->pointer_size)
		table->count = fg_cfi_pointer(&reader, count_encoding, image->hdr);
	if (table->count && table->count > cfi_left(&reader) / (2 * table->pointer_size))
		table->count = 0;
	table->rows = reader;
	return true;
}

static uint64_t table_cell(const struct cfi_image *image, const struct table *table, uint64_t cell)
{
	struct cfi_reader reader = table->rows;

	reader.at += cell * table->pointer_size;
	return fg_cfi_pointer(&reader, table->encoding, image->hdr);
}

/* The last row that starts at or below pc; the FDE itself says where it ends. */
static enum cfi_status search_table(
	const struct cfi_image *image, const struct table *table, uint64_t pc, struct cfi_fde *fde)
{
	uint64_t low = 0, high = table->count; /* rows below low start at or below pc */

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (table_cell(image, table, 2 * middle) <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return CFI_NONE;
	return fg_cfi_parse_fde(image, table_cell(image, table, 2 * (low - 1) + 1), fde);
}

static uint64_t next_entry(const struct cfi_image *image, uint64_t address)
{
	const struct cfi_span *span = fg_cfi_span(image, address, 12);
	uint64_t size, head = 4;

	if (!span)
		return 0;
	size = *(const fg_u32 *)(uintptr_t)address;
	if (size == UINT32_MAX) {
		size = *(const fg_u64 *)(uintptr_t)(address + 4);
		head = 12;
	}
	if (size == 0 || size > span->high - address - head)
		return 0;
	return address + head + size;
}

static enum cfi_status search_entries(
	const struct cfi_image *image, uint64_t address, uint64_t pc, struct cfi_fde *fde)
{
	for (int i = 0; i < MAX_LINEAR_ENTRIES && address; i++) {
		if (fg_cfi_parse_fde(image, address, fde) == CFI_OK && pc - fde->start < fde->size)
			return CFI_OK;
		address = next_entry(image, address);
	}
	return CFI_NONE;
}

enum cfi_status fg_cfi_find_fde(const struct cfi_image *image, uint64_t pc, struct cfi_fde *fde)
{
	struct table table;
	enum cfi_status status;

	if (!image->hdr)
		return CFI_NONE;
	if (!read_header(image, &table))
		return CFI_BAD;
	if (!table.count)
		return search_entries(image, table.eh_frame, pc, fde);
	status = search_table(image, &table, pc, fde);
	if (status == CFI_OK && pc - fde->start >= fde->size)
		return CFI_NONE;
	return status;
}
