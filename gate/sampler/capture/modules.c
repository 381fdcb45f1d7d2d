/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The module table: objects that a sampled pc fell in, found through _dl_find_object()
 * (async-signal safe) and identified by the build id in their mapped notes. Readers take no lock;
 * adding does, in the handler with all signals blocked, or elsewhere with ours blocked.
 */
#include "gate/sampler/sampler.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/uio.h>
#include <unistd.h>

#include "gate/sampler/raw.h"
#include "gate/sampler/slowdown.h"

#define SLOTS 4096 /* a power of two */
#define MAX_NOTE_BYTES 4096
#define MAX_HEADERS 64

/* What tells two objects at the same address apart. */
struct identity {
	uint64_t start, limit, bias;
	const void *eh_frame, *dynamic;
};

/*
 * What a slot holds counts for one image (table.image) alone: a fork frees all by taking the next
 * number. Published by a release store.
 */
enum slot_kind { SLOT_FREE, SLOT_KNOWN, SLOT_GONE };

struct slot {
	uint32_t state; /* image << 2 | enum slot_kind */
	uint32_t index; /* in the capture's table */
	struct identity identity;
};

static struct {
	struct slot slots[SLOTS];
	uint32_t used, lock, layout, image;
	struct fg_block *block; /* the newest module block */
	uint32_t count;
	uint64_t self_start, self_limit;
	uint64_t vdso_start;
	uint64_t program; /* its ELF header */
} table;

static bool find_object(uint64_t pc, struct identity *identity, const struct link_map **map)
{
	struct dl_find_object found;

	if (_dl_find_object((void *)(uintptr_t)pc, &found) != 0)
		return false;
	*map = found.dlfo_link_map;
	identity->start = (uint64_t)found.dlfo_map_start;
	identity->limit = (uint64_t)found.dlfo_map_end;
	identity->eh_frame = found.dlfo_eh_frame;
	identity->bias = *map ? (*map)->l_addr : 0;
	identity->dynamic = *map ? (*map)->l_ld : NULL;
	return true;
}

/* A fault (a file truncated under its mapping) is an error here, not a signal. Where the call is
 * forbidden the build id stays unknown. */
static bool peek(uint64_t address, void *out, size_t bytes)
{
	struct iovec local = {out, bytes}, remote = {(void *)(uintptr_t)address, bytes};

	return FG_RAW6(SYS_process_vm_readv, getpid(), &local, 1, &remote, 1, 0) == (long)bytes;
}

static uint16_t scan_notes(const unsigned char *notes, size_t length, unsigned char *build_id)
{
	size_t at = 0;

	while (length - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		size_t name_bytes, desc_bytes, left;

		memcpy(&note, notes + at, sizeof(note));
		at += sizeof(note);
		left = length - at;
		name_bytes = ((size_t)note.n_namesz + 3) & ~(size_t)3;
		desc_bytes = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		if (name_bytes > left || desc_bytes > left - name_bytes)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
			memcmp(notes + at, "GNU", 4) == 0 && note.n_descsz <= FG_MAX_BUILD_ID) {
			memcpy(build_id, notes + at + name_bytes, note.n_descsz);
			return (uint16_t)note.n_descsz;
		}
		at += name_bytes + desc_bytes;
	}
	return 0;
}

/* What is mapped in one piece from an ELF header on. */
struct piece {
	uint64_t start, limit, bias;
};

static uint16_t read_note_segment(
	const struct piece *piece, const Elf64_Phdr *header, unsigned char *build_id)
{
	static unsigned char notes[MAX_NOTE_BYTES]; /* under the lock; handler stacks are small */
	uint64_t address = piece->bias + header->p_vaddr;
	size_t length = header->p_filesz;

	if (length > sizeof(notes))
		length = sizeof(notes);
	if (address < piece->start || address >= piece->limit || length > piece->limit - address ||
		!peek(address, notes, length))
		return 0;
	return scan_notes(notes, length, build_id);
}

static bool read_elf(uint64_t start, Elf64_Ehdr *elf)
{
	return peek(start, elf, sizeof(*elf)) && memcmp(elf->e_ident, ELFMAG, SELFMAG) == 0 &&
	       elf->e_ident[EI_CLASS] == ELFCLASS64 && elf->e_phentsize == sizeof(Elf64_Phdr) &&
	       elf->e_phoff <= FG_BLOCK_ALIGN;
}

static bool read_header(uint64_t start, const Elf64_Ehdr *elf, unsigned i, Elf64_Phdr *header)
{
	return i < elf->e_phnum && i < MAX_HEADERS &&
	       peek(start + elf->e_phoff + i * sizeof(*header), header, sizeof(*header));
}

static uint16_t read_build_id(const struct piece *piece, unsigned char *build_id)
{
	Elf64_Ehdr elf;
	Elf64_Phdr header;

	if (!read_elf(piece->start, &elf))
		return 0;
	for (unsigned i = 0; read_header(piece->start, &elf, i, &header); i++) {
		uint16_t length =
			header.p_type == PT_NOTE ? read_note_segment(piece, &header, build_id) : 0;

		if (length)
			return length;
	}
	return 0;
}

/* Empty where none is found: nothing is read from it then. */
static struct piece first_piece(uint64_t start, uint64_t bias)
{
	struct piece piece = {start, start, bias};
	Elf64_Ehdr elf;
	Elf64_Phdr header;

	if (!read_elf(start, &elf))
		return piece;
	for (unsigned i = 0; read_header(start, &elf, i, &header); i++)
		if (header.p_type == PT_LOAD && bias + header.p_vaddr == start)
			piece.limit = start + header.p_filesz;
	return piece;
}

/*
 * Where segments lie apart (-z max-page-size), each is an object for _dl_find_object(): the header
 * and the notes are in the first one, not in the one with the code.
 */
static uint16_t find_build_id(
	const struct identity *identity, const struct link_map *map, unsigned char *build_id)
{
	struct piece piece = {identity->start, identity->limit, identity->bias};
	uint16_t length = read_build_id(&piece, build_id);
	bool is_program = map && (!map->l_name || !map->l_name[0]);

	if (length || !map)
		return length;
	piece = first_piece(is_program ? table.program : identity->bias, identity->bias);
	return read_build_id(&piece, build_id);
}

/* The loader's name; made absolute where somebody opened a relative one. Length, 0 if unknown. */
static size_t module_path(const struct identity *identity, const struct link_map *map, char *out)
{
	const char *name = map && map->l_name ? map->l_name : "";
	size_t used = 0, length;

	if (identity->start == table.vdso_start && table.vdso_start)
		name = "[vdso]";
	else if (!name[0])
		name = fg_config.executable;
	else if (name[0] != '/' && getcwd(out, FG_CAPTURE_PATH_BYTES - 1)) {
		used = strlen(out);
		out[used++] = '/';
	}
	length = strlen(name);
	if (used + length > FG_CAPTURE_PATH_BYTES)
		return 0;
	memcpy(out + used, name, length);
	return used + length;
}

static struct fg_module *reserve_record(size_t bytes)
{
	if (!table.block || table.block->used + bytes > table.block->bytes - sizeof(*table.block)) {
		struct fg_block *block = fg_capture_block(FG_BLOCK_MODULES, FG_RECORD_BLOCK_BYTES);

		if (!block)
			return NULL;
		table.block = block;
	}
	return (struct fg_module *)((char *)(table.block + 1) + table.block->used);
}

#define TYPICAL_BYTES 256 /* of a build id and a path */

/* Appends the object to the capture. Its index, or FG_MAX_MODULES when there is no room. */
static uint32_t append_module(const struct identity *identity, const struct link_map *map)
{
	unsigned char build_id[FG_MAX_BUILD_ID];
	static char path[FG_CAPTURE_PATH_BYTES]; /* as the notes */
	struct fg_module *record;
	size_t path_bytes, bytes;
	uint16_t id_bytes;

	/* Before the object is read, which takes long: a full capture would ask at each sample. */
	if (table.count >= FG_MAX_MODULES || !reserve_record(sizeof(*record) + TYPICAL_BYTES))
		return FG_MAX_MODULES;
	id_bytes = find_build_id(identity, map, build_id);
	path_bytes = module_path(identity, map, path);
	bytes = (sizeof(*record) + id_bytes + path_bytes + 7) & ~(size_t)7;
	record = reserve_record(bytes);
	if (!record)
		return FG_MAX_MODULES;
	record->bytes = (uint32_t)bytes;
	if (fg_config.is_slowed)
		fg_slowdown_meet(table.count, build_id, id_bytes, path, path_bytes);
	record->build_id_bytes = id_bytes;
	record->path_bytes = (uint16_t)path_bytes;
	record->start = identity->start;
	record->limit = identity->limit;
	record->bias = identity->bias;
	memcpy(record + 1, build_id, id_bytes);
	memcpy((char *)(record + 1) + id_bytes, path, path_bytes);
	__atomic_store_n(&table.block->used, table.block->used + bytes, __ATOMIC_RELEASE);
	return table.count++;
}

static bool same(const struct identity *a, const struct identity *b)
{
	return a->start == b->start && a->limit == b->limit && a->bias == b->bias &&
	       a->eh_frame == b->eh_frame && a->dynamic == b->dynamic;
}

static enum slot_kind kind_of(const struct slot *slot)
{
	uint32_t state = __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE);

	return state >> 2 == table.image ? (enum slot_kind)(state & 3) : SLOT_FREE;
}

static void set_kind(struct slot *slot, enum slot_kind kind)
{
	__atomic_store_n(&slot->state, table.image << 2 | kind, __ATOMIC_RELEASE);
}

/* The object's known slot, or the free one to put it; NULL when the table is full. */
static struct slot *probe(const struct identity *identity)
{
	uint32_t first = (uint32_t)((identity->start >> 12) * UINT64_C(0x9e3779b97f4a7c15) >> 40);

	for (uint32_t i = 0; i < SLOTS; i++) {
		struct slot *slot = &table.slots[(first + i) & (SLOTS - 1)];
		enum slot_kind kind = kind_of(slot);

		if (kind == SLOT_FREE || (kind == SLOT_KNOWN && same(&slot->identity, identity)))
			return slot;
	}
	return NULL;
}

static struct slot *add(const struct identity *identity, const struct link_map *map)
{
	struct slot *slot;

	if (!fg_lock(&table.lock))
		return NULL;
	slot = probe(identity);
	if (slot && kind_of(slot) == SLOT_FREE) {
		uint32_t index =
			table.used < SLOTS / 4 * 3 ? append_module(identity, map) : FG_MAX_MODULES;

		if (index < FG_MAX_MODULES) {
			slot->identity = *identity;
			slot->index = index;
			table.used++;
			set_kind(slot, SLOT_KNOWN);
		} else {
			slot = NULL;
		}
	}
	fg_unlock(&table.lock);
	return slot;
}

uint64_t fg_module_frame(uint64_t pc, bool exact)
{
	const struct link_map *map;
	struct identity identity;
	struct slot *slot;

	if (!find_object(exact ? pc : pc - 1, &identity, &map) ||
		pc - identity.bias > FG_FRAME_ADDRESS_MASK)
		return fg_frame_loose(pc, exact);
	slot = probe(&identity);
	if (!slot || kind_of(slot) == SLOT_FREE)
		slot = add(&identity, map);
	if (!slot)
		return fg_frame_loose(pc, exact);
	return fg_frame_in_module((uint64_t)slot->index + 1, pc - identity.bias, exact);
}

bool fg_module_is_self(uint64_t pc)
{
	return pc - table.self_start < table.self_limit - table.self_start;
}

void fg_modules_init(void)
{
	struct identity identity;
	const struct link_map *map;

	table.vdso_start = getauxval(AT_SYSINFO_EHDR);
	table.program = getauxval(AT_PHDR) & ~(uint64_t)(FG_BLOCK_ALIGN - 1);
	if (!find_object((uint64_t)(uintptr_t)&fg_modules_init, &identity, &map))
		return;
	/* Linked into a program (unit tests) there is nothing to hide. */
	if (map && map->l_name && strstr(map->l_name, "libflamegate")) {
		table.self_start = identity.start;
		table.self_limit = identity.limit;
	}
}

void fg_modules_forked(void)
{
	table.image++;
	table.used = table.lock = table.count = 0;
	table.block = NULL;
	fg_slowdown_forked();
}

static bool is_gone(const struct slot *slot)
{
	const struct link_map *map;
	struct identity identity;

	return !find_object(slot->identity.start, &identity, &map) ||
	       !same(&identity, &slot->identity);
}

void fg_modules_closed(void)
{
	bool was_blocked = fg_signal_block(true);

	if (fg_lock(&table.lock)) {
		for (uint32_t i = 0; table.used && i < SLOTS; i++) {
			struct slot *slot = &table.slots[i];

			if (kind_of(slot) == SLOT_KNOWN && is_gone(slot)) {
				set_kind(slot, SLOT_GONE);
				__atomic_add_fetch(&table.layout, 1, __ATOMIC_RELEASE);
			}
		}
		fg_unlock(&table.lock);
	}
	if (!was_blocked)
		fg_signal_block(false);
}

uint32_t fg_modules_layout(void)
{
	return __atomic_load_n(&table.layout, __ATOMIC_ACQUIRE);
}
