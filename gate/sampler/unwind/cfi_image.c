/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which loaded object an address is in, which of its bytes may be read, and whether Go's linker
 * made it. Context: handler.
 */
#include "gate/sampler/unwind/cfi.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

enum { PAGE = 4096, MAX_HEADERS = 64 };

static void add_span(struct cfi_image *image, uint64_t low, uint64_t high, bool code)
{
	struct cfi_span *last = image->span_count ? &image->spans[image->span_count - 1] : NULL;

	if (low >= high || image->span_count == sizeof(image->spans) / sizeof(image->spans[0]))
		return;
	if (last && last->high == low && last->code == code) {
		last->high = high;
		return;
	}
	image->spans[image->span_count++] = (struct cfi_span){low, high, code};
}

static void add_segment(struct cfi_image *image, const Elf64_Phdr *header, uint64_t bias,
	uint64_t low, uint64_t high)
{
	uint64_t from = bias + header->p_vaddr;
	uint64_t to = from + header->p_filesz; /* .bss holds no unwind information */

	if (header->p_type != PT_LOAD || !(header->p_flags & PF_R) || to < from)
		return;
	add_span(image, from < low ? low : from, to > high ? high : to,
		(header->p_flags & PF_X) != 0);
}

/* The program headers, when they lie in the object's first page as linkers put them. */
static const Elf64_Phdr *program_headers(uint64_t low, uint64_t high)
{
	const Elf64_Ehdr *elf = (const Elf64_Ehdr *)(uintptr_t)low;
	uint64_t size;

	if (high - low < sizeof(*elf) || *(const fg_u32 *)elf->e_ident != 0x464c457f)
		return NULL;
	if (elf->e_ident[EI_CLASS] != ELFCLASS64 || elf->e_phentsize != sizeof(Elf64_Phdr))
		return NULL;
	size = high - low < PAGE ? high - low : PAGE;
	if (elf->e_phnum > MAX_HEADERS || elf->e_phoff % 8 || elf->e_phoff > size ||
		elf->e_phnum * sizeof(Elf64_Phdr) > size - elf->e_phoff)
		return NULL;
	return (const Elf64_Phdr *)(uintptr_t)(low + elf->e_phoff);
}

/*
 * A mapped object may have holes without access between its segments, so the range that the loader
 * reports is narrowed to the readable segments; without an ELF header the range must do.
 */
static void add_range(struct cfi_image *image, uint64_t low, uint64_t high)
{
	const Elf64_Ehdr *elf = (const Elf64_Ehdr *)(uintptr_t)low;
	const Elf64_Phdr *headers = program_headers(low, high);
	size_t before = image->span_count;
	uint64_t bias = low;
	bool first = true;

	for (int i = 0; headers && i < elf->e_phnum; i++) {
		if (headers[i].p_type == PT_LOAD && first) {
			bias = low - (headers[i].p_vaddr & ~(uint64_t)(PAGE - 1));
			first = false;
		}
		add_segment(image, &headers[i], bias, low, high);
	}
	if (image->span_count == before)
		add_span(image, low, high, true);
	else if (elf->e_entry)
		image->entry = bias + elf->e_entry;
}

static bool find_object(uint64_t address, uint64_t *low, uint64_t *high, uint64_t *hdr)
{
	struct dl_find_object found;

	if (_dl_find_object((void *)(uintptr_t)address, &found))
		return false;
	*low = (uint64_t)(uintptr_t)found.dlfo_map_start;
	*high = (uint64_t)(uintptr_t)found.dlfo_map_end;
	*hdr = (uint64_t)(uintptr_t)found.dlfo_eh_frame;
	return true;
}

bool fg_cfi_image_at(uint64_t address, struct cfi_image *image)
{
	uint64_t low, high, hdr;

	if (!find_object(address, &low, &high, &hdr))
		return false;
	*image = (struct cfi_image){.hdr = hdr};
	add_range(image, low, high);
	/* Of an object with gaps (a program whose text is aligned to huge pages) it was one
	 * segment. */
	if (hdr && (hdr < low || hdr >= high) && find_object(hdr, &low, &high, &hdr))
		add_range(image, low, high);
	return true;
}

const struct cfi_span *fg_cfi_span(const struct cfi_image *image, uint64_t address, uint64_t size)
{
	for (size_t i = 0; i < image->span_count; i++) {
		const struct cfi_span *span = &image->spans[i];

		if (address >= span->low && address < span->high && size <= span->high - address)
			return span;
	}
	return NULL;
}

/* ---- Go's objects ---------------------------------------------------------------------------- */

/* Notes: sizes of name and content, kind, then both, each padded to four bytes. */
static bool has_go_note(const struct cfi_image *image, uint64_t at, uint64_t bytes)
{
	enum { NAME = 4, BUILD_ID = 4 };
	uint64_t end = at + bytes;

	if (!fg_cfi_span(image, at, bytes))
		return false;
	while (end - at >= sizeof(Elf64_Nhdr) + NAME) {
		const fg_u32 *note = (const fg_u32 *)(uintptr_t)at;
		uint64_t size = sizeof(Elf64_Nhdr) + (((uint64_t)note[0] + 3) & ~UINT64_C(3)) +
				(((uint64_t)note[1] + 3) & ~UINT64_C(3));

		if (note[0] == NAME && note[2] == BUILD_ID && memcmp(note + 3, "Go\0", NAME) == 0)
			return true;
		if (size > end - at)
			return false;
		at += size;
	}
	return false;
}

/* Where an object's segments lie apart, the header is in the first,
 * not in the one that was found. */
static uint64_t elf_header(const struct dl_find_object *found)
{
	const struct link_map *map = found->dlfo_link_map;
	uint64_t low = (uint64_t)(uintptr_t)found->dlfo_map_start;

	if (program_headers(low, (uint64_t)(uintptr_t)found->dlfo_map_end) || !map)
		return low;
	if (map->l_name && map->l_name[0])
		return map->l_addr;
	return getauxval(AT_PHDR) & ~(uint64_t)(PAGE - 1);
}

/* The first segment holds the header, at the file's start, and the notes. */
bool fg_cfi_made_by_go(uint64_t address)
{
	struct cfi_image image = {0};
	struct dl_find_object found;
	const Elf64_Phdr *headers;
	uint64_t low, high;

	if (_dl_find_object((void *)(uintptr_t)address, &found) ||
		!find_object(elf_header(&found), &low, &high, &image.hdr))
		return false;
	add_range(&image, low, high);
	headers = program_headers(low, high);
	for (int i = 0; headers && i < ((const Elf64_Ehdr *)(uintptr_t)low)->e_phnum; i++)
		if (headers[i].p_type == PT_NOTE &&
			has_go_note(&image, low + headers[i].p_offset, headers[i].p_filesz))
			return true;
	return false;
}
