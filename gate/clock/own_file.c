/* SPDX-License-Identifier: Apache-2.0 */
/* A process's own file, and that of the same process in the recorded run. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/clock/clock.h"
#include "gate/sampler/raw.h"

#define GROW_BYTES (UINT64_C(1) << 20)
#define LEAST_BYTES (UINT64_C(16) << 20)

struct mapped {
	struct fg_clock_file *file;
	uint64_t bytes;
};
static struct mapped own, recorded;
/* Of its own file, as far as there is room on the disk for sure: a hole on a full one kills. */
static uint64_t reserved_bytes;
static char own_path[FG_CLOCK_PATH_BYTES];
static uint32_t growing; /* a lock, held for a moment */

static bool path_of(char path[FG_CLOCK_PATH_BYTES], const char *folder, uint64_t key)
{
	size_t length = strlen(folder);

	if (length + 2 + FG_CLOCK_NAME_DIGITS > FG_CLOCK_PATH_BYTES)
		return false;
	memcpy(path, folder, length);
	path[length++] = '/';
	for (int i = FG_CLOCK_NAME_DIGITS; i--; key >>= 4)
		path[length + (size_t)i] = "0123456789abcdef"[key & 15];
	path[length + FG_CLOCK_NAME_DIGITS] = '\0';
	return true;
}

/* ---- its own ------------------------------------------------------------------------------- */

/* A file that grows past the limit would be a signal. */
static bool may_grow_to(uint64_t bytes)
{
	struct rlimit limit;

	return FG_RAW6(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, &limit, 0, 0) == 0 &&
	       (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes);
}

static bool reserve(int fd, uint64_t bytes)
{
	if (bytes <= reserved_bytes)
		return true;
	if (bytes < own.bytes && own.bytes - bytes > GROW_BYTES)
		bytes += GROW_BYTES;
	if (bytes > own.bytes || !may_grow_to(bytes) ||
		fg_raw_failed(FG_RAW6(
			SYS_fallocate, fd, 0, reserved_bytes, bytes - reserved_bytes, 0, 0)))
		return false;
	reserved_bytes = bytes;
	return true;
}

/* What a record may need at most, or as much of it as there is address space for. */
static void map_own(int fd, bool is_record)
{
	uint64_t most = is_record ? FG_CLOCK_MOST_BYTES : FG_CLOCK_FILE_BYTES;

	do {
		own.file = fg_raw_map(most, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
		own.bytes = most;
		most /= 4;
	} while (!own.file && most >= LEAST_BYTES);
}

static bool make_own(uint64_t key, bool is_record)
{
	int fd = fg_raw_open(own_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	bool made = false;

	if (fd == -EEXIST)
		fg_clock_trouble(FG_CLOCK_TROUBLE_TWINS);
	if (fd < 0)
		return false;
	map_own(fd, is_record);
	made = own.file && reserve(fd, FG_CLOCK_FILE_BYTES);
	fg_raw_close(fd);
	if (!made)
		return false;
	own.file->key = key;
	own.file->pid = (uint32_t)getpid();
	own.file->magic = FG_CLOCK_FILE_MAGIC;
	return true;
}

static void write_name(void)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	const char *slash;

	path[length > 0 ? length : 0] = '\0';
	slash = strrchr(path, '/');
	slash = slash ? slash + 1 : path;
	memcpy(own.file->program, slash, strnlen(slash, FG_CLOCK_PROGRAM_BYTES - 1));
}

/* ---- the recorded run's -------------------------------------------------------------------- */

static void map_recorded(uint64_t key)
{
	char path[FG_CLOCK_PATH_BYTES];
	struct stat info;
	int fd = -1;

	if (path_of(path, fg_clock_page()->records, key))
		fd = fg_raw_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
	own.file->unread = 1;
	if (fd < 0)
		return;
	if (fstat(fd, &info) == 0 && info.st_size >= (off_t)FG_CLOCK_FILE_BYTES) {
		recorded.bytes = (uint64_t)info.st_size;
		/* Private and writable: whoever writes there by mistake harms this run alone. */
		recorded.file = fg_raw_map(recorded.bytes, PROT_READ, MAP_PRIVATE, fd);
	}
	fg_raw_close(fd);
	if (recorded.file && recorded.file->magic == FG_CLOCK_FILE_MAGIC)
		own.file->unread = 0;
	else
		recorded.file = NULL;
}

void fg_clock_file_forget(void)
{
	if (own.file)
		fg_raw_unmap(own.file, own.bytes);
	if (recorded.file)
		fg_raw_unmap(recorded.file, recorded.bytes);
	own = recorded = (struct mapped){NULL, 0};
	reserved_bytes = 0;
	growing = 0; /* another thread held it when this one forked, and is not here */
}

bool fg_clock_file_open(uint64_t key)
{
	bool is_record = fg_clock_page()->mode == FG_CLOCK_RECORD;

	if (!path_of(own_path, fg_clock_folder(), key) || !make_own(key, is_record)) {
		fg_clock_trouble(FG_CLOCK_TROUBLE_FILE);
		return false;
	}
	write_name();
	if (!is_record)
		map_recorded(key);
	return true;
}

/* ---- sequences ----------------------------------------------------------------------------- */

static uint64_t hash_of(uint64_t thread, enum fg_clock_kind kind)
{
	return fg_clock_child_key(thread, kind);
}

/* Any thread may look for room; only a slot's own thread looks for that very one. */
struct fg_clock_slot *fg_clock_slot(uint64_t thread, enum fg_clock_kind kind)
{
	uint64_t hash = hash_of(thread, kind);

	for (uint64_t i = 0; i < FG_CLOCK_SLOTS; i++) {
		struct fg_clock_slot *slot = &own.file->slots[(hash + i) % FG_CLOCK_SLOTS];
		uint64_t found = 0;

		if (__atomic_compare_exchange_n(&slot->thread, &found, thread, false,
			    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			slot->kind = kind + 1;
			return slot;
		}
		if (found == thread && slot->kind == (uint32_t)kind + 1)
			return slot;
	}
	return NULL;
}

const struct fg_clock_slot *fg_clock_recorded_slot(uint64_t thread, enum fg_clock_kind kind)
{
	uint64_t hash = hash_of(thread, kind);

	for (uint64_t i = 0; recorded.file && i < FG_CLOCK_SLOTS; i++) {
		const struct fg_clock_slot *slot =
			&recorded.file->slots[(hash + i) % FG_CLOCK_SLOTS];

		if (!slot->thread)
			return NULL;
		if (slot->thread == thread && slot->kind == (uint32_t)kind + 1)
			return slot;
	}
	return NULL;
}

static struct fg_clock_chunk *chunk_in(const struct mapped *mapped, uint32_t number)
{
	uint64_t at = FG_CLOCK_CHUNK_AT(number);

	if (!number || at + FG_CLOCK_CHUNK_BYTES > mapped->bytes)
		return NULL;
	return (struct fg_clock_chunk *)((char *)mapped->file + at);
}

struct fg_clock_chunk *fg_clock_chunk(uint32_t number)
{
	return chunk_in(&own, number);
}

struct fg_clock_chunk *fg_clock_recorded_chunk(uint32_t number)
{
	return recorded.file ? chunk_in(&recorded, number) : NULL;
}

static bool grow_to(uint64_t bytes)
{
	int fd = fg_raw_open(own_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	bool grown = fd >= 0 && reserve(fd, bytes);

	if (fd >= 0)
		fg_raw_close(fd);
	return grown;
}

uint32_t fg_clock_chunk_new(void)
{
	uint32_t number = __atomic_add_fetch(&own.file->chunks, 1, __ATOMIC_RELAXED);
	uint64_t end = FG_CLOCK_CHUNK_AT(number) + FG_CLOCK_CHUNK_BYTES, before;
	bool fits = end <= own.bytes;

	if (fits && end > __atomic_load_n(&reserved_bytes, __ATOMIC_ACQUIRE)) {
		before = fg_clock_block_signals();
		while (__atomic_exchange_n(&growing, 1, __ATOMIC_ACQUIRE))
			continue;
		fits = grow_to(end);
		__atomic_store_n(&growing, 0, __ATOMIC_RELEASE);
		fg_clock_unblock_signals(before);
	}
	return fits ? number : 0;
}
