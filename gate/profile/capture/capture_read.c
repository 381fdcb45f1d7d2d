/* SPDX-License-Identifier: Apache-2.0 */
/* A directory of captures. */
#include "gate/profile/capture/capture_read.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/sampler/capture/capture.h"
#include "gate/sampler/environment.h"

const struct capture_limits capture_default_limits = {
	.max_files = 50000,
	.max_file_bytes = (size_t)1 << 30,
	.max_stacks = (size_t)4 << 20,
	.max_depth = 512,
	.max_modules = 65535,
};

struct names {
	char **list;
	size_t count, capacity;
};

static void release_names(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->list[i]);
	free(names->list);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_capture_name(const char *name)
{
	size_t length = strlen(name), suffix = strlen(FG_CAPTURE_SUFFIX);

	return length > suffix && strcmp(name + length - suffix, FG_CAPTURE_SUFFIX) == 0;
}

static int list_names(
	DIR *dir, const char *path, size_t max_files, struct names *names, struct error *err)
{
	const struct dirent *entry;

	while (errno = 0, (entry = readdir(dir)) != NULL) {
		if (!is_capture_name(entry->d_name))
			continue;
		if (names->count >= max_files)
			return error_set(err, ERR_LIMIT,
				"%s: more than %zu captures: does the benchmark start a process "
				"for each step?",
				path, max_files);
		names->list = grow_array(
			names->list, &names->capacity, names->count + 1, sizeof(*names->list));
		names->list[names->count++] = xstrdup(entry->d_name);
	}
	if (errno)
		return error_errno(err, ERR_IO, errno, "cannot list %s", path);
	if (names->count)
		qsort(names->list, names->count, sizeof(*names->list), compare_names);
	return ERR_OK;
}

/* Up to `wanted` bytes: less when the file ends before. */
static int read_all(int fd, unsigned char *out, size_t wanted, size_t *got)
{
	*got = 0;
	while (*got < wanted) {
		ssize_t count = read(fd, out + *got, wanted - *got);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return errno;
		if (count == 0)
			break;
		*got += (size_t)count;
	}
	return 0;
}

/*
 * The header first and the size after: what the header counts is in the file by then, however much
 * the process adds meanwhile.
 */
static int read_file(int fd, const char *name, const struct capture_limits *limits,
	unsigned char **data, size_t *length, struct error *err)
{
	struct stat status;
	size_t head = sizeof(struct fg_capture_header), got = 0, more = 0, size;
	int error;

	*data = xmalloc(head);
	error = read_all(fd, *data, head, &got);
	if (!error && fstat(fd, &status) != 0)
		error = errno;
	if (error)
		return error_errno(err, ERR_IO, error, "cannot read %s", name);
	size = status.st_size < 0 ? 0 : (size_t)status.st_size;
	if (size > limits->max_file_bytes)
		return error_set(err, ERR_LIMIT, "%s: capture of more than %zu bytes", name,
			limits->max_file_bytes);
	if (size > got) {
		*data = xrealloc_array(*data, size, 1);
		error = read_all(fd, *data + got, size - got, &more);
	}
	if (error)
		return error_errno(err, ERR_IO, error, "cannot read %s", name);
	*length = got + more;
	return ERR_OK;
}

/* Its process ended, or was not yet through, before the header was written: no sample is in it. */
static bool is_unborn(const unsigned char *data, size_t length)
{
	for (size_t i = 0; i < sizeof(uint64_t) && i < length; i++)
		if (data[i])
			return false;
	return true;
}

static int read_capture(struct capture_set *set, int dir, const char *name,
	const struct capture_limits *limits, struct error *err)
{
	unsigned char *data = NULL;
	size_t length = 0;
	struct stat status;
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), error;

	if (fd < 0)
		return error_errno(err, ERR_IO, errno, "cannot open %s", name);
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
		error = error_set(err, ERR_CORRUPT, "%s: not a regular file", name);
	else
		error = read_file(fd, name, limits, &data, &length, err);
	if (error == ERR_OK && !is_unborn(data, length))
		error = capture_read_bytes(set, data, length, name, limits, err);
	free(data);
	close(fd);
	return error;
}

static void note_damage(struct capture_set *set, const struct error *why)
{
	size_t length = strnlen(why->message, sizeof(set->damage) - 1);

	if (!set->damaged++) {
		memcpy(set->damage, why->message, length);
		set->damage[length] = '\0';
	}
}

void capture_set_init(struct capture_set *set)
{
	memset(set, 0, sizeof(*set));
	arena_init(&set->arena);
}

void capture_set_release(struct capture_set *set)
{
	arena_release(&set->arena);
	capture_set_init(set);
}

int capture_set_read(struct capture_set *set, const char *dir, const struct capture_limits *limits,
	struct error *err)
{
	struct names names = {NULL, 0, 0};
	DIR *listing = opendir(dir);
	int error;

	capture_set_init(set);
	if (!listing)
		return error_errno(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, errno,
			"cannot open the captures' directory %s", dir);
	if (!limits)
		limits = &capture_default_limits;
	error = list_names(listing, dir, limits->max_files, &names, err);
	for (size_t i = 0; error == ERR_OK && i < names.count; i++) {
		struct error why;

		if (read_capture(set, dirfd(listing), names.list[i], limits, &why) != ERR_OK)
			note_damage(set, &why);
	}
	release_names(&names);
	closedir(listing);
	return error;
}
