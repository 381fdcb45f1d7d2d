/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/code/code_image.h"

#include <stdlib.h>
#include <string.h>

#include "gate/profile/code/function_names.h"
#include "gate/profile/object/symbolize_elf.h"

#define MAX_NAME_BYTES 4096

/* glibc knows it from 2.36 on (System V ABI, generic, "Section types"). */
#ifndef SHT_RELR
#define SHT_RELR 19
#endif

/* ---- sections -------------------------------------------------------------------------------- */

/* Sealed by the loader before the program starts (-z relro). */
static bool is_sealed(const char *name)
{
	return strncmp(name, ".data.rel.ro", 12) == 0 || strcmp(name, ".init_array") == 0 ||
	       strcmp(name, ".fini_array") == 0;
}

static void add_section(
	struct code_image *image, Elf_Scn *scn, const GElf_Shdr *header, const char *name)
{
	struct code_section section = {
		.low = header->sh_addr,
		.high = header->sh_addr + header->sh_size,
		.executable = (header->sh_flags & SHF_EXECINSTR) != 0,
		.writable = (header->sh_flags & SHF_WRITE) != 0 && !is_sealed(name),
		.is_got = strncmp(name, ".got", 4) == 0,
	};
	if (section.low >= section.high)
		return;
	if (header->sh_type != SHT_NOBITS) {
		Elf_Data *data = elf_getdata(scn, NULL);
		if (data == NULL || data->d_buf == NULL || data->d_size != header->sh_size)
			return;
		section.data = data->d_buf;
	}
	image->sections = grow_array(image->sections, &image->section_capacity,
		image->section_count + 1, sizeof(*image->sections));
	image->sections[image->section_count++] = section;
	if (image->low == image->high || section.low < image->low)
		image->low = section.low;
	if (section.high > image->high)
		image->high = section.high;
}

static int compare_sections(const void *left, const void *right)
{
	const struct code_section *a = left, *b = right;
	return (a->low > b->low) - (a->low < b->low);
}

/* No linker puts two of them at one place. */
static bool sort_sections(struct code_image *image)
{
	if (image->section_count > 1)
		qsort(image->sections, image->section_count, sizeof(*image->sections),
			compare_sections);
	for (size_t i = 1; i < image->section_count; i++)
		if (image->sections[i].low < image->sections[i - 1].high)
			return false;
	return true;
}

static bool read_sections(struct code_image *image, Elf *elf)
{
	size_t index;
	if (elf_getshdrstrndx(elf, &index) != 0)
		return false;
	struct elf_names names = elf_names_read(elf, index);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
		GElf_Shdr header;
		if (!code_budget_take(image->budget, 1, CODE_COST_RECORD))
			return false;
		if (gelf_getshdr(scn, &header) == NULL || !(header.sh_flags & SHF_ALLOC) ||
			((header.sh_flags & SHF_TLS) && header.sh_type == SHT_NOBITS))
			continue;
		const char *name = elf_name(&names, header.sh_name);
		add_section(image, scn, &header, name == NULL ? "" : name);
	}
	return sort_sections(image);
}

static void read_thread_segment(struct code_image *image, Elf *elf)
{
	size_t count;
	if (elf_getphdrnum(elf, &count) != 0)
		return;
	for (size_t i = 0; i < count && i < INT32_MAX; i++) {
		GElf_Phdr header;
		if (gelf_getphdr(elf, (int)i, &header) == NULL || header.p_type != PT_TLS)
			continue;
		uint64_t align = header.p_align > 0 ? header.p_align : 1;
		if ((align & (align - 1)) == 0)
			image->thread_size = (header.p_memsz + align - 1) & ~(align - 1);
		image->thread_low = header.p_vaddr;
		image->thread_values = header.p_filesz;
	}
}

const struct code_section *code_image_section(const struct code_image *image, uint64_t address)
{
	size_t low = 0, high = image->section_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (image->sections[middle].high <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < image->section_count && image->sections[low].low <= address
		       ? &image->sections[low]
		       : NULL;
}

/* ---- symbols --------------------------------------------------------------------------------- */

/* NULL: none, or too long. What it costs to read it is taken from the budget. */
static const char *take_name(struct code_image *image, const struct elf_names *names, size_t offset)
{
	const char *name = elf_name(names, offset);
	size_t length = name == NULL ? 0 : strnlen(name, MAX_NAME_BYTES + 1);
	if (length == 0 || length > MAX_NAME_BYTES ||
		!code_budget_take(image->budget, length, 4 * CODE_COST_BYTE))
		return NULL;
	const char *version = strchr(name, '@');
	return version == NULL || version == name
		       ? name
		       : arena_strndup(&image->arena, name, (size_t)(version - name));
}

/* Aliases: the name that is seen from furthest away, and has the fewest leading underscores. */
static uint32_t symbol_rank(const GElf_Sym *symbol, const char *name)
{
	unsigned binding = GELF_ST_BIND(symbol->st_info);
	uint32_t rank = binding == STB_GLOBAL ? 2 : binding == STB_WEAK ? 1 : 0;
	size_t underscores = strspn(name, "_");
	return rank * 4 + (underscores > 3 ? 0 : 3 - (uint32_t)underscores);
}

static void add_symbol(struct code_image *image, const struct code_symbol *symbol)
{
	image->symbols = grow_array(image->symbols, &image->symbol_capacity,
		image->symbol_count + 1, sizeof(*image->symbols));
	image->symbols[image->symbol_count++] = *symbol;
}

static void add_thread(struct code_image *image, const struct code_symbol *symbol)
{
	image->threads = grow_array(image->threads, &image->thread_capacity,
		image->thread_count + 1, sizeof(*image->threads));
	image->threads[image->thread_count++] = *symbol;
}

static void take_symbol(struct code_image *image, const GElf_Sym *symbol,
	const struct elf_names *names, uint32_t file)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);
	const char *name;
	if (symbol->st_size == 0 || symbol->st_shndx == SHN_UNDEF ||
		symbol->st_shndx >= SHN_LORESERVE ||
		symbol->st_value + symbol->st_size < symbol->st_value ||
		(name = take_name(image, names, symbol->st_name)) == NULL)
		return;
	struct code_symbol taken = {
		.low = symbol->st_value,
		.high = symbol->st_value + symbol->st_size,
		.kind = type == STT_FUNC || type == STT_GNU_IFUNC ? CODE_SYMBOL_FUNCTION
								  : CODE_SYMBOL_DATA,
		.rank = symbol_rank(symbol, name),
		.file = GELF_ST_BIND(symbol->st_info) == STB_LOCAL ? file : 0,
		.name = name,
		.stem = (uint32_t)function_stem_length(name),
	};
	if (type == STT_TLS) {
		add_thread(image, &taken);
		return;
	}
	const struct code_section *section = code_image_section(image, taken.low);
	if (section == NULL || taken.high > section->high ||
		section->executable != (taken.kind == CODE_SYMBOL_FUNCTION))
		return;
	add_symbol(image, &taken);
}

static bool read_table(struct code_image *image, Elf *elf, GElf_Word type)
{
	bool found = false;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
		GElf_Shdr header;
		Elf_Data *data;
		if (gelf_getshdr(scn, &header) == NULL || header.sh_type != type ||
			header.sh_entsize == 0 || (data = elf_getdata(scn, NULL)) == NULL)
			continue;
		size_t count = data->d_size / header.sh_entsize;
		struct elf_names names = elf_names_read(elf, header.sh_link);
		uint32_t file = 0; /* local symbols stand behind that of their source file */
		for (size_t i = 1; i < count && i < INT32_MAX; i++) {
			GElf_Sym symbol;
			if (!code_budget_take(image->budget, 1, CODE_COST_RECORD) ||
				gelf_getsym(data, (int)i, &symbol) == NULL)
				break;
			if (GELF_ST_TYPE(symbol.st_info) == STT_FILE)
				file++;
			take_symbol(image, &symbol, &names, file);
			found = true;
		}
	}
	return found;
}

static void add_stub(void *data, uint64_t address, uint64_t size, const char *name)
{
	struct code_image *image = data;
	struct elf_names names = {name, strnlen(name, MAX_NAME_BYTES + 1) + 1};
	struct code_symbol stub = {.low = address,
		.high = address + size,
		.kind = CODE_SYMBOL_STUB,
		.name = take_name(image, &names, 0)};
	if (stub.name == NULL)
		return;
	stub.stem = (uint32_t)function_stem_length(stub.name);
	add_symbol(image, &stub);
}

/* The one that names an address comes last. */
static int compare_symbols(const void *left, const void *right)
{
	const struct code_symbol *a = left, *b = right;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return strcmp(b->name, a->name);
}

static void index_symbols(struct code_symbol *symbols, size_t count, struct range_table *ranges)
{
	if (count > 1)
		qsort(symbols, count, sizeof(*symbols), compare_symbols);
	for (size_t i = 0; i < count && i < UINT32_MAX; i++)
		range_table_add(ranges, symbols[i].low, symbols[i].high, (uint32_t)i, (uint32_t)i);
	range_table_flatten(ranges);
}

static void read_symbols(struct code_image *image, Elf *elf, Elf *debug)
{
	image->has_all_symbols = read_table(image, elf, SHT_SYMTAB) ||
				 (debug != NULL && read_table(image, debug, SHT_SYMTAB));
	if (!image->has_all_symbols)
		read_table(image, elf, SHT_DYNSYM);
	elf_read_plt(elf, add_stub, image);
	index_symbols(image->symbols, image->symbol_count, &image->symbol_ranges);
	index_symbols(image->threads, image->thread_count, &image->thread_ranges);
}

const struct code_symbol *code_image_symbol(const struct code_image *image, uint64_t address)
{
	uint32_t entry = range_table_find(&image->symbol_ranges, address);
	return entry == RANGE_NONE ? NULL : &image->symbols[entry];
}

const struct code_symbol *code_image_next_symbol(const struct code_image *image, uint64_t address)
{
	size_t low = 0, high = image->symbol_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (image->symbols[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < image->symbol_count ? code_image_symbol(image, image->symbols[low].low) : NULL;
}

const struct code_symbol *code_image_thread(const struct code_image *image, uint64_t offset)
{
	uint32_t entry = range_table_find(&image->thread_ranges, offset);
	return entry == RANGE_NONE ? NULL : &image->threads[entry];
}

/* ---- relocations ----------------------------------------------------------------------------- */

static enum code_relocation_kind relocation_kind(enum code_machine machine, uint64_t type)
{
	static const struct {
		uint64_t type[2]; /* by machine */
		enum code_relocation_kind kind;
	} known[] = {
		{{R_X86_64_64, R_AARCH64_ABS64}, CODE_RELOCATION_SYMBOL},
		{{R_X86_64_GLOB_DAT, R_AARCH64_GLOB_DAT}, CODE_RELOCATION_SYMBOL},
		{{R_X86_64_JUMP_SLOT, R_AARCH64_JUMP_SLOT}, CODE_RELOCATION_SYMBOL},
		{{R_X86_64_RELATIVE, R_AARCH64_RELATIVE}, CODE_RELOCATION_ADDRESS},
		{{R_X86_64_IRELATIVE, R_AARCH64_IRELATIVE}, CODE_RELOCATION_ADDRESS},
		{{R_X86_64_TPOFF64, R_AARCH64_TLS_TPREL}, CODE_RELOCATION_THREAD},
		{{R_X86_64_DTPOFF64, R_AARCH64_TLS_DTPREL}, CODE_RELOCATION_THREAD},
		{{R_X86_64_DTPMOD64, R_AARCH64_TLS_DTPMOD}, CODE_RELOCATION_THREAD},
		{{R_X86_64_TLSDESC, R_AARCH64_TLSDESC}, CODE_RELOCATION_THREAD},
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].type[machine] == type)
			return known[i].kind;
	return CODE_RELOCATION_OTHER;
}

/* What a table of relocations refers to. */
struct relocation_symbols {
	Elf_Data *data; /* NULL: nothing */
	struct elf_names names;
};

static struct relocation_symbols relocation_symbols(Elf *elf, const GElf_Shdr *table)
{
	GElf_Shdr header;
	Elf_Scn *scn = elf_getscn(elf, table->sh_link);
	if (scn == NULL || gelf_getshdr(scn, &header) == NULL)
		return (struct relocation_symbols){NULL, {"", 0}};
	return (struct relocation_symbols){
		elf_getdata(scn, NULL), elf_names_read(elf, header.sh_link)};
}

static void name_relocation(struct code_image *image, const struct relocation_symbols *symbols,
	uint64_t index, struct code_relocation *out)
{
	GElf_Sym symbol;
	if (symbols->data == NULL || index == 0 || index > INT32_MAX ||
		gelf_getsym(symbols->data, (int)index, &symbol) == NULL)
		return;
	const char *name = take_name(image, &symbols->names, symbol.st_name);
	if (name != NULL)
		out->name = name;
	out->is_runtime = strncmp(out->name, "_ZTVN10__cxxabiv1", 17) == 0 ||
			  strncmp(out->name, "_ZTI", 4) == 0;
	out->is_data = GELF_ST_TYPE(symbol.st_info) == STT_OBJECT ||
		       GELF_ST_TYPE(symbol.st_info) == STT_COMMON;
	out->is_defined = symbol.st_shndx != SHN_UNDEF;
	out->value = symbol.st_value;
}

static void add_relocation(
	struct code_image *image, const struct relocation_symbols *symbols, const GElf_Rela *found)
{
	struct code_relocation added = {
		.address = found->r_offset,
		.kind = relocation_kind(image->machine, GELF_R_TYPE(found->r_info)),
		.name = "",
		.addend = (uint64_t)found->r_addend,
		.is_module =
			GELF_R_TYPE(found->r_info) ==
			(image->machine == CODE_AARCH64 ? R_AARCH64_TLS_DTPMOD : R_X86_64_DTPMOD64),
	};
	name_relocation(image, symbols, GELF_R_SYM(found->r_info), &added);
	image->relocations = grow_array(image->relocations, &image->relocation_capacity,
		image->relocation_count + 1, sizeof(*image->relocations));
	image->relocations[image->relocation_count++] = added;
}

/*
 * The packed form of RELATIVE (System V ABI, generic, "Relative relocation table"): an even word is
 * an address, an odd one says by bits which of the 63 words behind are meant too. The addend is in
 * the place itself.
 */
static void add_packed(struct code_image *image, uint64_t address)
{
	struct code_relocation added = {
		.address = address, .kind = CODE_RELOCATION_ADDRESS, .name = ""};
	const struct code_section *section = code_image_section(image, address);
	if (section == NULL || section->data == NULL ||
		section->high - address < sizeof(added.addend))
		return;
	memcpy(&added.addend, section->data + (address - section->low), sizeof(added.addend));
	image->relocations = grow_array(image->relocations, &image->relocation_capacity,
		image->relocation_count + 1, sizeof(*image->relocations));
	image->relocations[image->relocation_count++] = added;
}

static void read_packed(struct code_image *image, const Elf_Data *data)
{
	uint64_t base = 0, word;
	for (size_t at = 0; at + sizeof(word) <= data->d_size; at += sizeof(word)) {
		memcpy(&word, (const char *)data->d_buf + at, sizeof(word));
		if (!code_budget_take(image->budget, 1 + (uint64_t)__builtin_popcountll(word),
			    CODE_COST_RECORD))
			return;
		if ((word & 1) == 0) {
			add_packed(image, word);
			base = word + sizeof(word);
			continue;
		}
		for (uint64_t bit = 0; bit < 63; bit++)
			if (word >> (bit + 1) & 1)
				add_packed(image, base + bit * sizeof(word));
		base += 63 * sizeof(word);
	}
}

static int compare_relocations(const void *left, const void *right)
{
	const struct code_relocation *a = left, *b = right;
	return (a->address > b->address) - (a->address < b->address);
}

static void read_relocations(struct code_image *image, Elf *elf)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
		GElf_Shdr header;
		Elf_Data *data;
		if (gelf_getshdr(scn, &header) == NULL || !(header.sh_flags & SHF_ALLOC) ||
			header.sh_entsize == 0 ||
			(header.sh_type != SHT_RELA && header.sh_type != SHT_RELR) ||
			(data = elf_getdata(scn, NULL)) == NULL)
			continue;
		if (header.sh_type == SHT_RELR) {
			read_packed(image, data);
			continue;
		}
		size_t count = data->d_size / header.sh_entsize;
		struct relocation_symbols symbols = relocation_symbols(elf, &header);
		for (size_t i = 0; i < count && i < INT32_MAX; i++) {
			GElf_Rela found;
			if (!code_budget_take(image->budget, 1, CODE_COST_RECORD) ||
				gelf_getrela(data, (int)i, &found) == NULL)
				break;
			add_relocation(image, &symbols, &found);
		}
	}
	if (image->relocation_count > 1)
		qsort(image->relocations, image->relocation_count, sizeof(*image->relocations),
			compare_relocations);
}

size_t code_image_relocation(const struct code_image *image, uint64_t address)
{
	size_t low = 0, high = image->relocation_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (image->relocations[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- stubs of aarch64 ------------------------------------------------------------------------ */

/*
 * A stub makes the page of its slot in x16 and loads x17 from it (ELF for the Arm 64-bit
 * architecture, procedure linkage table). What comes before and behind differs with the branch
 * protection; calls go to the "bti" before it, if there is one.
 */
static void find_arm_stubs(struct code_image *image, const struct code_section *section)
{
	if (!code_budget_take(image->budget, section->high - section->low, CODE_COST_BYTE))
		return;
	for (uint64_t at = 0; at + 8 <= section->high - section->low; at += 4) {
		uint32_t words[2], before = 0;
		memcpy(words, section->data + at, sizeof(words));
		if (at >= 4)
			memcpy(&before, section->data + at - 4, sizeof(before));
		if ((words[0] & 0x9f00001f) != 0x90000010 || (words[1] & 0xffc003ff) != 0xf9400211)
			continue;
		uint64_t pages = (uint64_t)(words[0] >> 5 & 0x7ffff) << 2 | (words[0] >> 29 & 3);
		uint64_t slot = ((section->low + at) & ~UINT64_C(0xfff)) +
				(((pages ^ 0x100000) - 0x100000) << 12) +
				((uint64_t)(words[1] >> 10 & 0xfff) << 3);
		size_t found = code_image_relocation(image, slot);
		if (found < image->relocation_count && image->relocations[found].address == slot &&
			image->relocations[found].name[0] != '\0') {
			uint64_t start = section->low + at - (before == 0xd503245f ? 4 : 0);
			add_stub(image, start, 16, image->relocations[found].name);
		}
	}
}

static void read_arm_stubs(struct code_image *image)
{
	for (size_t i = 0; i < image->section_count; i++)
		if (image->sections[i].executable && image->sections[i].data != NULL)
			find_arm_stubs(image, &image->sections[i]);
}

/* ---- files ----------------------------------------------------------------------------------- */

bool code_image_read(Elf *elf, Elf *debug, struct code_budget *budget, struct code_image *image)
{
	GElf_Ehdr header;
	*image = (struct code_image){.budget = budget};
	arena_init(&image->arena);
	if (gelf_getehdr(elf, &header) == NULL || gelf_getclass(elf) != ELFCLASS64 ||
		header.e_ident[EI_DATA] != ELFDATA2LSB ||
		(header.e_type != ET_EXEC && header.e_type != ET_DYN) ||
		(header.e_machine != EM_X86_64 && header.e_machine != EM_AARCH64))
		return false;
	image->machine = header.e_machine == EM_AARCH64 ? CODE_AARCH64 : CODE_X86_64;
	image->is_fixed = header.e_type == ET_EXEC;
	if (!read_sections(image, elf))
		return false;
	read_thread_segment(image, elf);
	read_relocations(image, elf);
	if (image->machine == CODE_AARCH64)
		read_arm_stubs(image);
	read_symbols(image, elf, debug);
	return budget->left > 0; /* else something was left out */
}

void code_image_release(struct code_image *image)
{
	free(image->sections);
	free(image->symbols);
	free(image->threads);
	free(image->relocations);
	range_table_release(&image->symbol_ranges);
	range_table_release(&image->thread_ranges);
	arena_release(&image->arena);
}
