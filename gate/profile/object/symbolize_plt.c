/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Procedure linkage stubs have no symbols, and a program that calls libraries spends time in them.
 * Each x86-64 stub is one indirect jump through a slot that a relocation fills (System V ABI, AMD64
 * supplement, section 5.2): the relocation's symbol names the stub.
 */
#include "gate/profile/object/symbolize_elf.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/arena.h"

struct slot {
	uint64_t address;
	const char *name;
};

struct slot_list {
	struct slot *slots;
	size_t count, capacity;
};

static void read_relocations(
	Elf *elf, const GElf_Shdr *header, Elf_Data *data, struct slot_list *list)
{
	GElf_Shdr symbols_header;
	Elf_Scn *symbols = elf_getscn(elf, header->sh_link);
	Elf_Data *symbol_data = symbols == NULL ? NULL : elf_getdata(symbols, NULL);
	if (symbol_data == NULL || header->sh_entsize == 0 ||
		gelf_getshdr(symbols, &symbols_header) == NULL)
		return;
	size_t count = data->d_size / header->sh_entsize;
	struct elf_names names = elf_names_read(elf, symbols_header.sh_link);
	for (size_t i = 0; i < count && i < INT32_MAX; i++) {
		GElf_Rela relocation;
		GElf_Sym symbol;
		if (gelf_getrela(data, (int)i, &relocation) == NULL)
			break;
		uint64_t type = GELF_R_TYPE(relocation.r_info);
		if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) ||
			gelf_getsym(symbol_data, (int)GELF_R_SYM(relocation.r_info), &symbol) ==
				NULL)
			continue;
		const char *name = elf_name(&names, symbol.st_name);
		if (name == NULL || name[0] == '\0')
			continue;
		list->slots = grow_array(
			list->slots, &list->capacity, list->count + 1, sizeof(*list->slots));
		list->slots[list->count++] = (struct slot){relocation.r_offset, name};
	}
}

static int compare_slots(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;
	return (a->address > b->address) - (a->address < b->address);
}

static void read_slots(Elf *elf, struct slot_list *list)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
		GElf_Shdr header;
		Elf_Data *data;
		if (gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_RELA &&
			(header.sh_flags & SHF_ALLOC) &&
			(data = elf_getdata(section, NULL)) != NULL)
			read_relocations(elf, &header, data, list);
	}
	if (list->count > 1)
		qsort(list->slots, list->count, sizeof(*list->slots), compare_slots);
}

/* The slot that the stub jumps through (ff 25 disp32, behind an optional endbr64 and bnd), or 0. */
static uint64_t stub_slot(const unsigned char *code, size_t size, uint64_t address)
{
	static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	int32_t displacement;
	size_t at = 0;
	if (size >= sizeof(endbr64) && memcmp(code, endbr64, sizeof(endbr64)) == 0)
		at = sizeof(endbr64);
	if (at < size && code[at] == 0xf2)
		at++;
	if (size < at + 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return 0;
	memcpy(&displacement, code + at + 2, sizeof(displacement));
	return address + at + 6 + (uint64_t)(int64_t)displacement;
}

static void read_stubs(const GElf_Shdr *header, const Elf_Data *data, const struct slot_list *list,
	elf_plt_callback *callback, void *callback_data)
{
	size_t step = header->sh_entsize == 8 ? 8 : 16;
	const unsigned char *code = data->d_buf;
	for (size_t at = 0; at + step <= data->d_size; at += step) {
		struct slot wanted = {stub_slot(code + at, step, header->sh_addr + at), NULL};
		const struct slot *slot = bsearch(
			&wanted, list->slots, list->count, sizeof(*list->slots), compare_slots);
		if (slot != NULL)
			callback(callback_data, header->sh_addr + at, step, slot->name);
	}
}

static bool is_plt(const struct elf_names *names, const GElf_Shdr *header)
{
	const char *name = elf_name(names, header->sh_name);
	return name != NULL && strncmp(name, ".plt", 4) == 0 && header->sh_type == SHT_PROGBITS &&
	       (header->sh_flags & SHF_EXECINSTR);
}

void elf_read_plt(Elf *elf, elf_plt_callback *callback, void *data)
{
	GElf_Ehdr elf_header;
	struct slot_list list = {NULL, 0, 0};
	size_t index;
	if (gelf_getehdr(elf, &elf_header) == NULL || elf_header.e_machine != EM_X86_64 ||
		elf_getshdrstrndx(elf, &index) != 0)
		return;
	struct elf_names names = elf_names_read(elf, index);
	read_slots(elf, &list);
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
		GElf_Shdr header;
		Elf_Data *code;
		if (list.count > 0 && gelf_getshdr(section, &header) != NULL &&
			is_plt(&names, &header) && (code = elf_getdata(section, NULL)) != NULL &&
			code->d_buf != NULL)
			read_stubs(&header, code, &list, callback, data);
	}
	free(list.slots);
}
