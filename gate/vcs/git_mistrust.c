/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The project's code runs as our user: it can write the files that git is configured by, and put
 * programs where PATH finds them. Comparing what they say would trust what reads them, so their
 * identity counts: a file that is the same inode with the same ctime has the content that it had.
 */
#include "gate/vcs/git_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/file.h"

#define MAX_LINK_BYTES 65536

/* A file, a folder with all that is in it, or what is not there. */
struct seen {
	char *path;
	char state[65];
};

static struct {
	repo_is_plain *is_plain; /* NULL: nothing is expected yet */
	char *root, *common_dir;
	struct seen *places;
	size_t count, capacity;
} expected;

/* ---- what there is -------------------------------------------------------------------------- */

static void add_identity(struct strbuf *text, const char *name, const struct stat *info)
{
	strbuf_addf(text, "%s %llu %llu %o %llu %lld.%09ld %lld.%09ld\n", name,
		(unsigned long long)info->st_dev, (unsigned long long)info->st_ino,
		(unsigned)info->st_mode, (unsigned long long)info->st_size,
		(long long)info->st_mtim.tv_sec, info->st_mtim.tv_nsec,
		(long long)info->st_ctim.tv_sec, info->st_ctim.tv_nsec);
}

/* Of a link as well as of what it leads to. */
static void add_entry(struct strbuf *text, int folder, const char *name)
{
	struct stat info;

	if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	add_identity(text, name, &info);
	if (S_ISLNK(info.st_mode) && fstatat(folder, name, &info, 0) == 0)
		add_identity(text, name, &info);
}

static void add_folder(struct strbuf *text, const char *path)
{
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, alphasort);
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; i < count; i++) {
		if (folder >= 0)
			add_entry(text, folder, entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	if (folder >= 0)
		close(folder);
}

static void read_state(const char *path, char state[65])
{
	struct strbuf text = STRBUF_INIT;

	add_entry(&text, AT_FDCWD, path);
	add_folder(&text, path);
	sha256_hex(text.data, text.length, state);
	strbuf_release(&text);
}

/* Takes the path over. */
static void see(char *path)
{
	struct seen *place;

	expected.places = grow_array(
		expected.places, &expected.capacity, expected.count + 1, sizeof(*expected.places));
	place = &expected.places[expected.count++];
	place->path = path;
	read_state(path, place->state);
}

/* ---- programs ------------------------------------------------------------------------------- */

/* Root can change all of them, and that cannot be helped. */
static bool is_ours_to_change(const char *folder)
{
	struct stat info;

	if (geteuid() == 0)
		return false;
	if (stat(folder, &info) < 0)
		return errno == ENOENT || errno == ENOTDIR;
	return info.st_uid == geteuid() || faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) == 0;
}

static void see_programs(const char *folders)
{
	char *copy = xstrdup(folders ? folders : ""), *rest = copy, *folder;

	while ((folder = strsep(&rest, ":")))
		if (*folder == '/' && is_ours_to_change(folder))
			see(xstrdup(folder));
	free(copy);
}

/* ---- settings ------------------------------------------------------------------------------- */

/* As git reads a path in its configuration. */
static char *resolve(const char *path, const char *folder)
{
	const char *home = getenv("HOME");

	if (*path == '/')
		return xstrdup(path);
	if (strncmp(path, "~/", 2) == 0)
		return file_join(home ? home : "/", path + 2);
	return file_join(folder, path);
}

static char *folder_of(const char *path)
{
	char *folder = xstrdup(path), *slash = strrchr(folder, '/');

	if (slash)
		*slash = '\0';
	return folder;
}

static bool is_include(const char *key, size_t length)
{
	const char *const end = ".path";
	size_t tail = strlen(end);

	return (strncmp(key, "include.", 8) == 0 || strncmp(key, "includeif.", 10) == 0) &&
	       length > tail && strncmp(key + length - tail, end, tail) == 0;
}

/* A file that settings come from, and one that it includes, whether that is there or not. */
static void see_setting(const char *origin, const char *setting)
{
	size_t key_length = strcspn(setting, "\n");
	char *file, *folder;

	if (strncmp(origin, "file:", 5) != 0)
		return;
	file = resolve(origin + 5, expected.root);
	if (is_include(setting, key_length) && setting[key_length]) {
		folder = folder_of(file);
		see(resolve(setting + key_length + 1, folder));
		free(folder);
	}
	if (expected.count && strcmp(expected.places[expected.count - 1].path, file) == 0)
		free(file);
	else
		see(file);
}

/* "file:.git/config\0remote.origin.url\nhttps://...\0" */
static void see_settings(const struct strbuf *list)
{
	const char *at = list->data, *end = list->data + list->length;

	while (at < end) {
		const char *setting = at + strlen(at) + 1;

		if (setting >= end)
			return;
		see_setting(at, setting);
		at = setting + strlen(setting) + 1;
	}
}

static void see_variable(const char *name, const char *otherwise)
{
	const char *path = getenv(name);

	if (path || otherwise)
		see(xstrdup(path ? path : otherwise));
}

static void see_below(const char *variable, const char *name)
{
	const char *folder = getenv(variable);

	if (folder && *folder)
		see(file_join(folder, name));
}

/* Where git would find settings if somebody wrote them. */
static void see_usual_files(void)
{
	see(file_join(expected.common_dir, "config"));
	see(file_join(expected.common_dir, "config.worktree"));
	see_variable("GIT_CONFIG_SYSTEM", "/etc/gitconfig");
	see_variable("GIT_CONFIG_GLOBAL", NULL);
	see_below("HOME", ".gitconfig");
	see_below("HOME", ".config/git/config");
	see_below("XDG_CONFIG_HOME", "git/config");
}

void repo_expect_code(struct repo *repo, repo_is_plain *is_plain)
{
	struct strbuf settings = STRBUF_INIT;

	if (expected.is_plain)
		return;
	expected.root = xstrdup(repo->root);
	expected.common_dir = xstrdup(repo->common_dir);
	see_usual_files();
	see_programs(getenv("PATH"));
	see_programs(getenv("GIT_EXEC_PATH"));
	git_ask(repo, GIT_ARGS("config", "--list", "-z", "--show-origin"), &settings, NULL);
	see_settings(&settings);
	strbuf_release(&settings);
	expected.is_plain = is_plain;
}

void git_expect_no_code(void)
{
	for (size_t i = 0; i < expected.count; i++)
		free(expected.places[i].path);
	free(expected.places);
	free(expected.root);
	free(expected.common_dir);
	memset(&expected, 0, sizeof(expected));
}

/* ---- afterwards ----------------------------------------------------------------------------- */

repo_is_plain *git_plain_variables(void)
{
	return expected.is_plain;
}

static const char *find_changed(void)
{
	char state[65];

	for (size_t i = 0; i < expected.count; i++) {
		read_state(expected.places[i].path, state);
		if (strcmp(state, expected.places[i].state) != 0)
			return expected.places[i].path;
	}
	return NULL;
}

/* A worktree's .git file says "gitdir: <common>/worktrees/<id>". */
static bool is_worktree(const char *directory)
{
	char *path = file_join(directory, ".git"),
	     *wanted = file_join(expected.common_dir, "worktrees/");
	struct strbuf text = STRBUF_INIT;
	size_t length = strlen(wanted);
	bool is = file_read(path, MAX_LINK_BYTES, &text, NULL) == ERR_OK &&
		  strncmp(text.data, "gitdir: ", 8) == 0 &&
		  strncmp(text.data + 8, wanted, length) == 0 && !strstr(text.data, "/../");

	strbuf_release(&text);
	free(wanted);
	free(path);
	return is;
}

/* Of another repository's settings nothing was seen. */
static bool is_seen(const struct git_command *command)
{
	for (const char *const *own = command->env; own && *own; own++)
		if (strncmp(*own, "GIT_DIR=", 8) == 0)
			return false;
	return command->directory &&
	       (strcmp(command->directory, expected.root) == 0 || is_worktree(command->directory));
}

void git_has_run(void)
{
	for (size_t i = 0; i < expected.count; i++)
		read_state(expected.places[i].path, expected.places[i].state);
}

bool git_may_tell(const struct git_command *command, const char **changed)
{
	*changed = NULL;
	if (!expected.is_plain)
		return true;
	if (!command->network || !is_seen(command))
		return false;
	*changed = find_changed();
	return !*changed;
}
