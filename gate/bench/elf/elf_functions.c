/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one function that a symbol stands for, and whether its code can jump back to its beginning.
 * Where it cannot, each run of the first instruction is a call.
 */
#include "gate/bench/elf/elf_file.h"

#include <string.h>

#define MAX_FUNCTION_BYTES ((uint64_t)16 << 20)

/* ---- by its symbol -------------------------------------------------------------------------- */

struct table {
	const unsigned char *symbols;
	size_t count;
	const char *names;
	size_t names_size;
};

static bool is_inside(const struct elf_file *elf, const Elf64_Shdr *section)
{
	return section->sh_offset <= elf->size &&
	       section->sh_size <= elf->size - section->sh_offset;
}

static bool find_table(const struct elf_file *elf, uint32_t type, struct table *table)
{
	for (size_t i = 0; i < elf->section_count; i++) {
		Elf64_Shdr section = elf_file_section(elf, i), names;

		if (section.sh_type != type || section.sh_link >= elf->section_count)
			continue;
		names = elf_file_section(elf, section.sh_link);
		if (section.sh_entsize != sizeof(Elf64_Sym) || !is_inside(elf, &section) ||
			!is_inside(elf, &names) || names.sh_type != SHT_STRTAB)
			continue;
		*table = (struct table){elf->data + section.sh_offset,
			section.sh_size / sizeof(Elf64_Sym),
			(const char *)elf->data + names.sh_offset, names.sh_size};
		return true;
	}
	return false;
}

/* "" if the name does not end in the table. */
static const char *name_of(const struct table *table, const Elf64_Sym *symbol)
{
	size_t left;

	if (symbol->st_name >= table->names_size)
		return "";
	left = table->names_size - symbol->st_name;
	return memchr(table->names + symbol->st_name, '\0', left) ? table->names + symbol->st_name
								  : "";
}

enum likeness { OTHER, FUNCTION, PART };

static enum likeness likeness_of(const char *name, const char *symbol)
{
	size_t length = strlen(symbol);

	if (strncmp(name, symbol, length) != 0 || (name[length] && name[length] != '.'))
		return OTHER;
	if (strncmp(name + length, ".cold", 5) == 0)
		return OTHER;
	return strstr(name + length, ".part.") ? PART : FUNCTION;
}

static Elf64_Sym symbol_at(const struct table *table, size_t index)
{
	Elf64_Sym symbol;

	memcpy(&symbol, table->symbols + index * sizeof(symbol), sizeof(symbol));
	return symbol;
}

bool elf_file_function(
	const struct elf_file *elf, const char *symbol, struct elf_function *function)
{
	struct elf_function found = {0};
	struct table table;

	if (!find_table(elf, SHT_SYMTAB, &table) && !find_table(elf, SHT_DYNSYM, &table))
		return false;
	for (size_t i = 0; i < table.count; i++) {
		Elf64_Sym entry = symbol_at(&table, i);
		enum likeness likeness;

		if (ELF64_ST_TYPE(entry.st_info) != STT_FUNC || entry.st_shndx == SHN_UNDEF)
			continue;
		likeness = likeness_of(name_of(&table, &entry), symbol);
		if (likeness == PART ||
			(likeness == FUNCTION && found.address && found.address != entry.st_value))
			return false;
		if (likeness == FUNCTION)
			found = (struct elf_function){entry.st_value, entry.st_size};
	}
	if (!found.address || !found.size)
		return false;
	*function = found;
	return true;
}

/* ---- jumps to its beginning ------------------------------------------------------------------ */

#if defined(__x86_64__)

static int32_t near_distance(const unsigned char *at)
{
	int32_t distance;

	memcpy(&distance, at, sizeof(distance));
	return distance;
}

/* Whether the bytes from here on, were an instruction to begin here, jump to -place. */
static bool jumps_back(const unsigned char *at, uint64_t left, int64_t place)
{
	bool is_short =
		left >= 2 && (at[0] == 0xeb || (at[0] & 0xf0) == 0x70 || (at[0] & 0xfc) == 0xe0);

	if (is_short && (int8_t)at[1] + 2 == -place)
		return true;
	if (left >= 5 && at[0] == 0xe9 && near_distance(at + 1) + INT64_C(5) == -place)
		return true;
	return left >= 6 && at[0] == 0x0f && (at[1] & 0xf0) == 0x80 &&
	       near_distance(at + 2) + INT64_C(6) == -place;
}

#else

/* A field of `bits` bits at `shift`, as a signed number of instructions. */
static int64_t distance_of(uint32_t word, unsigned shift, unsigned bits)
{
	return ((int32_t)(word << (32 - bits - shift)) >> (32 - bits)) * INT64_C(4);
}

static bool jumps_back(const unsigned char *at, uint64_t left, int64_t place)
{
	uint32_t word;

	if (place % 4 || left < sizeof(word))
		return false;
	memcpy(&word, at, sizeof(word));
	if ((word & 0xfc000000) == 0x14000000) /* B */
		return distance_of(word, 0, 26) == -place;
	if ((word & 0xff000010) == 0x54000000 || (word & 0x7e000000) == 0x34000000)
		return distance_of(word, 5, 19) == -place; /* B.cond, CBZ */
	return (word & 0x7e000000) == 0x36000000 && distance_of(word, 5, 14) == -place; /* TBZ */
}

#endif

bool elf_function_begins_once(const struct elf_file *elf, const struct elf_function *function)
{
	const unsigned char *code;

	if (function->size > MAX_FUNCTION_BYTES)
		return false;
	code = elf_file_bytes(elf, function->address, function->size);
	for (uint64_t i = 0; code && i < function->size; i++)
		if (jumps_back(code + i, function->size - i, (int64_t)i))
			return false;
	return code != NULL;
}
