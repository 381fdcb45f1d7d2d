/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the symbolizer's child: a linked file as the code hash sees it: which symbol, which
 * section and which relocation is at an address.
 */
#ifndef FG_PROFILE_CODE_IMAGE_H
#define FG_PROFILE_CODE_IMAGE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/profile/code/code_budget.h"
#include "gate/profile/code/code_decode.h"
#include "gate/profile/object/range_table.h"

enum code_symbol_kind { CODE_SYMBOL_FUNCTION, CODE_SYMBOL_STUB, CODE_SYMBOL_DATA };

struct code_symbol {
	uint64_t low, high; /* of thread-local data: in its segment */
	enum code_symbol_kind kind;
	uint32_t rank;    /* of several at one address the highest names it */
	uint32_t file;    /* source file of a local one, numbered from 1; 0: visible to others */
	const char *name; /* without the version */
	uint32_t stem;    /* length of the name without a compiler clone's suffix */
};

struct code_section {
	uint64_t low, high;
	const unsigned char *data; /* NULL: zeros at the start */
	bool writable;             /* by the program: not what is sealed after the start */
	bool executable, is_got;
};

enum code_relocation_kind {
	CODE_RELOCATION_SYMBOL,  /* the symbol's address + addend */
	CODE_RELOCATION_ADDRESS, /* the address that addend is */
	CODE_RELOCATION_THREAD,  /* a place in thread-local storage: name, else addend */
	CODE_RELOCATION_OTHER,
};

struct code_relocation {
	uint64_t address;
	enum code_relocation_kind kind;
	const char *name; /* "" none */
	uint64_t addend;
	uint64_t value; /* of the symbol, where this module defines it */
	bool is_data, is_defined;
	bool is_runtime; /* what C++ knows types by: it is compared, and its content is not read */
	bool is_module;  /* the number of a module that has thread-local storage */
};

struct code_image {
	struct arena arena;
	struct code_budget *budget;
	enum code_machine machine;
	bool has_all_symbols; /* static functions' too */
	bool is_fixed;        /* position-dependent: addresses stand in data without a relocation */
	uint64_t low, high;   /* of all sections */
	uint64_t thread_size; /* of the segment, rounded up to its alignment */
	uint64_t thread_low;  /* where its values at the start are; from thread_values on zeros */
	uint64_t thread_values;
	struct code_section *sections; /* sorted by address, apart from each other */
	size_t section_count, section_capacity;
	struct code_symbol *symbols; /* sorted by address, then as they rank */
	size_t symbol_count, symbol_capacity;
	struct range_table symbol_ranges; /* -> symbols */
	struct code_symbol *threads;      /* thread-local ones */
	size_t thread_count, thread_capacity;
	struct range_table thread_ranges;
	struct code_relocation *relocations; /* sorted by address */
	size_t relocation_count, relocation_capacity;
};

/*
 * elf: the file with the code; debug: where its symbol table is if not in it, or NULL. They and the
 * budget must outlive the image. False if it is of no kind that is known here, or too much for the
 * budget. Release with code_image_release(), then too.
 */
bool code_image_read(Elf *elf, Elf *debug, struct code_budget *budget, struct code_image *image);
void code_image_release(struct code_image *image);

/* What is at an address, or NULL. */
const struct code_section *code_image_section(const struct code_image *image, uint64_t address);
const struct code_symbol *code_image_symbol(const struct code_image *image, uint64_t address);
/* The first symbol that begins behind an address, or NULL. */
const struct code_symbol *code_image_next_symbol(const struct code_image *image, uint64_t address);
const struct code_symbol *code_image_thread(const struct code_image *image, uint64_t offset);
/* The first relocation at or behind an address: an index, maybe relocation_count. */
size_t code_image_relocation(const struct code_image *image, uint64_t address);

#endif
