/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How valgrind is started, and what the files that it leaves say: whose instructions count, whose
 * do not, and which processes were lost.
 */
#include "gate/bench/instructions/instructions_internal.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/process/program.h"
#include "gate/base/text.h"
#include "gate/bench/leavings.h"
#include "gate/bench/run/processes.h"
#include "gate/bench/untrusted_file.h"
#include "gate/profile/callgrind/callgrind.h"

#define COUNTS_PREFIX "counts."
#define LOG_PREFIX "log."
#define MAX_FILES 10000
#define MAX_LISTED 6

int valgrind_find(char **path, struct error *err)
{
	char *found = program_find("valgrind", NULL, NULL);

	if (!found)
		return error_set(err, ERR_TOOL,
			"instructions are counted by valgrind, which is not installed (Debian, "
			"Ubuntu: apt-get install valgrind; Fedora: dnf install valgrind)");
	*path = found;
	return ERR_OK;
}

/*
 * Only these options count, whatever a .valgrindrc says. A forked child would begin with its
 * parent's counts: callgrind writes and clears them just before.
 */
static const char *const common_options[] = {"--command-line-only=yes", "-q", "--vgdb=no",
	"--trace-children=yes", "--cache-sim=no", "--branch-sim=no"};
static const char *const callgrind_options_list[] = {"--tool=callgrind", "--dump-before=_Fork",
	"--collect-jumps=no", "--dump-instr=yes", "--dump-line=yes", "--compress-strings=yes",
	"--compress-pos=no", "--separate-threads=no"};
static const char *const cachegrind_options_list[] = {"--tool=cachegrind"};

#define LENGTH(list) (sizeof(list) / sizeof((list)[0]))

static size_t add_all(const char **to, size_t at, const char *const *from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[at++] = from[i];
	return at;
}

const char *const *valgrind_command(struct arena *arena, const char *valgrind,
	enum instructions_engine engine, const char *folder, const char *const *argv)
{
	bool calls = engine == INSTRUCTIONS_CALLGRIND;
	const char *const *own = calls ? callgrind_options_list : cachegrind_options_list;
	size_t own_count = calls ? LENGTH(callgrind_options_list) : LENGTH(cachegrind_options_list);
	size_t argc = 0, at = 0;
	const char **command;

	while (argv[argc])
		argc++;
	command =
		arena_array(arena, argc + own_count + LENGTH(common_options) + 4, sizeof(*command));
	command[at++] = valgrind;
	at = add_all(command, at, own, own_count);
	at = add_all(command, at, common_options, LENGTH(common_options));
	command[at++] = arena_printf(arena, "--log-file=%s/" LOG_PREFIX "%%p", folder);
	command[at++] = arena_printf(arena, "--%s-out-file=%s/" COUNTS_PREFIX "%%p",
		instructions_engine_name(engine), folder);
	add_all(command, at, argv, argc);
	return command;
}

/* ---- the files that it leaves ---------------------------------------------------------------- */

/* "counts.PID" and, what was written before a fork, "counts.PID.1", "counts.PID.2", ... */
struct count_file {
	int64_t pid, part; /* the last part has no number: INT64_MAX */
	char *path;
	size_t process; /* of the run; SIZE_MAX: it holds no counts */
};

struct count_files {
	struct count_file *items;
	size_t count, capacity;
};

/* Digits alone, at most 18 of them; to its end or to a dot. */
static bool get_digits(const char **at, int64_t *number)
{
	size_t length = strspn(*at, "0123456789");

	if (!length || length > 18)
		return false;
	*number = (int64_t)strtoll(*at, NULL, 10);
	*at += length;
	return true;
}

static bool parse_name(const char *name, const char *prefix, struct count_file *file)
{
	const char *at = name + strlen(prefix);

	if (strncmp(name, prefix, strlen(prefix)) != 0 || !get_digits(&at, &file->pid))
		return false;
	file->part = INT64_MAX;
	if (*at == '.') {
		at++;
		if (!get_digits(&at, &file->part))
			return false;
	}
	return *at == '\0';
}

static int by_pid_and_part(const void *left, const void *right)
{
	const struct count_file *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (a->part > b->part) - (a->part < b->part);
}

static void release_files(struct count_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->items[i].path);
	free(files->items);
}

static int list_files(
	const char *folder, const char *prefix, struct count_files *files, struct error *err)
{
	struct count_file file;
	struct dirent *entry;
	DIR *dir = opendir(folder);
	int rc = ERR_OK;

	if (!dir)
		return error_set(err, ERR_MEASURE, "valgrind's counts are gone: %s", folder);
	while (!rc && (entry = readdir(dir))) {
		if (!parse_name(entry->d_name, prefix, &file))
			continue;
		if (files->count == MAX_FILES)
			rc = error_set(err, ERR_LIMIT,
				"the benchmark runs more than %d processes, too many to count "
				"their instructions",
				MAX_FILES);
		file.path = file_join(folder, entry->d_name);
		files->items = grow_array(
			files->items, &files->capacity, files->count + 1, sizeof(*files->items));
		files->items[files->count++] = file;
	}
	closedir(dir);
	if (files->count)
		qsort(files->items, files->count, sizeof(*files->items), by_pid_and_part);
	return rc;
}

/* ---- what they say --------------------------------------------------------------------------- */

/* Adds a file's counts; *is_empty, and nothing is added, where the process did not live to write
 * them. */
static int read_counts(
	const struct count_file *file, struct callgrind *counts, bool *is_empty, struct error *err)
{
	struct strbuf data = STRBUF_INIT;
	int rc = untrusted_file_read(file->path, callgrind_default_limits.max_bytes, &data, err);

	*is_empty = !rc && !data.length;
	if (!rc && data.length)
		rc = callgrind_add(
			counts, data.data, data.length, strrchr(file->path, '/') + 1, err);
	strbuf_release(&data);
	return rc;
}

/* Parts of one image are one process. */
static size_t add_process(
	struct instructions_run *run, int64_t pid, const struct callgrind *counts, size_t *capacity)
{
	const char *program = callgrind_program(counts), *command = callgrind_command(counts);
	struct instructions_process *last =
		run->process_count ? &run->processes[run->process_count - 1] : NULL;

	if (!last || last->pid != pid || strcmp(last->command, command) != 0) {
		run->processes = grow_array(
			run->processes, capacity, run->process_count + 1, sizeof(*run->processes));
		last = &run->processes[run->process_count++];
		*last = (struct instructions_process){.pid = pid,
			.program = arena_strdup(&run->arena, program),
			.command = arena_strdup(&run->arena, command)};
	}
	last->instructions += callgrind_instructions(counts);
	return run->process_count - 1;
}

static int read_processes(
	struct count_files *files, struct instructions_run *run, struct error *err)
{
	size_t capacity = 0;
	int rc = ERR_OK;

	for (size_t i = 0; i < files->count && !rc; i++) {
		struct callgrind *counts = callgrind_new(NULL);
		struct count_file *file = &files->items[i];
		bool is_empty;

		rc = read_counts(file, counts, &is_empty, err);
		file->process =
			rc || is_empty ? SIZE_MAX : add_process(run, file->pid, counts, &capacity);
		callgrind_free(counts);
	}
	return rc;
}

static bool has_counts(const struct count_files *files, int64_t pid)
{
	for (size_t i = 0; i < files->count; i++)
		if (files->items[i].pid == pid && files->items[i].process != SIZE_MAX)
			return true;
	return false;
}

/* Every process begins a log, but one that is killed from outside leaves no counts. */
static int count_lost(const char *folder, const struct count_files *files,
	struct instructions_run *run, struct error *err)
{
	struct count_files logs = {0};
	int rc = list_files(folder, LOG_PREFIX, &logs, err);

	for (size_t i = 0; i < logs.count; i++)
		run->lost += !has_counts(files, logs.items[i].pid);
	release_files(&logs);
	return rc;
}

/* The rule for sampled processes, in its terms. */
static int select_processes(
	const char *const *names, struct instructions_run *run, struct error *err)
{
	struct capture_set set = {.arena = ARENA_INIT, .process_count = run->process_count};
	int rc;

	set.processes = arena_array(&set.arena, run->process_count, sizeof(*set.processes));
	for (size_t i = 0; i < run->process_count; i++) {
		set.processes[i].executable = run->processes[i].program;
		set.processes[i].entry_count = run->processes[i].instructions > 0;
	}
	rc = processes_select(&set, names, NULL, err);
	for (size_t i = 0; i < run->process_count; i++) {
		run->processes[i].excluded = set.processes[i].excluded;
		if (!run->processes[i].excluded)
			run->instructions += run->processes[i].instructions;
	}
	arena_release(&set.arena);
	return rc;
}

/*
 * In an order that does not depend on process ids, which begin again at some number: the processes
 * that did most come last, because the last one's program stands for all.
 */
static int by_work(const void *left, const void *right, void *data)
{
	const struct count_file *a = left, *b = right;
	const struct instructions_process *processes = data, *p, *q;
	int order;

	if (a->process == SIZE_MAX || b->process == SIZE_MAX)
		return (a->process == SIZE_MAX) - (b->process == SIZE_MAX);
	p = &processes[a->process];
	q = &processes[b->process];
	if (p->instructions != q->instructions)
		return p->instructions < q->instructions ? -1 : 1;
	order = strcmp(p->command, q->command);
	return order ? order : by_pid_and_part(left, right);
}

/* Read again: which processes count, and in which order, was not known before. */
static int add_counts(struct count_files *files, struct instructions_run *run, struct error *err)
{
	int rc = ERR_OK;
	bool is_empty;

	qsort_r(files->items, files->count, sizeof(*files->items), by_work, run->processes);
	run->counts = callgrind_new(NULL);
	callgrind_keep_calls(run->counts);
	for (size_t i = 0; i < files->count && !rc; i++) {
		size_t process = files->items[i].process;

		if (process != SIZE_MAX && !run->processes[process].excluded)
			rc = read_counts(&files->items[i], run->counts, &is_empty, err);
	}
	return rc;
}

static int read_files(struct count_files *files, const char *const *counted,
	struct instructions_run *run, struct error *err)
{
	int rc = read_processes(files, run, err);

	if (rc) {
		error_prefix(err, "valgrind's counts cannot be used");
		return err->code = ERR_MEASURE;
	}
	if (!run->process_count)
		return error_set(err, ERR_MEASURE,
			"valgrind counted nothing: was every process killed, or is the work done "
			"by a server that was already running?");
	rc = select_processes(counted, run, err);
	return rc ? rc : add_counts(files, run, err);
}

static int by_most_work(const void *left, const void *right)
{
	const struct instructions_process *p = left, *q = right;
	int order;

	if (p->instructions != q->instructions)
		return p->instructions > q->instructions ? -1 : 1;
	order = strcmp(p->command, q->command);
	return order ? order : (p->pid > q->pid) - (p->pid < q->pid);
}

/* Only when nothing asks for a file's process any more. */
static void order_processes(struct instructions_run *run)
{
	if (run->process_count)
		qsort(run->processes, run->process_count, sizeof(*run->processes), by_most_work);
}

int valgrind_read(const char *folder, const char *const *counted, struct instructions_run *run,
	struct error *err)
{
	struct count_files files = {0};
	int rc = list_files(folder, COUNTS_PREFIX, &files, err);

	if (!rc)
		rc = read_files(&files, counted, run, err);
	if (!rc)
		rc = count_lost(folder, &files, run, err);
	order_processes(run);
	release_files(&files);
	return rc;
}

void instructions_left_out(const struct instructions_run *run, struct strbuf *out)
{
	size_t count = 0;

	for (size_t i = 0; i < run->process_count; i++) {
		const struct instructions_process *process = &run->processes[i];
		const char *slash = strrchr(process->program, '/');
		const char *name = slash ? slash + 1 : process->program;

		if (!process->excluded)
			continue;
		if (count++ >= MAX_LISTED)
			continue;
		strbuf_addstr(out, count == 1 ? "not counted: " : ", ");
		text_defuse(out, name, strcspn(name, "\n"));
		strbuf_addf(out, " (%" PRIu64 "%s)", process->instructions,
			count == 1 ? " instructions" : "");
	}
	if (count > MAX_LISTED)
		strbuf_addf(out, " and %zu more", count - MAX_LISTED);
}

/* ---- its messages ---------------------------------------------------------------------------- */

void valgrind_add_message(struct strbuf *out, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	size_t before = out->length;

	while (dir && out->length == before && (entry = readdir(dir))) {
		char *path;

		if (strncmp(entry->d_name, LOG_PREFIX, strlen(LOG_PREFIX)) != 0)
			continue;
		path = file_join(folder, entry->d_name);
		output_tail(out, path);
		free(path);
	}
	if (dir)
		closedir(dir);
}
