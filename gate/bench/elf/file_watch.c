/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files below a folder a run opens, and which of them it has made itself: a thread notes both
 * by inotify. Declared in identical.h.
 */
#include "gate/bench/elf/identical.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/map.h"
#include "gate/base/strbuf.h"

#define WATCH_MASK                                                                                 \
	(IN_OPEN | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_MODIFY | IN_CLOSE_WRITE |          \
		IN_ONLYDIR | IN_DONT_FOLLOW)
#define EVENT_BYTES ((size_t)64 * 1024)

struct folder {
	char *path; /* relative to the root; "" the root */
	int descriptor;
	bool created; /* during the watch: all in it is output */
};

/* The thread alone touches it between start and stop. */
struct file_watch {
	char *root;
	int inotify, stop; /* stop: an eventfd */
	pthread_t thread;
	struct folder *folders;
	size_t folder_count, folder_capacity;
	struct map by_descriptor; /* watch descriptor -> folder */
	struct map by_path;       /* path -> files.items */
	struct opened_files files;
	uint32_t moving; /* cookie of the last IN_MOVED_FROM */
	bool moving_output;
};

static bool is_folder(int parent, const struct dirent *entry)
{
	struct stat info;

	if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		!strcmp(entry->d_name, ".git"))
		return false;
	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return fstatat(parent, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(info.st_mode);
}

static void push_folder(struct file_watch *watch, char *path, bool created)
{
	watch->folders = grow_array(watch->folders, &watch->folder_capacity,
		watch->folder_count + 1, sizeof(*watch->folders));
	watch->folders[watch->folder_count++] = (struct folder){path, -1, created};
}

static void push_subfolders(struct file_watch *watch, size_t index)
{
	char *path = file_join(watch->root, watch->folders[index].path);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	free(path);
	if (!dir) {
		if (fd >= 0)
			close(fd);
		/* A folder that a run made and removed again is nobody's input. */
		if (!watch->folders[index].created)
			watch->files.complete = false;
		return;
	}
	while ((entry = readdir(dir))) {
		if (!is_folder(fd, entry))
			continue;
		if (watch->folder_count >= FILE_WATCH_MAX_FOLDERS) {
			watch->files.complete = false;
			break;
		}
		push_folder(watch, file_join(watch->folders[index].path, entry->d_name),
			watch->folders[index].created);
	}
	closedir(dir);
}

static void add_watch(struct file_watch *watch, size_t index)
{
	struct folder *folder = &watch->folders[index];
	char *path = file_join(watch->root, *folder->path ? folder->path : ".");

	folder->descriptor = inotify_add_watch(watch->inotify, path, WATCH_MASK);
	free(path);
	if (folder->descriptor < 0 && !folder->created)
		watch->files.complete = false;
	if (folder->descriptor >= 0)
		map_put(&watch->by_descriptor, &folder->descriptor, sizeof(folder->descriptor),
			(uint32_t)index);
}

/* All folders are found before the first is watched: our own look would count as an opening. */
static void watch_all(struct file_watch *watch)
{
	size_t i;

	push_folder(watch, xstrdup(""), false);
	for (i = 0; i < watch->folder_count; i++)
		push_subfolders(watch, i);
	for (i = 0; i < watch->folder_count; i++)
		add_watch(watch, i);
}

/* Watched before it is read, so that nothing made in between is missed. */
static void watch_new(struct file_watch *watch, const char *path)
{
	size_t i = watch->folder_count;

	if (watch->folder_count >= FILE_WATCH_MAX_FOLDERS) {
		watch->files.complete = false;
		return;
	}
	push_folder(watch, xstrdup(path), true);
	for (; i < watch->folder_count; i++) {
		add_watch(watch, i);
		push_subfolders(watch, i);
	}
}

/* The entry for a path, made if it is new; NULL past the limit. */
static struct opened_file *touch(struct file_watch *watch, const char *path, bool created)
{
	struct opened_files *files = &watch->files;
	bool added;
	uint32_t index;

	if (files->count >= FILE_WATCH_MAX_FILES) {
		index = map_get_str(&watch->by_path, path);
		files->complete = files->complete && index != MAP_NONE;
		return index == MAP_NONE ? NULL : &files->items[index];
	}
	index = map_intern(&watch->by_path, path, strlen(path), (uint32_t)files->count, &added);
	if (added) {
		files->items = grow_array(
			files->items, &files->capacity, files->count + 1, sizeof(*files->items));
		files->items[files->count++] = (struct opened_file){xstrdup(path), created, false};
	}
	return &files->items[index];
}

static char *event_path(const struct folder *folder, const struct inotify_event *event)
{
	struct strbuf path = STRBUF_INIT;

	strbuf_addstr(&path, folder->path);
	if (event->len && path.length)
		strbuf_addch(&path, '/');
	if (event->len)
		strbuf_addstr(&path, event->name);
	if (!path.length)
		strbuf_addch(&path, '.');
	if (event->mask & IN_ISDIR)
		strbuf_addch(&path, '/');
	return strbuf_detach(&path, NULL);
}

/* A file that the run itself made stays output under its new name: write beside, then rename. */
static bool is_moved_output(const struct file_watch *watch, const struct inotify_event *event)
{
	return (event->mask & IN_MOVED_TO) && event->cookie == watch->moving &&
	       watch->moving_output;
}

static bool is_output(const struct file_watch *watch, const char *path)
{
	uint32_t index = map_get_str(&watch->by_path, path);

	return index != MAP_NONE && watch->files.items[index].created;
}

static void note_folder(struct file_watch *watch, const struct folder *folder, char *path,
	const struct inotify_event *event)
{
	bool made = event->mask & IN_CREATE;

	/* The watches below would go on under the old name. */
	if (event->mask & (IN_MOVED_TO | IN_MOVED_FROM))
		watch->files.complete = false;
	touch(watch, path, made || folder->created);
	if (made) {
		path[strlen(path) - 1] = '\0';
		watch_new(watch, path);
	}
}

static void note_file(struct file_watch *watch, const struct folder *folder, const char *path,
	const struct inotify_event *event)
{
	bool output = folder->created || (event->mask & IN_CREATE) || is_moved_output(watch, event);
	struct opened_file *file;

	if (event->mask & IN_MOVED_FROM) {
		watch->moving = event->cookie;
		watch->moving_output = is_output(watch, path);
	}
	file = touch(watch, path, output);
	if (file && (event->mask & (IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM)) &&
		!file->created)
		file->written = true;
}

static void note_event(struct file_watch *watch, const struct inotify_event *event)
{
	uint32_t index = map_get(&watch->by_descriptor, &event->wd, sizeof(event->wd));
	struct folder folder;
	char *path;

	if (event->mask & IN_Q_OVERFLOW)
		watch->files.complete = false;
	if (index == MAP_NONE || (event->mask & (IN_IGNORED | IN_UNMOUNT)))
		return;
	folder = watch->folders[index];
	path = event_path(&folder, event);
	if (event->mask & IN_ISDIR)
		note_folder(watch, &folder, path, event);
	else
		note_file(watch, &folder, path, event);
	free(path);
}

/* Reads what there is; false when there is nothing. */
static bool read_events(struct file_watch *watch)
{
	_Alignas(struct inotify_event) char buffer[EVENT_BYTES];
	ssize_t length = read(watch->inotify, buffer, sizeof(buffer));
	const struct inotify_event *event;
	ssize_t at;

	for (at = 0; at < length; at += (ssize_t)(sizeof(*event) + event->len)) {
		event = (const struct inotify_event *)(buffer + at);
		note_event(watch, event);
	}
	return length > 0 || (length < 0 && errno == EINTR);
}

static void *read_until_stopped(void *data)
{
	struct file_watch *watch = data;
	struct pollfd polls[2] = {
		{.fd = watch->inotify, .events = POLLIN}, {.fd = watch->stop, .events = POLLIN}};

	while (poll(polls, 2, -1) >= 0 || errno == EINTR) {
		while (read_events(watch))
			;
		if (polls[1].revents & POLLIN)
			break;
	}
	return NULL;
}

/* Signals belong to the main thread, which waits for the benchmark. */
static int start_thread(struct file_watch *watch)
{
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&watch->thread, NULL, read_until_stopped, watch);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc;
}

static void watch_free(struct file_watch *watch)
{
	size_t i;

	for (i = 0; i < watch->folder_count; i++)
		free(watch->folders[i].path);
	free(watch->folders);
	map_release(&watch->by_descriptor);
	map_release(&watch->by_path);
	opened_files_release(&watch->files);
	if (watch->inotify >= 0)
		close(watch->inotify);
	if (watch->stop >= 0)
		close(watch->stop);
	free(watch->root);
	free(watch);
}

int file_watch_start(const char *root, struct file_watch **out, struct error *err)
{
	struct file_watch *watch = xcalloc(1, sizeof(*watch));
	int rc;

	watch->root = xstrdup(root);
	watch->files.complete = true;
	map_init(&watch->by_descriptor);
	map_init(&watch->by_path);
	watch->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	watch->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (watch->inotify < 0 || watch->stop < 0) {
		rc = error_errno(err, ERR_IO, errno, "cannot watch %s", root);
		goto out;
	}
	watch_all(watch);
	if (watch->folders[0].descriptor < 0) {
		rc = error_set(
			err, ERR_IO, "cannot watch %s: no such folder or no watch left", root);
		goto out;
	}
	rc = start_thread(watch);
	if (rc)
		rc = error_errno(err, ERR_IO, rc, "cannot start a thread");
out:
	if (rc)
		watch_free(watch);
	else
		*out = watch;
	return rc;
}

/* Some filesystems deliver nothing at all. An opening of our own must be seen. */
static bool sees_openings(const struct file_watch *watch)
{
	_Alignas(struct inotify_event) char buffer[4096];
	int fd = open(watch->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return read(watch->inotify, buffer, sizeof(buffer)) > 0;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct opened_file *)a)->path, ((const struct opened_file *)b)->path);
}

void file_watch_stop(struct file_watch *watch, struct opened_files *files)
{
	const uint64_t one = 1;

	while (write(watch->stop, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	pthread_join(watch->thread, NULL);
	if (!sees_openings(watch))
		watch->files.complete = false;
	if (watch->files.count)
		qsort(watch->files.items, watch->files.count, sizeof(*watch->files.items), by_path);
	*files = watch->files;
	watch->files = (struct opened_files){0};
	watch_free(watch);
}

void opened_files_release(struct opened_files *files)
{
	size_t i;

	for (i = 0; i < files->count; i++)
		free(files->items[i].path);
	free(files->items);
	*files = (struct opened_files){0};
}
