/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/run/run_clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/text.h"
#include "gate/bench/preload/preload.h"
#include "gate/bench/untrusted_file.h"
#include "gate/clock/clock_file.h"
#include "gate/clock/clock_variable.h"

#define MOST_PROCESSES 4096
#define MOST_RECORD_BYTES ((size_t)1 << 30) /* of a process */
#define WAITING_PART 0.02                   /* of the run's CPU time: who takes less only waits */

/* ---- before -------------------------------------------------------------------------------- */

static int64_t now_ns(clockid_t clock)
{
	struct timespec time = {0, 0};

	clock_gettime(clock, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int fill_page(struct fg_clock_page *page, const struct run_clock *clock, struct error *err)
{
	static const enum fg_clock_mode modes[] = {[RUN_CLOCK_RECORD] = FG_CLOCK_RECORD,
		[RUN_CLOCK_REPLAY] = FG_CLOCK_REPLAY,
		[RUN_CLOCK_STEPPED] = FG_CLOCK_STEPPED};

	page->mode = modes[clock->mode];
	page->speed = clock->speed ? clock->speed : 1;
	page->step_ns = clock->step_ns;
	page->most_cpu_ns = clock->most_cpu_ns;
	page->origin_ns[FG_CLOCK_BASE_REALTIME] = now_ns(CLOCK_REALTIME);
	page->origin_ns[FG_CLOCK_BASE_MONOTONIC] = now_ns(CLOCK_MONOTONIC);
	page->origin_ns[FG_CLOCK_BASE_BOOTTIME] = now_ns(CLOCK_BOOTTIME);
	page->origin_ns[FG_CLOCK_BASE_RAW] = now_ns(CLOCK_MONOTONIC_RAW);
	if (clock->mode == RUN_CLOCK_REPLAY) {
		if (strlen(clock->records) >= sizeof(page->records))
			return error_set(err, ERR_LIMIT, "%s: too long a path", clock->records);
		memcpy(page->records, clock->records, strlen(clock->records) + 1);
	}
	__atomic_store_n(&page->magic, FG_CLOCK_PAGE_MAGIC, __ATOMIC_RELEASE);
	return ERR_OK;
}

static int make_page(const char *path, const struct run_clock *clock, struct error *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct fg_clock_page *page = MAP_FAILED;
	/* It returns its error, and leaves errno as it is. */
	int error = fd < 0 ? errno : posix_fallocate(fd, 0, sizeof(*page)), rc;

	if (!error)
		page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!error && page == MAP_FAILED)
		error = errno;
	if (fd >= 0)
		close(fd);
	if (error)
		return error_errno(err, ERR_IO, error, "cannot make the clock's page %s", path);
	rc = fill_page(page, clock, err);
	munmap(page, sizeof(*page));
	return rc;
}

int run_clock_prepare(const struct run_clock *clock, const char *run_folder,
	struct run_clock_place *place, struct error *err)
{
	char *page;
	int rc;

	*place = (struct run_clock_place){NULL, NULL};
	if (!clock || clock->mode == RUN_CLOCK_REAL)
		return ERR_OK;
	place->folder = clock->mode == RUN_CLOCK_RECORD ? xstrdup(clock->records)
							: file_join(run_folder, "clock");
	page = file_join(place->folder, FG_CLOCK_PAGE_NAME);
	rc = preload_library(PRELOAD_CLOCK, run_folder, &place->library, err);
	/* Of a run that did not count and is made again. */
	if (!rc && clock->mode == RUN_CLOCK_RECORD)
		rc = file_remove_tree(place->folder, err);
	if (!rc)
		rc = file_mkdirs(place->folder, err);
	if (!rc)
		rc = make_page(page, clock, err);
	free(page);
	return rc;
}

void run_clock_release(struct run_clock_place *place)
{
	free(place->folder);
	free(place->library);
	*place = (struct run_clock_place){NULL, NULL};
}

static char *variable(const char *name, const char *value)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "%s=%s", name, value);
	return strbuf_detach(&text, NULL);
}

char **run_clock_environment(const char *const *env, const struct run_clock_place *place)
{
	const char *const *all = env ? env : (const char *const *)environ;
	size_t count = 0, kept = 0;
	char **list;

	while (all[count])
		count++;
	list = xcalloc(count + 3, sizeof(*list));
	for (size_t i = 0; i < count; i++)
		if (strncmp(all[i], "LD_PRELOAD=", 11) != 0 &&
			strncmp(all[i], FG_ENV_CLOCK "=", sizeof(FG_ENV_CLOCK)) != 0)
			list[kept++] = xstrdup(all[i]);
	list[kept++] = variable("LD_PRELOAD", place->library);
	list[kept] = variable(FG_ENV_CLOCK, place->folder);
	return list;
}

/* ---- what processes read ------------------------------------------------------------------- */

/* One process's file, as far as it is of interest. */
struct reading {
	char name[FG_CLOCK_NAME_DIGITS + 1]; /* the file's */
	struct strbuf file;                  /* struct fg_clock_file */
};
struct readings {
	struct reading *items; /* by name */
	size_t count, capacity;
};

static const struct fg_clock_file *file_of(const struct reading *reading)
{
	return (const struct fg_clock_file *)reading->file.data;
}

static bool is_key(const char *name)
{
	return strlen(name) == FG_CLOCK_NAME_DIGITS &&
	       strspn(name, "0123456789abcdef") == FG_CLOCK_NAME_DIGITS;
}

static int read_start(const char *path, struct strbuf *out, struct error *err)
{
	struct fg_clock_file *file = xmalloc(sizeof(*file));
	int fd, rc = untrusted_file_open(path, &fd, err);
	ssize_t got = 0;

	if (!rc) {
		got = pread(fd, file, sizeof(*file), 0);
		close(fd);
	}
	if (!rc && (got != (ssize_t)sizeof(*file) || file->magic != FG_CLOCK_FILE_MAGIC))
		rc = error_set(err, ERR_MEASURE, "%s: a damaged record of a clock", path);
	if (!rc) {
		file->program[sizeof(file->program) - 1] = '\0';
		strbuf_add(out, (const char *)file, sizeof(*file));
	}
	free(file);
	return rc;
}

static int add_reading(
	struct readings *readings, const char *folder, const char *name, struct error *err)
{
	char *path = file_join(folder, name);
	struct reading *reading;
	int rc = ERR_OK;

	if (readings->count >= MOST_PROCESSES)
		rc = error_set(err, ERR_BENCHMARK,
			"more than %d processes of the benchmark read a clock", MOST_PROCESSES);
	if (!rc) {
		readings->items = grow_array(readings->items, &readings->capacity,
			readings->count + 1, sizeof(*readings->items));
		reading = &readings->items[readings->count];
		*reading = (struct reading){.file = STRBUF_INIT};
		memcpy(reading->name, name, sizeof(reading->name));
		rc = read_start(path, &reading->file, err);
		readings->count++;
	}
	free(path);
	return rc;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct reading *)a)->name, ((const struct reading *)b)->name);
}

static int read_all(struct readings *readings, const char *folder, struct error *err)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int rc = ERR_OK;

	*readings = (struct readings){NULL, 0, 0};
	if (!dir)
		return error_errno(err, ERR_IO, errno, "cannot read %s", folder);
	while (!rc && (entry = readdir(dir)))
		if (is_key(entry->d_name))
			rc = add_reading(readings, folder, entry->d_name, err);
	closedir(dir);
	if (readings->count)
		qsort(readings->items, readings->count, sizeof(*readings->items), by_name);
	return rc;
}

static void forget(struct readings *readings)
{
	for (size_t i = 0; i < readings->count; i++)
		strbuf_release(&readings->items[i].file);
	free(readings->items);
}

static const struct fg_clock_file *find(const struct readings *readings, const char *name)
{
	struct reading key;
	const struct reading *found;

	memcpy(key.name, name, sizeof(key.name));
	found = readings->count ? bsearch(&key, readings->items, readings->count,
					  sizeof(*readings->items), by_name)
				: NULL;
	return found ? file_of(found) : NULL;
}

/* ---- exact? -------------------------------------------------------------------------------- */

static const char *const kind_names[FG_CLOCK_KINDS] = {
	[FG_CLOCK_KIND_REALTIME] = "clock_gettime(CLOCK_REALTIME)",
	[FG_CLOCK_KIND_MONOTONIC] = "clock_gettime(CLOCK_MONOTONIC)",
	[FG_CLOCK_KIND_BOOTTIME] = "clock_gettime(CLOCK_BOOTTIME)",
	[FG_CLOCK_KIND_RAW] = "clock_gettime(CLOCK_MONOTONIC_RAW)",
	[FG_CLOCK_KIND_REALTIME_COARSE] = "clock_gettime(CLOCK_REALTIME_COARSE)",
	[FG_CLOCK_KIND_MONOTONIC_COARSE] = "clock_gettime(CLOCK_MONOTONIC_COARSE)",
	[FG_CLOCK_KIND_PROCESS] = "clock_gettime(CLOCK_PROCESS_CPUTIME_ID)",
	[FG_CLOCK_KIND_THREAD] = "clock_gettime(CLOCK_THREAD_CPUTIME_ID)",
	[FG_CLOCK_KIND_OTHER] = "clock_gettime()",
	[FG_CLOCK_KIND_GETTIMEOFDAY] = "gettimeofday()",
	[FG_CLOCK_KIND_TIME] = "time()",
	[FG_CLOCK_KIND_CLOCK] = "clock()",
	[FG_CLOCK_KIND_TIMES] = "times()",
	[FG_CLOCK_KIND_RUSAGE] = "getrusage()",
	[FG_CLOCK_KIND_RUSAGE_CHILDREN] = "getrusage(RUSAGE_CHILDREN)",
	[FG_CLOCK_KIND_RUSAGE_THREAD] = "getrusage(RUSAGE_THREAD)",
};

static uint64_t calls_of(const struct fg_clock_file *file, uint64_t thread, uint32_t kind)
{
	for (size_t i = 0; file && i < FG_CLOCK_SLOTS; i++)
		if (file->slots[i].thread == thread && file->slots[i].kind == kind)
			return file->slots[i].calls;
	return 0;
}

static bool made_more(const struct fg_clock_file *made, const struct fg_clock_file *recorded)
{
	for (size_t i = 0; i < FG_CLOCK_SLOTS; i++) {
		const struct fg_clock_slot *slot = &made->slots[i];

		if (slot->thread && slot->calls > calls_of(recorded, slot->thread, slot->kind))
			return true;
	}
	return false;
}

/* One of its programs did: a process that calls exec has a file for each. */
static bool pid_made_more(const struct readings *recorded, const struct readings *made, int pid)
{
	for (size_t i = 0; i < made->count; i++)
		if (file_of(&made->items[i])->pid == (uint32_t)pid &&
			made_more(file_of(&made->items[i]), find(recorded, made->items[i].name)))
			return true;
	return false;
}

/* Those that did more than is recorded took next to nothing together: they only wait. */
static bool only_wait(const struct readings *recorded, const struct readings *made,
	const struct capture_set *captures)
{
	uint64_t more = 0, all = 0;

	for (size_t i = 0; captures && i < captures->process_count; i++) {
		const struct capture_process *process = &captures->processes[i];

		all += process->cpu_ns;
		if (pid_made_more(recorded, made, process->pid))
			more += process->cpu_ns;
	}
	return (double)more < WAITING_PART * (double)all;
}

static int tell_difference(const struct fg_clock_file *file, const struct fg_clock_slot *slot,
	uint64_t recorded, uint64_t made, struct error *err)
{
	const char *kind =
		slot->kind && slot->kind <= FG_CLOCK_KINDS ? kind_names[slot->kind - 1] : "a clock";
	struct strbuf program = STRBUF_INIT;

	text_defuse(&program, file->program, strlen(file->program));
	error_set(err, ERR_BENCHMARK,
		"its clock cannot be replayed: %s called %s %" PRIu64
		" times where base's recorded "
		"run did %" PRIu64 " times, so it does not do the same work",
		program.length ? program.data : "a process", kind, made, recorded);
	strbuf_release(&program);
	return ERR_BENCHMARK;
}

/* Each sequence of `one` that `other` has not as often. is_record: which of them was recorded. */
static int compare(const struct fg_clock_file *one, const struct fg_clock_file *other,
	bool is_record, bool may_have_more, struct error *err)
{
	for (size_t i = 0; i < FG_CLOCK_SLOTS; i++) {
		const struct fg_clock_slot *slot = &one->slots[i];
		uint64_t calls = slot->thread ? calls_of(other, slot->thread, slot->kind) : 0;
		uint64_t recorded = is_record ? slot->calls : calls;
		uint64_t made = is_record ? calls : slot->calls;

		if (!slot->thread || recorded == made || (made > recorded && may_have_more))
			continue;
		return tell_difference(one, slot, recorded, made, err);
	}
	return ERR_OK;
}

static int check_exact(const struct readings *recorded, const struct readings *made,
	const struct capture_set *captures, struct error *err)
{
	bool may_have_more = only_wait(recorded, made, captures);
	int rc = ERR_OK;

	for (size_t i = 0; i < recorded->count && !rc; i++) {
		const struct fg_clock_file *file = file_of(&recorded->items[i]);
		const struct fg_clock_file *other = find(made, recorded->items[i].name);

		if (other && other->unread)
			rc = error_set(err, ERR_MEASURE,
				"a process could not read what its clock had said: %s/%s",
				"the record", recorded->items[i].name);
		else
			rc = compare(file, other, true, may_have_more, err);
	}
	for (size_t i = 0; i < made->count && !rc && !may_have_more; i++)
		rc = compare(file_of(&made->items[i]), find(recorded, made->items[i].name), false,
			false, err);
	return rc;
}

/* ---- after --------------------------------------------------------------------------------- */

static int tell_trouble(uint32_t trouble, struct error *err)
{
	const char *text = "a process could not make the file of its clock";

	if (trouble & FG_CLOCK_TROUBLE_STEPS)
		text = "with a clock that goes on by the same step at each call a process of it was "
		       "stopped at four times the CPU time of base's recorded run";
	else if (trouble & FG_CLOCK_TROUBLE_DEADLINE)
		text = "it waits by io_uring, whose deadlines cannot be moved";
	else if (trouble & FG_CLOCK_TROUBLE_LEFT)
		text = "a signal handler jumps out of a call that reads a clock, or waits for the "
		       "clock that it interrupted";
	else if (trouble & FG_CLOCK_TROUBLE_TWINS)
		text = "two of its processes cannot be told apart (they are made by clone())";
	else if (trouble & FG_CLOCK_TROUBLE_FULL)
		text = "it reads clocks too often, or in too many threads, to record it all";
	return error_set(err, ERR_BENCHMARK, "its clock cannot be replayed: %s", text);
}

static int read_trouble(const char *folder, uint32_t *trouble, struct error *err)
{
	char *path = file_join(folder, FG_CLOCK_PAGE_NAME);
	struct strbuf text = STRBUF_INIT;
	int rc = untrusted_file_read(path, sizeof(struct fg_clock_page), &text, err);

	if (!rc && text.length == sizeof(struct fg_clock_page))
		*trouble = ((const struct fg_clock_page *)text.data)->trouble;
	else if (!rc)
		rc = error_set(err, ERR_MEASURE, "%s was damaged during the run", path);
	strbuf_release(&text);
	free(path);
	return rc;
}

uint64_t run_clock_timeout(const struct run_clock *clock, uint64_t timeout_ns)
{
	if (!clock || !clock->timeout_ns || (timeout_ns && timeout_ns < clock->timeout_ns))
		return timeout_ns;
	return clock->timeout_ns;
}

int run_clock_check(const struct run_clock *clock, const struct run_clock_place *place,
	bool timed_out, uint64_t timeout_ns, struct run_clock_use *use, struct error *err)
{
	uint32_t trouble = 0;
	struct error ignored;

	if (!place->folder || read_trouble(place->folder, &trouble, &ignored))
		return ERR_OK;
	use->stopped = (timed_out && run_clock_timeout(clock, timeout_ns) != timeout_ns) ||
		       trouble & FG_CLOCK_TROUBLE_STEPS;
	if (!use->stopped)
		return ERR_OK;
	if (trouble & FG_CLOCK_TROUBLE_STEPS)
		return tell_trouble(trouble, err);
	return error_set(err, ERR_BENCHMARK,
		"its clock cannot be replayed: it does not come to an end, although that is waited "
		"for much longer than base's recorded run took");
}

static void sum_up(const struct readings *readings, struct run_clock_use *use)
{
	*use = (struct run_clock_use){.processes = (uint32_t)readings->count};
	for (size_t i = 0; i < readings->count; i++)
		for (size_t k = 0; k < FG_CLOCK_SLOTS; k++)
			if (file_of(&readings->items[i])->slots[k].thread) {
				use->sequences++;
				use->calls += file_of(&readings->items[i])->slots[k].calls;
			}
}

/* Of each file its name and what is in it, in the order of names. */
static int sum_of(
	const struct readings *recorded, const char *folder, char sum[65], struct error *err)
{
	struct strbuf all = STRBUF_INIT, file = STRBUF_INIT;
	int rc = ERR_OK;

	for (size_t i = 0; i < recorded->count && !rc; i++) {
		char *path = file_join(folder, recorded->items[i].name);
		char own[65];

		strbuf_reset(&file);
		rc = untrusted_file_read(path, MOST_RECORD_BYTES, &file, err);
		sha256_hex(file.data, file.length, own);
		strbuf_addf(&all, "%s %s\n", recorded->items[i].name, own);
		free(path);
	}
	strbuf_release(&file);
	sha256_hex(all.data, all.length, sum);
	strbuf_release(&all);
	return rc;
}

int run_clock_seal(struct run_clock *clock, struct error *err)
{
	struct readings recorded;
	int rc = read_all(&recorded, clock->records, err);

	if (!rc)
		rc = sum_of(&recorded, clock->records, clock->sum, err);
	forget(&recorded);
	return rc;
}

static int check_seal(
	const struct run_clock *clock, const struct readings *recorded, struct error *err)
{
	char sum[65];
	int rc = sum_of(recorded, clock->records, sum, err);

	if (!rc && strcmp(sum, clock->sum) != 0)
		rc = error_set(err, ERR_BENCHMARK,
			"its clock cannot be replayed: the record of base's clock was changed "
			"during a run");
	return rc;
}

static int compare_with_record(const struct run_clock *clock, const struct readings *made,
	const struct capture_set *captures, struct error *err)
{
	struct readings recorded;
	int rc = read_all(&recorded, clock->records, err);

	if (!rc)
		rc = check_seal(clock, &recorded, err);
	if (!rc)
		rc = check_exact(&recorded, made, captures, err);
	forget(&recorded);
	return rc;
}

int run_clock_collect(const struct run_clock *clock, const struct run_clock_place *place,
	const struct capture_set *captures, struct run_clock_use *use, struct error *err)
{
	struct readings made = {NULL, 0, 0};
	uint32_t trouble = 0;
	int rc;

	*use = (struct run_clock_use){0};
	if (!place->folder)
		return ERR_OK;
	rc = read_trouble(place->folder, &trouble, err);

	if (!rc && trouble)
		rc = tell_trouble(trouble, err);
	if (!rc)
		rc = read_all(&made, place->folder, err);
	if (!rc)
		sum_up(&made, use);
	if (!rc && clock->mode == RUN_CLOCK_REPLAY)
		rc = compare_with_record(clock, &made, captures, err);
	forget(&made);
	return rc;
}
