/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/build/build_manifest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/strbuf.h"
#include "gate/bench/untrusted_file.h"

#define FIRST_LINE "flamegate-build 1"
#define MAX_MANIFEST_BYTES ((size_t)1 << 29)

static int64_t nanoseconds(const struct timespec *time)
{
	return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

static char kind_of(mode_t mode)
{
	if (S_ISREG(mode))
		return 'f';
	if (S_ISDIR(mode))
		return 'd';
	return S_ISLNK(mode) ? 'l' : 'o';
}

static struct manifest_entry *add_entry(struct manifest *manifest)
{
	manifest->entries = grow_array(manifest->entries, &manifest->capacity, manifest->count + 1,
		sizeof(*manifest->entries));
	manifest->entries[manifest->count] = (struct manifest_entry){.path = "", .hash = "-"};
	return &manifest->entries[manifest->count++];
}

static int add_file(struct manifest *manifest, int parent, const char *name, const char *path,
	struct manifest_entry **out, struct error *err)
{
	struct manifest_entry *entry;
	struct stat info;

	if (fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) < 0)
		return error_errno(err, ERR_IO, errno, "cannot read %s", path);
	if (manifest->count >= MANIFEST_MAX_FILES)
		return error_set(err, ERR_LIMIT,
			"the built tree has more than %d files; let the build clean up after itself",
			MANIFEST_MAX_FILES);
	entry = add_entry(manifest);
	entry->path = path;
	entry->kind = kind_of(info.st_mode);
	entry->mode = info.st_mode & 07777;
	/* A folder's size and times say nothing about what was there at first. */
	if (entry->kind != 'd') {
		entry->size = (uint64_t)info.st_size;
		entry->mtime_ns = nanoseconds(&info.st_mtim);
		entry->ctime_ns = nanoseconds(&info.st_ctim);
	}
	*out = entry;
	return ERR_OK;
}

static int scan_folder(
	struct manifest *manifest, int fd, const char *path, int depth, struct error *err);

static int scan_entry(struct manifest *manifest, int parent, const char *name, const char *folder,
	int depth, struct error *err)
{
	const char *path =
		arena_printf(&manifest->arena, "%s%s%s", folder, *folder ? "/" : "", name);
	struct manifest_entry *entry = NULL;
	int fd, rc = add_file(manifest, parent, name, path, &entry, err);

	if (rc || entry->kind != 'd')
		return rc;
	if (depth >= MANIFEST_MAX_DEPTH)
		return error_set(err, ERR_LIMIT,
			"folders in the built tree are nested more than %d deep",
			MANIFEST_MAX_DEPTH);
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return error_errno(err, ERR_IO, errno, "cannot read %s", path);
	return scan_folder(manifest, fd, path, depth + 1, err);
}

/* Closes fd. */
static int scan_folder(
	struct manifest *manifest, int fd, const char *path, int depth, struct error *err)
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;
	int rc = ERR_OK;

	if (!dir) {
		close(fd);
		return error_errno(err, ERR_IO, errno, "cannot read %s", path);
	}
	while (!rc && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			rc = scan_entry(manifest, fd, entry->d_name, path, depth, err);
	closedir(dir);
	return rc;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(
		((const struct manifest_entry *)a)->path, ((const struct manifest_entry *)b)->path);
}

int manifest_scan(struct manifest *manifest, const char *root, struct error *err)
{
	int fd, rc;

	*manifest = (struct manifest){.arena = ARENA_INIT};
	fd = open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return error_errno(err, ERR_IO, errno, "cannot read %s", root);
	rc = scan_folder(manifest, fd, "", 0, err);
	if (!rc && manifest->count)
		qsort(manifest->entries, manifest->count, sizeof(*manifest->entries), by_path);
	return rc;
}

static int hash_entry(
	const struct manifest_entry *entry, const char *root, char hex[65], struct error *err)
{
	char *path = file_join(root, entry->path), target[PATH_MAX];
	ssize_t length;
	int rc = ERR_OK;

	memcpy(hex, "-", 2);
	if (entry->kind == 'f') {
		rc = file_sha256_hex(path, hex, err);
	} else if (entry->kind == 'l') {
		length = readlink(path, target, sizeof(target));
		if (length < 0)
			rc = error_errno(err, ERR_IO, errno, "cannot read %s", path);
		else
			sha256_hex(target, (size_t)length, hex);
	}
	free(path);
	return rc;
}

int manifest_hash(struct manifest *manifest, const char *root, struct error *err)
{
	char hex[65];
	size_t i;

	for (i = 0; i < manifest->count; i++) {
		int rc = hash_entry(&manifest->entries[i], root, hex, err);

		if (rc)
			return rc;
		manifest->entries[i].hash = arena_strdup(&manifest->arena, hex);
	}
	return ERR_OK;
}

/* Line breaks and per cent signs as %XX. */
static void add_path(struct strbuf *out, const char *path)
{
	for (; *path; path++)
		if (*path == '\n' || *path == '%')
			strbuf_addf(out, "%%%02X", (unsigned char)*path);
		else
			strbuf_addch(out, *path);
}

static const char *read_path(struct arena *arena, const char *text, size_t length)
{
	char *path = arena_strndup(arena, text, length), *out = path;
	const char *at;

	for (at = path; *at; at++)
		if (!strncmp(at, "%0A", 3) || !strncmp(at, "%25", 3)) {
			*out++ = at[1] == '0' ? '\n' : '%';
			at += 2;
		} else {
			*out++ = *at;
		}
	*out = '\0';
	return path;
}

int manifest_write(const struct manifest *manifest, const char *path, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	size_t i;
	int rc;

	strbuf_addf(&text, "%s %zu\n", FIRST_LINE, manifest->count);
	for (i = 0; i < manifest->count; i++) {
		const struct manifest_entry *entry = &manifest->entries[i];

		strbuf_addf(&text, "%c %o %" PRIu64 " %" PRId64 " %" PRId64 " %s ", entry->kind,
			(unsigned)entry->mode, entry->size, entry->mtime_ns, entry->ctime_ns,
			entry->hash);
		add_path(&text, entry->path);
		strbuf_addch(&text, '\n');
	}
	rc = file_write(path, text.data, text.length, err);
	strbuf_release(&text);
	return rc;
}

static bool read_line(struct manifest *manifest, const char *line, size_t length)
{
	char *copy = arena_strndup(&manifest->arena, line, length), hash[65];
	struct manifest_entry entry = {.hash = "-"};
	unsigned mode;
	int used = 0;

	if (sscanf(copy, "%c %o %" SCNu64 " %" SCNd64 " %" SCNd64 " %64s%n", &entry.kind, &mode,
		    &entry.size, &entry.mtime_ns, &entry.ctime_ns, hash, &used) < 6 ||
		!used || copy[used] != ' ')
		return false;
	entry.mode = mode & 07777;
	entry.hash = arena_strdup(&manifest->arena, hash);
	entry.path = read_path(&manifest->arena, copy + used + 1, strlen(copy + used + 1));
	*add_entry(manifest) = entry;
	return true;
}

static bool read_lines(struct manifest *manifest, const char *text)
{
	size_t wanted;
	const char *line, *end;

	if (sscanf(text, FIRST_LINE " %zu\n", &wanted) != 1 || wanted > MANIFEST_MAX_FILES)
		return false;
	for (line = strchr(text, '\n'); line && line[1]; line = end) {
		line++;
		end = strchr(line, '\n');
		if (!end || manifest->count == wanted ||
			!read_line(manifest, line, (size_t)(end - line)))
			return false;
	}
	return manifest->count == wanted;
}

int manifest_read(struct manifest *manifest, const char *path, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	*manifest = (struct manifest){.arena = ARENA_INIT};
	rc = untrusted_file_read(path, MAX_MANIFEST_BYTES, &text, err);
	if (!rc && !read_lines(manifest, text.data))
		rc = error_set(err, ERR_CORRUPT, "%s is damaged", path);
	strbuf_release(&text);
	return rc;
}

void manifest_release(struct manifest *manifest)
{
	free(manifest->entries);
	arena_release(&manifest->arena);
	*manifest = (struct manifest){.arena = ARENA_INIT};
}

static bool is_unchanged(
	const struct manifest_entry *was, const struct manifest_entry *now, const char *root)
{
	char hex[65];

	if (was->kind != now->kind || was->mode != now->mode || was->size != now->size)
		return false;
	if (was->mtime_ns == now->mtime_ns && was->ctime_ns == now->ctime_ns)
		return true;
	return hash_entry(now, root, hex, NULL) == ERR_OK && !strcmp(hex, was->hash);
}

static int remove_entry(const char *root, const char *relative, struct error *err)
{
	char *path = file_join(root, relative);
	int rc = file_remove_tree(path, err);

	free(path);
	return rc;
}

int manifest_compare(const struct manifest *manifest, struct manifest *now, const char *root,
	bool remove_new, const char **changed, struct error *err)
{
	size_t i = 0, j = 0;
	int rc = manifest_scan(now, root, err);

	*changed = NULL;
	while (!rc && !*changed && (i < manifest->count || j < now->count)) {
		const struct manifest_entry *was =
			i < manifest->count ? &manifest->entries[i] : NULL;
		const struct manifest_entry *is = j < now->count ? &now->entries[j] : NULL;
		int order = was && is ? strcmp(was->path, is->path) : is ? 1 : -1;

		if (order > 0) {
			rc = remove_new ? remove_entry(root, is->path, err) : ERR_OK;
			j++;
			continue;
		}
		if (order < 0 || !is_unchanged(was, is, root))
			*changed = was->path;
		i++;
		j++;
	}
	return rc;
}
