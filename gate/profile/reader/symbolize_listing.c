/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All functions of a module: the symbols, and what debug information says was compiled into it. A
 * function that was inlined everywhere has no symbol, but an abstract instance beside the others.
 */
#include <dwarf.h>
#include <string.h>

#include "gate/profile/reader/symbolize_dwarf.h"

#define MAX_DIES 8000000 /* looked at: about two seconds */
#define MAX_DEPTH 64

struct lister {
	struct module_listing *out;
	struct map met;   /* digits and file number -> 0 */
	struct map files; /* path -> number from 1 */
	const Dwarf_Die *unit;
	size_t dies;
	bool cut;
};

static uint32_t file_number(struct lister *lister, const char *path)
{
	bool added;
	uint32_t number;
	if (path[0] == '\0')
		return 0;
	number =
		map_intern(&lister->files, path, strlen(path), lister->out->file_count + 1, &added);
	if (!added)
		return number;
	symbol_put_string(&lister->out->files, path);
	return ++lister->out->file_count;
}

static void add_name(struct lister *lister, const char *name, const char *path)
{
	struct {
		char digits[FUNCTION_NAME_DIGITS + 1];
		uint32_t file;
	} key;
	bool added;
	memset(&key, 0, sizeof(key));
	if (name == NULL || name[0] == '\0' || strlen(name) > SYMBOL_MAX_NAME_BYTES)
		return;
	function_name_digits(name, key.digits);
	key.file = file_number(lister, path);
	map_intern(&lister->met, &key, sizeof(key), 0, &added);
	lister->cut = lister->cut || (added && lister->out->name_count == FUNCTION_NAMES_MAX);
	if (!added || lister->cut)
		return;
	strbuf_add(&lister->out->names, key.digits, FUNCTION_NAME_DIGITS);
	symbol_put_u32(&lister->out->names, key.file);
	lister->out->name_count++;
}

static void add_symbol(void *data, const char *name)
{
	add_name(data, name, "");
}

/* A declaration is another module's function, or has its definition elsewhere. */
static void add_function(struct lister *lister, Dwarf_Die *die)
{
	struct arena paths = ARENA_INIT;
	Dwarf_Attribute attribute;
	const char *name;
	if (dwarf_hasattr(die, DW_AT_declaration))
		return;
	name = dwarf_linkage_name(die);
	if (name == NULL)
		name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
	add_name(lister, name, dwarf_file_path(&paths, lister->unit, dwarf_decl_file(die)));
	arena_release(&paths);
}

static void list_below(struct lister *lister, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;
	if (depth > MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		lister->cut = lister->cut || ++lister->dies > MAX_DIES;
		if (tag == DW_TAG_subprogram)
			add_function(lister, &die);
		else if (dwarf_may_hold_functions(tag))
			list_below(lister, &die, depth + 1);
	} while (!lister->cut && dwarf_siblingof(&die, &die) == 0);
}

static void list_units(struct lister *lister, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;
	while (!lister->cut && dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &split) == 0) {
		bool is_split = type == DW_UT_skeleton && dwarf_tag(&split) != DW_TAG_invalid;
		if (type == DW_UT_type || type == DW_UT_split_type)
			continue;
		lister->unit = &die;
		list_below(lister, is_split ? &split : &die, 0);
	}
}

void module_list(struct elf_module *module, Dwarf *dwarf, struct module_listing *listing)
{
	struct lister lister = {.out = listing};
	bool all_symbols;
	map_init(&lister.met);
	map_init(&lister.files);
	all_symbols = elf_module_list(module, add_symbol, &lister);
	if (dwarf != NULL)
		list_units(&lister, dwarf);
	listing->complete = all_symbols && dwarf != NULL && lister.dies > 0 && !lister.cut;
	map_release(&lister.met);
	map_release(&lister.files);
}
