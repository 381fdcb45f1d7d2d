/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/elf/elf_file.h"

#include <string.h>

#if defined(__x86_64__)
#define NATIVE_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define NATIVE_MACHINE EM_AARCH64
#else
#error "no sampler for this machine"
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE_ORDER ELFDATA2LSB
#else
#define NATIVE_ORDER ELFDATA2MSB
#endif

#define MAX_SECTIONS 65536
#define MAX_BUILD_ID_BYTES 64

static bool inside(const struct elf_file *elf, uint64_t offset, uint64_t length)
{
	return offset <= elf->size && length <= elf->size - offset;
}

/* The string at offset within a table of size bytes, or NULL if it does not end there. */
static const char *string_at(const char *table, size_t size, uint64_t offset)
{
	if (offset >= size || !memchr(table + offset, '\0', size - offset))
		return NULL;
	return table + offset;
}

Elf64_Phdr elf_file_segment(const struct elf_file *elf, size_t index)
{
	Elf64_Phdr segment;

	memcpy(&segment, elf->data + elf->header.e_phoff + index * sizeof(segment),
		sizeof(segment));
	return segment;
}

Elf64_Shdr elf_file_section(const struct elf_file *elf, size_t index)
{
	Elf64_Shdr section;

	memcpy(&section, elf->data + elf->header.e_shoff + index * sizeof(section),
		sizeof(section));
	return section;
}

const char *elf_file_section_name(const struct elf_file *elf, const Elf64_Shdr *section)
{
	const char *name = string_at(elf->section_names, elf->section_names_size, section->sh_name);

	return name ? name : "";
}

bool elf_file_has_section(const struct elf_file *elf, const char *name)
{
	size_t i;

	for (i = 0; i < elf->section_count; i++) {
		Elf64_Shdr section = elf_file_section(elf, i);

		if (!strcmp(elf_file_section_name(elf, &section), name))
			return true;
	}
	return false;
}

static bool open_segments(struct elf_file *elf)
{
	if (!elf->header.e_phnum)
		return true;
	elf->segment_count = elf->header.e_phnum;
	return elf->header.e_phentsize == sizeof(Elf64_Phdr) &&
	       inside(elf, elf->header.e_phoff, elf->segment_count * sizeof(Elf64_Phdr));
}

static void open_section_names(struct elf_file *elf, uint64_t index)
{
	Elf64_Shdr names;

	if (index >= elf->section_count)
		return;
	names = elf_file_section(elf, (size_t)index);
	if (names.sh_type != SHT_STRTAB || !inside(elf, names.sh_offset, names.sh_size))
		return;
	elf->section_names = (const char *)elf->data + names.sh_offset;
	elf->section_names_size = names.sh_size;
}

/* Past 65,279 sections the count and the names' index stand in section 0. */
static bool open_sections(struct elf_file *elf)
{
	uint64_t count = elf->header.e_shnum, names = elf->header.e_shstrndx;
	Elf64_Shdr first;

	if (!elf->header.e_shoff)
		return true;
	if (elf->header.e_shentsize != sizeof(first) ||
		!inside(elf, elf->header.e_shoff, sizeof(first)))
		return false;
	first = elf_file_section(elf, 0);
	if (!count)
		count = first.sh_size;
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (count > MAX_SECTIONS || !inside(elf, elf->header.e_shoff, count * sizeof(first)))
		return false;
	elf->section_count = (size_t)count;
	open_section_names(elf, names);
	return true;
}

enum elf_kind elf_file_open(struct elf_file *elf, const void *data, size_t size)
{
	*elf = (struct elf_file){.data = data, .size = size};
	if (size < EI_NIDENT || memcmp(data, ELFMAG, SELFMAG) != 0)
		return ELF_KIND_NONE;
	if (elf->data[EI_CLASS] != ELFCLASS64 || elf->data[EI_DATA] != NATIVE_ORDER)
		return ELF_KIND_FOREIGN;
	if (size < sizeof(elf->header))
		return ELF_KIND_BROKEN;
	memcpy(&elf->header, data, sizeof(elf->header));
	if (elf->header.e_machine != NATIVE_MACHINE)
		return ELF_KIND_FOREIGN;
	return open_segments(elf) && open_sections(elf) ? ELF_KIND_NATIVE : ELF_KIND_BROKEN;
}

const char *elf_file_interpreter(const struct elf_file *elf)
{
	size_t i;

	for (i = 0; i < elf->segment_count; i++) {
		Elf64_Phdr segment = elf_file_segment(elf, i);

		if (segment.p_type != PT_INTERP)
			continue;
		if (!inside(elf, segment.p_offset, segment.p_filesz))
			return NULL;
		return string_at((const char *)elf->data + segment.p_offset, segment.p_filesz, 0);
	}
	return NULL;
}

/* File offset of a link-time address, if size bytes of it are in the file. */
static bool address_to_offset(
	const struct elf_file *elf, uint64_t address, uint64_t size, uint64_t *offset)
{
	size_t i;

	for (i = 0; i < elf->segment_count; i++) {
		Elf64_Phdr segment = elf_file_segment(elf, i);

		if (segment.p_type != PT_LOAD || address < segment.p_vaddr)
			continue;
		if (address - segment.p_vaddr > segment.p_filesz ||
			size > segment.p_filesz - (address - segment.p_vaddr) ||
			!inside(elf, segment.p_offset, segment.p_filesz))
			continue;
		*offset = segment.p_offset + (address - segment.p_vaddr);
		return true;
	}
	return false;
}

const unsigned char *elf_file_bytes(const struct elf_file *elf, uint64_t address, uint64_t size)
{
	uint64_t offset;

	return address_to_offset(elf, address, size, &offset) ? elf->data + offset : NULL;
}

static bool find_dynamic_strings(
	const struct elf_file *elf, const Elf64_Phdr *dynamic, const char **strings, size_t *size)
{
	uint64_t address = 0, bytes = 0, offset;
	size_t i, count = dynamic->p_filesz / sizeof(Elf64_Dyn);

	if (!inside(elf, dynamic->p_offset, dynamic->p_filesz))
		return false;
	for (i = 0; i < count; i++) {
		Elf64_Dyn entry;

		memcpy(&entry, elf->data + dynamic->p_offset + i * sizeof(entry), sizeof(entry));
		if (entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_STRTAB)
			address = entry.d_un.d_ptr;
		else if (entry.d_tag == DT_STRSZ)
			bytes = entry.d_un.d_val;
	}
	if (!bytes || !address_to_offset(elf, address, bytes, &offset))
		return false;
	*strings = (const char *)elf->data + offset;
	*size = (size_t)bytes;
	return true;
}

static bool entries_need_library(const struct elf_file *elf, const Elf64_Phdr *dynamic)
{
	size_t i, count = dynamic->p_filesz / sizeof(Elf64_Dyn);

	if (!inside(elf, dynamic->p_offset, dynamic->p_filesz))
		return false;
	for (i = 0; i < count; i++) {
		Elf64_Dyn entry;

		memcpy(&entry, elf->data + dynamic->p_offset + i * sizeof(entry), sizeof(entry));
		if (entry.d_tag == DT_NULL || entry.d_tag == DT_NEEDED)
			return entry.d_tag == DT_NEEDED;
	}
	return false;
}

bool elf_file_needs_library(const struct elf_file *elf)
{
	size_t i;

	for (i = 0; i < elf->segment_count; i++) {
		Elf64_Phdr segment = elf_file_segment(elf, i);

		if (segment.p_type == PT_DYNAMIC)
			return entries_need_library(elf, &segment);
	}
	return false;
}

static bool table_has_prefix(const char *strings, size_t size, const char *prefix)
{
	size_t length = strlen(prefix);
	const char *end = strings + size, *at = strings;

	while (at && (size_t)(end - at) >= length) {
		if (!memcmp(at, prefix, length))
			return true;
		at = memchr(at, '\0', (size_t)(end - at));
		at = at ? at + 1 : NULL;
	}
	return false;
}

bool elf_file_has_dynamic_string(const struct elf_file *elf, const char *prefix)
{
	const char *strings;
	size_t size, i;

	for (i = 0; i < elf->segment_count; i++) {
		Elf64_Phdr segment = elf_file_segment(elf, i);

		if (segment.p_type == PT_DYNAMIC)
			return find_dynamic_strings(elf, &segment, &strings, &size) &&
			       table_has_prefix(strings, size, prefix);
	}
	return false;
}

static uint64_t padded(uint64_t size)
{
	return (size + 3) & ~(uint64_t)3;
}

/* A note is: sizes of name and content, type, then both, each padded to 4 bytes. */
static bool find_build_id(
	const struct elf_file *elf, const Elf64_Phdr *notes, size_t *offset, size_t *length)
{
	uint64_t at = notes->p_offset, end;

	if (!inside(elf, notes->p_offset, notes->p_filesz))
		return false;
	end = notes->p_offset + notes->p_filesz;
	while (end - at >= sizeof(Elf64_Nhdr)) {
		uint64_t content;
		Elf64_Nhdr note;

		memcpy(&note, elf->data + at, sizeof(note));
		content = at + sizeof(note) + padded(note.n_namesz);
		if (content > end || padded(note.n_descsz) > end - content)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
			note.n_descsz <= MAX_BUILD_ID_BYTES &&
			!memcmp(elf->data + at + sizeof(note), "GNU", 4)) {
			*offset = (size_t)content;
			*length = note.n_descsz;
			return true;
		}
		at = content + padded(note.n_descsz);
	}
	return false;
}

bool elf_file_build_id(const struct elf_file *elf, size_t *offset, size_t *length)
{
	size_t i;

	for (i = 0; i < elf->segment_count; i++) {
		Elf64_Phdr segment = elf_file_segment(elf, i);

		if (segment.p_type == PT_NOTE && find_build_id(elf, &segment, offset, length))
			return true;
	}
	return false;
}
