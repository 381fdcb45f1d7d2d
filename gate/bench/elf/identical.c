/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/elf/identical.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/strbuf.h"
#include "gate/bench/elf/elf_file.h"
#include "gate/bench/untrusted_file.h"

#define PIECE_BYTES ((size_t)64 * 1024)

/* Fills the piece unless the file ends; -1 on an error. */
static ssize_t read_piece(int fd, char *piece)
{
	size_t have = 0;

	while (have < PIECE_BYTES) {
		ssize_t got = read(fd, piece + have, PIECE_BYTES - have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		have += (size_t)got;
	}
	return (ssize_t)have;
}

static int equal_streams(int a, int b, bool *equal)
{
	char *pieces = xmalloc(2 * PIECE_BYTES);
	ssize_t x, y;

	do {
		x = read_piece(a, pieces);
		y = read_piece(b, pieces + PIECE_BYTES);
		*equal = x == y && x >= 0 && !memcmp(pieces, pieces + PIECE_BYTES, (size_t)x);
	} while (*equal && x);
	free(pieces);
	return x < 0 || y < 0 ? -1 : 0;
}

static bool starts_like_elf(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	       !memcmp(magic, ELFMAG, SELFMAG);
}

static int equal_programs(const char *a, const char *b, bool *equal, struct error *err)
{
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	struct elf_file elf_a, elf_b;
	int rc = untrusted_file_read(a, ELF_MAX_FILE_BYTES, &x, err);

	if (!rc)
		rc = untrusted_file_read(b, ELF_MAX_FILE_BYTES, &y, err);
	if (!rc)
		*equal = elf_file_open(&elf_a, x.data, x.length) == ELF_KIND_NATIVE &&
			 elf_file_open(&elf_b, y.data, y.length) == ELF_KIND_NATIVE &&
			 elf_files_run_alike(&elf_a, &elf_b);
	strbuf_release(&x);
	strbuf_release(&y);
	return rc;
}

int files_equivalent(const char *a, const char *b, bool *equal, struct error *err)
{
	int x = -1, y = -1;
	bool programs, same = false;
	int rc = untrusted_file_open(a, &x, err);

	if (!rc)
		rc = untrusted_file_open(b, &y, err);
	if (rc)
		goto out;
	programs = starts_like_elf(x) && starts_like_elf(y);
	if (equal_streams(x, y, &same) < 0)
		rc = error_errno(err, ERR_IO, errno, "cannot read %s or %s", a, b);
	else if (!same && programs)
		rc = equal_programs(a, b, &same, err);
	if (!rc)
		*equal = same;
out:
	if (x >= 0)
		close(x);
	if (y >= 0)
		close(y);
	return rc;
}

struct names {
	char **items;
	size_t count, capacity;
};

static void names_release(struct names *names)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The sorted names in a folder, each behind a letter for its kind. */
static int list_folder(const char *path, struct names *names, struct error *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return error_errno(err, ERR_IO, errno, "cannot read %s", path);
	}
	while ((entry = readdir(dir))) {
		struct strbuf name = STRBUF_INIT;

		strbuf_addch(&name, (char)('a' + entry->d_type));
		strbuf_addstr(&name, entry->d_name);
		names->items = grow_array(
			names->items, &names->capacity, names->count + 1, sizeof(*names->items));
		names->items[names->count++] = strbuf_detach(&name, NULL);
	}
	closedir(dir);
	qsort(names->items, names->count, sizeof(*names->items), by_name);
	return ERR_OK;
}

static int folders_equal(const char *a, const char *b, bool *equal, struct error *err)
{
	struct names x = {NULL, 0, 0}, y = {NULL, 0, 0};
	int rc = list_folder(a, &x, err);
	size_t i;

	if (!rc)
		rc = list_folder(b, &y, err);
	if (!rc) {
		*equal = x.count == y.count;
		for (i = 0; *equal && i < x.count; i++)
			*equal = !strcmp(x.items[i], y.items[i]);
	}
	names_release(&x);
	names_release(&y);
	return rc;
}

struct proof {
	const char *root_a, *root_b;
	char *reason;
	size_t reason_size;
};

static bool doubt(const struct proof *proof, const char *path, const char *why)
{
	snprintf(proof->reason, proof->reason_size, "%s%s%s", path, *path ? " " : "", why);
	return false;
}

static bool has_other_mode(const char *a, const char *b)
{
	struct stat x, y;

	return lstat(a, &x) < 0 || lstat(b, &y) < 0 || (x.st_mode & 07111) != (y.st_mode & 07111);
}

/* What cannot be read any more (an input that the run removed, a socket) proves nothing. */
static bool same_content(const struct proof *proof, const char *path)
{
	char *a = file_join(proof->root_a, path), *b = file_join(proof->root_b, path);
	bool is_folder = path[strlen(path) - 1] == '/', equal = false, same;
	int rc = is_folder ? folders_equal(a, b, &equal, NULL)
			   : files_equivalent(a, b, &equal, NULL);

	if (rc)
		same = doubt(proof, path, "cannot be compared");
	else if (!equal)
		same = doubt(proof, path, is_folder ? "has other files in it" : "differs");
	else if (!is_folder && has_other_mode(a, b))
		same = doubt(proof, path, "has other permissions");
	else
		same = true;
	free(a);
	free(b);
	return same;
}

/* The next one that is not the run's own output. */
static const struct opened_file *next_input(const struct opened_files *files, size_t *index)
{
	while (*index < files->count && files->items[*index].created)
		(*index)++;
	return *index < files->count ? &files->items[(*index)++] : NULL;
}

static bool same_inputs(
	const struct proof *proof, const struct opened_files *a, const struct opened_files *b)
{
	size_t i = 0, j = 0;

	for (;;) {
		const struct opened_file *x = next_input(a, &i), *y = next_input(b, &j);
		int order = x && y ? strcmp(x->path, y->path) : 0;

		if (!x && !y)
			return true;
		if (!y || order < 0)
			return doubt(proof, x->path, "is opened at base only");
		if (!x || order > 0)
			return doubt(proof, y->path, "is opened at head only");
		if (x->written || y->written)
			return doubt(proof, x->path, "is changed by the benchmark itself");
		if (!same_content(proof, x->path))
			return false;
	}
}

int builds_identical(const char *root_a, const struct opened_files *a, const char *root_b,
	const struct opened_files *b, bool *identical, char *reason, size_t reason_size,
	struct error *err)
{
	const struct proof proof = {root_a, root_b, reason, reason_size};

	if (!file_exists(root_a) || !file_exists(root_b))
		return error_set(
			err, ERR_IO, "%s does not exist", file_exists(root_a) ? root_b : root_a);
	if (reason_size)
		*reason = '\0';
	if (!a->complete || !b->complete)
		*identical = doubt(&proof, "", "not all files that it opens could be followed");
	else /* one build in both places: its second run finds the first one's output */
		*identical = !strcmp(root_a, root_b) || same_inputs(&proof, a, b);
	return ERR_OK;
}
