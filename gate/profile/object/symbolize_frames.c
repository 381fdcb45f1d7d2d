/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where functions start, from the unwinder's search table (.eh_frame_hdr, Linux Standard Base 5.0
 * core, section 10.6.2), which no program is stripped of: the addresses of a function without a
 * symbol are then one function, and not hundreds.
 */
#include "gate/profile/object/symbolize_elf.h"

#include <string.h>

/* The form that all linkers write: four-byte offsets from the table, in order. */
#define ENCODING_COUNT 0x03 /* udata4 */
#define ENCODING_TABLE 0x3b /* sdata4, relative to the section */
#define ENCODING_WIDTH 0x0f
#define HEADER_BYTES 12

static bool is_search_table(const struct elf_names *names, Elf_Scn *section, GElf_Shdr *header)
{
	const char *name;
	return gelf_getshdr(section, header) != NULL && header->sh_type == SHT_PROGBITS &&
	       (name = elf_name(names, header->sh_name)) != NULL &&
	       strcmp(name, ".eh_frame_hdr") == 0;
}

static void read_table(const unsigned char *data, size_t size, uint64_t address,
	elf_start_callback *callback, void *callback_data)
{
	uint32_t count;
	if (size < HEADER_BYTES || data[0] != 1 || data[2] != ENCODING_COUNT ||
		data[3] != ENCODING_TABLE ||
		((data[1] & ENCODING_WIDTH) != 0x03 && (data[1] & ENCODING_WIDTH) != 0x0b))
		return;
	memcpy(&count, data + 8, sizeof(count));
	if (count > (size - HEADER_BYTES) / 8)
		return;
	for (size_t i = 0; i < count; i++) {
		int32_t offset;
		memcpy(&offset, data + HEADER_BYTES + 8 * i, sizeof(offset));
		callback(callback_data, address + (uint64_t)(int64_t)offset);
	}
}

void elf_read_starts(Elf *elf, elf_start_callback *callback, void *data)
{
	size_t index;
	if (elf_getshdrstrndx(elf, &index) != 0)
		return;
	struct elf_names names = elf_names_read(elf, index);
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
		GElf_Shdr header;
		Elf_Data *table;
		if (is_search_table(&names, section, &header) &&
			(table = elf_getdata(section, NULL)) != NULL && table->d_buf != NULL)
			read_table(table->d_buf, table->d_size, header.sh_addr, callback, data);
	}
}
