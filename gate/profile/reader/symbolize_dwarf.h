/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the symbolizer's child: what symbolize_dwarf.c (names of addresses) and
 * symbolize_listing.c (names of all functions) read of debug information alike.
 */
#ifndef FG_PROFILE_SYMBOLIZE_DWARF_H
#define FG_PROFILE_SYMBOLIZE_DWARF_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "gate/base/map.h"
#include "gate/profile/object/symbolize_elf.h"
#include "gate/profile/reader/module_reader.h"
#include "gate/profile/reader/symbolize_wire.h"

/* The file as DWARF has it, joined with the unit's directory; in the arena; "" if there is none. */
const char *dwarf_file_path(struct arena *arena, const Dwarf_Die *unit, const char *file);
/* A tag between a unit and a function: a namespace, a class. */
bool dwarf_may_hold_functions(int tag);
/* NULL: it has none. */
const char *dwarf_linkage_name(Dwarf_Die *die);

/* symbolize_listing.c. dwarf: NULL if there is no debug information. */
void module_list(struct elf_module *module, Dwarf *dwarf, struct module_listing *listing);

#endif
