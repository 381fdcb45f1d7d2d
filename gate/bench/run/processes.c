/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/run/processes.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/base/text.h"

#define MAX_LISTED 6      /* programs in one line */
#define MAX_NAME_BYTES 60 /* of one in it */

/*
 * By the executable's name behind all links. Interpreters (python, node, perl) are not here: what
 * they run may be the benchmark. Nor is anything that is itself often measured (sort, git, gzip).
 */
static const char *const helpers[] = {
	/* shells */
	"sh", "ash", "bash", "busybox", "csh", "dash", "fish", "ksh", "mksh", "rbash", "tcsh",
	"yash", "zsh",
	/* what only starts others */
	"chrt", "chroot", "dumb-init", "env", "flock", "gosu", "ionice", "nice", "nohup", "numactl",
	"prlimit", "runuser", "setarch", "setpriv", "setsid", "stdbuf", "su-exec", "taskset",
	"time", "timeout", "tini", "unshare", "xargs",
	/* what watches others */
	"gdb", "gdbserver", "lldb", "lldb-server", "ltrace", "strace",
	/* what builds */
	"bazel", "build-script-build", "cargo", "ccache", "cmake", "ctest", "distcc", "gmake", "go",
	"gomake", "just", "make", "ninja", "rustup", "samu", "sccache",
	/* compilers and linkers, and their parts */
	"ar", "as", "c++", "cc", "cc1", "cc1plus", "clang", "clang++", "collect2", "cpp", "f951",
	"g++", "gcc", "gfortran", "gold", "ld", "ld.bfd", "ld.gold", "ld.lld", "lld", "lto-wrapper",
	"lto1", "mold", "ranlib", "rust-lld", "rustc", "rustdoc", NULL};

/* ---- names ----------------------------------------------------------------------------------- */

struct program {
	const char *name;
	size_t length;
};

/* The base name; an executable that was replaced meanwhile ends in " (deleted)". */
static struct program program_of(const struct capture_process *process)
{
	static const char deleted[] = " (deleted)";
	const char *slash = strrchr(process->executable, '/');
	struct program program = {slash ? slash + 1 : process->executable, 0};

	program.length = strlen(program.name);
	if (program.length > strlen(deleted) &&
		!strcmp(program.name + program.length - strlen(deleted), deleted))
		program.length -= strlen(deleted);
	return program;
}

/* Without the target that a cross compiler's name begins with: "x86_64-linux-gnu-". */
static struct program without_target(struct program program)
{
	const char *found = memmem(program.name, program.length, "-linux-", strlen("-linux-"));
	const char *end = program.name + program.length, *dash;

	if (!found)
		return program;
	found += strlen("-linux-");
	dash = memchr(found, '-', (size_t)(end - found));
	if (!dash)
		return program;
	return (struct program){dash + 1, (size_t)(end - dash - 1)};
}

/* The name, and behind it a version at most. */
static bool is_named(struct program program, const char *name)
{
	size_t length = strlen(name);

	return program.length >= length && !memcmp(program.name, name, length) &&
	       strspn(program.name + length, "0123456789.-") >= program.length - length;
}

static bool is_one_of(struct program program, const char *const *names)
{
	for (; *names; names++)
		if (is_named(program, *names) || is_named(without_target(program), *names))
			return true;
	return false;
}

static bool has_path(const struct capture_process *process, const char *const *names)
{
	for (; *names; names++)
		if (**names == '/' && !strcmp(process->executable, *names))
			return true;
	return false;
}

/* ---- what is left out ------------------------------------------------------------------------ */

/* All processes of one program. */
struct group {
	struct program program;
	size_t processes;
	uint64_t cpu_ns;
};

struct groups {
	struct group *list;
	size_t count, capacity;
};

static void add_to_groups(struct groups *groups, const struct capture_process *process)
{
	struct program program = program_of(process);
	size_t i;

	for (i = 0; i < groups->count; i++)
		if (groups->list[i].program.length == program.length &&
			!memcmp(groups->list[i].program.name, program.name, program.length))
			break;
	if (i == groups->count) {
		groups->list = grow_array(
			groups->list, &groups->capacity, groups->count + 1, sizeof(*groups->list));
		groups->list[groups->count++] = (struct group){.program = program};
	}
	groups->list[i].processes++;
	if (__builtin_add_overflow(
		    groups->list[i].cpu_ns, process->cpu_ns, &groups->list[i].cpu_ns))
		groups->list[i].cpu_ns = UINT64_MAX;
}

/* The most CPU time first; then by name, so that equal runs give equal lines. */
static int compare_groups(const void *left, const void *right)
{
	const struct group *a = left, *b = right;
	size_t shorter =
		a->program.length < b->program.length ? a->program.length : b->program.length;
	int order;

	if (a->cpu_ns != b->cpu_ns)
		return a->cpu_ns > b->cpu_ns ? -1 : 1;
	order = memcmp(a->program.name, b->program.name, shorter);
	if (order)
		return order;
	return (a->program.length > b->program.length) - (a->program.length < b->program.length);
}

static void write_name(struct strbuf *out, const struct program *program)
{
	size_t length = program->length < MAX_NAME_BYTES ? program->length : MAX_NAME_BYTES;
	size_t start = out->length;

	text_defuse(out, program->name, length);
	if (out->length == start)
		strbuf_addstr(out, "(without a name)");
	for (; start < out->length; start++)
		if (out->data[start] == '\n')
			out->data[start] = ' ';
}

static void write_group(struct strbuf *out, const struct group *group, bool is_first)
{
	if (!is_first)
		strbuf_addstr(out, ", ");
	write_name(out, &group->program);
	strbuf_addf(out, " (%zu process%s, %.2f s%s)", group->processes,
		group->processes == 1 ? "" : "es", (double)group->cpu_ns / 1e9,
		is_first ? " of CPU time" : "");
}

static struct groups find_groups(const struct capture_set *set, bool excluded)
{
	struct groups groups = {NULL, 0, 0};

	for (size_t i = 0; i < set->process_count; i++)
		if (set->processes[i].excluded == excluded)
			add_to_groups(&groups, &set->processes[i]);
	if (groups.count)
		qsort(groups.list, groups.count, sizeof(*groups.list), compare_groups);
	return groups;
}

static void write_groups(struct strbuf *out, const struct groups *groups)
{
	for (size_t i = 0; i < groups->count && i < MAX_LISTED; i++)
		write_group(out, &groups->list[i], i == 0);
	if (groups->count > MAX_LISTED)
		strbuf_addf(out, " and %zu more", groups->count - MAX_LISTED);
}

static void write_left_out(const struct capture_set *set, struct strbuf *out)
{
	struct groups groups = find_groups(set, true);

	if (groups.count) {
		strbuf_addstr(out, "not counted: ");
		write_groups(out, &groups);
	}
	free(groups.list);
}

/* ---- choosing -------------------------------------------------------------------------------- */

static void sum_up(struct capture_set *set)
{
	set->samples = set->complete = set->lost = 0;
	for (size_t i = 0; i < set->process_count; i++) {
		const struct capture_process *process = &set->processes[i];

		if (process->excluded)
			continue;
		set->samples += process->samples;
		set->complete += process->totals[CAPTURE_CPU].complete;
		set->lost += process->lost;
	}
}

static void count_all(struct capture_set *set)
{
	for (size_t i = 0; i < set->process_count; i++)
		set->processes[i].excluded = false;
}

/* Has a process that counts anything to show? */
static bool is_anything_counted(const struct capture_set *set)
{
	for (size_t i = 0; i < set->process_count; i++)
		if (!set->processes[i].excluded && set->processes[i].entry_count)
			return true;
	return false;
}

static void leave_out_helpers(struct capture_set *set)
{
	for (size_t i = 0; i < set->process_count; i++)
		set->processes[i].excluded = is_one_of(program_of(&set->processes[i]), helpers);
	if (!is_anything_counted(set))
		count_all(set);
}

static int none_ran(const struct capture_set *set, const char *const *names, struct error *err)
{
	struct groups groups = find_groups(set, true);
	struct strbuf ran = STRBUF_INIT;

	write_groups(&ran, &groups);
	error_set(err, ERR_MEASURE,
		"`processes` names %s%s, but no such program ran under the profiler. These did: %s",
		*names, names[1] ? " and others" : "", ran.data);
	strbuf_release(&ran);
	free(groups.list);
	return ERR_MEASURE;
}

static int keep_named(struct capture_set *set, const char *const *names, struct error *err)
{
	bool found = false;

	for (size_t i = 0; i < set->process_count; i++) {
		struct capture_process *process = &set->processes[i];

		process->excluded =
			!is_one_of(program_of(process), names) && !has_path(process, names);
		found |= !process->excluded;
	}
	if (found || !set->process_count)
		return ERR_OK;
	none_ran(set, names, err);
	count_all(set);
	return ERR_MEASURE;
}

int processes_select(struct capture_set *set, const char *const *names, struct strbuf *left_out,
	struct error *err)
{
	int rc = ERR_OK;

	count_all(set);
	if (!names)
		leave_out_helpers(set);
	else if (*names)
		rc = keep_named(set, names, err);
	sum_up(set);
	if (left_out)
		write_left_out(set, left_out);
	return rc;
}
