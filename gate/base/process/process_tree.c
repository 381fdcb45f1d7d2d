/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is below a process, found by /proc, and how all of them are killed so that none can fork its
 * way out.
 */
#include "gate/base/process/process_internal.h"

#include "gate/base/arena.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STOP_ROUNDS 20

void pid_set_add(struct pid_set *set, pid_t pid)
{
	set->pids = grow_array(set->pids, &set->capacity, set->count + 1, sizeof(*set->pids));
	set->pids[set->count++] = pid;
}

bool pid_set_has(const struct pid_set *set, pid_t pid)
{
	for (size_t i = 0; set && i < set->count; i++) {
		if (set->pids[i] == pid)
			return true;
	}
	return false;
}

void pid_set_release(struct pid_set *set)
{
	free(set->pids);
	*set = (struct pid_set){0};
}

char *process_read_proc(const char *path)
{
	struct strbuf text = STRBUF_INIT;
	char chunk[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return NULL;
	while ((got = read(fd, chunk, sizeof(chunk))) > 0)
		strbuf_add(&text, chunk, (size_t)got);
	close(fd);
	return strbuf_detach(&text, NULL);
}

static pid_t numeric_name(const char *name)
{
	return isdigit((unsigned char)*name) ? (pid_t)strtol(name, NULL, 10) : 0;
}

static void add_listed(const char *text, struct pid_set *out)
{
	char *end;

	for (long pid; (pid = strtol(text, &end, 10)) > 0; text = end)
		pid_set_add(out, (pid_t)pid);
}

/* A child is listed with the thread that forked it or that it was given to. */
static bool children_by_threads(pid_t parent, struct pid_set *out)
{
	char path[96];
	struct dirent *entry;
	bool known = false;
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)parent);
	threads = opendir(path);
	if (!threads)
		return errno == ENOENT;
	while ((entry = readdir(threads))) {
		pid_t thread = numeric_name(entry->d_name);
		char *text;

		if (!thread)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent, (int)thread);
		text = process_read_proc(path);
		if (text)
			add_listed(text, out);
		known = known || text;
		free(text);
	}
	closedir(threads);
	return known;
}

/* Parent and state; 0 if the process is gone. The name may hold ')' and spaces:
 * look from behind. */
static pid_t parent_of(pid_t pid, char *state)
{
	char path[64];
	char *text, *end;
	pid_t parent = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	text = process_read_proc(path);
	end = text ? strrchr(text, ')') : NULL;
	if (end && strlen(end) > 4) {
		*state = end[2];
		parent = (pid_t)strtol(end + 4, NULL, 10);
	}
	free(text);
	return parent;
}

/* For kernels without CONFIG_PROC_CHILDREN. */
static void children_by_scan(pid_t parent, struct pid_set *out)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	char state;

	if (!proc)
		return;
	while ((entry = readdir(proc))) {
		pid_t pid = numeric_name(entry->d_name);

		if (pid && parent_of(pid, &state) == parent)
			pid_set_add(out, pid);
	}
	closedir(proc);
}

static void children_of(pid_t parent, struct pid_set *out)
{
	size_t before = out->count;

	if (children_by_threads(parent, out))
		return;
	out->count = before;
	children_by_scan(parent, out);
}

static bool have_children(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

void process_tree_children(const struct pid_set *except, struct pid_set *out)
{
	size_t kept = out->count;

	if (!have_children())
		return;
	children_of(getpid(), out);
	for (size_t i = kept; i < out->count; i++) {
		if (!pid_set_has(except, out->pids[i]))
			out->pids[kept++] = out->pids[i];
	}
	out->count = kept;
}

static void add_descendants(size_t next, struct pid_set *out)
{
	while (next < out->count)
		children_of(out->pids[next++], out);
}

void process_tree_descendants(const struct pid_set *except, struct pid_set *out)
{
	size_t next = out->count;

	process_tree_children(except, out);
	add_descendants(next, out);
}

void process_tree_below(pid_t root, struct pid_set *out)
{
	size_t next = out->count;

	children_of(root, out);
	add_descendants(next, out);
}

static void signal_each(const struct pid_set *set, int signal)
{
	for (size_t i = 0; i < set->count; i++)
		kill(set->pids[i], signal);
}

static size_t count_alive(const struct pid_set *set)
{
	size_t alive = 0;

	for (size_t i = 0; i < set->count; i++) {
		char state = 'X';

		alive += parent_of(set->pids[i], &state) && state != 'Z' && state != 'X';
	}
	return alive;
}

size_t process_tree_kill(const struct pid_set *except)
{
	struct pid_set tree = {0};
	size_t known = 0, alive;

	for (int round = 0; round < STOP_ROUNDS; round++) {
		tree.count = 0;
		process_tree_descendants(except, &tree);
		signal_each(&tree, SIGSTOP);
		if (tree.count == known)
			break;
		known = tree.count;
	}
	alive = count_alive(&tree);
	signal_each(&tree, SIGKILL);
	pid_set_release(&tree);
	return alive;
}
