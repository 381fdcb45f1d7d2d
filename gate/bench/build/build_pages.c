/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A build's programs move to other pages of memory, since the places of those decide how well the
 * caches serve them.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/base/file.h"
#include "gate/bench/build/build.h"
#include "gate/bench/untrusted_file.h"

#define PIECE_BYTES ((size_t)64 * 1024)
#define MAX_PROGRAM_BYTES ((size_t)32 << 20) /* as much as build_hash_files() reads */
#define HELD_MORE_BYTES ((size_t)4 << 20)

/* The kernel gives up no page that is still to be written. */
static void give_up_pages(int fd)
{
	fdatasync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

static void take_pages(int fd)
{
	char *piece = xmalloc(PIECE_BYTES);

	while (read(fd, piece, PIECE_BYTES) > 0)
		;
	free(piece);
}

static bool is_program(int fd, const struct stat *info)
{
	char magic[SELFMAG];

	return (size_t)info->st_size <= MAX_PROGRAM_BYTES &&
	       pread(fd, magic, sizeof(magic), 0) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG);
}

/* The kernel hands out first what was given up last: those pages are held in the meantime. */
static void renew_program(int fd, const struct stat *info)
{
	size_t bytes = (size_t)info->st_size + HELD_MORE_BYTES;
	void *held = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	give_up_pages(fd);
	if (held != MAP_FAILED) {
		madvise(held, bytes, MADV_NOHUGEPAGE);
		memset(held, 1, bytes);
	}
	take_pages(fd);
	if (held != MAP_FAILED)
		munmap(held, bytes);
}

static void renew_pages(const char *path)
{
	struct stat info;
	int fd;

	if (untrusted_file_open(path, &fd, NULL))
		return;
	if (fstat(fd, &info) == 0 && is_program(fd, &info))
		renew_program(fd, &info);
	close(fd);
}

void build_renew_pages(const struct build *build, const struct opened_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		char *path = file_join(build->path, files->items[i].path);

		renew_pages(path);
		free(path);
	}
}
