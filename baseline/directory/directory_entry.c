/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One recording's folder in the store: its name, its place among its commit's folders, and its
 * content. None of the three is believed before it fits the others.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "baseline/directory/directory_internal.h"
#include "baseline/instant.h"
#include "baseline/line/line.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/bench/config/config.h"
#include "gate/bench/recording/recording.h"
#include "gate/bench/recording/recording_json.h"
#include "gate/bench/untrusted_file.h"

#define MAX_JSON_BYTES ((size_t)8 << 20)
#define SAFE_NAME_BYTES 60
#define HASH_DIGITS 24
#define TIME_DIGITS 19

/* ---- folders -------------------------------------------------------------------------------- */

static int open_folder(const char *path, DIR **out, struct error *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return error_set(err, ERR_NOT_FOUND, "%s does not exist", path);
	if (fd < 0 && (errno == ELOOP || errno == ENOTDIR))
		return error_set(
			err, ERR_CORRUPT, "%s is not a folder (links are not followed)", path);
	if (fd < 0)
		return error_errno(err, ERR_IO, errno, "cannot open %s", path);
	*out = fdopendir(fd);
	if (*out)
		return ERR_OK;
	close(fd);
	return error_errno(err, ERR_IO, errno, "cannot open %s", path);
}

static int compare_names(const void *left, const void *right)
{
	const char *const *a = left, *const *b = right;

	return strcmp(*a, *b);
}

static int add_name(struct directory_names *names, const char *name, struct error *err)
{
	if (name[0] == '.')
		return ERR_OK;
	if (names->count >= DIRECTORY_MAX_NAMES)
		return error_set(
			err, ERR_LIMIT, "more than %zu names in one folder", DIRECTORY_MAX_NAMES);
	names->items =
		grow_array(names->items, &names->capacity, names->count + 1, sizeof(*names->items));
	names->items[names->count++] = arena_strdup(&names->arena, name);
	return ERR_OK;
}

int directory_names_read(const char *path, struct directory_names *out, struct error *err)
{
	struct directory_names names = {.arena = ARENA_INIT};
	struct dirent *entry;
	DIR *folder;
	int rc = open_folder(path, &folder, err);

	if (rc)
		return rc;
	while (!rc && (errno = 0, entry = readdir(folder)))
		rc = add_name(&names, entry->d_name, err);
	if (!rc && errno)
		rc = error_errno(err, ERR_IO, errno, "cannot read %s", path);
	closedir(folder);
	if (rc) {
		error_prefix(err, "%s", path);
		directory_names_release(&names);
		return rc;
	}
	if (names.count)
		qsort(names.items, names.count, sizeof(*names.items), compare_names);
	*out = names;
	return ERR_OK;
}

void directory_names_release(struct directory_names *names)
{
	free(names->items);
	arena_release(&names->arena);
	*names = (struct directory_names){.arena = ARENA_INIT};
}

int directory_sync(const char *path, struct error *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int rc = ERR_OK;

	/* Some network shares cannot sync a folder: there the rename is all that can be had. */
	if (fd < 0 || (fsync(fd) < 0 && errno != EINVAL && errno != ENOTSUP))
		rc = error_errno(err, ERR_IO, errno, "cannot write %s", path);
	if (fd >= 0)
		close(fd);
	return rc;
}

/* A private folder beside path; path then has its name there. */
int directory_remove(const char *path, struct error *err)
{
	const char *slash = strrchr(path, '/');
	char *parent = xstrdup(path), *grave = NULL, *inside = NULL;
	int rc;

	parent[slash - path] = '\0';
	rc = file_make_temp_dir(parent, DIRECTORY_TEMP_PREFIX, &grave, err);
	if (!rc) {
		inside = file_join(grave, "old");
		if (rename(path, inside) < 0 && errno != ENOENT)
			rc = error_errno(err, ERR_IO, errno, "cannot remove %s", path);
		if (file_remove_tree(grave, rc ? NULL : err) && !rc)
			rc = ERR_IO;
	}
	free(parent);
	free(grave);
	free(inside);
	return rc;
}

/* ---- names ---------------------------------------------------------------------------------- */

static bool is_safe(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

static char *safe_name(struct arena *arena, const char *text)
{
	char *name = arena_strndup(arena, text, strnlen(text, SAFE_NAME_BYTES));

	for (char *at = name; *at; at++)
		if (!is_safe(*at))
			*at = '_';
	return name;
}

const char *directory_slug(const struct baseline_key *key, struct arena *arena)
{
	struct strbuf both = STRBUF_INIT;
	char hash[65];

	strbuf_add(&both, key->benchmark, strlen(key->benchmark) + 1);
	strbuf_addstr(&both, key->profile_type);
	sha256_hex(both.data, both.length, hash);
	strbuf_release(&both);
	return arena_printf(arena, "%s-%s-%.*s-%s%s", safe_name(arena, key->benchmark),
		safe_name(arena, key->profile_type), HASH_DIGITS, hash,
		key->environment ? key->environment : "", key->environment ? "." : "");
}

int64_t directory_time(const char *name)
{
	const char *dot = strrchr(name, '.');

	if (!dot || strlen(dot + 1) != TIME_DIGITS || strspn(dot + 1, "0123456789") != TIME_DIGITS)
		return -1;
	return strtoll(dot + 1, NULL, 10);
}

/* ---- entries -------------------------------------------------------------------------------- */

static size_t file_bytes(const char *folder, const char *name)
{
	char *path = file_join(folder, name);
	struct stat info;
	size_t bytes = lstat(path, &info) == 0 && info.st_size > 0 ? (size_t)info.st_size : 0;

	free(path);
	return bytes;
}

static int read_member(const struct directory_entry *entry, const char *name, size_t most,
	struct strbuf *out, struct error *err)
{
	char *path = file_join(entry->path, name);
	int rc = untrusted_file_read(path, most, out, err);

	free(path);
	return rc;
}

static struct baseline_key key_of(const struct recording *recording, struct arena *arena)
{
	return (struct baseline_key){arena_strdup(arena, recording->commit),
		arena_strdup(arena, recording->benchmark),
		arena_strdup(arena, recording->profile_type),
		recording_environment(recording, arena)};
}

static double mean_cpu(const struct recording *recording)
{
	double sum = 0;

	for (size_t i = 0; i < recording->round_count; i++)
		sum += recording->rounds[i].cpu_seconds;
	return recording->round_count ? sum / (double)recording->round_count : 0;
}

static int read_exact_head(struct directory_entry *entry, struct arena *arena, struct error *err)
{
	struct recording recording = {.arena = ARENA_INIT};
	struct strbuf text = STRBUF_INIT;
	struct directory_names files;
	int rc = read_member(entry, RECORDING_JSON_NAME, MAX_JSON_BYTES, &text, err);

	if (!rc)
		rc = recording_decode(text.data, text.length, &recording, err);
	if (!rc)
		entry->entry = (struct baseline_entry){.key = key_of(&recording, arena),
			.time_ns = recording.time_ns,
			.detail = BASELINE_EXACT,
			.rounds = recording.round_count,
			.cpu_seconds = mean_cpu(&recording)};
	if (!rc && !directory_names_read(entry->path, &files, NULL)) {
		for (size_t i = 0; i < files.count; i++)
			entry->entry.bytes += file_bytes(entry->path, files.items[i]);
		directory_names_release(&files);
	}
	recording_release(&recording);
	strbuf_release(&text);
	return rc;
}

static int read_summary_head(struct directory_entry *entry, struct arena *arena, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	struct line_head head;
	int rc = read_member(entry, DIRECTORY_SUMMARY_NAME, LINE_MAX_BYTES, &text, err);

	if (rc)
		return rc;
	if (text.length && text.data[text.length - 1] == '\n')
		strbuf_truncate(&text, text.length - 1);
	rc = line_read_head(text.data, text.length, entry->commit, arena, &head, err);
	if (!rc)
		entry->entry = head.entry;
	else if (rc == ERR_NOT_FOUND) /* not ours, but it is there */
		rc = err ? err->code = ERR_CORRUPT : ERR_CORRUPT;
	strbuf_release(&text);
	return rc;
}

/* A folder that was moved or copied does not become another's recording. */
static int check_place(const struct directory_entry *entry, const struct baseline_key *key,
	int64_t time_ns, struct error *err)
{
	struct arena arena = ARENA_INIT;
	const char *slug = directory_slug(key, &arena);
	int rc = ERR_OK;

	if (strcmp(key->commit, entry->commit) != 0)
		rc = error_set(
			err, ERR_CORRUPT, "it was copied from another commit (%.12s)", key->commit);
	else if (strncmp(entry->name, slug, strlen(slug)) != 0 ||
		 directory_time(entry->name) != time_ns)
		rc = error_set(err, ERR_CORRUPT, "its name is not that of its content");
	arena_release(&arena);
	return rc;
}

/* Files are opened without following links, but a link to their folder would be. */
static int check_folder(const struct directory_entry *entry, struct error *err)
{
	struct stat info;

	if (lstat(entry->path, &info) < 0)
		return error_errno(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, errno,
			"cannot read %s", entry->path);
	if (S_ISDIR(info.st_mode) && directory_time(entry->name) >= 0)
		return ERR_OK;
	return error_set(err, ERR_CORRUPT, "it is no folder of ours");
}

int directory_read_head(struct directory_entry *entry, struct arena *arena, struct error *err)
{
	int rc = check_folder(entry, err);

	if (rc)
		return rc;
	rc = read_exact_head(entry, arena, err);
	if (rc == ERR_NOT_FOUND)
		rc = read_summary_head(entry, arena, err);
	return rc ? rc : check_place(entry, &entry->entry.key, entry->entry.time_ns, err);
}

static int read_summary(const struct directory_entry *entry, struct recording *out,
	enum baseline_detail *detail, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = read_member(entry, DIRECTORY_SUMMARY_NAME, LINE_MAX_BYTES, &text, err);

	if (rc)
		return rc;
	if (text.length && text.data[text.length - 1] == '\n')
		strbuf_truncate(&text, text.length - 1);
	rc = line_decode(text.data, text.length, entry->commit, out, detail, err);
	if (rc == ERR_NOT_FOUND)
		rc = err ? err->code = ERR_CORRUPT : ERR_CORRUPT;
	strbuf_release(&text);
	return rc;
}

static int check_content(
	const struct directory_entry *entry, const struct recording *recording, struct error *err)
{
	struct arena arena = ARENA_INIT;
	struct baseline_key key = key_of(recording, &arena);
	int rc = check_place(entry, &key, recording->time_ns, err);

	arena_release(&arena);
	return rc ? rc : recording_check(recording, err);
}

int directory_read(const struct directory_entry *entry, struct recording *out,
	enum baseline_detail *detail, struct error *err)
{
	struct recording recording;
	enum baseline_detail found = BASELINE_EXACT;
	int rc = check_folder(entry, err);

	if (rc)
		return rc;
	rc = recording_read(entry->path, &recording, err);
	if (rc == ERR_NOT_FOUND)
		rc = read_summary(entry, &recording, &found, err);
	if (rc)
		return rc;
	rc = check_content(entry, &recording, err);
	if (rc) {
		recording_release(&recording);
		return rc;
	}
	recording.policy = config_policy_default();
	*out = recording;
	*detail = found;
	return ERR_OK;
}

static int newest_first(const void *left, const void *right)
{
	const struct directory_entry *a = left, *b = right;
	int64_t x = instant_rank(directory_time(a->name));
	int64_t y = instant_rank(directory_time(b->name));

	return x != y ? (x < y) - (x > y) : strcmp(a->name, b->name);
}

int directory_scan(const char *root, const char *commit, const char *slug, struct arena *arena,
	struct directory_entry **out, size_t *count, struct error *err)
{
	const char *folder = arena_printf(arena, "%s/%s", root, commit);
	struct directory_entry *entries;
	struct directory_names names;
	size_t found = 0;
	int rc = directory_names_read(folder, &names, err);

	if (rc == ERR_NOT_FOUND) {
		*out = NULL;
		*count = 0;
		return ERR_OK;
	}
	if (rc)
		return rc;
	entries = xcalloc(names.count, sizeof(*entries));
	for (size_t i = 0; i < names.count; i++)
		if (strncmp(names.items[i], slug, strlen(slug)) == 0)
			entries[found++] = (struct directory_entry){.commit = commit,
				.name = arena_strdup(arena, names.items[i]),
				.path = arena_printf(arena, "%s/%s", folder, names.items[i])};
	directory_names_release(&names);
	if (found)
		qsort(entries, found, sizeof(*entries), newest_first);
	*out = entries;
	*count = found;
	return ERR_OK;
}
