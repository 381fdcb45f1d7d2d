/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debug information by libdw. The ranges of all units are read first, a unit's tree of functions
 * and what is inlined into them when the first address in it is asked for, and a function's name
 * when it is first hit: a profile touches a small part of most libraries.
 */
#include "gate/profile/reader/module_reader.h"

#include <dwarf.h>
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/profile/reader/symbolize_dwarf.h"

#define MAX_DIE_DEPTH 256
#define NO_FUNCTION UINT32_MAX
#define NO_SCOPE UINT32_MAX

struct unit {
	Dwarf_Die die;   /* with the line table and the ranges */
	Dwarf_Die split; /* with the functions: the same, or the .dwo's */
	bool loaded;
	struct range_table scopes;
};

/* A function, or a place where one was inlined. */
struct scope {
	Dwarf_Die die;
	uint32_t parent; /* what this is inlined into; NO_SCOPE for a function */
	uint32_t function;
};

struct module_reader {
	struct elf_module module;
	Dwarf *dwarf;
	struct unit *units;
	size_t unit_count, unit_capacity;
	struct range_table unit_ranges;
	struct scope *scopes;
	size_t scope_count, scope_capacity;
	struct arena arena;
	struct symbol_function *functions;
	size_t function_count, function_capacity;
	struct map function_index;
	unsigned flags;
	char *build_id;             /* "" unknown */
	struct code_hasher *hasher; /* NULL: not asked for yet */
};

/* ---- names and files ------------------------------------------------------------------------- */

static size_t drop_last_component(char *path, size_t length)
{
	while (length > 0 && path[length - 1] != '/')
		length--;
	return length > 1 ? length - 1 : 0;
}

void symbol_path_normalize(char *path)
{
	bool absolute = path[0] == '/';
	size_t out = 0, kept = 0; /* kept: leading "..", which nothing can cancel */
	char *const base = path + absolute;
	for (const char *at = base; *at != '\0';) {
		size_t length = strcspn(at, "/");
		bool up = length == 2 && at[0] == '.' && at[1] == '.';
		bool skip = length == 0 || (length == 1 && at[0] == '.');
		if (up && out > kept) {
			out = drop_last_component(base, out);
		} else if (!skip && !(up && absolute)) {
			if (out > 0)
				base[out++] = '/';
			memmove(base + out, at, length);
			out += length;
			kept = up ? out : kept;
		}
		at += length + (at[length] == '/');
	}
	base[out] = '\0';
}

const char *dwarf_file_path(struct arena *arena, const Dwarf_Die *unit, const char *file)
{
	Dwarf_Die die = *unit;
	Dwarf_Attribute attribute;
	const char *directory = NULL;
	if (file == NULL || file[0] == '\0' || strlen(file) > SYMBOL_MAX_NAME_BYTES)
		return "";
	if (file[0] != '/')
		directory = dwarf_formstring(dwarf_attr(&die, DW_AT_comp_dir, &attribute));
	if (directory != NULL && strlen(directory) > SYMBOL_MAX_NAME_BYTES)
		directory = NULL;
	char *joined = directory == NULL ? arena_strdup(arena, file)
					 : arena_printf(arena, "%s/%s", directory, file);
	symbol_path_normalize(joined);
	return strlen(joined) > SYMBOL_MAX_NAME_BYTES ? "" : joined;
}

static const char *bounded(struct arena *arena, const char *name)
{
	size_t length = strnlen(name, SYMBOL_MAX_NAME_BYTES + 1);
	return length <= SYMBOL_MAX_NAME_BYTES ? name
					       : arena_strndup(arena, name, SYMBOL_MAX_NAME_BYTES);
}

/*
 * libiberty.a is made for programs that have these functions from it. base has its own of the same
 * names; this is the one that base does not have, and without it the linker takes libiberty's all.
 */
void *xrealloc(void *old, size_t size);
void *xrealloc(void *old, size_t size)
{
	return xrealloc_array(old, size, 1);
}

/* NULL if it is not a mangled name. */
static const char *demangled(struct arena *arena, const char *linkage)
{
	if (strlen(linkage) > SYMBOL_MAX_NAME_BYTES)
		return NULL;
	char *name = cplus_demangle(linkage, DMGL_AUTO | DMGL_PARAMS | DMGL_ANSI);
	if (name == NULL)
		return NULL;
	const char *copy = arena_strndup(arena, name, strnlen(name, SYMBOL_MAX_NAME_BYTES));
	free(name);
	return copy;
}

static uint32_t intern_function(
	struct module_reader *reader, const struct symbol_function *function)
{
	bool added;
	struct strbuf key = STRBUF_INIT;
	symbol_put_string(&key, function->name);
	symbol_put_string(&key, function->system_name);
	symbol_put_string(&key, function->file);
	symbol_put_u32(&key, function->start_line);
	uint32_t id = map_intern(&reader->function_index, key.data, key.length,
		(uint32_t)reader->function_count, &added);
	strbuf_release(&key);
	if (!added)
		return id;
	reader->functions = grow_array(reader->functions, &reader->function_capacity,
		reader->function_count + 1, sizeof(*reader->functions));
	struct symbol_function *copy = &reader->functions[reader->function_count++];
	copy->name = arena_strdup(&reader->arena, function->name);
	copy->system_name = arena_strdup(&reader->arena, function->system_name);
	copy->file = arena_strdup(&reader->arena, function->file);
	copy->start_line = function->start_line;
	return id;
}

/* source NULL: the language's name is unknown. Returns NO_FUNCTION if there is no name at all. */
static uint32_t make_function(struct module_reader *reader, const char *source, const char *linkage,
	const char *file, uint32_t line)
{
	struct arena scratch = ARENA_INIT;
	uint32_t id = NO_FUNCTION;
	const char *name = linkage == NULL ? NULL : demangled(&scratch, linkage);
	if (name == NULL)
		name = source != NULL ? source : linkage;
	if (name != NULL && name[0] != '\0') {
		struct symbol_function function = {bounded(&scratch, name), "", file, line};
		if (linkage != NULL && strcmp(linkage, name) != 0)
			function.system_name = bounded(&scratch, linkage);
		id = intern_function(reader, &function);
	}
	arena_release(&scratch);
	return id;
}

static const char *string_attribute(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

const char *dwarf_linkage_name(Dwarf_Die *die)
{
	const char *name = string_attribute(die, DW_AT_linkage_name);
	return name != NULL ? name : string_attribute(die, DW_AT_MIPS_linkage_name);
}

/* Go's functions that are inlined name no file of their own: theirs is their lines'. */
static uint32_t scope_function(struct module_reader *reader, const struct unit *unit,
	struct scope *scope, const char *file_of_line)
{
	int line = 0;
	struct arena scratch = ARENA_INIT;
	if (scope->function != NO_FUNCTION)
		return scope->function;
	const char *linkage = dwarf_linkage_name(&scope->die);
	if (dwarf_decl_line(&scope->die, &line) != 0 || line < 0)
		line = 0;
	const char *declared = dwarf_decl_file(&scope->die);
	scope->function = make_function(reader, string_attribute(&scope->die, DW_AT_name), linkage,
		declared == NULL ? file_of_line : dwarf_file_path(&scratch, &unit->die, declared),
		(uint32_t)line);
	arena_release(&scratch);
	return scope->function;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* A range that the linker has thrown away starts at 0 or so, outside the program's code. */
static bool add_die_ranges(struct module_reader *reader, Dwarf_Die *die, struct range_table *table,
	uint32_t depth, uint32_t entry)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t offset = 0;
	bool any = false;
	while ((offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
		if (low >= high || range_table_find(&reader->module.text, low) == RANGE_NONE)
			continue;
		range_table_add(table, low, high, depth, entry);
		any = true;
	}
	return any;
}

bool dwarf_may_hold_functions(int tag)
{
	switch (tag) {
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type: /* Rust's enums have methods */
		return true;
	default:
		return false;
	}
}

static bool add_scope(struct module_reader *reader, struct unit *unit, Dwarf_Die *die,
	uint32_t parent, uint32_t depth)
{
	uint32_t id = (uint32_t)reader->scope_count;
	if (id == NO_SCOPE || !add_die_ranges(reader, die, &unit->scopes, depth, id))
		return false;
	reader->scopes = grow_array(reader->scopes, &reader->scope_capacity,
		reader->scope_count + 1, sizeof(*reader->scopes));
	reader->scopes[reader->scope_count++] = (struct scope){*die, parent, NO_FUNCTION};
	return true;
}

static void read_scopes(struct module_reader *reader, struct unit *unit, Dwarf_Die *parent_die,
	uint32_t parent, uint32_t depth)
{
	Dwarf_Die die;
	if (depth > MAX_DIE_DEPTH || dwarf_child(parent_die, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		bool inlined = tag == DW_TAG_inlined_subroutine;
		uint32_t id = (uint32_t)reader->scope_count;
		if (tag == DW_TAG_subprogram || inlined) {
			if (add_scope(reader, unit, &die, inlined ? parent : NO_SCOPE, depth))
				read_scopes(reader, unit, &die, id, depth + 1);
		} else if (dwarf_may_hold_functions(tag)) {
			read_scopes(reader, unit, &die, parent, depth + 1);
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

static void read_units(struct module_reader *reader)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;
	while (dwarf_get_units(reader->dwarf, cu, &cu, NULL, &type, &die, &split) == 0) {
		uint32_t id = (uint32_t)reader->unit_count;
		if (type == DW_UT_type || type == DW_UT_split_type ||
			!add_die_ranges(reader, &die, &reader->unit_ranges, 0, id))
			continue;
		reader->units = grow_array(reader->units, &reader->unit_capacity,
			reader->unit_count + 1, sizeof(*reader->units));
		bool is_split = type == DW_UT_skeleton && dwarf_tag(&split) != DW_TAG_invalid;
		reader->units[reader->unit_count++] =
			(struct unit){.die = die, .split = is_split ? split : die};
	}
	range_table_flatten(&reader->unit_ranges);
}

static struct unit *find_unit(struct module_reader *reader, uint64_t address)
{
	uint32_t id = range_table_find(&reader->unit_ranges, address);
	if (id == RANGE_NONE)
		return NULL;
	struct unit *unit = &reader->units[id];
	if (!unit->loaded) {
		read_scopes(reader, unit, &unit->split, NO_SCOPE, 0);
		range_table_flatten(&unit->scopes);
		unit->loaded = true;
	}
	return unit;
}

/* ---- addresses ------------------------------------------------------------------------------- */

struct source_line {
	const char *file; /* "" unknown */
	uint32_t line;
};

static struct source_line table_line(
	struct arena *scratch, const struct unit *unit, uint64_t address)
{
	Dwarf_Die die = unit->die;
	int number;
	Dwarf_Line *line = dwarf_getsrc_die(&die, address);
	if (line == NULL || dwarf_lineno(line, &number) != 0 || number <= 0)
		return (struct source_line){"", 0};
	const char *file = dwarf_linesrc(line, NULL, NULL);
	return (struct source_line){dwarf_file_path(scratch, &unit->die, file), (uint32_t)number};
}

static struct source_line call_line(
	struct arena *scratch, const struct unit *unit, struct scope *scope)
{
	Dwarf_Die unit_die = unit->split;
	Dwarf_Attribute attribute;
	Dwarf_Word line, file_index;
	Dwarf_Files *files;
	size_t file_count;
	const char *file = NULL;
	if (dwarf_formudata(dwarf_attr(&scope->die, DW_AT_call_line, &attribute), &line) != 0 ||
		line > INT32_MAX)
		return (struct source_line){"", 0};
	if (dwarf_formudata(dwarf_attr(&scope->die, DW_AT_call_file, &attribute), &file_index) ==
			0 &&
		dwarf_getsrcfiles(&unit_die, &files, &file_count) == 0 && file_index < file_count)
		file = dwarf_filesrc(files, file_index, NULL, NULL);
	return (struct source_line){dwarf_file_path(scratch, &unit->die, file), (uint32_t)line};
}

/*
 * A profile's function has one file. A line in another one (code from an #include inside the
 * function, #line) would point at the wrong text: it is left unknown.
 */
static uint32_t line_in(const struct symbol_function *function, const struct source_line *line)
{
	bool elsewhere = function->file[0] != '\0' && line->file[0] != '\0' &&
			 strcmp(function->file, line->file) != 0;
	return elsewhere ? 0 : line->line;
}

static size_t resolve_scopes(struct module_reader *reader, struct arena *scratch,
	const struct unit *unit, uint32_t id, struct source_line line,
	struct symbol_frame frames[SYMBOL_MAX_INLINED])
{
	size_t count = 0;
	while (id != NO_SCOPE && count < SYMBOL_MAX_INLINED) {
		struct scope *scope = &reader->scopes[id];
		uint32_t function = scope_function(reader, unit, scope, line.file);
		if (function == NO_FUNCTION)
			return 0;
		frames[count++] = (struct symbol_frame){
			function, line_in(&reader->functions[function], &line)};
		line = call_line(scratch, unit, scope);
		id = scope->parent;
	}
	return count;
}

size_t module_reader_resolve(struct module_reader *reader, uint64_t address,
	struct symbol_frame frames[SYMBOL_MAX_INLINED])
{
	struct arena scratch = ARENA_INIT;
	struct source_line line = {"", 0};
	size_t count = 0;
	const struct unit *unit = find_unit(reader, address);
	if (unit != NULL) {
		line = table_line(&scratch, unit, address);
		count = resolve_scopes(reader, &scratch, unit,
			range_table_find(&unit->scopes, address), line, frames);
	}
	const char *symbol = count > 0 ? NULL : elf_module_symbol(&reader->module, address);
	if (symbol != NULL) {
		frames[0].function = make_function(reader, NULL, symbol, line.file, 0);
		frames[0].line = line.line;
		count = frames[0].function != NO_FUNCTION;
	}
	arena_release(&scratch);
	return count;
}

/* ---- opening --------------------------------------------------------------------------------- */

int module_reader_open(
	const char *path, const char *build_id, struct module_reader **out, struct error *err)
{
	struct module_reader *reader = xcalloc(1, sizeof(*reader));
	int code = elf_module_open(path, build_id, &reader->module, err);
	if (code != ERR_OK) {
		free(reader);
		return code;
	}
	arena_init(&reader->arena);
	map_init(&reader->function_index);
	reader->flags = SYMBOL_HAS_FUNCTIONS;
	reader->build_id = xstrdup(build_id);
	Elf *debug = elf_module_debug_info(&reader->module);
	if (debug != NULL)
		reader->dwarf = dwarf_begin_elf(debug, DWARF_C_READ, NULL);
	if (reader->dwarf != NULL) {
		read_units(reader);
		reader->flags |= SYMBOL_HAS_FILES | SYMBOL_HAS_LINES | SYMBOL_HAS_INLINED;
	}
	*out = reader;
	return ERR_OK;
}

void module_reader_close(struct module_reader *reader)
{
	if (reader == NULL)
		return;
	if (reader->dwarf != NULL)
		dwarf_end(reader->dwarf);
	for (size_t i = 0; i < reader->unit_count; i++)
		range_table_release(&reader->units[i].scopes);
	free(reader->units);
	free(reader->scopes);
	free(reader->functions);
	range_table_release(&reader->unit_ranges);
	map_release(&reader->function_index);
	arena_release(&reader->arena);
	code_hasher_free(reader->hasher);
	free(reader->build_id);
	elf_module_release(&reader->module);
	free(reader);
}

unsigned module_reader_flags(const struct module_reader *reader)
{
	return reader->flags;
}

const struct symbol_function *module_reader_function(
	const struct module_reader *reader, uint32_t function)
{
	return &reader->functions[function];
}

static uint32_t line_of(void *data, uint64_t address)
{
	const struct unit *unit = find_unit(data, address);
	int number = 0;
	if (unit == NULL)
		return 0;
	Dwarf_Die die = unit->die;
	Dwarf_Line *line = dwarf_getsrc_die(&die, address);
	return line != NULL && dwarf_lineno(line, &number) == 0 && number > 0 ? (uint32_t)number
									      : 0;
}

void module_reader_code(struct module_reader *reader, struct code_budget *budget, uint64_t address,
	struct code_identity *identity)
{
	if (reader->hasher == NULL) {
		reader->hasher = code_hasher_new(reader->module.file.elf, reader->module.debug.elf,
			reader->build_id, budget);
		code_hasher_know_lines(reader->hasher, line_of, reader);
	}
	code_hasher_find(reader->hasher, address, identity);
}

void module_reader_list(struct module_reader *reader, struct module_listing *listing)
{
	module_list(&reader->module, reader->dwarf, listing);
}
