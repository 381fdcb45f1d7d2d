/* SPDX-License-Identifier: Apache-2.0 */
/* The symbol tables: which name an address gets where there is no debug information. */
#include "gate/profile/object/symbolize_elf.h"

#include <stdlib.h>
#include <string.h>

struct symbol {
	uint64_t low, high; /* equal: the size is unknown */
	uint64_t bound;     /* end of its section */
	const char *name;
	uint32_t rank; /* of several at one address the highest names it; 0: a function's start */
};

struct symbol_list {
	struct elf_module *module;
	struct symbol *symbols;
	size_t count, capacity;
};

/* glibc's aliases differ by leading underscores; people know the plain name. */
static uint32_t plainness(const char *name)
{
	size_t underscores = strspn(name, "_");
	return underscores > 3 ? 0 : 3 - (uint32_t)underscores;
}

static uint32_t symbol_rank(unsigned type, unsigned binding, bool sized, const char *name)
{
	uint32_t rank = type == STT_NOTYPE ? 0 : 1;
	rank = rank * 2 + sized;
	rank = rank * 3 + (binding == STB_GLOBAL ? 2u : binding == STB_WEAK ? 1u : 0u);
	return rank * 4 + plainness(name) + 1;
}

/* A mapping symbol ("$x") or an assembler's local label names no function. */
static bool names_function(unsigned type, const char *name)
{
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return name[0] != '\0';
	return type == STT_NOTYPE && name[0] != '\0' && name[0] != '$' &&
	       strncmp(name, ".L", 2) != 0;
}

/* "memcpy@@GLIBC_2.14" is memcpy; any other use of the sign belongs to the name. */
static const char *without_version(struct arena *arena, const char *name)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789_.";
	const char *version = strstr(name, "@@");
	if (version == NULL || version == name || version[2] == '\0' ||
		version[2 + strspn(version + 2, allowed)] != '\0')
		return name;
	return arena_strndup(arena, name, (size_t)(version - name));
}

static void list_add(struct symbol_list *list, const struct symbol *symbol)
{
	list->symbols =
		grow_array(list->symbols, &list->capacity, list->count + 1, sizeof(*list->symbols));
	list->symbols[list->count++] = *symbol;
}

static void list_add_elf(
	struct symbol_list *list, Elf *elf, const GElf_Sym *symbol, const char *name)
{
	GElf_Shdr section;
	unsigned type = GELF_ST_TYPE(symbol->st_info);
	uint64_t low = symbol->st_value, high = low + symbol->st_size;
	if (name == NULL || symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE ||
		!names_function(type, name) || high < low ||
		range_table_find(&list->module->text, low) == RANGE_NONE)
		return;
	if (gelf_getshdr(elf_getscn(elf, symbol->st_shndx), &section) == NULL ||
		!(section.sh_flags & SHF_EXECINSTR))
		return;
	struct symbol added = {
		.low = low,
		.high = high,
		.bound = section.sh_addr + section.sh_size,
		.name = without_version(&list->module->arena, name),
		.rank = symbol_rank(type, GELF_ST_BIND(symbol->st_info), high > low, name),
	};
	list_add(list, &added);
}

/* Returns whether there was such a table. */
static bool read_table(struct symbol_list *list, Elf *elf, GElf_Word type)
{
	bool found = false;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
		GElf_Shdr header;
		Elf_Data *data;
		if (gelf_getshdr(section, &header) == NULL || header.sh_type != type ||
			header.sh_entsize == 0 || (data = elf_getdata(section, NULL)) == NULL)
			continue;
		size_t count = data->d_size / header.sh_entsize;
		struct elf_names names = elf_names_read(elf, header.sh_link);
		for (size_t i = 1; i < count && i < INT32_MAX; i++) {
			GElf_Sym symbol;
			if (gelf_getsym(data, (int)i, &symbol) == NULL)
				break;
			list_add_elf(list, elf, &symbol, elf_name(&names, symbol.st_name));
			found = true;
		}
	}
	return found;
}

static uint64_t section_end(Elf *elf, uint64_t address)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
		GElf_Shdr header;
		if (gelf_getshdr(section, &header) != NULL && (header.sh_flags & SHF_EXECINSTR) &&
			address >= header.sh_addr && address - header.sh_addr < header.sh_size)
			return header.sh_addr + header.sh_size;
	}
	return address;
}

static void add_stub(void *data, uint64_t address, uint64_t size, const char *name)
{
	struct symbol_list *list = data;
	struct symbol stub = {.low = address, .high = address + size, .rank = 1};
	stub.name = arena_printf(&list->module->arena, "%s@plt", name);
	list_add(list, &stub);
}

/* A function without a symbol is named by its place. Its size is guessed: it ends where the next
 * starts. */
static void add_start(void *data, uint64_t address)
{
	struct symbol_list *list = data;
	struct symbol start = {.low = address, .high = address};
	if (range_table_find(&list->module->text, address) == RANGE_NONE)
		return;
	start.bound = section_end(list->module->file.elf, address);
	list_add(list, &start);
}

static const char *place_name(struct elf_module *module, uint64_t address)
{
	const char *slash = strrchr(module->file.path, '/');
	return arena_printf(&module->arena, "[%s+0x%llx]",
		slash == NULL ? module->file.path : slash + 1, (unsigned long long)address);
}

/* Sorted by address; of those at one address the one that names it comes last. */
static int compare_symbols(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->name == NULL || b->name == NULL)
		return 0;
	return strcmp(b->name, a->name);
}

/* A symbol without a size reaches to the next one, unless it is a label inside a sized one. */
static uint64_t guess_end(const struct symbol_list *list, size_t index, uint64_t covered)
{
	const struct symbol *symbol = &list->symbols[index];
	if (symbol->low < covered)
		return symbol->low;
	for (size_t next = index + 1; next < list->count; next++)
		if (list->symbols[next].low > symbol->low)
			return list->symbols[next].low < symbol->bound ? list->symbols[next].low
								       : symbol->bound;
	return symbol->bound;
}

static void index_symbols(struct symbol_list *list)
{
	struct elf_module *module = list->module;
	uint64_t covered = 0;
	for (size_t i = 0; i < list->count; i++) {
		const struct symbol *symbol = &list->symbols[i];
		bool sized = symbol->high > symbol->low;
		bool last = i + 1 == list->count || list->symbols[i + 1].low != symbol->low;
		if (!sized && !last)
			continue;
		module->names = grow_array(module->names, &module->name_capacity,
			module->name_count + 1, sizeof(*module->names));
		module->names[module->name_count] =
			symbol->name != NULL ? symbol->name : place_name(module, symbol->low);
		range_table_add(&module->symbols, symbol->low,
			sized ? symbol->high : guess_end(list, i, covered), (uint32_t)i,
			(uint32_t)module->name_count++);
		if (sized && symbol->high > covered)
			covered = symbol->high;
	}
	range_table_flatten(&module->symbols);
}

static void read_symbols(struct elf_module *module)
{
	struct symbol_list list = {.module = module};
	bool full = read_table(&list, module->file.elf, SHT_SYMTAB);
	if (!full && module->debug.elf != NULL)
		full = read_table(&list, module->debug.elf, SHT_SYMTAB);
	if (!full)
		read_table(&list, module->file.elf, SHT_DYNSYM);
	elf_read_plt(module->file.elf, add_stub, &list);
	elf_read_starts(module->file.elf, add_start, &list);
	if (list.count > 1)
		qsort(list.symbols, list.count, sizeof(*list.symbols), compare_symbols);
	index_symbols(&list);
	free(list.symbols);
	module->symbols_read = true;
}

bool elf_module_list(struct elf_module *module, elf_name_callback *callback, void *data)
{
	struct symbol_list list = {.module = module};
	bool full = read_table(&list, module->file.elf, SHT_SYMTAB);
	if (!full && module->debug.elf != NULL)
		full = read_table(&list, module->debug.elf, SHT_SYMTAB);
	if (!full)
		read_table(&list, module->file.elf, SHT_DYNSYM);
	for (size_t i = 0; i < list.count; i++)
		callback(data, list.symbols[i].name);
	free(list.symbols);
	return full;
}

const char *elf_module_symbol(struct elf_module *module, uint64_t address)
{
	if (!module->symbols_read)
		read_symbols(module);
	uint32_t entry = range_table_find(&module->symbols, address);
	return entry == RANGE_NONE ? NULL : module->names[entry];
}
