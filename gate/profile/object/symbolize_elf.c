/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/object/symbolize_elf.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/file.h"

#define MAX_FILE_BYTES ((int64_t)4 << 30)
#define MAX_BUILD_ID_BYTES 64
#define DEBUG_ROOT "/usr/lib/debug"

static void elf_file_close(struct elf_file *file)
{
	if (file->elf != NULL)
		elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	free(file->path);
	*file = (struct elf_file){.fd = -1};
}

static int elf_file_open(const char *path, struct elf_file *file, struct error *err)
{
	struct stat status;
	struct elf_file opened = {.fd = -1};
	int code = file_open_regular(path, &opened.fd, err);
	if (code != ERR_OK)
		return code;
	if (fstat(opened.fd, &status) != 0 || status.st_size > MAX_FILE_BYTES) {
		code = error_set(err, ERR_LIMIT, "%s is too large to be read", path);
		goto out;
	}
	opened.elf = elf_begin(opened.fd, ELF_C_READ_MMAP, NULL);
	if (opened.elf == NULL || elf_kind(opened.elf) != ELF_K_ELF) {
		code = error_set(err, ERR_CORRUPT, "%s is not an ELF file", path);
		goto out;
	}
	opened.path = xstrdup(path);
	*file = opened;
	return ERR_OK;
out:
	elf_file_close(&opened);
	return code;
}

struct elf_names elf_names_read(Elf *elf, size_t section)
{
	GElf_Shdr header;
	Elf_Scn *scn = elf_getscn(elf, section);
	Elf_Data *data = scn == NULL ? NULL : elf_rawdata(scn, NULL);
	if (data == NULL || data->d_buf == NULL || data->d_size == 0 ||
		gelf_getshdr(scn, &header) == NULL || header.sh_type != SHT_STRTAB ||
		((const char *)data->d_buf)[data->d_size - 1] != '\0')
		return (struct elf_names){"", 0};
	return (struct elf_names){data->d_buf, data->d_size};
}

const char *elf_name(const struct elf_names *names, size_t offset)
{
	return offset < names->size ? names->bytes + offset : NULL;
}

/* Lower-case hex; "" if it has none. */
static void build_id_of(Elf *elf, char hex[2 * MAX_BUILD_ID_BYTES + 1])
{
	const void *bytes = NULL;
	ssize_t length = dwelf_elf_gnu_build_id(elf, &bytes);
	hex[0] = '\0';
	if (length <= 0 || length > MAX_BUILD_ID_BYTES)
		return;
	for (ssize_t i = 0; i < length; i++)
		snprintf(hex + 2 * i, 3, "%02x", ((const unsigned char *)bytes)[i]);
}

static void read_text_segments(struct elf_module *module)
{
	size_t count;
	if (elf_getphdrnum(module->file.elf, &count) != 0)
		count = 0;
	for (size_t i = 0; i < count && i < INT_MAX; i++) {
		GElf_Phdr header;
		if (gelf_getphdr(module->file.elf, (int)i, &header) == NULL)
			break;
		if (header.p_type != PT_LOAD || !(header.p_flags & PF_X) ||
			header.p_vaddr + header.p_memsz < header.p_vaddr)
			continue;
		range_table_add(
			&module->text, header.p_vaddr, header.p_vaddr + header.p_memsz, 0, 0);
	}
	range_table_flatten(&module->text);
}

static bool has_debug_info(Elf *elf)
{
	size_t index;
	if (elf == NULL || elf_getshdrstrndx(elf, &index) != 0)
		return false;
	struct elf_names names = elf_names_read(elf, index);
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
		GElf_Shdr header;
		if (gelf_getshdr(section, &header) == NULL || header.sh_type == SHT_NOBITS)
			continue;
		const char *name = elf_name(&names, header.sh_name);
		if (name != NULL &&
			(strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0))
			return true;
	}
	return false;
}

/* ---- separate debug files -------------------------------------------------------------------- */

/* CRC-32 as in gzip, by four bits at a time. */
static uint32_t crc32_add(uint32_t crc, const unsigned char *data, size_t length)
{
	static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
		0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8,
		0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
	for (size_t i = 0; i < length; i++) {
		crc ^= data[i];
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return crc;
}

static bool file_has_crc(int fd, GElf_Word wanted)
{
	unsigned char buffer[65536];
	uint32_t crc = UINT32_MAX;
	off_t offset = 0;
	for (;;) {
		ssize_t got = pread(fd, buffer, sizeof(buffer), offset);
		if (got < 0)
			return false;
		if (got == 0)
			return ~crc == wanted;
		crc = crc32_add(crc, buffer, (size_t)got);
		offset += got;
	}
}

/* Takes the candidate if it belongs to the module: by build id if both have one,
 * else by checksum. */
static bool try_debug_file(
	struct elf_module *module, const char *path, const char *build_id, const GElf_Word *crc)
{
	char found[2 * MAX_BUILD_ID_BYTES + 1];
	struct elf_file file;
	if (strcmp(path, module->file.path) == 0 || elf_file_open(path, &file, NULL) != ERR_OK)
		return false;
	build_id_of(file.elf, found);
	bool ours = build_id[0] != '\0' && found[0] != '\0'
			    ? strcmp(build_id, found) == 0
			    : crc != NULL && file_has_crc(file.fd, *crc);
	if (ours && has_debug_info(file.elf)) {
		module->debug = file;
		return true;
	}
	elf_file_close(&file);
	return false;
}

static bool find_by_build_id(struct elf_module *module, const char *build_id)
{
	char path[PATH_MAX];
	if (strlen(build_id) < 4)
		return false;
	snprintf(path, sizeof(path), DEBUG_ROOT "/.build-id/%.2s/%s.debug", build_id, build_id + 2);
	return try_debug_file(module, path, build_id, NULL);
}

static bool find_beside(struct elf_module *module, const char *directory, const char *name,
	const char *build_id, GElf_Word crc)
{
	static const char *const patterns[] = {"%s/%s", "%s/.debug/%s", DEBUG_ROOT "%s/%s"};
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		char path[PATH_MAX];
		int length = snprintf(path, sizeof(path), patterns[i], directory, name);
		if (length > 0 && (size_t)length < sizeof(path) &&
			try_debug_file(module, path, build_id, &crc))
			return true;
	}
	return false;
}

/* The link's name is the file's own word: a name in our list of directories, not a path. */
static bool find_by_link(struct elf_module *module, const char *path, const char *build_id)
{
	GElf_Word crc;
	char directory[PATH_MAX];
	const char *name = dwelf_elf_gnu_debuglink(module->file.elf, &crc);
	const char *slash = strrchr(path, '/');
	if (name == NULL || name[0] == '\0' || strchr(name, '/') != NULL || slash == NULL ||
		(size_t)(slash - path) >= sizeof(directory))
		return false;
	memcpy(directory, path, (size_t)(slash - path));
	directory[slash - path] = '\0';
	return find_beside(module, directory, name, build_id, crc);
}

static void find_debug_file(struct elf_module *module, const char *build_id)
{
	char resolved[PATH_MAX];
	if (has_debug_info(module->file.elf) || find_by_build_id(module, build_id) ||
		find_by_link(module, module->file.path, build_id))
		return;
	if (realpath(module->file.path, resolved) != NULL &&
		strcmp(resolved, module->file.path) != 0)
		find_by_link(module, resolved, build_id);
}

int elf_module_open(
	const char *path, const char *build_id, struct elf_module *module, struct error *err)
{
	char found[2 * MAX_BUILD_ID_BYTES + 1];
	struct elf_module opened = {.file.fd = -1, .debug.fd = -1};
	if (elf_version(EV_CURRENT) == EV_NONE)
		return error_set(err, ERR_TOOL, "libelf is older than its header");
	int code = elf_file_open(path, &opened.file, err);
	if (code != ERR_OK)
		return code;
	build_id_of(opened.file.elf, found);
	if (build_id[0] != '\0' && strcmp(build_id, found) != 0) {
		elf_file_close(&opened.file);
		return error_set(err, ERR_CORRUPT,
			"%s is another build than the one that was measured", path);
	}
	read_text_segments(&opened);
	find_debug_file(&opened, found);
	*module = opened;
	return ERR_OK;
}

void elf_module_release(struct elf_module *module)
{
	elf_file_close(&module->file);
	elf_file_close(&module->debug);
	range_table_release(&module->text);
	range_table_release(&module->symbols);
	free(module->names);
	arena_release(&module->arena);
}

Elf *elf_module_debug_info(const struct elf_module *module)
{
	if (module->debug.elf != NULL)
		return module->debug.elf;
	return has_debug_info(module->file.elf) ? module->file.elf : NULL;
}
