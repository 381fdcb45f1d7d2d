/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Are two ELF files the same program? Everything that a run could notice is compared, and debug
 * information is not.
 */
#include "gate/bench/elf/elf_file.h"

#include <string.h>

/*
 * Both files have the same program headers by the time ranges are compared, so one offset means the
 * same in both. Two ranges may differ: the build id, and the fields of the ELF header that say
 * where the section headers are, which move with the debug information.
 */
struct comparison {
	const struct elf_file *a, *b;
	size_t skip_start, skip_end; /* the build id's bytes; equal if none */
	size_t budget; /* bytes still to compare: overlapping ranges must not cost more than the
			  file */
};

static bool spend(struct comparison *comparison, uint64_t bytes)
{
	if (bytes > comparison->budget)
		return false;
	comparison->budget -= (size_t)bytes;
	return true;
}

static bool equal_bytes(const struct comparison *comparison, size_t start, size_t end)
{
	return start >= end ||
	       !memcmp(comparison->a->data + start, comparison->b->data + start, end - start);
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The header itself has been compared field by field. */
static bool equal_range(struct comparison *comparison, uint64_t offset, uint64_t length)
{
	size_t start, end;

	if (offset > comparison->a->size || length > comparison->a->size - offset ||
		offset > comparison->b->size || length > comparison->b->size - offset ||
		!spend(comparison, length))
		return false;
	start = larger((size_t)offset, sizeof(Elf64_Ehdr));
	end = (size_t)(offset + length);
	return equal_bytes(comparison, start, smaller(end, comparison->skip_start)) &&
	       equal_bytes(comparison, larger(start, comparison->skip_end), end);
}

static bool equal_headers(const struct elf_file *a, const struct elf_file *b)
{
	Elf64_Ehdr x = a->header, y = b->header;

	x.e_shoff = y.e_shoff = 0;
	x.e_shnum = y.e_shnum = 0;
	x.e_shstrndx = y.e_shstrndx = 0;
	return !memcmp(&x, &y, sizeof(x)) && a->segment_count &&
	       !memcmp(a->data + a->header.e_phoff, b->data + b->header.e_phoff,
		       a->segment_count * sizeof(Elf64_Phdr));
}

static bool equal_segments(struct comparison *comparison)
{
	size_t i;

	for (i = 0; i < comparison->a->segment_count; i++) {
		Elf64_Phdr segment = elf_file_segment(comparison->a, i);

		if (!equal_range(comparison, segment.p_offset, segment.p_filesz))
			return false;
	}
	return true;
}

/* What no program sees of itself unless it opens its own file to debug itself. */
static bool is_about_the_program(const struct elf_file *elf, const Elf64_Shdr *section)
{
	static const char *const prefixes[] = {".debug_", ".zdebug_", ".gnu.debuglto_"};
	static const char *const names[] = {".symtab", ".strtab", ".shstrtab", ".symtab_shndx",
		".comment", ".gnu_debuglink", ".gnu_debugaltlink", ".gdb_index", ".gnu_debugdata",
		".gnu.build.attributes", ".note.gnu.gold-version", ".stab", ".stabstr", ""};
	const char *name = elf_file_section_name(elf, section);
	size_t i;

	if (section->sh_flags & SHF_ALLOC)
		return false;
	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return *name || section->sh_type == SHT_NULL;
	return false;
}

/* The next section at or after *index that counts; false at the end. */
static bool next_section(const struct elf_file *elf, size_t *index, Elf64_Shdr *section)
{
	for (; *index < elf->section_count; (*index)++) {
		*section = elf_file_section(elf, *index);
		if (!is_about_the_program(elf, section)) {
			(*index)++;
			return true;
		}
	}
	return false;
}

/* Sections outside the segments may lie elsewhere in each file. */
static bool equal_moved(struct comparison *comparison, const Elf64_Shdr *x, const Elf64_Shdr *y)
{
	const struct elf_file *a = comparison->a, *b = comparison->b;

	return x->sh_offset <= a->size && x->sh_size <= a->size - x->sh_offset &&
	       y->sh_offset <= b->size && x->sh_size <= b->size - y->sh_offset &&
	       spend(comparison, x->sh_size) &&
	       !memcmp(a->data + x->sh_offset, b->data + y->sh_offset, (size_t)x->sh_size);
}

static bool equal_section(struct comparison *comparison, const Elf64_Shdr *x, const Elf64_Shdr *y)
{
	if (strcmp(elf_file_section_name(comparison->a, x),
		    elf_file_section_name(comparison->b, y)) != 0 ||
		x->sh_type != y->sh_type || x->sh_flags != y->sh_flags ||
		x->sh_addr != y->sh_addr || x->sh_size != y->sh_size)
		return false;
	if (x->sh_type == SHT_NOBITS || !x->sh_size)
		return true;
	if (!(x->sh_flags & SHF_ALLOC))
		return equal_moved(comparison, x, y);
	return x->sh_offset == y->sh_offset && equal_range(comparison, x->sh_offset, x->sh_size);
}

static bool equal_sections(struct comparison *comparison)
{
	size_t i = 0, j = 0;
	Elf64_Shdr x, y;

	for (;;) {
		bool in_a = next_section(comparison->a, &i, &x);
		bool in_b = next_section(comparison->b, &j, &y);

		if (in_a != in_b)
			return false;
		if (!in_a)
			return true;
		if (!equal_section(comparison, &x, &y))
			return false;
	}
}

/* The end of what the headers describe; behind it lies what was appended to the program. */
static size_t described_end(const struct elf_file *elf)
{
	uint64_t end = elf->header.e_shoff + elf->section_count * sizeof(Elf64_Shdr);
	size_t i;

	for (i = 0; i < elf->section_count; i++) {
		Elf64_Shdr section = elf_file_section(elf, i);
		uint64_t last;

		if (section.sh_type != SHT_NOBITS &&
			!__builtin_add_overflow(section.sh_offset, section.sh_size, &last) &&
			last > end)
			end = last;
	}
	return end < elf->size ? (size_t)end : elf->size;
}

static bool equal_appendix(const struct elf_file *a, const struct elf_file *b)
{
	size_t x = described_end(a), y = described_end(b);

	return a->size - x == b->size - y && !memcmp(a->data + x, b->data + y, a->size - x);
}

/* Skipped only where both files have it at the same place. */
static void find_skip(struct comparison *comparison)
{
	size_t a, b, a_length, b_length;

	if (elf_file_build_id(comparison->a, &a, &a_length) &&
		elf_file_build_id(comparison->b, &b, &b_length) && a == b && a_length == b_length) {
		comparison->skip_start = a;
		comparison->skip_end = a + a_length;
	}
}

bool elf_files_run_alike(const struct elf_file *a, const struct elf_file *b)
{
	struct comparison comparison = {.a = a, .b = b, .budget = 4 * a->size};

	if (!a->section_count || !b->section_count || !equal_headers(a, b))
		return false;
	find_skip(&comparison);
	return equal_segments(&comparison) && equal_sections(&comparison) && equal_appendix(a, b);
}
